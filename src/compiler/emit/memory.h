// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of values of any type.
#pragma once

#include <llvm/Support/Alignment.h>

#include "compiler/emit/builder.h"
#include "compiler/emit/layout.h"

namespace heddle::compiler {

/// What one element of a load or store moves: a part of a value, or some of its bits.
struct MemoryPiece {
  uint64_t offset;  // bytes from the start of the value
  Type type;        // as the instruction names it
  uint32_t part;
  unsigned shift;  // the number of the lowest bit in the part
  bool whole;      // the part has no other pieces, and the register no more bits than they
};

/// Returns the pieces of a value in ascending order. Elements that are no whole bytes (vectors of i1) have
/// none: such vectors are accessed as integers.
llvm::SmallVector<MemoryPiece, 4> memory_pieces(const Layout& layout, const llvm::DataLayout& data);

/// Modifiers of an access (PRM 6.3, 6.4).
struct AccessModifiers {
  llvm::Align align;
  bool constant = false;     // nothing writes there during a dispatch
  bool uniform = false;      // all work-items of a work-group load the same value
  bool nontemporal = false;  // the value is not used again soon
  unsigned equivalence = 0;  // the equivalence class (PRM 6.1.4)
};

/// Loads a value.
Parts load_value(Builder& builder, const Address& address, const Layout& layout, const llvm::DataLayout& data,
                 const AccessModifiers& modifiers);

/// Stores a value.
void store_value(Builder& builder, const Address& address, const Parts& parts, const Layout& layout,
                 const llvm::DataLayout& data, const AccessModifiers& modifiers);

}  // namespace heddle::compiler
