// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/values.h"

#include <fmt/format.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "finalizer/analyses.h"
#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer {
namespace {

using llvm::AllocaInst;
using llvm::Value;

/// SROA takes time quadratic in the size of a function, too much for functions with more instructions than
/// this.
constexpr size_t huge = 20000;

/// Tells registers, which are integers, from variables of HSAIL, which are arrays of bytes
/// (FunctionLowering::create_alloca).
bool is_register(const AllocaInst& variable) { return variable.getAllocatedType()->isIntegerTy(); }

llvm::SmallVector<AllocaInst*, 32> variables_of(llvm::Function& function) {
  llvm::SmallVector<AllocaInst*, 32> found;
  for (llvm::Instruction& instruction : function.getEntryBlock())
    if (auto* variable = llvm::dyn_cast<AllocaInst>(&instruction)) found.push_back(variable);
  return found;
}

/// Turns what can become a value into one. Reports whether variables are left in memory.
bool promote(llvm::Function& function) {
  llvm::SmallVector<AllocaInst*, 32> registers;
  bool others = false;
  for (AllocaInst* variable : variables_of(function)) {
    const bool is_value = llvm::isAllocaPromotable(variable);
    if (is_value) registers.push_back(variable);
    others = others || !is_value;
  }
  if (registers.empty()) return others;
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(registers, dominators);
  return others;
}

void take_apart(llvm::ArrayRef<llvm::Function*> functions) {
  Analyses analyses;
  for (llvm::Function* function : functions)
    llvm::SROAPass(llvm::SROAOptions::PreserveCFG).run(*function, analyses.of_functions());
}

}  // namespace

Result<void> registers_to_values(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 8> with_variables;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (promote(function) && function.getInstructionCount() <= huge) with_variables.push_back(&function);
  }
  if (!with_variables.empty()) take_apart(with_variables);
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* variable = llvm::dyn_cast<AllocaInst>(&instruction); variable && is_register(*variable))
        return Error{fmt::format("the register {} of {} did not become a value",
                                 std::string_view(variable->getName()),
                                 std::string_view(function.getName()))};
  return {};
}

// ---- addresses

namespace {

/// How likely an operand of an address sum is to be the address of an object rather than a distance. After a
/// wrong guess the code is still correct, but the pointer is made from a distance, so that analyses do not
/// know its object.
enum class Likeness : uint8_t { distance, unknown, address };

class AddressSum {
 public:
  explicit AddressSum(Value* address) { split(address); }

  /// The operand that the others are offsets to.
  Value* base() const { return base_; }
  llvm::ArrayRef<Value*> offsets() const { return offsets_; }

 private:
  static constexpr unsigned deepest = 8;

  static Likeness likeness(const Value* value, unsigned depth = 0) {
    using llvm::Instruction;
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return llvm::isa<llvm::Constant>(value) ? Likeness::distance : Likeness::unknown;
    switch (instruction->getOpcode()) {
      case Instruction::Load:
      case Instruction::PtrToInt:
      case Instruction::Call:
        return Likeness::address;
      case Instruction::Mul:
      case Instruction::Shl:
      case Instruction::ZExt:
      case Instruction::SExt:
      case Instruction::And:
      case Instruction::LShr:
      case Instruction::AShr:
        return Likeness::distance;
      case Instruction::Add:
        if (depth == deepest) return Likeness::unknown;
        return std::max(likeness(instruction->getOperand(0), depth + 1),
                        likeness(instruction->getOperand(1), depth + 1));
      default:
        return Likeness::unknown;
    }
  }

  void split(Value* value) {
    for (unsigned depth = 0; depth < deepest; ++depth) {
      auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
      if (!sum || sum->getOpcode() != llvm::Instruction::Add) break;
      const bool swap = likeness(sum->getOperand(1)) > likeness(sum->getOperand(0));
      offsets_.push_back(sum->getOperand(swap ? 0 : 1));
      value = sum->getOperand(swap ? 1 : 0);
    }
    base_ = value;
    // The innermost sum comes first, so that equal beginnings of addresses become equal pointers.
    std::reverse(offsets_.begin(), offsets_.end());
  }

  Value* base_ = nullptr;
  llvm::SmallVector<Value*, 4> offsets_;
};

}  // namespace

void addresses_to_pointers(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction);
      // A sum of fewer bits wraps before it is extended, which offsets to a pointer do not.
      if (!cast || !cast->getOperand(0)->getType()->isIntegerTy(64)) continue;
      const AddressSum sum(cast->getOperand(0));
      if (sum.offsets().empty()) continue;
      llvm::IRBuilder<> ir(cast);
      Value* pointer = ir.CreateIntToPtr(sum.base(), cast->getType());
      for (Value* offset : sum.offsets()) pointer = ir.CreateGEP(ir.getInt8Ty(), pointer, offset);
      cast->replaceAllUsesWith(pointer);
      cast->eraseFromParent();
    }
  }
}

}  // namespace heddle::finalizer
