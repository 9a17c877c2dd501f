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
  std::vector<std::string> bodies;  ///< by role: HSAIL; results in $s0 and $s1
  /// By role two results; true: no execution may give this.
  bool (*forbidden)(const uint32_t (*results)[2]);
};

/// Who plays a role.
enum class Players : uint8_t {
  work_groups,  ///< of one work-item each
  waves,        ///< of one work-group: their first lanes
  lanes,        ///< of one wave
};

/// How a location is accessed.
enum class Access : uint8_t { global, group, flat };  ///< flat: the same as group, by flat addresses

/// Where the threads and the locations are.
struct Setting {
  Players players = Players::work_groups;
  Access x = Access::global, y = Access::global;

  std::string name() const;
};

/// The settings to test for such players.
std::vector<Setting> settings(Players players);

/// The tests with every way to order that the model has - orders of atomics or fences - and each scope that
/// holds between such players and that the segments have (PRM 6.2.2).
std::vector<Litmus> litmus_tests(const Setting& setting);

/// A kernel of all roles of one test. Arguments: x, y (u32 every 64 bytes), results (u32[role][round][2]),
/// start (u32 counter), players (u32: roles that the start waits for), rounds (u32, at most rounds_max),
/// first (u32: the role of the first player). Locations in the group segment belong to the kernel.
std::string litmus_kernel(const Litmus& test, const Setting& setting = {});

inline constexpr uint32_t rounds_max = 10000;

}  // namespace heddle::testing
