// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/wave_count.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::agents {
namespace {

/// Counts group by group.
uint64_t counted(const KernelDispatch& d, uint32_t wave_size) {
  uint64_t waves = 0;
  for (uint32_t z = 0; z < d.grid_size[2]; z += d.group_size[2])
    for (uint32_t y = 0; y < d.grid_size[1]; y += d.group_size[1])
      for (uint32_t x = 0; x < d.grid_size[0]; x += d.group_size[0]) {
        const uint64_t items = uint64_t{std::min(d.group_size[0], d.grid_size[0] - x)} *
                               std::min(d.group_size[1], d.grid_size[1] - y) *
                               std::min(d.group_size[2], d.grid_size[2] - z);
        waves += (items + wave_size - 1) / wave_size;
      }
  return waves;
}

TEST(WaveCount, IsThatOfTheGroupsOneByOne) {
  for (const uint32_t wave_size : {1, 4, 16, 64, 256})
    for (const uint32_t x : {1, 5, 64, 100})
      for (const uint32_t y : {1, 7, 8})
        for (const uint32_t z : {1, 3}) {
          KernelDispatch d;
          const uint32_t grid[] = {x, y, z}, group[] = {16, 4, 2};
          std::copy_n(grid, 3, d.grid_size);
          std::copy_n(group, 3, d.group_size);
          EXPECT_EQ(wave_count(d, wave_size), counted(d, wave_size))
              << x << " x " << y << " x " << z << ", waves of " << wave_size;
        }
}

TEST(WaveCount, DoesNotOverflow) {
  KernelDispatch d;
  std::fill_n(d.grid_size, 2, 0xffffffffu);
  EXPECT_EQ(wave_count(d, 1), uint64_t{0xffffffff} * 0xffffffff);
}

}  // namespace
}  // namespace heddle::agents
