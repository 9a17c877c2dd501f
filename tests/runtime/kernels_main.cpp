// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function of programs that dispatch kernels to every agent that executes them.
#include <cstdlib>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  setenv("HEDDLE_AGENTS", "cpu,interpreter", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
