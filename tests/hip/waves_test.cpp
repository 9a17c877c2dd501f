// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions with masks of lanes, tiles with named parents, copies and assertions, against the host.
#include "waves.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

/// The functions of waves.hip return the last error, which a test before may have left.
class Waves : public testing::Test {
 protected:
  void SetUp() override { static_cast<void>(hipGetLastError()); }
};

/// The bits of the lanes of a wave for which `predicate` holds; its argument is the number of the work-item.
template <typename Predicate>
int lanes(int first, Predicate predicate) {
  unsigned bits = 0;
  for (int lane = 0; lane < 32; ++lane) bits |= predicate(first + lane) ? 1U << lane : 0U;
  return static_cast<int>(bits);
}

void expect_masked(const int* r, int i) {
  const int first = i & ~31;
  EXPECT_EQ(r[0], 3 * (first + 5) + 1);
  EXPECT_EQ(r[1], 3 * (i % 16 < 3 ? i : i - 3) + 1) << i;
  EXPECT_EQ(r[2], 3 * (i % 32 + 7 < 32 ? i + 7 : i) + 1) << i;
  EXPECT_EQ(r[3], 3 * (i ^ 9) + 1) << i;
  EXPECT_EQ(r[4], lanes(first, [](int at) { return at % 3 == 0; }) & 0xff) << i;
  EXPECT_EQ(r[5], 1);
  EXPECT_EQ(r[6], 1);
  EXPECT_EQ(r[7], lanes(first, [i](int at) { return at % 5 == i % 5; })) << i;
  // Only the lanes of the mask may count on its result.
  if (i % 32 < 4) EXPECT_EQ(r[8], 0x10f) << i;
  EXPECT_EQ(r[9], 0) << i;
  EXPECT_EQ(r[10], 16 * first + 120) << i;
  EXPECT_EQ(r[11], 31 << 8) << i;
  EXPECT_EQ(r[12], 5 | first | 5 << 8) << i;
  EXPECT_EQ(r[13], first ^ (first + 1) ^ (first + 2)) << i;
  EXPECT_EQ(r[14], i % 2 == 0 ? 16 : lanes(first, [](int at) { return at % 2 != 0 && at % 3 == 0; })) << i;
  EXPECT_EQ(r[15], -(first + 9) * 1000 + first + 9) << i;
}

TEST_F(Waves, TakeMasksOfLanes) {
  const DeviceMemory<int> output(size_t{64} * masked_results);
  HIP_OK(run_masked(output.data()));
  const auto results = output.values();
  for (int i = 0; i < 64; ++i) expect_masked(&results[static_cast<size_t>(masked_results) * i], i);
}

/// The sum and the number of those of the eight work-items from `first` on that `predicate` holds for.
template <typename Predicate>
std::pair<int, int> sum_of_eight(int first, Predicate predicate) {
  std::pair<int, int> result{0, 0};
  for (int i = first; i < first + 8; ++i)
    if (predicate(i)) result = {result.first + i, result.second + 1};
  return result;
}

void expect_tiles(const int* r, int i) {
  const int eight = i & ~7, wave = i & ~31;
  EXPECT_EQ(r[0], 7 + eight + 1) << i;
  EXPECT_EQ(r[1], 8 + 100 * (i % 32 / 8) + 10000 * 4) << i;
  EXPECT_EQ(r[2], i / 32 + 200) << i;
  EXPECT_EQ(r[3], 8 * eight + 28) << i;
  int least = 64, greatest = -1;
  for (int at = wave; at < wave + 32; ++at) {
    least = std::min(least, at * 11 % 64);
    greatest = std::max(greatest, at * 11 % 64);
  }
  EXPECT_EQ(r[4], least) << i;
  EXPECT_EQ(r[5], greatest) << i;
  EXPECT_EQ(r[6], eight | (eight | 7) << 8) << i;
  EXPECT_EQ(r[7], eight) << i;
  const bool third = i % 3 == 0;
  const auto [sum, count] = sum_of_eight(eight, [third](int at) { return (at % 3 == 0) == third; });
  const int rank =
      sum_of_eight(eight, [third, i](int at) { return (at % 3 == 0) == third && at < i; }).second;
  EXPECT_EQ(r[8], count + 100 * rank) << i;
  EXPECT_EQ(r[9], sum) << i;
}

TEST_F(Waves, HaveTilesThatNameTheirParent) {
  const DeviceMemory<int> output(size_t{64} * tile_results);
  HIP_OK(run_tiles(output.data()));
  const auto results = output.values();
  for (int i = 0; i < 64; ++i) {
    const int* r = &results[static_cast<size_t>(tile_results) * i];
    expect_tiles(r, i);
    const int wave = i & ~31;
    const bool low = i % 32 < 8;
    int parity = 0;
    for (int at = wave + (low ? 1 : 9); at < wave + (low ? 8 : 32); at += 4) parity ^= at;
    EXPECT_EQ(r[10], i % 4 == 1 ? (low ? 2 : 6) : -1) << i;
    EXPECT_EQ(r[11], i % 4 == 1 ? parity : -1) << i;
  }
}

TEST_F(Waves, CopyAndFillMemory) {
  std::vector<unsigned char> bytes(40);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
  const DeviceMemory<unsigned char> input(bytes), output(memory_results);
  HIP_OK(run_memory(output.data(), input.data()));
  std::vector<unsigned char> expected(memory_results, 0xa5);
  std::memcpy(&expected[3], bytes.data(), 40);
  std::memmove(&expected[8], &expected[3], 40);
  std::memmove(expected.data(), &expected[2], 20);
  std::memset(&expected[50], 0, 5);
  EXPECT_EQ(output.values(), expected);
}

TEST_F(Waves, AssertInKernelsAndOnTheHost) {
  const DeviceMemory<int> output(std::vector<int>{0});
  HIP_OK(run_assertions(output.data(), 9));
  EXPECT_EQ(output.values(), std::vector<int>{9});
  EXPECT_EQ(positive_on_host(7), 7);
}

TEST_F(Waves, EndWithAnErrorWhereAnAssertionFails) {
  // The process of the test has threads, so that another one has to start anew.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const DeviceMemory<int> output(std::vector<int>{0});
        // gtest compares standard error, but the runtime writes failed assertions to standard output.
        dup2(STDERR_FILENO, STDOUT_FILENO);
        std::exit(run_assertions(output.data(), -1) == hipSuccess ? 0 : 3);
      },
      testing::ExitedWithCode(3), "positive.*value > 0");
  EXPECT_DEATH(positive_on_host(-1), "value > 0");
}

TEST_F(Waves, EndTheProcessByAbort) {
  const DeviceMemory<int> output(std::vector<int>{0});
  HIP_OK(run_abort(output.data(), 9));
  EXPECT_EQ(output.values(), std::vector<int>{9});
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const DeviceMemory<int> own(std::vector<int>{0});
        dup2(STDERR_FILENO, STDOUT_FILENO);
        static_cast<void>(run_abort(own.data(), -1));
        std::exit(3);
      },
      testing::KilledBySignal(SIGABRT), "before the abort");
}

}  // namespace
}  // namespace heddle::hip_tests
