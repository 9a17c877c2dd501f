// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/kernel_agents.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace heddle::testing {

const std::vector<tools::KernelAgent>& kernel_agents() {
  static const std::vector<tools::KernelAgent> agents = [] {
    setenv("HEDDLE_AGENTS", "cpu,interpreter", 1);
    static auto session = tools::Session::open();  // until the process ends
    EXPECT_TRUE(static_cast<bool>(session));
    return tools::kernel_agents();
  }();
  EXPECT_EQ(agents.size(), 2U);
  return agents;
}

}  // namespace heddle::testing
