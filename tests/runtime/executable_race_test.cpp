// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables that several threads use. ThreadSanitizer runs these tests, too; they need no finalizer.
#include <atomic>
#include <thread>

#include "code.h"

namespace heddle::runtime::test {
namespace {

/// Code that only declares a variable gives it a symbol, whose description the code that defines it replaces.
TEST_F(Executables, DescriptionsAreReplacedWhileTheyAreRead) {
  for (int round = 0; round < 100; ++round) {
    const hsa_executable_t e = executable();
    ASSERT_SUCCESS(load_agent(e, agent_part()));
    const hsa_executable_symbol_t shared = symbol(e, "&shared", false);
    ASSERT_FALSE(info<bool>(shared, HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION));
    std::atomic<bool> is_loaded{false}, is_read{false};
    bool was_defined_at_last = false;
    std::thread reader([&] {
      while (!is_loaded) {
        EXPECT_EQ(info<uint32_t>(shared, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 8u);
        is_read = true;
      }
      was_defined_at_last = info<bool>(shared, HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION);
    });
    while (!is_read) std::this_thread::yield();
    EXPECT_SUCCESS(load_program(e, program_part()));
    is_loaded = true;
    reader.join();
    EXPECT_TRUE(was_defined_at_last);
  }
}

}  // namespace
}  // namespace heddle::runtime::test
