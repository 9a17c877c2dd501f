// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clients, signals and queues of a kernel agent, and packets that need no kernel (Runtime 2.5, 2.6).
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "packets.h"

namespace heddle::conformance {
namespace {

constexpr double brief = 0.05;  // seconds to wait for events that must not happen

struct KernelAgent : testing::Test {
  void SetUp() override {
    if (Host::get().kernel_agent() == nullptr) GTEST_SKIP() << "the plugin has no kernel agent";
  }
  const RegisteredAgent& agent() const { return *Host::get().kernel_agent(); }
  uint32_t smallest() const { return std::max(agent().config.queue_min_size, 8u); }
};

TEST(Client, comes_and_goes) {
  for (const RegisteredAgent& agent : Host::get().agents())
    for (int i = 0; i < 100; ++i) {
      ConformanceClient client(agent);
      ASSERT_EQ(client.answer(), HSAM_Done);
      ASSERT_EQ(client.remove(), HSAM_Done);
    }
}

TEST(Client, several_at_once_have_handles_of_their_own_queues) {
  for (const RegisteredAgent& agent : Host::get().agents()) {
    ConformanceClient one(agent), two(agent);
    EXPECT_EQ(one.answer(), HSAM_Done);
    EXPECT_EQ(two.answer(), HSAM_Done);
  }
}

TEST(Client, requests_are_answered_once) { EXPECT_EQ(Host::get().stray_replies(), 0); }

TEST(Signals, are_announced_and_withdrawn) {
  for (const RegisteredAgent& agent : Host::get().agents()) {
    if (!agent.config.wants_signal_messages) continue;
    ConformanceClient client(agent);
    for (int i = 0; i < 100; ++i) ConformanceSignal signal(agent, client, i);
  }
}

struct Queue : KernelAgent {};

TEST_F(Queue, comes_and_goes) {
  ConformanceClient client(agent());
  for (int i = 0; i < 50; ++i) {
    ConformanceQueue queue(agent(), client, smallest());
    ASSERT_EQ(queue.answer(), HSAM_Done);
    if (i % 2) {
      EXPECT_EQ(queue.inactivate(), HSAM_Done);
    }
    ASSERT_EQ(queue.remove(), HSAM_Done);
    EXPECT_TRUE(Host::get().errors(queue.handle()).empty());
  }
}

TEST_F(Queue, as_many_as_announced_live_at_once) {
  ConformanceClient client(agent());
  std::vector<std::unique_ptr<ConformanceQueue>> queues;
  ConformanceSignal completion(agent(), client, agent().config.queues_max);
  for (uint32_t i = 0; i < agent().config.queues_max; ++i) {
    queues.push_back(std::make_unique<ConformanceQueue>(agent(), client, smallest()));
    ASSERT_EQ(queues.back()->answer(), HSAM_Done) << i;
  }
  for (auto& queue : queues) queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, &completion));
  EXPECT_TRUE(completion.becomes(0));
}

TEST_F(Queue, of_the_largest_size_works) {
  ConformanceClient client(agent());
  ConformanceQueue queue(agent(), client, agent().config.queue_max_size);
  ASSERT_EQ(queue.answer(), HSAM_Done);
  ConformanceSignal completion(agent(), client, 1);
  queue.submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, &completion));
  EXPECT_TRUE(completion.becomes(0));
}

struct Packets : KernelAgent {
  void SetUp() override {
    KernelAgent::SetUp();
    if (IsSkipped()) return;
    client = std::make_unique<ConformanceClient>(agent());
    queue = make_queue();
    ASSERT_EQ(queue->answer(), HSAM_Done) << "without a queue there is nothing to wait for";
  }
  void TearDown() override {
    queue.reset();
    client.reset();
  }
  std::unique_ptr<ConformanceQueue> make_queue() {
    return std::make_unique<ConformanceQueue>(agent(), *client, smallest());
  }
  std::unique_ptr<ConformanceSignal> signal(int64_t value) {
    return std::make_unique<ConformanceSignal>(agent(), *client, value);
  }
  bool no_error() const { return Host::get().errors(queue->handle()).empty(); }
  /// Waits until the read index has passed a packet.
  bool released(uint64_t id) const {
    for (int i = 0; i < 10000 && queue->read_index() <= id; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return queue->read_index() > id;
  }
  std::unique_ptr<ConformanceClient> client;
  std::unique_ptr<ConformanceQueue> queue;
};

TEST_F(Packets, completion_is_a_decrement) {
  auto completion = signal(5);
  for (int64_t left = 4; left >= 0; --left) {
    queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, completion.get()));
    EXPECT_TRUE(completion->becomes(left));
  }
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, completion.get()));
  EXPECT_TRUE(completion->becomes(-1));
}

TEST_F(Packets, slots_are_given_back_as_invalid_and_used_again) {
  auto completion = signal(0);
  const uint64_t count = queue->size() * 20ull;
  for (uint64_t i = 0; i < count; ++i)
    queue->submit(
        barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, i + 1 == count ? completion.get() : nullptr));
  EXPECT_TRUE(completion->becomes(-1));
  ASSERT_TRUE(released(count - 1));
  EXPECT_EQ(queue->read_index(), count);
  // Each header is INVALID and each setup 0, because some producers fill in one byte only.
  for (uint32_t i = 0; i < queue->size(); ++i)
    EXPECT_EQ(queue->head(i), static_cast<uint32_t>(HSA_PACKET_TYPE_INVALID));
}

TEST_F(Packets, barrier_and_waits_for_all_dependencies) {
  auto a = signal(1), b = signal(2), completion = signal(1);
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {a.get(), nullptr, b.get()}, completion.get()));
  EXPECT_FALSE(completion->becomes(0, brief));
  a->store(0);
  b->store(-1);  // only 0 satisfies
  EXPECT_FALSE(completion->becomes(0, brief));
  b->store(0);
  EXPECT_TRUE(completion->becomes(0));
}

TEST_F(Packets, dependencies_need_not_be_zero_at_the_same_time) {
  auto a = signal(1), b = signal(1), completion = signal(1);
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {a.get(), b.get()}, completion.get()));
  a->store(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  a->store(1);
  b->store(0);
  EXPECT_TRUE(completion->becomes(0));
}

TEST_F(Packets, barrier_or_waits_for_any_dependency) {
  auto a = signal(1), b = signal(1), completion = signal(1);
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_OR, {a.get(), nullptr, nullptr, nullptr, b.get()},
                               completion.get()));
  EXPECT_FALSE(completion->becomes(0, brief));
  b->store(0);
  EXPECT_TRUE(completion->becomes(0));
}

TEST_F(Packets, barrier_or_without_dependencies_never_completes) {
  auto completion = signal(1);
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_OR, {}, completion.get()));
  EXPECT_FALSE(completion->becomes(0, brief));
  EXPECT_EQ(queue->inactivate(), HSAM_Done);
  EXPECT_EQ(completion->load(), 1);
}

TEST_F(Packets, a_barrier_packet_holds_up_all_later_packets) {
  auto dependency = signal(1), later = signal(1), first = signal(1);
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {dependency.get()}, first.get()));
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, later.get()));
  EXPECT_FALSE(later->becomes(0, brief));
  dependency->store(0);
  EXPECT_TRUE(first->becomes(0));
  EXPECT_TRUE(later->becomes(0));
}

TEST_F(Packets, queues_progress_on_their_own) {
  auto other = make_queue();
  auto dependency = signal(1), blocked = signal(1), free = signal(1);
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {dependency.get()}, blocked.get()));
  other->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, free.get()));
  EXPECT_TRUE(free->becomes(0));
  EXPECT_EQ(blocked->load(), 1);
  // A packet of one queue waits for a packet of another.
  other->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, dependency.get()));
  EXPECT_TRUE(blocked->becomes(0));
}

TEST_F(Packets, doorbells_may_come_in_any_order_and_late) {
  auto completion = signal(3);
  uint64_t ids[] = {queue->reserve(), queue->reserve(), queue->reserve()};
  auto packet = barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, completion.get());
  for (uint64_t id : ids) queue->fill(id, packet);
  // The last packet is ready first. It must not be processed yet, and the queue must not report an error.
  queue->publish(ids[2], packet);
  queue->ring(ids[2]);
  EXPECT_FALSE(completion->becomes(2, brief));
  queue->publish(ids[0], packet);
  queue->ring(ids[0]);
  EXPECT_TRUE(completion->becomes(2));
  queue->publish(ids[1], packet);
  queue->ring(ids[1]);
  EXPECT_TRUE(completion->becomes(0));
  EXPECT_TRUE(no_error());
}

TEST_F(Packets, the_same_doorbell_value_counts_again) {
  auto completion = signal(0);
  auto packet = barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, completion.get());
  for (int64_t i = 1; i <= 10; ++i) {
    uint64_t id = queue->reserve();
    while (!queue->has_room_for(id)) std::this_thread::yield();
    queue->fill(id, packet);
    queue->publish(id, packet);
    queue->ring(0);
    ASSERT_TRUE(completion->becomes(-i));
  }
}

TEST_F(Packets, a_byte_store_of_the_type_publishes) {
  auto completion = signal(1);
  auto packet = barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, completion.get());
  uint64_t id = queue->reserve();
  queue->fill(id, packet);
  // The fence bits are stored first, while the type is still INVALID, and then the type alone.
  auto waiting = packet;
  waiting.header = static_cast<uint16_t>((packet.header & 0xff00) | HSA_PACKET_TYPE_INVALID);
  queue->publish(id, waiting);
  queue->ring(id);
  EXPECT_FALSE(completion->becomes(0, brief));
  queue->publish(id, packet);
  queue->ring(id);
  EXPECT_TRUE(completion->becomes(0));
}

TEST_F(Packets, the_header_of_the_queue_is_not_trusted) {
  auto completion = signal(1);
  memset(static_cast<void*>(queue->header()), 0xee, sizeof(hsa_user_mode_queue));
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, completion.get()));
  EXPECT_TRUE(completion->becomes(0));
}

TEST_F(Packets, many_producers_lose_nothing) {
  constexpr int threads = 4, each = 500;
  auto completion = signal(threads * each);
  std::vector<std::thread> producers;
  for (int t = 0; t < threads; ++t)
    producers.emplace_back([&] {
      for (int i = 0; i < each; ++i)
        queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, completion.get()));
    });
  for (auto& producer : producers) producer.join();
  EXPECT_TRUE(completion->becomes(0));
  EXPECT_TRUE(no_error());
}

// ---- errors: the table of docs/spec-decisions.md ----

struct Errors : Packets {
  /// Submits the packet and expects exactly this error. The completion signal must keep its value, and the
  /// packet behind must not be launched.
  template <typename Packet>
  void expect(hsa_status_t status, Packet packet, const char* what) {
    SCOPED_TRACE(what);
    auto completion = signal(1), later = signal(1);
    packet.completion_signal = completion->handle();
    queue = make_queue();
    ASSERT_EQ(queue->answer(), HSAM_Done);
    queue->submit(packet);
    queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, later.get()));
    auto errors = Host::get().errors(queue->handle(), Host::patience);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].status, status) << std::hex << errors[0].status << ": " << errors[0].message;
    EXPECT_FALSE(later->becomes(0, brief));
    EXPECT_EQ(completion->load(), 1);
    EXPECT_EQ(queue->inactivate(), HSAM_Done);  // legal in the error state
    EXPECT_EQ(Host::get().errors(queue->handle()).size(), 1u);
    EXPECT_EQ(queue->remove(), HSAM_Done);
  }
};

TEST_F(Errors, packet_types) {
  for (unsigned type : {0u, 4u, 6u, 0x7fu, 0xffu}) {
    hsa_barrier_and_packet_t packet{};
    packet.header = header(type);
    expect(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, packet, ("type " + std::to_string(type)).c_str());
  }
  hsa_barrier_and_packet_t packet{};
  packet.header = 0xffff;
  expect(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, packet, "all bits set");
}

TEST_F(Errors, sizes_of_dispatches) {
  using Packet = hsa_kernel_dispatch_packet_t;
  const std::pair<const char*, void (*)(Packet&)> faults[] = {
      {"no dimensions", [](Packet& p) { p.setup = 0; }},
      {"more than three dimensions", [](Packet& p) { p.setup = 4; }},
      {"grid of a dimension that is not there", [](Packet& p) { p.grid_size_y = 2; }},
      {"work-group larger than any", [](Packet& p) { p.workgroup_size_x = 0xffff, p.grid_size_x = 0x10000; }},
      {"work-group too large in all", [](Packet& p) {
         p.setup = 3;
         p.workgroup_size_x = p.workgroup_size_y = p.workgroup_size_z = 256;
         p.grid_size_x = p.grid_size_y = p.grid_size_z = 256;
       }}};
  for (auto [name, fault] : faults) {
    Packet packet = dispatch_packet(0x1000, 64, 64, nullptr);
    fault(packet);
    expect(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, packet, name);
  }
}

TEST_F(Errors, kernel_objects) {
  static const uint64_t readable[64] = {};  // memory, but no kernel
  for (uint64_t object : {uint64_t{0}, uint64_t{1}, uint64_t{256}, ~uint64_t{0},
                          static_cast<uint64_t>(reinterpret_cast<uintptr_t>(readable))})
    expect(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, dispatch_packet(object, 1, 1, nullptr), "bad kernel object");
}

TEST_F(Errors, signals_that_are_none) {
  hsa_barrier_and_packet_t packet = barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, nullptr);
  packet.dep_signal[3].handle = 0x123456;
  expect(HSA_STATUS_ERROR_INVALID_ARGUMENT, packet, "dependency");
}

TEST_F(Errors, inactivation_is_silent_and_final) {
  auto dependency = signal(1), completion = signal(2);
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {dependency.get()}, completion.get()));
  EXPECT_FALSE(completion->becomes(1, brief));
  EXPECT_EQ(queue->inactivate(), HSAM_Done);
  EXPECT_EQ(queue->inactivate(), HSAM_Done);
  int64_t after = completion->load();
  dependency->store(0);
  queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, completion.get()));
  EXPECT_FALSE(completion->becomes(after - 1, brief));
  hsa_barrier_and_packet_t wrong{};
  wrong.header = 0xffff;
  queue->submit(wrong);
  EXPECT_TRUE(Host::get().errors(queue->handle(), brief).empty());
}

TEST_F(Errors, inactivation_and_packets_race) {
  for (int i = 0; i < 50; ++i) {
    auto completion = signal(0);
    queue = make_queue();
    std::thread producer([&] {
      for (uint32_t n = 0; n < queue->size(); ++n)
        queue->submit(barrier_packet(HSA_PACKET_TYPE_BARRIER_AND, {}, completion.get()));
    });
    EXPECT_EQ(queue->inactivate(), HSAM_Done);
    int64_t quiescent = completion->load();
    producer.join();
    EXPECT_EQ(queue->remove(), HSAM_Done);
    EXPECT_EQ(completion->load(), quiescent) << "touched after inactivation";
  }
}

}  // namespace
}  // namespace heddle::conformance
