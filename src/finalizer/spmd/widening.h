// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the rules that widen single instructions share.
#pragma once

#include <optional>

#include "finalizer/spmd/guards.h"
#include "finalizer/spmd/lane_loop.h"
#include "finalizer/spmd/lane_masks.h"
#include "finalizer/spmd/widen.h"

namespace heddle::finalizer::spmd {

/// One function while it is widened: the values that the values of the scalar function have become, and the
/// place where code is created. `scalar` values of it are the one of a uniform value, and that of lane 0 of a
/// strided value.
class Widening {
 public:
  Widening(const SpmdFunction& state, const WidenRequest& request, WideFunction& result);

  llvm::IRBuilder<>& ir() { return ir_; }
  const WaveShape& wave() const { return wave_; }
  const WidenRequest& request() const { return request_; }
  const LaneMasks& masks() const { return masks_; }
  bool has_mask_registers() const { return request_.machine.has_mask_registers; }
  LaneMemory& memory() { return memory_; }
  WideFunction& result() { return result_; }
  /// Returns the function of the wave that calls of a scalar function become calls of, or null.
  llvm::Function* wave_function(const llvm::Function& scalar) const {
    return request_.functions ? request_.functions->lookup(&scalar) : nullptr;
  }
  const llvm::DataLayout& layout() const { return state_.function.getDataLayout(); }
  const SpmdFunction& state() const { return state_; }

  Shape shape(const llvm::Value& value) const { return state_.shapes.of(value); }
  bool is_uniform(const llvm::Value& value) const { return shape(value).is_uniform(); }
  bool is_varying(const llvm::Value& value) const { return shape(value).is_varying(); }
  const GuardedAccesses& guarded() const { return guarded_; }

  // ---- operands

  /// Returns the scalar of a value that is not varying.
  llvm::Value* scalar(const llvm::Value& value) const;
  /// Returns what the wave has in a value that is uniform for the lanes that execute `user`.
  llvm::Value* agreed(const llvm::Value& value, const llvm::Instruction& user);
  /// Returns the parts of any value. Those of an i1 are bits and must be used in the current block.
  Parts parts(const llvm::Value& value);
  /// Returns the parts of an i1 as masks.
  Parts mask(const llvm::Value& value);
  /// Returns the lanes that execute an instruction.
  Parts mask_of(const llvm::Instruction& instruction);
  /// Reports whether all lanes execute an instruction that is not speculatable.
  bool has_all_lanes(const llvm::Instruction& instruction) const;

  /// Returns an i1: whether the guards of a shape hold.
  llvm::Value* test(const GuardedShape& guarded);
  /// Computes the address of a guarded access (guards.h), or a value that it follows from, for one lane,
  /// whose number is an i32, or for lane 0 if that is null.
  llvm::Value* value_of_lane(const llvm::Value& value, llvm::Value* lane);

  // ---- results

  void set_scalar(const llvm::Value& value, llvm::Value* scalar) { values_[&value].scalar = scalar; }
  /// Sets the result of an instruction. Those of an i1 are bits. If the instruction is not varying, takes its
  /// scalar from the parts.
  void set_parts(const llvm::Instruction& instruction, const Parts& parts);
  /// Sets what a varying i1 has become.
  void set_mask(const llvm::Value& value, Parts mask);
  /// Sets the parts of what is not an i1.
  void set_vectors(const llvm::Value& value, Parts parts) { values_[&value].parts = std::move(parts); }

  // ---- instructions

  /// Executes an instruction once, for scalars.
  llvm::Instruction* create_scalar(const llvm::Instruction& instruction);
  /// Executes an instruction without effect for each lane, active or not, with straight-line code.
  void create_for_all_lanes(const llvm::Instruction& instruction);
  /// Executes an instruction for each active lane, one after the other. Reports whether that is possible.
  [[nodiscard]] bool create_for_active_lanes(const llvm::Instruction& instruction);
  /// Does the same with what `create` makes of the instruction for one lane. Its operands are those of the
  /// lane.
  using CreateForLane =
      llvm::function_ref<llvm::Value*(llvm::Value* lane, llvm::ArrayRef<llvm::Value*> operands)>;
  [[nodiscard]] bool create_for_lanes(const llvm::Instruction& instruction, CreateForLane create);

  /// Counts an instruction of the scalar function that costs much.
  void note_costly(const llvm::Instruction& instruction, CostlyOperation::Kind kind);

  /// Notes that an instruction cannot be widened. Only the first reason counts.
  void refuse(const llvm::Instruction& instruction, const llvm::Twine& why);
  const std::optional<Error>& refusal() const { return refusal_; }

 private:
  /// What a value has become. Which of these are there depends on its shape and on who has asked.
  struct Wide {
    llvm::Value* scalar = nullptr;
    Parts parts;  ///< masks for an i1
    Parts bits;   ///< for an i1, in one block only
    llvm::BasicBlock* bits_block = nullptr;
  };
  Parts& materialised(const llvm::Value& value);
  void materialise(Wide& wide, const llvm::Value& value);
  llvm::Value* lane_of(const llvm::Value& value, llvm::Value* lane);

  const SpmdFunction& state_;
  const WaveShape wave_;
  const WidenRequest request_;
  const LaneMasks masks_;
  WideFunction& result_;
  llvm::IRBuilder<> ir_;
  LaneMemory memory_;
  const GuardedAccesses guarded_;
  llvm::DenseMap<const llvm::Value*, Wide> values_;
  std::optional<Error> refusal_;
};

}  // namespace heddle::finalizer::spmd
