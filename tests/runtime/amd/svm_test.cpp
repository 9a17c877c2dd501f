// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of ranges of memory.
#include <span>
#include <thread>

#include "pools.h"

namespace heddle::runtime::test {
namespace {

constexpr size_t page = 4096;

using Pair = hsa_amd_svm_attribute_pair_t;

class Svm : public Pools {
 protected:
  char* at(size_t pages) { return memory_.data() + pages * page; }
  static hsa_status_t set(void* base, size_t size, uint64_t attribute, uint64_t value) {
    Pair pair{attribute, value};
    return hsa_amd_svm_attributes_set(base, size, &pair, 1);
  }
  static uint64_t get(void* base, size_t size, uint64_t attribute) {
    Pair pair{attribute, 0x77};
    EXPECT_SUCCESS(hsa_amd_svm_attributes_get(base, size, &pair, 1));
    EXPECT_EQ(pair.attribute, attribute);
    return pair.value;
  }
  static uint64_t access(void* base, size_t size, hsa_agent_t agent) {
    Pair pair{HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, agent.handle};
    EXPECT_SUCCESS(hsa_amd_svm_attributes_get(base, size, &pair, 1));
    EXPECT_EQ(pair.value, agent.handle);
    return pair.attribute;
  }
  static void expect_value(hsa_signal_t signal, hsa_signal_value_t value) {
    EXPECT_EQ(
        hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, value, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
        value);
  }

 private:
  std::vector<char> buffer_ = std::vector<char>(64 * page);
  // Whole pages of the buffer.
  std::span<char> memory_{buffer_.data() + (page - reinterpret_cast<uintptr_t>(buffer_.data()) % page),
                          60 * page};
};

TEST_F(Svm, IsSupported) {
  bool supported = false;
  ASSERT_SUCCESS(hsa_system_get_info(HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED, &supported));
  EXPECT_TRUE(supported);
}

TEST_F(Svm, AttributesHaveDefaults) {
  EXPECT_EQ(get(at(0), page, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG), HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED);
  for (uint64_t attribute :
       {HSA_AMD_SVM_ATTRIB_READ_ONLY, HSA_AMD_SVM_ATTRIB_HIVE_LOCAL, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION,
        HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, HSA_AMD_SVM_ATTRIB_GPU_EXEC})
    EXPECT_EQ(get(at(0), page, attribute), 0u) << attribute;
  EXPECT_EQ(access(at(0), page, kernel_agent_), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE);
}

TEST_F(Svm, AttributesAreThoseOfPages) {
  EXPECT_SUCCESS(set(at(2) + 5, 1, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1));
  EXPECT_EQ(get(at(2), page, HSA_AMD_SVM_ATTRIB_READ_MOSTLY), 1u);
  EXPECT_EQ(get(at(2) + page - 1, 1, HSA_AMD_SVM_ATTRIB_READ_MOSTLY), 1u);
  EXPECT_EQ(get(at(2) + page - 1, 2, HSA_AMD_SVM_ATTRIB_READ_MOSTLY), 0u);
  EXPECT_EQ(get(at(1), page, HSA_AMD_SVM_ATTRIB_READ_MOSTLY), 0u);
  EXPECT_EQ(get(at(3), page, HSA_AMD_SVM_ATTRIB_READ_MOSTLY), 0u);
}

TEST_F(Svm, RangesThatDifferHaveTheValuesThatAreSaid) {
  EXPECT_SUCCESS(
      set(at(10), 4 * page, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED));
  EXPECT_SUCCESS(set(at(10), 4 * page, HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY, 12));
  EXPECT_SUCCESS(set(at(12), 4 * page, HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY, 11));
  EXPECT_SUCCESS(set(at(10), page, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, kernel_agent_.handle));
  EXPECT_EQ(get(at(10), 4 * page, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG), HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED);
  EXPECT_EQ(get(at(10), 5 * page, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG), HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE);
  EXPECT_EQ(get(at(9), 2 * page, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG), HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE);
  EXPECT_EQ(get(at(10), 2 * page, HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY), 12u);
  EXPECT_EQ(get(at(10), 6 * page, HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY), 11u);
  EXPECT_EQ(get(at(10), page, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION), kernel_agent_.handle);
  EXPECT_EQ(get(at(10), 2 * page, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION), 0u);
}

TEST_F(Svm, AccessIsTheLeastOfAllPages) {
  EXPECT_SUCCESS(set(at(20), 2 * page, HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, kernel_agent_.handle));
  EXPECT_SUCCESS(set(at(21), page, HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, kernel_agent_.handle));
  EXPECT_EQ(access(at(20), page, kernel_agent_), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE);
  EXPECT_EQ(access(at(19), 2 * page, kernel_agent_), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE);
  EXPECT_EQ(access(at(19), 3 * page, kernel_agent_), HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS);
  EXPECT_EQ(access(at(20), 2 * page, host_), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE);
  EXPECT_SUCCESS(set(at(20), 2 * page, HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE, kernel_agent_.handle));
  EXPECT_EQ(access(at(20), 2 * page, kernel_agent_), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE);
}

TEST_F(Svm, SeveralAttributesAtOnceAreSetTogetherOrNotAtAll) {
  Pair pairs[] = {{HSA_AMD_SVM_ATTRIB_READ_ONLY, 1}, {HSA_AMD_SVM_ATTRIB_GPU_EXEC, 1}};
  EXPECT_SUCCESS(hsa_amd_svm_attributes_set(at(30), page, pairs, 2));
  EXPECT_EQ(get(at(30), page, HSA_AMD_SVM_ATTRIB_READ_ONLY), 1u);
  EXPECT_EQ(get(at(30), page, HSA_AMD_SVM_ATTRIB_GPU_EXEC), 1u);
  Pair bad[] = {{HSA_AMD_SVM_ATTRIB_READ_ONLY, 0}, {HSA_AMD_SVM_ATTRIB_GPU_EXEC, 2}};
  EXPECT_EQ(hsa_amd_svm_attributes_set(at(30), page, bad, 2), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(get(at(30), page, HSA_AMD_SVM_ATTRIB_READ_ONLY), 1u);
  EXPECT_SUCCESS(hsa_amd_svm_attributes_set(at(30), page, nullptr, 0));
}

TEST_F(Svm, AttributeErrors) {
  EXPECT_EQ(set(nullptr, page, HSA_AMD_SVM_ATTRIB_READ_ONLY, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set(at(0), 0, HSA_AMD_SVM_ATTRIB_READ_ONLY, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set(at(0), SIZE_MAX, HSA_AMD_SVM_ATTRIB_READ_ONLY, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set(at(0), page, HSA_AMD_SVM_ATTRIB_READ_ONLY, 2), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set(at(0), page, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, 2), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set(at(0), page, HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY, 64),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (uint64_t attribute : {uint64_t{HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION}, uint64_t{8}, uint64_t{0x1ff},
                             uint64_t{HSA_AMD_SVM_ATTRIB_ACCESS_QUERY}, uint64_t{0x204}, UINT64_MAX})
    EXPECT_EQ(set(at(0), page, attribute, host_.handle), HSA_STATUS_ERROR_INVALID_ARGUMENT) << attribute;
  for (uint64_t attribute :
       {uint64_t{HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE}, uint64_t{HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS},
        uint64_t{HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION}})
    EXPECT_EQ(set(at(0), page, attribute, 1), HSA_STATUS_ERROR_INVALID_AGENT) << attribute;
  EXPECT_EQ(hsa_amd_svm_attributes_set(at(0), page, nullptr, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);

  Pair pair{HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, host_.handle};
  EXPECT_EQ(hsa_amd_svm_attributes_get(at(0), page, &pair, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  pair = {HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, 1};
  EXPECT_EQ(hsa_amd_svm_attributes_get(at(0), page, &pair, 1), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_svm_attributes_get(nullptr, page, &pair, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_svm_attributes_get(at(0), page, nullptr, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Svm, PrefetchesWaitForAllTheirSignals) {
  for (size_t count = 0; count <= 3; ++count) {
    const hsa_signal_t completion = signal(5);
    std::vector<hsa_signal_t> before;
    for (size_t i = 0; i < count; ++i) before.push_back(signal(1));
    ASSERT_SUCCESS(hsa_amd_svm_prefetch_async(at(40), page, kernel_agent_, static_cast<uint32_t>(count),
                                              before.data(), completion));
    for (size_t i = count; i-- > 0;) {
      EXPECT_EQ(hsa_signal_load_scacquire(completion), 5);
      hsa_signal_store_screlease(before[i], 0);
    }
    expect_value(completion, 4);
    EXPECT_EQ(get(at(40), page, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), kernel_agent_.handle);
    for (hsa_signal_t one : before) EXPECT_SUCCESS(hsa_signal_destroy(one));
    EXPECT_SUCCESS(hsa_signal_destroy(completion));
  }
  EXPECT_SUCCESS(hsa_amd_svm_prefetch_async(at(40), page, host_, 0, nullptr, {0}));
  EXPECT_EQ(get(at(40), page, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), host_.handle);
}

TEST_F(Svm, PrefetchErrors) {
  const hsa_signal_t completion = signal(1);
  const hsa_signal_t garbage{24};
  EXPECT_EQ(hsa_amd_svm_prefetch_async(nullptr, page, host_, 0, nullptr, completion),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(at(0), 0, host_, 0, nullptr, completion),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(at(0), page, host_, 1, nullptr, completion),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(at(0), page, {0}, 0, nullptr, completion),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(at(0), page, host_, 1, &garbage, completion),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(at(0), page, host_, 0, nullptr, garbage),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_signal_load_scacquire(completion), 1);
  EXPECT_SUCCESS(hsa_signal_destroy(completion));
}

TEST_F(Svm, ThreadsSetAndAskAtOnce) {
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      for (uint64_t i = 0; i < 200; ++i) {
        EXPECT_SUCCESS(set(at(2 * t), page, HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY, i % 64));
        EXPECT_EQ(get(at(2 * t), page, HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY), i % 64);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(SvmWithoutRuntime, NotInitialized) {
  int local = 0;
  Pair pair{};
  EXPECT_EQ(hsa_amd_svm_attributes_set(&local, 4, &pair, 1), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_amd_svm_attributes_get(&local, 4, &pair, 1), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(&local, 4, {0}, 0, nullptr, {0}), HSA_STATUS_ERROR_NOT_INITIALIZED);
}

}  // namespace
}  // namespace heddle::runtime::test
