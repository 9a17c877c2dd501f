// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the values of SPMD IR differ between the work-items of a wave (design D5).
#pragma once

#include <cstdint>

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// How the lanes of a wave differ in one value.
struct Shape {
  enum class Kind : uint8_t {
    bottom,   ///< not known yet; only while shapes are being computed
    uniform,  ///< the same in all active lanes
    strided,  ///< lane i has the value of lane 0 plus i times `stride`, with wrapping as the type has it
    varying,  ///< anything
  };
  Kind kind = Kind::bottom;
  int64_t stride = 0;      ///< of integers and pointers (in bytes); 0 unless strided
  uint64_t alignment = 1;  ///< a power of two that divides the value of lane 0; 1 if nothing is known

  static Shape uniform(uint64_t alignment = 1) { return {Kind::uniform, 0, alignment}; }
  static Shape strided(int64_t stride, uint64_t alignment = 1);
  static Shape varying() { return {Kind::varying, 0, 1}; }
  bool is_uniform() const { return kind == Kind::uniform; }
  bool is_varying() const { return kind == Kind::varying; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// The shapes of the values of one function. Passes that change the function keep it up to date.
class Shapes {
 public:
  /// Returns the shape of a value. Constants, globals, basic blocks and values that were never set are
  /// uniform.
  Shape of(const llvm::Value& value) const;
  bool is_uniform(const llvm::Value& value) const { return of(value).is_uniform(); }
  /// Reports whether the work-items of a wave may leave the block on different ways.
  bool is_divergent(const llvm::BasicBlock& block) const;
  void set(const llvm::Value& value, Shape shape) { shapes_[&value] = shape; }
  void erase(const llvm::Value& value) { shapes_.erase(&value); }

 private:
  llvm::DenseMap<const llvm::Value*, Shape> shapes_;
};

}  // namespace heddle::finalizer::spmd
