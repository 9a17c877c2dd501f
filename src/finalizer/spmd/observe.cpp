// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/observe.h"

#include <llvm/IR/InstIterator.h>

#include <hsa/hsa_brig_modifiers.h>

#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::CallBase;
using llvm::Function;

/// Returns the memory scope of a fence or an atomic operation, which is a constant.
uint64_t scope(const CallBase& call, unsigned index) {
  return constant_argument(llvm::cast<llvm::CallInst>(call), index);
}

}  // namespace

std::optional<std::string_view> observation(const CallBase& call) {
  if (call.isIndirectCall()) return "icall";
  const Function* callee = call.getCalledFunction();
  const auto operation = callee ? target_operation_of(*callee) : std::nullopt;
  if (!operation) return std::nullopt;
  switch (*operation) {
    case TargetOperation::wavesize:
      return "WAVESIZE";
    case TargetOperation::laneid:
      return "laneid";
    case TargetOperation::waveid:
      return "waveid";
    case TargetOperation::maxwaveid:
      return "maxwaveid";
    case TargetOperation::wavebarrier:
      return "wavebarrier";
    case TargetOperation::fbarrier:
      return "fbarrier";
    case TargetOperation::activelanecount:
      return "activelanecount";
    case TargetOperation::activelaneid:
      return "activelaneid";
    case TargetOperation::activelanemask:
      return "activelanemask";
    case TargetOperation::activelanepermute:
      return "activelanepermute";
    case TargetOperation::exceptions:
    case TargetOperation::get_detected:
    case TargetOperation::clear_detected:
    case TargetOperation::set_detected:
      return "exceptions";  // those of a wave are one set (PRM 11.2.3)
    case TargetOperation::memfence:
      if (scope(call, 1) == HSA_BRIG_MEMORY_SCOPE_WAVEFRONT) return "wave scope";
      return std::nullopt;
    case TargetOperation::atomic32:
    case TargetOperation::atomic64:
      if (scope(call, 3) == HSA_BRIG_MEMORY_SCOPE_WAVEFRONT) return "wave scope";
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::map<const Function*, std::string_view> wave_observers(
    const llvm::Module& module, std::span<const SpmdIndirectFunction> indirect_functions) {
  std::map<const Function*, std::string_view> found;
  llvm::SmallVector<const Function*, 16> pending;  // their callers are still to be found
  const auto add = [&](const Function* function, std::string_view why) {
    if (found.try_emplace(function, why).second) pending.push_back(function);
  };
  for (const Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* call = llvm::dyn_cast<CallBase>(&instruction))
        if (const auto why = observation(*call)) add(&function, *why);
  for (const SpmdIndirectFunction& indirect : indirect_functions) add(indirect.function, "indirect function");
  while (!pending.empty()) {
    const Function* callee = pending.pop_back_val();
    for (const llvm::User* user : callee->users())
      if (const auto* call = llvm::dyn_cast<CallBase>(user); call && call->getCalledFunction() == callee)
        add(call->getCaller(), found[callee]);
  }
  return found;
}

}  // namespace heddle::finalizer::spmd
