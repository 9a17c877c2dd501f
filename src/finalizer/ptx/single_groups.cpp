// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/single_groups.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "finalizer/lower/callers.h"
#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer::ptx {
namespace {

using llvm::BasicBlock;
using llvm::Function;

/// Larger kernels take so long that a microsecond less matters little, and each entry takes time to compile.
/// Counted in instructions before any optimisation, with those of functions that are called.
constexpr size_t largest = 2000;
/// What an instruction on an image counts: the software for it is linked later.
constexpr size_t image_instructions = 500;

bool is_operation(const llvm::CallBase& call, TargetOperation operation) {
  const Function* callee = call.getCalledFunction();
  return callee && target_operation_of(*callee) == operation;
}

bool is_indirect(const llvm::CallBase& call) { return !call.getCalledFunction() && !call.isInlineAsm(); }

/// The blocks that all work-items reach that do not stay in the function for ever.
llvm::SmallPtrSet<const BasicBlock*, 16> common_blocks(Function& function) {
  const llvm::PostDominatorTree tree(function);
  llvm::SmallPtrSet<const BasicBlock*, 16> common;
  for (const auto* node = tree.getNode(&function.getEntryBlock()); node; node = node->getIDom())
    if (const BasicBlock* block = node->getBlock()) common.insert(block);
  return common;
}

size_t size_of(const Function& function) {
  size_t size = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    size += call && is_operation(*call, TargetOperation::image) ? image_instructions : 1;
  }
  return size;
}

/// The size of a function and of those that it calls, each counted once.
size_t size_with_calls(const Function& function) {
  llvm::SmallPtrSet<const Function*, 16> seen = {&function};
  llvm::SmallVector<const Function*, 16> left = {&function};
  size_t size = 0;
  while (!left.empty() && size <= largest) {
    const Function& next = *left.pop_back_val();
    size += size_of(next);
    for (const llvm::Instruction& instruction : llvm::instructions(next))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (const Function* callee = call->getCalledFunction(); callee && seen.insert(callee).second)
          left.push_back(callee);
  }
  return size;
}

}  // namespace

SingleGroups::SingleGroups(llvm::Module& module) {
  const auto with_barriers = functions_leading_to(
      module, [](const llvm::CallBase& call) { return is_operation(call, TargetOperation::barrier); });
  const auto reaches_barrier = [&](const llvm::CallBase& call) {
    return is_operation(call, TargetOperation::barrier) || with_barriers.contains(call.getCalledFunction());
  };
  llvm::SmallPtrSet<const llvm::CallBase*, 16> missed;
  for (Function& function : module) {
    if (!with_barriers.contains(&function)) continue;
    const auto common = common_blocks(function);
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (reaches_barrier(*call) && !common.contains(call->getParent())) missed.insert(call);
  }
  irregular_ = functions_leading_to(
      module, [&](const llvm::CallBase& call) { return is_indirect(call) || missed.contains(&call); });
}

bool SingleGroups::has_entry(const Function& body, const codeobject::Kernel& described) const {
  // Kernels that wait for others, or for the host, take as long as these do. Code that is not optimised or
  // checks its addresses is for finding mistakes, and kept simple.
  constexpr uint32_t excluding = codeobject::kernel_early_return | codeobject::kernel_takes_tickets |
                                 codeobject::kernel_asks_host | codeobject::kernel_checks_addresses |
                                 codeobject::kernel_not_optimised;
  return (described.flags & excluding) == 0 && ptx_kernel::passes_kernarg_by_value(described) &&
         described.kernarg_size <= ptx_kernel::max_single_kernarg && !irregular_.contains(&body) &&
         size_with_calls(body) <= largest;
}

}  // namespace heddle::finalizer::ptx
