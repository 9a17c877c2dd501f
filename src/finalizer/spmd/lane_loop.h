// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that is done for one lane after the other.
#pragma once

#include "finalizer/spmd/lane_masks.h"

namespace heddle::finalizer::spmd {

/// What is known of the mask of a loop over lanes.
enum class ActiveLanes : uint8_t { perhaps_none, at_least_one };

/// Returns what is known of the mask of an instruction of the scalar function: linearise() never lets an
/// empty mask come to what must not be executed in vain.
ActiveLanes active_lanes(const llvm::Instruction& instruction);

/// Creates a loop over the lanes of a mask, in ascending order. `body` creates the code for one lane, whose
/// number is given as i32, and may create blocks. Afterwards the builder is behind the loop.
void for_each_active_lane(llvm::IRBuilderBase& ir, const LaneMasks& masks, const Parts& mask,
                          ActiveLanes how_many, llvm::function_ref<void(llvm::Value* lane)> body);

/// Does the same with a value that each lane may change: `body` gets what the lanes before have made of it,
/// and returns what it is then. Returns the value behind the loop.
llvm::Value* fold_active_lanes(llvm::IRBuilderBase& ir, const LaneMasks& masks, const Parts& mask,
                               ActiveLanes how_many, llvm::Value* initial,
                               llvm::function_ref<llvm::Value*(llvm::Value* lane, llvm::Value* before)> body);

/// Returns a part with another number or pointer in one lane, whose number is not a constant.
llvm::Value* insert_lane(llvm::IRBuilderBase& ir, llvm::Value* part, llvm::Value* lane, llvm::Value* value);

/// Memory in which loops find the value of a lane whose number is not a constant. It is on the stack of the
/// wave's function.
class LaneMemory {
 public:
  LaneMemory(llvm::Function& function, const WaveShape& wave) : function_(function), wave_(wave) {}

  /// Reports whether values of a type can be kept.
  static bool can_keep(const llvm::Type& type);
  /// Returns the variables on the stack that have been made.
  llvm::ArrayRef<llvm::AllocaInst*> variables() const { return variables_; }

  /// Room for one value of each lane, until the object is destroyed.
  class Array {
   public:
    Array(LaneMemory& memory, llvm::Type& type);
    ~Array();
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    void store(llvm::IRBuilderBase& ir, const Parts& parts) const;
    Parts load(llvm::IRBuilderBase& ir) const;
    void store_lane(llvm::IRBuilderBase& ir, llvm::Value* lane, llvm::Value* value) const;
    llvm::Value* load_lane(llvm::IRBuilderBase& ir, llvm::Value* lane) const;
    /// Returns the address of the value of lane 0. Those of the other lanes follow it.
    llvm::Value* address() const { return storage_; }

   private:
    llvm::Type* stored_type() const;
    uint64_t lane_size() const;
    llvm::Value* place(llvm::IRBuilderBase& ir, llvm::Value* lane) const;
    llvm::Value* place_of_part(llvm::IRBuilderBase& ir, unsigned part) const;

    LaneMemory& memory_;
    llvm::Type& type_;
    llvm::AllocaInst* storage_;
  };

 private:
  llvm::AllocaInst* take(uint64_t bytes);

  llvm::Function& function_;
  const WaveShape wave_;
  llvm::SmallVector<llvm::AllocaInst*, 4> variables_, unused_;
};

/// Returns the value of one lane, whose number is not a constant.
llvm::Value* extract_lane(llvm::IRBuilderBase& ir, LaneMemory& memory, const Parts& parts, llvm::Value* lane,
                          llvm::Type& type);

}  // namespace heddle::finalizer::spmd
