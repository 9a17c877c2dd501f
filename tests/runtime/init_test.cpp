// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initialization, shut down, processes that fork or end (Runtime 2.1), and status codes (Runtime 2.2).
#include <hsa/hsa_ext_finalize.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <set>
#include <thread>

#include "fixture.h"
#include "machine_speed.h"

namespace heddle::runtime::test {
namespace {

constexpr auto not_initialized = HSA_STATUS_ERROR_NOT_INITIALIZED;

TEST(Init, EveryFunctionAsksForInitialization) {
  const char* text = nullptr;
  bool flag = false;
  uint16_t u16 = 0;
  uint32_t u32 = 0;
  size_t size = 0;
  void* pointer = nullptr;
  uint64_t buffer[32] = {};
  char name[] = "name";
  hsa_signal_t signal{1};
  hsa_signal_group_t group{1};
  hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
  hsa_signal_value_t value = 0;
  hsa_agent_t agent{1};
  hsa_region_t region{1};
  hsa_isa_t isa{1};
  hsa_queue_t queue_memory{};
  hsa_queue_t* queue = &queue_memory;
  hsa_executable_t executable{1};
  hsa_executable_symbol_t symbol{1};
  hsa_code_object_t code_object{1};
  hsa_code_symbol_t code_symbol{1};
  hsa_code_object_reader_t reader{1};
  hsa_loaded_code_object_t loaded{1};
  hsa_ext_program_t program{1};
  hsa_ext_code_object_writer_t writer{1};
  hsa_location_t location{{0}, buffer};
  hsa_round_method_t method;
  hsa_ext_control_directives_t directives{};

  const std::pair<const char*, std::function<hsa_status_t()>> calls[] = {
#define CALL(...)                             \
  {                                           \
    #__VA_ARGS__, [&] { return __VA_ARGS__; } \
  }
      CALL(hsa_shut_down()),
      CALL(hsa_status_string(HSA_STATUS_SUCCESS, &text)),
      CALL(hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, buffer)),
      CALL(hsa_extension_get_name(0, &text)),
      CALL(hsa_system_extension_supported(0, 1, 0, &flag)),
      CALL(hsa_system_major_extension_supported(0, 1, &u16, &flag)),
      CALL(hsa_system_get_extension_table(0, 1, 0, buffer)),
      CALL(hsa_system_get_major_extension_table(0, 1, 8, buffer)),
      CALL(hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, buffer)),
      CALL(hsa_iterate_agents(collect<hsa_agent_t>, nullptr)),
      CALL(hsa_agent_get_exception_policies(agent, HSA_PROFILE_FULL, &u16)),
      CALL(hsa_cache_get_info({1}, HSA_CACHE_INFO_LEVEL, buffer)),
      CALL(hsa_agent_iterate_caches(agent, collect<hsa_cache_t>, nullptr)),
      CALL(hsa_agent_extension_supported(0, agent, 1, 0, &flag)),
      CALL(hsa_agent_major_extension_supported(0, agent, 1, &u16, &flag)),
      CALL(hsa_signal_create(0, 0, nullptr, &signal)),
      CALL(hsa_signal_destroy(signal)),
      CALL(hsa_signal_group_create(1, &signal, 1, &agent, &group)),
      CALL(hsa_signal_group_destroy(group)),
      CALL(hsa_signal_group_wait_any_scacquire(group, &condition, &value, HSA_WAIT_STATE_BLOCKED, &signal,
                                               &value)),
      CALL(hsa_signal_group_wait_any_relaxed(group, &condition, &value, HSA_WAIT_STATE_BLOCKED, &signal,
                                             &value)),
      CALL(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue)),
      CALL(hsa_soft_queue_create(region, 64, HSA_QUEUE_TYPE_MULTI, 1, signal, &queue)),
      CALL(hsa_queue_destroy(queue)),
      CALL(hsa_queue_inactivate(queue)),
      CALL(hsa_region_get_info(region, HSA_REGION_INFO_SIZE, buffer)),
      CALL(hsa_agent_iterate_regions(agent, collect<hsa_region_t>, nullptr)),
      CALL(hsa_memory_allocate(region, 8, &pointer)),
      CALL(hsa_memory_free(nullptr)),
      CALL(hsa_memory_copy(buffer, buffer + 1, 8)),
      CALL(hsa_memory_copy_multiple(1, 8, &location, location, nullptr, {0}, {0})),
      CALL(hsa_memory_assign_agent(buffer, agent, HSA_ACCESS_PERMISSION_RW)),
      CALL(hsa_memory_register(buffer, 8)),
      CALL(hsa_memory_deregister(buffer, 8)),
      CALL(hsa_isa_from_name(name, &isa)),
      CALL(hsa_agent_iterate_isas(agent, collect<hsa_isa_t>, nullptr)),
      CALL(hsa_isa_get_info(isa, HSA_ISA_INFO_NAME_LENGTH, 0, buffer)),
      CALL(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, buffer)),
      CALL(hsa_isa_get_exception_policies(isa, HSA_PROFILE_FULL, &u16)),
      CALL(hsa_isa_get_round_method(isa, HSA_FP_TYPE_32, HSA_FLUSH_MODE_FTZ, &method)),
      CALL(hsa_wavefront_get_info({1}, HSA_WAVEFRONT_INFO_SIZE, buffer)),
      CALL(hsa_isa_iterate_wavefronts(isa, collect<hsa_wavefront_t>, nullptr)),
      CALL(hsa_isa_compatible(isa, isa, &flag)),
      CALL(hsa_code_object_reader_create_from_file(0, &reader)),
      CALL(hsa_code_object_reader_create_from_memory(buffer, 8, &reader)),
      CALL(hsa_code_object_reader_destroy(reader)),
      CALL(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &executable)),
      CALL(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr,
                                     &executable)),
      CALL(hsa_executable_destroy(executable)),
      CALL(hsa_executable_load_program_code_object(executable, reader, nullptr, &loaded)),
      CALL(hsa_executable_load_agent_code_object(executable, agent, reader, nullptr, &loaded)),
      CALL(hsa_executable_freeze(executable, nullptr)),
      CALL(hsa_executable_get_info(executable, HSA_EXECUTABLE_INFO_STATE, buffer)),
      CALL(hsa_executable_global_variable_define(executable, name, buffer)),
      CALL(hsa_executable_agent_global_variable_define(executable, agent, name, buffer)),
      CALL(hsa_executable_readonly_variable_define(executable, agent, name, buffer)),
      CALL(hsa_executable_validate(executable, &u32)),
      CALL(hsa_executable_validate_alt(executable, nullptr, &u32)),
      CALL(hsa_executable_get_symbol(executable, nullptr, name, agent, 0, &symbol)),
      CALL(hsa_executable_get_symbol_by_name(executable, name, &agent, &symbol)),
      CALL(hsa_executable_get_symbol_by_linker_name(executable, name, &agent, &symbol)),
      CALL(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, buffer)),
      CALL(hsa_executable_iterate_agent_symbols(
          executable, agent,
          [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void*) { return HSA_STATUS_SUCCESS; },
          nullptr)),
      CALL(hsa_executable_iterate_program_symbols(
          executable, [](hsa_executable_t, hsa_executable_symbol_t, void*) { return HSA_STATUS_SUCCESS; },
          nullptr)),
      CALL(hsa_executable_iterate_symbols(
          executable, [](hsa_executable_t, hsa_executable_symbol_t, void*) { return HSA_STATUS_SUCCESS; },
          nullptr)),
      CALL(hsa_code_object_serialize(
          code_object, [](size_t, hsa_callback_data_t, void**) { return HSA_STATUS_SUCCESS; }, {0}, nullptr,
          &pointer, &size)),
      CALL(hsa_code_object_deserialize(buffer, 8, nullptr, &code_object)),
      CALL(hsa_code_object_destroy(code_object)),
      CALL(hsa_code_object_get_info(code_object, HSA_CODE_OBJECT_INFO_TYPE, buffer)),
      CALL(hsa_executable_load_code_object(executable, agent, code_object, nullptr)),
      CALL(hsa_code_object_get_symbol(code_object, name, &code_symbol)),
      CALL(hsa_code_object_get_symbol_from_name(code_object, nullptr, name, &code_symbol)),
      CALL(hsa_code_symbol_get_info(code_symbol, HSA_CODE_SYMBOL_INFO_TYPE, buffer)),
      CALL(hsa_code_object_iterate_symbols(
          code_object, [](hsa_code_object_t, hsa_code_symbol_t, void*) { return HSA_STATUS_SUCCESS; },
          nullptr)),
      CALL(hsa_ext_finalizer_iterate_isa(collect<hsa_isa_t>, nullptr)),
      CALL(hsa_ext_isa_from_name(name, &isa)),
      CALL(hsa_ext_isa_get_info(isa, HSA_ISA_INFO_NAME_LENGTH, 0, buffer)),
      CALL(hsa_ext_code_object_writer_create_from_file(0, &writer)),
      CALL(hsa_ext_code_object_writer_create_from_memory(
          [](size_t, size_t, void**, void*) { return HSA_STATUS_SUCCESS; }, nullptr, &writer)),
      CALL(hsa_ext_code_object_writer_destroy(writer)),
      CALL(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                  HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program)),
      CALL(hsa_ext_program_destroy(program)),
      CALL(hsa_ext_program_add_module(program, reinterpret_cast<hsa_ext_module_t>(buffer))),
      CALL(hsa_ext_program_iterate_modules(
          program, [](hsa_ext_program_t, hsa_ext_module_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr)),
      CALL(hsa_ext_program_get_info(program, HSA_EXT_PROGRAM_INFO_PROFILE, buffer)),
      CALL(hsa_ext_program_code_object_finalize(program, nullptr, writer)),
      CALL(hsa_ext_agent_code_object_finalize(program, isa, nullptr, writer)),
      CALL(hsa_ext_program_finalize(program, isa, 0, directives, nullptr, HSA_CODE_OBJECT_TYPE_PROGRAM,
                                    &code_object)),
      CALL(hsa_ext_symbol_split_hsail_linker_name(name, 4, isa, nullptr, &u32, nullptr, &u32)),
      CALL(hsa_ext_symbol_join_hsail_linker_name(name, 4, name, 4, isa, nullptr, &u32)),
#undef CALL
  };
  for (const auto& [what, call] : calls) EXPECT_EQ(call(), not_initialized) << what;
}

TEST(Init, ReferencesAreCounted) {
  for (int i = 0; i < 3; ++i) ASSERT_SUCCESS(hsa_init());
  for (int i = 0; i < 3; ++i) {
    const char* text = nullptr;
    EXPECT_SUCCESS(hsa_status_string(HSA_STATUS_SUCCESS, &text));
    EXPECT_SUCCESS(hsa_shut_down());
  }
  EXPECT_EQ(hsa_shut_down(), not_initialized);
}

TEST(Init, HandlesDieWithTheLastReference) {
  ASSERT_SUCCESS(hsa_init());
  hsa_executable_t executable{};
  ASSERT_SUCCESS(
      hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &executable));
  hsa_signal_t signal{};
  ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &signal));
  ASSERT_SUCCESS(hsa_shut_down());
  ASSERT_SUCCESS(hsa_init());
  EXPECT_EQ(hsa_executable_destroy(executable), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  EXPECT_EQ(hsa_signal_destroy(signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_SUCCESS(hsa_shut_down());
}

TEST(Init, CyclesAreCheap) {
  using Clock = std::chrono::steady_clock;
  auto best = Clock::duration::max();
  for (int i = 0; i < 20; ++i) {
    const auto start = Clock::now();
    ASSERT_SUCCESS(hsa_init());
    best = std::min(best, Clock::now() - start);
    ASSERT_SUCCESS(hsa_shut_down());
  }
  EXPECT_LT(best, 5 * process_start());
}

TEST(Init, ThreadsMayStartAndEndTheRuntimeAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        ASSERT_SUCCESS(hsa_init());
        hsa_signal_t signal{};
        ASSERT_SUCCESS(hsa_signal_create(0, 0, nullptr, &signal));
        ASSERT_SUCCESS(hsa_signal_destroy(signal));
        ASSERT_SUCCESS(hsa_shut_down());
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(hsa_shut_down(), not_initialized);
}

TEST(Init, AForkedChildStartsAnew) {
  ASSERT_SUCCESS(hsa_init());
  const int code = in_child([] {
    alarm(600);
    if (hsa_shut_down() != not_initialized) return 1;
    if (hsa_init() != HSA_STATUS_SUCCESS) return 2;
    hsa_signal_t signal{};
    if (hsa_signal_create(3, 0, nullptr, &signal) != HSA_STATUS_SUCCESS) return 3;
    if (hsa_signal_load_relaxed(signal) != 3) return 4;
    return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 5;
  });
  EXPECT_EQ(code, 0);
  hsa_signal_t signal{};
  EXPECT_SUCCESS(hsa_signal_create(3, 0, nullptr, &signal));
  EXPECT_SUCCESS(hsa_shut_down());
}

/// Locks that other threads of the parent hold at the fork stay locked in the child, in which these threads
/// do not exist.
TEST(Init, AForkedChildStartsAnewWhateverOtherThreadsDo) {
  ASSERT_SUCCESS(hsa_init());
  std::vector<hsa_agent_t> agents;
  ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  const auto use_everything = [&] {
    hsa_signal_t signal{};
    hsa_queue_t* queue = nullptr;
    const bool works = hsa_signal_create(3, 0, nullptr, &signal) == HSA_STATUS_SUCCESS &&
                       hsa_queue_create(agents.back(), 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0,
                                        &queue) == HSA_STATUS_SUCCESS &&
                       hsa_queue_destroy(queue) == HSA_STATUS_SUCCESS &&
                       hsa_signal_destroy(signal) == HSA_STATUS_SUCCESS;
    return works;
  };
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      while (!stop) {
        hsa_signal_t signal{};
        if (t == 0)
          use_everything();
        else if (hsa_signal_create(0, 0, nullptr, &signal) == HSA_STATUS_SUCCESS)
          hsa_signal_destroy(signal);
      }
    });
  int code = 0;
  for (int i = 0; i < 50 && code == 0; ++i)
    code = in_child([&] {
      alarm(600);
      if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
      if (!use_everything()) return 2;
      return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 3;
    });
  EXPECT_EQ(code, 0);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_SUCCESS(hsa_shut_down());
}

TEST(Init, AProcessMayEndWithoutShutDown) {
  const int code = in_child([] {
    alarm(600);
    if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
    std::vector<hsa_agent_t> agents;
    if (hsa_iterate_agents(collect<hsa_agent_t>, &agents) != HSA_STATUS_SUCCESS) return 2;
    hsa_queue_t* queue = nullptr;
    if (hsa_queue_create(agents.back(), 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue) !=
        HSA_STATUS_SUCCESS)
      return 3;
    exit(0);  // runs exit handlers and static destructors
  });
  EXPECT_EQ(code, 0);
}

/// This runs in a process of its own, in which no setting has been read yet.
TEST(Init, WrongAndEmptySettings) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("HEDDLE_LOG", "loud", 1);
  setenv("HEDDLE_AGENT_PATH", "", 1);
  EXPECT_EXIT(std::_Exit(hsa_init() == HSA_STATUS_SUCCESS ? 0 : 1), ::testing::ExitedWithCode(0),
              "error: HEDDLE_LOG is 'loud', none of");
  unsetenv("HEDDLE_LOG");
  unsetenv("HEDDLE_AGENT_PATH");
}

TEST(Status, EveryCodeHasAText) {
  ASSERT_SUCCESS(hsa_init());
  std::vector<int> codes = {0x0, 0x1};
  for (int code = 0x1000; code <= 0x1019; ++code) codes.push_back(code);
  for (int code = 0x1020; code <= 0x1026; ++code) codes.push_back(code);
  for (int code = 0x2000; code <= 0x2007; ++code) codes.push_back(code);
  for (int code = 0x3000; code <= 0x3003; ++code) codes.push_back(code);
  for (int code = 0x4000; code <= 0x4002; ++code) codes.push_back(code);
  for (int code = 0x5000; code <= 0x5004; ++code) codes.push_back(code);
  codes.push_back(0x6000);
  std::set<std::string> texts;
  for (int code : codes) {
    const char* text = nullptr;
    EXPECT_SUCCESS(hsa_status_string(static_cast<hsa_status_t>(code), &text)) << code;
    ASSERT_NE(text, nullptr);
    EXPECT_TRUE(texts.insert(text).second) << code << " " << text;
  }
  const char* text = nullptr;
  EXPECT_EQ(hsa_status_string(static_cast<hsa_status_t>(0x1027), &text), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_status_string(HSA_STATUS_SUCCESS, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_shut_down());
}

}  // namespace
}  // namespace heddle::runtime::test
