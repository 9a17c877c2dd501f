// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agent dispatch packets on a soft queue (Runtime 2.5.3, 2.6.7), whose packet processor is the application. A
// service thread takes packets, calls the function that each packet names, stores the result at the packet's
// return address, and completes the packet.
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

constexpr uint16_t add = 0x8000, multiply = 0x8001, stop = 0x8002;  // types that the application chose

constexpr uint16_t agent_dispatch_header = HSA_PACKET_TYPE_AGENT_DISPATCH << HSA_PACKET_HEADER_TYPE |
                                           HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                           HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;

hsa_agent_dispatch_packet_t& slot(const hsa_queue_t* queue, uint64_t index) {
  return static_cast<hsa_agent_dispatch_packet_t*>(queue->base_address)[index % queue->size];
}

/// Returns header and type as one word, because they must become visible together.
uint32_t first_word(uint16_t header, uint16_t type) { return header | uint32_t{type} << 16; }

/// Submits a packet as any user of a queue does: reserves a slot, waits until it is free, fills it, publishes
/// it, and rings the doorbell.
void submit(hsa_queue_t* queue, uint16_t type, void* result, uint64_t a, uint64_t b,
            hsa_signal_t completion) {
  const uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) std::this_thread::yield();
  hsa_agent_dispatch_packet_t& packet = slot(queue, index);
  packet.reserved0 = 0;
  packet.return_address = result;
  packet.arg[0] = a;
  packet.arg[1] = b;
  packet.arg[2] = packet.arg[3] = 0;
  packet.reserved2 = 0;
  packet.completion_signal = completion;
  __atomic_store_n(reinterpret_cast<uint32_t*>(&packet), first_word(agent_dispatch_header, type),
                   __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

/// Counters of a service thread.
struct Served {
  std::atomic<uint64_t> packets = 0;
  std::atomic<uint64_t> strangers = 0;  ///< packets of another kind or of an unknown type
};

/// Processes the packets of a soft queue in order, until one has the type `stop`.
void serve(hsa_queue_t* queue, Served& served) {
  for (uint64_t index = 0;; ++index) {
    hsa_agent_dispatch_packet_t& packet = slot(queue, index);
    uint32_t word;
    for (;;) {
      word = __atomic_load_n(reinterpret_cast<uint32_t*>(&packet), __ATOMIC_ACQUIRE);
      if ((word & 0xff) != HSA_PACKET_TYPE_INVALID) break;
      // With several producers the doorbell may announce a later packet before this one is written. The
      // timeout (a hint, in ticks) limits the delay after a missed ring.
      (void)hsa_signal_wait_scacquire(queue->doorbell_signal, HSA_SIGNAL_CONDITION_GTE,
                                      static_cast<hsa_signal_value_t>(index), 100000, HSA_WAIT_STATE_BLOCKED);
    }
    const hsa_agent_dispatch_packet_t taken = packet;
    const auto type = static_cast<uint16_t>(word >> 16);
    auto* result = static_cast<uint64_t*>(taken.return_address);
    if ((word & 0xff) != HSA_PACKET_TYPE_AGENT_DISPATCH || type < add || type > stop) ++served.strangers;
    if (type == add) *result = taken.arg[0] + taken.arg[1];
    if (type == multiply) *result = taken.arg[0] * taken.arg[1];
    ++served.packets;
    // The slot becomes free before anyone can learn that the packet is complete.
    __atomic_store_n(&packet.header, uint16_t{HSA_PACKET_TYPE_INVALID}, __ATOMIC_RELEASE);
    hsa_queue_store_read_index_screlease(queue, index + 1);
    if (taken.completion_signal.handle != 0) hsa_signal_subtract_screlease(taken.completion_signal, 1);
    if (type == stop) return;
  }
}

void wait_for_zero(hsa_signal_t signal) {
  while (hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) !=
         0) {
  }
}

class AgentDispatch : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    doorbell_ = signal(-1);
    // The queue has fewer slots than packets, so producers have to wait for the service thread.
    ASSERT_SUCCESS(hsa_soft_queue_create(fine_region(), 8, HSA_QUEUE_TYPE_MULTI,
                                         HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell_, &queue_));
    for (uint32_t i = 0; i < queue_->size; ++i) EXPECT_EQ(slot(queue_, i).header, HSA_PACKET_TYPE_INVALID);
    thread_ = std::thread([this] { serve(queue_, served_); });
  }
  /// Ends the service thread, and destroys the queue.
  void finish() {
    const hsa_signal_t last = signal(1);
    submit(queue_, stop, nullptr, 0, 0, last);
    wait_for_zero(last);
    thread_.join();
    EXPECT_SUCCESS(hsa_signal_destroy(last));
  }
  void TearDown() override {
    if (thread_.joinable()) finish();
    EXPECT_SUCCESS(hsa_queue_destroy(queue_));
    EXPECT_SUCCESS(hsa_signal_destroy(doorbell_));
    Runtime::TearDown();
  }

  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t doorbell_{};
  Served served_;
  std::thread thread_;
};

TEST_F(AgentDispatch, TheApplicationAnswersAndCompletes) {
  uint64_t sum = 0, product = 0;
  const hsa_signal_t done = signal(1);
  submit(queue_, add, &sum, 40, 2, done);
  wait_for_zero(done);
  EXPECT_EQ(sum, 42u);
  EXPECT_EQ(hsa_queue_load_read_index_scacquire(queue_), 1u);
  hsa_signal_store_relaxed(done, 1);
  submit(queue_, multiply, &product, 1ull << 33, 5, done);
  wait_for_zero(done);
  EXPECT_EQ(product, 5ull << 33);
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

TEST_F(AgentDispatch, APacketWithoutCompletionSignalIsOrderedByTheQueue) {
  uint64_t first = 0, second = 0;
  const hsa_signal_t done = signal(1);
  submit(queue_, add, &first, 1, 2, {0});
  submit(queue_, add, &second, 3, 4, done);
  wait_for_zero(done);
  EXPECT_EQ(first, 3u);
  EXPECT_EQ(second, 7u);
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

TEST_F(AgentDispatch, SeveralProducersShareTheQueue) {
  constexpr uint64_t producers = 3, each = 200;
  std::vector<uint64_t> results(producers * each);
  const hsa_signal_t done = signal(producers * each);
  std::vector<std::thread> threads;
  for (uint64_t p = 0; p < producers; ++p)
    threads.emplace_back([&, p] {
      for (uint64_t i = p * each; i < (p + 1) * each; ++i)
        submit(queue_, i % 2 ? add : multiply, &results[i], i, 3, done);
    });
  for (std::thread& thread : threads) thread.join();
  wait_for_zero(done);
  for (uint64_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], i % 2 ? i + 3 : i * 3) << i;
  finish();
  EXPECT_EQ(served_.packets, producers * each + 1);
  EXPECT_EQ(served_.strangers, 0u);
  EXPECT_EQ(hsa_queue_load_read_index_relaxed(queue_), producers * each + 1);
  EXPECT_EQ(hsa_queue_load_write_index_relaxed(queue_), producers * each + 1);
}

TEST_F(Runtime, AKernelAgentRefusesAgentDispatchPackets) {
  std::atomic<int> status = HSA_STATUS_SUCCESS;
  hsa_queue_t* q = nullptr;
  ASSERT_SUCCESS(hsa_queue_create(
      kernel_agent_, 64, HSA_QUEUE_TYPE_SINGLE,
      [](hsa_status_t said, hsa_queue_t*, void* data) { *static_cast<std::atomic<int>*>(data) = said; },
      &status, 0, 0, &q));
  EXPECT_EQ(q->features & HSA_QUEUE_FEATURE_AGENT_DISPATCH, 0u);
  const hsa_signal_t done = signal(1);
  submit(q, add, nullptr, 0, 0, done);
  for (int i = 0; i < 5000 && status == HSA_STATUS_SUCCESS; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  EXPECT_EQ(hsa_signal_load_relaxed(done), 1);
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

}  // namespace
}  // namespace heddle::runtime::test
