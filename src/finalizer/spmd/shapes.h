// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the values of SPMD IR differ between the work-items of a wave (design D5).
#pragma once

#include <cstdint>

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// How the lanes of a wave differ in one value.
///
/// A shape speaks of the lanes that are active where the value is computed. The lane 0 that it mentions need
/// not be one of them: the value of lane 0 is then what the instruction would compute from the operands that
/// the lane has, without the promises of its flags (nuw, nsw, inbounds, disjoint, ...).
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
  /// Whether the values of all lanes of the wave, active or not, taken as unsigned numbers, are that of lane
  /// 0 plus i times `stride` without wrapping. False unless strided.
  bool no_wrap = false;

  static Shape uniform(uint64_t alignment = 1) { return {Kind::uniform, 0, alignment}; }
  static Shape strided(int64_t stride, uint64_t alignment = 1);
  static Shape varying() { return {Kind::varying, 0, 1}; }
  bool is_bottom() const { return kind == Kind::bottom; }
  bool is_uniform() const { return kind == Kind::uniform; }
  bool is_strided() const { return kind == Kind::strided; }
  bool is_varying() const { return kind == Kind::varying; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Returns the shape that says no more than what both say, for a value that is one of two in all lanes.
Shape join(const Shape& a, const Shape& b);

/// A shape that holds if what is assumed of certain instructions (assumptions.h) is true of the wave.
struct GuardedShape {
  Shape shape;
  /// Each dominates the value. If the operands of one have shapes that depend on others, those come before
  /// it; a guard is to be tested only if those before it hold.
  llvm::SmallVector<const llvm::Instruction*, 1> guards;
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
  void erase(const llvm::Value& value);

  /// Reports whether the program promises (`width`, PRM 2.12) that all active lanes agree in what the
  /// instruction takes: the target of a branch or of an indirect call, the address of a load. The operand may
  /// nevertheless be varying, because lanes that are not active need not agree. Code that relies on the
  /// promise takes the operand of an active lane.
  bool is_promised(const llvm::Instruction& instruction) const { return promised_.contains(&instruction); }
  void set_promised(const llvm::Instruction& instruction) { promised_.insert(&instruction); }

  /// Reports whether all lanes with which the function was entered are active whenever the block is executed.
  /// In other blocks some of them may be inactive.
  bool has_entry_mask(const llvm::BasicBlock& block) const { return !partial_.contains(&block); }
  void set_partial(const llvm::BasicBlock& block) { partial_.insert(&block); }

  /// Returns the shape that a value has if some guards hold, or nothing if that is no better than of().
  const GuardedShape* guarded(const llvm::Value& value) const;
  /// Returns the shape of a value if all guards hold that it depends on.
  Shape where_guarded(const llvm::Value& value) const {
    const GuardedShape* guarded = this->guarded(value);
    return guarded ? guarded->shape : of(value);
  }
  void set_guarded(const llvm::Value& value, GuardedShape shape) { guarded_[&value] = std::move(shape); }

 private:
  llvm::DenseMap<const llvm::Value*, Shape> shapes_;
  llvm::DenseMap<const llvm::Value*, GuardedShape> guarded_;
  llvm::DenseSet<const llvm::Instruction*> promised_;
  llvm::DenseSet<const llvm::BasicBlock*> partial_;
};

}  // namespace heddle::finalizer::spmd
