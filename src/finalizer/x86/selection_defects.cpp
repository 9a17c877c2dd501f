// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/selection_defects.h"

#include <optional>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "finalizer/vectors.h"

namespace heddle::finalizer::x86 {
namespace {

using llvm::Value;
using namespace llvm::PatternMatch;

/// Returns the number of the only element of a constant mask that is true.
std::optional<unsigned> only_active_element(const Value* mask) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  if (!constant) return std::nullopt;
  std::optional<unsigned> found;
  const unsigned length = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  for (unsigned n = 0; n < length; ++n) {
    const llvm::Constant* element = constant->getAggregateElement(n);
    if (!element || (!element->isOneValue() && !element->isNullValue())) return std::nullopt;
    if (element->isNullValue()) continue;
    if (found) return std::nullopt;
    found = n;
  }
  return found;
}

/// Replaces a masked store of one element, which is known in advance, by an ordinary store of it.
bool store_the_only_element(llvm::IntrinsicInst& store) {
  if (store.getIntrinsicID() != llvm::Intrinsic::masked_store) return false;
  const auto active = only_active_element(store.getArgOperand(2));
  if (!active) return false;
  Value* vector = store.getArgOperand(0);
  Value* place = store.getArgOperand(1);
  llvm::IRBuilder<> ir(&store);
  Value* element = ir.CreateExtractElement(vector, *active);
  const uint64_t offset =
      *active * store.getDataLayout().getTypeStoreSize(element->getType()).getFixedValue();
  const llvm::Align alignment = llvm::commonAlignment(store.getParamAlign(1).valueOrOne(), offset);
  auto* made =
      ir.CreateAlignedStore(element, ir.CreateConstGEP1_64(ir.getInt8Ty(), place, offset), alignment);
  made->copyMetadata(store);
  store.eraseFromParent();
  return true;
}

/// Returns a copy of a value of one register, a vector or a floating-point number.
Value* conceal_register(llvm::IRBuilder<>& ir, Value* value) {
  llvm::Type* type = value->getType();
  auto* signature = llvm::FunctionType::get(type, {type}, false);
  return ir.CreateCall(llvm::InlineAsm::get(signature, "", "=v,0", /*hasSideEffects=*/false), {value});
}

/// Returns a copy of the value of whose origin instruction selection knows nothing. It costs no instruction.
Value* conceal(llvm::IRBuilder<>& ir, Value* vector, Level level) {
  if (!vector->getType()->isVectorTy()) return conceal_register(ir, vector);
  const unsigned bits = vector->getType()->getScalarSizeInBits();
  const unsigned longest = level == Level::v4 ? 512 : level == Level::v3 ? 256 : 128;
  return in_pieces(ir, {vector}, {128 / bits, longest / bits},
                   [&](llvm::ArrayRef<Value*> piece) { return conceal_register(ir, piece.front()); });
}

/// Keeps a square root apart from a `select` that takes a NaN instead of it.
bool conceal_square_root(llvm::SelectInst& select, Level level) {
  for (unsigned arm : {1u, 2u}) {
    if (!match(select.getOperand(arm), m_Intrinsic<llvm::Intrinsic::sqrt>()) ||
        !match(select.getOperand(3 - arm), m_NaN()))
      continue;
    llvm::IRBuilder<> ir(&select);
    select.setOperand(arm, conceal(ir, select.getOperand(arm), level));
    return true;
  }
  return false;
}

/// Reports whether a value, which is perhaps seen as another type, is made by an `or` of vectors.
bool is_disjunction(const Value* value) {
  while (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value)) value = cast->getOperand(0);
  return value->getType()->isVectorTy() && match(value, m_Or(m_Value(), m_Value()));
}

/// Reports whether VPTERNLOG under a mask has a form for these elements.
bool has_masked_logic(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector && (vector->getElementType()->isIntegerTy(32) || vector->getElementType()->isIntegerTy(64));
}

/// Keeps an arm of a `select` that is made by `or` apart from the `select`. Which of these have the form that
/// is translated wrongly is decided by rules inside of instruction selection, so all of them count. The
/// others lose one instruction at most. An arm beside a constant is not affected: the defect needs a register
/// that is both an operand of the `or` and the other arm.
bool conceal_disjunctions(llvm::SelectInst& select, Level level) {
  if (!select.getCondition()->getType()->isVectorTy() || !has_masked_logic(select.getType())) return false;
  bool changed = false;
  for (unsigned arm : {1u, 2u}) {
    Value* value = select.getOperand(arm);
    if (!is_disjunction(value) || llvm::isa<llvm::Constant>(select.getOperand(3 - arm))) continue;
    llvm::IRBuilder<> ir(&select);
    select.setOperand(arm, conceal(ir, value, level));
    changed = true;
  }
  return changed;
}

/// Keeps the truncation of a shifted product apart from the product.
bool conceal_shifted_product(llvm::TruncInst& truncation, Level level) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(truncation.getType());
  const llvm::APInt* distance = nullptr;
  Value* shifted = truncation.getOperand(0);
  // Longer integers are no elements of vectors when instructions are selected.
  if (!type || shifted->getType()->getScalarSizeInBits() > 64 || !type->getElementType()->isIntegerTy(16) ||
      !match(shifted, m_Shr(m_Mul(m_Value(), m_Value()), m_APInt(distance))) || distance->ult(32))
    return false;
  llvm::IRBuilder<> ir(&truncation);
  truncation.setOperand(0, conceal(ir, shifted, level));
  return true;
}

}  // namespace

bool avoid_selection_defects(llvm::Function& function, Level level) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto* truncation = llvm::dyn_cast<llvm::TruncInst>(&instruction))
      changed |= conceal_shifted_product(*truncation, level);
    auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (select) changed |= conceal_square_root(*select, level);
    if (level != Level::v4) continue;
    if (select)
      changed |= conceal_disjunctions(*select, level);
    else if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      changed |= store_the_only_element(*call);
  }
  return changed;
}

}  // namespace heddle::finalizer::x86
