// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs kernels.cl on the CPU agent and the interpreter, and compares with what the host computes. CTest
// repeats the tests for several lengths of waves; the tests learn the length from the kernels.
#include <gtest/gtest.h>
#include <hsa/hsa_ext_image.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "kernels/device_program.h"

namespace heddle::testing {
namespace {

constexpr unsigned levels[] = {0, 2};

struct Case {
  unsigned agent;  // of kernel_agents()
  unsigned level;
};

/// The program for an agent and a level of optimisation, which all tests share.
DeviceProgram& program(const Case& which) {
  static std::map<std::pair<unsigned, unsigned>, std::unique_ptr<DeviceProgram>> programs;
  auto& entry = programs[{which.agent, which.level}];
  if (!entry)
    entry = std::make_unique<DeviceProgram>(kernel_agents().at(which.agent),
                                            KERNELS "-O" + std::to_string(which.level) + ".brig");
  return *entry;
}

class DeviceLibrary : public ::testing::TestWithParam<Case> {
 protected:
  DeviceProgram& device() { return program(GetParam()); }

  bool run(const char* kernel, const Arguments& arguments, uint64_t grid, uint64_t group) {
    return device().run(kernel, arguments, {{grid, 1, 1}, 1}, {{group, 1, 1}, 1});
  }

  template <typename T>
  Array<T> numbers(size_t size) {
    Array<T> array(device(), size);
    for (size_t i = 0; i < size; ++i)
      array[i] = static_cast<T>(static_cast<int64_t>(i * 37 % 101) - (std::is_signed_v<T> ? 40 : 0));
    return array;
  }

  unsigned wave_size() {
    Array<uint32_t> out(device(), 4);
    EXPECT_TRUE(run("sub_group_sizes", Arguments().add(out.data()), 1, 1));
    return out[2];
  }
};

constexpr uint64_t grids[] = {70, 64, 5};
constexpr uint64_t groups[] = {64, 33, 5};  // with partial groups and waves

TEST_P(DeviceLibrary, KnowsIdsInAllDimensions) {
  const uint64_t grid[3] = {7, 5, 3};
  const uint64_t group[3] = {4, 2, 2};
  const uint64_t items = grid[0] * grid[1] * grid[2];
  for (uint32_t d : {0U, 1U, 2U, 3U, 0xffffffffU}) {
    Array<uint64_t> out(device(), items * 12);
    ASSERT_TRUE(device().run("ids", Arguments().add(out.data()).add(d), {{7, 5, 3}, 3}, {{4, 2, 2}, 3}));
    for (uint64_t i = 0; i < items; ++i) {
      const uint64_t at[3] = {i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1]};
      uint64_t size[3], in_group[3];
      for (int k = 0; k < 3; ++k) {
        size[k] = std::min(group[k], grid[k] - at[k] / group[k] * group[k]);
        in_group[k] = at[k] % group[k];
      }
      const bool real = d < 3;
      const uint64_t linear = in_group[0] + size[0] * (in_group[1] + size[1] * in_group[2]);
      const std::vector<uint64_t> expected = {real ? at[d] : 0,
                                              real ? in_group[d] : 0,
                                              real ? at[d] / group[d] : 0,
                                              real ? grid[d] : 1,
                                              real ? size[d] : 1,
                                              real ? (grid[d] + group[d] - 1) / group[d] : 1,
                                              real ? group[d] : 1,
                                              0,
                                              3,
                                              linear,
                                              1,
                                              linear};
      const uint64_t* const row = out.data() + i * 12;
      ASSERT_EQ(std::vector<uint64_t>(row, row + 12), expected) << "dimension " << d << ", work-item " << i;
    }
  }
}

/// Calls `check` with the first index of each sub-group and the number of its work-items.
void for_sub_groups(uint64_t grid, uint64_t group, unsigned wave,
                    const std::function<void(size_t, size_t)>& check) {
  for (uint64_t first = 0; first < grid; first += group) {
    const uint64_t end = std::min(grid, first + group);
    for (uint64_t start = first; start < end; start += wave)
      check(start, std::min<uint64_t>(wave, end - start));
  }
}

TEST_P(DeviceLibrary, KnowsSubGroups) {
  const unsigned wave = wave_size();
  for (int k = 0; k < 3; ++k) {
    Array<uint32_t> out(device(), grids[k] * 4);
    ASSERT_TRUE(run("sub_group_sizes", Arguments().add(out.data()), grids[k], groups[k]));
    for_sub_groups(grids[k], groups[k], wave, [&](size_t start, size_t size) {
      for (size_t i = start; i < start + size; ++i) {
        EXPECT_EQ(out[i * 4], size);
        EXPECT_EQ(out[i * 4 + 1], size);
        EXPECT_EQ(out[i * 4 + 3], (groups[k] + wave - 1) / wave);
      }
    });
  }
}

TEST_P(DeviceLibrary, ScansSubGroups) {
  const unsigned wave = wave_size();
  for (int k = 0; k < 3; ++k) {
    const auto in = numbers<int>(grids[k]);
    Array<int> out(device(), grids[k] * 10);
    ASSERT_TRUE(run("sub_group_scans", Arguments().add(in.data()).add(out.data()), grids[k], groups[k]));
    for_sub_groups(grids[k], groups[k], wave, [&](size_t start, size_t size) {
      const int* const begin = in.data() + start;
      const int* const end = begin + size;
      int sum = 0, largest = std::numeric_limits<int>::min(), smallest = std::numeric_limits<int>::max();
      for (size_t i = 0; i < size; ++i) {
        largest = std::max(largest, begin[i]);
        const std::vector<int> expected = {sum + begin[i],
                                           sum,
                                           std::accumulate(begin, end, 0),
                                           largest,
                                           smallest,
                                           *std::min_element(begin, end),
                                           end[-1],
                                           std::find(begin, end, 0) != end,
                                           1,
                                           static_cast<int>(i)};
        sum += begin[i];
        smallest = std::min(smallest, begin[i]);
        const int* const row = out.data() + (start + i) * 10;
        ASSERT_EQ(std::vector<int>(row, row + 10), expected) << "work-item " << start + i;
      }
    });
  }
}

/// What the active work-items of one sub-group get.
void check_non_uniform(const Array<int>& in, const Array<int>& out, size_t start, size_t size) {
  std::vector<size_t> active;
  for (size_t i = start; i < start + size; ++i)
    if (in[i] % 3 != 0) active.push_back(i);
  int total = 0, all_bits = 0, positive = 0, sum = 0;
  unsigned product = 1;
  bool above = false, equal = true;
  for (size_t i : active) {
    total += in[i];
    all_bits ^= in[i];
    positive += in[i] > 0;
    equal = equal && in[i] == in[active.front()];
  }
  for (size_t i : active) {
    const size_t cluster = (i - start) / 4;
    int in_cluster = 0;
    for (size_t j : active) in_cluster += (j - start) / 4 == cluster ? in[j] : 0;
    if (size == 1) in_cluster = in[i];
    above = above || in[i] > 30;
    const std::vector<int> expected = {sum + in[i],
                                       sum,
                                       total,
                                       static_cast<int>(product),
                                       all_bits,
                                       in_cluster,
                                       in[active.front()],
                                       i == active.front(),
                                       equal,
                                       positive,
                                       above,
                                       static_cast<int>(i - start)};
    sum += in[i];
    product *= static_cast<unsigned>(in[i]);
    const int* const row = out.data() + i * 12;
    ASSERT_EQ(std::vector<int>(row, row + 12), expected) << "work-item " << i;
  }
}

TEST_P(DeviceLibrary, WorksWithAnyActiveLanes) {
  const unsigned wave = wave_size();
  for (int k = 0; k < 3; ++k) {
    const auto in = numbers<int>(grids[k]);
    Array<int> out(device(), grids[k] * 12);
    ASSERT_TRUE(run("non_uniform", Arguments().add(in.data()).add(out.data()), grids[k], groups[k]));
    for_sub_groups(grids[k], groups[k], wave, [&](size_t start, size_t size) {
      check_non_uniform(in, out, start, std::min<size_t>(size, wave));
    });
  }
}

TEST_P(DeviceLibrary, ExchangesValues) {
  const unsigned wave = wave_size();
  const auto in = numbers<double>(70);
  Array<double> out(device(), 70 * 6);
  ASSERT_TRUE(run("shuffles", Arguments().add(in.data()).add(out.data()), 70, 64));
  for_sub_groups(70, 64, wave, [&](size_t start, size_t size) {
    for (size_t lane = 0; lane < size; ++lane) {
      const double* const row = out.data() + (start + lane) * 6;
      const auto value = [&](size_t other) { return in[start + other]; };
      EXPECT_EQ(row[0], value(size - 1 - lane));
      if ((lane ^ 1) < size) EXPECT_EQ(row[1], value(lane ^ 1));
      if (lane >= 1) EXPECT_EQ(row[2], value(lane - 1));
      if (lane + 1 < size) EXPECT_EQ(row[3], value(lane + 1));
      if ((lane + 1) % wave < size) EXPECT_EQ(row[4], value((lane + 1) % wave));
      EXPECT_EQ(row[5], value(0));
    }
  });
}

TEST_P(DeviceLibrary, CountsBallots) {
  const unsigned wave = wave_size();
  if (wave > 128) GTEST_SKIP() << "ballots have 128 bits";
  const uint32_t threshold = wave > 2 ? 2 : 0;
  Array<uint32_t> out(device(), 70 * 10);
  ASSERT_TRUE(run("ballots", Arguments().add(out.data()).add(threshold), 70, 64));
  for_sub_groups(70, 64, wave, [&](size_t start, size_t size) {
    const auto lanes = static_cast<uint32_t>(size);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      const uint32_t* const row = out.data() + (start + lane) * 10;
      const auto before = [&](uint32_t end) { return end > threshold ? end - threshold : 0; };
      EXPECT_EQ(row[0], lane >= threshold);
      EXPECT_EQ(row[1], before(lanes));
      EXPECT_EQ(row[2], before(lane + 1));
      EXPECT_EQ(row[3], before(lane));
      if (lanes > threshold) EXPECT_EQ(row[4], threshold);
      if (lanes > threshold) EXPECT_EQ(row[5], lanes - 1);
      EXPECT_EQ(row[6], lane);
      EXPECT_EQ(row[7], lanes - lane);
      EXPECT_EQ(row[8], 1U);
      EXPECT_EQ(row[9], lanes);
    }
  });
}

/// Checks all rows of one group, whose work-items are at `indices` in the order of their IDs.
template <typename T>
void check_group(const Array<T>& in, const Array<T>& out, const std::vector<size_t>& indices) {
  T total{}, least = std::numeric_limits<T>::max();
  bool any = false;
  for (size_t i : indices) {
    total += in[i];
    least = std::min(least, in[i]);
    any = any || in[i] == 1;
  }
  T sum{}, largest = std::numeric_limits<T>::lowest();
  T smallest = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                    : std::numeric_limits<T>::max();
  for (size_t i : indices) {
    largest = std::max(largest, in[i]);
    // Unsigned numbers are never above -40, which is large among them.
    const T votes =
        static_cast<T>((any ? 1 : 0) + (std::is_signed_v<T> && least > static_cast<T>(-40) ? 2 : 0));
    const std::vector<T> expected = {static_cast<T>(sum + in[i]), sum,  total, largest, smallest, least,
                                     in[indices.back()],          votes};
    sum += in[i];
    smallest = std::min(smallest, in[i]);
    const T* const row = out.data() + i * 8;
    ASSERT_EQ(std::vector<T>(row, row + 8), expected) << "work-item " << i;
  }
}

template <typename T>
void check_group_scans(DeviceProgram& device, const char* kernel, const Array<T>& in, tools::Extent grid,
                       tools::Extent group) {
  const size_t width = grid.size[0];
  Array<T> out(device, in.size() * 8);
  ASSERT_TRUE(device.run(kernel, Arguments().add(in.data()).add(out.data()), grid, group));
  for (size_t y = 0; y < grid.size[1]; y += group.size[1]) {
    for (size_t x = 0; x < width; x += group.size[0]) {
      std::vector<size_t> indices;
      for (size_t j = y; j < std::min<size_t>(grid.size[1], y + group.size[1]); ++j)
        for (size_t i = x; i < std::min<size_t>(width, x + group.size[0]); ++i)
          indices.push_back(j * width + i);
      check_group(in, out, indices);
    }
  }
}

TEST_P(DeviceLibrary, ScansWorkGroups) {
  const tools::Extent shapes[][2] = {{{{70, 3, 1}, 2}, {{16, 2, 1}, 2}},
                                     {{{130, 1, 1}, 1}, {{130, 1, 1}, 1}},
                                     {{{3, 1, 1}, 1}, {{1, 1, 1}, 1}}};
  for (const auto& [grid, group] : shapes) {
    const size_t items = grid.size[0] * grid.size[1];
    check_group_scans(device(), "group_scans_int", numbers<int>(items), grid, group);
    check_group_scans(device(), "group_scans_ulong", numbers<uint64_t>(items), grid, group);
    check_group_scans(device(), "group_scans_float", numbers<float>(items), grid, group);
    check_group_scans(device(), "group_scans_double", numbers<double>(items), grid, group);
  }
}

/// With as many waves as work-items, the waves take turns with the slots in group memory.
TEST_P(DeviceLibrary, ScansWorkGroupsOfAllSizes) {
  for (const uint64_t size : {256U, 257U, 1024U})
    check_group_scans(device(), "group_scans_int", numbers<int>(size), {{size, 1, 1}, 1}, {{size, 1, 1}, 1});
}

TEST_P(DeviceLibrary, MeetsAtBarriers) {
  Array<int> out(device(), 200);
  ASSERT_TRUE(run("barriers", Arguments().add(out.data()).add(uint32_t{0}), 200, 100));
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(out[static_cast<size_t>(i)], i / 100 * 100 + (i % 100 + 5) % 100 + 5);
}

TEST_P(DeviceLibrary, OrdersMemoryByFences) {
  Array<int> data(device(), 1), flag(device(), 1), out(device(), 8);
  ASSERT_TRUE(run("fences", Arguments().add(data.data()).add(flag.data()).add(out.data()), 256, 32));
  for (size_t group = 1; group < 8; ++group) EXPECT_EQ(out[group], 42);
}

TEST_P(DeviceLibrary, CopiesAsynchronously) {
  const auto in = numbers<float>(100);
  Array<float> out(device(), 304);
  ASSERT_TRUE(run("copies", Arguments().add(in.data()).add(out.data()), 60, 30));
  for (size_t group = 0; group < 2; ++group) {
    for (size_t i = 0; i < 100; ++i) EXPECT_EQ(out[group * 152 + i], in[i] * 2);
    for (size_t i = 0; i < 48; ++i) EXPECT_EQ(out[group * 152 + 100 + i], in[i / 4 * 8 + i % 4]);
  }
}

TEST_P(DeviceLibrary, CountsByAtomics) {
  Array<int> counter(device(), 1), out(device(), 500), taken(device(), 1);
  Array<float> sum(device(), 1);
  Array<uint32_t> maximum(device(), 1);
  Array<uint64_t> address(device(), 1, 1000);
  const Arguments arguments = Arguments()
                                  .add(counter.data())
                                  .add(sum.data())
                                  .add(maximum.data())
                                  .add(address.data())
                                  .add(out.data())
                                  .add(taken.data());
  ASSERT_TRUE(run("atomics", arguments, 500, 64));
  EXPECT_EQ(counter[0], 1500);
  EXPECT_EQ(sum[0], 250.0F);
  EXPECT_EQ(maximum[0], 499U);
  EXPECT_EQ(address[0], 500U);
  EXPECT_EQ(std::accumulate(out.data(), out.data() + 500, 0), 1);
  ASSERT_GT(taken[0], 0);
  EXPECT_EQ(out[static_cast<size_t>(taken[0]) - 1], 1);
}

uint32_t reversed(uint32_t value, unsigned bits) {
  uint32_t result = 0;
  for (unsigned i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

uint32_t byte_of(uint32_t value, unsigned i) { return value >> (8 * i) & 0xff; }

TEST_P(DeviceLibrary, ComputesIntegers) {
  Array<uint32_t> out(device(), 100 * 12);
  ASSERT_TRUE(run("integers", Arguments().add(out.data()), 100, 50));
  for (uint32_t i = 0; i < 100; ++i) {
    const uint32_t spread = i * 0x01010101U;
    const uint32_t bytes = i * 0x01030507U;
    const uint32_t field = spread >> 5 & 0x1ff;
    uint32_t dot = 0, sad = 5;
    int64_t exact = 0x7fffff00;
    for (unsigned k = 0; k < 4; ++k) {
      dot += byte_of(bytes, k) * byte_of(0x04030201U, k);
      exact += static_cast<int8_t>(byte_of(bytes, k)) * 0x7f;
      sad += static_cast<uint32_t>(
          std::abs(static_cast<int>(byte_of(bytes, k)) - static_cast<int>(byte_of(0x10203040U, k))));
    }
    const uint32_t lerp = ((i + 3 + 1) >> 1) * 0x01010101U;
    const std::vector<uint32_t> expected = {(spread & ~0xff0U) | 0x5a0U,
                                            field,
                                            static_cast<uint32_t>(static_cast<int32_t>(field << 23) >> 23),
                                            reversed(spread, 32),
                                            dot,
                                            static_cast<uint32_t>(std::min<int64_t>(exact, 0x7fffffff)),
                                            static_cast<uint32_t>((uint64_t{i} << 32 | 0x12345678U) >> 8),
                                            sad,
                                            0xff000000U | (i % 2 == 0 ? i : i + 1) << 8 | i,
                                            lerp,
                                            reversed(i, 16),
                                            (i & 7) << 2};
    const uint32_t* const row = out.data() + i * 12;
    ASSERT_EQ(std::vector<uint32_t>(row, row + 12), expected) << i;
  }
}

TEST_P(DeviceLibrary, TellsAddressSpacesApart) {
  Array<int> out(device(), 12);
  ASSERT_TRUE(run("address_spaces", Arguments().add(out.data()), 1, 1));
  constexpr int local_fence = 1, global_fence = 2;
  const std::vector<int> expected = {1, 0, 0, global_fence, 0, 1, 0, local_fence, 0, 0, 1, global_fence};
  EXPECT_EQ(std::vector<int>(out.data(), out.data() + 12), expected);
}

TEST_P(DeviceLibrary, ComputesNativeFunctions) {
  Array<float> in(device(), 50), out(device(), 50 * 8);
  for (size_t i = 0; i < 50; ++i) in[i] = 0.1F + 0.05F * static_cast<float>(i);
  ASSERT_TRUE(run("native_functions", Arguments().add(in.data()).add(out.data()), 50, 25));
  for (size_t i = 0; i < 50; ++i) {
    const float x = in[i];
    const float expected[] = {std::sin(x),  std::cos(x), std::exp(x),       std::log(x),
                              std::sqrt(x), 1 / x,       std::pow(x, 1.5F), std::exp(x)};
    for (size_t k = 0; k < 8; ++k)
      EXPECT_NEAR(out[i * 8 + k], expected[k], 1e-4F * std::max(1.0F, std::abs(expected[k]))) << k;
  }
}

TEST_P(DeviceLibrary, Prints) {
  ASSERT_TRUE(device().is_loaded());
  const PrintedText printed(device(), 1 << 16);
  ASSERT_TRUE(run("prints", Arguments().add(int32_t{3}), 20, 10));
  const PrintfText result = printed.text();
  EXPECT_EQ(result.malformed, 0U);
  EXPECT_EQ(printed.lost(), 0U);
  for (int i = 0; i < 20; ++i) {
    const std::string line =
        "item " + std::to_string(i) + ": " + std::to_string(i * 3.0) + ",0.500000,-1.000000,2.000000 text\n";
    EXPECT_NE(result.text.find(line), std::string::npos) << line << result.text;
  }
  EXPECT_EQ(std::ranges::count(result.text, '\n'), 20);
}

/// What does not fit is counted, and nothing is written behind the buffer.
TEST_P(DeviceLibrary, CountsLostOutput) {
  ASSERT_TRUE(device().is_loaded());
  // A record has its size, the number of the format, an int, a vector and a string.
  constexpr uint32_t record = 4 + 4 + 4 + 16 + 8;
  const PrintedText printed(device(), 3 * record + record / 2);
  ASSERT_TRUE(run("prints", Arguments().add(int32_t{1}), 20, 10));
  EXPECT_EQ(std::ranges::count(printed.text().text, '\n'), 3);
  EXPECT_EQ(printed.text().malformed, 0U);
  EXPECT_EQ(printed.lost(), 17U);
  EXPECT_TRUE(printed.is_intact());
}

/// An image of 4x3 elements of four f32 in memory of the runtime.
class Image {
 public:
  Image(const DeviceProgram& program, hsa_access_permission_t access) : agent_(program.agent().handle) {
    const hsa_ext_image_descriptor_t shape = {
        HSA_EXT_IMAGE_GEOMETRY_2D,
        4,
        3,
        1,
        0,
        {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA}};
    hsa_ext_image_data_info_t info{};
    EXPECT_EQ(hsa_ext_image_data_get_info(agent_, &shape, access, &info), HSA_STATUS_SUCCESS);
    memory_ = std::make_unique<tools::Memory>(*tools::Memory::allocate(program.agent().memory, info.size));
    EXPECT_EQ(hsa_ext_image_create(agent_, &shape, memory_->address(), access, &image_), HSA_STATUS_SUCCESS);
  }
  ~Image() { hsa_ext_image_destroy(agent_, image_); }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  hsa_ext_image_t handle() const { return image_; }
  void write(const float* from) {
    EXPECT_EQ(hsa_ext_image_import(agent_, from, 0, 0, image_, &whole), HSA_STATUS_SUCCESS);
  }
  void read(float* to) {
    EXPECT_EQ(hsa_ext_image_export(agent_, image_, to, 0, 0, &whole), HSA_STATUS_SUCCESS);
  }

 private:
  static constexpr hsa_ext_image_region_t whole = {{0, 0, 0}, {4, 3, 1}};
  hsa_agent_t agent_;
  hsa_ext_image_t image_{};
  std::unique_ptr<tools::Memory> memory_;
};

TEST_P(DeviceLibrary, ReadsAndWritesImages) {
  float texels[12][4];
  for (int i = 0; i < 12; ++i)
    for (int k = 0; k < 4; ++k) texels[i][k] = static_cast<float>(i * 10 + k);
  Image in(device(), HSA_ACCESS_PERMISSION_RO), out(device(), HSA_ACCESS_PERMISSION_WO);
  in.write(texels[0]);
  hsa_ext_sampler_t sampler{};
  const hsa_ext_sampler_descriptor_t repeat = {HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                               HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
                                               HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT};
  ASSERT_EQ(hsa_ext_sampler_create(device().agent().handle, &repeat, &sampler), HSA_STATUS_SUCCESS);
  Array<std::array<float, 4>> results(device(), 48);
  Array<int> sizes(device(), 4);
  const Arguments arguments =
      Arguments().add(in.handle()).add(sampler).add(out.handle()).add(results.data()).add(sizes.data());
  ASSERT_TRUE(device().run("images", arguments, {{4, 3, 1}, 2}, {{4, 3, 1}, 2}));
  float written[12][4];
  out.read(written[0]);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 4; ++x) {
      const int i = y * 4 + x;
      const auto texel = [&](int column, int row) {
        return texels[std::min(row, 2) * 4 + std::min(column, 3)];
      };
      for (size_t k = 0; k < 4; ++k) {
        const auto result = [&](int kind) {
          return results[static_cast<size_t>(i) * 4 + static_cast<size_t>(kind)][k];
        };
        EXPECT_EQ(result(0), texels[i][k]);
        EXPECT_EQ(result(1), x == 0 || y == 0 ? 0 : texel(x - 1, y - 1)[k]);
        const float mean =
            (texel(x, y)[k] + texel(x + 1, y)[k] + texel(x, y + 1)[k] + texel(x + 1, y + 1)[k]) / 4;
        EXPECT_FLOAT_EQ(result(2), mean);
        EXPECT_EQ(result(3), texels[i][k]);
        EXPECT_EQ(written[i][k], texels[i][k] / 2);
      }
    }
  }
  EXPECT_EQ(std::vector<int>(sizes.data(), sizes.data() + 4), (std::vector<int>{4, 3, 1, 1}));
  hsa_ext_sampler_destroy(device().agent().handle, sampler);
}

template <typename T>
int64_t saturated(int64_t a, int64_t b, int64_t c) {
  const __int128 exact = static_cast<__int128>(static_cast<T>(a)) * static_cast<T>(b) + static_cast<T>(c);
  return static_cast<int64_t>(
      std::clamp<__int128>(exact, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

TEST_P(DeviceLibrary, SaturatesWhereLibclcDoesNot) {
  constexpr int64_t edges[] = {0,
                               1,
                               -1,
                               7,
                               -2147483648,
                               2147483647,
                               0x561d8ee9,
                               -0x123456789abcdef,
                               std::numeric_limits<int64_t>::min(),
                               std::numeric_limits<int64_t>::max()};
  std::vector<int64_t> given;
  for (const int64_t a : edges)
    for (const int64_t b : edges)
      for (const int64_t c : edges) given.insert(given.end(), {a, b, c});
  const uint64_t items = given.size() / 3;
  Array<int64_t> in(device(), given.size()), out(device(), items * 6);
  std::ranges::copy(given, in.data());
  ASSERT_TRUE(run("saturation", Arguments().add(in.data()).add(out.data()), items, 64));
  for (uint64_t i = 0; i < items; ++i) {
    const int64_t a = in[i * 3], b = in[i * 3 + 1], c = in[i * 3 + 2];
    const int64_t* const row = out.data() + i * 6;
    const std::vector<int64_t> expected = {saturated<int64_t>(a, b, c),
                                           saturated<int32_t>(a, b, c),
                                           saturated<int64_t>(0, a, b),
                                           saturated<int64_t>(b, c, a),
                                           0,
                                           0};
    ASSERT_EQ((std::vector<int64_t>(row, row + 6)), expected) << a << " * " << b << " + " << c;
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (unsigned agent : {0U, 1U})
    for (unsigned level : levels) all.push_back({agent, level});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Agents, DeviceLibrary, ::testing::ValuesIn(cases()), [](const auto& info) {
  return std::string(info.param.agent == 0 ? "cpu" : "interpreter") + "O" + std::to_string(info.param.level);
});

}  // namespace
}  // namespace heddle::testing
