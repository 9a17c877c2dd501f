// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devlib/opencl/printf_formats.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <map>
#include <string>

namespace heddle::devlib {
namespace {

constexpr unsigned global_space = 1;
constexpr uint64_t record_alignment = 4;

/// Lowers the alignment of all stores through a pointer into a record, and through those that are computed
/// from it.
void lower_alignment(llvm::Value& pointer, llvm::SmallPtrSetImpl<llvm::Value*>& seen) {
  if (!seen.insert(&pointer).second) return;
  for (llvm::User* user : pointer.users()) {
    if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (store->getPointerOperand() == &pointer)
        store->setAlignment(std::min(store->getAlign(), llvm::Align(record_alignment)));
    } else if (auto* const copy = llvm::dyn_cast<llvm::MemIntrinsic>(user)) {
      if (copy->getRawDest() == &pointer)
        copy->setDestAlignment(std::min(copy->getDestAlign().valueOrOne(), llvm::Align(record_alignment)));
    } else if (user->getType()->isPointerTy() && !llvm::isa<llvm::CallBase>(user)) {
      lower_alignment(*user, seen);
    }
  }
}

/// The hash of a format of HIP is the same wherever the format is; numbers of OpenCL C count the formats of a
/// module.
llvm::StringRef key_of(llvm::StringRef entry) {
  return entry.starts_with("0:") ? entry : entry.split(':').first;
}

}  // namespace

Result<bool> keep_printf_formats(llvm::Module& module) {
  if (llvm::Function* const alloc = module.getFunction("__printf_alloc")) {
    llvm::SmallPtrSet<llvm::Value*, 16> seen;
    for (llvm::User* user : alloc->users())
      if (auto* const call = llvm::dyn_cast<llvm::CallInst>(user)) lower_alignment(*call, seen);
  }
  const llvm::NamedMDNode* const formats = module.getNamedMetadata("llvm.printf.fmts");
  if (formats == nullptr || formats->getNumOperands() == 0) return false;
  std::map<llvm::StringRef, llvm::StringRef> known;
  std::string contents;
  for (const llvm::MDNode* node : formats->operands()) {
    const auto* const text =
        node->getNumOperands() == 1 ? llvm::dyn_cast<llvm::MDString>(node->getOperand(0)) : nullptr;
    if (text == nullptr) continue;
    const auto [entry, is_new] = known.try_emplace(key_of(text->getString()), text->getString());
    if (!is_new && entry->second != text->getString())
      return Error{"printf in several modules that were compiled apart: their formats have the same number"};
    if (is_new) contents += text->getString().str() + '\0';
  }
  auto* const data = llvm::ConstantDataArray::getString(module.getContext(), contents, false);
  auto* const variable = new llvm::GlobalVariable(
      module, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, "__heddle_printf_formats",
      nullptr, llvm::GlobalValue::NotThreadLocal, global_space);
  // Only the host reads it.
  llvm::appendToCompilerUsed(module, {variable});
  return true;
}

}  // namespace heddle::devlib
