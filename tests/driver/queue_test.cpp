// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues: memory layout, messages, the delivery of errors (Runtime 2.5.5, MVA 2.8 and 4).
#include <hsam/signal.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>

#include "fixture.h"
#include "logged.h"

namespace heddle::driver {
namespace {

using namespace test;

/// The errors that a queue's callback received.
struct Errors {
  std::atomic<int> count{0};
  std::atomic<hsa_status_t> status{HSA_STATUS_SUCCESS};
  std::atomic<hsa_queue_t*> queue{nullptr};
  std::atomic<bool> hold{false};  // keeps the callback from returning
  std::atomic<bool> running{false};
  Client* destroys = nullptr;  // if set, the callback tries to destroy the queue through it
  std::atomic<hsa_status_t> destroyed{HSA_STATUS_SUCCESS};

  static void callback(hsa_status_t status, hsa_queue_t* queue, void* data) {
    auto& self = *static_cast<Errors*>(data);
    self.running = true;
    self.status = status;
    self.queue = queue;
    if (self.destroys != nullptr) self.destroyed = self.destroys->destroy_queue(queue);
    while (self.hold) std::this_thread::yield();
    ++self.count;
  }
  bool comes() const {
    constexpr int patience = 600'000;  // milliseconds: more than any machine takes
    for (int i = 0; i < patience && count == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return count != 0;
  }
};

struct QueueTest : ClientTest {
  StatusOr<hsa_queue_t*> create(const Agent* agent, uint32_t size,
                                hsa_queue_type32_t type = HSA_QUEUE_TYPE_MULTI, Errors* errors = nullptr) {
    return client->create_queue({.agent = agent,
                                 .size = size,
                                 .type = type,
                                 .callback = errors ? Errors::callback : nullptr,
                                 .data = errors});
  }
  static int64_t driver_handle(MockAgent& mock) { return mock.calls("queue_new").back().object; }
  void fail(MockAgent& mock, int64_t queue, hsa_status_t status) {
    mock.driver->queue_error(mock.calls("client_new").back().client, queue, status, "as the test says");
  }
};

TEST_F(QueueTest, has_the_layout_that_clients_and_agents_rely_on) {
  auto queue = create(first, 16);
  ASSERT_TRUE(queue);
  hsa_queue_t& q = **queue;
  EXPECT_EQ(q.type, static_cast<uint32_t>(HSA_QUEUE_TYPE_MULTI));
  EXPECT_EQ(q.features, static_cast<uint32_t>(HSA_QUEUE_FEATURE_KERNEL_DISPATCH));
  EXPECT_EQ(q.size, 16u);
  EXPECT_EQ(q.reserved1, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(*queue) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(q.base_address) % 64, 0u);
  // The agent's own 24 bytes follow the header.
  EXPECT_GE(static_cast<char*>(q.base_address), reinterpret_cast<char*>(*queue) + 64 + 24);
  for (uint32_t i = 0; i < q.size; ++i) {
    uint32_t head;
    std::memcpy(&head, static_cast<char*>(q.base_address) + i * 64, 4);
    ASSERT_EQ(head, static_cast<uint32_t>(HSA_PACKET_TYPE_INVALID));
  }
  auto& header = reinterpret_cast<hsa_user_mode_queue&>(q);
  EXPECT_EQ(header.write_index_ptr, Client::write_index(*queue));
  EXPECT_EQ(header.read_index_ptr, Client::read_index(*queue));
  EXPECT_EQ(*header.write_index_ptr, 0u);
  EXPECT_EQ(*header.read_index_ptr, 0u);
  EXPECT_TRUE(Client::is_signal(q.doorbell_signal.handle));
  auto* doorbell = reinterpret_cast<hsam_signal*>(q.doorbell_signal.handle);
  ASSERT_EQ(doorbell->object->number_of_dests, 1u);
  EXPECT_EQ(doorbell->object->root_dest_array[0].flags >> HSAM_ROOT_DRIVER_ID_SHIFT,
            first->device_driver_id());

  const HSAM_queue_info_str& info = first_mock().last_queue;
  EXPECT_EQ(info.queue_header_user_addr, &header);
  EXPECT_EQ(info.payload_user_addr, q.base_address);
  EXPECT_EQ(info.size, 16u);
  EXPECT_EQ(info.write_index_ptr_kern_addr, header.write_index_ptr);
  EXPECT_EQ(info.read_index_ptr_kern_addr, header.read_index_ptr);
  EXPECT_EQ(info.private_segment_size, UINT32_MAX);
  EXPECT_FALSE(info.callbacks_required_flag);
}

TEST_F(QueueTest, sizes_and_types_are_checked) {
  EXPECT_EQ(create(first, 0).error(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(first, 24).error(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(first, 2048).error(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(first, 16, 7).error(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(second, 16, HSA_QUEUE_TYPE_MULTI).error(), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  EXPECT_EQ(create(host, 16).error(), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  auto small = create(second, 1, HSA_QUEUE_TYPE_SINGLE);
  ASSERT_TRUE(small);
  EXPECT_EQ((*small)->size, 8u);
  auto large = create(first, 1024);
  ASSERT_TRUE(large);
  EXPECT_EQ((*large)->size, 1024u);
  EXPECT_NE((*large)->id, (*small)->id);
}

TEST_F(QueueTest, refusals_that_depend_on_the_agent_are_logged) {
  const auto log_of = [&](const Agent* agent, uint32_t size, hsa_queue_type32_t type) {
    return logged([&] { EXPECT_FALSE(create(agent, size, type)); });
  };
  EXPECT_TRUE(says(log_of(host, 16, HSA_QUEUE_TYPE_MULTI),
                   {"warning: agent 'host' has no queues: it takes no packets"}));
  EXPECT_TRUE(
      says(log_of(second, 16, HSA_QUEUE_TYPE_MULTI), {"agent 'second' has no queues for several producers"}));
  EXPECT_TRUE(says(log_of(first, 2048, HSA_QUEUE_TYPE_MULTI),
                   {"agent 'first' has queues of at most 1024 packets, not 2048"}));
  first_mock().script("queue_new", {HSAM_Invalid});
  EXPECT_TRUE(says(log_of(first, 16, HSA_QUEUE_TYPE_MULTI),
                   {"error: agent 'first' refuses", "queue_new was answered HSAM_Invalid"}));
  first_mock().script("queue_new", {});
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(create(first, 8));
  EXPECT_TRUE(says(log_of(first, 8, HSA_QUEUE_TYPE_MULTI), {"agent 'first' has at most 4 queues"}));
}

TEST_F(QueueTest, at_most_queues_max_live_at_once) {
  std::vector<hsa_queue_t*> queues;
  for (int i = 0; i < 4; ++i) queues.push_back(create(first, 8).value());
  EXPECT_EQ(create(first, 8).error(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(client->destroy_queue(queues[2]), HSA_STATUS_SUCCESS);
  EXPECT_TRUE(create(first, 8));
}

TEST_F(QueueTest, messages_come_in_order) {
  auto queue = create(first, 8);
  ASSERT_TRUE(queue);
  auto calls = first_mock().calls();
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(calls[0].message, "client_new");
  EXPECT_EQ(calls[1].message, "memory_allocation");
  EXPECT_EQ(calls[2].message, "signal_new");
  EXPECT_EQ(calls[2].object, static_cast<int64_t>((*queue)->doorbell_signal.handle));
  EXPECT_EQ(calls[3].message, "queue_new");
  EXPECT_EQ(calls[3].second, 1002);  // the agent's handle of the doorbell
  EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
  calls = first_mock().calls();
  ASSERT_EQ(calls.size(), 7u);
  EXPECT_EQ(calls[4].message, "queue_inactivate");
  EXPECT_EQ(calls[4].object, 1003);
  EXPECT_EQ(calls[5].message, "queue_remove");
  EXPECT_EQ(calls[6].message, "signal_remove");

  // An agent that gets no signal messages sees the driver's handle of the doorbell.
  auto other = create(second, 8, HSA_QUEUE_TYPE_SINGLE);
  EXPECT_EQ(second_mock().calls("queue_new")[0].second,
            static_cast<int64_t>((*other)->doorbell_signal.handle));
  EXPECT_EQ(second_mock().count("signal_new"), 0u);
}

TEST_F(QueueTest, a_refused_queue_leaves_nothing_behind) {
  for (auto [answer, status] : {std::pair(HSAM_OutOfResources, HSA_STATUS_ERROR_OUT_OF_RESOURCES),
                                std::pair(HSAM_Not_Supported, HSA_STATUS_ERROR_INVALID_QUEUE_CREATION)})
    for (Reply reply : {Reply::at_once, Reply::from_thread}) {
      first_mock().script("queue_new", {answer, reply});
      EXPECT_EQ(create(first, 8).error(), status);
    }
  EXPECT_EQ(first_mock().count("signal_remove"), 4u);
  first_mock().script("queue_new", {});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(create(first, 8));
}

/// Whether an agent has been told of all memory of a queue, from its indices to the end of its ring.
bool knows(const MockAgent& mock, const hsa_queue_t* queue) {
  const auto* begin = reinterpret_cast<const char*>(Client::write_index(queue));
  const auto* end = static_cast<const char*>(queue->base_address) + size_t{queue->size} * 64;
  const auto calls = mock.calls("memory_allocation");
  return std::ranges::any_of(calls, [&](const Call& call) {
    const auto* base = static_cast<const char*>(call.address);
    return call.detail == HSAM_SEGMENT_GLOBAL && base <= begin && end <= base + call.size;
  });
}

TEST_F(QueueTest, agents_are_told_of_the_memory_of_all_queues) {
  for (const Agent* owner : {first, second, null})
    for (const uint32_t size : {8u, 64u, 1024u, 4096u}) {
      if (size > owner->config().queue_max_size) continue;
      auto queue = create(owner, size, HSA_QUEUE_TYPE_SINGLE);
      ASSERT_TRUE(queue);
      EXPECT_TRUE(knows(first_mock(), *queue)) << size;
      EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
    }
  EXPECT_EQ(second_mock().count("memory_allocation"), 0u) << "it wants no messages";
}

TEST_F(QueueTest, agents_are_told_once_of_what_small_queues_share) {
  std::vector<hsa_queue_t*> queues;
  std::set<uintptr_t> pages;
  for (int i = 0; i < 4; ++i) queues.push_back(create(first, 64).value());
  for (int i = 0; i < 28; ++i) queues.push_back(create(null, 64).value());
  EXPECT_EQ(first_mock().count("memory_allocation"), 1u);
  for (const hsa_queue_t* queue : queues) {
    EXPECT_TRUE(knows(first_mock(), queue));
    for (size_t offset = 0; offset < 64 * 64; offset += 64)
      pages.insert(reinterpret_cast<uintptr_t>(queue->base_address) + offset);
  }
  EXPECT_EQ(pages.size(), queues.size() * 64) << "no packets are at the same address";
  // The last chunk stays for the next queue, which finds nothing of what the others have left there.
  queues.push_back(create(null, 64).value());
  EXPECT_EQ(first_mock().count("memory_allocation"), 2u);
  for (hsa_queue_t* queue : queues) {
    std::memset(queue->base_address, 0xff, size_t{64} * 64);
    EXPECT_EQ(client->destroy_queue(queue), HSA_STATUS_SUCCESS);
  }
  EXPECT_EQ(first_mock().count("memory_free"), 1u);
  const hsa_queue_t* next = create(null, 64).value();
  EXPECT_EQ(first_mock().count("memory_allocation"), 2u);
  const auto* words = static_cast<const uint32_t*>(next->base_address);
  for (size_t i = 0; i < size_t{64} * 16; ++i)
    ASSERT_EQ(words[i], i % 16 == 0 ? static_cast<uint32_t>(HSA_PACKET_TYPE_INVALID) : 0u);
  EXPECT_EQ(*Client::write_index(next), 0u);
}

TEST_F(QueueTest, the_memory_of_large_queues_is_told_and_withdrawn_with_them) {
  auto queue = create(null, 4096);
  ASSERT_TRUE(queue);
  EXPECT_EQ(first_mock().count("memory_allocation"), 1u);
  EXPECT_EQ(first_mock().count("memory_free"), 0u);
  EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().calls("memory_free").at(0).address,
            first_mock().calls("memory_allocation").at(0).address);
}

TEST_F(QueueTest, memory_that_an_agent_refuses_makes_no_queue) {
  first_mock().script("memory_allocation", {HSAM_OutOfResources, Reply::at_once});
  for (const uint32_t size : {64u, 4096u})
    EXPECT_EQ(create(null, size).error(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_TRUE(client->queue_ids(*null).empty());
  first_mock().script("memory_allocation", {});
  EXPECT_TRUE(create(null, 64));
}

TEST_F(QueueTest, pointers_are_checked) {
  auto queue = create(first, 8);
  alignas(64) hsa_queue_t fake = **queue;
  EXPECT_TRUE(client->is_queue(*queue));
  EXPECT_EQ(client->queue_agent(*queue), first);
  for (auto operation : {&Client::destroy_queue, &Client::inactivate_queue}) {
    EXPECT_EQ(((*client).*operation)(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(((*client).*operation)(&fake), HSA_STATUS_ERROR_INVALID_QUEUE);
    EXPECT_EQ(((*client).*operation)(reinterpret_cast<hsa_queue_t*>(8)), HSA_STATUS_ERROR_INVALID_QUEUE);
  }
  hsa_queue_t* old = *queue;
  EXPECT_EQ(client->destroy_queue(old), HSA_STATUS_SUCCESS);
  EXPECT_EQ(client->destroy_queue(old), HSA_STATUS_ERROR_INVALID_QUEUE);
  EXPECT_FALSE(client->is_queue(old));
}

TEST_F(QueueTest, what_the_application_overwrites_is_not_trusted) {
  auto queue = create(first, 8);
  uint64_t doorbell = (*queue)->doorbell_signal.handle;
  std::memset(static_cast<void*>(*queue), 0xff, 64);
  Client::write_index(*queue)[0] = 5;
  EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
  EXPECT_FALSE(Client::is_signal(doorbell));
}

// ---- errors ----

TEST_F(QueueTest, the_first_error_is_delivered_once_on_another_thread) {
  Errors errors;
  auto queue = create(first, 8, HSA_QUEUE_TYPE_MULTI, &errors);
  int64_t handle = driver_handle(first_mock());
  EXPECT_TRUE(first_mock().last_queue.callbacks_required_flag);
  errors.hold = true;
  fail(first_mock(), handle,
       HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);  // returns while the callback is still held up
  fail(first_mock(), handle, HSA_STATUS_ERROR_EXCEPTION);
  errors.hold = false;
  ASSERT_TRUE(errors.comes());
  EXPECT_EQ(errors.status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  EXPECT_EQ(errors.queue, *queue);
  EXPECT_EQ(client->inactivate_queue(*queue), HSA_STATUS_SUCCESS);  // legal in the error state
  EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
  EXPECT_EQ(errors.count, 1);
}

TEST_F(QueueTest, no_error_is_delivered_after_inactivation_or_destruction) {
  Errors errors;
  auto queue = create(first, 8, HSA_QUEUE_TYPE_MULTI, &errors);
  int64_t handle = driver_handle(first_mock());
  EXPECT_EQ(client->inactivate_queue(*queue), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().count("queue_inactivate"), 1u);
  fail(first_mock(), handle, HSA_STATUS_ERROR_EXCEPTION);
  EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
  fail(first_mock(), handle, HSA_STATUS_ERROR_EXCEPTION);
  first_mock().driver->queue_error(777777, handle, HSA_STATUS_ERROR, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(errors.count, 0);
}

TEST_F(QueueTest, destruction_waits_for_a_running_callback) {
  Errors errors;
  auto queue = create(first, 8, HSA_QUEUE_TYPE_MULTI, &errors);
  errors.hold = true;
  fail(first_mock(), driver_handle(first_mock()), HSA_STATUS_ERROR_EXCEPTION);
  while (!errors.running) std::this_thread::yield();
  std::atomic<bool> destroyed{false};
  std::thread destroyer([&] {
    EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
    destroyed = true;
    EXPECT_EQ(errors.count, 1);
  });
  // Inactivation may return while the callback runs (Runtime 2.5.5.8).
  EXPECT_EQ(client->inactivate_queue(*queue), HSA_STATUS_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(destroyed);
  errors.hold = false;
  destroyer.join();
}

TEST_F(QueueTest, destruction_by_the_callback_fails_instead_of_hanging) {
  Errors errors;
  errors.destroys = client.get();
  auto queue = create(first, 8, HSA_QUEUE_TYPE_MULTI, &errors);
  fail(first_mock(), driver_handle(first_mock()), HSA_STATUS_ERROR_EXCEPTION);
  ASSERT_TRUE(errors.comes());
  EXPECT_EQ(errors.destroyed, HSA_STATUS_ERROR);
  EXPECT_TRUE(client->is_queue(*queue));
}

TEST_F(QueueTest, memory_faults_make_destruction_report_fatal) {
  Errors errors;
  auto queue = create(first, 8, HSA_QUEUE_TYPE_MULTI, &errors);
  first_mock().driver->client_error(first_mock().calls("client_new").back().client, 0x1234, 1,
                                    driver_handle(first_mock()));
  ASSERT_TRUE(errors.comes());
  EXPECT_EQ(errors.status, HSA_STATUS_ERROR);
  EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_ERROR_FATAL);
  EXPECT_FALSE(client->is_queue(*queue));
}

TEST_F(QueueTest, the_end_of_the_client_destroys_its_queues) {
  Errors errors;
  ASSERT_TRUE(create(first, 8, HSA_QUEUE_TYPE_MULTI, &errors));
  fail(first_mock(), driver_handle(first_mock()), HSA_STATUS_ERROR_EXCEPTION);
  client.reset();
  EXPECT_EQ(first_mock().count("queue_remove"), 1u);
  EXPECT_LE(errors.count, 1);
  EXPECT_EQ(first_mock().calls().back().message, "client_remove");
}

// ---- soft queues ----

TEST_F(QueueTest, soft_queues_mirror_their_arguments) {
  auto doorbell = client->create_signal(0, {});
  auto queue = client->create_soft_queue(region(host, fine), 4, HSA_QUEUE_TYPE_SINGLE,
                                         HSA_QUEUE_FEATURE_AGENT_DISPATCH, *doorbell);
  ASSERT_TRUE(queue);
  EXPECT_EQ((*queue)->size, 4u);
  EXPECT_EQ((*queue)->type, static_cast<uint32_t>(HSA_QUEUE_TYPE_SINGLE));
  EXPECT_EQ((*queue)->features, static_cast<uint32_t>(HSA_QUEUE_FEATURE_AGENT_DISPATCH));
  EXPECT_EQ((*queue)->doorbell_signal.handle, doorbell->handle);
  EXPECT_EQ(static_cast<char*>((*queue)->base_address), reinterpret_cast<char*>(*queue) + 64);
  EXPECT_EQ(client->find(*queue)->region, &region(host, fine));
  EXPECT_EQ(client->queue_agent(*queue), nullptr);
  EXPECT_TRUE(client->is_queue(*queue));
  EXPECT_EQ(client->inactivate_queue(*queue), HSA_STATUS_SUCCESS);
  EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
  EXPECT_TRUE(Client::is_signal(doorbell->handle));  // the application's signal still exists
  EXPECT_FALSE(client->find(*queue));

  auto bad = [&](const Region& r, uint32_t size, uint32_t type, uint32_t features, uint64_t signal) {
    return client->create_soft_queue(r, size, type, features, {signal}).error();
  };
  uint64_t good = doorbell->handle;
  EXPECT_EQ(bad(region(host, fine), 3, 0, 1, good), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(bad(region(host, fine), 4, 2, 1, good), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(bad(region(host, fine), 4, 0, 0, good), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(bad(region(host, fine), 4, 0, 1, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // The host cannot write the header there.
  EXPECT_EQ(bad(region(third, local_coarse), 4, 0, 1, good), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(third_mock().count("region_allocate"), 0u);
}

TEST_F(QueueTest, agents_are_told_of_the_memory_of_soft_queues) {
  auto doorbell = client->create_signal(0, {});
  auto queue = client->create_soft_queue(region(host, fine), 64, HSA_QUEUE_TYPE_SINGLE,
                                         HSA_QUEUE_FEATURE_AGENT_DISPATCH, *doorbell);
  ASSERT_TRUE(queue);
  EXPECT_TRUE(knows(first_mock(), *queue));
  EXPECT_EQ(client->destroy_queue(*queue), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().count("memory_free"), 1u);
}

// ---- with a packet processor: many producers, many completions ----

TEST_F(QueueTest, packets_of_many_threads_all_complete) {
  ASSERT_EQ(null->driver_name(), "null");
  Errors errors;
  auto created = create(null, 64, HSA_QUEUE_TYPE_MULTI, &errors);
  ASSERT_TRUE(created);
  hsa_queue_t* queue = *created;
  constexpr int threads = 4, packets = 500;
  auto completion = client->create_signal(threads * packets, {});
  std::vector<std::thread> producers;
  for (int t = 0; t < threads; ++t)
    producers.emplace_back([&] {
      for (int i = 0; i < packets; ++i) {
        uint64_t id = __atomic_fetch_add(Client::write_index(queue), 1, __ATOMIC_SEQ_CST);
        while (id >= __atomic_load_n(Client::read_index(queue), __ATOMIC_ACQUIRE) + queue->size)
          std::this_thread::yield();
        auto* packet = static_cast<hsa_barrier_and_packet_t*>(queue->base_address) + id % queue->size;
        hsa_barrier_and_packet_t content{};
        content.completion_signal = *completion;
        std::memcpy(reinterpret_cast<char*>(packet) + 4, reinterpret_cast<char*>(&content) + 4, 60);
        __atomic_store_n(reinterpret_cast<uint32_t*>(packet),
                         static_cast<uint32_t>(HSA_PACKET_TYPE_BARRIER_AND), __ATOMIC_RELEASE);
        hsam_signal_store_screlease(reinterpret_cast<hsam_signal*>(queue->doorbell_signal.handle),
                                    static_cast<int64_t>(id));
      }
    });
  auto* block = reinterpret_cast<hsam_signal*>(completion->handle);
  EXPECT_EQ(hsam_signal_wait_scacquire(block, HSA_SIGNAL_CONDITION_EQ, 0, 30 * HSAM_TIMESTAMP_FREQUENCY,
                                       HSA_WAIT_STATE_BLOCKED),
            0);
  for (auto& producer : producers) producer.join();
  EXPECT_EQ(client->destroy_queue(queue), HSA_STATUS_SUCCESS);
  EXPECT_EQ(errors.count, 0);
}

}  // namespace
}  // namespace heddle::driver
