// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/thread_name.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>

namespace heddle {
namespace {

TEST(ThreadName, IsThatOfTheThreadAlone) {
  std::string own, other;
  std::thread([&] {
    name_thread("heddle-12345678");
    std::ifstream("/proc/thread-self/comm") >> other;
  }).join();
  std::ifstream("/proc/thread-self/comm") >> own;
  EXPECT_EQ(other, "heddle-12345678");
  EXPECT_NE(own, other);
}

}  // namespace
}  // namespace heddle
