// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that read and write queues (PRM 11.3): they enqueue dispatches in queues of every agent, and
// overwrite headers.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "../finalizer/compile.h"
#include "agents.h"

namespace heddle::testing {
namespace {

/// &child stores a number where its arguments say. Each work-item of &parent enqueues `count` dispatches of
/// it: copies of a template with arguments of their own.
std::string module_text() {
  std::string text = module_header + R"(
prog kernel &child(kernarg_u64 %out, kernarg_u64 %value) {
  ld_kernarg_align(8)_u64 $d0, [%out]; ld_kernarg_align(8)_u64 $d1, [%value];
  st_global_align(8)_u64 $d1, [$d0];
};
prog kernel &parent(kernarg_u64 %queue, kernarg_u64 %template, kernarg_u64 %arguments, kernarg_u64 %count) {
  ld_kernarg_align(8)_u64 $d0, [%queue]; ld_kernarg_align(8)_u64 $d1, [%template];
  ld_kernarg_align(8)_u64 $d2, [%arguments]; ld_kernarg_align(8)_u64 $d3, [%count];
  workitemflatabsid_u32 $s0; cvt_u64_u32 $d4, $s0; mul_u64 $d4, $d4, $d3; mad_u64 $d2, $d4, 16, $d2;
  ld_global_align(8)_u64 $d4, [$d0+8]; ld_global_align(8)_sig64 $d5, [$d0+16];
  ld_global_align(4)_u32 $s0, [$d0+24]; cvt_u64_u32 $d6, $s0; sub_u64 $d7, $d6, 1;
@next:
  addqueuewriteindex_scar_u64 $d8, [$d0], 1;
@full:
  ldqueuereadindex_scacq_u64 $d9, [$d0];
  sub_u64 $d9, $d8, $d9; cmp_ge_b1_u64 $c0, $d9, $d6; cbr_b1 $c0, @full;
  and_b64 $d9, $d8, $d7; mad_u64 $d9, $d9, 64, $d4;
  ld_global_align(4)_u32 $s0, [$d1+4]; st_global_align(4)_u32 $s0, [$d9+4];
)";
  for (const int word : {8, 16, 24, 32, 48, 56})
    text += fmt::format("ld_global_align(8)_u64 $d10, [$d1+{0}]; st_global_align(8)_u64 $d10, [$d9+{0}];\n",
                        word);
  return text + R"(
  st_global_align(8)_u64 $d2, [$d9+40];
  ld_global_align(4)_u32 $s0, [$d1]; atomicnoret_st_global_screl_system_b32 [$d9], $s0;
  signalnoret_st_screl_b64_sig64 $d5, $d8;
  add_u64 $d2, $d2, 16; sub_u64 $d3, $d3, 1;
  cmp_ne_b1_u64 $c0, $d3, 0; cbr_b1 $c0, @next;
};
prog kernel &overwrite(kernarg_u64 %queue) {
  ld_kernarg_align(8)_u64 $d0, [%queue];
  st_global_align(8)_u64 -1, [$d0]; st_global_align(8)_u64 -1, [$d0+8]; st_global_align(8)_u64 -1, [$d0+16];
  st_global_align(8)_u64 -1, [$d0+24]; st_global_align(8)_u64 -1, [$d0+32];
};
)";
}

/// One agent's code of the module.
struct Code {
  explicit Code(const Agent& agent)
      : compiled(compile(module_text(), agent.isa.c_str())),
        code(agent, compiled.object, compiled.modules, compiled.lowered) {}
  const Compiled compiled;
  AgentCode code;
};

struct ChildArguments {
  uint64_t* out;
  uint64_t value;
};

/// Dispatches of &child that kernels are to make.
class Children {
 public:
  /// `code` is that of the agent whose queue they come into.
  Children(const AgentCode& code, size_t count)
      : results_(count), arguments_(count), template_(1, code.packet("&child", line(1, 1))) {
    EXPECT_EQ(hsa_signal_create(static_cast<hsa_signal_value_t>(count), 0, nullptr, &done_),
              HSA_STATUS_SUCCESS);
    template_[0].completion_signal = done_;
    for (size_t i = 0; i < count; ++i) arguments_[i] = {&results_[i], 3 * i + 1};
  }
  ~Children() { EXPECT_EQ(hsa_signal_destroy(done_), HSA_STATUS_SUCCESS); }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// The arguments of &parent.
  std::vector<uint64_t> parent_arguments(const hsa_queue_t* queue, uint64_t count_of_each) const {
    return {reinterpret_cast<uint64_t>(queue), address_of(template_), address_of(arguments_), count_of_each};
  }
  /// Waits until all have run in the queue.
  void expect_results(const AgentQueue& queue) const {
    EXPECT_TRUE(queue.wait(done_)) << hsa_signal_load_relaxed(done_) << " dispatches have not ended";
    EXPECT_EQ(queue.error(), HSA_STATUS_SUCCESS);
    for (size_t i = 0; i < results_.size(); ++i) EXPECT_EQ(results_[i], 3 * i + 1) << i;
  }

 private:
  SharedVector<uint64_t> results_;
  SharedVector<ChildArguments> arguments_;
  SharedVector<hsa_kernel_dispatch_packet_t> template_;
  hsa_signal_t done_ = {};
};

/// Calls `test(agent, its code, other agent, its code)` for all pairs of agents, also of one with itself.
template <typename Test>
void for_each_pair(Test test) {
  std::vector<std::unique_ptr<Code>> codes;
  for (const Agent& agent : executing_agents()) {
    codes.push_back(std::make_unique<Code>(agent));
    ASSERT_TRUE(codes.back()->compiled && codes.back()->code.good()) << agent.isa;
  }
  for (size_t from = 0; from < codes.size(); ++from)
    for (size_t to = 0; to < codes.size(); ++to) {
      const Agent &by = executing_agents()[from], &in = executing_agents()[to];
      SCOPED_TRACE(by.isa + " enqueues for " + in.isa);
      test(codes[from]->code, in, codes[to]->code);
    }
}

// The ring has 64 slots, so the kernel also waits for the packet processor.
TEST(QueuesInKernels, one_work_item_enqueues_more_dispatches_than_the_queue_has_slots) {
  for_each_pair([](AgentCode& code, const Agent& other, const AgentCode& other_code) {
    const AgentQueue queue(other);
    const Children children(other_code, 150);
    ASSERT_EQ(code.run("&parent", children.parent_arguments(queue.get(), 150), line(1, 1)),
              HSA_STATUS_SUCCESS);
    children.expect_results(queue);
  });
}

TEST(QueuesInKernels, many_work_items_enqueue_at_once) {
  for_each_pair([](AgentCode& code, const Agent& other, const AgentCode& other_code) {
    const AgentQueue queue(other);
    const Children children(other_code, 60);
    ASSERT_EQ(code.run("&parent", children.parent_arguments(queue.get(), 3), line(20, 5)),
              HSA_STATUS_SUCCESS);
    children.expect_results(queue);
  });
}

TEST(QueuesInKernels, a_kernel_enqueues_into_its_own_queue) {
  for (const Agent& agent : executing_agents()) {
    Code made(agent);
    ASSERT_TRUE(made.compiled && made.code.good()) << agent.isa;
    const AgentQueue queue(agent);
    const Children children(made.code, 10);
    ASSERT_EQ(
        made.code.run("&parent", children.parent_arguments(queue.get(), 10), line(1, 1), queue, *queue.get()),
        HSA_STATUS_SUCCESS);
    children.expect_results(queue);
  }
}

// Only what the program reads from the header is lost.
TEST(QueuesInKernels, a_queue_whose_header_a_kernel_overwrites_can_be_used_and_destroyed) {
  for_each_pair([](AgentCode& code, const Agent& other, AgentCode& other_code) {
    const AgentQueue queue(other);
    const hsa_queue_t before = *queue.get();
    ASSERT_EQ(code.run("&overwrite", {reinterpret_cast<uint64_t>(queue.get())}, line(1, 1)),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(queue.get()->type, UINT32_MAX);
    EXPECT_EQ(queue.get()->id, UINT64_MAX);
    SharedVector<uint64_t> out(1);
    EXPECT_EQ(other_code.run("&child", {address_of(out), 5}, line(1, 1), queue, before), HSA_STATUS_SUCCESS);
    EXPECT_EQ(out[0], 5u);
  });
}

}  // namespace
}  // namespace heddle::testing
