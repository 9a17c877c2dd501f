// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/layout.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/Support/MathExtras.h>

namespace heddle::compiler {

namespace {

/// The longest integers, so that products of them have a sensible length. LLVM makes integers of as many bits
/// as the vectors of sources have.
constexpr unsigned most_bits = 4096;

/// Flat, global, group, constant and private memory. The other address spaces of AMD have no segment.
bool has_segment(const llvm::Type& pointer) {
  const unsigned space = pointer.getPointerAddressSpace();
  return space == 0 || space == 1 || space == 3 || space == 4 || space == 5;
}

}  // namespace

const Layout& Layouts::of(llvm::Type* type) {
  std::unique_ptr<Layout>& entry = layouts_[type];
  if (entry) return *entry;
  auto layout = std::make_unique<Layout>();
  add(type, 0, *layout);
  // The recursion does not come back to this map.
  entry = std::move(layout);
  return *entry;
}

void Layouts::add(llvm::Type* type, uint64_t offset, Layout& layout) {
  if (type->isVoidTy()) return;
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* places = data_.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      add(structure->getElementType(i), offset + places->getElementOffset(i), layout);
    }
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const uint64_t stride = data_.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      add(array->getElementType(), offset + i * stride, layout);
  } else if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    const uint64_t bits = data_.getTypeSizeInBits(vector->getElementType());
    layout.shares_bytes = layout.shares_bytes || bits % 8 != 0;
    for (uint64_t i = 0; i < vector->getNumElements(); ++i)
      add_scalar(vector->getElementType(), offset + i * llvm::divideCeil(bits, 8), layout);
  } else {
    add_scalar(type, offset, layout);
  }
}

void Layouts::add_scalar(llvm::Type* type, uint64_t offset, Layout& layout) {
  const bool known = type->isIntegerTy() || type->isPointerTy() || type->isHalfTy() || type->isBFloatTy() ||
                     type->isFloatTy() || type->isDoubleTy();
  const unsigned bits = known ? width(type, data_) : 0;
  if (!known || bits > most_bits || (type->isPointerTy() && !has_segment(*type))) {
    layout.unsupported = type;
    return;
  }
  const auto first = static_cast<uint32_t>(layout.parts.size());
  const uint32_t parts = bits > 64 ? (bits + 63) / 64 : 1;
  layout.leaves.push_back({type, offset, first, parts});
  layout.parts.append(parts, bits == 1 ? Type::b1 : bits <= 32 ? Type::u32 : Type::u64);
}

unsigned width(llvm::Type* scalar, const llvm::DataLayout& data) {
  return static_cast<unsigned>(data.getTypeSizeInBits(scalar).getFixedValue());
}

}  // namespace heddle::compiler
