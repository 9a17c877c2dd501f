// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses that would have a stride if something could be assumed (assumptions.h), such as that no integer
// wraps around between two lanes of a wave. HSAIL computes most indices as integers of 32 bits, and defines
// what happens when they wrap around. Hardly any wave has such lanes, so code for the stride stands beside
// code for the others.
#pragma once

#include <optional>

#include "finalizer/spmd/assumptions.h"
#include "finalizer/spmd/spmd_function.h"

namespace heddle::finalizer::spmd {

/// Returns the values of lane 0 with which no lane of a number wraps around, taken as signed or unsigned, if
/// the number is strided and almost all values are among them.
std::optional<llvm::ConstantRange> usual_range(const llvm::Value& number, const Shapes& shapes,
                                               bool is_signed, unsigned lanes);

/// Returns what is assumed of a guard that is among usual ones.
Assumption assumption_about_guard(const llvm::Instruction& guard, const Shapes& shapes, unsigned lanes);

/// Reports whether each guard still has operands that it can be tested with, and nearly all waves can be
/// expected to pass the test.
bool are_usual(const GuardedShape& guarded, const Shapes& shapes, unsigned lanes);

/// The accesses to memory of a function for which guards are worth a test each time, and what is computed for
/// these accesses alone.
class GuardedAccesses {
 public:
  GuardedAccesses(const SpmdFunction& state, unsigned lanes);

  /// Returns the shape of the address of a load or store under guards, or null if there is nothing to test.
  /// It is uniform, or strided by the size of what a lane accesses, in either direction. The address follows
  /// from values that are not varying by instructions without effect and without phis.
  const GuardedShape* of(const llvm::Instruction& access) const { return accesses_.lookup(&access); }

  /// Reports whether a varying value is of use only for the addresses of these accesses.
  bool is_part_of_address(const llvm::Instruction& instruction) const {
    return parts_.contains(&instruction);
  }

 private:
  void find(const llvm::Instruction& access, const Shapes& shapes, unsigned lanes);
  bool serves_addresses(const llvm::Instruction& instruction, const Shapes& shapes) const;

  llvm::DenseMap<const llvm::Instruction*, const GuardedShape*> accesses_;
  llvm::DenseSet<const llvm::Instruction*> parts_;
};

}  // namespace heddle::finalizer::spmd
