// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that are executed for one lane after the other.
#pragma once

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

/// Creates what an instruction of the scalar function is for each lane that executes it, in ascending order.
class LaneByLane {
 public:
  LaneByLane(Widening& widening, const llvm::Instruction& instruction, Widening::CreateForLane create)
      : w_(widening), ir_(widening.ir()), instruction_(instruction), create_(create) {}

  /// Reports whether the values of the instruction can be kept for lanes whose numbers are not constants.
  bool is_possible() const;

  /// Returns the results, which are anything in other lanes; nothing if the instruction has none.
  Parts run();

 private:
  bool is_short() const;
  Parts straight();
  Parts loop(const Parts& mask);
  Parts straight_or_loop(const Parts& mask);
  const llvm::Value* narrow_source(const llvm::Value& value) const;
  llvm::Value* from_source(const llvm::Value& value, const llvm::Value& source, unsigned lane);
  llvm::Value* operand(const llvm::Value& value, unsigned lane);

  Widening& w_;
  llvm::IRBuilder<>& ir_;
  const llvm::Instruction& instruction_;
  const Widening::CreateForLane create_;
};

}  // namespace heddle::finalizer::spmd
