// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/libraries.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Internalize.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <cstdlib>
#include <string_view>

#include "devlib/opencl/libclc_names.h"
#include "devlib/opencl/library.h"

namespace heddle::compiler {
namespace {

// Where Debian's package libclc-22 has the builtin functions of OpenCL C for the compiler's target.
constexpr const char* debian_libclc = "/usr/lib/clc/amdgcn-amd-amdhsa.bc";
// Functions with this prefix become instructions and have no definition.
constexpr llvm::StringLiteral instruction_prefix = "__hsail_";

/// HEDDLE_LIBCLC names another file.
std::string libclc_file() {
  const char* setting = secure_getenv("HEDDLE_LIBCLC");
  return setting != nullptr && *setting != '\0' ? setting : debian_libclc;
}

/// Reports whether a library has to define the function. What is visible to other modules, they may define.
bool is_missing(const llvm::Function& function) {
  return function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
         !function.hasDefaultVisibility() && !function.getName().starts_with(instruction_prefix);
}

std::vector<llvm::Function*> missing_functions(llvm::Module& module) {
  std::vector<llvm::Function*> missing;
  for (llvm::Function& function : module)
    if (is_missing(function)) missing.push_back(&function);
  return missing;
}

/// Returns the place of the first call of a function, and the name of the caller.
std::pair<Place, std::string> first_call(const llvm::Function& function) {
  for (const llvm::User* user : function.users()) {
    const auto* const call = llvm::dyn_cast<llvm::Instruction>(user);
    if (call == nullptr) continue;
    const std::string caller = llvm::demangle(call->getFunction()->getName().str());
    if (const llvm::DebugLoc& location = call->getDebugLoc()) {
      const auto* const scope = llvm::cast<llvm::DIScope>(location.getScope());
      return {{scope->getFilename().str(), location.getLine(), location.getCol()}, caller};
    }
    return {{}, caller};
  }
  return {};
}

void report_missing(const llvm::Function& function, std::string_view why, const Messages& messages) {
  const auto [place, caller] = first_call(function);
  std::string text = "the function '" + llvm::demangle(function.getName().str()) + "' is not defined";
  llvm::StringRef kernel(caller);
  kernel.consume_front("__clang_ocl_kern_imp_");
  if (!kernel.empty()) text += " (called in '" + kernel.str() + "')";
  messages.error(text + std::string(why), place);
}

/// Adds those functions of a library that the module needs. The library must have the module's data layout.
Outcome<void> link_needed(llvm::Module& module, std::unique_ptr<llvm::MemoryBuffer> bytes,
                          const Messages& messages) {
  const std::string name = bytes->getBufferIdentifier().str();
  auto library = llvm::getOwningLazyBitcodeModule(std::move(bytes), module.getContext());
  if (!library) {
    messages.error("the library cannot be read: " + llvm::toString(library.takeError()), {name});
    return Failure::failed;
  }
  (*library)->setTargetTriple(module.getTargetTriple());
  devlib::rename_replaced_functions(**library, module);
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
    return Failure::failed;
  return {};
}

llvm::DenseSet<llvm::Function*> defined_functions(llvm::Module& module) {
  llvm::DenseSet<llvm::Function*> functions;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) functions.insert(&function);
  return functions;
}

/// Lets LLVM inline a function that is little more than an instruction of HSAIL before all other passes.
/// Otherwise they would not know, for example, that IDs of work-items have 32 bits, and would make loops that
/// count with 64.
void inline_early(llvm::Function& function) {
  constexpr unsigned most_instructions = 16;
  if (function.getInstructionCount() <= most_instructions &&
      !function.hasFnAttribute(llvm::Attribute::NoInline))
    function.addFnAttr(llvm::Attribute::AlwaysInline);
}

Outcome<void> link_device_library(llvm::Module& module, const Messages& messages) {
  const auto bytes = devlib::opencl_bitcode();
  const llvm::StringRef bitcode(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto defined_before = defined_functions(module);
  auto linked =
      link_needed(module, llvm::MemoryBuffer::getMemBuffer(bitcode, "device library", false), messages);
  for (llvm::Function* function : defined_functions(module))
    if (!defined_before.contains(function)) inline_early(*function);
  return linked;
}

/// Lets conversions of floating-point numbers in a function saturate. libclc chooses the result of
/// conversions with saturation after an instruction whose result for a NaN is undefined, and never asks for a
/// NaN; in OpenCL C (6.4.3.3), it becomes 0.
void saturate_conversions(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const bool is_signed = instruction.getOpcode() == llvm::Instruction::FPToSI;
    if (!is_signed && instruction.getOpcode() != llvm::Instruction::FPToUI) continue;
    llvm::Value* const number = instruction.getOperand(0);
    llvm::Value* const saturated =
        llvm::IRBuilder<>(&instruction)
            .CreateIntrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                             {instruction.getType(), number->getType()}, {number});
    instruction.replaceAllUsesWith(saturated);
    instruction.eraseFromParent();
  }
}

bool converts_with_saturation(const llvm::Function& function) {
  return function.getName().contains("convert_") && function.getName().contains("_sat");
}

Outcome<void> link_libclc(llvm::Module& module, const Messages& messages) {
  const auto missing = missing_functions(module);
  if (missing.empty()) return {};
  const std::string path = libclc_file();
  auto file = llvm::MemoryBuffer::getFile(path);
  if (file) {
    const auto defined_before = defined_functions(module);
    auto linked = link_needed(module, std::move(*file), messages);
    for (llvm::Function* function : defined_functions(module))
      if (!defined_before.contains(function) && converts_with_saturation(*function))
        saturate_conversions(*function);
    return linked;
  }
  for (const llvm::Function* function : missing)
    report_missing(*function, "; it may be a builtin function of OpenCL C", messages);
  messages.error("the builtin functions of OpenCL C are not installed (" + path + ": " +
                 file.getError().message() + "): install the Debian package libclc-22");
  return Failure::not_installed;
}

/// Reports names that clang only keeps so that hosts can tell modules apart.
bool is_bookkeeping(const llvm::Constant* constant) {
  return constant->stripPointerCasts()->getName().starts_with("__hip_cuid_");
}

bool is_exported(const llvm::GlobalValue& value) {
  if (is_bookkeeping(&value)) return false;
  if (const auto* const function = llvm::dyn_cast<llvm::Function>(&value))
    return function->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL || function->hasDefaultVisibility();
  const auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
  return value.hasDefaultVisibility() || (variable != nullptr && variable->isExternallyInitialized());
}

/// Makes everything internal that is not exported, and removes what then nothing needs: headers of HIP define
/// functions that call others which do not exist.
void reduce(llvm::Module& module) {
  llvm::internalizeModule(module, is_exported);
  llvm::ModuleAnalysisManager analyses;
  llvm::GlobalDCEPass().run(module, analyses);
}

}  // namespace

Outcome<void> link_libraries(llvm::Module& module, const Messages& messages) {
  llvm::removeFromUsedLists(module, is_bookkeeping);
  reduce(module);
  auto linked = link_device_library(module, messages);
  if (linked) linked = link_libclc(module, messages);
  if (!linked) return linked;
  const auto missing = missing_functions(module);
  for (const llvm::Function* function : missing) report_missing(*function, "", messages);
  if (!missing.empty()) return Failure::failed;
  reduce(module);
  return {};
}

}  // namespace heddle::compiler
