// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose packets go through interceptors, on every kernel agent that executes.
#include <hsa/hsa_api_trace.h>

#include <algorithm>
#include <thread>

#include "kernels.h"

namespace heddle::runtime::test {
namespace {

const std::string text = std::string(doubling_module) + R"(prog kernel &ring(kernarg_sig64 %doorbell) {
  ld_kernarg_align(8)_sig64 $d0, [%doorbell];
  signalnoret_st_screl_b64_sig64 $d0, 0;
};
)";

class InterceptedKernels : public OnAgent {
 protected:
  void SetUp() override {
    OnAgent::SetUp();
    ASSERT_SUCCESS(hsa_amd_queue_intercept_create(agent_, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr,
                                                  UINT32_MAX, UINT32_MAX, &queue_));
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_queue_destroy(queue_));
    OnAgent::TearDown();
  }
  /// Writes the packet into slot 0, without a ring of the doorbell.
  void write_first(const hsa_kernel_dispatch_packet_t& packet) const {
    ASSERT_EQ(hsa_queue_add_write_index_relaxed(queue_, 1), 0u);
    auto* slot = static_cast<char*>(queue_->base_address);
    const uint32_t header = packet.header | uint32_t{packet.setup} << 16;
    std::memcpy(slot + 4, reinterpret_cast<const char*>(&packet) + 4, sizeof packet - 4);
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot), header, __ATOMIC_RELEASE);
  }
  hsa_queue_t* queue_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Agents, InterceptedKernels, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

/// The interceptor has the kernel executed twice, for half of the work-items.
void twice_for_half(const void* packets, uint64_t count, uint64_t, void*,
                    hsa_amd_queue_intercept_packet_writer writer) {
  ASSERT_EQ(count, 1u);
  hsa_kernel_dispatch_packet_t two[2];
  for (auto& packet : two) {
    std::memcpy(&packet, packets, sizeof packet);
    packet.grid_size_x /= 2;
  }
  two[0].completion_signal = {0};
  two[1].header |= 1 << HSA_PACKET_HEADER_BARRIER;
  writer(two, 2);
}

TEST_P(InterceptedKernels, AreExecutedAsTheInterceptorWants) {
  const Kernels kernels(agent_, text);
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, twice_for_half, nullptr));
  std::vector<uint32_t> data(1000, 1);
  void* argument = data.data();
  auto packet = kernels.packet("&double", 1000, 100);
  packet.kernarg_address = &argument;
  packet.completion_signal = signal(1);
  write_first(packet);
  hsa_signal_store_screlease(queue_->doorbell_signal, 0);
  EXPECT_TRUE(becomes(packet.completion_signal, 0));
  EXPECT_EQ(std::ranges::count(data.begin(), data.begin() + 500, 4u), 500);
  EXPECT_EQ(std::ranges::count(data.begin() + 500, data.end(), 1u), 500);
  EXPECT_SUCCESS(hsa_signal_destroy(packet.completion_signal));
}

/// A kernel rings: its thread is the agent's, so that the interceptor runs on another one.
TEST_P(InterceptedKernels, MayRing) {
  const Kernels kernels(agent_, text);
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, twice_for_half, nullptr));
  std::vector<uint32_t> data(4, 1);
  void* argument = data.data();
  auto packet = kernels.packet("&double", 4, 4);
  packet.kernarg_address = &argument;
  packet.completion_signal = signal(1);
  write_first(packet);
  TestQueue other(agent_);
  auto ring = kernels.packet("&ring", 1, 1);
  ring.kernarg_address = &queue_->doorbell_signal;
  ring.completion_signal = signal(1);
  other.submit(ring);
  EXPECT_TRUE(becomes(ring.completion_signal, 0));
  EXPECT_TRUE(becomes(packet.completion_signal, 0));
  EXPECT_EQ(data, (std::vector<uint32_t>{4, 4, 1, 1}));
  for (const hsa_signal_t each : {ring.completion_signal, packet.completion_signal})
    EXPECT_SUCCESS(hsa_signal_destroy(each));
}

}  // namespace
}  // namespace heddle::runtime::test
