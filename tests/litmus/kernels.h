// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Litmus tests of the memory model (PRM 6.2; HSA Platform System Architecture, memory consistency) as HSAIL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::testing {

/// A small program for a few threads ("roles"), and the outcome that the memory model forbids. Every role
/// does its `body` for locations x and y of round i, and stores up to two results of the round.
struct Litmus {
  std::string name;
  std::vector<std::string> bodies;  ///< by role: HSAIL with $d0 = &x[i], $d1 = &y[i]; results in $s0 and $s1
  /// By role two results; true: no execution may give this.
  bool (*forbidden)(const uint32_t (*results)[2]);
};

/// The tests with every way to order that the model has: orders of atomics or fences, and each scope that
/// holds between work-groups.
std::vector<Litmus> all_litmus_tests();

/// A kernel of all roles of one test: work-group g plays role %first + g. Arguments: x, y (u32 every 64
/// bytes), results (u32[role][round][2]), start (u32 counter), players (u32: roles that the start waits for),
/// rounds (u32), first (u32).
std::string litmus_kernel(const Litmus& test);

}  // namespace heddle::testing
