// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/passes/target_description.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/address_spaces.h"
#include "compiler/passes/segment_aliases.h"

namespace heddle::compiler {
namespace {

using llvm::InstructionCost;
using llvm::Loop;
using llvm::TargetTransformInfo;

/// Iterations are worth copies up to these numbers of instructions in all. The finalizer unrolls loops itself
/// where it helps the machine, and recognises products of matrices only as loops. The second number is for
/// loops that it keeps because their work-items meet in them, the third for loops with variables that become
/// registers if their indices are constants.
constexpr unsigned most_usually = 30;
constexpr unsigned most_with_meetings = 150;
constexpr unsigned most_with_variables = 2700;
/// Larger variables would need too many registers.
constexpr uint64_t largest_variable = 1024;
/// Calls cost much where work-items are lanes of vectors, and the finalizer would inline them at last.
constexpr unsigned times_inlined = 8;

bool is_meeting(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && call->isConvergent();
}

/// Whether an address is in a small variable of the function, at a place that changes in the loop.
bool is_in_variable(const llvm::Value& address, const Loop& loop) {
  const auto* sum = llvm::dyn_cast<llvm::GetElementPtrInst>(&address);
  if (sum == nullptr || !loop.contains(sum)) return false;
  const bool changes =
      llvm::any_of(sum->indices(), [&](const llvm::Use& index) { return !loop.isLoopInvariant(index); });
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(sum));
  if (!changes || variable == nullptr) return false;
  const auto size = variable->getAllocationSize(sum->getDataLayout());
  return size && !size->isScalable() && size->getFixedValue() <= largest_variable;
}

unsigned unroll_limit(const Loop& loop) {
  unsigned limit = most_usually;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (is_meeting(instruction)) limit = std::max(limit, most_with_meetings);
      const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
      if (address != nullptr && is_in_variable(*address, loop)) return most_with_variables;
    }
  }
  return limit;
}

class Description : public llvm::TargetTransformInfoImplCRTPBase<Description> {
 public:
  explicit Description(const llvm::DataLayout& data) : TargetTransformInfoImplCRTPBase(data) {}

  bool hasBranchDivergence(const llvm::Function*) const override { return true; }
  unsigned getFlatAddressSpace() const override { return flat_space; }
  bool addrspacesMayAlias(unsigned first, unsigned second) const override {
    return !are_disjoint(first, second);
  }

  /// Flat and global addresses are the same numbers (PRM 2.8.2).
  bool isValidAddrSpaceCast(unsigned from, unsigned to) const override {
    return from == to || to == flat_space || (is_global(from) && is_global(to));
  }
  bool isNoopAddrSpaceCast(unsigned from, unsigned to) const override {
    return (is_global(from) || from == flat_space) && (is_global(to) || to == flat_space);
  }
  bool canHaveNonUndefGlobalInitializerInAddressSpace(unsigned space) const override {
    return space != group_space && space != private_space;
  }

  /// Only the host writes constant memory, and it knows no addresses of group or private memory.
  unsigned getAssumedAddrSpace(const llvm::Value* value) const override {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
    const bool of_host = load != nullptr && load->getPointerAddressSpace() == constant_space;
    return of_host ? global_space : ~0U;
  }

  /// [variable][register+number] (PRM 4.18).
  bool isLegalAddressingMode(llvm::Type*, llvm::GlobalValue*, int64_t, bool has_register, int64_t scale,
                             unsigned, llvm::Instruction* = nullptr, int64_t scalable = 0) const override {
    return scalable == 0 && (scale == 0 || (scale == 1 && !has_register));
  }
  bool isLegalAddImmediate(int64_t) const override { return true; }
  bool isLegalICmpImmediate(int64_t) const override { return true; }
  bool isTruncateFree(llvm::Type* from, llvm::Type* to) const override {
    return from->isIntegerTy() && to->isIntegerTy() && from->getIntegerBitWidth() <= 32;
  }

  unsigned getInliningThresholdMultiplier() const override { return times_inlined; }

  /// Partial unrolling is for the finalizer, which knows the machine. It unrolls small loops as a whole, too.
  void getUnrollingPreferences(Loop* loop, llvm::ScalarEvolution&,
                               TargetTransformInfo::UnrollingPreferences& wanted,
                               llvm::OptimizationRemarkEmitter*) const override {
    wanted.Threshold = unroll_limit(*loop);
    wanted.OptSizeThreshold = 0;
    wanted.Partial = wanted.Runtime = wanted.UpperBound = false;
  }

  /// Numbers of 64 bits take two registers, and half as many work-items find room in a vector.
  InstructionCost getArithmeticInstrCost(unsigned opcode, llvm::Type* type,
                                         TargetTransformInfo::TargetCostKind kind,
                                         TargetTransformInfo::OperandValueInfo first,
                                         TargetTransformInfo::OperandValueInfo second,
                                         llvm::ArrayRef<const llvm::Value*> operands,
                                         const llvm::Instruction* instruction = nullptr) const override {
    const InstructionCost cost = TargetTransformInfoImplBase::getArithmeticInstrCost(
        opcode, type, kind, first, second, operands, instruction);
    llvm::Type* element = type->getScalarType();
    const unsigned bits = element->isPointerTy() ? 64 : element->getScalarSizeInBits();
    const unsigned elements =
        type->isVectorTy() ? llvm::cast<llvm::FixedVectorType>(type)->getNumElements() : 1;
    return cost * std::max(1U, bits / 32) * elements;
  }

 private:
  static bool is_global(unsigned space) { return space == global_space || space == constant_space; }
};

}  // namespace

llvm::TargetIRAnalysis target_description() {
  return llvm::TargetIRAnalysis([](const llvm::Function& function) {
    return TargetTransformInfo(std::make_unique<Description>(function.getDataLayout()));
  });
}

}  // namespace heddle::compiler
