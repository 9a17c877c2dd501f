// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clients and the messages that agents get: when they are sent, in which order, and what follows from each
// kind of answer (MVA 2.2, 2.6, 2.7).
#include <hsam/signal.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "driver/messages.h"
#include "driver/registry.h"
#include "fixture.h"
#include "logged.h"

namespace heddle::driver {
namespace {

using namespace test;

struct ClientMessages : ClientTest {};

TEST_F(ClientMessages, an_agent_hears_of_the_client_when_it_is_first_needed_and_once) {
  EXPECT_EQ(first_mock().count("client_new"), 0u);
  const Agent* consumers[] = {first};
  auto signal = client->create_signal(1, consumers);
  ASSERT_TRUE(signal);
  auto calls = first_mock().calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].message, "client_new");
  EXPECT_EQ(calls[1].message, "signal_new");
  EXPECT_EQ(calls[1].client, 1001);  // the handle that the mock assigned
  EXPECT_EQ(calls[1].object, static_cast<int64_t>(signal->handle));
  ASSERT_TRUE(client->create_signal(1, consumers));
  EXPECT_EQ(first_mock().count("client_new"), 1u);
  EXPECT_TRUE(second_mock().calls().empty());
}

TEST_F(ClientMessages, the_end_of_a_client_is_told_to_those_who_knew_it) {
  auto signal = client->create_signal(0, {});
  ASSERT_TRUE(signal);
  client.reset();
  auto calls = first_mock().calls();
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(calls[2].message, "signal_remove");
  EXPECT_EQ(calls[3].message, "client_remove");
  EXPECT_EQ(calls[3].client, calls[2].client);
  EXPECT_EQ(second_mock().count("client_remove"), 0u);
  EXPECT_FALSE(Client::is_signal(signal->handle));
}

TEST_F(ClientMessages, the_end_of_a_client_waits_for_late_replies) {
  first_mock().script("client_remove", {HSAM_Done, Reply::from_thread});
  ASSERT_TRUE(client->create_signal(0, {}));
  auto before = std::chrono::steady_clock::now();
  client.reset();
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(15));
}

TEST_F(ClientMessages, every_way_to_reply_gives_the_same_result) {
  const Agent* consumers[] = {first};
  for (Reply reply :
       {Reply::at_once, Reply::before_return, Reply::from_thread, Reply::twice, Reply::at_once_and_again}) {
    first_mock().script("signal_new", {HSAM_Done, reply});
    auto signal = client->create_signal(7, consumers);
    ASSERT_TRUE(signal);
    first_mock().script("signal_remove", {HSAM_Done, reply});
    EXPECT_EQ(client->destroy_signal(*signal), HSA_STATUS_SUCCESS);
    first_mock().script("signal_new", {HSAM_OutOfResources, reply});
    // The first answer counts. The two behaviours that answer twice give an error both times here.
    auto refused = client->create_signal(7, consumers);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    first_mock().join();
  }
  EXPECT_EQ(first_mock().count("signal_new"), 10u);
  EXPECT_EQ(first_mock().count("signal_remove"), 5u);
}

TEST_F(ClientMessages, replies_that_nobody_waits_for_do_no_harm) {
  first_mock().driver->agent_reply(HSAM_Done, nullptr);
  first_mock().driver->agent_reply(HSAM_Done, reinterpret_cast<void*>(uintptr_t{0xdeadbeef}));
  const Agent* consumers[] = {first};
  ASSERT_TRUE(client->create_signal(0, consumers));
  first_mock().driver->agent_reply(HSAM_OutOfResources, first_mock().last_cookie);  // answers a request that
                                                                                    // is long complete
  ASSERT_TRUE(client->create_signal(0, consumers));
}

/// Static objects are destroyed when a process ends, so threads must not wait for one of them.
TEST_F(ClientMessages, the_process_may_end_while_a_reply_is_awaited) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end_while_waiting = [&] {
    alarm(600);
    first_mock().script("signal_new", {HSAM_Done, Reply::never});
    std::thread([&] { (void)client->create_signal(0, {}); }).detach();
    while (first_mock().count("signal_new") == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until the thread sleeps
    std::exit(0);
  };
  EXPECT_EXIT(end_while_waiting(), testing::ExitedWithCode(0), "");
}

TEST_F(ClientMessages, cookies_differ_between_threads) {
  first_mock().script("signal_new", {HSAM_Done, Reply::from_thread});
  std::vector<std::thread> threads;
  std::atomic<int> made{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 5; ++n) {
        auto signal = client->create_signal(0, {});
        if (signal && client->destroy_signal(*signal) == HSA_STATUS_SUCCESS) ++made;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made, 40);
  EXPECT_EQ(first_mock().count("client_new"), 1u);
}

TEST_F(ClientMessages, a_refused_client_makes_the_request_fail_and_can_be_asked_again) {
  first_mock().script("client_new", {HSAM_OutOfResources});
  const Agent* consumers[] = {first};
  EXPECT_FALSE(client->create_signal(0, consumers));
  first_mock().script("client_new", {HSAM_Done});
  EXPECT_TRUE(client->create_signal(0, consumers));
}

// ---- signals ----

struct DriverSignals : ClientTest {};

TEST_F(DriverSignals, handles_are_checked) {
  auto signal = client->create_signal(5, {});
  ASSERT_TRUE(signal);
  auto* block = reinterpret_cast<hsam_signal*>(signal->handle);
  EXPECT_EQ(signal->handle % 64, 0u);
  EXPECT_EQ(hsam_signal_load_scacquire(block), 5);
  EXPECT_TRUE(Client::is_signal(signal->handle));
  EXPECT_EQ(client->destroy_signal({0}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (uint64_t garbage : {uint64_t{1}, uint64_t{64}, signal->handle + 8, signal->handle + 64 * 100000,
                           ~uint64_t{0} - 63, static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&signal))}) {
    EXPECT_FALSE(Client::is_signal(garbage));
    EXPECT_EQ(client->destroy_signal({garbage}), HSA_STATUS_ERROR_INVALID_SIGNAL);
  }
  EXPECT_EQ(client->destroy_signal(*signal), HSA_STATUS_SUCCESS);
  EXPECT_EQ(client->destroy_signal(*signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
}

TEST_F(DriverSignals, destinations_are_the_consumers_or_everybody) {
  const Agent* consumers[] = {second, first};
  auto some = client->create_signal(0, consumers);
  auto all = client->create_signal(0, {});
  ASSERT_TRUE(some && all);
  auto* object = reinterpret_cast<hsam_signal*>(some->handle)->object;
  ASSERT_EQ(object->number_of_dests, 2u);
  EXPECT_EQ(object->root_dest_array[0].flags >> HSAM_ROOT_DRIVER_ID_SHIFT, second->device_driver_id());
  EXPECT_EQ(object->root_dest_array[1].flags >> HSAM_ROOT_DRIVER_ID_SHIFT, first->device_driver_id());
  EXPECT_EQ(reinterpret_cast<hsam_signal*>(all->handle)->object->number_of_dests, client->agents().size());
  const Agent* twice[] = {first, first};
  EXPECT_EQ(client->create_signal(0, twice).error(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // Each agent gets a root of its own.
  auto again = client->create_signal(0, consumers);
  EXPECT_EQ(first_mock().last_root,
            &reinterpret_cast<hsam_signal*>(again->handle)->object->root_dest_array[1]);
}

TEST_F(DriverSignals, a_send_to_an_inactive_destination_unblocks_its_agent) {
  const Agent* consumers[] = {first};
  auto signal = client->create_signal(0, consumers);
  auto* block = reinterpret_cast<hsam_signal*>(signal->handle);
  int64_t at_agent =
      1000 + static_cast<int64_t>(first_mock().count("client_new") + first_mock().count("signal_new"));
  hsam_root_update(block, first_mock().last_root, HSAM_NODE_STATE_INACTIVE, nullptr, nullptr);
  hsam_signal_store_screlease(block, 1);
  auto calls = first_mock().calls("unblock_destination");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].object, at_agent);
  hsam_root_update(block, first_mock().last_root, 0, nullptr, nullptr);
  // An agent that reports garbage does no harm.
  first_mock().driver->destination_unreachable(12345, block->object, first->device_driver_id());
  first_mock().driver->destination_unreachable(1, nullptr, first->device_driver_id());
  first_mock().driver->destination_unreachable(1, reinterpret_cast<hsa_signal_object*>(&at_agent), -1);
  EXPECT_EQ(first_mock().count("unblock_destination"), 1u);
}

/// Agents hear of a signal that several processes share when this process begins and ends to use it.
TEST_F(DriverSignals, shared_signals_are_announced_once) {
  const Agent* consumers[] = {first};
  auto signal = client->create_shared_signal(7, consumers);
  ASSERT_TRUE(signal);
  EXPECT_TRUE(Client::is_signal(signal->handle));
  EXPECT_FALSE(Client::is_signal(signal->handle + HSAM_SHARED_SEGMENT_SIZE));  // its local part
  EXPECT_EQ(first_mock().count("signal_new"), 1u);
  const auto handle = Client::share_signal(*signal);
  ASSERT_TRUE(handle);
  auto attached = client->attach_signal(*handle);
  ASSERT_TRUE(attached);
  EXPECT_EQ(attached->handle, signal->handle);
  EXPECT_EQ(first_mock().count("signal_new"), 1u);
  EXPECT_EQ(client->destroy_signal(*signal), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().count("signal_remove"), 0u);
  EXPECT_EQ(client->destroy_signal(*signal), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().count("signal_remove"), 1u);
  EXPECT_EQ(client->destroy_signal(*signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(client->attach_signal(*handle).error(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // An agent that refuses the signal leaves nothing behind.
  first_mock().script("signal_new", {HSAM_OutOfResources});
  EXPECT_EQ(client->create_shared_signal(7, consumers).error(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  first_mock().script("signal_new", {HSAM_Done});
  auto again = client->create_shared_signal(7, consumers);
  EXPECT_EQ(again->handle, signal->handle);  // the same block
  // What is left when the client ends is removed, as often as it was attached.
  ASSERT_TRUE(client->attach_signal(*Client::share_signal(*again)));
  client.reset();
  EXPECT_EQ(first_mock().count("signal_remove"), 2u);
  EXPECT_FALSE(Client::is_signal(again->handle));
}

/// Of two threads that end the last two uses at the same time, one tells the agents.
TEST_F(DriverSignals, the_last_use_of_a_shared_signal_ends_once) {
  constexpr size_t rounds = 1000;
  const Agent* consumers[] = {first};
  for (size_t round = 0; round < rounds; ++round) {
    const hsa_signal_t signal = client->create_shared_signal(1, consumers).value();
    ASSERT_TRUE(client->attach_signal(*Client::share_signal(signal)));
    std::atomic<int> ready = 0;
    const auto destroy = [&] {
      for (++ready; ready != 2;) std::this_thread::yield();
      EXPECT_EQ(client->destroy_signal(signal), HSA_STATUS_SUCCESS);
    };
    std::thread other(destroy);
    destroy();
    other.join();
    ASSERT_FALSE(Client::is_signal(signal.handle));
  }
  EXPECT_EQ(first_mock().count("signal_new"), rounds);
  EXPECT_EQ(first_mock().count("signal_remove"), rounds);
}

/// The destinations of a shared signal are those of its local part.
TEST_F(DriverSignals, sends_to_shared_signals_reach_destinations) {
  const Agent* consumers[] = {first};
  auto signal = client->create_shared_signal(0, consumers);
  auto* block = reinterpret_cast<hsam_signal*>(signal->handle);
  hsam_root_update(block, first_mock().last_root, HSAM_NODE_STATE_INACTIVE, nullptr, nullptr);
  hsam_signal_store_screlease(block, 1);
  EXPECT_GE(first_mock().count("unblock_destination"), 1u);
  hsam_root_update(block, first_mock().last_root, 0, nullptr, nullptr);
  EXPECT_EQ(block->waiters, 0u);
  EXPECT_EQ(client->destroy_signal(*signal), HSA_STATUS_SUCCESS);
}

TEST_F(DriverSignals, groups_are_checked_announced_and_waited_for) {
  const Agent* consumers[] = {first};
  const Agent* others[] = {second};
  hsa_signal_t signals[] = {*client->create_signal(1, consumers), *client->create_signal(1, {})};
  EXPECT_FALSE(client->create_signal_group(signals, others));
  EXPECT_FALSE(client->create_signal_group(signals, {}));
  EXPECT_FALSE(client->create_signal_group({}, consumers));
  hsa_signal_t twice[] = {signals[0], signals[0]};
  EXPECT_FALSE(client->create_signal_group(twice, consumers));
  hsa_signal_t dead[] = {signals[0], {64}};
  EXPECT_FALSE(client->create_signal_group(dead, consumers));
  EXPECT_EQ(first_mock().count("signal_group_new"), 0u);

  auto group = client->create_signal_group(signals, consumers);
  ASSERT_TRUE(group);
  auto calls = first_mock().calls("signal_group_new");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].object, static_cast<int64_t>(group->handle));
  EXPECT_EQ(calls[0].list, std::vector<int64_t>({1002, 1003}));

  hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_LT};
  int64_t compares[] = {0, 0};
  std::thread sender(
      [&] { hsam_signal_store_screlease(reinterpret_cast<hsam_signal*>(signals[1].handle), -3); });
  hsa_signal_t met{};
  int64_t value = 0;
  const auto waited_for = client->signals_of(*group);
  ASSERT_TRUE(waited_for);
  EXPECT_EQ(Client::wait_any(*waited_for, conditions, compares, HSA_WAIT_STATE_BLOCKED, &met, &value),
            HSA_STATUS_SUCCESS);
  sender.join();
  EXPECT_EQ(met.handle, signals[1].handle);
  EXPECT_EQ(value, -3);
  EXPECT_EQ(client->destroy_signal_group(*group), HSA_STATUS_SUCCESS);
  EXPECT_EQ(first_mock().count("signal_group_remove"), 1u);
  EXPECT_EQ(client->destroy_signal_group(*group), HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
  EXPECT_EQ(client->signals_of(*group).error(), HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
}

// ---- code ----

TEST_F(ClientMessages, code_goes_to_the_agent) {
  std::byte blob[100]{};
  auto code = client->load_code(*second, blob, {});
  ASSERT_TRUE(code);
  EXPECT_EQ(second_mock().calls("code_load")[0].size, 100);
  EXPECT_EQ(*client->kernel_object(*second, *code, 3), static_cast<uint64_t>(*code) * 256 + 3);
  EXPECT_EQ(client->function_handle(*second, *code, 0).error(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(client->unload_code(*second, *code), HSA_STATUS_SUCCESS);
  second_mock().script("code_load", {HSAM_Invalid, Reply::from_thread});
  EXPECT_EQ(client->load_code(*second, blob, {}).error(), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  second_mock().script("code_load", {HSAM_OutOfResources});
  EXPECT_EQ(client->load_code(*second, blob, {}).error(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  // Unloading code that an agent never loaded is an error, not a crash.
  EXPECT_EQ(client->unload_code(*first, 5), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(ClientMessages, an_agent_launches_a_library_in_the_client) {
  const Agent* consumers[] = {first};
  ASSERT_TRUE(client->create_signal(0, consumers));
  const int64_t handle = first_mock().calls("client_new").back().client;
  const auto launch = [&](int64_t of, const char* name) {
    std::string file = name == nullptr ? "" : name;
    return logged([&] { first_mock().driver->launch_dll(of, name == nullptr ? nullptr : file.data()); });
  };
  EXPECT_TRUE(says(launch(handle, "/nonexistent.so"), {"launch_dll: /nonexistent.so cannot be opened"}));
  EXPECT_TRUE(says(launch(handle, nullptr), {"launch_dll"}));
  EXPECT_TRUE(says(launch(987654, HEDDLE_TEST_LAUNCHED), {"launch_dll names client"}));
  EXPECT_EQ(std::getenv("HEDDLE_TEST_LAUNCHED"), nullptr);
  EXPECT_EQ(launch(handle, HEDDLE_TEST_LAUNCHED), "");
  EXPECT_STREQ(std::getenv("HEDDLE_TEST_LAUNCHED"), "yes");
}

TEST_F(ClientMessages, destinations_of_removed_signals_are_not_unblocked) {
  const Agent* consumers[] = {first};
  auto signal = client->create_signal(0, consumers);
  ASSERT_TRUE(signal);
  const int64_t handle = first_mock().calls("client_new").back().client;
  hsa_signal_object* object = reinterpret_cast<hsam_signal*>(signal->handle)->object;
  first_mock().driver->destination_unreachable(handle, object, first->device_driver_id());
  EXPECT_EQ(first_mock().count("unblock_destination"), 1u);
  EXPECT_EQ(first_mock().calls("unblock_destination")[0].object, 1002);
  // Not a destination of this signal: the agent has no handle for it.
  const Agent* other[] = {second};
  auto elsewhere = client->create_signal(0, other);
  ASSERT_TRUE(elsewhere);
  first_mock().driver->destination_unreachable(
      handle, reinterpret_cast<hsam_signal*>(elsewhere->handle)->object, first->device_driver_id());
  EXPECT_EQ(client->destroy_signal(*signal), HSA_STATUS_SUCCESS);
  first_mock().driver->destination_unreachable(handle, object, first->device_driver_id());
  EXPECT_EQ(first_mock().count("unblock_destination"), 1u);
}

TEST_F(ClientMessages, code_that_is_not_loaded_has_a_reason) {
  const std::vector<std::byte> blob(100);
  const auto load = [&](const Agent& agent) {
    return logged(
        [&] { EXPECT_EQ(client->load_code(agent, blob, {}).error(), HSA_STATUS_ERROR_INVALID_CODE_OBJECT); });
  };
  EXPECT_TRUE(
      says(load(*host), {"agent 'host'", "code_load is missing, which counts as HSAM_Not_Supported"}));
  second_mock().script("code_load", {HSAM_Invalid});
  EXPECT_TRUE(says(load(*second), {"agent 'second'", "code_load was answered HSAM_Invalid"}));
}

TEST(Clients, may_come_and_go_and_live_side_by_side) {
  auto one = Client::open();
  auto two = Client::open();
  ASSERT_TRUE(one && two);
  auto signal = (*one)->create_signal(0, {});
  one->reset();
  EXPECT_FALSE(Client::is_signal(signal->handle));
  EXPECT_TRUE((*two)->create_signal(0, {}));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(Client::open());
}

TEST(Timestamp, runs_at_its_frequency) {
  EXPECT_GE(timestamp_frequency(), 1'000'000u);
  EXPECT_LE(timestamp_frequency(), 400'000'000u);
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t before = timestamp();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const uint64_t ticks = timestamp() - before;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(ticks, timestamp_frequency() / 50);
  // The thread may sleep much longer than it asked for, so another clock tells how long it may have been.
  // The factor allows for the precision of both clocks.
  EXPECT_LE(static_cast<double>(ticks), 1.1 * seconds.count() * static_cast<double>(timestamp_frequency()));
}

}  // namespace
}  // namespace heddle::driver
