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

TEST(Console, TerminalsGetNoCommands) {
  testing::internal::CaptureStderr();
  print_error("cannot read a\x1b]0;b\x07:\n  \tat once");
  print_diagnostics("f:1:2: error: \x1b[31m\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: error: cannot read a?]0;b?:\n  \tat once\nf:1:2: error: ?[31m\n");
}

TEST(Console, DiagnosticsOfBytesNameTheFile) {
  EXPECT_EQ(
      with_file("a.brig",
                "hsa_code+0x20: error: wrong [X]\nnote: because: error: no\n"
                "error: no place\n2:3:hsa_code+0x40: warning: odd\n3 further errors not shown\n"),
      "a.brig:hsa_code+0x20: error: wrong [X]\na.brig: note: because: error: no\na.brig: error: no place\n"
      "a.brig:2:3:hsa_code+0x40: warning: odd\na.brig: 3 further errors not shown\n");
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
