// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every system call on the ways to a runtime, a queue, memory, signals of several processes, and a loaded
// kernel fails once. The call of the API then returns OUT_OF_RESOURCES, or does without; nothing is left
// behind, and it works when it is repeated. Threads that cannot be created belong to it.
#include <hsa/hsa_ext_amd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <thread>

#include "failing_calls.h"
#include "failing_system.h"
#include "kernels.h"

namespace heddle::runtime::test {
namespace {

/// Sweeps over both kinds of failure. If all system calls fail from some point on, so many calls must at
/// least be refused.
template <typename Call, typename Undo>
void sweep_both(const char* what, int refused, Call call, Undo undo) {
  for (const Failing failing : {Failing::one, Failing::all}) {
    const SystemSweep found = sweep_system(what, failing, call, undo);
    if (failing == Failing::all) EXPECT_GE(found.refused, refused) << what;
    std::printf("[   NOTE   ] %s: %d refused, %d did without\n", what, found.refused, found.tolerated);
  }
}

std::vector<hsa_agent_t> all_agents() {
  std::vector<hsa_agent_t> agents;
  EXPECT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  return agents;
}

/// Repeats what a process does only once, until no failure is in its way. Returns how often it was refused.
template <typename Call>
int until_it_succeeds(const char* what, Call call) {
  for (int allowed = 0; allowed < 1000; ++allowed) {
    fail_system(allowed, Failing::all);
    const hsa_status_t status = call();
    const char* failed = nothing_of_the_system_fails();
    if (status == HSA_STATUS_SUCCESS) return allowed;
    EXPECT_NE(failed, nullptr) << what;
    EXPECT_EQ(status, HSA_STATUS_ERROR_OUT_OF_RESOURCES) << what << ", number " << allowed << ": " << failed;
  }
  ADD_FAILURE() << what << " never succeeds";
  return 0;
}

/// This must be the first test of the program, because a process opens its agent drivers and makes its table
/// of signals only once.
TEST(ABeginning, AProcessSurvivesFailuresOfTheSystem) {
  EXPECT_GT(until_it_succeeds("hsa_init", hsa_init), 0);
  EXPECT_EQ(all_agents().size(), 3u) << "none is missing and none is there twice";
  hsa_signal_t made{};
  EXPECT_GT(until_it_succeeds("hsa_signal_create", [&] { return hsa_signal_create(1, 0, nullptr, &made); }),
            0);
  EXPECT_SUCCESS(hsa_signal_destroy(made));
  const auto create_shared = [&] { return hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_IPC, &made); };
  EXPECT_GT(until_it_succeeds("hsa_amd_signal_create", create_shared), 2);
  EXPECT_SUCCESS(hsa_signal_destroy(made));
  ASSERT_SUCCESS(hsa_shut_down());
  sweep_both("hsa_init", 0, hsa_init, [] { EXPECT_SUCCESS(hsa_shut_down()); });
}

/// The body of a child process whose limit of open files grows until the runtime starts.
[[noreturn]] void start_with_few_files() {
  int refused = 0;
  hsa_status_t status = HSA_STATUS_ERROR;
  for (rlim_t limit = 0; limit < 100 && status != HSA_STATUS_SUCCESS; ++limit) {
    const rlimit files{limit, 4096};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) _exit(2);
    status = hsa_init();
    refused += status == HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  _exit(status == HSA_STATUS_SUCCESS && refused > 0 && all_agents().size() == 3 ? 0 : 1);
}

TEST(ABeginning, InitWorksAsSoonAsFilesCanBeOpened) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(start_with_few_files(), ::testing::ExitedWithCode(0), "");
}

class SystemFaults : public OnAgent {};
INSTANTIATE_TEST_SUITE_P(Agents, SystemFaults, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(SystemFaults, Queues) {
  hsa_queue_t* queue = nullptr;
  const auto create = [&] {
    return hsa_queue_create(agent_, 1024, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX, UINT32_MAX,
                            &queue);
  };
  const auto destroy = [&] { EXPECT_SUCCESS(hsa_queue_destroy(queue)); };
  sweep_both("hsa_queue_create", 1, create, destroy);
  if (can_fail_threads()) sweep("hsa_queue_create", Failing::one, fail_threads, create, destroy);
  // The first queue of a life makes more than those that follow.
  const auto first = [&] {
    EXPECT_SUCCESS(hsa_shut_down());
    const hsa_status_t begun = hsa_init();
    if (begun != HSA_STATUS_SUCCESS) {
      nothing_of_the_system_fails();
      EXPECT_SUCCESS(hsa_init());
      return begun;
    }
    return create();
  };
  sweep_both("hsa_init and hsa_queue_create", 1, first, destroy);
}

/// Every other sleep ends at once, with each of the errors that a futex has: nothing happens before its time,
/// and everything does happen.
TEST_P(SystemFaults, SleepsThatEndAtOnce) {
  const Kernels kernels(agent_, R"(module &m:1:2:$full:$large:$near;
prog kernel &wait(kernarg_sig64 %start) {
  ld_kernarg_align(8)_sig64 $d0, [%start];
  signal_wait_eq_scacq_s64_sig64 $d1, $d0, 0;
};
)");
  for (const int error : {EINTR, EAGAIN, ENOMEM}) {
    const FailingCalls failing(SYS_futex, error, 2);
    hsa_signal_t start = signal(1), done = signal(1);
    uint64_t now = 0, frequency = 0;
    EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
    EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
    const uint64_t deadline = now + frequency / 100;
    EXPECT_EQ(
        hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, frequency / 100, HSA_WAIT_STATE_BLOCKED),
        1);
    EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
    EXPECT_GE(now, deadline) << "the wait has ended too early";
    TestQueue queue(agent_);
    auto packet = kernels.packet("&wait", 2, 1);
    packet.kernarg_address = &start;
    packet.completion_signal = done;
    queue.submit(packet);
    std::thread starter([&] { hsa_signal_store_screlease(start, 0); });
    EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
              0);
    starter.join();
    queue.destroy();
    EXPECT_GT(FailingCalls::count(), 0) << "nobody has slept";
    for (const hsa_signal_t each : {start, done}) EXPECT_SUCCESS(hsa_signal_destroy(each));
  }
}

/// A futex may be refused for ever, by the filter of a sandbox for example. Waits then end when they should,
/// and look from time to time, instead of spinning or sleeping for ever.
TEST_P(SystemFaults, SleepsThatTheSystemRefuses) {
  uint64_t frequency = 0, begin = 0, end = 0;
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  for (const int error : {ENOSYS, EPERM}) {
    EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &begin));
    const FailingCalls failing(SYS_futex, error);
    const hsa_signal_t start = signal(1), done = signal(1);
    const uint64_t timeout = frequency / 20;
    EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, timeout, HSA_WAIT_STATE_BLOCKED),
              1);
    EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &end));
    EXPECT_GE(end, begin + timeout) << "the wait has ended too early";
    TestQueue queue(agent_);
    hsa_barrier_and_packet_t barrier{};
    barrier.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE;
    barrier.dep_signal[0] = start;
    barrier.completion_signal = done;
    queue.submit(std::bit_cast<hsa_kernel_dispatch_packet_t>(barrier));
    std::thread starter([&] {
      EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, timeout, HSA_WAIT_STATE_BLOCKED),
                1);
      hsa_signal_store_screlease(start, 0);
    });
    EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
              0);
    starter.join();
    queue.destroy();
    EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &end));
    // Who is refused looks again after a millisecond. A thread that does not pause makes hundreds of calls in
    // one.
    const auto milliseconds = static_cast<long>((end - begin) * 1000 / frequency) + 1;
    const auto threads = static_cast<long>(held_by_process().threads) + 1;
    EXPECT_GT(FailingCalls::count(), 0) << "nobody has slept";
    EXPECT_LE(FailingCalls::count(), 4 * milliseconds * threads);
    for (const hsa_signal_t each : {start, done}) EXPECT_SUCCESS(hsa_signal_destroy(each));
  }
}

hsa_region_t region_of(hsa_agent_t agent) {
  std::vector<hsa_region_t> regions;
  EXPECT_SUCCESS(hsa_agent_iterate_regions(agent, collect<hsa_region_t>, &regions));
  for (hsa_region_t region : regions)
    if (region_info<hsa_region_segment_t>(region, HSA_REGION_INFO_SEGMENT) == HSA_REGION_SEGMENT_GLOBAL)
      return region;
  return {};
}

hsa_amd_memory_pool_t pool_of(hsa_agent_t agent) {
  std::vector<hsa_amd_memory_pool_t> pools;
  EXPECT_SUCCESS(hsa_amd_agent_iterate_memory_pools(agent, collect<hsa_amd_memory_pool_t>, &pools));
  return pools.empty() ? hsa_amd_memory_pool_t{} : pools.front();
}

TEST_P(SystemFaults, Memory) {
  const hsa_region_t region = region_of(all_agents()[0]);
  const hsa_amd_memory_pool_t pool = pool_of(all_agents()[0]);
  for (const size_t size : {size_t{64}, size_t{8} << 20}) {
    void* memory = nullptr;
    sweep_both(
        "hsa_memory_allocate", size > 4096 ? 1 : 0,
        [&] { return hsa_memory_allocate(region, size, &memory); },
        [&] { EXPECT_SUCCESS(hsa_memory_free(memory)); });
    sweep_both(
        "hsa_amd_memory_pool_allocate", size > 4096 ? 1 : 0,
        [&] { return hsa_amd_memory_pool_allocate(pool, size, 0, &memory); },
        [&] { EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory)); });
  }
  void* address = nullptr;
  hsa_amd_vmem_alloc_handle_t handle{};
  constexpr size_t size = 2 << 20;
  sweep_both(
      "hsa_amd_vmem_address_reserve", 1, [&] { return hsa_amd_vmem_address_reserve(&address, size, 0, 0); },
      [&] { EXPECT_SUCCESS(hsa_amd_vmem_address_free(address, size)); });
  sweep_both(
      "hsa_amd_vmem_handle_create", 1,
      [&] { return hsa_amd_vmem_handle_create(pool, size, MEMORY_TYPE_NONE, 0, &handle); },
      [&] { EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle)); });
  ASSERT_SUCCESS(hsa_amd_vmem_address_reserve(&address, size, 0, 0));
  ASSERT_SUCCESS(hsa_amd_vmem_handle_create(pool, size, MEMORY_TYPE_NONE, 0, &handle));
  sweep_both(
      "hsa_amd_vmem_map", 1, [&] { return hsa_amd_vmem_map(address, size, 0, handle, 0); },
      [&] { EXPECT_SUCCESS(hsa_amd_vmem_unmap(address, size)); });
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(address, size));
}

TEST_P(SystemFaults, Signals) {
  hsa_signal_t made{};
  sweep_both(
      "hsa_signal_create", 0, [&] { return hsa_signal_create(1, 0, nullptr, &made); },
      [&] { EXPECT_SUCCESS(hsa_signal_destroy(made)); });
  sweep_both(
      "hsa_amd_signal_create", 0,
      [&] { return hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_IPC, &made); },
      [&] { EXPECT_SUCCESS(hsa_signal_destroy(made)); });
}

TEST_P(SystemFaults, KernelsAndTheirFiles) {
  std::vector<uint64_t> module = assemble(R"(module &m:1:2:$full:$large:$near;
prog alloc(agent) global_u32 &table[4] = u32[](1, 2, 3, 4);
prog kernel &main(kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_global_u32 $s0, [&table][8];
  st_global_u32 $s0, [$d0];
};
)");
  hsa_ext_program_t program{};
  REQUIRE_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                         HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program));
  REQUIRE_SUCCESS(hsa_ext_program_add_module(program, module_of(module)));
  FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  hsa_ext_code_object_writer_t writer{};
  REQUIRE_SUCCESS(hsa_ext_code_object_writer_create_from_file(fileno(file), &writer));
  REQUIRE_SUCCESS(hsa_ext_agent_code_object_finalize(
      program, agent_info<hsa_isa_t>(agent_, HSA_AGENT_INFO_ISA), nullptr, writer));
  EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer));
  EXPECT_SUCCESS(hsa_ext_program_destroy(program));
  hsa_code_object_reader_t reader{};
  // A file that cannot be read is none, which has a status of its own.
  fail_system(0, Failing::one);
  EXPECT_EQ(hsa_code_object_reader_create_from_file(fileno(file), &reader), HSA_STATUS_ERROR_INVALID_FILE);
  EXPECT_STREQ(nothing_of_the_system_fails(), "pread");
  REQUIRE_SUCCESS(hsa_code_object_reader_create_from_file(fileno(file), &reader));
  hsa_executable_t executable{};
  const auto load = [&] {
    EXPECT_SUCCESS(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr,
                                             &executable));
    hsa_status_t status = hsa_executable_load_agent_code_object(executable, agent_, reader, nullptr, nullptr);
    if (status == HSA_STATUS_SUCCESS) status = hsa_executable_freeze(executable, nullptr);
    if (status != HSA_STATUS_SUCCESS) EXPECT_SUCCESS(hsa_executable_destroy(executable));
    return status;
  };
  sweep_both("load and freeze", std::string(GetParam()) == "cpu" ? 2 : 0, load,
             [&] { EXPECT_SUCCESS(hsa_executable_destroy(executable)); });
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));
  std::fclose(file);
}

}  // namespace
}  // namespace heddle::runtime::test
