// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What widening has made of the instructions that access memory or communicate, as verify_wave.h needs it.
#pragma once

#include <vector>

#include <llvm/IR/ValueHandle.h>

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

/// What one instruction of the scalar function has become.
struct WaveEffect {
  /// How often the instruction has to be executed.
  enum class Occurrence : uint8_t {
    lane,    ///< for each active lane
    wave,    ///< at least once for the wave: the active lanes agree on what is accessed
    callee,  ///< at least once for each function that lanes call, with the mask of these lanes
  };
  Occurrence occurrence = Occurrence::lane;
  /// Whether all lanes execute the instruction whenever the wave does. Then there is no mask.
  bool has_all_lanes = false;
  Parts mask;                      ///< the lanes that execute the instruction
  uint64_t bytes = 0;              ///< that one lane loads or stores; 0 for calls
  std::vector<llvm::WeakVH> made;  ///< the instructions for which has_effect() holds
};

/// The effects of one function of a wave.
struct WaveEffects {
  WaveShape wave;
  bool has_mask_registers = false;
  bool is_whole = false;  ///< whether all lanes are active when the function begins
  std::vector<WaveEffect> effects;
  std::vector<Parts> masks;               ///< of the blocks whose mask differs between lanes
  std::vector<llvm::WeakVH> lane_memory;  ///< variables in which loops find the values of lanes (LaneMemory)
};

/// Reports whether an instruction accesses memory, or communicates with other work-items.
bool has_effect(const llvm::Instruction& instruction);

/// Notes what is made of scalar instructions.
class EffectRecorder {
 public:
  EffectRecorder(Widening& widening, WaveEffects& effects) : w_(widening), effects_(effects) {}

  /// Notes the place behind which the code for an instruction will be.
  void begin();
  /// Notes what has been created since begin(), for an instruction that is not speculatable.
  void end(const llvm::Instruction& scalar);
  /// Notes the mask of a block, and which memory is lane memory. The whole function has been widened.
  void finish();

 private:
  WaveEffect effect_of(const llvm::Instruction& scalar);
  WaveEffect::Occurrence occurrence_of(const llvm::Instruction& scalar) const;

  Widening& w_;
  WaveEffects& effects_;
  llvm::BasicBlock* block_ = nullptr;
  llvm::Instruction* last_ = nullptr;  ///< in front of the place; null at the beginning of the block
};

}  // namespace heddle::finalizer::spmd
