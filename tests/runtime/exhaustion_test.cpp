// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and threads that run out, on every kernel agent that executes. Each allocation of a call, and each
// thread that it starts, fails once. The call then returns OUT_OF_RESOURCES, leaves everything unchanged, and
// works when it is repeated.
#include <cstdlib>
#include <thread>

#include "failing_memory.h"
#include "kernels.h"

namespace heddle::runtime::test {
namespace {

/// This must be the first test of the program, because a process opens its agent drivers only once.
TEST(ABeginning, InitSurvivesWithoutMemoryAndStartsAgain) {
  if (hsa_shut_down() == HSA_STATUS_SUCCESS) GTEST_FAIL() << "the runtime is in use";
  const auto undo = [] { EXPECT_SUCCESS(hsa_shut_down()); };
  // The first iteration opens the agent drivers, and the second finds them open.
  for (int life = 0; life < 2; ++life) {
    EXPECT_GT(sweep("hsa_init", Failing::all, fail_memory, hsa_init, undo), 0);
    EXPECT_GT(sweep("hsa_init", Failing::one, fail_memory, hsa_init, undo), 0);
  }
  ASSERT_SUCCESS(hsa_init());
  std::vector<hsa_agent_t> agents;
  EXPECT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  EXPECT_EQ(agents.size(), 3u) << "none is missing and none is there twice";
  EXPECT_EQ(hsa_agent_iterate_regions(
                agents[1], [](hsa_region_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr),
            HSA_STATUS_SUCCESS);
  WITHOUT_MEMORY(hsa_shut_down());
}

class Exhaustion : public OnAgent {
 protected:
  static std::string text() {
    return R"(module &m:1:0:$full:$large:$near;
prog alloc(agent) global_u32 &table[4] = u32[](1, 2, 3, 4);
prog alloc(agent) global_u64 &pointer = addr(&table);
prog indirect function &twice(arg_u32 %out)(arg_u32 %in) {
  ld_arg_u32 $s0, [%in];
  add_u32 $s0, $s0, $s0;
  st_arg_u32 $s0, [%out];
};
prog kernel &main(kernarg_u64 %out) {
  group_u32 %shared[64];
  fbarrier %bar;
  workitemid_u32 $s0, 0;
  shl_u32 $s1, $s0, 2;
  cmp_ne_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @ready;
  initfbar %bar;
@ready:
  barrier;
  joinfbar %bar;
  st_group_u32 $s0, [%shared][$s1];
  waitfbar %bar;
  ld_group_u32 $s2, [%shared][$s1];
  leavefbar %bar;
  barrier;
  cbr_b1 $c0, @done;
  releasefbar %bar;
@done:
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemabsid_u32 $s3, 0;
  shl_u32 $s3, $s3, 2;
  cvt_u64_u32 $d1, $s3;
  add_u64 $d0, $d0, $d1;
  st_global_u32 $s2, [$d0];
};
)";
  }
};
INSTANTIATE_TEST_SUITE_P(Agents, Exhaustion, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Exhaustion, Queues) {
  hsa_queue_t* queue = nullptr;
  const auto create = [&] {
    return hsa_queue_create(
        agent_, 64, HSA_QUEUE_TYPE_MULTI, [](hsa_status_t, hsa_queue_t*, void*) {}, nullptr, UINT32_MAX,
        UINT32_MAX, &queue);
  };
  const auto destroy = [&] { WITHOUT_MEMORY(hsa_queue_destroy(queue)); };
  EXPECT_GT(sweep_memory("hsa_queue_create", create, destroy), 3);
  // As many queues as ever can be created: calls that failed do not count.
  uint32_t most = 0;
  ASSERT_SUCCESS(hsa_agent_get_info(agent_, HSA_AGENT_INFO_QUEUES_MAX, &most));
  std::vector<hsa_queue_t*> queues(most);
  for (hsa_queue_t*& made : queues)
    ASSERT_SUCCESS(
        hsa_queue_create(agent_, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX, UINT32_MAX, &made));
  for (hsa_queue_t* made : queues) EXPECT_SUCCESS(hsa_queue_destroy(made));
}

TEST_P(Exhaustion, QueuesWithoutThreads) {
  if (!can_fail_threads()) GTEST_SKIP() << "threads are the sanitizer's";
  hsa_queue_t* queue = nullptr;
  const auto create = [&] {
    return hsa_queue_create(agent_, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX, UINT32_MAX,
                            &queue);
  };
  const auto destroy = [&] { EXPECT_SUCCESS(hsa_queue_destroy(queue)); };
  EXPECT_EQ(sweep("hsa_queue_create", Failing::all, fail_threads, create, destroy), 1);
}

TEST_P(Exhaustion, Executables) {
  std::vector<uint64_t> module = assemble(text());
  hsa_ext_program_t program{};
  ASSERT_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                        HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program));
  ASSERT_SUCCESS(hsa_ext_program_add_module(program, module_of(module)));
  hsa_code_object_t code{};
  ASSERT_SUCCESS(hsa_ext_program_finalize(program, agent_info<hsa_isa_t>(agent_, HSA_AGENT_INFO_ISA), 0, {},
                                          "-g", HSA_CODE_OBJECT_TYPE_PROGRAM, &code));
  hsa_executable_t executable{};
  for (const Failing failing : {Failing::all, Failing::one}) {
    const auto nothing = [] {};
    ASSERT_SUCCESS(
        hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &executable));
    const auto load = [&] { return hsa_executable_load_code_object(executable, agent_, code, nullptr); };
    EXPECT_GT(sweep("hsa_executable_load_code_object", failing, fail_memory, load, nothing), 10);
    const auto freeze = [&] { return hsa_executable_freeze(executable, nullptr); };
    EXPECT_GT(sweep("hsa_executable_freeze", failing, fail_memory, freeze, nothing), 20);
    hsa_executable_symbol_t pointer{};
    EXPECT_SUCCESS(hsa_executable_get_symbol(executable, nullptr, "&pointer", agent_, 0, &pointer));
    uint64_t address = 0, value = 0;
    EXPECT_SUCCESS(
        hsa_executable_symbol_get_info(pointer, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
    EXPECT_SUCCESS(hsa_memory_copy(&value, reinterpret_cast<void*>(address), 8));
    uint32_t table[4] = {};
    EXPECT_SUCCESS(hsa_memory_copy(table, reinterpret_cast<void*>(value), sizeof table));
    EXPECT_EQ(table[3], 4u);
    WITHOUT_MEMORY(hsa_executable_destroy(executable));
  }
  EXPECT_SUCCESS(hsa_code_object_destroy(code));
  EXPECT_SUCCESS(hsa_ext_program_destroy(program));
}

/// Memory runs out at any point of a dispatch. The dispatch completes, or the queue fails with
/// OUT_OF_RESOURCES. Neither hangs, and the queue can be destroyed in either case.
TEST_P(Exhaustion, Dispatches) {
  const Kernels kernels(agent_, text());
  constexpr uint32_t grid = 256;
  std::vector<uint32_t> out(grid);
  int failures = 0;
  for (int allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 5000);
    std::fill(out.begin(), out.end(), ~0u);
    uint64_t arguments[] = {address_of(out.data())};
    TestQueue queue(agent_);
    const hsa_signal_t done = signal(1);
    auto packet = kernels.packet("&main", grid, 64);
    packet.kernarg_address = arguments;
    packet.completion_signal = done;
    fail_memory(allowed, Failing::one);
    queue.submit(packet);
    const auto completed = [&] { return hsa_signal_load_scacquire(done) == 0; };
    EXPECT_TRUE(eventually([&] { return completed() || queue.error() != HSA_STATUS_SUCCESS; })) << allowed;
    const bool failed = nothing_fails();
    if (completed())
      for (uint32_t i = 0; i < grid; ++i) ASSERT_EQ(out[i], i % 64) << allowed;
    else
      EXPECT_EQ(queue.error(), HSA_STATUS_ERROR_OUT_OF_RESOURCES) << allowed;
    failures += !completed();
    queue.destroy();
    EXPECT_SUCCESS(hsa_signal_destroy(done));
    if (!failed) break;
  }
  EXPECT_GT(failures, 0);
}

/// Programs, and the work of the toolchain that does not need LLVM.
TEST_P(Exhaustion, Programs) {
  const auto nothing = [] {};
  std::vector<uint64_t> module = assemble(text());
  // Opening the library builds the compiler's own tables, for which there must be memory.
  hsa_isa_t isa{};
  ASSERT_SUCCESS(hsa_ext_isa_from_name("heddle:hsail:w1", &isa));
  hsa_ext_program_t program{};
  for (const Failing failing : {Failing::all, Failing::one}) {
    const auto create = [&] {
      return hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                    HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program);
    };
    EXPECT_GT(sweep("hsa_ext_program_create", failing, fail_memory, create, nothing), 0);
    const auto add = [&] { return hsa_ext_program_add_module(program, module_of(module)); };
    EXPECT_GT(sweep("hsa_ext_program_add_module", failing, fail_memory, add, nothing), 10);
    hsa_code_object_t code{};
    const auto finalize = [&] {
      return hsa_ext_program_finalize(program, isa, 0, {}, nullptr, HSA_CODE_OBJECT_TYPE_PROGRAM, &code);
    };
    EXPECT_GT(sweep("hsa_ext_program_finalize", failing, fail_memory, finalize, nothing), 10);
    WITHOUT_MEMORY(hsa_code_object_destroy(code));
    WITHOUT_MEMORY(hsa_ext_program_destroy(program));
  }
}

}  // namespace
}  // namespace heddle::runtime::test
