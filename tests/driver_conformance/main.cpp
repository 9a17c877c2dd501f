// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// driver_conformance PLUGIN [CODE] judges an agent driver by what include/hsam promises. CODE is a code
// object for the plugin's first kernel agent whose kernel number 0 takes no arguments, uses no group memory,
// and does nothing. Without it the cases that dispatch kernels are skipped.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "host.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: driver_conformance PLUGIN [CODE]\n");
    return 2;
  }
  auto& host = heddle::conformance::Host::get();
  std::string problem = host.open(argv[1]);
  if (!problem.empty()) {
    std::fprintf(stderr, "%s: %s\n", argv[1], problem.c_str());
    return 1;
  }
  if (argc == 3) {
    std::ifstream file(argv[2], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[2]);
      return 1;
    }
    host.code.assign(std::istreambuf_iterator<char>(file), {});
  }
  return RUN_ALL_TESTS();
}
