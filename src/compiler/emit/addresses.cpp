// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// getelementptr and alloca. Sums of addresses stay address expressions, a variable or register and an offset,
// as long as only accesses to memory use them.
#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Operator.h>

#include "compiler/emit/arithmetic.h"
#include "compiler/emit/handlers.h"

namespace heddle::compiler {

namespace {

// Whether a user needs the sum as a value, and not only as an address.
bool needs_value(const llvm::Use& use) {
  const llvm::User* user = use.getUser();
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) return load->getType()->isVoidTy();
  if (llvm::isa<llvm::StoreInst>(user))
    return use.getOperandNo() != llvm::StoreInst::getPointerOperandIndex();
  if (llvm::isa<llvm::AtomicRMWInst>(user))
    return use.getOperandNo() != llvm::AtomicRMWInst::getPointerOperandIndex();
  if (llvm::isa<llvm::AtomicCmpXchgInst>(user)) {
    return use.getOperandNo() != llvm::AtomicCmpXchgInst::getPointerOperandIndex();
  }
  if (llvm::isa<llvm::GetElementPtrInst>(user))
    return use.getOperandNo() != 0 || user->getType()->isVectorTy();
  return true;
}

// An index as a number of `bits` bits; indices are signed.
Scalar index_value(FunctionEmitter& emitter, Scalar index, unsigned width, unsigned bits) {
  Builder& builder = emitter.builder();
  if (index.is_number()) {
    return Scalar::constant(
        static_cast<uint64_t>(static_cast<int64_t>(index.bits << (64 - width)) >> (64 - width)));
  }
  if (width > 64) width = 64;  // the part that `index` is has all bits that addresses have
  if (width > bits) return builder.convert(Type::u32, Type::u64, index);
  const Scalar extended = builder.sign_extended(index, width);
  return bits == 64 && width <= 32 ? builder.convert(Type::s64, Type::s32, extended) : extended;
}

// base + index * scale.
Scalar add_scaled(Builder& builder, Type type, Scalar base, Scalar index, uint64_t scale) {
  const bool has_base = !base.is_number(0);
  if (scale == 1) return has_base ? builder.compute("add", type, {base, index}) : index;
  if (has_base && !std::has_single_bit(scale))
    return builder.compute("mad", type, {index, Scalar::constant(scale), base});
  const Scalar product = std::has_single_bit(scale)
                             ? builder.shift("shl", type, index,
                                             Scalar::constant(static_cast<uint64_t>(std::countr_zero(scale))))
                             : builder.compute("mul", type, {index, Scalar::constant(scale)});
  return has_base ? builder.compute("add", type, {base, product}) : product;
}

// The product that the address alone uses, in the same block; null if the index is none.
const llvm::BinaryOperator* product_of(const llvm::GetElementPtrInst& gep, const llvm::Value& index) {
  const auto* product = llvm::dyn_cast<llvm::BinaryOperator>(&index);
  const bool fits = product != nullptr && product->getOpcode() == llvm::Instruction::Mul &&
                    product->hasOneUse() && product->getParent() == gep.getParent();
  return fits ? product : nullptr;
}

// Adds an index times a size, as a mad if the index is a product itself.
Scalar add_index(FunctionEmitter& emitter, const llvm::GetElementPtrInst& gep, Scalar base,
                 const llvm::Value& index, uint64_t scale, unsigned bits) {
  const Type type = unsigned_type(bits);
  const llvm::BinaryOperator* product = product_of(gep, index);
  if (scale == 1 && product != nullptr && !base.is_number(0) && emitter.width(index.getType()) == bits) {
    return emitter.builder().compute(
        "mad", type,
        {emitter.scalar(*product->getOperand(0)), emitter.scalar(*product->getOperand(1)), base});
  }
  const Scalar value = index_value(emitter, emitter.parts(index)[0], emitter.width(index.getType()), bits);
  return add_scaled(emitter.builder(), type, base, value, scale);
}

void emit_scalar_gep(FunctionEmitter& emitter, const llvm::GetElementPtrInst& gep) {
  Address address = emitter.address(*gep.getPointerOperand());
  const unsigned bits = address_bits(address.segment);
  const unsigned index_bits = emitter.data().getIndexTypeSizeInBits(gep.getType());
  llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> variables;
  llvm::APInt constant(index_bits, 0);
  if (!llvm::cast<llvm::GEPOperator>(gep).collectOffset(emitter.data(), index_bits, variables, constant)) {
    emitter.unsupported(gep, "a getelementptr over a type without a fixed size");
    return;
  }
  address.offset += constant.getSExtValue();
  const Type type = unsigned_type(bits);
  Scalar sum = address.id == no_register ? Scalar::constant(0) : Scalar::in(address.id);
  for (const auto& [variable, scale] : variables)
    sum = add_index(emitter, gep, sum, *variable, scale.getZExtValue(), bits);
  if (!sum.is_number(0)) address.id = emitter.builder().in_register(sum, type);
  emitter.set_address(gep, address);
  if (llvm::any_of(gep.uses(), needs_value)) {
    if (address.segment == Address::Segment::kernarg) {
      emitter.unsupported(gep, "an address of a structure argument that is more than loaded from");
    } else {
      emitter.set(gep, emitter.address_value(address));
    }
  }
}

// What one index of a vector of pointers adds to an address: `amount` times `scale` bytes.
struct Step {
  Scalar amount;
  uint64_t scale;
};

Step step_of(FunctionEmitter& emitter, const llvm::gep_type_iterator& step, Scalar index, unsigned bits) {
  const llvm::DataLayout& data = emitter.data();
  if (llvm::StructType* structure = step.getStructTypeOrNull()) {
    const auto field = static_cast<unsigned>(index.bits);
    return {Scalar::constant(data.getStructLayout(structure)->getElementOffset(field)), 1};
  }
  const uint64_t scale = step.getSequentialElementStride(data);
  const unsigned width = emitter.width(step.getOperand()->getType()->getScalarType());
  const Scalar amount = index_value(emitter, index, width, bits);
  if (amount.is_number()) return {Scalar::constant(amount.bits * scale), 1};
  return {amount, scale};
}

// Vectors of pointers have no address expressions.
void emit_vector_gep(FunctionEmitter& emitter, const llvm::GetElementPtrInst& gep) {
  Builder& builder = emitter.builder();
  const auto lanes = llvm::cast<llvm::FixedVectorType>(gep.getType())->getNumElements();
  const unsigned bits = emitter.width(gep.getType()->getScalarType());
  const Type type = unsigned_type(bits);
  auto lane_of = [&](const llvm::Value& value, unsigned lane) {
    const Parts parts = emitter.parts(value);
    return value.getType()->isVectorTy() ? parts[lane] : parts[0];
  };
  Parts result;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Scalar sum = lane_of(*gep.getPointerOperand(), lane);
    for (auto step = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); step != end; ++step) {
      const auto [amount, scale] = step_of(emitter, step, lane_of(*step.getOperand(), lane), bits);
      if (!amount.is_number(0)) sum = add_scaled(builder, type, sum, amount, scale);
    }
    result.push_back(sum);
  }
  emitter.set(gep, std::move(result));
}

// The bytes of so many elements. What does not fit into 32 bits is more than any private segment has and must
// stay so, because a product that wraps around would be memory that others use.
Scalar bytes_of_array(Builder& builder, Scalar count, unsigned width, uint64_t size) {
  constexpr uint64_t most_bytes = std::numeric_limits<uint32_t>::max();
  const uint64_t most = most_bytes / std::max<uint64_t>(size, 1);
  if (count.is_number()) return Scalar::constant(count.bits > most ? most_bytes : count.bits * size);
  Scalar narrow = count;
  if (width > 32) {
    narrow = builder.convert(Type::u32, Type::u64,
                             builder.compute("min", Type::u64, {count, Scalar::constant(most)}));
  } else if (size > 1) {
    narrow = builder.compute("min", Type::u32, {count, Scalar::constant(most)});
  }
  return size == 1 ? narrow : builder.compute("mul", Type::u32, {narrow, Scalar::constant(size)});
}

}  // namespace

void emit_gep(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& gep = llvm::cast<llvm::GetElementPtrInst>(instruction);
  if (gep.getType()->isVectorTy()) {
    emit_vector_gep(emitter, gep);
  } else {
    emit_scalar_gep(emitter, gep);
  }
}

void emit_alloca(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& variable = llvm::cast<llvm::AllocaInst>(instruction);
  if (variable.getAddressSpace() != 5) {
    emitter.unsupported(instruction, "an alloca outside of the private address space");
    return;
  }
  if (variable.isStaticAlloca()) return;  // a variable of the code block
  if (variable.getAlign().value() > most_alignment)
    return emitter.unsupported(instruction,
                               fmt::format("an alignment of {} bytes", variable.getAlign().value()));
  Builder& builder = emitter.builder();
  const uint64_t size = emitter.data().getTypeAllocSize(variable.getAllocatedType());
  const Scalar count = emitter.scalar(*variable.getArraySize());
  const unsigned width = emitter.width(variable.getArraySize()->getType());
  const Scalar bytes = bytes_of_array(builder, count, width, size);
  const Scalar result = builder.fresh(Type::u32);
  builder.append(fmt::format("alloca_align({})_u32", variable.getAlign().value()),
                 {Operand::definition(result.id, Type::u32), builder.source(bytes, Type::u32)});
  emitter.set(instruction, result);
}

}  // namespace heddle::compiler
