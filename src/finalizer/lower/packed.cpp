// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed values (PRM 4.14, 5.9) as LLVM vectors: one vector operation for one instruction.
#include <cassert>
#include <numeric>

#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

/// What a packing control asks for: which sources use their low element for all elements, and whether only
/// the low element of the destination is computed.
struct Control {
  bool low[2];
  bool only_low;
  bool saturate;
};

Control control_of(unsigned pack) {
  switch (pack) {
    case HSA_BRIG_PACK_PS:
      return {{false, true}, false, false};
    case HSA_BRIG_PACK_SP:
      return {{true, false}, false, false};
    case HSA_BRIG_PACK_SS:
    case HSA_BRIG_PACK_S:
      return {{true, true}, true, false};
    case HSA_BRIG_PACK_PPSAT:
      return {{false, false}, false, true};
    case HSA_BRIG_PACK_PSSAT:
      return {{false, true}, false, true};
    case HSA_BRIG_PACK_SPSAT:
      return {{true, false}, false, true};
    case HSA_BRIG_PACK_SSSAT:
    case HSA_BRIG_PACK_SSAT:
      return {{true, true}, true, true};
    case HSA_BRIG_PACK_PSAT:
      return {{false, false}, false, true};
    default:
      return {{false, false}, false, false};
  }
}

/// Returns the packed type of a source operand, or the scalar type of one that all elements share.
isa::Type source_type(const Instruction& i, unsigned index) {
  switch (i.opcode()) {
    case HSA_BRIG_OPCODE_CVT:
    case HSA_BRIG_OPCODE_CMP:
      return i.source_type();
    case HSA_BRIG_OPCODE_SHL:
    case HSA_BRIG_OPCODE_SHR:
      return index == 2 ? isa::Type{HSA_BRIG_TYPE_U32} : i.type();
    case HSA_BRIG_OPCODE_CMOV:
      return index == 1 ? isa::as_unsigned(i.type()) : i.type();
    default:
      return i.type();
  }
}

unsigned element_bits(isa::Type packed) { return isa::bit_size(isa::base_type(packed)); }

unsigned element_count(llvm::Value* vector) {
  return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

/// Repeats the low element in all elements.
llvm::Value* low_element(F& f, llvm::Value* vector) {
  return f.ir().CreateShuffleVector(vector, llvm::SmallVector<int, 16>(element_count(vector), 0));
}

// ---- rearrangement

/// Takes the lower half of the result from the first source and the upper half from the second. A selector
/// chooses each element.
void lower_shuffle(F& f, const Instruction& i) {
  const unsigned count = isa::packed_dimension(i.type());
  uint64_t selectors = llvm::cast<llvm::ConstantInt>(f.source(i, 3, HSA_BRIG_TYPE_B32))->getZExtValue();
  llvm::SmallVector<int, 16> chosen;
  for (unsigned n = 0; n < count; ++n, selectors /= count)
    chosen.push_back(static_cast<int>(selectors % count + (n < count / 2 ? 0 : count)));
  f.set(i, f.ir().CreateShuffleVector(f.source(i, 1), f.source(i, 2), chosen));
}

template <bool upper>
void lower_unpack_half(F& f, const Instruction& i) {
  const unsigned count = isa::packed_dimension(i.type());
  llvm::SmallVector<int, 16> chosen;
  for (unsigned n = 0; n < count; ++n)
    chosen.push_back(static_cast<int>(n / 2 + (upper ? count / 2 : 0) + (n % 2 == 0 ? 0 : count)));
  f.set(i, f.ir().CreateShuffleVector(f.source(i, 1), f.source(i, 2), chosen));
}

/// Returns the index of the element that an operand names; indices count modulo the number of elements.
llvm::Value* element_index(F& f, const Instruction& i, unsigned index, isa::Type packed) {
  return f.ir().CreateAnd(f.source(i, index, HSA_BRIG_TYPE_U32), f.i32(isa::packed_dimension(packed) - 1));
}

/// Replaces one element by the low bits of a scalar.
void lower_pack(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* packed = f.as_bits(f.source(i, 1));
  auto* type = llvm::cast<llvm::FixedVectorType>(packed->getType());
  const unsigned count = type->getNumElements();
  llvm::Value* scalar = ir.CreateTrunc(f.as_bits(f.source(i, 2, i.source_type())), type->getElementType());
  llvm::Value* index = element_index(f, i, 3, i.type());
  if (llvm::isa<llvm::Constant>(index)) return f.set(i, ir.CreateInsertElement(packed, scalar, index));
  // insertelement at an index that is not constant goes through memory on many targets.
  llvm::SmallVector<llvm::Constant*, 16> numbers;
  for (unsigned n = 0; n < count; ++n) numbers.push_back(llvm::ConstantInt::get(type->getElementType(), n));
  llvm::Value* wanted = ir.CreateVectorSplat(count, ir.CreateZExtOrTrunc(index, type->getElementType()));
  llvm::Value* here = ir.CreateICmpEQ(wanted, llvm::ConstantVector::get(numbers));
  f.set(i, ir.CreateSelect(here, ir.CreateVectorSplat(count, scalar), packed));
}

/// Extracts one element. A shift does it if all elements fit a general register, because extractelement goes
/// through memory on many targets unless the index is constant.
llvm::Value* chosen_element(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const isa::Type packed = i.source_type();
  llvm::Value* elements = f.as_bits(f.source(i, 1, packed));
  llvm::Value* index = element_index(f, i, 2, packed);
  if (llvm::isa<llvm::Constant>(index) || isa::bit_size(packed) > 64)
    return ir.CreateExtractElement(elements, index);
  llvm::Value* all = ir.CreateBitCast(elements, f.bits_type(packed));
  llvm::Value* position = ir.CreateMul(index, f.i32(element_bits(packed)));
  all = ir.CreateLShr(all, ir.CreateZExt(position, all->getType()));
  return ir.CreateTrunc(all, ir.getIntNTy(element_bits(packed)));
}

void lower_unpack(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* bits = chosen_element(f, i);
  // Elements of 8 and 16 bits are sign- or zero-extended to integers of 32 bits; f16 keeps its bits.
  auto* type = f.bits_type(i.type());
  f.set(i, isa::is_signed(i.type()) ? ir.CreateSExt(bits, type) : ir.CreateZExt(bits, type));
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_SHUFFLE, lower_shuffle},
    {HSA_BRIG_OPCODE_UNPACKLO, lower_unpack_half<false>},
    {HSA_BRIG_OPCODE_UNPACKHI, lower_unpack_half<true>},
    {HSA_BRIG_OPCODE_PACK, lower_pack},
    {HSA_BRIG_OPCODE_UNPACK, lower_unpack},
};

}  // namespace

bool is_elementwise(const Instruction& i) {
  if (!isa::is_packed(i.type())) return false;
  switch (i.opcode()) {
    case HSA_BRIG_OPCODE_ABS:
    case HSA_BRIG_OPCODE_ADD:
    case HSA_BRIG_OPCODE_CEIL:
    case HSA_BRIG_OPCODE_COPYSIGN:
    case HSA_BRIG_OPCODE_DIV:
    case HSA_BRIG_OPCODE_FLOOR:
    case HSA_BRIG_OPCODE_FRACT:
    case HSA_BRIG_OPCODE_MAX:
    case HSA_BRIG_OPCODE_MIN:
    case HSA_BRIG_OPCODE_MUL:
    case HSA_BRIG_OPCODE_MULHI:
    case HSA_BRIG_OPCODE_NEG:
    case HSA_BRIG_OPCODE_RINT:
    case HSA_BRIG_OPCODE_SQRT:
    case HSA_BRIG_OPCODE_SUB:
    case HSA_BRIG_OPCODE_TRUNC:
    case HSA_BRIG_OPCODE_SHL:
    case HSA_BRIG_OPCODE_SHR:
    case HSA_BRIG_OPCODE_CMOV:
    case HSA_BRIG_OPCODE_CMP:
    case HSA_BRIG_OPCODE_CVT:
      return true;
    default:
      return false;
  }
}

namespace {

/// Returns the instruction with the types of its elements and without packing control, as the lowering of the
/// scalar form expects it.
Instruction element_form(const Instruction& i, const Control& control, PackedOperands& packed) {
  Instruction form = i;
  form.packed = &packed;
  form.fields[isa::Field::type] = isa::base_type(i.type());
  form.fields[isa::Field::pack] = HSA_BRIG_PACK_NONE;
  if (i.source_type() != HSA_BRIG_TYPE_NONE)
    form.fields[isa::Field::source_type] = isa::base_type(i.source_type());
  if (control.saturate) form.fields[isa::Field::sat] = 1;
  return form;
}

/// Returns the instruction for one element of its vectors.
Instruction one_element(F& f, const Instruction& form, unsigned number, PackedOperands& element) {
  for (size_t k = 0; k < element.sources.size(); ++k)
    if (llvm::Value* vector = form.packed->sources[k])
      element.sources[k] = f.ir().CreateExtractElement(vector, number);
  Instruction one = form;
  one.packed = &element;
  return one;
}

void check_exceptions(F& f, const Instruction& form, unsigned count) {
  if (!f.checks_exceptions()) return;
  for (unsigned n = 0; n < count; ++n) {
    PackedOperands element;
    f.check_exceptions(one_element(f, form, n, element));
  }
}

/// Computes only the low element of the result; the others keep the values that the destination had.
llvm::Value* lower_low_element(F& f, const Instruction& form, llvm::Value* old, Lowering scalar) {
  if (isa::is_float(form.type())) {  // unused quotients and roots would take time
    PackedOperands element;
    scalar(f, one_element(f, form, 0, element));
    return f.ir().CreateInsertElement(old, f.as_bits(element.result), uint64_t{0});
  }
  scalar(f, form);
  llvm::SmallVector<int, 16> chosen(element_count(old));
  std::iota(chosen.begin(), chosen.end(), 0);
  chosen[0] = static_cast<int>(element_count(old));
  return f.ir().CreateShuffleVector(old, f.as_bits(form.packed->result), chosen);
}

}  // namespace

void lower_packed(F& f, const Instruction& i, Lowering scalar) {
  const Control control = control_of(i[isa::Field::pack]);
  PackedOperands packed;
  assert(i.operands.size() <= packed.sources.size());
  const Instruction form = element_form(i, control, packed);
  for (unsigned k = 1; k < i.operands.size(); ++k) {
    if (!isa::is_packed(source_type(i, k))) continue;
    packed.sources[k] = f.source(i.operands[k], source_type(i, k));
    if (!control.only_low && k <= 2 && control.low[k - 1])
      packed.sources[k] = low_element(f, packed.sources[k]);
  }
  check_exceptions(f, form, control.only_low ? 1 : isa::packed_dimension(i.type()));
  if (control.only_low) {
    llvm::Value* old = f.as_bits(f.source(i.operands[0], i.type()));
    packed.result = lower_low_element(f, form, old, scalar);
  } else {
    scalar(f, form);
  }
  assert(packed.result && "the lowering of the scalar form sets a result");
  f.set(i.operands[0], packed.result, i.type());
}

std::span<const LoweringEntry> packed_lowerings() { return entries; }

}  // namespace heddle::finalizer
