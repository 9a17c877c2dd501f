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
  packet.setup |= 1 << 8;  // reserved bits are not looked at
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

}  // namespace
}  // namespace heddle::agents
