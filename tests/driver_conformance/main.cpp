// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// driver_conformance [--existing-programs] PLUGIN [CODE] judges an agent driver by what include/hsam
// promises. PLUGIN is the path of its library. CODE is a code object for the plugin's first kernel agent
// whose kernel number 0 takes no arguments, uses no group memory, and does nothing. Without it the cases that
// dispatch kernels are skipped. --existing-programs also checks what no specification asks for but HSA
// programs rely on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "host.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto& host = heddle::conformance::Host::get();
  char** const end = std::remove_if(argv + 1, argv + argc,
                                    [](std::string_view word) { return word == "--existing-programs"; });
  host.for_existing_programs = end != argv + argc;
  argc = static_cast<int>(end - argv);
  if (!host.for_existing_programs) {
    std::string filter = GTEST_FLAG_GET(filter);
    filter += filter.find('-') == std::string::npos ? "-" : ":";
    GTEST_FLAG_SET(filter, filter + "ExistingPrograms.*");
  }
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: driver_conformance [--existing-programs] PLUGIN [CODE]\n");
    return 2;
  }
  std::string problem = host.open(argv[1]);
  if (!problem.empty()) {
    std::fprintf(stderr, "%s: %s\n", argv[1], problem.c_str());
    return 1;
  }
  if (host.agents().empty()) {
    std::fprintf(stderr, "%s: it has registered no agent\n", argv[1]);
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
