// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How values of LLVM types become registers, and where their parts lie in memory.
#pragma once

#include <cstdint>
#include <memory>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>

#include "compiler/code/type.h"

namespace heddle::compiler {

/// A scalar inside a value: the value itself, or an element of a vector, array or structure at any depth.
struct Leaf {
  llvm::Type* type;  // integer, floating point or pointer
  uint64_t offset;   // bytes from the start of the value in memory; elements that share bytes there have
                     // bytes of their own here, as in arguments of functions
  uint32_t part;     // the number of its first part
  uint32_t parts;    // 1; for integers of more than 64 bits one for each 64, less significant first
};

/// All scalars of a value, flattened. Each part has a register: integers of 1 bit have a c register, those of
/// up to 32 bits an s register and longer ones d registers, zero-extended.
struct Layout {
  llvm::SmallVector<Leaf, 4> leaves;
  llvm::SmallVector<Type, 4> parts;   // b1, u32 or u64
  llvm::Type* unsupported = nullptr;  // a scalar that has no place in registers, such as fp128
  // There are vectors in it whose elements share bytes in memory, such as <8 x i1>. Loads and stores of these
  // have become integers (prepare/packed_vectors.h).
  bool shares_bytes = false;
};

/// The greatest alignment in bytes that variables can ask for (PRM 4.3.10).
inline constexpr uint64_t most_alignment = 256;

/// Computes layouts, and keeps them.
class Layouts {
 public:
  explicit Layouts(const llvm::DataLayout& data) : data_(data) {}

  const Layout& of(llvm::Type* type);
  const llvm::DataLayout& data() const { return data_; }

 private:
  void add(llvm::Type* type, uint64_t offset, Layout& layout);
  void add_scalar(llvm::Type* type, uint64_t offset, Layout& layout);

  const llvm::DataLayout& data_;
  llvm::DenseMap<llvm::Type*, std::unique_ptr<Layout>> layouts_;
};

/// Returns the bits of a scalar type: of an integer or floating-point number, or of an address.
unsigned width(llvm::Type* scalar, const llvm::DataLayout& data);

}  // namespace heddle::compiler
