// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels in the child of a fork, on every kernel agent that executes.
#include <filesystem>
#include <iterator>
#include <thread>

#include "kernels.h"

namespace heddle::runtime::test {
namespace {

size_t threads_of_process() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(threads), end(threads)));
}

class Fork : public OnAgent {
 protected:
  /// Runs a kernel whose cost is still unknown, so that the pool's helpers are called.
  bool counts() {
    const Kernels kernels(agent_, R"(module &m:1:2:$full:$large:$near;
prog kernel &count(kernarg_u64 %count) {
  ld_kernarg_align(8)_u64 $d0, [%count];
  atomicnoret_add_global_rlx_system_u32 [$d0], 1;
};
)");
    uint32_t count = 0;
    return run(kernels, "&count", 256, 1, {address_of(&count)}) && count == 256;
  }
};
INSTANTIATE_TEST_SUITE_P(Agents, Fork, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

/// The threads that help in the parent do not exist in the child, and were idle at the fork. Threads of
/// queues end with their queues, so the threads that remain are the helpers.
TEST_P(Fork, TheChildGetsThreadsOfItsOwn) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor: kernels run on one thread";
  ASSERT_TRUE(counts());
  EXPECT_GT(threads_of_process(), 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until the helpers are idle
  const int code = in_child([&] {
    alarm(60);
    if (threads_of_process() != 1) return 1;
    if (hsa_init() != HSA_STATUS_SUCCESS) return 2;
    if (!counts()) return 3;
    if (threads_of_process() < 2) return 4;
    return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 5;
  });
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(counts());
}

}  // namespace
}  // namespace heddle::runtime::test
