// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed values (PRM 4.14, 5.10): element by element; LLVM finds the vectors again.
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

/// What a packing control asks for: which sources give their low element for all, and whether only the low
/// element of the destination is computed.
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
      return {{true, true}, true, false};
    case HSA_BRIG_PACK_S:
      return {{true, true}, true, false};
    case HSA_BRIG_PACK_PPSAT:
      return {{false, false}, false, true};
    case HSA_BRIG_PACK_PSSAT:
      return {{false, true}, false, true};
    case HSA_BRIG_PACK_SPSAT:
      return {{true, false}, false, true};
    case HSA_BRIG_PACK_SSSAT:
      return {{true, true}, true, true};
    case HSA_BRIG_PACK_SSAT:
      return {{true, true}, true, true};
    case HSA_BRIG_PACK_PSAT:
      return {{false, false}, false, true};
    default:
      return {{false, false}, false, false};
  }
}

llvm::Value* element(F& f, llvm::Value* packed, unsigned index, unsigned bits) {
  auto& ir = f.ir();
  return ir.CreateTrunc(ir.CreateLShr(packed, uint64_t{index} * bits), ir.getIntNTy(bits));
}

/// Gathers elements to a packed value, lowest first.
class Assembly {
 public:
  Assembly(F& f, isa::Type type) : f_(f), all_(llvm::ConstantInt::get(f.bits_type(type), 0)) {}
  void add(llvm::Value* bits) {
    auto& ir = f_.ir();
    const unsigned size = bits->getType()->getIntegerBitWidth();
    all_ = ir.CreateOr(all_, ir.CreateShl(ir.CreateZExt(bits, all_->getType()), at_));
    at_ += size;
  }
  llvm::Value* value() const { return all_; }

 private:
  F& f_;
  llvm::Value* all_;
  uint64_t at_ = 0;
};

/// The packed type of each source operand, or the scalar type that all elements share.
isa::Type source_type(const Instruction& i, unsigned index) {
  switch (i.opcode()) {
    case HSA_BRIG_OPCODE_CVT:
    case HSA_BRIG_OPCODE_CMP:
      return i.source_type();
    case HSA_BRIG_OPCODE_SHL:
    case HSA_BRIG_OPCODE_SHR:
      return index == 2 ? isa::Type{HSA_BRIG_TYPE_U32} : i.type();
    default:
      return i.type();
  }
}

unsigned element_bits(isa::Type packed) { return isa::bit_size(isa::base_type(packed)); }

// ---- rearrangement

/// The lower half of the result from the first source, the upper one from the second, each as its selector
/// says.
void lower_shuffle(F& f, const Instruction& i) {
  const unsigned count = isa::packed_dimension(i.type()), bits = element_bits(i.type());
  llvm::Value* sources[] = {f.source(i, 1), f.source(i, 2)};
  uint64_t selectors = llvm::cast<llvm::ConstantInt>(f.source(i, 3, HSA_BRIG_TYPE_B32))->getZExtValue();
  Assembly result(f, i.type());
  for (unsigned n = 0; n < count; ++n, selectors /= count)
    result.add(element(f, sources[n / (count / 2)], selectors % count, bits));
  f.set(i, result.value());
}

template <bool upper>
void lower_unpack_half(F& f, const Instruction& i) {
  const unsigned count = isa::packed_dimension(i.type()), bits = element_bits(i.type());
  llvm::Value* sources[] = {f.source(i, 1), f.source(i, 2)};
  Assembly result(f, i.type());
  for (unsigned n = 0; n < count; ++n)
    result.add(element(f, sources[n % 2], n / 2 + (upper ? count / 2 : 0), bits));
  f.set(i, result.value());
}

/// Bit position of the element that an index operand names; indices count modulo the number of elements.
llvm::Value* position(F& f, const Instruction& i, unsigned index, isa::Type packed) {
  auto& ir = f.ir();
  auto* type = f.bits_type(packed);
  llvm::Value* number =
      ir.CreateAnd(f.source(i, index, HSA_BRIG_TYPE_U32), f.i32(isa::packed_dimension(packed) - 1));
  return ir.CreateMul(ir.CreateZExtOrTrunc(number, type), llvm::ConstantInt::get(type, element_bits(packed)));
}

/// Replaces one element by the low bits of a scalar.
void lower_pack(F& f, const Instruction& i) {
  auto& ir = f.ir();
  auto* type = f.bits_type(i.type());
  const unsigned bits = element_bits(i.type());
  llvm::Value* at = position(f, i, 3, i.type());
  llvm::Value* scalar = ir.CreateTrunc(f.as_bits(f.source(i, 2, i.source_type())), ir.getIntNTy(bits));
  auto* ones = llvm::ConstantInt::get(type, llvm::APInt::getLowBitsSet(type->getBitWidth(), bits));
  llvm::Value* kept = ir.CreateAnd(f.source(i, 1), ir.CreateNot(ir.CreateShl(ones, at)));
  f.set(i, ir.CreateOr(kept, ir.CreateShl(ir.CreateZExt(scalar, type), at)));
}

void lower_unpack(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* at = position(f, i, 2, i.source_type());
  llvm::Value* shifted = ir.CreateLShr(f.source(i, 1, i.source_type()), at);
  llvm::Value* bits = ir.CreateTrunc(shifted, ir.getIntNTy(element_bits(i.source_type())));
  // Elements of 8 and 16 bits become integers of 32 by their signedness; f16 keeps its bits.
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

void lower_elements(F& f, const Instruction& i, Lowering scalar) {
  const unsigned pack = i[isa::Field::pack];
  const Control control = control_of(pack);
  const unsigned count = isa::packed_dimension(i.type());
  const unsigned bits = element_bits(i.type());

  Element one;
  Instruction single = i;
  single.element = &one;
  single.fields[isa::Field::type] = isa::base_type(i.type());
  single.fields[isa::Field::pack] = HSA_BRIG_PACK_NONE;
  if (i.source_type() != HSA_BRIG_TYPE_NONE)
    single.fields[isa::Field::source_type] = isa::base_type(i.source_type());
  if (control.saturate) single.fields[isa::Field::sat] = 1;

  std::array<llvm::Value*, 5> sources = {};
  for (unsigned n = 1; n < i.operands.size(); ++n)
    if (isa::is_packed(source_type(i, n))) sources[n] = f.source(i.operands[n], source_type(i, n));
  // With a control that computes the low element alone, the others keep what the destination had.
  llvm::Value* old = control.only_low ? f.source(i.operands[0], i.type()) : nullptr;

  Assembly result(f, i.type());
  for (unsigned n = 0; n < count; ++n) {
    if (control.only_low && n > 0) {
      result.add(element(f, old, n, bits));
      continue;
    }
    for (unsigned k = 1; k < i.operands.size(); ++k) {
      if (!sources[k]) continue;
      const bool low = k <= 2 && control.low[k - 1];
      one.sources[k] = element(f, sources[k], low ? 0 : n, element_bits(source_type(i, k)));
    }
    f.check_exceptions(single);
    scalar(f, single);
    result.add(one.result);
  }
  f.set(i.operands[0], result.value(), i.type());
}

std::span<const LoweringEntry> packed_lowerings() { return entries; }

}  // namespace heddle::finalizer
