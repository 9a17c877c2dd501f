// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/observe.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

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

/// Something that a call does.
using Property = llvm::function_ref<std::optional<std::string_view>(const CallBase&)>;

/// Returns the functions that have calls with a property, themselves or in functions that they call, with the
/// property of one of these calls. Indirect functions count as having one.
std::map<const Function*, std::string_view> functions_with(
    Property property, const llvm::Module& module, std::span<const SpmdIndirectFunction> indirect_functions) {
  std::map<const Function*, std::string_view> found;
  llvm::SmallVector<const Function*, 16> pending;  // their callers are still to be found
  const auto add = [&](const Function* function, std::string_view why) {
    if (found.try_emplace(function, why).second) pending.push_back(function);
  };
  for (const Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* call = llvm::dyn_cast<CallBase>(&instruction))
        if (const auto why = property(*call)) add(&function, *why);
  for (const SpmdIndirectFunction& indirect : indirect_functions) add(indirect.function, "indirect function");
  while (!pending.empty()) {
    const Function* callee = pending.pop_back_val();
    for (const llvm::User* user : callee->users())
      if (const auto* call = llvm::dyn_cast<CallBase>(user); call && call->getCalledFunction() == callee)
        add(call->getCaller(), found[callee]);
  }
  return found;
}

std::optional<TargetOperation> operation_of(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee ? target_operation_of(*callee) : std::nullopt;
}

/// Reports whether the value is an operation in dimension x.
bool is_in_x(const llvm::Value* value, TargetOperation operation) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  return call && operation_of(*call) == operation && constant_argument(*call, 0) == 0;
}

/// Reports whether a value is workgroupid * workgroupsize + workitemid in x, as lowering computes
/// workitemabsid.
bool is_absolute_id(const llvm::User* user) {
  using namespace llvm::PatternMatch;
  const llvm::Value *group = nullptr, *size = nullptr, *item = nullptr;
  return match(user, m_NUWAdd(m_NUWMul(m_Value(group), m_Value(size)), m_Value(item))) &&
         is_in_x(group, TargetOperation::workgroupid) && is_in_x(size, TargetOperation::workgroupsize) &&
         is_in_x(item, TargetOperation::workitemid);
}

/// Reports whether an ID in x is a part of absolute IDs only.
bool is_for_absolute_id(const llvm::Instruction& id) {
  return llvm::all_of(id.users(), [](const llvm::User* user) {
    return is_absolute_id(user) || (llvm::isa<llvm::BinaryOperator>(user) && !user->use_empty() &&
                                    llvm::all_of(user->users(), is_absolute_id));
  });
}

/// Returns what tells the caller where its work-group begins or ends in x, or what is shared within the
/// work-group.
std::optional<std::string_view> group_observation(const CallBase& call) {
  if (call.isIndirectCall()) return "icall";
  const auto operation = operation_of(call);
  if (!operation) return std::nullopt;
  switch (*operation) {
    case TargetOperation::barrier:
      return "barrier";
    case TargetOperation::group_base:
      return "group segment";
    case TargetOperation::workitemid:
    case TargetOperation::workgroupid:
    case TargetOperation::currentworkgroupsize:
      if (constant_argument(llvm::cast<llvm::CallInst>(call), 0) != 0 || is_for_absolute_id(call))
        return std::nullopt;
      return "IDs within the work-group";
    default:
      return observation(call);
  }
}

}  // namespace

std::optional<std::string_view> observation(const CallBase& call) {
  if (call.isIndirectCall()) return "icall";
  const auto operation = operation_of(call);
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
  return functions_with(observation, module, indirect_functions);
}

llvm::DenseSet<const Function*> group_observers(const llvm::Module& module,
                                                std::span<const SpmdIndirectFunction> indirect_functions) {
  llvm::DenseSet<const Function*> found;
  for (const auto& [function, why] : functions_with(group_observation, module, indirect_functions))
    found.insert(function);
  return found;
}

}  // namespace heddle::finalizer::spmd
