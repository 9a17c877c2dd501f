// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every allocation of a call that creates or defines something fails once. The call then returns
// OUT_OF_RESOURCES, leaves nothing behind, and works when it is repeated. The runtime also uses operator new
// of this program.
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>

#include "code.h"
#include "failing_memory.h"

namespace heddle::runtime::test {
namespace {

/// Repeats a call without undoing its success, because the test uses its result.
template <typename Call>
int fail_each_allocation(const char* what, Call call) {
  return sweep(what, Failing::all, fail_memory, call, [] {});
}

uint64_t ticks_per_second() {
  uint64_t frequency = 0;
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  return frequency;
}

class OutOfMemory : public Executables {
 protected:
  void SetUp() override {
    Executables::SetUp();
    region_ = fine_region();
  }
  hsa_region_t region_{};
};

#define FAIL_EACH(...) fail_each_allocation(#__VA_ARGS__, [&] { return __VA_ARGS__; })

TEST_F(OutOfMemory, SignalsAndGroups) {
  std::vector<hsa_signal_t> signals(300);
  // More signals than one block holds: the first calls of each block allocate memory.
  int failures = 0;
  for (hsa_signal_t& s : signals) failures += FAIL_EACH(hsa_signal_create(1, 1, &kernel_agent_, &s));
  EXPECT_GT(failures, 0);
  hsa_signal_group_t group{};
  EXPECT_GT(FAIL_EACH(hsa_signal_group_create(2, signals.data(), 1, &kernel_agent_, &group)), 0);
  EXPECT_SUCCESS(hsa_signal_group_destroy(group));
  for (hsa_signal_t s : signals) EXPECT_SUCCESS(hsa_signal_destroy(s));
}

TEST_F(OutOfMemory, SoftQueues) {
  const hsa_signal_t doorbell = signal(0);
  hsa_queue_t* q = nullptr;
  EXPECT_GT(FAIL_EACH(hsa_soft_queue_create(region_, 64, HSA_QUEUE_TYPE_MULTI,
                                            HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &q)),
            0);
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  EXPECT_SUCCESS(hsa_signal_destroy(doorbell));
}

TEST_F(OutOfMemory, Memory) {
  void* memory = nullptr;
  EXPECT_GT(FAIL_EACH(hsa_memory_allocate(region_, size_t{64} << 20, &memory)), 0);
  EXPECT_SUCCESS(hsa_memory_free(memory));
  ASSERT_SUCCESS(hsa_memory_allocate(coarse_region(), size_t{1} << 20, &memory));
  EXPECT_GT(FAIL_EACH(hsa_memory_assign_agent(memory, kernel_agent_, HSA_ACCESS_PERMISSION_RW)), 0);
  EXPECT_SUCCESS(hsa_memory_free(memory));
  std::vector<char> host_memory(100000);
  EXPECT_GT(FAIL_EACH(hsa_memory_register(host_memory.data(), host_memory.size())), 0);
  EXPECT_SUCCESS(hsa_memory_deregister(host_memory.data(), host_memory.size()));
  // More than the region can ever have.
  size_t most = 0;
  EXPECT_SUCCESS(hsa_region_get_info(region_, HSA_REGION_INFO_ALLOC_MAX_SIZE, &most));
  EXPECT_EQ(hsa_memory_allocate(region_, most + 1, &memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

/// The status of a copy, and the value of its completion signal after at most ten minutes.
struct CopyOutcome {
  hsa_status_t status;
  hsa_signal_value_t completion;
};

CopyOutcome copy_and_wait(int& to, int& from, hsa_signal_t completion) {
  hsa_location_t destination{{0}, &to};
  const hsa_status_t status =
      hsa_memory_copy_multiple(1, sizeof to, &destination, {{0}, &from}, nullptr, {0}, completion);
  if (status == HSA_STATUS_SUCCESS)
    hsa_signal_wait_scacquire(completion, HSA_SIGNAL_CONDITION_LT, 1, 600 * ticks_per_second(),
                              HSA_WAIT_STATE_BLOCKED);
  return {status, hsa_signal_load_scacquire(completion)};
}

/// The thread that copies needs no memory, so an accepted copy is always made.
TEST_F(OutOfMemory, AsynchronousCopies) {
  int failures = 0;
  for (int allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 1000);
    int to = 0, from = 7;
    const hsa_signal_t completion = signal(1);
    fail_memory(allowed, Failing::one);
    const CopyOutcome outcome = copy_and_wait(to, from, completion);
    const bool failed = nothing_fails();
    const bool taken_on = outcome.status == HSA_STATUS_SUCCESS;
    EXPECT_TRUE(taken_on || outcome.status == HSA_STATUS_ERROR_OUT_OF_RESOURCES) << outcome.status;
    EXPECT_EQ(outcome.completion, taken_on ? 0 : 1) << allowed;
    EXPECT_EQ(to, taken_on ? 7 : 0) << allowed;
    EXPECT_SUCCESS(hsa_signal_destroy(completion));
    failures += !taken_on;
    if (!failed) break;
  }
  EXPECT_GT(failures, 0);
}

TEST_F(OutOfMemory, CopiesOfTheAmdExtension) {
  const hsa_signal_t dependency = signal(1), completion = signal(2);
  int to[4] = {}, from[4] = {1, 2, 3, 4};
  EXPECT_GT(FAIL_EACH(hsa_amd_memory_async_copy(to, host_, from, host_, 8, 1, &dependency, completion)), 0);
  const hsa_pitched_ptr_t target{to + 2, 8, 8}, source{from + 2, 8, 8};
  const hsa_dim3_t zero{0, 0, 0}, range{8, 1, 1};
  EXPECT_GT(FAIL_EACH(hsa_amd_memory_async_copy_rect(&target, &zero, &source, &zero, &range, host_,
                                                     hsaHostToHost, 1, &dependency, completion)),
            0);
  hsa_signal_store_screlease(dependency, 0);
  const auto finish = [&] {
    EXPECT_EQ(
        hsa_signal_wait_scacquire(completion, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
        0);
  };
  finish();
  EXPECT_EQ(std::memcmp(to, from, sizeof to), 0);
  // The memory of copies that have ended is used again: at least that of one, since two were in flight.
  for (const int64_t first : {1, 0, 1}) {
    hsa_signal_store_screlease(dependency, first);
    hsa_signal_store_screlease(completion, 1);
    EXPECT_EQ(FAIL_EACH(hsa_amd_memory_async_copy(to, host_, from + 1, host_, 8, 1, &dependency, completion)),
              0);
    hsa_signal_store_screlease(dependency, 0);
    finish();
  }
  EXPECT_EQ(to[0], 2);
  EXPECT_SUCCESS(hsa_signal_destroy(dependency));
  EXPECT_SUCCESS(hsa_signal_destroy(completion));
}

/// A handler that could not be added is not called, and one that was is called once.
TEST_F(OutOfMemory, HandlersOfSignals) {
  const hsa_signal_t s = signal(1);
  hsa_signal_t calls = signal(0);
  const auto handler = [](hsa_signal_value_t, void* calls) {
    hsa_signal_add_screlease(*static_cast<hsa_signal_t*>(calls), 1);
    return false;
  };
  const auto function = [](void* calls) { hsa_signal_add_screlease(*static_cast<hsa_signal_t*>(calls), 1); };
  if (can_fail_threads()) {
    fail_threads(0, Failing::one);
    EXPECT_EQ(hsa_amd_async_function(function, &calls), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    EXPECT_TRUE(nothing_fails());
  }
  EXPECT_GT(FAIL_EACH(hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_EQ, 0, handler, &calls)), 0);
  EXPECT_GT(FAIL_EACH(hsa_amd_async_function(function, &calls)), 0);
  hsa_signal_store_screlease(s, 0);
  const auto count = [&](hsa_signal_value_t wanted, uint64_t timeout) {
    return hsa_signal_wait_scacquire(calls, HSA_SIGNAL_CONDITION_EQ, wanted, timeout, HSA_WAIT_STATE_BLOCKED);
  };
  EXPECT_EQ(count(2, UINT64_MAX), 2);
  EXPECT_EQ(count(3, ticks_per_second() / 100), 2);
  EXPECT_SUCCESS(hsa_signal_destroy(s));
  EXPECT_SUCCESS(hsa_signal_destroy(calls));
}

TEST_F(OutOfMemory, SharedSignals) {
  std::vector<hsa_signal_t> signals(1000);
  if (can_fail_threads()) {
    fail_threads(0, Failing::one);
    EXPECT_EQ(hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_IPC, signals.data()),
              HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    EXPECT_TRUE(nothing_fails());
  }
  // More than one segment.
  int failures = 0;
  for (hsa_signal_t& s : signals)
    failures += FAIL_EACH(hsa_amd_signal_create(1, 1, &kernel_agent_, HSA_AMD_SIGNAL_IPC, &s));
  EXPECT_GT(failures, 0);
  for (hsa_signal_t s : signals) EXPECT_SUCCESS(hsa_signal_destroy(s));
}

TEST_F(OutOfMemory, AWaitForManySignals) {
  constexpr uint32_t count = 100;
  const hsa_signal_t s = signal(0);
  std::vector<hsa_signal_t> signals(count, s);
  std::vector<hsa_signal_condition_t> conditions(count, HSA_SIGNAL_CONDITION_EQ);
  std::vector<hsa_signal_value_t> values(count, 0);
  const auto wait = [&](uint32_t number) {
    return hsa_amd_signal_wait_any(number, signals.data(), conditions.data(), values.data(), 0,
                                   HSA_WAIT_STATE_BLOCKED, nullptr);
  };
  fail_memory(0, Failing::all);
  const uint32_t many = wait(count), few = wait(5);
  EXPECT_TRUE(nothing_fails());
  EXPECT_EQ(many, UINT32_MAX);
  EXPECT_EQ(few, 0u);  // few signals need no memory
  EXPECT_EQ(wait(count), 0u);
  EXPECT_SUCCESS(hsa_signal_destroy(s));
}

/// Copies are made in order, so when the second copy is complete, the first would be, too.
TEST_F(OutOfMemory, ACopyForWhichThereIsNoThreadIsNotMadeLater) {
  if (!can_fail_threads()) GTEST_SKIP() << "threads are the sanitizer's";
  int refused = 0, made = 0, from = 7;
  const hsa_signal_t of_refused = signal(1), of_made = signal(1);
  fail_threads(0, Failing::one);
  EXPECT_EQ(copy_and_wait(refused, from, of_refused).status, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_TRUE(nothing_fails());
  const CopyOutcome outcome = copy_and_wait(made, from, of_made);
  EXPECT_SUCCESS(outcome.status);
  EXPECT_EQ(outcome.completion, 0);
  EXPECT_EQ(made, 7);
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(hsa_signal_load_scacquire(of_refused), 1);
  EXPECT_SUCCESS(hsa_signal_destroy(of_refused));
  EXPECT_SUCCESS(hsa_signal_destroy(of_made));
}

TEST_F(OutOfMemory, CodeObjectsAndExecutables) {
  const std::vector<std::byte> program = co::write(program_part()), code = co::write(agent_part()),
                               both = co::write(sample());
  hsa_code_object_reader_t readers[2] = {};
  EXPECT_GT(FAIL_EACH(hsa_code_object_reader_create_from_memory(program.data(), program.size(), &readers[0])),
            0);
  EXPECT_GT(FAIL_EACH(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &readers[1])), 0);
  FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::fwrite(both.data(), 1, both.size(), file), both.size());
  std::fflush(file);
  hsa_code_object_reader_t from_file{};
  EXPECT_GT(FAIL_EACH(hsa_code_object_reader_create_from_file(fileno(file), &from_file)), 0);
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(from_file));
  std::fclose(file);

  constexpr auto near = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  hsa_executable_t e{}, old{};
  EXPECT_GT(FAIL_EACH(hsa_executable_create_alt(HSA_PROFILE_FULL, near, nullptr, &e)), 0);
  EXPECT_GT(FAIL_EACH(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &old)),
            0);
  uint64_t x = 0;
  EXPECT_GT(FAIL_EACH(hsa_executable_global_variable_define(e, "&a_name_of_more_than_a_few_characters", &x)),
            0);
  EXPECT_GT(
      FAIL_EACH(hsa_executable_agent_global_variable_define(e, kernel_agent_, "&another_name_of_many", &x)),
      0);
  EXPECT_GT(FAIL_EACH(hsa_executable_readonly_variable_define(e, kernel_agent_, "&a_third_name_of_many", &x)),
            0);
  EXPECT_GT(FAIL_EACH(hsa_executable_load_program_code_object(e, readers[0], nullptr, nullptr)), 0);
  EXPECT_GT(FAIL_EACH(hsa_executable_load_agent_code_object(e, kernel_agent_, readers[1], nullptr, nullptr)),
            0);
  EXPECT_GT(FAIL_EACH(hsa_executable_freeze(e, nullptr)), 0);
  // Nothing is missing, and nothing exists twice.
  EXPECT_NE(info<uint64_t>(symbol(e, "&main"), HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT), 0u);
  EXPECT_EQ(contents(symbol(e, "&pointer")), address(symbol(e, "&shared", false)) + 4);
  EXPECT_EQ(contents(symbol(e, "&per_agent")), 222u);
  WITHOUT_MEMORY(hsa_executable_destroy(e));
  for (hsa_code_object_reader_t reader : readers) EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));

  hsa_code_object_t object{};
  void* blob = const_cast<std::byte*>(both.data());
  EXPECT_GT(FAIL_EACH(hsa_code_object_deserialize(blob, both.size(), nullptr, &object)), 0);
  EXPECT_GT(FAIL_EACH(hsa_executable_load_code_object(old, kernel_agent_, object, nullptr)), 0);
  EXPECT_GT(FAIL_EACH(hsa_executable_freeze(old, nullptr)), 0);
  EXPECT_SUCCESS(hsa_executable_destroy(old));
  EXPECT_SUCCESS(hsa_code_object_destroy(object));
}

TEST_F(OutOfMemory, WritersOfCodeObjects) {
  hsa_ext_code_object_writer_t writer{};
  const auto allocate = [](size_t, size_t, void**, void*) { return HSA_STATUS_SUCCESS; };
  EXPECT_GT(FAIL_EACH(hsa_ext_code_object_writer_create_from_memory(allocate, nullptr, &writer)), 0);
  EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer));
  FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_GT(FAIL_EACH(hsa_ext_code_object_writer_create_from_file(fileno(file), &writer)), 0);
  EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer));
  std::fclose(file);
}

/// A failed load must leave nothing behind: the next load, the symbols and the validation would show it.
TEST_F(OutOfMemory, AFailedLoadLeavesTheExecutableAsItWas) {
  const std::vector<std::byte> program = co::write(program_part()), code = co::write(agent_part());
  hsa_code_object_reader_t readers[2] = {};
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_memory(program.data(), program.size(), &readers[0]));
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &readers[1]));
  hsa_executable_t e{};
  ASSERT_SUCCESS(
      hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &e));
  const auto symbols = [&] {
    std::vector<hsa_executable_symbol_t> found;
    const auto keep = [](hsa_executable_t, hsa_executable_symbol_t symbol, void* data) {
      static_cast<std::vector<hsa_executable_symbol_t>*>(data)->push_back(symbol);
      return HSA_STATUS_SUCCESS;
    };
    EXPECT_SUCCESS(hsa_executable_iterate_symbols(e, keep, &found));
    return found.size();
  };
  for (const Failing failing : {Failing::all, Failing::one}) {
    for (int allowed = 0;; ++allowed) {
      fail_memory(allowed, failing);
      const hsa_status_t status =
          hsa_executable_load_agent_code_object(e, kernel_agent_, readers[1], nullptr, nullptr);
      if (!nothing_fails()) {
        ASSERT_SUCCESS(status);
        break;
      }
      ASSERT_EQ(status, HSA_STATUS_ERROR_OUT_OF_RESOURCES) << allowed;
      ASSERT_EQ(symbols(), 0u) << allowed;
      // The declaration of &shared is gone, too, so no definition is missing.
      uint64_t variable = 0;
      ASSERT_SUCCESS(hsa_executable_agent_global_variable_define(
          e, kernel_agent_, ("&v" + std::to_string(allowed)).c_str(), &variable));
    }
    EXPECT_GT(symbols(), 0u);
    EXPECT_EQ(hsa_executable_freeze(e, nullptr), HSA_STATUS_ERROR_VARIABLE_UNDEFINED);
    ASSERT_SUCCESS(hsa_executable_load_program_code_object(e, readers[0], nullptr, nullptr));
    ASSERT_SUCCESS(hsa_executable_freeze(e, nullptr));
    EXPECT_EQ(contents(symbol(e, "&per_agent")), 222u);
    ASSERT_SUCCESS(hsa_executable_destroy(e));
    ASSERT_SUCCESS(
        hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &e));
  }
  EXPECT_SUCCESS(hsa_executable_destroy(e));
  for (hsa_code_object_reader_t reader : readers) EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));
}

TEST_F(OutOfMemory, ManyHandlesOfOneKind) {
  // Tables of handles grow in blocks.
  std::vector<hsa_executable_t> made(200);
  for (hsa_executable_t& e : made)
    EXPECT_GT(FAIL_EACH(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                                  nullptr, &e)),
              0);
  for (hsa_executable_t e : made) EXPECT_SUCCESS(hsa_executable_destroy(e));
}

}  // namespace
}  // namespace heddle::runtime::test
