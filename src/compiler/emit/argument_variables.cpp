// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/argument_variables.h"

#include <fmt/format.h>

#include "compiler/emit/memory.h"
#include "compiler/emit/module_context.h"

namespace heddle::compiler {

namespace {

// The element of a kernel's metadata that says something about an argument, as clang writes them for OpenCL.
llvm::StringRef argument_metadata(const llvm::Argument& argument, const char* kind) {
  const llvm::MDNode* node = argument.getParent()->getMetadata(kind);
  if (node == nullptr || argument.getArgNo() >= node->getNumOperands()) return {};
  const auto* text = llvm::dyn_cast<llvm::MDString>(node->getOperand(argument.getArgNo()));
  return text == nullptr ? llvm::StringRef() : text->getString();
}

std::string kernel_formal(const llvm::Argument& argument, ModuleContext& context) {
  const std::string name = formal_name(argument);
  if (const std::optional<Type> opaque = opaque_type(argument)) {
    context.uses_images = true;
    return fmt::format("kernarg_{} {}", compiler::name(*opaque), name);
  }
  llvm::Type* type = argument.getType();
  if (!argument.hasByRefAttr()) return argument_variable(type, "kernarg", name, context);
  llvm::Type* pointee = argument.getParamByRefType();
  const llvm::DataLayout& data = context.layouts.data();
  const uint64_t align = argument.getParamAlign().valueOrOne().value();
  return fmt::format("align({}) kernarg_u8 {}[{}]", std::max(align, data.getABITypeAlign(pointee).value()),
                     name, std::max<uint64_t>(data.getTypeAllocSize(pointee), 1));
}

}  // namespace

bool is_kernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL ||
         function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL;
}

std::optional<Type> opaque_type(const llvm::Argument& argument) {
  const llvm::StringRef type = argument_metadata(argument, "kernel_arg_base_type");
  if (type == "sampler_t") return Type::samp;
  if (!type.starts_with("image")) return std::nullopt;
  const llvm::StringRef access = argument_metadata(argument, "kernel_arg_access_qual");
  if (access == "write_only") return Type::woimg;
  return access == "read_write" ? Type::rwimg : Type::roimg;
}

std::string formal_name(const llvm::Argument& argument) {
  if (!argument.hasName()) return fmt::format("%arg{}", argument.getArgNo());
  // The number keeps names apart that differ only in characters which are replaced.
  const std::string name = hsail_identifier(argument.getName());
  const bool kept = llvm::StringRef(name) == argument.getName();
  return kept ? "%" + name : fmt::format("%{}.{}", name, argument.getArgNo());
}

bool can_be_passed(const llvm::Type& type, const Layout& layout, bool of_kernel) {
  return !layout.shares_bytes || (type.isVectorTy() && !of_kernel);
}

std::string argument_variable(llvm::Type* type, std::string_view segment, std::string_view name,
                              ModuleContext& context) {
  const Layout& layout = context.layouts.of(type);
  const llvm::DataLayout& data = context.layouts.data();
  if (layout.leaves.size() == 1 && !type->isVectorTy()) {
    const auto pieces = memory_pieces(layout, data);
    if (pieces.size() == 1) return fmt::format("{}_{} {}", segment, compiler::name(pieces[0].type), name);
  }
  uint64_t size = std::max<uint64_t>(data.getTypeAllocSize(type), 1);
  if (layout.shares_bytes) {
    const Leaf& last = layout.leaves.back();
    size = std::max<uint64_t>(size, last.offset + data.getTypeStoreSize(last.type));
  }
  return fmt::format("align({}) {}_u8 {}[{}]", data.getABITypeAlign(type).value(), segment, name, size);
}

std::string signature_formals(const llvm::FunctionType& type, ModuleContext& context) {
  std::string text = "(";
  if (!type.getReturnType()->isVoidTy())
    text += argument_variable(type.getReturnType(), "arg", result_name, context);
  text += ")(";
  for (unsigned i = 0; i < type.getNumParams(); ++i) {
    if (i != 0) text += ", ";
    text += argument_variable(type.getParamType(i), "arg", fmt::format("%arg{}", i), context);
  }
  return text + ")";
}

std::string formals(const llvm::Function& function, ModuleContext& context) {
  std::string text;
  if (!is_kernel(function)) {
    text = "(";
    if (!function.getReturnType()->isVoidTy()) {
      text += argument_variable(function.getReturnType(), "arg", result_name, context);
    }
    text += ")";
  }
  text += "(";
  for (const llvm::Argument& argument : function.args()) {
    if (argument.getArgNo() != 0) text += ", ";
    text += is_kernel(function)
                ? kernel_formal(argument, context)
                : argument_variable(argument.getType(), "arg", formal_name(argument), context);
  }
  return text + ")";
}

}  // namespace heddle::compiler
