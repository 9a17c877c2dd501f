// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statuses of wrong arguments that have no place in the other files, which are organised by subject: one row
// for each function and status.
#include "code.h"

namespace heddle::runtime::test {
namespace {

constexpr auto invalid = HSA_STATUS_ERROR_INVALID_ARGUMENT;

class Arguments : public Executables {
 protected:
  void SetUp() override {
    Executables::SetUp();
    std::vector<hsa_isa_t> isas;
    ASSERT_SUCCESS(hsa_agent_iterate_isas(kernel_agent_, collect<hsa_isa_t>, &isas));
    isa_ = isas.at(0);
  }
  hsa_isa_t isa_{};
};

TEST_F(Arguments, AgentExtensions) {
  uint16_t minor = 0;
  bool supported = false;
  EXPECT_EQ(hsa_agent_major_extension_supported(0xffff, kernel_agent_, 1, &minor, &supported), invalid);
  EXPECT_EQ(
      hsa_agent_major_extension_supported(HSA_EXTENSION_FINALIZER, kernel_agent_, 1, nullptr, &supported),
      invalid);
  EXPECT_EQ(hsa_agent_major_extension_supported(HSA_EXTENSION_FINALIZER, kernel_agent_, 1, &minor, nullptr),
            invalid);
}

TEST_F(Arguments, Isas) {
  uint16_t mask = 0;
  uint32_t value = 0;
  bool compatible = false;
  for (uint64_t handle : garbage_handles) {
    constexpr auto none = HSA_STATUS_ERROR_INVALID_ISA;
    EXPECT_EQ(hsa_isa_get_info({handle}, HSA_ISA_INFO_NAME_LENGTH, 0, &value), none);
    EXPECT_EQ(hsa_isa_get_info_alt({handle}, HSA_ISA_INFO_NAME_LENGTH, &value), none);
    EXPECT_EQ(hsa_isa_get_exception_policies({handle}, HSA_PROFILE_FULL, &mask), none);
    EXPECT_EQ(hsa_isa_compatible({handle}, isa_, &compatible), none);
    EXPECT_EQ(hsa_isa_compatible(isa_, {handle}, &compatible), none);
  }
  EXPECT_EQ(hsa_isa_get_info(isa_, HSA_ISA_INFO_NAME_LENGTH, 0, nullptr), invalid);
  EXPECT_EQ(hsa_isa_get_info(isa_, static_cast<hsa_isa_info_t>(1000), 0, &value), invalid);
  EXPECT_EQ(hsa_isa_get_exception_policies(isa_, HSA_PROFILE_FULL, nullptr), invalid);
  EXPECT_EQ(hsa_isa_iterate_wavefronts(isa_, nullptr, nullptr), invalid);
}

TEST_F(Arguments, WaitsOnSignalGroups) {
  const hsa_signal_t s = signal(1);
  hsa_signal_group_t group{};
  ASSERT_SUCCESS(hsa_signal_group_create(1, &s, 1, &host_, &group));
  const hsa_signal_condition_t met = HSA_SIGNAL_CONDITION_EQ;
  const auto none = static_cast<hsa_signal_condition_t>(17);
  const hsa_signal_value_t one = 1;
  hsa_signal_t hit{};
  hsa_signal_value_t seen = 0;
  for (auto wait : {hsa_signal_group_wait_any_scacquire, hsa_signal_group_wait_any_relaxed}) {
    EXPECT_EQ(wait(group, nullptr, &one, HSA_WAIT_STATE_BLOCKED, &hit, &seen), invalid);
    EXPECT_EQ(wait(group, &met, nullptr, HSA_WAIT_STATE_BLOCKED, &hit, &seen), invalid);
    EXPECT_EQ(wait(group, &met, &one, HSA_WAIT_STATE_BLOCKED, nullptr, &seen), invalid);
    EXPECT_EQ(wait(group, &met, &one, HSA_WAIT_STATE_BLOCKED, &hit, nullptr), invalid);
    EXPECT_EQ(wait(group, &none, &one, HSA_WAIT_STATE_BLOCKED, &hit, &seen), invalid);
    for (uint64_t handle : garbage_handles)
      EXPECT_EQ(wait({handle}, &met, &one, HSA_WAIT_STATE_BLOCKED, &hit, &seen),
                HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
    EXPECT_SUCCESS(wait(group, &met, &one, HSA_WAIT_STATE_BLOCKED, &hit, &seen));
    EXPECT_EQ(hit.handle, s.handle);
    EXPECT_EQ(seen, 1);
  }
  EXPECT_SUCCESS(hsa_signal_group_destroy(group));
  EXPECT_SUCCESS(hsa_signal_destroy(s));
}

TEST_F(Arguments, DefinitionsForOneAgent) {
  uint64_t x = 0;
  for (auto define : {hsa_executable_agent_global_variable_define, hsa_executable_readonly_variable_define}) {
    const hsa_executable_t e = executable();
    EXPECT_EQ(define(e, kernel_agent_, nullptr, &x), invalid);
    EXPECT_EQ(define(e, kernel_agent_, "&x", nullptr), invalid);
    EXPECT_EQ(define(e, kernel_agent_, "", &x), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    EXPECT_EQ(define(e, kernel_agent_, "&", &x), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    EXPECT_SUCCESS(define(e, kernel_agent_, "&x", &x));
    EXPECT_EQ(define(e, kernel_agent_, "&x", &x), HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  }
}

TEST_F(Arguments, ValidationAndSymbols) {
  uint32_t result = 0;
  hsa_executable_symbol_t s{};
  const auto list = [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void*) {
    return HSA_STATUS_SUCCESS;
  };
  for (uint64_t handle : garbage_handles) {
    constexpr auto none = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    EXPECT_EQ(hsa_executable_validate_alt({handle}, nullptr, &result), none);
    EXPECT_EQ(hsa_executable_get_symbol_by_name({handle}, "&main", &kernel_agent_, &s), none);
    EXPECT_EQ(hsa_executable_iterate_agent_symbols({handle}, kernel_agent_, list, nullptr), none);
  }
  const hsa_executable_t e = executable();
  ASSERT_SUCCESS(load_agent(e, agent_part()));
  EXPECT_EQ(hsa_executable_validate_alt(e, nullptr, nullptr), invalid);
  EXPECT_EQ(hsa_executable_get_symbol_by_name(e, nullptr, &kernel_agent_, &s), invalid);
  EXPECT_EQ(hsa_executable_get_symbol_by_name(e, "&main", &kernel_agent_, nullptr), invalid);
  EXPECT_EQ(hsa_executable_get_symbol_by_name(e, "&nobody", &kernel_agent_, &s),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
}

TEST_F(Arguments, CodeObjectSymbols) {
  const std::vector<std::byte> blob = co::write(sample());
  hsa_code_object_t code{};
  // Deserialization accepts the address as it is given.
  ASSERT_SUCCESS(
      hsa_code_object_deserialize(const_cast<std::byte*>(blob.data()), blob.size(), nullptr, &code));
  hsa_code_symbol_t s{};
  for (uint64_t handle : garbage_handles)
    EXPECT_EQ(hsa_code_object_get_symbol_from_name({handle}, nullptr, "&main", &s),
              HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(hsa_code_object_get_symbol_from_name(code, nullptr, nullptr, &s), invalid);
  EXPECT_EQ(hsa_code_object_get_symbol_from_name(code, nullptr, "&main", nullptr), invalid);
  // The callback succeeds, but provides no memory.
  void* serialized = nullptr;
  size_t size = 0;
  EXPECT_EQ(hsa_code_object_serialize(
                code,
                [](size_t, hsa_callback_data_t, void** address) {
                  *address = nullptr;
                  return HSA_STATUS_SUCCESS;
                },
                {0}, nullptr, &serialized, &size),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_SUCCESS(hsa_code_object_destroy(code));
}

TEST_F(Arguments, MoreQueuesThanTheAgentHas) {
  const auto most = agent_info<uint32_t>(kernel_agent_, HSA_AGENT_INFO_QUEUES_MAX);
  std::vector<hsa_queue_t*> queues;
  for (uint32_t i = 0; i < most; ++i) queues.push_back(queue(1));
  hsa_queue_t* one_more = nullptr;
  const auto create = [&] {
    return hsa_queue_create(kernel_agent_, 1, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &one_more);
  };
  EXPECT_EQ(create(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(one_more, nullptr);
  EXPECT_SUCCESS(hsa_queue_destroy(queues.back()));
  queues.pop_back();
  EXPECT_SUCCESS(create());
  queues.push_back(one_more);
  for (hsa_queue_t* q : queues) EXPECT_SUCCESS(hsa_queue_destroy(q));
}

}  // namespace
}  // namespace heddle::runtime::test
