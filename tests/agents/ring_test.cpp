// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/ring.h"

#include <gtest/gtest.h>

#include <memory>

namespace heddle::agents {
namespace {

TEST(Ring, keeps_the_order_when_it_grows_after_some_have_left) {
  Ring<int> ring;
  int added = 0, taken = 0;
  for (; added < 5; ++added) ring.add() = added;
  for (; taken < 3; ++taken, ring.pop_front()) EXPECT_EQ(ring.front(), taken);
  for (; added < 100; ++added) ring.add() = added;
  ASSERT_EQ(ring.size(), 97u);
  for (size_t i = 0; i < ring.size(); ++i) EXPECT_EQ(ring[i], taken + static_cast<int>(i));
  EXPECT_EQ(ring.back(), 99);
  for (; taken < 100; ++taken, ring.pop_front()) EXPECT_EQ(ring.front(), taken);
  EXPECT_TRUE(ring.empty());
}

TEST(Ring, destroys_what_leaves_it) {
  Ring<std::shared_ptr<int>> ring;
  const auto shared = std::make_shared<int>();
  for (int i = 0; i < 10; ++i) ring.add() = shared;
  ring.pop_front();
  ring.pop_back();
  EXPECT_EQ(shared.use_count(), 9);
  ring.clear();
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(shared.use_count(), 1);
}

}  // namespace
}  // namespace heddle::agents
