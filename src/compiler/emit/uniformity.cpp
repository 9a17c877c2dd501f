// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/uniformity.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "compiler/emit/argument_variables.h"
#include "compiler/emit/handlers.h"

namespace heddle::compiler {

namespace {

// Functions of the dispatch and the work-group (PRM 11.1), without "__hsail_".
constexpr llvm::StringLiteral of_the_group[] = {
    "workgroupid_u32", "workgroupsize_u32", "currentworkgroupsize_u32", "gridsize_u32", "gridgroups_u32",
    "dim_u32",         "WAVESIZE"};

bool is_of_the_group(const llvm::CallInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::amdgcn_workgroup_id_x:
    case llvm::Intrinsic::amdgcn_workgroup_id_y:
    case llvm::Intrinsic::amdgcn_workgroup_id_z:
      return true;
    default:
      break;
  }
  const llvm::Function* target = call.getCalledFunction();
  if (target == nullptr || !target->isDeclaration()) return false;
  llvm::StringRef name = target->getName();
  return name.consume_front(hsail_prefix) && llvm::is_contained(of_the_group, name);
}

// Whether the instruction computes the same from the same operands.
bool is_function_of_operands(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return reads_constant_memory(*load);
  // A frozen value that was undefined may differ.
  if (llvm::isa<llvm::PHINode, llvm::FreezeInst, llvm::AllocaInst>(instruction)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    return call->doesNotAccessMemory() && !call->isConvergent() &&
           !call->getCalledFunction()->getName().starts_with("llvm.amdgcn.");
  }
  return !llvm::isa<llvm::CallBase>(instruction) && !instruction.mayReadOrWriteMemory() &&
         !instruction.isTerminator();
}

}  // namespace

bool reads_constant_memory(const llvm::LoadInst& load) {
  if (load.isVolatile() || load.isAtomic()) return false;
  return load.getPointerAddressSpace() == 4 || load.hasMetadata(llvm::LLVMContext::MD_invariant_load);
}

bool Uniformity::is_uniform(const llvm::Value& value) {
  if (llvm::isa<llvm::UndefValue>(value)) return false;
  if (llvm::isa<llvm::Constant>(value)) return true;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) return is_kernel(*argument->getParent());
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr) return false;
  if (const auto found = known_.find(instruction); found != known_.end()) return found->second;
  known_[instruction] = false;
  const bool result = compute(*instruction);
  known_[instruction] = result;
  return result;
}

bool Uniformity::compute(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      call != nullptr && is_of_the_group(*call))
    return true;
  return is_function_of_operands(instruction) &&
         llvm::all_of(instruction.operands(), [&](const llvm::Use& operand) { return is_uniform(*operand); });
}

}  // namespace heddle::compiler
