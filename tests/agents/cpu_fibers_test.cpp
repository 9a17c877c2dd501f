// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose wavefronts run as fibers: barriers, and wavefronts that wait for each other, on any number of
// threads.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "cpu_fixture.h"

namespace heddle::cpu::test {
namespace {

using namespace std::chrono_literals;

TEST_F(CpuTest, BarriersSeparatePhases) {
  struct Arguments {
    std::vector<uint32_t> sums = std::vector<uint32_t>(40);
    std::atomic<int> wrong{0};
  } arguments;
  // Each wave writes its word of group memory and then reads its neighbour's word. This happens three times,
  // so that the barrier is reused.
  const auto kernel = waves([](Worker* worker, uint32_t item) {
    auto& a = argument<Arguments>(worker);
    auto* memory = reinterpret_cast<volatile uint32_t*>(worker->group_base);
    const uint32_t size = worker->current_group_size[0];
    uint32_t sum = 0;
    for (uint32_t round = 1; round <= 3; ++round) {
      memory[item] = round * 1000 + item;
      barrier(worker);
      const uint32_t neighbour = (item + 1) % size;
      if (memory[neighbour] != round * 1000 + neighbour) ++a.wrong;
      sum += memory[neighbour];
      barrier(worker);
    }
    if (item == 0) a.sums[flat_group(worker)] = sum;
  });
  start();
  Signal done;
  auto packet = dispatch(kernel, 40 * 128 - 28, 128, &done);  // the last group is partial: 100 work-items
  packet.kernarg_address = &arguments;
  packet.group_segment_size = 512;
  queue.submit(packet);
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(arguments.wrong, 0);
  for (uint32_t sum : arguments.sums) EXPECT_EQ(sum, 6003u);
}

TEST_F(CpuTest, WavesRunInOrderBetweenBarriers) {
  struct Arguments {
    std::vector<uint32_t> order;
  } arguments;
  const auto kernel = waves([](Worker* worker, uint32_t item) {
    auto& a = argument<Arguments>(worker);
    a.order.push_back(item);
    barrier(worker);
    if (item != 4)
      a.order.push_back(100 + item);  // the last wave to arrive goes on first, the others follow in order
    barrier(worker);
  });
  start(0);
  ASSERT_TRUE(run(kernel, 5, 5, arguments));
  EXPECT_EQ(arguments.order, (std::vector<uint32_t>{0, 1, 2, 3, 4, 100, 101, 102, 103}));
}

TEST_F(CpuTest, GroupsOfSeveralDimensionsAndWavesOfSeveralWorkItems) {
  struct Arguments {
    std::mutex mutex;
    std::vector<std::array<uint32_t, 7>> waves;
  } arguments;
  const auto kernel = waves(
      [](Worker* worker, uint32_t item) {
        auto& a = argument<Arguments>(worker);
        std::lock_guard lock(a.mutex);
        a.waves.push_back({worker->group_id[0], worker->group_id[1], worker->group_id[2],
                           worker->current_group_size[0], worker->current_group_size[1],
                           worker->current_group_size[2], item});
      },
      4);
  start(0);
  Signal done;
  auto packet = dispatch(kernel, 5, 3, &done);
  packet.setup = 3;
  packet.grid_size_y = 2;
  packet.workgroup_size_y = 2;
  packet.grid_size_z = 2;
  packet.workgroup_size_z = 1;
  packet.kernarg_address = &arguments;
  queue.submit(packet);
  ASSERT_TRUE(done.becomes(0));
  // Groups of 3x2x1 = 6 work-items (2 waves) and partial ones of 2x2x1 = 4 (1 wave), for each of two z.
  const std::vector<std::array<uint32_t, 7>> expected = {{0, 0, 0, 3, 2, 1, 0}, {0, 0, 0, 3, 2, 1, 4},
                                                         {1, 0, 0, 2, 2, 1, 0}, {0, 0, 1, 3, 2, 1, 0},
                                                         {0, 0, 1, 3, 2, 1, 4}, {1, 0, 1, 2, 2, 1, 0}};
  EXPECT_EQ(arguments.waves, expected);
}

TEST_F(CpuTest, EachWaveHasItsOwnPrivateMemory) {
  struct Arguments {
    std::atomic<int> wrong{0};
  } arguments;
  const auto kernel = waves([](Worker* worker, uint32_t item) {
    auto* memory = reinterpret_cast<volatile uint8_t*>(worker->private_base);
    for (uint32_t i = 0; i < worker->dispatch->private_size; ++i) memory[i] = static_cast<uint8_t>(item);
    barrier(worker);
    for (uint32_t i = 0; i < worker->dispatch->private_size; ++i)
      if (memory[i] != static_cast<uint8_t>(item)) ++argument<Arguments>(worker).wrong;
  });
  start();
  Signal done;
  auto packet = dispatch(kernel, 512, 256, &done);
  packet.private_segment_size = 300;
  packet.kernarg_address = &arguments;
  queue.submit(packet);
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(arguments.wrong, 0);
}

struct Flags {
  std::atomic<uint32_t> word[64] = {};
};

TEST_F(CpuTest, AnEarlierWaveMayWaitForALaterOne) {
  const auto kernel = waves([](Worker* worker, uint32_t item) {
    auto& flags = argument<Flags>(worker);
    if (item == 63) {
      for (uint32_t i = 63; i > 0; --i) flags.word[i] = 1;
      return;
    }
    while (flags.word[item + 1] == 0) yield(worker);
  });
  start(0);
  Flags flags;
  EXPECT_TRUE(run(kernel, 64, 64, flags));
}

TEST_F(CpuTest, GroupsThatSpinOnEachOtherAdvanceOnOneThread) {
  // A ring: each group waits for its successor, and the last group sets its flag first.
  const auto kernel = waves([](Worker* worker, uint32_t) {
    auto& flags = argument<Flags>(worker);
    const uint32_t group = worker->group_id[0];
    if (group == 3) flags.word[3] = 1;
    while (flags.word[(group + 1) % 4] == 0 && flags.word[3] == 0) yield(worker);
    while (group != 3 && flags.word[group + 1] == 0) yield(worker);
    flags.word[group] = 1;
  });
  start(0);
  for (int i = 0; i < 20; ++i) {
    Flags flags;
    ASSERT_TRUE(run(kernel, 4 * 8, 8, flags)) << i;
  }
}

TEST_F(CpuTest, GroupsThatSpinOnEachOtherAdvanceOnFewThreads) {
  const auto kernel = waves([](Worker* worker, uint32_t item) {
    auto& flags = argument<Flags>(worker);
    const uint32_t group = worker->group_id[0];
    // Neighbouring groups wait for each other in turn, many times, with a barrier of the group in each round.
    for (uint32_t round = 1; round <= 50; ++round) {
      if (item == 0) {
        ++flags.word[group];
        while (flags.word[group ^ 1] < round) yield(worker);
      }
      barrier(worker);
    }
  });
  start(1);
  for (int i = 0; i < 5; ++i) {
    Flags flags;
    ASSERT_TRUE(run(kernel, 8 * 4, 4, flags)) << i;
    for (int g = 0; g < 8; ++g) EXPECT_EQ(flags.word[g], 50u);
  }
}

// Hardware holds all groups of a grid that fits, and programs rely on it without a cooperative launch.
TEST_F(CpuTest, GroupsOfAGridThatFitsAllWaitForTheLastOne) {
  struct Arguments {
    std::vector<std::atomic<uint32_t>> words = std::vector<std::atomic<uint32_t>>(1000);
  } arguments;
  const auto kernel = waves([](Worker* worker, uint32_t) {
    auto& words = argument<Arguments>(worker).words;
    const uint32_t group = worker->group_id[0];
    while (group + 1 < words.size() && words[group + 1] == 0) yield(worker);
    words[group] = 1;
  });
  start(0);
  ASSERT_TRUE(run(kernel, 1000, 1, arguments));
  for (const auto& word : arguments.words) EXPECT_EQ(word, 1u);
}

// The first group never stands still: its waves meet at barriers while they wait.
TEST_F(CpuTest, AGroupThatMeetsAtBarriersMayWaitForALaterOne) {
  const auto kernel = waves([](Worker* worker, uint32_t) {
    auto& flags = argument<Flags>(worker);
    if (worker->group_id[0] != 0) {
      flags.word[0] = 1;
      return;
    }
    while (true) {
      const bool is_over = flags.word[0] != 0;
      barrier(worker);
      if (is_over) break;
      yield(worker);
    }
  });
  start(0);
  Flags flags;
  ASSERT_TRUE(run(kernel, 2, 1, flags));
}

/// How many groups are in progress, and the largest number of them.
struct Progress {
  std::atomic<uint32_t> now{0}, most{0}, ended{0};

  void begin() { most = std::max<uint32_t>(most, ++now); }
  void end() {
    --now;
    ++ended;
  }
};

// Waves that only meet at barriers wait for nobody else, however often they do.
TEST_F(CpuTest, GroupsThatOnlyMeetAtBarriersRunOneAfterTheOther) {
  const auto kernel = waves([](Worker* worker, uint32_t item) {
    auto& progress = argument<Progress>(worker);
    if (item == 0) progress.begin();
    for (int i = 0; i < 5000; ++i) barrier(worker);
    if (item == 0) progress.end();
  });
  start(0);
  Progress progress;
  ASSERT_TRUE(run(kernel, 4 * 2, 2, progress));
  EXPECT_EQ(progress.ended, 4u);
  EXPECT_EQ(progress.most, 1u);
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
/// Lets this process have only little more memory than it has, as long as the object exists.
class LittleMemory {
 public:
  explicit LittleMemory(size_t more) {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    EXPECT_EQ(getrlimit(RLIMIT_AS, &before_), 0);
    const rlimit now{pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + more, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_AS, &now), 0);
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  rlimit before_{};
};

// A thread starts further groups beside waves that do not advance, if there is memory for them.
TEST_F(CpuTest, GroupsWithoutMemoryBesideOthersWaitForTheirEnd) {
  const auto kernel = waves([](Worker* worker, uint32_t item) {
    auto& progress = argument<Progress>(worker);
    if (item == 0) progress.begin();
    for (int i = 0; i < 50; ++i) yield(worker);
    if (item == 0) progress.end();
  });
  start(0);
  Progress progress;
  const auto run_groups = [&](uint32_t count) {
    Signal done;
    auto packet = dispatch(kernel, count * 64, 64, &done);
    packet.kernarg_address = &progress;
    packet.private_segment_size = (1 << 20) - 64;
    queue.submit(packet);
    return done.becomes(0);
  };
  ASSERT_TRUE(run_groups(1));  // its memory is kept
  {
    const LittleMemory little(size_t{16} << 20);
    ASSERT_TRUE(run_groups(4));
  }
  EXPECT_EQ(progress.ended, 5u);
  EXPECT_EQ(progress.most, 1u);
  ASSERT_TRUE(run_groups(4));
  EXPECT_EQ(progress.most, 4u) << "there was memory, so that the test says something";
}
#endif

TEST_F(CpuTest, ARangeThatYieldsLetsOtherPacketsOfTheQueueRun) {
  const auto waiter = ranges([](Worker* worker, uint64_t, uint64_t) {
    while (argument<Flags>(worker).word[0] == 0) yield(worker);
  });
  const auto opener = ranges([](Worker* worker, uint64_t, uint64_t) { argument<Flags>(worker).word[0] = 1; });
  start(1);
  Flags flags;
  Signal done(2);
  for (auto kernel : {waiter, opener}) {
    auto packet = dispatch(kernel, 1, 1, &done);
    packet.kernarg_address = &flags;
    queue.submit(packet);
  }
  EXPECT_TRUE(done.becomes(0));
}

TEST_F(CpuTest, ABarrierThatCannotOpenIsAnError) {
  const auto kernel = waves([](Worker* worker, uint32_t item) {
    if (item != 2) barrier(worker);
  });
  start(0);
  int nothing = 0;
  Signal done;
  auto packet = dispatch(kernel, 4, 4, &done);
  packet.kernarg_address = &nothing;
  queue.submit(packet);
  const auto e = error();
  EXPECT_EQ(e.status, HSA_STATUS_ERROR);
  EXPECT_NE(e.message.find("barrier"), std::string::npos) << e.message;
  EXPECT_NE(e.message.find("&kernel"), std::string::npos) << e.message;
  EXPECT_EQ(done.load(), 1);
}

TEST_F(CpuTest, ABarrierNeedNotWaitForWavesThatHaveEnded) {
  struct Arguments {
    std::vector<uint32_t> rounds, order;
  };
  const auto order_of = [this](std::vector<uint32_t> rounds) {
    auto kernel = std::make_shared<Kernel>();
    kernel->wave_entry = [](Worker* worker, uint32_t item) {
      auto& a = argument<Arguments>(worker);
      for (uint32_t round = 0; round < a.rounds[item]; ++round) {
        a.order.push_back(10 * round + item);
        barrier(worker);
      }
      a.order.push_back(100 + item);
    };
    kernel->needs_fibers = true;
    kernel->info.flags = codeobject::kernel_early_return;
    Arguments arguments{std::move(rounds), {}};
    EXPECT_TRUE(run(add(std::move(kernel)), 4, 4, arguments));
    return arguments.order;
  };
  using Order = std::vector<uint32_t>;
  start(0);
  // The last wave that a barrier waits for arrives, and goes on at once.
  EXPECT_EQ(order_of({0, 1, 2, 3}), (Order{100, 1, 2, 3, 13, 101, 12, 102, 23, 103}));
  // It ends instead.
  EXPECT_EQ(order_of({3, 2, 1, 0}), (Order{0, 1, 2, 103, 10, 11, 102, 20, 101, 100}));
}

TEST_F(CpuTest, RegistersSurviveSwitches) {
  struct Arguments {
    std::atomic<int> wrong{0};
  } arguments;
  const auto kernel = waves([](Worker* worker, uint32_t item) {
    // More live values than there are registers, integer and floating-point.
    uint64_t a[12];
    double b[12];
    for (uint32_t i = 0; i < 12; ++i) a[i] = item * 31 + i, b[i] = item + i * 0.5;
    for (int round = 0; round < 20; ++round) {
      barrier(worker);
      for (uint32_t i = 0; i < 12; ++i) a[i] += i, b[i] += 0.25;
    }
    for (uint32_t i = 0; i < 12; ++i)
      if (a[i] != item * 31 + i + 20 * i || b[i] != item + i * 0.5 + 5.0) ++argument<Arguments>(worker).wrong;
  });
  start();
  ASSERT_TRUE(run(kernel, 256, 64, arguments));
  EXPECT_EQ(arguments.wrong, 0);
}

TEST_F(CpuTest, TheLargestGroupRuns) {
  Flags flags;
  const auto kernel = waves([](Worker* worker, uint32_t) {
    ++argument<Flags>(worker).word[0];
    barrier(worker);
    if (argument<Flags>(worker).word[0] % 1024 != 0) ++argument<Flags>(worker).word[1];
    barrier(worker);
  });
  start(0);
  ASSERT_TRUE(run(kernel, 4096, 1024, flags));
  EXPECT_EQ(flags.word[0], 4096u);
  EXPECT_EQ(flags.word[1], 0u);
}

}  // namespace
}  // namespace heddle::cpu::test
