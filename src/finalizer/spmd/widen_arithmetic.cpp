// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/widen_arithmetic.h"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstVisitor.h>
#include <llvm/IR/PatternMatch.h>

#include "finalizer/spmd/speculation.h"
#include "finalizer/spmd/transpose.h"
#include "finalizer/spmd/widen_division.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::Instruction;
using llvm::Value;
namespace match = llvm::PatternMatch;

// InstVisitor finds the functions of the derived class by their names, which hide its own.
// NOLINTBEGIN(bugprone-derived-method-shadowing-base-method)
class ArithmeticRules : public llvm::InstVisitor<ArithmeticRules> {
 public:
  explicit ArithmeticRules(Widening& widening) : w_(widening), ir_(widening.ir()) {}

  void visitUnaryOperator(llvm::UnaryOperator& i);
  void visitBinaryOperator(llvm::BinaryOperator& i);
  void visitCmpInst(llvm::CmpInst& i);
  void visitCastInst(llvm::CastInst& i);
  void visitSelectInst(llvm::SelectInst& i);
  void visitFreezeInst(llvm::FreezeInst& i);
  void visitGetElementPtrInst(llvm::GetElementPtrInst& i);
  void visitExtractElementInst(llvm::ExtractElementInst& i);
  void visitInsertElementInst(llvm::InsertElementInst& i);
  void visitShuffleVectorInst(llvm::ShuffleVectorInst& i);
  void visitInstruction(Instruction& i);

 private:
  using CreatePart = llvm::function_ref<Value*(unsigned part)>;

  static bool is_truth(const Value& value) { return value.getType()->isIntegerTy(1); }
  void set(Instruction& i, CreatePart create);
  void set_masks(Instruction& i, CreatePart create);
  void bitwise(llvm::BinaryOperator& i);
  void select_masks(llvm::SelectInst& i);

  Widening& w_;
  llvm::IRBuilder<>& ir_;
};
// NOLINTEND(bugprone-derived-method-shadowing-base-method)

/// Sets the result of an instruction, part by part, with its flags.
void ArithmeticRules::set(Instruction& i, CreatePart create) {
  Parts parts;
  for (unsigned p = 0; p < w_.wave().parts(); ++p) {
    Value* part = create(p);
    // Without the check, folding may have made something else that must not get the flags.
    if (auto* made = llvm::dyn_cast<Instruction>(part); made && made->getOpcode() == i.getOpcode())
      made->copyIRFlags(&i);
    parts.push_back(part);
  }
  w_.set_parts(i, parts);
}

void ArithmeticRules::set_masks(Instruction& i, CreatePart create) {
  Parts parts;
  for (unsigned p = 0; p < w_.wave().parts(); ++p) parts.push_back(create(p));
  w_.set_mask(i, parts);
}

void ArithmeticRules::visitInstruction(Instruction& i) {
  if (is_speculatable(i) && LaneMemory::can_keep(*i.getType()) && !i.getType()->isAggregateType())
    return w_.create_for_all_lanes(i);
  w_.refuse(i, "there is no vector form of an instruction");
}

void ArithmeticRules::visitUnaryOperator(llvm::UnaryOperator& i) {
  const Parts a = w_.parts(*i.getOperand(0));
  set(i, [&](unsigned p) { return ir_.CreateUnOp(i.getOpcode(), a[p]); });
}

void ArithmeticRules::bitwise(llvm::BinaryOperator& i) {
  const Parts a = w_.mask(*i.getOperand(0)), b = w_.mask(*i.getOperand(1));
  set_masks(i, [&](unsigned p) { return ir_.CreateBinOp(i.getOpcode(), a[p], b[p]); });
}

void ArithmeticRules::visitBinaryOperator(llvm::BinaryOperator& i) {
  if (is_truth(i) && i.isBitwiseLogicOp()) return bitwise(i);
  if (i.isIntDivRem()) return widen_division(w_, i);
  const Parts a = w_.parts(*i.getOperand(0)), b = w_.parts(*i.getOperand(1));
  set(i, [&](unsigned p) { return ir_.CreateBinOp(i.getOpcode(), a[p], b[p]); });
}

void ArithmeticRules::visitCmpInst(llvm::CmpInst& i) {
  const Parts a = w_.parts(*i.getOperand(0)), b = w_.parts(*i.getOperand(1));
  set(i, [&](unsigned p) { return ir_.CreateCmp(i.getPredicate(), a[p], b[p]); });
}

void ArithmeticRules::visitCastInst(llvm::CastInst& i) {
  const Parts a = w_.parts(*i.getOperand(0));
  llvm::Type* type = part_type(*i.getType(), w_.wave());
  set(i, [&](unsigned p) { return ir_.CreateCast(i.getOpcode(), a[p], type); });
}

void ArithmeticRules::visitFreezeInst(llvm::FreezeInst& i) {
  if (is_truth(i)) {
    const Parts a = w_.mask(*i.getOperand(0));
    return set_masks(i, [&](unsigned p) { return ir_.CreateFreeze(a[p]); });
  }
  const Parts a = w_.parts(*i.getOperand(0));
  set(i, [&](unsigned p) { return ir_.CreateFreeze(a[p]); });
}

// ---- select

void ArithmeticRules::select_masks(llvm::SelectInst& i) {
  const Parts a = w_.mask(*i.getTrueValue());
  const bool is_restriction = match::match(i.getFalseValue(), match::m_Zero());
  if (w_.is_uniform(*i.getCondition())) {
    const Parts b = w_.mask(*i.getFalseValue());
    Value* condition = w_.scalar(*i.getCondition());
    return set_masks(i, [&](unsigned p) { return ir_.CreateSelect(condition, a[p], b[p]); });
  }
  if (is_restriction) {
    const Parts mask = w_.mask(*i.getCondition());
    return set_masks(i, [&](unsigned p) { return w_.masks().restricted(ir_, mask[p], a[p]); });
  }
  const Parts b = w_.mask(*i.getFalseValue()), condition = w_.parts(*i.getCondition());
  set_masks(i, [&](unsigned p) { return ir_.CreateSelect(condition[p], a[p], b[p]); });
}

void ArithmeticRules::visitSelectInst(llvm::SelectInst& i) {
  if (is_truth(i)) return select_masks(i);
  const Parts a = w_.parts(*i.getTrueValue()), b = w_.parts(*i.getFalseValue());
  const Value& condition = *i.getCondition();
  if (w_.is_uniform(condition) && is_truth(condition)) {
    Value* scalar = w_.scalar(condition);
    return set(i, [&](unsigned p) { return ir_.CreateSelect(scalar, a[p], b[p]); });
  }
  const Parts conditions = w_.parts(condition);
  const unsigned repeat = is_truth(condition) ? elements_of(*i.getType()) : 1;
  set(i,
      [&](unsigned p) { return ir_.CreateSelect(create_repeated(ir_, conditions[p], repeat), a[p], b[p]); });
}

// ---- addresses

void ArithmeticRules::visitGetElementPtrInst(llvm::GetElementPtrInst& i) {
  const auto is_vector = [](const Value* value) { return value->getType()->isVectorTy(); };
  if (llvm::any_of(i.operands(), is_vector)) return w_.refuse(i, "a lane has a vector of addresses");
  llvm::SmallVector<Parts, 4> operands;
  for (const Value* value : i.operands())
    operands.push_back(w_.is_uniform(*value) ? Parts(w_.wave().parts(), w_.scalar(*value))
                                             : w_.parts(*value));
  set(i, [&](unsigned p) {
    llvm::SmallVector<Value*, 4> indices;
    for (const Parts& index : llvm::drop_begin(operands)) indices.push_back(index[p]);
    Value* made =
        ir_.CreateGEP(i.getSourceElementType(), operands.front()[p], indices, "", i.getNoWrapFlags());
    return made->getType()->isVectorTy() ? made : create_splat(ir_, made, w_.wave());
  });
}

// ---- vectors that a lane has

void ArithmeticRules::visitExtractElementInst(llvm::ExtractElementInst& i) {
  const auto* index = llvm::dyn_cast<llvm::ConstantInt>(i.getIndexOperand());
  const unsigned elements = elements_of(*i.getVectorOperandType());
  if (!index || index->uge(elements)) return w_.create_for_all_lanes(i);
  const auto first = static_cast<unsigned>(index->getZExtValue());
  const Parts a = w_.parts(*i.getVectorOperand());
  set(i, [&](unsigned p) { return create_element_of_lanes(ir_, a[p], first, w_.wave()); });
}

void ArithmeticRules::visitInsertElementInst(llvm::InsertElementInst& i) {
  const auto* index = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(2));
  const unsigned elements = elements_of(*i.getType()), lanes = w_.wave().part_lanes;
  if (!index || index->uge(elements)) return w_.create_for_all_lanes(i);
  const Parts a = w_.parts(*i.getOperand(0)), b = w_.parts(*i.getOperand(1));
  llvm::SmallVector<int, 64> longer(lanes * elements, llvm::PoisonMaskElem), places;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    longer[lane] = static_cast<int>(lane);
    for (unsigned e = 0; e < elements; ++e)
      places.push_back(
          static_cast<int>(e == index->getZExtValue() ? lanes * elements + lane : lane * elements + e));
  }
  set(i, [&](unsigned p) {
    return ir_.CreateShuffleVector(a[p], ir_.CreateShuffleVector(b[p], longer), places);
  });
}

void ArithmeticRules::visitShuffleVectorInst(llvm::ShuffleVectorInst& i) {
  const auto elements = static_cast<int>(elements_of(*i.getOperand(0)->getType()));
  const auto lanes = static_cast<int>(w_.wave().part_lanes);
  const Parts a = w_.parts(*i.getOperand(0)), b = w_.parts(*i.getOperand(1));
  llvm::SmallVector<int, 64> places;
  for (int lane = 0; lane < lanes; ++lane)
    for (const int from : i.getShuffleMask()) {
      const int second = from < elements ? 0 : (lanes - 1) * elements;
      places.push_back(from < 0 ? llvm::PoisonMaskElem : lane * elements + from + second);
    }
  set(i, [&](unsigned p) { return ir_.CreateShuffleVector(a[p], b[p], places); });
}

}  // namespace

void widen_arithmetic(Widening& widening, const Instruction& instruction) {
  // The visitor takes instructions that it may change; these rules do not.
  ArithmeticRules(widening).visit(const_cast<Instruction&>(instruction));
}

}  // namespace heddle::finalizer::spmd
