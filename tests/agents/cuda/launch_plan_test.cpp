// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/launch_plan.h"

#include <gtest/gtest.h>

#include <array>

#include "agents/common/packet_checks.h"

namespace heddle::cuda::test {
namespace {

using Size = std::array<uint32_t, 3>;

agents::KernelDispatch dispatch_of(Size grid, Size group) {
  hsa_kernel_dispatch_packet_t packet = {};
  packet.setup = 3;
  packet.grid_size_x = grid[0];
  packet.grid_size_y = grid[1];
  packet.grid_size_z = grid[2];
  packet.workgroup_size_x = static_cast<uint16_t>(group[0]);
  packet.workgroup_size_y = static_cast<uint16_t>(group[1]);
  packet.workgroup_size_z = static_cast<uint16_t>(group[2]);
  auto checked = agents::check_dispatch(packet, {});
  EXPECT_TRUE(checked) << checked.error().message;
  return *checked;
}

TEST(LaunchPlan, is_native_if_all_groups_are_full) {
  const LaunchPlan plan(dispatch_of({64, 6, 4}, {16, 2, 4}), true);
  ASSERT_TRUE(plan.is_native());
  EXPECT_EQ(plan.launches(), 1u);
  EXPECT_EQ(plan.block(0), 16u);
  EXPECT_EQ(plan.block(2), 4u);
  const auto launch = plan.launch(0);
  EXPECT_EQ(launch.grid[0], 4u);
  EXPECT_EQ(launch.grid[1], 3u);
  EXPECT_EQ(launch.grid[2], 1u);
}

TEST(LaunchPlan, is_linear_if_a_group_is_partial_or_there_is_no_other_entry) {
  const LaunchPlan partial(dispatch_of({65, 6, 4}, {16, 2, 4}), true);
  ASSERT_FALSE(partial.is_native());
  EXPECT_EQ(partial.block(0), 128u);
  EXPECT_EQ(partial.block(1), 1u);
  EXPECT_EQ(partial.launch(0).grid[0], 5u * 3 * 1);
  EXPECT_EQ(partial.launch(0).grid[1], 1u);
  EXPECT_FALSE(LaunchPlan(dispatch_of({64, 1, 1}, {64, 1, 1}), false).is_native());
}

TEST(LaunchPlan, is_linear_beyond_the_limits_of_native_grids) {
  EXPECT_TRUE(LaunchPlan(dispatch_of({1, 65535, 1}, {1, 1, 1}), true).is_native());
  EXPECT_FALSE(LaunchPlan(dispatch_of({1, 65536, 1}, {1, 1, 1}), true).is_native());
  EXPECT_FALSE(LaunchPlan(dispatch_of({1, 1, 65536}, {1, 1, 1}), true).is_native());
  EXPECT_TRUE(LaunchPlan(dispatch_of({1, 1, 64}, {1, 1, 64}), true).is_native());
  EXPECT_FALSE(LaunchPlan(dispatch_of({1, 1, 65}, {1, 1, 65}), true).is_native());
}

TEST(LaunchPlan, splits_grids_with_more_groups_than_a_launch_can_have) {
  // 2^32 - 1 groups in x, and two in y: five launches, the last of which has the few groups that are left.
  const LaunchPlan plan(dispatch_of({0xffffffff, 2, 1}, {1, 1, 1}), true);
  ASSERT_FALSE(plan.is_native());
  ASSERT_EQ(plan.launches(), 5u);
  uint64_t groups = 0;
  for (uint64_t i = 0; i < plan.launches(); ++i) {
    const auto launch = plan.launch(i);
    EXPECT_EQ(launch.first_group, groups);
    EXPECT_LE(launch.grid[0], 0x7fffffffu);
    groups += launch.grid[0];
  }
  EXPECT_EQ(groups, 2 * uint64_t{0xffffffff});
  EXPECT_EQ(plan.launch(4).grid[0], 2u);
}

}  // namespace
}  // namespace heddle::cuda::test
