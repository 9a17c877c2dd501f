// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads code and dispatches a kernel that does nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "packets.h"

namespace heddle::conformance {
namespace {

struct Code : testing::Test {
  void SetUp() override {
    if (Host::get().kernel_agent() == nullptr) GTEST_SKIP() << "the plugin has no kernel agent";
    // Description.kernel_agents_have_all_functions says the same; here it keeps the cases from calling null.
    for (bool present : {agent().interface.code_load != nullptr, agent().interface.code_unload != nullptr,
                         agent().interface.code_kernel != nullptr})
      ASSERT_TRUE(present) << "a kernel agent needs code_load, code_unload and code_kernel";
    client = std::make_unique<ConformanceClient>(agent());
  }
  const RegisteredAgent& agent() const { return *Host::get().kernel_agent(); }
  const std::vector<char>& blob() const { return Host::get().code; }
  HSAM_Error load(const void* data, size_t size, int64_t* code) {
    const hsam_variable_address* variables = nullptr;
    return Host::get().ask_for_handle(code, agent().interface.code_load, client->at_agent(), data, size,
                                      variables, 0u);
  }
  HSAM_Error unload(int64_t code) {
    return Host::get().ask(agent().interface.code_unload, client->at_agent(), code);
  }
  std::unique_ptr<ConformanceClient> client;
};

TEST_F(Code, garbage_is_refused) {
  int64_t code = 0;
  std::mt19937 random(7);
  for (size_t size : {0, 1, 3, 64, 1000, 100000}) {
    std::vector<char> garbage(size);
    for (char& byte : garbage) byte = static_cast<char>(random());
    EXPECT_EQ(load(garbage.data(), size, &code), HSAM_Invalid);
    if (size >= 64) {
      std::copy_n("\177ELF\2\1\1", 7, garbage.begin());
      EXPECT_EQ(load(garbage.data(), size, &code), HSAM_Invalid);
    }
  }
}

struct Dispatch : Code {
  void SetUp() override {
    Code::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (blob().empty()) GTEST_SKIP() << "no code object was given";
    // The agent must not keep a pointer to this memory.
    std::vector<char> copy = blob();
    ASSERT_EQ(load(copy.data(), copy.size(), &code), HSAM_Done);
    std::fill(copy.begin(), copy.end(), 0);
    ASSERT_EQ(agent().interface.code_kernel(client->at_agent(), code, 0, &kernel), HSAM_Done);
    queue =
        std::make_unique<ConformanceQueue>(agent(), *client, std::max(agent().config.queue_min_size, 64u));
    ASSERT_EQ(queue->answer(), HSAM_Done) << "without a queue there is nothing to wait for";
  }
  void TearDown() override {
    queue.reset();
    if (code != 0) {
      EXPECT_EQ(unload(code), HSAM_Done);
    }
    client.reset();
  }
  std::unique_ptr<ConformanceSignal> signal(int64_t value) {
    return std::make_unique<ConformanceSignal>(agent(), *client, value);
  }
  int64_t code = 0;
  uint64_t kernel = 0;
  std::unique_ptr<ConformanceQueue> queue;
};

TEST_F(Code, damaged_code_is_refused_or_harmless) {
  if (blob().empty()) GTEST_SKIP() << "no code object was given";
  int64_t code = 0;
  for (size_t size = 0; size < blob().size(); size += std::max<size_t>(1, blob().size() / 200))
    EXPECT_EQ(load(blob().data(), size, &code), HSAM_Invalid) << "cut at " << size;
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    std::vector<char> damaged = blob();
    for (int n = 0; n < 3; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (load(damaged.data(), damaged.size(), &code) == HSAM_Done) {
      EXPECT_EQ(unload(code), HSAM_Done);
    }
  }
}

TEST_F(Dispatch, kernel_objects_are_readable_and_distinct) {
  EXPECT_NE(kernel, 0u);
  unsigned sum = 0;
  for (int i = 0; i < 256; ++i) sum += reinterpret_cast<const volatile unsigned char*>(kernel)[i];
  (void)sum;
  uint64_t none = 0;
  EXPECT_EQ(agent().interface.code_kernel(client->at_agent(), code, 1000, &none), HSAM_Invalid);
  if (agent().interface.code_function != nullptr) {
    EXPECT_EQ(agent().interface.code_function(client->at_agent(), code, 1000, &none), HSAM_Invalid);
  }
  int64_t again = 0;
  uint64_t other = 0;
  ASSERT_EQ(load(blob().data(), blob().size(), &again), HSAM_Done);
  ASSERT_EQ(agent().interface.code_kernel(client->at_agent(), again, 0, &other), HSAM_Done);
  EXPECT_NE(other, kernel);
  EXPECT_EQ(unload(again), HSAM_Done);
}

TEST_F(Dispatch, completes_once_for_each_packet) {
  constexpr int count = 2000;
  auto completion = signal(count);
  for (int i = 0; i < count; ++i)
    queue->submit(dispatch_packet(kernel, 64, 64, completion.get(), i % 3 == 0));
  EXPECT_TRUE(completion->becomes(0));
  EXPECT_TRUE(Host::get().errors(queue->handle()).empty());
}

TEST_F(Dispatch, stamps_its_times) {
  auto completion = signal(1);
  uint64_t before = hsam_timestamp();
  queue->submit(dispatch_packet(kernel, 1000, 64, completion.get()));
  ASSERT_TRUE(completion->becomes(0));
  uint64_t after = hsam_timestamp();
  EXPECT_LE(before, completion->get()->start_timestamp);
  EXPECT_LE(completion->get()->start_timestamp, completion->get()->end_timestamp);
  EXPECT_LE(completion->get()->end_timestamp, after);
}

TEST_F(Dispatch, takes_all_shapes) {
  auto completion = signal(0);
  int64_t submitted = 0;
  const uint32_t most = agent().config.isas[0].workgroup_max_size;
  for (uint16_t dimensions = 1; dimensions <= 3; ++dimensions)
    for (uint16_t group : {1, 2, 7})
      for (uint32_t grid : {7u, 16u, 33u}) {
        if (std::pow(group, dimensions) > most) continue;
        auto packet = dispatch_packet(kernel, grid, group, completion.get());
        packet.setup = dimensions;
        if (dimensions > 1) packet.workgroup_size_y = group, packet.grid_size_y = grid;
        if (dimensions > 2) packet.workgroup_size_z = group, packet.grid_size_z = grid;
        queue->submit(packet);
        ++submitted;
      }
  EXPECT_TRUE(completion->becomes(-submitted));
  EXPECT_TRUE(Host::get().errors(queue->handle()).empty());
}

TEST_F(Dispatch, the_barrier_bit_waits_for_what_came_before) {
  // When the second dispatch, which has the barrier bit, is complete, the first must be complete, too.
  for (int i = 0; i < 200; ++i) {
    auto first = signal(1), second = signal(1);
    queue->submit(dispatch_packet(kernel, 2000, 64, first.get()));
    queue->submit(dispatch_packet(kernel, 1, 1, second.get(), true));
    ASSERT_TRUE(second->becomes(0));
    EXPECT_EQ(first->load(), 0);
  }
}

TEST_F(Dispatch, group_segments_that_are_too_large_are_refused) {
  auto completion = signal(1);
  auto packet = dispatch_packet(kernel, 64, 64, completion.get());
  packet.group_segment_size = UINT32_MAX;
  queue->submit(packet);
  auto errors = Host::get().errors(queue->handle(), Host::patience);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].status, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(completion->load(), 1);
}

TEST_F(Dispatch, private_segments_that_are_too_large_are_refused) {
  auto completion = signal(1);
  auto packet = dispatch_packet(kernel, 64, 64, completion.get());
  packet.private_segment_size = UINT32_MAX;
  queue->submit(packet);
  auto errors = Host::get().errors(queue->handle(), Host::patience);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].status, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(completion->load(), 1);
}

TEST_F(Dispatch, kernel_objects_of_unloaded_code_are_refused) {
  ASSERT_EQ(unload(code), HSAM_Done);
  code = 0;
  queue->submit(dispatch_packet(kernel, 1, 1, nullptr));
  auto errors = Host::get().errors(queue->handle(), Host::patience);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].status, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

TEST_F(Dispatch, completion_signals_that_are_none_are_refused) {
  auto packet = dispatch_packet(kernel, 1, 1, nullptr);
  packet.completion_signal.handle = 0xabcd00;
  queue->submit(packet);
  auto errors = Host::get().errors(queue->handle(), Host::patience);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].status, HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Dispatch, inactivation_ends_what_runs_and_nothing_is_touched_afterwards) {
  for (int i = 0; i < 20; ++i) {
    ConformanceQueue busy(agent(), *client, std::max(agent().config.queue_min_size, 64u));
    auto completion = signal(0);
    for (int n = 0; n < 40; ++n) busy.submit(dispatch_packet(kernel, 100000, 64, completion.get()));
    EXPECT_EQ(busy.inactivate(), HSAM_Done);
    int64_t quiescent = completion->load();
    EXPECT_EQ(busy.remove(), HSAM_Done);
    EXPECT_EQ(completion->load(), quiescent);
    EXPECT_TRUE(Host::get().errors(busy.handle()).empty());
  }
}

}  // namespace
}  // namespace heddle::conformance
