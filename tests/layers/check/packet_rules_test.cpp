// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules about packets and fences. Each test breaks one rule, and the message says so and nothing else.
#include "fixture.h"

namespace heddle::check::test {
namespace {

using PacketRules = Checked;

TEST_F(PacketRules, RightPacketsSayNothing) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.completion_signal = signal(1);
  void* data = allocate(data_region_, 4096);
  std::memcpy(packet.kernarg_address, &data, sizeof data);
  EXPECT_EQ(said_about(packet), "");
  EXPECT_EQ(said([&] {
              open_gate();
              while (hsa_signal_wait_scacquire(packet.completion_signal, HSA_SIGNAL_CONDITION_LT, 1,
                                               UINT64_MAX, HSA_WAIT_STATE_BLOCKED) != 0) {
              }
              EXPECT_SUCCESS(hsa_signal_destroy(packet.completion_signal));
              EXPECT_SUCCESS(hsa_memory_free(data));
            }),
            "");
}

TEST_F(PacketRules, UnknownType) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.header = static_cast<uint16_t>((packet.header & 0xff00u) | 9u);
  EXPECT_THAT(said_about(packet),
              HasSubstr(rule("packet-type") + "hsa_signal_store_screlease: packet 1 of queue"));
}

TEST_F(PacketRules, TypeThatTheQueueDoesNotAccept) {
  hsa_agent_dispatch_packet_t packet{};
  packet.header = header(HSA_PACKET_TYPE_AGENT_DISPATCH);
  EXPECT_THAT(said_about(packet), HasSubstr(rule("packet-type")));
}

TEST_F(PacketRules, ReservedFields) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.reserved0 = 3;
  packet.reserved2 = 4;
  packet.setup |= 4;
  packet.header |= 0x8000;
  const std::string text = said_about(packet);
  EXPECT_THAT(text, HasSubstr("reserved part of the header is 0x4"));
  EXPECT_THAT(text, HasSubstr("reserved part of setup is 0x1"));
  EXPECT_THAT(text, HasSubstr("reserved field reserved0 is 0x3"));
  EXPECT_THAT(text, HasSubstr(rule("packet-reserved")));
}

TEST_F(PacketRules, FenceScope) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.header = header(HSA_PACKET_TYPE_KERNEL_DISPATCH, 2, 3);
  EXPECT_THAT(said_about(packet), HasSubstr(rule("packet-fence-scope")));
}

TEST_F(PacketRules, Dimensions) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.setup = 0;
  EXPECT_THAT(said_about(packet), HasSubstr(rule("packet-dimensions")));
}

TEST_F(PacketRules, GridSmallerThanTheWorkGroup) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.grid_size_x = 63;
  EXPECT_THAT(said_about(packet), HasSubstr(rule("packet-grid")));
}

TEST_F(PacketRules, GridInADimensionThatItDoesNotHave) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.grid_size_y = 0;
  EXPECT_THAT(said_about(packet), HasSubstr("1 dimensions has 0 work-items and work-groups of 1 in y"));
}

TEST_F(PacketRules, WorkGroupLargerThanTheAgentAllows) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.workgroup_size_x = 2048;
  packet.grid_size_x = 2048;
  EXPECT_THAT(said_about(packet), HasSubstr("the agent allows 1024"));
}

TEST_F(PacketRules, KernelObjectThatNobodyReturned) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.kernel_object = 0;
  EXPECT_THAT(said_about(packet), HasSubstr(rule("kernel-object")));
}

TEST_F(PacketRules, KernelObjectOfADestroyedExecutable) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  EXPECT_SUCCESS(hsa_executable_destroy(executable_));
  executable_ = {};
  const std::string text = said_about(packet);
  EXPECT_THAT(text, HasSubstr(rule("kernel-object")));
  EXPECT_THAT(text, HasSubstr("the executable of kernel &main has been destroyed"));
  EXPECT_THAT(text, HasSubstr("destroyed by hsa_executable_destroy at "));
}

TEST_F(PacketRules, KernelOfAnotherAgent) {
  const hsa_kernel_dispatch_packet_t packet = dispatch();
  make_gated_queue(other_agent_);
  EXPECT_THAT(said_about(packet), HasSubstr(rule("kernel-agent")));
}

TEST_F(PacketRules, KernargNull) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.kernarg_address = nullptr;
  EXPECT_THAT(said_about(packet), HasSubstr(rule("kernarg-null")));
}

TEST_F(PacketRules, KernargMisaligned) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.kernarg_address = static_cast<char*>(packet.kernarg_address) + 8;
  const std::string text = said_about(packet);
  EXPECT_THAT(text, HasSubstr(rule("kernarg-alignment")));
  EXPECT_THAT(text, Not(HasSubstr(rule("kernarg-region"))));
}

TEST_F(PacketRules, KernargInOtherMemory) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.kernarg_address = allocate(data_region_, 64);
  memory_.push_back(packet.kernarg_address);
  EXPECT_THAT(said_about(packet),
              HasSubstr("in memory that is not for arguments (KERNARG) [Runtime 2.7.4.3]"));
  alignas(64) char mine[64] = {};
  packet.kernarg_address = mine;
  EXPECT_THAT(said_about(packet), HasSubstr("in memory that the runtime has not allocated"));
}

TEST_F(PacketRules, KernargFreed) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  EXPECT_SUCCESS(hsa_memory_free(packet.kernarg_address));
  memory_.clear();
  const std::string text = said_about(packet);
  EXPECT_THAT(text, HasSubstr("in memory that has been freed"));
  EXPECT_THAT(text, HasSubstr("freed by hsa_memory_free at "));
}

TEST_F(PacketRules, KernargTooShort) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  const auto granule =
      runtime::test::region_info<size_t>(kernarg_region_, HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE);
  const size_t size = (64 + granule - 1) / granule * granule;
  packet.kernarg_address = static_cast<char*>(allocate(kernarg_region_, size)) + size - 16;
  memory_.push_back(static_cast<char*>(packet.kernarg_address) + 16 - size);
  EXPECT_THAT(said_about(packet), HasSubstr(rule("kernarg-size")));
}

TEST_F(PacketRules, SegmentsTooSmall) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.group_segment_size = 127;
  packet.private_segment_size = 63;
  const std::string text = said_about(packet);
  EXPECT_THAT(text, HasSubstr(rule("group-size")));
  EXPECT_THAT(text, HasSubstr(rule("private-size")));
}

TEST_F(PacketRules, CompletionSignals) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.completion_signal = signal(1);
  EXPECT_SUCCESS(hsa_signal_destroy(packet.completion_signal));
  EXPECT_THAT(said_about(packet), HasSubstr(rule("completion-signal")));
  packet.completion_signal = queue_->doorbell_signal;
  EXPECT_THAT(said_about(packet), HasSubstr("the completion signal is the doorbell of a queue"));
}

TEST_F(PacketRules, CompletionBelowZero) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.completion_signal = signal(1);
  EXPECT_EQ(said_about(packet), "");
  EXPECT_THAT(said_about(packet), HasSubstr(rule("signal-below-zero")));
  EXPECT_SUCCESS(hsa_queue_destroy(queue_));
  queue_ = nullptr;
  EXPECT_SUCCESS(hsa_signal_destroy(packet.completion_signal));
}

TEST_F(PacketRules, Dependencies) {
  hsa_barrier_and_packet_t packet{};
  packet.header = header(HSA_PACKET_TYPE_BARRIER_AND);
  packet.dep_signal[2] = signal(1);
  EXPECT_SUCCESS(hsa_signal_destroy(packet.dep_signal[2]));
  EXPECT_THAT(said_about(packet), HasSubstr(rule("dependency-signal")));
}

TEST_F(PacketRules, DependencyOfAnAgentThatIsNoConsumer) {
  hsa_barrier_and_packet_t packet{};
  packet.header = header(HSA_PACKET_TYPE_BARRIER_AND);
  packet.dep_signal[0] = signal(1, {host_, agent_});
  EXPECT_EQ(said_about(packet), "");
  const hsa_signal_t allowed = packet.dep_signal[0];
  packet.dep_signal[0] = signal(1, {host_});
  EXPECT_THAT(said_about(packet), HasSubstr(rule("signal-consumer")));
  EXPECT_SUCCESS(hsa_queue_destroy(queue_));
  queue_ = nullptr;
  EXPECT_SUCCESS(hsa_signal_destroy(packet.dep_signal[0]));
  EXPECT_SUCCESS(hsa_signal_destroy(allowed));
}

TEST_F(PacketRules, BarrierOrWithoutDependencies) {
  hsa_barrier_or_packet_t packet{};
  packet.header = header(HSA_PACKET_TYPE_BARRIER_OR);
  EXPECT_THAT(said_about(packet), HasSubstr(rule("barrier-or-empty")));
}

TEST_F(PacketRules, NoAcquireFence) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.header = header(HSA_PACKET_TYPE_KERNEL_DISPATCH, HSA_FENCE_SCOPE_AGENT);
  void* data = allocate(data_region_, 4096);
  memory_.push_back(data);
  std::memcpy(packet.kernarg_address, &data, sizeof data);
  // The gate of this queue has no fence either.
  gate_ = signal(1);
  make_queue(agent_);
  hsa_barrier_and_packet_t barrier{};
  barrier.header = header(HSA_PACKET_TYPE_BARRIER_AND, HSA_FENCE_SCOPE_NONE, HSA_FENCE_SCOPE_NONE);
  barrier.dep_signal[0] = gate_;
  submit(&barrier);
  EXPECT_THAT(said_about(packet), HasSubstr("warning:" + rule("fence-acquire")));
  barrier.header = header(HSA_PACKET_TYPE_BARRIER_AND);
  submit(&barrier);
  EXPECT_EQ(said_about(packet), "");
}

/// Dispatches with release fences of the given scopes and returns what is said when the host waits for the
/// first.
class ReleaseFences : public Checked {
 protected:
  std::string said_after(std::initializer_list<int> scopes) {
    make_gated_queue();
    void* data = allocate(data_region_, 4096);
    memory_.push_back(data);
    std::vector<hsa_signal_t> completions;
    for (const int scope : scopes) {
      hsa_kernel_dispatch_packet_t packet = dispatch();
      packet.header = header(HSA_PACKET_TYPE_KERNEL_DISPATCH, HSA_FENCE_SCOPE_SYSTEM, scope);
      std::memcpy(packet.kernarg_address, &data, sizeof data);
      packet.completion_signal = signal(1);
      completions.push_back(packet.completion_signal);
      submit(&packet);
    }
    open_gate();
    const auto wait = [](hsa_signal_t signal) {
      while (hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                       HSA_WAIT_STATE_BLOCKED) != 0) {
      }
    };
    const std::string text = said([&] { wait(completions.front()); });
    for (const hsa_signal_t signal : completions) {
      wait(signal);
      EXPECT_SUCCESS(hsa_signal_destroy(signal));
    }
    return text;
  }
};

TEST_F(ReleaseFences, None) {
  EXPECT_THAT(said_after({HSA_FENCE_SCOPE_AGENT}), HasSubstr("warning:" + rule("fence-release")));
}
TEST_F(ReleaseFences, OfTheDispatch) { EXPECT_EQ(said_after({HSA_FENCE_SCOPE_SYSTEM}), ""); }
TEST_F(ReleaseFences, OfALaterPacket) {
  EXPECT_EQ(said_after({HSA_FENCE_SCOPE_NONE, HSA_FENCE_SCOPE_SYSTEM}), "");
}

}  // namespace
}  // namespace heddle::check::test
