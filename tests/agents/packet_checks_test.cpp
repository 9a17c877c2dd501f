// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/packet_checks.h"

#include <gtest/gtest.h>

#include <functional>

#include "fake_queue.h"

namespace heddle::agents {
namespace {

using Packet = hsa_kernel_dispatch_packet_t;

TEST(PacketChecks, SizesFollow) {
  Packet packet = test::dispatch(1, 100, 64);
  packet.setup = 3;
  packet.grid_size_y = 7;
  packet.workgroup_size_y = 2;
  packet.grid_size_z = 3;
  const auto d = check_dispatch(packet, {});
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->grid_groups[0], 2u);
  EXPECT_EQ(d->grid_groups[1], 4u);
  EXPECT_EQ(d->grid_groups[2], 3u);
  EXPECT_EQ(d->group_count, 24u);
}

TEST(PacketChecks, AGridMayBeSmallerThanItsGroup) {
  const auto d = check_dispatch(test::dispatch(1, 3, 64), {});
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->group_count, 1u);
}

TEST(PacketChecks, TheLargestGridIsCountedWithoutOverflow) {
  Packet packet = test::dispatch(1, UINT32_MAX, 1024);
  packet.setup = 2;
  packet.grid_size_y = UINT32_MAX;
  const auto d = check_dispatch(packet, {});
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->group_count, ((uint64_t{UINT32_MAX} + 1023) / 1024) * UINT32_MAX);
}

TEST(PacketChecks, UnusedDimensionsMayBeLeftZero) {
  Packet packet = test::dispatch(1, 1000, 64);
  packet.grid_size_y = packet.grid_size_z = 0;
  packet.workgroup_size_y = packet.workgroup_size_z = 0;
  packet.setup |= 1 << 8;  // reserved bits are ignored
  const auto d = check_dispatch(packet, {});
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->group_count, 16u);
  EXPECT_EQ(d->group_size[2], 1u);
}

TEST(PacketChecks, WrongSizesAreIncompatible) {
  const std::function<void(Packet&)> cases[] = {
      [](Packet& p) { p.setup = 0; },
      [](Packet& p) { p.setup = 4; },
      [](Packet& p) { p.grid_size_x = 0; },
      [](Packet& p) { p.workgroup_size_x = 0; },
      [](Packet& p) { p.workgroup_size_y = 2; },
      [](Packet& p) { p.grid_size_z = 2; },
      [](Packet& p) { p.workgroup_size_x = 1025; },
      [](Packet& p) { p.setup = 2, p.workgroup_size_x = 64, p.workgroup_size_y = 32; },
      [](Packet& p) { p.setup = 3, p.grid_size_x = p.grid_size_y = p.grid_size_z = UINT32_MAX; },
  };
  for (const auto& change : cases) {
    Packet packet = test::dispatch(1, 1000, 64);
    change(packet);
    const auto d = check_dispatch(packet, {});
    ASSERT_FALSE(d.ok()) << "case " << &change - cases;
    EXPECT_EQ(d.error().status, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    EXPECT_FALSE(d.error().message.empty());
  }
}

struct DirectiveCase {
  std::function<void(KernelDirectives&)> set;
  bool keeps;
};

/// Checks each directive against a grid of 96 x 10 work-items in groups of 32 x 2, with 100 bytes of group
/// segment.
TEST(PacketChecks, DirectivesHold) {
  using D = KernelDirectives;
  const DirectiveCase cases[] = {
      {[](D&) {}, true},
      {[](D& d) { d.required_dim = 2; }, true},
      {[](D& d) { d.required_dim = 1; }, false},
      {[](D& d) { d.required_group_size[0] = 32, d.required_group_size[1] = 2; }, true},
      {[](D& d) { d.required_group_size[2] = 2; }, false},
      {[](D& d) { d.required_grid_size[1] = 10; }, true},
      {[](D& d) { d.required_grid_size[1] = 12; }, false},
      {[](D& d) { d.max_flat_grid_size = 960; }, true},
      {[](D& d) { d.max_flat_grid_size = 959; }, false},
      {[](D& d) { d.max_flat_group_size = 64; }, true},
      {[](D& d) { d.max_flat_group_size = 63; }, false},
      {[](D& d) { d.static_group_size = 60, d.max_dynamic_group_size = 40; }, true},
      {[](D& d) { d.static_group_size = 60, d.max_dynamic_group_size = 39; }, false},
      {[](D& d) { d.static_group_size = 200, d.max_dynamic_group_size = 0; }, true},
      {[](D& d) { d.no_partial_groups = true; }, true},
      {[](D& d) { d.no_partial_waves = true, d.wave_size = 64; }, true},
      {[](D& d) { d.no_partial_waves = true, d.wave_size = 128; }, false},
  };
  Packet packet = test::dispatch(1, 96, 32);
  packet.setup = 2;
  packet.grid_size_y = 10;
  packet.workgroup_size_y = 2;
  packet.group_segment_size = 100;
  const auto d = check_dispatch(packet, {});
  ASSERT_TRUE(d.ok());
  for (const DirectiveCase& row : cases) {
    KernelDirectives directives;
    directives.kernel = "&k";
    row.set(directives);
    const auto held = check_directives(directives, *d);
    ASSERT_EQ(held.ok(), row.keeps) << "case " << &row - cases;
    if (row.keeps) continue;
    EXPECT_EQ(held.error().status, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    EXPECT_NE(held.error().message.find("&k"), std::string::npos);
  }
}

/// Partial work-groups are allowed as long as each is a whole number of waves (PRM 13.5).
TEST(PacketChecks, PartialGroupsOfWholeWaves) {
  const struct {
    uint32_t grid[2];
    uint16_t group[2];
    uint32_t wave_size;
    bool whole_groups, whole_waves;
  } rows[] = {
      {{128, 1}, {64, 1}, 32, true, true},   {{96, 1}, {64, 1}, 32, false, true},
      {{100, 1}, {64, 1}, 32, false, false}, {{32, 1}, {48, 1}, 32, false, true},  // one group of 32
      {{48, 1}, {48, 1}, 32, true, false},   {{12, 10}, {8, 4}, 8, false, true},   // 32, 16, 16 and 8
      {{12, 11}, {8, 4}, 8, false, false},   {{10, 4}, {4, 4}, 16, false, false},  // 16 and 8
      {{3, 8}, {4, 8}, 8, false, true},  // one of 24 only, though 4 x 8 is whole too
      {{5, 3}, {4, 2}, 1, false, true},
  };
  for (const auto& row : rows) {
    Packet packet = test::dispatch(1, row.grid[0], row.group[0]);
    packet.setup = 2;
    packet.grid_size_y = row.grid[1];
    packet.workgroup_size_y = row.group[1];
    const auto d = check_dispatch(packet, {});
    ASSERT_TRUE(d.ok());
    KernelDirectives groups, waves;
    groups.no_partial_groups = waves.no_partial_waves = true;
    waves.wave_size = row.wave_size;
    EXPECT_EQ(check_directives(groups, *d).ok(), row.whole_groups) << "row " << &row - rows;
    EXPECT_EQ(check_directives(waves, *d).ok(), row.whole_waves) << "row " << &row - rows;
  }
}

}  // namespace
}  // namespace heddle::agents
