// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the shared library exports: binaries of other HSA runtimes find every function under its version.
#include <dlfcn.h>

#include <fstream>
#include <string>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

TEST(Exports, EveryFunctionHasItsVersion) {
  void* library = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  std::ifstream names(HEDDLE_FUNCTION_NAMES);
  std::string line;
  int count = 0;
  while (std::getline(names, line)) {
    // One prototype on each line: the name stands before the first parenthesis.
    const size_t end = line.find('(');
    if (line.starts_with('#') || end == std::string::npos) continue;
    const size_t space = line.find_last_of(" *", end);
    const std::string name = line.substr(space + 1, end - space - 1);
    EXPECT_NE(dlvsym(library, name.c_str(), "ROCR_1"), nullptr) << name;
    EXPECT_EQ(dlvsym(library, name.c_str(), "ROCR_1"), dlsym(library, name.c_str())) << name;
    ++count;
  }
  EXPECT_EQ(count, 177);
  EXPECT_NE(dlvsym(library, "hsa_register_agent", "HSAM_1.1"), nullptr);
  EXPECT_EQ(dlvsym(library, "hsa_register_agent", "ROCR_1"), nullptr);
}

}  // namespace
}  // namespace heddle::runtime::test
