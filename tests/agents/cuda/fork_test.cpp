// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes that fork while another thread is inside the driver and holds the locks of the agent.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "agents/cuda/gpu_agent.h"
#include "fake_driver.h"

namespace heddle::cuda::test {
namespace {

class Fork : public FakeDriverTest {
 protected:
  /// Forks while `busy` is in this function of the driver, and expects the child to come to the end of
  /// `in_child`, which says whether all was well.
  static void expect_free(std::string_view function, const std::function<void()>& busy,
                          const std::function<bool()>& in_child) {
    std::atomic<int> calls{0};
    std::atomic<bool> goes_on{false};
    fake_control().before = [&](std::string_view called) {
      if (called == function && calls++ == 0)
        while (!goes_on) std::this_thread::yield();
      return Status::success;
    };
    std::thread other(busy);
    while (calls == 0) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(in_child() ? 0 : 1);
    }
    goes_on = true;
    other.join();
    fake_control().before = {};
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "the child was stuck";
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
};

TEST_F(Fork, during_an_allocation_leaves_the_child_free_to_allocate) {
  auto gpus = find_gpus(fake_api());
  ASSERT_TRUE(gpus && gpus->size() == 1);
  const hsam_host host = {};
  LazyDriver driver(HEDDLE_FAKE_CUDA, std::nullopt);
  GpuAgent agent(host, driver, gpus->front(), 0);
  ASSERT_EQ(agent.open(), HSAM_Done);
  alignas(4096) static char memory[2][4096];
  const auto add = [&](char* page) { return agent.memory_allocation(0, page, 4096, false) == HSAM_Done; };
  const auto allocate_and_free = [&] {
    const bool added = add(memory[1]);
    agent.memory_free(memory[1]);
    return added;
  };
  expect_free("cuMemHostRegister_v2", [&] { EXPECT_TRUE(add(memory[0])); }, allocate_and_free);
  agent.memory_free(memory[0]);
  EXPECT_EQ(fake_control().registered_bytes, 0u);
}

TEST_F(Fork, during_the_start_of_the_driver_leaves_the_child_free_to_start_it) {
  LazyDriver driver(HEDDLE_FAKE_CUDA, std::nullopt);
  expect_free(
      "cuInit", [&] { EXPECT_TRUE(driver.started().ok()); },
      [&] { return !driver.is_open() && driver.started().ok(); });
  EXPECT_TRUE(driver.is_open());
}

}  // namespace
}  // namespace heddle::cuda::test
