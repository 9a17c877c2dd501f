// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of vectors and structures, which are parts: most of these instructions only rename.
#include "compiler/emit/arithmetic.h"
#include "compiler/emit/handlers.h"

namespace heddle::compiler {

namespace {

size_t parts_of_element(const Layout& vector) { return vector.leaves.empty() ? 1 : vector.leaves[0].parts; }

Parts parts_at(const Parts& parts, size_t element, size_t per_element) {
  const auto* begin = parts.begin() + element * per_element;
  return Parts(begin, begin + per_element);
}

// The number of the first part of an element of a structure or array.
size_t first_part(FunctionEmitter& emitter, llvm::Type* type, llvm::ArrayRef<unsigned> indices) {
  size_t result = 0;
  for (const unsigned index : indices) {
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
      for (unsigned i = 0; i < index; ++i)
        result += emitter.layout(structure->getElementType(i)).parts.size();
      type = structure->getElementType(index);
    } else {
      type = llvm::cast<llvm::ArrayType>(type)->getElementType();
      result += index * emitter.layout(type).parts.size();
    }
  }
  return result;
}

}  // namespace

void emit_select(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& select = llvm::cast<llvm::SelectInst>(instruction);
  const Layout& layout = emitter.layout(select);
  const Parts conditions = emitter.parts(*select.getCondition());
  const Parts if_true = emitter.parts(*select.getTrueValue());
  const Parts if_false = emitter.parts(*select.getFalseValue());
  if (conditions.size() == 1 && !select.getCondition()->getType()->isVectorTy()) {
    emitter.set(select, select_parts(emitter.builder(), conditions[0], layout, if_true, if_false));
    return;
  }
  Parts result;
  const size_t per_element = parts_of_element(layout);
  for (size_t i = 0; i < layout.parts.size(); ++i) {
    result.push_back(
        emitter.builder().select(layout.parts[i], conditions[i / per_element], if_true[i], if_false[i]));
  }
  emitter.set(select, std::move(result));
}

void emit_freeze(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  emitter.set(instruction, emitter.parts(*instruction.getOperand(0)));
}

// An index that is not constant selects among all elements.
void emit_extract_element(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const llvm::Value& vector = *instruction.getOperand(0);
  const Layout& layout = emitter.layout(vector);
  const Parts parts = emitter.parts(vector);
  const Scalar index = emitter.scalar(*instruction.getOperand(1));
  const size_t per_element = parts_of_element(layout);
  const size_t count = layout.parts.size() / per_element;
  if (index.is_number()) {
    emitter.set(instruction, parts_at(parts, index.bits < count ? index.bits : 0, per_element));
    return;
  }
  const Type type = emitter.layout(*instruction.getOperand(1)).parts[0];
  Parts result = parts_at(parts, 0, per_element);
  for (size_t i = 1; i < count; ++i) {
    const Scalar here = emitter.builder().compare("eq", type, index, Scalar::constant(i));
    result = select_parts(emitter.builder(), here, emitter.layout(instruction),
                          parts_at(parts, i, per_element), result);
  }
  emitter.set(instruction, std::move(result));
}

void emit_insert_element(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const Layout& layout = emitter.layout(instruction);
  Parts parts = emitter.parts(*instruction.getOperand(0));
  const Parts inserted = emitter.parts(*instruction.getOperand(1));
  const Scalar index = emitter.scalar(*instruction.getOperand(2));
  const size_t per_element = parts_of_element(layout);
  const size_t count = layout.parts.size() / per_element;
  if (index.is_number()) {
    if (index.bits < count) llvm::copy(inserted, parts.begin() + index.bits * per_element);
    emitter.set(instruction, std::move(parts));
    return;
  }
  const Type type = emitter.layout(*instruction.getOperand(2)).parts[0];
  for (size_t i = 0; i < count; ++i) {
    const Scalar here = emitter.builder().compare("eq", type, index, Scalar::constant(i));
    for (size_t p = 0; p < per_element; ++p) {
      Scalar& part = parts[i * per_element + p];
      part = emitter.builder().select(layout.parts[p], here, inserted[p], part);
    }
  }
  emitter.set(instruction, std::move(parts));
}

void emit_shuffle(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& shuffle = llvm::cast<llvm::ShuffleVectorInst>(instruction);
  const Layout& from = emitter.layout(*shuffle.getOperand(0));
  Parts all = emitter.parts(*shuffle.getOperand(0));
  all.append(emitter.parts(*shuffle.getOperand(1)));
  const size_t per_element = parts_of_element(from);
  Parts result;
  for (const int index : shuffle.getShuffleMask()) {
    // An element that may be anything is zero.
    if (index < 0) {
      result.append(per_element, Scalar::constant(0));
    } else {
      result.append(parts_at(all, static_cast<size_t>(index), per_element));
    }
  }
  emitter.set(instruction, std::move(result));
}

void emit_extract_value(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& extract = llvm::cast<llvm::ExtractValueInst>(instruction);
  const Parts parts = emitter.parts(*extract.getAggregateOperand());
  const size_t first = first_part(emitter, extract.getAggregateOperand()->getType(), extract.getIndices());
  const auto* begin = parts.begin() + first;
  emitter.set(instruction, Parts(begin, begin + emitter.layout(instruction).parts.size()));
}

void emit_insert_value(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& insert = llvm::cast<llvm::InsertValueInst>(instruction);
  Parts parts = emitter.parts(*insert.getAggregateOperand());
  const size_t first = first_part(emitter, insert.getType(), insert.getIndices());
  llvm::copy(emitter.parts(*insert.getInsertedValueOperand()), parts.begin() + first);
  emitter.set(instruction, std::move(parts));
}

}  // namespace heddle::compiler
