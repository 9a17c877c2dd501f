// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("HEDDLE_AGENTS", "null,interpreter", 1);
  setenv("HEDDLE_CHECK", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
