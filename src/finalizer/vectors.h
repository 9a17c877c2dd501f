// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on vectors that are longer or shorter than what an instruction takes.
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// Lengths of vectors, in elements, of which both are powers of two.
struct PieceLengths {
  unsigned least;
  unsigned most;
};

/// Creates the code that computes a result from operands of its length.
using OnValues = llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*> operands)>;

/// Computes a vector from vectors of the same length, in pieces whose length `on_piece` takes: the next power
/// of two within the limits. Elements of a piece beyond the end of the vector are poison.
llvm::Value* in_pieces(llvm::IRBuilder<>& ir, llvm::ArrayRef<llvm::Value*> operands, PieceLengths lengths,
                       OnValues on_piece);

/// Computes a vector element by element, or just a number from numbers.
llvm::Value* in_elements(llvm::IRBuilder<>& ir, llvm::ArrayRef<llvm::Value*> operands, OnValues on_element);

/// Returns how many elements a vector has, and 1 for a number.
unsigned element_count(const llvm::Value& value);

}  // namespace heddle::finalizer
