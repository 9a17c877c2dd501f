// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/console.h"

#include <gtest/gtest.h>

namespace heddle::tools {
namespace {

TEST(Console, Quantities) {
  EXPECT_EQ(format_seconds(312e-9), "312 ns");
  EXPECT_EQ(format_seconds(4.1e-6), "4.10 us");
  EXPECT_EQ(format_seconds(1.25e-3), "1.25 ms");
  EXPECT_EQ(format_seconds(2.03), "2.03 s");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(48 * 1024), "48 KiB");
  EXPECT_EQ(format_bytes(1.5 * 1024 * 1024 * 1024), "1.5 GiB");
}

TEST(Console, NoStyleWhereNobodyLooks) {
  testing::internal::CaptureStderr();
  print_error("text");
  print_diagnostics("f:1:2: error: wrong [ID]");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "heddle: error: text\nf:1:2: error: wrong [ID]\n");
}

TEST(Progress, ShortWorkIsSilent) {
  testing::internal::CaptureStderr();
  {
    Progress progress("working");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, LongWorkIsSaidOnceWhereItIsNoTerminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress("working");
    std::this_thread::sleep_for(std::chrono::milliseconds(3300));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "heddle: working ...\n");
}

}  // namespace
}  // namespace heddle::tools
