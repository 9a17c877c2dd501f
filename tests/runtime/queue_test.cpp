// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues and packets that need no kernel (Runtime 2.5, 2.6).
#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

uint16_t header_at(const hsa_queue_t* queue, uint64_t index) {
  const auto* packets = static_cast<const hsa_barrier_and_packet_t*>(queue->base_address);
  return __atomic_load_n(&packets[index % queue->size].header, __ATOMIC_ACQUIRE);
}

constexpr uint16_t header_of(hsa_packet_type_t type) {
  return static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

/// Submits a barrier-AND packet. Tests may pass an invalid `header`.
void submit_barrier(hsa_queue_t* queue, hsa_signal_t dependency, hsa_signal_t completion,
                    uint16_t header = header_of(HSA_PACKET_TYPE_BARRIER_AND)) {
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  auto& packet = static_cast<hsa_barrier_and_packet_t*>(queue->base_address)[index % queue->size];
  std::memset(reinterpret_cast<char*>(&packet) + 4, 0, sizeof(packet) - 4);
  packet.dep_signal[0] = dependency;
  packet.completion_signal = completion;
  __atomic_store_n(reinterpret_cast<uint32_t*>(&packet), header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

bool reaches(hsa_signal_t signal, hsa_signal_value_t value) {
  uint64_t frequency = 0;
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, value, 10 * frequency,
                                   HSA_WAIT_STATE_BLOCKED) == value;
}

TEST_F(Runtime, ANewQueueIsEmpty) {
  const auto smallest = agent_info<uint32_t>(kernel_agent_, HSA_AGENT_INFO_QUEUE_MIN_SIZE);
  std::set<uint64_t> ids;
  for (uint32_t size : {1u, smallest, 1024u}) {
    hsa_queue_t* q = queue(size);
    ASSERT_NE(q, nullptr);
    EXPECT_EQ(q->size, std::max(size, smallest));
    EXPECT_EQ(q->type, static_cast<uint32_t>(HSA_QUEUE_TYPE_MULTI));
    EXPECT_NE(q->features & HSA_QUEUE_FEATURE_KERNEL_DISPATCH, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(q->base_address) % 64, 0u);
    EXPECT_NE(q->doorbell_signal.handle, 0u);
    EXPECT_TRUE(ids.insert(q->id).second);
    EXPECT_EQ(hsa_queue_load_read_index_scacquire(q), 0u);
    EXPECT_EQ(hsa_queue_load_write_index_relaxed(q), 0u);
    for (uint32_t i = 0; i < q->size; ++i) EXPECT_EQ(header_at(q, i), HSA_PACKET_TYPE_INVALID);
    EXPECT_SUCCESS(hsa_queue_destroy(q));
  }
}

TEST_F(Runtime, QueueErrors) {
  hsa_queue_t* q = nullptr;
  const auto create = [&](hsa_agent_t agent, uint32_t size, int type, hsa_queue_t** out) {
    return hsa_queue_create(agent, size, static_cast<hsa_queue_type_t>(type), nullptr, nullptr, UINT32_MAX,
                            UINT32_MAX, out);
  };
  const auto largest = agent_info<uint32_t>(kernel_agent_, HSA_AGENT_INFO_QUEUE_MAX_SIZE);
  for (uint64_t handle : garbage_handles)
    EXPECT_EQ(create({handle}, 64, 0, &q), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(create(kernel_agent_, 0, 0, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(kernel_agent_, 48, 0, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(kernel_agent_, largest * 2, 0, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(kernel_agent_, 64, 3, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(kernel_agent_, 64, HSA_QUEUE_TYPE_COOPERATIVE, &q),
            HSA_STATUS_ERROR_INVALID_QUEUE_CREATION)
      << "the agent has no cooperative queues";
  EXPECT_EQ(create(kernel_agent_, 64, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(host_, 64, 0, &q), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  EXPECT_EQ(hsa_queue_destroy(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_queue_inactivate(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_queue_t fake{};
  EXPECT_EQ(hsa_queue_destroy(&fake), HSA_STATUS_ERROR_INVALID_QUEUE);
  EXPECT_EQ(hsa_queue_inactivate(&fake), HSA_STATUS_ERROR_INVALID_QUEUE);
  q = queue();
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  EXPECT_EQ(hsa_queue_destroy(q), HSA_STATUS_ERROR_INVALID_QUEUE);
}

TEST_F(Runtime, QueueIndexOperations) {
  hsa_queue_t* q = queue();
  uint64_t (*const adds[])(const hsa_queue_t*, uint64_t) = {
      hsa_queue_add_write_index_scacq_screl, hsa_queue_add_write_index_scacquire,
      hsa_queue_add_write_index_relaxed,     hsa_queue_add_write_index_screlease,
      hsa_queue_add_write_index_acq_rel,     hsa_queue_add_write_index_acquire,
      hsa_queue_add_write_index_release};
  uint64_t (*const swaps[])(const hsa_queue_t*, uint64_t, uint64_t) = {
      hsa_queue_cas_write_index_scacq_screl, hsa_queue_cas_write_index_scacquire,
      hsa_queue_cas_write_index_relaxed,     hsa_queue_cas_write_index_screlease,
      hsa_queue_cas_write_index_acq_rel,     hsa_queue_cas_write_index_acquire,
      hsa_queue_cas_write_index_release};
  void (*const stores[])(const hsa_queue_t*, uint64_t) = {hsa_queue_store_write_index_relaxed,
                                                          hsa_queue_store_write_index_screlease,
                                                          hsa_queue_store_write_index_release};
  uint64_t expected = 0;
  for (auto add : adds) {
    EXPECT_EQ(add(q, 3), expected);
    expected += 3;
    EXPECT_EQ(hsa_queue_load_write_index_scacquire(q), expected);
  }
  for (auto swap : swaps) {
    EXPECT_EQ(swap(q, expected + 1, expected + 2), expected);
    EXPECT_EQ(hsa_queue_load_write_index_acquire(q), expected);
    EXPECT_EQ(swap(q, expected, expected + 1), expected);
    ++expected;
    EXPECT_EQ(hsa_queue_load_write_index_relaxed(q), expected);
  }
  for (auto store : stores) {
    store(q, ++expected);
    EXPECT_EQ(hsa_queue_load_write_index_relaxed(q), expected);
  }
  EXPECT_EQ(hsa_queue_load_read_index_acquire(q), 0u);  // nothing has been published
  EXPECT_SUCCESS(hsa_queue_destroy(q));
}

TEST_F(Runtime, BarrierPacketsCompleteInOrder) {
  hsa_queue_t* q = queue(8);
  const hsa_signal_t dependency = signal(1);
  const hsa_signal_t first = signal(1);
  const hsa_signal_t rest = signal(20);
  submit_barrier(q, dependency, first);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(hsa_signal_load_relaxed(first), 1);
  hsa_signal_store_screlease(dependency, 0);
  EXPECT_TRUE(reaches(first, 0));
  // There are more packets than slots.
  for (int i = 0; i < 20; ++i) {
    while (hsa_queue_load_write_index_relaxed(q) - hsa_queue_load_read_index_scacquire(q) >= q->size)
      std::this_thread::yield();
    submit_barrier(q, {0}, rest);
  }
  EXPECT_TRUE(reaches(rest, 0));
  EXPECT_EQ(hsa_queue_load_read_index_scacquire(q), 21u);
  for (uint32_t i = 0; i < q->size; ++i) EXPECT_EQ(header_at(q, i), HSA_PACKET_TYPE_INVALID);
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  for (hsa_signal_t s : {dependency, first, rest}) EXPECT_SUCCESS(hsa_signal_destroy(s));
}

struct Seen {
  std::atomic<int> calls{0};
  std::atomic<hsa_status_t> status{HSA_STATUS_SUCCESS};
  std::atomic<hsa_queue_t*> queue{nullptr};
};

void note_error(hsa_status_t status, hsa_queue_t* queue, void* data) {
  auto* seen = static_cast<Seen*>(data);
  seen->status = status;
  seen->queue = queue;
  ++seen->calls;
}

TEST_F(Runtime, AMalformedPacketReachesTheCallbackOnce) {
  Seen seen;
  hsa_queue_t* q = nullptr;
  ASSERT_SUCCESS(hsa_queue_create(kernel_agent_, 64, HSA_QUEUE_TYPE_SINGLE, note_error, &seen, 0, 0, &q));
  const hsa_signal_t completion = signal(1);
  submit_barrier(q, {0}, completion, 0xffff);
  submit_barrier(q, {0}, completion);
  constexpr int patience = 600'000;  // milliseconds: more than any machine takes
  for (int i = 0; i < patience && seen.calls == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(seen.status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  EXPECT_EQ(seen.queue, q);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(hsa_signal_load_relaxed(completion), 1);
  EXPECT_SUCCESS(hsa_queue_inactivate(q));
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  EXPECT_SUCCESS(hsa_signal_destroy(completion));
}

TEST_F(Runtime, AnInactiveQueueStaysSilent) {
  Seen seen;
  hsa_queue_t* q = nullptr;
  ASSERT_SUCCESS(hsa_queue_create(kernel_agent_, 64, HSA_QUEUE_TYPE_MULTI, note_error, &seen, 0, 0, &q));
  EXPECT_SUCCESS(hsa_queue_inactivate(q));
  const hsa_signal_t completion = signal(1);
  submit_barrier(q, {0}, completion);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(hsa_signal_load_relaxed(completion), 1);
  EXPECT_EQ(seen.calls, 0);
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  EXPECT_SUCCESS(hsa_signal_destroy(completion));
}

TEST_F(Runtime, SoftQueues) {
  const hsa_signal_t doorbell = signal(0);
  const hsa_region_t region = fine_region();
  hsa_queue_t* q = nullptr;
  ASSERT_SUCCESS(hsa_soft_queue_create(region, 4, HSA_QUEUE_TYPE_SINGLE, HSA_QUEUE_FEATURE_AGENT_DISPATCH,
                                       doorbell, &q));
  EXPECT_EQ(q->size, 4u);
  EXPECT_EQ(q->features, static_cast<uint32_t>(HSA_QUEUE_FEATURE_AGENT_DISPATCH));
  EXPECT_EQ(q->type, static_cast<uint32_t>(HSA_QUEUE_TYPE_SINGLE));
  EXPECT_EQ(q->doorbell_signal.handle, doorbell.handle);
  for (auto store : {hsa_queue_store_read_index_relaxed, hsa_queue_store_read_index_screlease}) {
    store(q, 5);
    EXPECT_EQ(hsa_queue_load_read_index_relaxed(q), 5u);
    store(q, 0);
  }
  submit_barrier(q, {0}, {0});
  EXPECT_EQ(header_at(q, 0), header_of(HSA_PACKET_TYPE_BARRIER_AND));  // only the application takes packets
                                                                       // of a soft queue
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  EXPECT_EQ(hsa_signal_load_relaxed(doorbell), 0);  // still alive
  const auto create = [&](hsa_region_t r, uint32_t size, int type, uint32_t features, hsa_signal_t bell) {
    return hsa_soft_queue_create(r, size, static_cast<hsa_queue_type_t>(type), features, bell, &q);
  };
  EXPECT_EQ(create({3}, 4, 0, 1, doorbell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 0, 0, 1, doorbell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 6, 0, 1, doorbell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 4, 2, 1, doorbell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 4, 0, 0, doorbell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 4, 0, 4, doorbell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 4, 0, 1, {0}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_signal_destroy(doorbell));
  EXPECT_EQ(create(region, 4, 0, 1, doorbell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace heddle::runtime::test
