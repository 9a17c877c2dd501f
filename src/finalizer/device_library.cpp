// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/device_library.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

namespace heddle::finalizer {
namespace {

constexpr llvm::StringLiteral prefix = "hsail_dev_";

struct Signature {
  llvm::StringLiteral name;
  const char* types;  // result, then arguments: f float, d double, i i32, l i64, h i16, p ptr, v void
};

constexpr Signature signatures[] = {
    {"hsail_dev_fma_f32", "ffffi"},
    {"hsail_dev_fma_f64", "ddddi"},
    {"hsail_dev_f16_to_f32", "fh"},
    {"hsail_dev_f32_to_f16", "hf"},
    {"hsail_dev_sin", "ff"},
    {"hsail_dev_cos", "ff"},
    {"hsail_dev_exp2", "ff"},
    {"hsail_dev_log2", "ff"},
    {"hsail_dev_sin_v4", "vp"},
    {"hsail_dev_sin_v8", "vp"},
    {"hsail_dev_sin_v16", "vp"},
    {"hsail_dev_cos_v4", "vp"},
    {"hsail_dev_cos_v8", "vp"},
    {"hsail_dev_cos_v16", "vp"},
    {"hsail_dev_exp2_v4", "vp"},
    {"hsail_dev_exp2_v8", "vp"},
    {"hsail_dev_exp2_v16", "vp"},
    {"hsail_dev_log2_v4", "vp"},
    {"hsail_dev_log2_v8", "vp"},
    {"hsail_dev_log2_v16", "vp"},
    // for NVIDIA GPUs only
    {"hsail_dev_image_read", "iiiiillp"},
    {"hsail_dev_image_load", "iiiiillp"},
    {"hsail_dev_image_store", "iiiiillp"},
    {"hsail_dev_image_image_query", "iiiiillp"},
    {"hsail_dev_image_sampler_query", "iiiiillp"},
    {"hsail_dev_nvptx_linear", "iplip"},
    {"hsail_dev_nvptx_ticket", "lpi"},
    {"hsail_dev_nvptx_trap", "vpiiip"},
    {"hsail_dev_nvptx_stray", "vpliiiiiiii"},
    {"hsail_dev_nvptx_check_global", "ppliiiiiiii"},
    {"hsail_dev_nvptx_check_flat", "ppllliliiiiiiii"},
    {"hsail_dev_nvptx_yield", "vp"},
    {"hsail_dev_nvptx_clock", "lp"},
    {"hsail_dev_nvptx_ask", "lpiiiilll"},
    {"hsail_dev_nvptx_fbarrier", "vpipi"},
    {"hsail_dev_nvptx_begin_waves", "vpiii"},
    {"hsail_dev_nvptx_wave_barrier", "vpipi"},
    {"hsail_dev_nvptx_end_lane", "vpi"},
    {"hsail_dev_nvptx_tell_end", "vll"},
};

llvm::Type* type_of(llvm::LLVMContext& context, char letter) {
  switch (letter) {
    case 'f':
      return llvm::Type::getFloatTy(context);
    case 'd':
      return llvm::Type::getDoubleTy(context);
    case 'l':
      return llvm::Type::getInt64Ty(context);
    case 'h':
      return llvm::Type::getInt16Ty(context);
    case 'p':
      return llvm::PointerType::getUnqual(context);
    case 'v':
      return llvm::Type::getVoidTy(context);
    default:
      return llvm::Type::getInt32Ty(context);
  }
}

/// Makes what was linked a part of the module. The ISAs of a target differ in instructions, so the library's
/// code must use those of the module, and vectors as long as the module's. LLVM does not inline a function
/// without builtins in one that may have some.
void adopt(llvm::Module& module, const llvm::StringSet<>& linked) {
  for (const auto& entry : linked) {
    auto* function = module.getFunction(entry.first());
    if (!function || function->isDeclaration()) continue;
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    function->setDSOLocal(true);
    for (const char* attribute :
         {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width", "no-builtins"})
      function->removeFnAttr(attribute);
  }
}

}  // namespace

llvm::Function* device_function(llvm::Module& module, llvm::StringRef name) {
  if (llvm::Function* known = module.getFunction(name)) return known;
  const Signature* signature = signatures;
  while (signature->name != name) ++signature;
  llvm::SmallVector<llvm::Type*, 4> arguments;
  for (const char* letter = signature->types + 1; *letter; ++letter)
    arguments.push_back(type_of(module.getContext(), *letter));
  auto* type = llvm::FunctionType::get(type_of(module.getContext(), signature->types[0]), arguments, false);
  return llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
}

Result<void> link_device_library(llvm::Module& module, llvm::StringRef bitcode) {
  bool needed = false;
  for (const llvm::Function& function : module) needed = needed || function.getName().starts_with(prefix);
  if (!needed) return {};
  auto library = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bitcode, "devlib"), module.getContext());
  if (!library) return Error{"the device library cannot be read: " + llvm::toString(library.takeError())};
  if ((*library)->getDataLayout() != module.getDataLayout())
    return Error{"the device library was built for another target"};
  (*library)->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded, adopt))
    return Error{"the device library cannot be linked"};
  return {};
}

}  // namespace heddle::finalizer
