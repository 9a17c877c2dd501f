// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that the shared library exports: binaries for other HSA runtimes find every function under
// its version.
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
    // Each line has one prototype, with the name in front of the first parenthesis.
    const size_t end = line.find('(');
    if (line.starts_with('#') || end == std::string::npos) continue;
    const size_t space = line.find_last_of(" *", end);
    const std::string name = line.substr(space + 1, end - space - 1);
    EXPECT_NE(dlvsym(library, name.c_str(), "ROCR_1"), nullptr) << name;
    EXPECT_EQ(dlvsym(library, name.c_str(), "ROCR_1"), dlsym(library, name.c_str())) << name;
    ++count;
  }
  EXPECT_EQ(count, 217);
  EXPECT_NE(dlvsym(library, "hsa_register_agent", "HSAM_1.1"), nullptr);
  EXPECT_EQ(dlvsym(library, "hsa_register_agent", "ROCR_1"), nullptr);
}

/// The names of HSA 1.0 are the same functions, not copies. The test asks the dynamic linker, because a
/// compiler takes two names for two functions.
TEST(Exports, OldNamesAreSynonyms) {
  void* library = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto same = [&](const std::string& old_name, const std::string& new_name) {
    ASSERT_NE(dlsym(library, new_name.c_str()), nullptr) << new_name;
    EXPECT_EQ(dlsym(library, old_name.c_str()), dlsym(library, new_name.c_str())) << old_name;
  };
  const std::pair<const char*, const char*> orders[] = {
      {"acq_rel", "scacq_screl"}, {"acquire", "scacquire"}, {"release", "screlease"}};
  for (const auto& [old_order, new_order] : orders)
    for (const std::string prefix :
         {"hsa_signal_exchange_", "hsa_signal_cas_", "hsa_signal_add_", "hsa_signal_subtract_",
          "hsa_signal_and_", "hsa_signal_or_", "hsa_signal_xor_", "hsa_queue_cas_write_index_",
          "hsa_queue_add_write_index_"})
      same(prefix + old_order, prefix + new_order);
  same("hsa_signal_load_acquire", "hsa_signal_load_scacquire");
  same("hsa_signal_store_release", "hsa_signal_store_screlease");
  same("hsa_signal_wait_acquire", "hsa_signal_wait_scacquire");
  same("hsa_queue_load_read_index_acquire", "hsa_queue_load_read_index_scacquire");
  same("hsa_queue_load_write_index_acquire", "hsa_queue_load_write_index_scacquire");
  same("hsa_queue_store_write_index_release", "hsa_queue_store_write_index_screlease");
  same("hsa_queue_store_read_index_release", "hsa_queue_store_read_index_screlease");
}

}  // namespace
}  // namespace heddle::runtime::test
