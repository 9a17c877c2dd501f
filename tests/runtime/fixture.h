// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of the runtime use only its C interface. Their kernel agent is the null agent (main.cpp):
// everything about it is real except the execution.
#pragma once

#include <gtest/gtest.h>
#include <hsa/hsa.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace heddle::runtime::test {

#define EXPECT_SUCCESS(call) EXPECT_EQ(call, HSA_STATUS_SUCCESS)
#define ASSERT_SUCCESS(call) ASSERT_EQ(call, HSA_STATUS_SUCCESS)

/// Collects the handles that an iteration provides.
template <typename Handle>
hsa_status_t collect(Handle handle, void* data) {
  static_cast<std::vector<Handle>*>(data)->push_back(handle);
  return HSA_STATUS_SUCCESS;
}

template <typename T>
T agent_info(hsa_agent_t agent, hsa_agent_info_t attribute) {
  T value{};
  EXPECT_SUCCESS(hsa_agent_get_info(agent, attribute, &value));
  return value;
}

template <typename T>
T region_info(hsa_region_t region, hsa_region_info_t attribute) {
  T value{};
  EXPECT_SUCCESS(hsa_region_get_info(region, attribute, &value));
  return value;
}

/// Runs `body` in a child process. Returns its exit code, or -1 if a signal ended it.
template <typename Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// An initialised runtime with its agents.
class Runtime : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_SUCCESS(hsa_init());
    ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents_));
    ASSERT_EQ(agents_.size(), 2u);
    host_ = agents_[0];
    kernel_agent_ = agents_[1];
  }
  void TearDown() override { EXPECT_SUCCESS(hsa_shut_down()); }

  static std::vector<hsa_region_t> regions(hsa_agent_t agent) {
    std::vector<hsa_region_t> found;
    EXPECT_SUCCESS(hsa_agent_iterate_regions(agent, collect<hsa_region_t>, &found));
    return found;
  }
  /// Returns the first global region of the agent that has exactly these flags; handle 0 if there is none.
  static hsa_region_t global_region(hsa_agent_t agent, uint32_t flags) {
    for (hsa_region_t region : regions(agent))
      if (region_info<hsa_region_segment_t>(region, HSA_REGION_INFO_SEGMENT) == HSA_REGION_SEGMENT_GLOBAL &&
          region_info<uint32_t>(region, HSA_REGION_INFO_GLOBAL_FLAGS) == flags)
        return region;
    return {0};
  }
  hsa_region_t fine_region() const { return global_region(host_, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED); }
  hsa_region_t coarse_region() const { return global_region(host_, HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED); }

  static hsa_signal_t signal(hsa_signal_value_t value) {
    hsa_signal_t made{};
    EXPECT_SUCCESS(hsa_signal_create(value, 0, nullptr, &made));
    return made;
  }
  hsa_queue_t* queue(uint32_t size = 64) const {
    hsa_queue_t* made = nullptr;
    EXPECT_SUCCESS(hsa_queue_create(kernel_agent_, size, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX,
                                    UINT32_MAX, &made));
    return made;
  }

  std::vector<hsa_agent_t> agents_;
  hsa_agent_t host_{}, kernel_agent_{};
};

/// Values that are not handles of any object.
inline const uint64_t garbage_handles[] = {0, 1, 8, 0x1000, 0x7fffffffffff, 0xdeadbeefdeadbeef, UINT64_MAX};

}  // namespace heddle::runtime::test
