// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Litmus tests of the memory model (PRM 6.2; HSA Platform System Architecture, memory consistency) as HSAIL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::testing {

/// A small program for a few threads ("roles"), and the outcome that the memory model forbids. In round i
/// every role executes its body on the locations x and y of that round, and stores up to two results.
struct Litmus {
  std::string name;
  std::vector<std::string> bodies;  ///< HSAIL by role, which leaves results in $s0 and $s1
  /// Takes two results for each role. Returns true if no execution may give them.
  bool (*forbidden)(const uint32_t (*results)[2]);
};

/// The threads that play the roles.
enum class Players : uint8_t {
  work_groups,  ///< of one work-item each
  waves,        ///< of one work-group: their first lanes
  lanes,        ///< of one wave
};

/// How a location is accessed.
enum class Access : uint8_t { global, group, flat };  ///< flat: group memory by flat addresses

/// The kind of the threads, and the segments of the locations.
struct Setting {
  Players players = Players::work_groups;
  Access x = Access::global, y = Access::global;

  std::string name() const;
};

/// Returns the settings to test for such threads.
std::vector<Setting> settings(Players players);

/// Returns the tests with every way to order accesses that the model has (orders of atomics, or fences), and
/// with each scope that includes such threads and is legal for the segments (PRM 6.2.2).
std::vector<Litmus> litmus_tests(const Setting& setting);

/// Returns a kernel with all roles of one test. Its arguments are x, y (u32 every 64 bytes), results
/// (u32[role][round][2]), start (u32 counter), players (u32: number of roles that must arrive before the
/// first round), rounds (u32, at most rounds_max), and first (u32: the role of the first player). Locations
/// in the group segment belong to the kernel.
std::string litmus_kernel(const Litmus& test, const Setting& setting = {});

inline constexpr uint32_t rounds_max = 10000;

}  // namespace heddle::testing
