// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that access memory that does not exist, on every kernel agent that executes.
#include <hsa/hsa_ext_amd.h>

#include "kernels.h"

namespace heddle::runtime::test {
namespace {

class Faults : public OnAgent {};
INSTANTIATE_TEST_SUITE_P(Agents, Faults, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

/// Address 0 is not special, even where a compiler sees it: the kernel faults there, and the compiler must
/// not make anything else of it.
TEST_P(Faults, NullIsAnAddressAsAnyOther) {
  const char* bodies[] = {
      "mov_b64 $d0, 0; st_global_align(4)_u32 1, [$d0];",
      "nullptr_u64 $d0; st_align(4)_u32 1, [$d0];",
      "st_global_align(4)_u32 1, [0];",
      ("mov_b64 $d0, 0; ld_global_align(4)_u32 $s0, [$d0]; ld_kernarg_align(8)_u64 $d1, [%out];"
       " st_global_align(4)_u32 $s0, [$d1];"),
      "mov_b64 $d0, 0; atomicnoret_add_global_rlx_agent_u32 [$d0], 1;",
  };
  for (const char* body : bodies) {
    const Kernels kernels(agent_, std::string("module &m:1:2:$full:$large:$near;\n") +
                                      "prog kernel &k(kernarg_u64 %out) { " + body + " };\n");
    uint32_t out = 0;
    hsa_status_t error = HSA_STATUS_SUCCESS;
    EXPECT_FALSE(run(kernels, "&k", 1, 1, {address_of(&out)}, &error, HSA_STATUS_ERROR_FATAL)) << body;
    EXPECT_EQ(error, HSA_STATUS_ERROR) << body;
  }
}

/// The event that a handler has had, and what the queue's callback had seen until then.
struct SeenEvent {
  std::atomic<int> count{0};
  hsa_amd_event_t event{};
  static hsa_status_t note(const hsa_amd_event_t* event, void* seen) {
    auto& self = *static_cast<SeenEvent*>(seen);
    self.event = *event;
    ++self.count;
    return HSA_STATUS_SUCCESS;
  }
};

/// The handler of system events learns the agent and the address of a memory fault before the queue's
/// callback is called; an error that is no memory fault is no event.
TEST_P(Faults, AreSystemEvents) {
  SeenEvent seen;
  ASSERT_SUCCESS(hsa_amd_register_system_event_handler(SeenEvent::note, &seen));
  const std::string begin = "module &m:1:2:$full:$large:$near;\nprog kernel &k(kernarg_u64 %out) { ";
  uint32_t out = 0;
  hsa_status_t error = HSA_STATUS_SUCCESS;
  const Kernels trap(agent_, begin + "debugtrap_u32 1; };\n");
  EXPECT_FALSE(run(trap, "&k", 1, 1, {address_of(&out)}, &error));
  EXPECT_EQ(seen.count, 0);
  const Kernels store(agent_, begin + "mov_b64 $d0, 0x123450; st_global_align(4)_u32 1, [$d0]; };\n");
  EXPECT_FALSE(run(store, "&k", 1, 1, {address_of(&out)}, &error, HSA_STATUS_ERROR_FATAL));
  ASSERT_EQ(seen.count, 1);
  EXPECT_EQ(seen.event.event_type, HSA_AMD_GPU_MEMORY_FAULT_EVENT);
  EXPECT_EQ(seen.event.memory_fault.agent.handle, agent_.handle);
  EXPECT_EQ(seen.event.memory_fault.virtual_address, 0x123450u);
  EXPECT_EQ(seen.event.memory_fault.fault_reason_mask,
            static_cast<uint32_t>(HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT));
}

}  // namespace
}  // namespace heddle::runtime::test
