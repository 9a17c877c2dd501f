// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/guarded_buffer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace heddle {
namespace {

/// Reports whether a byte can be read, without a fault if not.
bool is_accessible(const uint8_t* byte) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const bool is_read = ::write(ends[1], byte, 1) == 1;
  for (const int end : ends) ::close(end);
  return is_read;
}

TEST(GuardedBuffer, EndsOrBeginsBesideAPageThatCannotBeAccessed) {
  for (const size_t size : {size_t{1}, size_t{100}, size_t{4096}, size_t{5000}}) {
    const GuardedBuffer behind(size, GuardedBuffer::Guard::behind),
        before(size, GuardedBuffer::Guard::before);
    for (const GuardedBuffer* buffer : {&behind, &before}) {
      EXPECT_EQ(buffer->size(), size);
      for (size_t i = 0; i < size; ++i) ASSERT_EQ(buffer->data()[i], 0);
      buffer->data()[0] = buffer->data()[size - 1] = 7;
    }
    EXPECT_FALSE(is_accessible(behind.data() + size));
    EXPECT_TRUE(is_accessible(behind.data() + size - 1));
    EXPECT_FALSE(is_accessible(before.data() - 1));
    EXPECT_TRUE(is_accessible(before.data()));
    EXPECT_EQ(is_accessible(before.data() + size), size % 4096 != 0);
  }
}

TEST(GuardedBuffer, MayBeEmpty) {
  const GuardedBuffer empty(0, GuardedBuffer::Guard::behind);
  EXPECT_FALSE(is_accessible(empty.data()));
  EXPECT_FALSE(is_accessible(empty.data() - 1));
}

TEST(GuardedBuffer, SidesTakeTurns) { EXPECT_NE(guard_of_turn(6), guard_of_turn(7)); }

}  // namespace
}  // namespace heddle
