// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs amdgcn.cl on the CPU agent and the interpreter, and compares with what AMD's manuals say of the
// instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

#include "kernels/device_program.h"

namespace heddle::testing {
namespace {

struct Case {
  unsigned agent;  // of kernel_agents()
  unsigned level;
};

class Intrinsics : public ::testing::TestWithParam<Case> {
 protected:
  bool run(const char* kernel, const Arguments& arguments, uint64_t grid, uint64_t group) {
    DeviceProgram program(kernel_agents().at(GetParam().agent),
                          KERNELS "-O" + std::to_string(GetParam().level) + ".brig");
    return program.run(kernel, arguments, {{grid, 1, 1}, 1}, {{group, 1, 1}, 1});
  }

  template <typename T>
  std::vector<T> results(const char* kernel, const auto& given, size_t count, uint64_t grid, uint64_t group) {
    using In = std::decay_t<decltype(given[0])>;
    const auto region = kernel_agents().at(GetParam().agent).memory;
    const auto in = *tools::Memory::allocate(region, given.size() * sizeof(In));
    const auto out = *tools::Memory::allocate(region, count * sizeof(T));
    std::copy(given.begin(), given.end(), static_cast<In*>(in.address()));
    std::fill_n(static_cast<T*>(out.address()), count, T{});
    EXPECT_TRUE(run(kernel, Arguments().add(in.address()).add(out.address()), grid, group));
    const T* const first = static_cast<const T*>(out.address());
    return {first, first + count};
  }
};

std::vector<uint32_t> patterns(size_t count) {
  std::vector<uint32_t> made(count);
  uint32_t state = 12345;
  for (uint32_t& word : made) {
    state = state * 1664525 + 1013904223;
    word = state >> (state >> 28);
  }
  return made;
}

using Lane = std::optional<uint64_t>;  // a lane to read from, or none

/// The lane that a DPP control reads from in waves of `wave` lanes.
Lane dpp_source(uint64_t control, uint64_t lane, uint64_t wave) {
  const uint64_t row = lane / 16 * 16, place = lane % 16, n = control % 16;
  const auto within = [&](bool good, uint64_t source) { return good ? Lane(source) : Lane(); };
  if (control < 0x100) return lane / 4 * 4 + (control >> (lane % 4 * 2)) % 4;
  switch (control / 16) {
    case 0x10:
      return within(place + n <= 15, lane + n);
    case 0x11:
      return within(place >= n, lane - n);
    case 0x12:
      return row + (place - n) % 16;
    case 0x15:
      return row + n;
    case 0x16:
      return row + (place ^ n);
    default:
      break;
  }
  switch (control) {
    case 0x130:
      return within(lane + 1 < wave, lane + 1);
    case 0x13c:
      return (lane + wave - 1) % wave;
    case 0x140:
      return row + 15 - place;
    case 0x141:
      return lane / 8 * 8 + 7 - lane % 8;
    case 0x142:
      return within(lane >= 16, row - 1);
    default:
      return within(lane >= 32, lane / 32 * 32 - 1);
  }
}

/// One wave of values, as many as it has active lanes.
struct Wave {
  std::vector<uint32_t> values;
  uint64_t size;  // lanes, active or not

  uint64_t read(Lane lane, uint64_t otherwise) const {
    return lane && *lane < values.size() ? values[*lane] : otherwise;
  }
  uint64_t dpp(uint64_t lane, uint64_t control, uint64_t rows = 15, uint64_t banks = 15,
               uint64_t otherwise = 7) const {
    const bool enabled = (rows >> (lane / 16 % 4) & 1) != 0 && (banks >> (lane % 16 / 4) & 1) != 0;
    return enabled ? read(dpp_source(control, lane, size), otherwise) : 7;
  }
  uint64_t sent_to(uint64_t lane) const {
    uint64_t result = 0;
    for (uint64_t from = 0; from < values.size(); ++from)
      if ((from * 5 + 3) % size == lane) result = values[from];
    return result;
  }
};

std::vector<uint64_t> expected_lanes(const Wave& wave, uint64_t lane) {
  const uint64_t quad = lane / 4 * 4, half = lane / 32 * 32, eight = lane / 8 * 8, row = lane / 16 * 16;
  const uint64_t shifted = lane % 16 >= 1 && lane - 1 < wave.values.size()
                               ? wave.read(lane - 1, 0) << 32 | (lane - 1)
                               : uint64_t{1} << 40;
  const uint64_t place = lane % 16;
  return {wave.sent_to(lane),
          wave.read((lane ^ 1) % wave.size, 0),
          wave.read(quad + 3 - lane % 4, 0),
          wave.read(half + ((lane % 32) ^ 1), 0),
          wave.read(half + (lane & 24), 0),
          wave.dpp(lane, 0xb1),
          wave.dpp(lane, 0x101),
          wave.dpp(lane, 0x112, 15, 15, 0),
          wave.dpp(lane, 0x123),
          wave.dpp(lane, 0x130),
          wave.dpp(lane, 0x13c),
          wave.dpp(lane, 0x140),
          wave.dpp(lane, 0x141, 1, 5),
          wave.dpp(lane, 0x142, 10),
          wave.dpp(lane, 0x143, 12),
          wave.dpp(lane, 0x155),
          wave.dpp(lane, 0x163),
          shifted,
          wave.read(eight + 7 - lane % 8, 0),
          wave.read(row + (place < 8 ? place : 15 - place), 9),
          wave.read((row ^ 16) + place, 0),
          wave.read(lane ^ 32, wave.values[lane]),
          lane == 3 % wave.size ? 0x40200000 : wave.values[lane],
          wave.read(1 % wave.size, 0) + wave.size * 0x100000000};
}

TEST_P(Intrinsics, MoveValuesBetweenLanes) {
  const uint64_t grid = 140, group = 70;
  const auto in = patterns(grid);
  const auto out = results<uint64_t>("lanes", in, grid * 24, grid, group);
  const uint64_t size = out[23] >> 32;
  ASSERT_TRUE(std::has_single_bit(size));
  for (uint64_t i = 0; i < grid; ++i) {
    const uint64_t in_group = i % group, lane = in_group % size, first = i - lane;
    const uint64_t active = std::min(size, group - (in_group - lane));
    const Wave wave{
        {in.begin() + static_cast<int64_t>(first), in.begin() + static_cast<int64_t>(first + active)}, size};
    const std::vector<uint64_t> expected = expected_lanes(wave, lane);
    for (size_t k = 0; k < expected.size(); ++k) {
      // A lane that no work-item has cannot be read by AMD's readlane either.
      if (k == 23 && active < 2 && size > 1) continue;
      ASSERT_EQ(out[i * 24 + k], expected[k]) << "result " << k << " of work-item " << i << ", wave " << size;
    }
  }
}

template <typename T>
uint64_t reduced(int operation, const std::vector<uint64_t>& values) {
  using U = std::make_unsigned_t<T>;
  U result = static_cast<U>(values[0]);
  for (size_t i = 1; i < values.size(); ++i) {
    const U next = static_cast<U>(values[i]);
    const T a = static_cast<T>(result), b = static_cast<T>(next);
    const U all[] = {
        std::min(result, next),         std::max(result, next),        static_cast<U>(std::min(a, b)),
        static_cast<U>(std::max(a, b)), static_cast<U>(result + next), static_cast<U>(result + next),
        static_cast<U>(result & next),  static_cast<U>(result | next), static_cast<U>(result ^ next)};
    result = all[operation];
  }
  return operation == 5 ? static_cast<U>(0 - result) : result;
}

TEST_P(Intrinsics, ReduceActiveLanes) {
  const uint64_t grid = 96, group = 96;
  const auto in = patterns(grid);
  const auto out = results<uint64_t>("reductions", in, grid * 22, grid, group);
  // A wave ends where lanes begin to count again; the first work-item that takes part tells its lane.
  std::vector<uint64_t> lanes(grid);
  uint64_t size = 1;
  for (uint64_t i = 0; i < grid; ++i)
    if (in[i] % 2 == 1) size = std::max(size, std::bit_ceil(out[i * 22 + 20] + 1));
  for (uint64_t i = 0; i < grid; ++i) {
    if (in[i] % 2 == 0) continue;
    const uint64_t first = i - out[i * 22 + 20];
    std::vector<uint64_t> narrow, wide;
    for (uint64_t k = first; k < std::min(first + size, grid); ++k) {
      if (in[k] % 2 == 0) continue;
      narrow.push_back(in[k]);
      wide.push_back(uint64_t{in[k]} << 35 ^ in[k]);
    }
    for (int operation = 0; operation < 9; ++operation) {
      ASSERT_EQ(out[i * 22 + operation * 2], reduced<int32_t>(operation, narrow)) << operation << " of " << i;
      ASSERT_EQ(out[i * 22 + operation * 2 + 1], reduced<int64_t>(operation, wide))
          << operation << " of " << i;
    }
    EXPECT_EQ(out[i * 22 + 18], 1U);
    EXPECT_EQ(out[i * 22 + 19], 0x96696996U >> (out[i * 22 + 20] % 32) & 1);
  }
}

uint32_t byte_at(uint64_t value, unsigned number) { return static_cast<uint32_t>(value >> number * 8) & 255; }

uint32_t differences(uint64_t a, uint32_t b, bool masked) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto x = static_cast<int>(byte_at(a, i)), y = static_cast<int>(byte_at(b, i));
    if (!masked || y != 0) sum += static_cast<uint32_t>(std::abs(x - y));
  }
  return sum;
}

uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t choice = byte_at(selector, i);
    uint32_t byte = 255;
    if (choice < 4) byte = byte_at(b, choice);
    if (choice >= 4 && choice < 8) byte = byte_at(a, choice - 4);
    const uint32_t signs[] = {byte_at(b, 1), byte_at(b, 3), byte_at(a, 1), byte_at(a, 3)};
    if (choice >= 8 && choice < 12) byte = signs[choice - 8] >= 128 ? 255 : 0;
    if (choice == 12) byte = 0;
    result |= byte << i * 8;
  }
  return result;
}

int32_t signed_24(uint32_t value) { return static_cast<int32_t>(value << 8) >> 8; }

uint64_t field(uint64_t value, unsigned width, uint64_t offset, uint64_t count, bool is_signed) {
  offset %= width;
  count %= width;
  uint64_t result = 0;
  for (uint64_t i = 0; i < count && offset + i < width; ++i) result |= (value >> (offset + i) & 1) << i;
  const uint64_t top = std::min(offset + count, uint64_t{width});
  if (is_signed && count > 0 && (value >> (top - 1) & 1) != 0)
    for (uint64_t i = top - offset; i < width; ++i) result |= uint64_t{1} << i;
  return result;
}

uint32_t limited(int64_t value, int64_t low, int64_t high) {
  return static_cast<uint32_t>(std::clamp(value, low, high)) & 0xffff;
}

std::vector<uint64_t> expected_bits(uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t wide = uint64_t{a} << 32 | b;
  uint64_t quads = 0, dot = c, sum16 = c, lerp = 0;
  int64_t signed_dot = static_cast<int32_t>(c);
  for (unsigned i = 0; i < 4; ++i) {
    const uint64_t old = (uint64_t{c} << 32 | a) >> i * 16;
    quads |= ((old + differences(wide >> i * 8, c, false)) & 0xffff) << i * 16;
    dot += byte_at(a, i) * byte_at(b, i);
    signed_dot += int64_t{static_cast<int8_t>(byte_at(a, i))} * static_cast<int8_t>(byte_at(b, i));
    lerp |= uint64_t{(byte_at(a, i) + byte_at(b, i) + (byte_at(c, i) & 1)) / 2} << i * 8;
  }
  for (unsigned i = 0; i < 32; i += 16)
    sum16 += static_cast<uint64_t>(
        std::abs(static_cast<int>(a >> i & 0xffff) - static_cast<int>(b >> i & 0xffff)));
  const uint32_t folded = (a >> 31) != 0 ? ~a : a;
  const int64_t product = int64_t{signed_24(a)} * signed_24(b);
  return {differences(a, b, false) + c,
          (differences(a, b, false) << 16) + c,
          sum16 & 0xffffffff,
          differences(a, b, true) + c,
          quads,
          lerp,
          permuted(a, b, c & 0x0f0f0f0f),
          (wide >> c % 4 * 8) & 0xffffffff,
          field(a, 32, b, c, false),
          field(a, 32, b, c, true),
          field(wide, 64, c, a, false),
          folded == 0 ? 0xffffffff : static_cast<uint64_t>(std::countl_zero(folded)),
          static_cast<uint32_t>(product),
          static_cast<uint32_t>(product >> 32),
          (uint64_t{a & 0xffffff} * (b & 0xffffff)) >> 32,
          dot & 0xffffffff,
          static_cast<uint32_t>(std::clamp<int64_t>(signed_dot, INT32_MIN, INT32_MAX)),
          limited(static_cast<int32_t>(a), -32768, 32767) |
              uint64_t{limited(static_cast<int32_t>(b), -32768, 32767)} << 16,
          limited(a, 0, 65535) | uint64_t{limited(b, 0, 65535)} << 16};
}

TEST_P(Intrinsics, ComputeWithBytesAndBits) {
  const uint64_t grid = 200;
  auto in = patterns(grid * 3);
  in[0] = in[4] = 0;
  in[3] = 0xffffffff;
  const auto out = results<uint64_t>("bits", in, grid * 19, grid, 50);
  for (uint64_t i = 0; i < grid; ++i) {
    const uint32_t* const of = &in[i * 3];
    const std::vector<uint64_t> expected = expected_bits(of[0], of[1], of[2]);
    for (size_t k = 0; k < expected.size(); ++k)
      ASSERT_EQ(out[i * 19 + k], expected[k])
          << "result " << k << " of " << of[0] << ", " << of[1] << ", " << of[2];
  }
}

/// Face, twice the longest coordinate, and the two others of a direction.
std::array<float, 4> cube(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  if (az >= ax && az >= ay) return {z < 0 ? 5.0F : 4.0F, 2 * z, z < 0 ? -x : x, -y};
  if (ay >= ax) return {y < 0 ? 3.0F : 2.0F, 2 * y, x, y < 0 ? -z : z};
  return {x < 0 ? 1.0F : 0.0F, 2 * x, x < 0 ? z : -z, -y};
}

uint32_t normal(float value, float low, float scale) {
  return static_cast<uint32_t>(std::lrintf(std::clamp(value, low, 1.0F) * scale)) & 0xffff;
}

/// Rounds to the 11 bits of a half, towards zero.
float cut_to_half(float value) {
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, 11)), exponent - 11);
}

TEST_P(Intrinsics, ComputeWithReals) {
  const uint64_t grid = 64;
  std::vector<float> in;
  for (const uint32_t word : patterns(grid * 3))
    in.push_back(static_cast<float>(static_cast<int32_t>(word) % 4096) / 512);
  in[0] = 0;
  const auto out = results<float>("reals", in, grid * 11, grid, 16);
  for (uint64_t i = 0; i < grid; ++i) {
    const float a = in[i * 3], b = in[i * 3 + 1], c = in[i * 3 + 2];
    const float* const row = &out[i * 11];
    const auto expected = cube(a, b, c);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(row[k], expected[static_cast<size_t>(k)]) << k << " of " << i;
    EXPECT_EQ(row[4], a == 0 || b == 0 ? 0 : a * b);
    EXPECT_EQ(row[5], std::max(std::min(a, b), std::min(std::max(a, b), c)));
    EXPECT_EQ(row[6], a - std::floor(a));
    EXPECT_EQ(std::bit_cast<uint32_t>(row[7]), normal(a, -1, 32767) | normal(b, -1, 32767) << 16);
    EXPECT_EQ(std::bit_cast<uint32_t>(row[8]), normal(a, 0, 65535) | normal(b, 0, 65535) << 16);
    const uint32_t shift = static_cast<uint32_t>(i % 4) * 8;
    const auto byte = static_cast<uint32_t>(std::lrintf(std::clamp(a, 0.0F, 255.0F)));
    EXPECT_EQ(std::bit_cast<uint32_t>(row[10]), (0xdeadbeefU & ~(255U << shift)) | byte << shift);
    const auto halves = std::bit_cast<std::array<_Float16, 2>>(row[9]);
    EXPECT_EQ(static_cast<float>(halves[0]), cut_to_half(a));
    EXPECT_EQ(static_cast<float>(halves[1]), cut_to_half(b));
  }
}

TEST_P(Intrinsics, TellSegments) {
  const auto memory = *tools::Memory::allocate(kernel_agents().at(GetParam().agent).memory, 16);
  ASSERT_TRUE(run("segments", Arguments().add(memory.address()), 1, 1));
  const auto* const out = static_cast<const uint32_t*>(memory.address());
  EXPECT_EQ((std::vector<uint32_t>{out, out + 4}), (std::vector<uint32_t>{1, 2, 0, 0}));
}

TEST_P(Intrinsics, MeetAtBarriersAfterSwitches) {
  const uint64_t grid = 64;
  std::vector<uint32_t> in(grid);
  for (uint32_t i = 0; i < grid; ++i) in[i] = i * 37 % 101;
  const auto out = results<uint32_t>("switch_before_barrier", in, grid + 1, grid, grid);
  uint32_t sum = 0, counted = 0;
  for (const uint32_t x : in) {
    sum += x > 40 && x % 4 == 0 ? 2 : x > 40 && x % 4 == 2 ? 5 : 1;
    counted += x > 40 && x % 4 == 3 ? 1 : 0;
  }
  for (uint64_t i = 0; i < grid; ++i) ASSERT_EQ(out[i], sum) << i;
  EXPECT_EQ(out[grid], counted);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (unsigned agent : {0U, 1U})
    for (unsigned level : {0U, 2U}) all.push_back({agent, level});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Agents, Intrinsics, ::testing::ValuesIn(cases()), [](const auto& info) {
  return std::string(info.param.agent == 0 ? "cpu" : "interpreter") + "O" + std::to_string(info.param.level);
});

}  // namespace
}  // namespace heddle::testing
