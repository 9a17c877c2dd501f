// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies of the AMD extension, and their times. The tests also run under ThreadSanitizer
// (./dev test).
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

constexpr auto eq = HSA_SIGNAL_CONDITION_EQ;
constexpr auto blocked = HSA_WAIT_STATE_BLOCKED;
constexpr auto invalid_argument = HSA_STATUS_ERROR_INVALID_ARGUMENT;

hsa_signal_value_t wait_for(hsa_signal_t signal, hsa_signal_value_t value) {
  return hsa_signal_wait_scacquire(signal, eq, value, UINT64_MAX, blocked);
}

std::vector<uint8_t> numbered(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 251 + 1);
  return bytes;
}

class AmdCopies : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    done_ = signal(1);
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_signal_destroy(done_));
    Runtime::TearDown();
  }
  hsa_status_t copy(void* to, const void* from, size_t size, std::vector<hsa_signal_t> dependencies = {}) {
    return hsa_amd_memory_async_copy(to, kernel_agent_, from, host_, size,
                                     static_cast<uint32_t>(dependencies.size()), dependencies.data(), done_);
  }
  void finish() {
    EXPECT_EQ(wait_for(done_, 0), 0);
    hsa_signal_store_screlease(done_, 1);
  }
  /// The engine is idle when the signal of the last copy has been seen.
  void expect_idle() {
    uint32_t engines = 0;
    EXPECT_SUCCESS(hsa_amd_memory_copy_engine_status(kernel_agent_, host_, &engines));
    EXPECT_EQ(engines, uint32_t{HSA_AMD_SDMA_ENGINE_0});
  }
  hsa_signal_t done_{};
};

TEST_F(AmdCopies, BetweenAllKindsOfMemory) {
  constexpr size_t size = 300'001;
  const std::vector<uint8_t> source = numbered(size);
  std::vector<uint8_t> heap(size);
  void *fine = nullptr, *coarse = nullptr;
  ASSERT_SUCCESS(hsa_memory_allocate(fine_region(), size, &fine));
  ASSERT_SUCCESS(hsa_memory_allocate(coarse_region(), size, &coarse));
  ASSERT_SUCCESS(hsa_memory_assign_agent(coarse, kernel_agent_, HSA_ACCESS_PERMISSION_RW));
  // Each copy depends on the one before.
  const hsa_signal_t first = signal(1), second = signal(1);
  ASSERT_SUCCESS(
      hsa_amd_memory_async_copy(heap.data(), host_, coarse, kernel_agent_, size, 1, &second, done_));
  ASSERT_SUCCESS(hsa_amd_memory_async_copy(coarse, kernel_agent_, fine, host_, size, 1, &first, second));
  ASSERT_SUCCESS(hsa_amd_memory_async_copy(fine, host_, source.data(), host_, size, 0, nullptr, first));
  finish();
  EXPECT_EQ(heap, source);
  expect_idle();
  EXPECT_SUCCESS(hsa_memory_free(fine));
  EXPECT_SUCCESS(hsa_memory_free(coarse));
  EXPECT_SUCCESS(hsa_signal_destroy(first));
  EXPECT_SUCCESS(hsa_signal_destroy(second));
}

TEST_F(AmdCopies, WaitForAllDependencies) {
  constexpr size_t count = 9;
  std::vector<hsa_signal_t> dependencies;
  for (size_t i = 0; i < count; ++i) dependencies.push_back(signal(1));
  int from = 5, to = 0;
  ASSERT_SUCCESS(copy(&to, &from, sizeof to, dependencies));
  uint32_t engines = 7;
  EXPECT_EQ(hsa_amd_memory_copy_engine_status(kernel_agent_, host_, &engines),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(engines, 0u);
  for (size_t i = 0; i < count; ++i) {
    const size_t which = i * 4 % count;
    EXPECT_EQ(hsa_signal_wait_scacquire(done_, eq, 0, 100'000, blocked), 1);
    EXPECT_EQ(to, 0);
    hsa_signal_store_screlease(dependencies[which], 0);
  }
  finish();
  EXPECT_EQ(to, 5);
  for (hsa_signal_t s : dependencies) EXPECT_SUCCESS(hsa_signal_destroy(s));
}

/// A dependency counts as soon as it has been seen with the value 0, whatever its value becomes later.
TEST_F(AmdCopies, ADependencyMayBeZeroOnlyForAMoment) {
  for (int round = 0; round < 50; ++round) {
    const hsa_signal_t brief = signal(1), late = signal(1);
    int from = round + 1, to = 0;
    ASSERT_SUCCESS(copy(&to, &from, sizeof to, {brief, late}));
    // Until the copy's thread watches the signals, it may miss a value.
    std::atomic<bool> done{false};
    std::thread flicker([&] {
      while (!done) {
        hsa_signal_store_screlease(brief, 0);
        hsa_signal_store_screlease(brief, 1);
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
    hsa_signal_store_screlease(late, 0);
    finish();
    done = true;
    flicker.join();
    EXPECT_EQ(to, round + 1);
    EXPECT_SUCCESS(hsa_signal_destroy(brief));
    EXPECT_SUCCESS(hsa_signal_destroy(late));
  }
}

/// Thousands of copies in flight take one thread.
TEST_F(AmdCopies, ManyFromSeveralThreads) {
  constexpr int threads = 3, each = 400;
  const hsa_signal_t start = signal(1), all = signal(threads * each);
  std::vector<int> source(threads * each), target(threads * each);
  std::iota(source.begin(), source.end(), 1);
  std::vector<std::thread> submitters;
  for (int t = 0; t < threads; ++t)
    submitters.emplace_back([&, t] {
      for (int i = t * each; i < (t + 1) * each; ++i)
        EXPECT_SUCCESS(
            hsa_amd_memory_async_copy(&target[i], host_, &source[i], host_, sizeof(int), 1, &start, all));
    });
  for (std::thread& submitter : submitters) submitter.join();
  EXPECT_EQ(hsa_signal_load_scacquire(all), threads * each);
  hsa_signal_store_screlease(start, 0);
  EXPECT_EQ(wait_for(all, 0), 0);
  EXPECT_EQ(target, source);
  expect_idle();
  EXPECT_SUCCESS(hsa_signal_destroy(start));
  EXPECT_SUCCESS(hsa_signal_destroy(all));
}

/// What the runtime needs for a copy is used again for later ones that other threads submit, with other
/// numbers of destinations and dependencies.
TEST_F(AmdCopies, FollowEachOtherInSeveralThreads) {
  constexpr int threads = 4, rounds = 200;
  std::vector<std::thread> submitters;
  for (int t = 0; t < threads; ++t)
    submitters.emplace_back([&, t] {
      const hsa_signal_t completion = signal(0);
      std::vector<hsa_signal_t> dependencies(static_cast<size_t>(20 * t + 1));
      for (hsa_signal_t& dependency : dependencies) dependency = signal(0);
      for (int round = 1; round <= rounds; ++round) {
        const int from = 1000 * t + round;
        std::vector<int> to(static_cast<size_t>((round + t) % 5 + 1));
        std::vector<hsa_location_t> places;
        for (int& place : to) places.push_back({host_, &place});
        hsa_signal_store_screlease(dependencies.back(), round % 2);
        hsa_signal_store_screlease(completion, 2);
        EXPECT_SUCCESS(hsa_memory_copy_multiple(places.size(), sizeof from, places.data(),
                                                {host_, const_cast<int*>(&from)}, nullptr,
                                                dependencies.back(), completion));
        int other = 0;
        EXPECT_SUCCESS(hsa_amd_memory_async_copy(&other, host_, &from, host_, sizeof from,
                                                 static_cast<uint32_t>(dependencies.size()),
                                                 dependencies.data(), completion));
        if (round % 2 != 0) EXPECT_EQ(hsa_signal_load_scacquire(completion), 2);
        hsa_signal_store_screlease(dependencies.back(), 0);
        EXPECT_EQ(wait_for(completion, 0), 0);
        EXPECT_EQ(to, std::vector<int>(to.size(), from));
        EXPECT_EQ(other, from);
      }
      for (const hsa_signal_t dependency : dependencies) EXPECT_SUCCESS(hsa_signal_destroy(dependency));
      EXPECT_SUCCESS(hsa_signal_destroy(completion));
    });
  for (std::thread& submitter : submitters) submitter.join();
  expect_idle();
}

TEST_F(AmdCopies, ErrorsAndCopiesOfNothing) {
  int from = 5, to = 0;
  const hsa_signal_t live = signal(0);
  const hsa_signal_t dead = {8};
  const auto call = [&](void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent,
                        uint32_t count, const hsa_signal_t* dependencies, hsa_signal_t completion) {
    const auto ordinary =
        hsa_amd_memory_async_copy(dst, dst_agent, src, src_agent, sizeof to, count, dependencies, completion);
    const auto on_engine =
        hsa_amd_memory_async_copy_on_engine(dst, dst_agent, src, src_agent, sizeof to, count, dependencies,
                                            completion, HSA_AMD_SDMA_ENGINE_0, true);
    EXPECT_EQ(ordinary, on_engine);
    return ordinary;
  };
  EXPECT_EQ(call(nullptr, host_, &from, host_, 0, nullptr, done_), invalid_argument);
  EXPECT_EQ(call(&to, host_, nullptr, host_, 0, nullptr, done_), invalid_argument);
  EXPECT_EQ(call(&to, {0}, &from, host_, 0, nullptr, done_), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(call(&to, host_, &from, {1}, 0, nullptr, done_), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(call(&to, host_, &from, host_, 0, nullptr, {0}), invalid_argument);
  EXPECT_EQ(call(&to, host_, &from, host_, 0, nullptr, dead), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(call(&to, host_, &from, host_, 1, nullptr, done_), invalid_argument);
  EXPECT_EQ(call(&to, host_, &from, host_, 1, &dead, done_), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_SUCCESS(copy(&to, &from, 0, {live}));
  EXPECT_EQ(copy(&to, &from, 0, {dead}), HSA_STATUS_ERROR_INVALID_SIGNAL);
  expect_idle();
  EXPECT_EQ(hsa_signal_load_scacquire(done_), 1);
  EXPECT_EQ(to, 0);
  EXPECT_SUCCESS(hsa_signal_destroy(live));
}

TEST_F(AmdCopies, Engines) {
  int from = 5, to = 0;
  ASSERT_SUCCESS(hsa_amd_memory_async_copy_on_engine(&to, host_, &from, host_, sizeof to, 0, nullptr, done_,
                                                     HSA_AMD_SDMA_ENGINE_0, false));
  finish();
  EXPECT_EQ(to, 5);
  for (const int engine : {0, 2, 3, 0x8000, 0x10000})
    EXPECT_EQ(hsa_amd_memory_async_copy_on_engine(&to, host_, &from, host_, sizeof to, 0, nullptr, done_,
                                                  static_cast<hsa_amd_sdma_engine_id_t>(engine), false),
              invalid_argument);
  uint32_t engines = 0;
  EXPECT_EQ(hsa_amd_memory_copy_engine_status(kernel_agent_, host_, nullptr), invalid_argument);
  EXPECT_EQ(hsa_amd_memory_copy_engine_status({0}, host_, &engines), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_memory_copy_engine_status(kernel_agent_, {0}, &engines), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_memory_copy_engine_status(host_, host_, &engines), HSA_STATUS_ERROR_INVALID_AGENT);
}

// ---- cuboids ----

/// Copies a cuboid byte by byte.
void model(std::vector<uint8_t>& to, const hsa_pitched_ptr_t& t, hsa_dim3_t t_at,
           const std::vector<uint8_t>& from, const hsa_pitched_ptr_t& f, hsa_dim3_t f_at, hsa_dim3_t range) {
  for (size_t z = 0; z < range.z; ++z)
    for (size_t y = 0; y < range.y; ++y)
      for (size_t x = 0; x < range.x; ++x)
        to[(t_at.z + z) * t.slice + (t_at.y + y) * t.pitch + t_at.x + x] =
            from[(f_at.z + z) * f.slice + (f_at.y + y) * f.pitch + f_at.x + x];
}

TEST_F(AmdCopies, Cuboids) {
  std::vector<uint8_t> source = numbered(40'000);
  const hsa_pitched_ptr_t from{source.data(), 50, 700};
  const struct {
    hsa_dim3_t to, from, range;
    size_t pitch, slice;
  } cases[] = {
      {{0, 0, 0}, {0, 0, 0}, {50, 14, 5}, 50, 700},  // everything
      {{3, 2, 1}, {7, 1, 4}, {13, 5, 3}, 40, 400},   // a part, elsewhere
      {{0, 0, 0}, {49, 13, 9}, {1, 1, 1}, 1, 1},     // one byte
      {{5, 0, 0}, {0, 3, 0}, {45, 4, 1}, 50, 0},     // one layer: no slice is needed
      {{900, 0, 0}, {2, 0, 0}, {48, 1, 1}, 0, 0},    // one row: no pitch is needed
      {{0, 1, 0}, {0, 2, 1}, {50, 6, 2}, 50, 350},   // rows without gaps
  };
  for (const auto& c : cases) {
    std::vector<uint8_t> to(40'000), expected(40'000);
    const hsa_pitched_ptr_t target{to.data(), c.pitch, c.slice};
    for (int direction = hsaHostToHost; direction <= hsaDeviceToDevice; ++direction) {
      ASSERT_SUCCESS(hsa_amd_memory_async_copy_rect(&target, &c.to, &from, &c.from, &c.range, kernel_agent_,
                                                    static_cast<hsa_amd_copy_direction_t>(direction), 0,
                                                    nullptr, done_));
      finish();
    }
    model(expected, target, c.to, source, from, c.from, c.range);
    EXPECT_EQ(to, expected);
  }
}

TEST_F(AmdCopies, CuboidsWaitForDependencies) {
  std::vector<uint8_t> source = numbered(100), to(100);
  const hsa_pitched_ptr_t from{source.data(), 10, 50}, target{to.data(), 10, 50};
  const hsa_dim3_t zero{0, 0, 0}, range{10, 5, 2};
  const hsa_signal_t dependency = signal(1);
  ASSERT_SUCCESS(hsa_amd_memory_async_copy_rect(&target, &zero, &from, &zero, &range, host_, hsaHostToHost, 1,
                                                &dependency, done_));
  EXPECT_EQ(hsa_signal_wait_scacquire(done_, eq, 0, 1'000'000, blocked), 1);
  EXPECT_EQ(to[0], 0);
  hsa_signal_store_screlease(dependency, 0);
  finish();
  EXPECT_EQ(to, source);
  EXPECT_SUCCESS(hsa_signal_destroy(dependency));
}

TEST_F(AmdCopies, ErrorsOfCuboids) {
  std::vector<uint8_t> source(1000), to(1000);
  struct Call {
    hsa_pitched_ptr_t dst, src;
    hsa_dim3_t dst_offset{0, 0, 0}, src_offset{0, 0, 0}, range{4, 3, 2};
    hsa_agent_t agent;
    int direction = hsaHostToDevice;
    uint32_t count = 0;
    const hsa_signal_t* dependencies = nullptr;
    hsa_signal_t completion;
    hsa_status_t make() const {
      return hsa_amd_memory_async_copy_rect(&dst, &dst_offset, &src, &src_offset, &range, agent,
                                            static_cast<hsa_amd_copy_direction_t>(direction), count,
                                            dependencies, completion);
    }
  };
  Call good;
  good.dst = {to.data(), 10, 100};
  good.src = {source.data(), 10, 100};
  good.agent = kernel_agent_;
  good.completion = done_;
  EXPECT_SUCCESS(good.make());
  finish();
  const auto fails = [&](hsa_status_t expected, auto spoil) {
    Call call = good;
    spoil(call);
    EXPECT_EQ(call.make(), expected);
  };
  const hsa_signal_t dead = {8};
  constexpr uint32_t most = UINT32_MAX;
  constexpr size_t huge = std::numeric_limits<size_t>::max() / 2;
  fails(invalid_argument, [](Call& c) { c.dst.base = nullptr; });
  fails(invalid_argument, [](Call& c) { c.src.base = nullptr; });
  fails(invalid_argument, [](Call& c) { c.direction = 4; });
  fails(invalid_argument, [](Call& c) { c.dst.pitch = 3; });
  fails(invalid_argument, [](Call& c) { c.src.pitch = 0; });
  fails(invalid_argument, [](Call& c) { c.src_offset.x = 7; });
  fails(invalid_argument, [](Call& c) { c.dst.slice = 23; });
  fails(invalid_argument, [](Call& c) { c.src.slice = 0; });
  fails(invalid_argument, [](Call& c) { c.dst.pitch = huge; });
  fails(invalid_argument, [](Call& c) { c.src.slice = huge, c.src_offset.z = 1; });
  fails(invalid_argument, [](Call& c) { c.dst.slice = huge, c.dst_offset.z = most, c.range.z = most; });
  fails(invalid_argument, [](Call& c) { c.completion = {0}; });
  fails(invalid_argument, [](Call& c) { c.count = 1; });
  fails(HSA_STATUS_ERROR_INVALID_SIGNAL, [&](Call& c) { c.completion = dead; });
  fails(HSA_STATUS_ERROR_INVALID_SIGNAL, [&](Call& c) { c.count = 1, c.dependencies = &dead; });
  fails(HSA_STATUS_ERROR_INVALID_AGENT, [](Call& c) { c.agent = {0}; });
  fails(HSA_STATUS_SUCCESS, [](Call& c) { c.range.x = 0; });
  fails(HSA_STATUS_SUCCESS, [](Call& c) { c.range.y = 0; });
  fails(HSA_STATUS_SUCCESS, [](Call& c) { c.range.z = 0; });
  const hsa_dim3_t at{0, 0, 0};
  const auto with_null = [&](const hsa_pitched_ptr_t* d, const hsa_dim3_t* d_at, const hsa_pitched_ptr_t* s,
                             const hsa_dim3_t* s_at, const hsa_dim3_t* range) {
    return hsa_amd_memory_async_copy_rect(d, d_at, s, s_at, range, kernel_agent_, hsaHostToHost, 0, nullptr,
                                          done_);
  };
  EXPECT_EQ(with_null(nullptr, &at, &good.src, &at, &good.range), invalid_argument);
  EXPECT_EQ(with_null(&good.dst, nullptr, &good.src, &at, &good.range), invalid_argument);
  EXPECT_EQ(with_null(&good.dst, &at, nullptr, &at, &good.range), invalid_argument);
  EXPECT_EQ(with_null(&good.dst, &at, &good.src, nullptr, &good.range), invalid_argument);
  EXPECT_EQ(with_null(&good.dst, &at, &good.src, &at, nullptr), invalid_argument);
  expect_idle();
  EXPECT_EQ(hsa_signal_load_scacquire(done_), 1);
}

// ---- times ----

uint64_t now() {
  uint64_t ticks = 0;
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &ticks));
  return ticks;
}

TEST_F(AmdCopies, Times) {
  const std::vector<uint8_t> source = numbered(1 << 20);
  std::vector<uint8_t> to(source.size());
  hsa_amd_profiling_async_copy_time_t time{};
  ASSERT_SUCCESS(copy(to.data(), source.data(), to.size()));
  finish();
  EXPECT_EQ(hsa_amd_profiling_get_async_copy_time(done_, &time), HSA_STATUS_ERROR);  // was not asked for
  ASSERT_SUCCESS(hsa_amd_profiling_async_copy_enable(true));
  const hsa_signal_t dependency = signal(1);
  ASSERT_SUCCESS(copy(to.data(), source.data(), to.size(), {dependency}));
  EXPECT_EQ(hsa_signal_wait_scacquire(done_, eq, 0, 1'000'000, blocked), 1);
  const uint64_t before = now();
  hsa_signal_store_screlease(dependency, 0);
  finish();
  const uint64_t after = now();
  ASSERT_SUCCESS(hsa_amd_profiling_get_async_copy_time(done_, &time));
  EXPECT_LE(before, time.start);
  EXPECT_LT(time.start, time.end);
  EXPECT_LE(time.end, after);
  // A copy that is not timed leaves the times as they are.
  ASSERT_SUCCESS(hsa_amd_profiling_async_copy_enable(false));
  ASSERT_SUCCESS(copy(to.data(), source.data(), to.size()));
  finish();
  hsa_amd_profiling_async_copy_time_t later{};
  ASSERT_SUCCESS(hsa_amd_profiling_get_async_copy_time(done_, &later));
  EXPECT_EQ(later.start, time.start);
  EXPECT_EQ(hsa_amd_profiling_get_async_copy_time(done_, nullptr), invalid_argument);
  EXPECT_EQ(hsa_amd_profiling_get_async_copy_time({0}, &time), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_SUCCESS(hsa_signal_destroy(dependency));
}

TEST_F(AmdCopies, TicksOfAgentsAreThoseOfTheSystem) {
  for (hsa_agent_t agent : agents_) {
    uint64_t tick = 0;
    EXPECT_SUCCESS(hsa_amd_profiling_convert_tick_to_system_domain(agent, 123456789, &tick));
    EXPECT_EQ(tick, 123456789u);
    EXPECT_EQ(hsa_amd_profiling_convert_tick_to_system_domain(agent, 1, nullptr), invalid_argument);
  }
  uint64_t tick = 0;
  EXPECT_EQ(hsa_amd_profiling_convert_tick_to_system_domain({0}, 1, &tick), HSA_STATUS_ERROR_INVALID_AGENT);
}

/// The null agent completes barrier packets like any other.
TEST_F(AmdCopies, TimesOfPackets) {
  hsa_queue_t* q = queue();
  ASSERT_SUCCESS(hsa_amd_profiling_set_profiler_enabled(q, 1));
  hsa_amd_profiling_dispatch_time_t time{};
  EXPECT_EQ(hsa_amd_profiling_get_dispatch_time(kernel_agent_, done_, &time), HSA_STATUS_ERROR);
  const uint64_t before = now();
  const uint64_t index = hsa_queue_add_write_index_relaxed(q, 1);
  auto* packet = static_cast<hsa_barrier_and_packet_t*>(q->base_address) + index;
  packet->completion_signal = done_;
  __atomic_store_n(&packet->header,
                   static_cast<uint16_t>(HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE),
                   __ATOMIC_RELEASE);
  hsa_signal_store_screlease(q->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  finish();
  ASSERT_SUCCESS(hsa_amd_profiling_get_dispatch_time(kernel_agent_, done_, &time));
  EXPECT_LE(before, time.start);
  EXPECT_LE(time.start, time.end);
  EXPECT_LE(time.end, now());
  EXPECT_EQ(hsa_amd_profiling_get_dispatch_time(kernel_agent_, done_, nullptr), invalid_argument);
  EXPECT_EQ(hsa_amd_profiling_get_dispatch_time({0}, done_, &time), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_profiling_get_dispatch_time(host_, done_, &time), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_profiling_get_dispatch_time(kernel_agent_, {8}, &time), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_SUCCESS(hsa_amd_profiling_set_profiler_enabled(q, 0));
  EXPECT_EQ(hsa_amd_profiling_set_profiler_enabled(nullptr, 1), invalid_argument);
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  EXPECT_EQ(hsa_amd_profiling_set_profiler_enabled(q, 1), HSA_STATUS_ERROR_INVALID_QUEUE);
}

TEST(AmdCopiesWithoutRuntime, AreRefused) {
  constexpr auto refused = HSA_STATUS_ERROR_NOT_INITIALIZED;
  uint32_t engines = 0;
  uint64_t tick = 0;
  const hsa_pitched_ptr_t memory{};
  const hsa_dim3_t zero{};
  EXPECT_EQ(hsa_amd_memory_async_copy(nullptr, {}, nullptr, {}, 0, 0, nullptr, {}), refused);
  EXPECT_EQ(hsa_amd_memory_async_copy_on_engine(nullptr, {}, nullptr, {}, 0, 0, nullptr, {},
                                                HSA_AMD_SDMA_ENGINE_0, false),
            refused);
  EXPECT_EQ(hsa_amd_memory_copy_engine_status({}, {}, &engines), refused);
  EXPECT_EQ(hsa_amd_memory_async_copy_rect(&memory, &zero, &memory, &zero, &zero, {}, hsaHostToHost, 0,
                                           nullptr, {}),
            refused);
  EXPECT_EQ(hsa_amd_profiling_async_copy_enable(true), refused);
  EXPECT_EQ(hsa_amd_profiling_set_profiler_enabled(nullptr, 1), refused);
  EXPECT_EQ(hsa_amd_profiling_get_async_copy_time({}, nullptr), refused);
  EXPECT_EQ(hsa_amd_profiling_get_dispatch_time({}, {}, nullptr), refused);
  EXPECT_EQ(hsa_amd_profiling_convert_tick_to_system_domain({}, 0, &tick), refused);
}

}  // namespace
}  // namespace heddle::runtime::test
