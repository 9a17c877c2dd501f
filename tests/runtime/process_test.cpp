// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Behaviour that only a process of its own shows: the first hsa_init, a runtime without its finalizer
// library, and values of HSA_CU_MASK that are ignored.
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_log.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "code.h"
#include "machine_speed.h"

namespace heddle::runtime::test {
namespace {

/// Sets an environment variable for the lifetime of the object.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~Setting() {
    if (old_.empty()) {
      unsetenv(name_);
    } else {
      setenv(name_, old_.c_str(), 1);
    }
  }

 private:
  const char* name_;
  std::string old_;
};

struct FirstInit {
  long long nanoseconds = 0;
  std::string files;  ///< files that the process has mapped afterwards
};

FirstInit first_init() {
  FirstInit found;
  FILE* pipe = popen(HEDDLE_FIRST_INIT, "r");
  EXPECT_NE(pipe, nullptr);
  if (pipe == nullptr) return found;
  EXPECT_EQ(std::fscanf(pipe, "%lld", &found.nanoseconds), 1);
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) != 0;) found.files.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0);
  return found;
}

/// Runtime 2.1 sets no time limit, but a client with finished code must not wait for a compiler. The agents
/// are the default ones, which are those of the processors.
void expect_a_quick_first_init() {
  // Opening the compiler takes as long as starting a hundred processes.
  const long long limit = 10 * process_start().count();
  long long best = std::numeric_limits<long long>::max();
  // The best of several attempts counts, because other programs may use the machine.
  for (int i = 0; i < 20 && (i < 3 || best >= limit); ++i) {
    const FirstInit found = first_init();
    best = std::min(best, found.nanoseconds);
    EXPECT_NE(found.files.find("libhsa-runtime64"), std::string::npos) << found.files;
    EXPECT_NE(found.files.find("heddle-agent-cpu"), std::string::npos) << found.files;
    EXPECT_EQ(found.files.find("LLVM"), std::string::npos) << found.files;
    EXPECT_EQ(found.files.find("heddle-finalizer"), std::string::npos) << found.files;
  }
#if !defined(HEDDLE_SANITIZED)
  EXPECT_LT(best, limit);
#endif
}

TEST(FirstInit, IsQuickAndOpensNoCompiler) {
  const Setting agents("HEDDLE_AGENTS", "cpu");
  expect_a_quick_first_init();
}

TEST(FirstInit, IsQuickWithoutAFinalizer) {
  const Setting agents("HEDDLE_AGENTS", "cpu");
  const Setting finalizer("HEDDLE_FINALIZER", "/nonexistent");
  expect_a_quick_first_init();
}

/// Submits a barrier packet and waits for it.
void run_a_packet(hsa_agent_t agent) {
  hsa_queue_t* queue = nullptr;
  ASSERT_SUCCESS(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, 0, 0, &queue));
  hsa_signal_t done{};
  ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &done));
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  auto& packet = static_cast<hsa_barrier_and_packet_t*>(queue->base_address)[index];
  packet.completion_signal = done;
  __atomic_store_n(&packet.header, uint16_t{HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE},
                   __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) !=
         0) {
  }
  EXPECT_SUCCESS(hsa_queue_destroy(queue));
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

/// Loads code that was finalized elsewhere, freezes the executable and asks for a kernel.
void load_finished_code(hsa_agent_t agent) {
  const std::vector<std::byte> blob = co::write(agent_part());
  const std::vector<std::byte> program = co::write(program_part());
  hsa_code_object_reader_t readers[2] = {};
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_memory(program.data(), program.size(), &readers[0]));
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_memory(blob.data(), blob.size(), &readers[1]));
  hsa_executable_t executable{};
  ASSERT_SUCCESS(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr,
                                           &executable));
  EXPECT_SUCCESS(hsa_executable_load_program_code_object(executable, readers[0], nullptr, nullptr));
  EXPECT_SUCCESS(hsa_executable_load_agent_code_object(executable, agent, readers[1], nullptr, nullptr));
  EXPECT_SUCCESS(hsa_executable_freeze(executable, nullptr));
  hsa_executable_symbol_t kernel{};
  EXPECT_SUCCESS(hsa_executable_get_symbol_by_linker_name(executable, "&main", &agent, &kernel));
  uint64_t object = 0;
  EXPECT_SUCCESS(hsa_executable_symbol_get_info(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
  EXPECT_NE(object, 0u);
  EXPECT_SUCCESS(hsa_executable_destroy(executable));
  for (hsa_code_object_reader_t reader : readers) EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));
}

void expect_no_finalizer_extension(hsa_agent_t agent) {
  bool supported = true;
  uint16_t minor = 0;
  EXPECT_SUCCESS(hsa_system_extension_supported(HSA_EXTENSION_FINALIZER, 1, 0, &supported));
  EXPECT_FALSE(supported);
  supported = true;
  EXPECT_SUCCESS(hsa_system_major_extension_supported(HSA_EXTENSION_FINALIZER, 1, &minor, &supported));
  EXPECT_FALSE(supported);
  supported = true;
  EXPECT_SUCCESS(hsa_agent_extension_supported(HSA_EXTENSION_FINALIZER, agent, 1, 0, &supported));
  EXPECT_FALSE(supported);
  supported = true;
  EXPECT_SUCCESS(hsa_agent_major_extension_supported(HSA_EXTENSION_FINALIZER, agent, 1, &minor, &supported));
  EXPECT_FALSE(supported);
  uint8_t of_system[128], of_agent[128];
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_EXTENSIONS, of_system));
  EXPECT_SUCCESS(hsa_agent_get_info(agent, HSA_AGENT_INFO_EXTENSIONS, of_agent));
  EXPECT_EQ(of_system[0] & 1 << HSA_EXTENSION_FINALIZER, 0);
  EXPECT_EQ(of_agent[0] & 1 << HSA_EXTENSION_FINALIZER, 0);
  hsa_ext_finalizer_1_pfn_t table;
  EXPECT_EQ(hsa_system_get_major_extension_table(HSA_EXTENSION_FINALIZER, 1, sizeof(table), &table),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_get_extension_table(HSA_EXTENSION_FINALIZER, 1, 0, &table),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // Logs are there for loads only (Runtime 3.6.6, 3.6.7).
  hsa_ext_log_1_pfn_t logs{};
  EXPECT_SUCCESS(hsa_system_get_major_extension_table(HSA_EXTENSION_LOG, 1, sizeof logs, &logs));
  EXPECT_EQ(logs.hsa_ext_log_program_code_object_finalize, nullptr);
  EXPECT_EQ(logs.hsa_ext_log_agent_code_object_finalize, nullptr);
  EXPECT_EQ(logs.hsa_ext_log_load_program_code_object, hsa_ext_log_load_program_code_object);
}

void expect_out_of_resources() {
  constexpr auto missing = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  hsa_ext_program_t program{7};
  hsa_isa_t isa{7};
  std::vector<hsa_isa_t> isas;
  EXPECT_EQ(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                   HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program),
            missing);
  EXPECT_EQ(hsa_ext_finalizer_iterate_isa(collect<hsa_isa_t>, &isas), missing);
  EXPECT_TRUE(isas.empty());
  EXPECT_EQ(hsa_ext_isa_from_name("heddle:hsail:w1", &isa), missing);
  EXPECT_EQ(program.handle, 7u);
  EXPECT_EQ(isa.handle, 7u);
  // Only the ISAs of the agents remain.
  EXPECT_SUCCESS(hsa_isa_from_name("heddle:hsail:w1", &isa));
  EXPECT_EQ(hsa_isa_from_name("heddle:hsail:w64", &isa), HSA_STATUS_ERROR_INVALID_ISA_NAME);
}

/// The body of a child process, which writes failures to its standard error.
[[noreturn]] void run_without_finalizer(bool looks_available) {
  EXPECT_SUCCESS(hsa_init());
  std::vector<hsa_agent_t> agents;
  EXPECT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  if (agents.size() == 2) {
    // That a file is no library shows only when it is opened.
    if (looks_available) expect_out_of_resources();
    expect_no_finalizer_extension(agents[1]);
    expect_out_of_resources();
    run_a_packet(agents[1]);
    load_finished_code(agents[1]);
  } else {
    ADD_FAILURE() << agents.size() << " agents";
  }
  EXPECT_SUCCESS(hsa_shut_down());
  std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
}

TEST(WithoutFinalizer, TheCoreWorksAndTheExtensionIsNotThere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Setting finalizer("HEDDLE_FINALIZER", "/nonexistent");
  EXPECT_EXIT(run_without_finalizer(false), ::testing::ExitedWithCode(0),
              "heddle: finalizer: error: cannot open /nonexistent");
}

TEST(WithoutFinalizer, AFileThatIsNoLibraryIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Setting finalizer("HEDDLE_FINALIZER", HEDDLE_NO_LIBRARY);
  EXPECT_EXIT(run_without_finalizer(true), ::testing::ExitedWithCode(0),
              "heddle: finalizer: error: cannot open ");
}

/// The body of a child process in which HSA_CU_MASK has no effect on the null agent, which has one unit.
[[noreturn]] void expect_all_units() {
  EXPECT_SUCCESS(hsa_init());
  std::vector<hsa_agent_t> agents;
  EXPECT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  hsa_queue_t* queue = nullptr;
  uint32_t mask = 0;
  EXPECT_SUCCESS(hsa_queue_create(agents.back(), 64, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, 0, 0, &queue));
  EXPECT_SUCCESS(hsa_amd_queue_cu_get_mask(queue, 32, &mask));
  EXPECT_EQ(mask, 1u);
  EXPECT_SUCCESS(hsa_amd_queue_cu_set_mask(queue, 0, nullptr));
  EXPECT_SUCCESS(hsa_shut_down());
  std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
}

TEST(ComputeUnitMask, AValueWithAnErrorIsIgnored) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Setting mask("HSA_CU_MASK", "1:0;0:x");
  const Setting log("HEDDLE_LOG", "warning");
  EXPECT_EXIT(expect_all_units(), ::testing::ExitedWithCode(0),
              "HSA_CU_MASK is ignored: a number is expected at character 7 of '1:0;0:x'");
}

TEST(ComputeUnitMask, AnAgentIsNotLeftWithoutUnits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Setting mask("HSA_CU_MASK", "0:1-9");
  const Setting log("HEDDLE_LOG", "warning");
  EXPECT_EXIT(expect_all_units(), ::testing::ExitedWithCode(0),
              "HSA_CU_MASK is ignored for agent '.*', because it excludes all of its 1 compute units");
}

}  // namespace
}  // namespace heddle::runtime::test
