// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues whose packets go through interceptors (hsa_amd_queue_intercept_create), on an agent that completes
// all packets without executing kernels.
#include <hsa/hsa_api_trace.h>
#include <hsa/hsa_ext_amd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

using Slot = std::array<uint32_t, 16>;

constexpr uint32_t barrier_and = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE;
constexpr uint32_t waits_for_earlier = 1 << HSA_PACKET_HEADER_BARRIER;

/// A barrier packet, in whose reserved word 1 tests keep a number.
Slot barrier(uint32_t number, hsa_signal_t completion = {0}, hsa_signal_t dependency = {0}) {
  hsa_barrier_and_packet_t packet{};
  packet.dep_signal[0] = dependency;
  packet.completion_signal = completion;
  Slot slot;
  std::memcpy(&slot, &packet, sizeof slot);
  slot[0] = barrier_and | waits_for_earlier;
  slot[1] = number;
  return slot;
}

void store(hsa_queue_t* queue, uint64_t index, const Slot& packet) {
  auto* slot = static_cast<Slot*>(queue->base_address) + index % queue->size;
  std::copy(packet.begin() + 1, packet.end(), slot->begin() + 1);
  __atomic_store_n(slot->data(), packet[0], __ATOMIC_RELEASE);
}

void submit(hsa_queue_t* queue, const Slot& packet) {
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  store(queue, index, packet);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

/// What an interceptor has seen: name of the interceptor, the packet's number, the index that the program
/// knows.
struct Seen {
  char name;
  uint32_t number;
  uint64_t index;
  std::thread::id thread;
  bool operator==(const Seen& o) const { return name == o.name && number == o.number && index == o.index; }
};

std::ostream& operator<<(std::ostream& out, const Seen& seen) {
  return out << seen.name << seen.number << '@' << seen.index;
}

class InterceptQueues : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    queue_ = create();
    ASSERT_NE(queue_, nullptr);
  }
  void TearDown() override {
    if (queue_ != nullptr) EXPECT_SUCCESS(hsa_queue_destroy(queue_));
    Runtime::TearDown();
  }
  hsa_queue_t* create(uint32_t size = 64, void (*callback)(hsa_status_t, hsa_queue_t*, void*) = nullptr,
                      void* data = nullptr) const {
    hsa_queue_t* made = nullptr;
    EXPECT_SUCCESS(hsa_amd_queue_intercept_create(kernel_agent_, size, HSA_QUEUE_TYPE_MULTI, callback, data,
                                                  UINT32_MAX, UINT32_MAX, &made));
    return made;
  }

  /// An interceptor that notes each packet and passes it on.
  struct Noting {
    InterceptQueues* test;
    char name;
  };
  static void note(const void* packets, uint64_t count, uint64_t index, void* data,
                   hsa_amd_queue_intercept_packet_writer writer) {
    const auto& self = *static_cast<Noting*>(data);
    for (uint64_t i = 0; i < count; ++i)
      self.test->seen_.push_back(
          {self.name, static_cast<const Slot*>(packets)[i][1], index, std::this_thread::get_id()});
    writer(packets, count);
  }
  /// Completes when the queue has taken all packets before it.
  void drain() const {
    const hsa_signal_t done = signal(1);
    submit(queue_, barrier(99, done));
    wait(done);
  }
  static void wait(hsa_signal_t done) {
    while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) !=
           0) {
    }
    EXPECT_SUCCESS(hsa_signal_destroy(done));
  }

  hsa_queue_t* queue_ = nullptr;
  std::vector<Seen> seen_;
  Noting first_{this, 'a'}, second_{this, 'b'};
};

TEST_F(InterceptQueues, WithoutInterceptorsAreQueues) {
  EXPECT_EQ(queue_->size, 64u);
  EXPECT_EQ(queue_->type, HSA_QUEUE_TYPE_MULTI);
  EXPECT_EQ(queue_->features, HSA_QUEUE_FEATURE_KERNEL_DISPATCH);
  for (int i = 0; i < 200; ++i) drain();
  EXPECT_EQ(hsa_queue_load_read_index_scacquire(queue_), 200u);
}

TEST_F(InterceptQueues, TheLastInterceptorGetsPacketsFirstOnTheThreadThatRings) {
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, note, &first_));
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, note, &second_));
  submit(queue_, barrier(1));
  submit(queue_, barrier(2));
  const std::vector<Seen> expected = {{'b', 1, 0, {}}, {'a', 1, 0, {}}, {'b', 2, 1, {}}, {'a', 2, 1, {}}};
  EXPECT_EQ(seen_, expected);
  for (const Seen& seen : seen_) EXPECT_EQ(seen.thread, std::this_thread::get_id());
  EXPECT_EQ(hsa_queue_load_read_index_scacquire(queue_), 2u);
}

TEST_F(InterceptQueues, PacketsThatAreNotReadyAreTakenLater) {
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, note, &first_));
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 3);
  // A slot that is cleared before it is written looks like a packet of type 0.
  std::memset(static_cast<Slot*>(queue_->base_address) + 1, 0, sizeof(Slot));
  store(queue_, index + 2, barrier(3));
  hsa_signal_store_screlease(queue_->doorbell_signal, 2);
  EXPECT_EQ(seen_.size(), 0u);
  store(queue_, index, barrier(1));
  hsa_signal_store_screlease(queue_->doorbell_signal, 0);
  EXPECT_EQ(seen_.size(), 1u);
  store(queue_, index + 1, barrier(2));
  hsa_signal_store_screlease(queue_->doorbell_signal, 1);
  const std::vector<Seen> expected = {{'a', 1, 0, {}}, {'a', 2, 1, {}}, {'a', 3, 2, {}}};
  EXPECT_EQ(seen_, expected);
}

/// The first interceptor gets what the second one makes of a packet: a copy in front of it, and nothing of
/// packets with odd numbers.
TEST_F(InterceptQueues, InterceptorsRewritePackets) {
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, note, &first_));
  const auto rewrite = [](const void* packets, uint64_t count, uint64_t, void*,
                          hsa_amd_queue_intercept_packet_writer writer) {
    ASSERT_EQ(count, 1u);
    const Slot& packet = *static_cast<const Slot*>(packets);
    if (packet[1] % 2 != 0) return;
    Slot two[] = {barrier(packet[1] + 100), packet};
    writer(two, 2);
    two[0][1] += 100;
    writer(two, 1);
  };
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, rewrite, nullptr));
  const hsa_signal_t dropped = signal(1), done = signal(1);
  submit(queue_, barrier(1, dropped));
  submit(queue_, barrier(2, done));
  wait(done);
  const std::vector<Seen> expected = {{'a', 102, 1, {}}, {'a', 2, 1, {}}, {'a', 202, 1, {}}};
  EXPECT_EQ(seen_, expected);
  EXPECT_EQ(hsa_signal_load_scacquire(dropped), 1);
  EXPECT_SUCCESS(hsa_signal_destroy(dropped));
}

/// While the agent waits in its first packet, an interceptor makes more packets of each than the queue has
/// room for.
TEST_F(InterceptQueues, PacketsWithoutRoomWait) {
  constexpr int packets = 20, copies = 10;
  const hsa_signal_t gate = signal(1);
  static hsa_signal_t counter;
  counter = signal(packets * copies);
  const auto multiply = [](const void* packet, uint64_t, uint64_t, void*,
                           hsa_amd_queue_intercept_packet_writer writer) {
    const Slot& slot = *static_cast<const Slot*>(packet);
    std::vector<Slot> many(slot[1] == 0 || slot[1] > packets ? 1 : copies, slot);
    writer(many.data(), many.size());
  };
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, multiply, nullptr));
  submit(queue_, barrier(0, {0}, gate));
  for (uint32_t i = 1; i <= packets; ++i) submit(queue_, barrier(i, counter));
  // Packets wait, so that the rest stays where the program sees it.
  EXPECT_LT(hsa_queue_load_read_index_scacquire(queue_), uint64_t{packets});
  EXPECT_EQ(hsa_signal_load_scacquire(counter), packets * copies);
  hsa_signal_store_screlease(gate, 0);
  wait(counter);
  drain();
  EXPECT_EQ(hsa_queue_load_read_index_scacquire(queue_), uint64_t{packets} + 2);
  EXPECT_SUCCESS(hsa_signal_destroy(gate));
}

TEST_F(InterceptQueues, OnePacketMayBecomeMoreThanTheQueueHolds) {
  static hsa_signal_t counter;
  counter = signal(1000);
  const auto explode = [](const void*, uint64_t, uint64_t, void*,
                          hsa_amd_queue_intercept_packet_writer writer) {
    const std::vector<Slot> many(1000, barrier(1, counter));
    writer(many.data(), many.size());
  };
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, explode, nullptr));
  submit(queue_, barrier(1));
  wait(counter);
}

TEST_F(InterceptQueues, SeveralProducersAndThreads) {
  constexpr int producers = 4, packets = 2000;
  std::atomic<int> calls{0};
  const auto count = [](const void* packet, uint64_t n, uint64_t, void* data,
                        hsa_amd_queue_intercept_packet_writer writer) {
    ++*static_cast<std::atomic<int>*>(data);
    writer(packet, n);
  };
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, count, &calls));
  const hsa_signal_t counter = signal(producers * packets);
  std::vector<std::thread> threads;
  for (int t = 0; t < producers; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < packets; ++i) {
        const uint64_t index = hsa_queue_add_write_index_scacq_screl(queue_, 1);
        while (index - hsa_queue_load_read_index_scacquire(queue_) >= queue_->size) std::this_thread::yield();
        store(queue_, index, barrier(1, counter));
        hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
      }
    });
  for (std::thread& thread : threads) thread.join();
  wait(counter);
  EXPECT_EQ(calls.load(), producers * packets);
}

/// An interceptor that submits a packet to its own queue. That packet is taken after this one.
TEST_F(InterceptQueues, InterceptorsMayRing) {
  static hsa_queue_t* queue;
  static hsa_signal_t done;
  queue = queue_;
  done = signal(1);
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, note, &first_));
  const auto again = [](const void* packets, uint64_t count, uint64_t, void*,
                        hsa_amd_queue_intercept_packet_writer writer) {
    if (static_cast<const Slot*>(packets)[0][1] == 1) submit(queue, barrier(2, done));
    writer(packets, count);
  };
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, again, nullptr));
  submit(queue_, barrier(1));
  wait(done);
  const std::vector<Seen> expected = {{'a', 1, 0, {}}, {'a', 2, 1, {}}};
  EXPECT_EQ(seen_, expected);
}

TEST_F(InterceptQueues, MarkersTellWherePacketsGo) {
  static std::vector<std::pair<uint64_t, uint64_t>> places;  // of the marker: user_data and packet number
  places.clear();
  const auto mark = [](const void* packets, uint64_t, uint64_t, void*,
                       hsa_amd_queue_intercept_packet_writer writer) {
    amd_aql_intercept_marker_t marker{};
    marker.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE;
    marker.format = AMD_AQL_FORMAT_INTERCEPT_MARKER;
    marker.user_data[0] = static_cast<const Slot*>(packets)[0][1];
    marker.callback = [](const amd_aql_intercept_marker_t* packet, hsa_queue_t* queue, uint64_t number) {
      EXPECT_NE(queue, nullptr);
      places.emplace_back(packet->user_data[0], number);
    };
    std::array<Slot, 3> out;
    out[0] = barrier(0);
    std::memcpy(&out[1], &marker, sizeof marker);
    out[2] = *static_cast<const Slot*>(packets);
    writer(out.data(), out.size());
  };
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, mark, nullptr));
  const hsa_signal_t done = signal(2);
  submit(queue_, barrier(7, done));
  submit(queue_, barrier(8, done));
  wait(done);
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {{7, 1}, {8, 3}};
  EXPECT_EQ(places, expected);
}

TEST_F(InterceptQueues, ErrorsHaveTheQueueAsTheirSource) {
  struct Error {
    std::atomic<hsa_queue_t*> source{nullptr};
    hsa_signal_t reported{};
    hsa_status_t status{}, destroyed{};
  } error;
  error.reported = signal(1);
  const auto on_error = [](hsa_status_t status, hsa_queue_t* source, void* data) {
    auto& error = *static_cast<Error*>(data);
    error.source = source;
    error.status = status;
    error.destroyed = hsa_queue_destroy(source);  // not possible in its own callback
    hsa_signal_store_screlease(error.reported, 0);
  };
  hsa_queue_t* queue = create(64, on_error, &error);
  Slot wrong = barrier(1);
  wrong[0] = 0x7f;
  submit(queue, wrong);
  wait(error.reported);
  EXPECT_EQ(error.status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  EXPECT_EQ(error.source.load(), queue);
  EXPECT_EQ(error.destroyed, HSA_STATUS_ERROR);
  EXPECT_SUCCESS(hsa_queue_destroy(queue));
}

TEST_F(InterceptQueues, FunctionsOfQueuesTakeThem) {
  hsa_agent_t agent{};
  EXPECT_SUCCESS(hsa_amd_queue_get_info(queue_, HSA_AMD_QUEUE_INFO_AGENT, &agent));
  EXPECT_EQ(agent.handle, kernel_agent_.handle);
  EXPECT_SUCCESS(hsa_amd_profiling_set_profiler_enabled(queue_, 1));
  EXPECT_SUCCESS(hsa_queue_inactivate(queue_));
  EXPECT_EQ(hsa_signal_destroy(queue_->doorbell_signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
}

TEST_F(InterceptQueues, CannotBeDestroyedByTheirInterceptors) {
  static hsa_status_t status;
  const auto destroy = [](const void*, uint64_t, uint64_t, void* data,
                          hsa_amd_queue_intercept_packet_writer) {
    status = hsa_queue_destroy(static_cast<hsa_queue_t*>(data));
  };
  ASSERT_SUCCESS(hsa_amd_queue_intercept_register(queue_, destroy, queue_));
  submit(queue_, barrier(1));
  EXPECT_EQ(status, HSA_STATUS_ERROR);
}

TEST_F(InterceptQueues, Arguments) {
  hsa_queue_t* made = nullptr;
  const auto create_with = [&](hsa_agent_t agent, uint32_t size, uint32_t type, hsa_queue_t** queue) {
    return hsa_amd_queue_intercept_create(agent, size, type, nullptr, nullptr, UINT32_MAX, UINT32_MAX, queue);
  };
  EXPECT_EQ(create_with({0}, 64, HSA_QUEUE_TYPE_MULTI, &made), HSA_STATUS_ERROR_INVALID_AGENT);
  for (const uint32_t size : {0u, 1u, 2u, 3u, 48u})
    EXPECT_EQ(create_with(kernel_agent_, size, HSA_QUEUE_TYPE_MULTI, &made),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create_with(kernel_agent_, 64, 7, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create_with(kernel_agent_, 64, HSA_QUEUE_TYPE_MULTI, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create_with(host_, 64, HSA_QUEUE_TYPE_MULTI, &made), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  hsa_queue_t* ordinary = queue();
  EXPECT_EQ(hsa_amd_queue_intercept_register(ordinary, note, &first_), HSA_STATUS_ERROR_INVALID_QUEUE);
  EXPECT_EQ(hsa_amd_queue_intercept_register(nullptr, note, &first_), HSA_STATUS_ERROR_INVALID_QUEUE);
  EXPECT_EQ(hsa_amd_queue_intercept_register(queue_, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_queue_destroy(ordinary));
  EXPECT_EQ(hsa_amd_runtime_queue_create_register(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(InterceptQueues, TheLastShutDownDestroysThem) {
  submit(queue_, barrier(1));
  queue_ = nullptr;
}

}  // namespace
}  // namespace heddle::runtime::test
