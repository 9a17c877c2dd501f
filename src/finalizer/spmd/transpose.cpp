// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/transpose.h"

#include <array>

#include <llvm/Analysis/VectorUtils.h>

namespace heddle::finalizer::spmd {
namespace {

using llvm::Value;

/// Four elements of 32 bits in each of eight lanes are transposed with 12 instructions of AVX2 for all four
/// elements; LLVM needs 20 to 40. What the elements have in common, LLVM finds to be computed twice.
class Transposition {
 public:
  explicit Transposition(llvm::IRBuilderBase& ir) : ir_(ir) {}

  static bool is_right_for(unsigned count, const llvm::Type& element, const WaveShape& wave) {
    return count == 4 && wave.part_lanes == 8 && element.getPrimitiveSizeInBits() == 32;
  }

  Value* element(Value* part, unsigned index) {
    // The vectors of lanes i and i + 4 become one vector.
    std::array<Value*, 4> rows;
    for (unsigned i = 0; i < 4; ++i)
      rows[i] = halves(slice(part, i / 2), slice(part, 2 + i / 2), i % 2, i % 2);
    const bool high = index >= 2;
    return pairs(interleaved(rows[0], rows[1], high), interleaved(rows[2], rows[3], high), index % 2);
  }

  Value* vectors(llvm::ArrayRef<Value*> elements) {
    std::array<Value*, 4> rows;  // the vectors of lanes i and i + 4
    for (unsigned i = 0; i < 4; ++i)
      rows[i] = pairs(interleaved(elements[0], elements[1], i >= 2),
                      interleaved(elements[2], elements[3], i >= 2), i % 2);
    return llvm::concatenateVectors(ir_, {halves(rows[0], rows[1], 0, 0), halves(rows[2], rows[3], 0, 0),
                                          halves(rows[0], rows[1], 1, 1), halves(rows[2], rows[3], 1, 1)});
  }

 private:
  Value* slice(Value* part, unsigned i) { return create_slice(ir_, part, 8 * i, 8); }

  /// Joins one half of each vector, which has 128 bits.
  Value* halves(Value* a, Value* b, int from_a, int from_b) {
    llvm::SmallVector<int, 8> places;
    for (int i = 0; i < 4; ++i) places.push_back(4 * from_a + i);
    for (int i = 0; i < 4; ++i) places.push_back(8 + 4 * from_b + i);
    return ir_.CreateShuffleVector(a, b, places);
  }
  /// Takes elements of both vectors by turns, from the low or high part of each half.
  Value* interleaved(Value* a, Value* b, bool high) {
    const int first = high ? 2 : 0;
    return ir_.CreateShuffleVector(
        a, b, {first, first + 8, first + 1, first + 9, first + 4, first + 12, first + 5, first + 13});
  }
  /// Takes a pair of elements of both vectors by turns, the first or second of each half.
  Value* pairs(Value* a, Value* b, unsigned which) {
    const int first = which == 0 ? 0 : 2;
    return ir_.CreateShuffleVector(
        a, b, {first, first + 1, first + 8, first + 9, first + 4, first + 5, first + 12, first + 13});
  }

  llvm::IRBuilderBase& ir_;
};

}  // namespace

Value* create_element_of_lanes(llvm::IRBuilderBase& ir, Value* part, unsigned index, const WaveShape& wave) {
  const unsigned count = elements_of(*part->getType()) / wave.part_lanes;
  if (Transposition::is_right_for(count, *part->getType()->getScalarType(), wave))
    return Transposition(ir).element(part, index);
  return ir.CreateShuffleVector(part, llvm::createStrideMask(index, count, wave.part_lanes));
}

Value* create_vectors_of_lanes(llvm::IRBuilderBase& ir, llvm::ArrayRef<Value*> elements,
                               const WaveShape& wave) {
  const auto count = static_cast<unsigned>(elements.size());
  if (Transposition::is_right_for(count, *elements.front()->getType()->getScalarType(), wave))
    return Transposition(ir).vectors(elements);
  return ir.CreateShuffleVector(llvm::concatenateVectors(ir, elements),
                                llvm::createInterleaveMask(wave.part_lanes, count));
}

}  // namespace heddle::finalizer::spmd
