// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues of the AMD extension: priorities, compute units, queries. amd_kernels_test.cpp looks at the effects.
#include <hsa/hsa_ext_amd.h>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

constexpr auto invalid_argument = HSA_STATUS_ERROR_INVALID_ARGUMENT;
constexpr auto invalid_queue = HSA_STATUS_ERROR_INVALID_QUEUE;

class AmdQueues : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    queue_ = queue();
    doorbell_ = signal(0);
    ASSERT_SUCCESS(hsa_soft_queue_create(fine_region(), 64, HSA_QUEUE_TYPE_MULTI,
                                         HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell_, &soft_));
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_queue_destroy(queue_));
    EXPECT_SUCCESS(hsa_queue_destroy(soft_));
    EXPECT_SUCCESS(hsa_signal_destroy(doorbell_));
    Runtime::TearDown();
  }
  hsa_queue_t* queue_ = nullptr;
  hsa_queue_t* soft_ = nullptr;
  hsa_signal_t doorbell_{};
};

TEST_F(AmdQueues, Priorities) {
  for (const auto priority :
       {HSA_AMD_QUEUE_PRIORITY_LOW, HSA_AMD_QUEUE_PRIORITY_NORMAL, HSA_AMD_QUEUE_PRIORITY_HIGH}) {
    EXPECT_SUCCESS(hsa_amd_queue_set_priority(queue_, priority));
    EXPECT_EQ(hsa_amd_queue_set_priority(soft_, priority), invalid_queue);
    EXPECT_EQ(hsa_amd_queue_set_priority(nullptr, priority), invalid_queue);
  }
  EXPECT_EQ(hsa_amd_queue_set_priority(queue_, static_cast<hsa_amd_queue_priority_t>(3)), invalid_argument);
  EXPECT_EQ(hsa_amd_queue_set_priority(queue_, static_cast<hsa_amd_queue_priority_t>(-1)), invalid_argument);
}

/// The null agent has one compute unit.
TEST_F(AmdQueues, Masks) {
  uint32_t mask[3] = {7, 7, 7};
  ASSERT_SUCCESS(hsa_amd_queue_cu_get_mask(queue_, 96, mask));
  EXPECT_EQ(mask[0], 1u);
  EXPECT_EQ(mask[1], 0u);
  EXPECT_EQ(mask[2], 0u);
  const uint32_t all[2] = {UINT32_MAX, UINT32_MAX}, none[2] = {0xfffffffe, UINT32_MAX};
  EXPECT_SUCCESS(hsa_amd_queue_cu_set_mask(queue_, 64, all));
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue_, 64, none), invalid_argument);
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue_, 31, all), invalid_argument);
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue_, 32, nullptr), invalid_argument);
  EXPECT_SUCCESS(hsa_amd_queue_cu_set_mask(queue_, 0, nullptr));
  mask[0] = 0;
  ASSERT_SUCCESS(hsa_amd_queue_cu_get_mask(queue_, 32, mask));
  EXPECT_EQ(mask[0], 1u);
  EXPECT_EQ(hsa_amd_queue_cu_get_mask(queue_, 0, mask), invalid_argument);
  EXPECT_EQ(hsa_amd_queue_cu_get_mask(queue_, 33, mask), invalid_argument);
  EXPECT_EQ(hsa_amd_queue_cu_get_mask(queue_, 32, nullptr), invalid_argument);
  for (const hsa_queue_t* none_of_an_agent :
       {static_cast<const hsa_queue_t*>(soft_), static_cast<const hsa_queue_t*>(nullptr)}) {
    EXPECT_EQ(hsa_amd_queue_cu_set_mask(none_of_an_agent, 32, all), invalid_queue);
    EXPECT_EQ(hsa_amd_queue_cu_get_mask(none_of_an_agent, 32, mask), invalid_queue);
  }
}

TEST_F(AmdQueues, Queries) {
  hsa_agent_t agent{7};
  uint64_t id = 0;
  ASSERT_SUCCESS(hsa_amd_queue_get_info(queue_, HSA_AMD_QUEUE_INFO_AGENT, &agent));
  EXPECT_EQ(agent.handle, kernel_agent_.handle);
  ASSERT_SUCCESS(hsa_amd_queue_get_info(queue_, HSA_AMD_QUEUE_INFO_DOORBELL_ID, &id));
  EXPECT_EQ(id, queue_->id);
  ASSERT_SUCCESS(hsa_amd_queue_get_info(soft_, HSA_AMD_QUEUE_INFO_AGENT, &agent));
  EXPECT_EQ(agent.handle, 0u);
  EXPECT_EQ(hsa_amd_queue_get_info(queue_, static_cast<hsa_queue_info_attribute_t>(2), &id),
            invalid_argument);
  EXPECT_EQ(hsa_amd_queue_get_info(queue_, HSA_AMD_QUEUE_INFO_AGENT, nullptr), invalid_argument);
  EXPECT_EQ(hsa_amd_queue_get_info(nullptr, HSA_AMD_QUEUE_INFO_AGENT, &agent), invalid_queue);
}

TEST(AmdQueuesWithoutRuntime, AreRefused) {
  constexpr auto refused = HSA_STATUS_ERROR_NOT_INITIALIZED;
  EXPECT_EQ(hsa_amd_queue_set_priority(nullptr, HSA_AMD_QUEUE_PRIORITY_LOW), refused);
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(nullptr, 0, nullptr), refused);
  EXPECT_EQ(hsa_amd_queue_cu_get_mask(nullptr, 0, nullptr), refused);
  EXPECT_EQ(hsa_amd_queue_get_info(nullptr, HSA_AMD_QUEUE_INFO_AGENT, nullptr), refused);
}

}  // namespace
}  // namespace heddle::runtime::test
