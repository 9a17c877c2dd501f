// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "../modules.h"

namespace heddle::corpus {
namespace {

constexpr size_t items = 150;
constexpr Size grid{items}, group{32};

struct Point {
  float x, y;
  bool operator==(const Point&) const = default;
};
struct Box {
  Point low, high;
  int32_t tag;
  bool operator==(const Box&) const = default;
};
struct Mixed {
  int8_t a;
  double b;
  int16_t c[3];
  int64_t d;
  uint8_t e;
  bool operator==(const Mixed&) const = default;
};
struct Table {
  int32_t rows[2][3];
};
struct __attribute__((packed)) Tight {
  int8_t a;
  int32_t b;
  int16_t c;
  int64_t d;
  bool operator==(const Tight& other) const { return std::memcmp(this, &other, sizeof *this) == 0; }
};

/// Returns the lowest `bits` bits of a number, as a signed one.
int64_t cut(int64_t value, unsigned bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
}

Box box_at(size_t i) {
  const auto x = static_cast<float>(i);
  return {{x, x * 2}, {x + 3, x * 4}, static_cast<int32_t>(7 * i)};
}
Point moved(Point p, float by) { return {p.x + by, p.y - by}; }

void struct_by_value(Bench& bench) {
  const auto out = bench.zeros<float>(items);
  bench.run(grid, group, out, Box{{1, 2}, {4, 8}, 11}, int32_t{5});
  bench.expect(out, [](size_t i) { return static_cast<float>(3 * 6 * 5 + 11 + static_cast<int>(i)); });
}

void struct_in_memory(Bench& bench) {
  const auto in = bench.table<Mixed>(items, [](size_t i) {
    const auto n = static_cast<int16_t>(i);
    return Mixed{
        static_cast<int8_t>(n), n / 4.0, {n, static_cast<int16_t>(-n), 9}, -7 * n, static_cast<uint8_t>(n)};
  });
  const auto out = bench.zeros<Mixed>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    Mixed m = in[i];
    m.a = static_cast<int8_t>(m.a + 1);
    m.b *= 2;
    m.c[i % 3] = static_cast<int16_t>(m.c[(i + 1) % 3] + 5);
    m.d -= m.e;
    m.e ^= 0x0f;
    return m;
  });
}

void packed_struct(Bench& bench) {
  const auto in = bench.table<Tight>(items, [](size_t i) {
    const auto n = static_cast<int16_t>(i);
    return Tight{static_cast<int8_t>(n), 100000 * n, static_cast<int16_t>(-n), int64_t{n} << 40};
  });
  const auto out = bench.zeros<Tight>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    Tight t = in[i];
    t.b = t.b + t.a;
    t.d = t.d + t.c;
    return t;
  });
}

int64_t bit_fields(int32_t x) {
  const int64_t low = (static_cast<uint32_t>(x) + 1) & 7;
  const int64_t wide = (static_cast<uint32_t>(x) * 3U) & 0x1fffffff;
  return low + cut(x, 7) * 8 + wide + cut(int64_t{x} * 1000003, 40);
}

void sort_private(Bench& bench) {
  const auto in = bench.numbers<int32_t>(16 * items);
  const auto out = bench.zeros<int32_t>(16 * items);
  bench.run(grid, group, out, in);
  std::vector<int32_t> sorted(in.data(), in.data() + in.size());
  for (size_t i = 0; i < items; ++i) std::sort(&sorted[16 * i], &sorted[16 * i] + 16);
  bench.expect(out, [&](size_t i) { return sorted[i]; });
}

void multiply_private(Bench& bench) {
  const auto in = bench.table<float>(12 * items, [](size_t i) { return static_cast<int>(i * 7 % 19) - 9; });
  const auto out = bench.zeros<float>(9 * items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    const float* const m = &in[i / 9 * 12];
    const size_t row = i % 9 / 3, column = i % 3;
    float sum = 0;
    for (size_t k = 0; k < 4; ++k) sum += m[row * 4 + k] * m[column * 4 + k];
    return sum;
  });
}

float constant_tables(uint32_t i) {
  constexpr float primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
  constexpr float weights[] = {0.5F, 1.5F, 2.5F, -1, -2, -3};
  return primes[i % 10] * weights[i % 2 * 3 + i % 3] + 3 + 42 +
         static_cast<float>(std::string("constant text")[i % 13]);
}

void constant_argument(Bench& bench) {
  const auto table = bench.numbers<int32_t>(32);
  const auto out = bench.zeros<int32_t>(items);
  bench.run(grid, group, out, table, uint32_t{31});
  bench.expect(out, [&](size_t i) { return static_cast<int32_t>(int64_t{table[i % 32]} - table[0]); });
}

void program_scope_variables(Bench& bench) {
  const auto out = bench.zeros<float>(3);
  bench.run({1}, {1}, out);
  bench.expect(out, [](size_t i) { return (const float[]){6, 9, 4}[i]; });
}

void static_variable(Bench& bench) {
  const auto out = bench.zeros<int32_t>(1);
  bench.run({1}, {1}, out);
  bench.expect(out, [](size_t) { return 1; });
}

void generic_pointers(Bench& bench) {
  constexpr size_t count = 128;
  const auto in = bench.numbers<int32_t>(count);
  const auto out = bench.zeros<int32_t>(count);
  bench.run({count}, {32}, out, in, Local{32 * 4});
  bench.expect(out, [](size_t i) { return 7 + static_cast<int>(i); });
}

void chosen_address_space(Bench& bench) {
  const auto in = bench.table<int32_t>(items, [](size_t i) { return i * i % 31; });
  const auto out = bench.zeros<int32_t>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) { return (const int32_t[]){in[i] + 1000, 2002, 4003}[in[i] % 3]; });
}

void pointer_arithmetic(Bench& bench) {
  const auto in = bench.numbers<int32_t>(items + 8);
  const auto out = bench.zeros<int64_t>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    const auto at = static_cast<int64_t>(i) + 6;
    return (at - 3) * 10 + 1 + in[i] * int64_t{100} + at * 4;
  });
}

int32_t pointer_list(int32_t x) {
  uint32_t sum = 0, at = 0;
  for (int i = 0; i < 12; ++i) {
    sum = sum * 3 + static_cast<uint32_t>(x) + at * at;
    at = (at * 3 + 1) % 8;
  }
  return static_cast<int32_t>(sum);
}

void unaligned_access(Bench& bench) {
  const auto in = bench.numbers<uint8_t>(5 * items + 8);
  const auto out = bench.zeros<int32_t>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    uint32_t value = 0;
    for (size_t k = 4; k-- > 0;) value = value << 8 | in[5 * i + 1 + k];
    return static_cast<int32_t>(value);
  });
}

void shorts_and_chars(Bench& bench) {
  const auto in = bench.numbers<int32_t>(items);
  const auto out = bench.zeros<int16_t>(items);
  const auto bytes = bench.zeros<int8_t>(items);
  bench.run(grid, group, out, bytes, in);
  bench.expect(out, [&](size_t i) { return static_cast<int16_t>(in[i]); });
  bench.expect(bytes, [&](size_t i) { return static_cast<int8_t>(in[i] >> 8); });
}

void booleans(Bench& bench) {
  const auto in = bench.table<int32_t>(items, [](size_t i) { return i % 3; });
  const auto out = bench.table<uint8_t>(items, [](size_t) { return 9; });
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) -> uint8_t { return (in[i] != 0) == (i % 2 != 0) ? 1 : 0; });
}

void half_storage(Bench& bench) {
  const auto in = bench.table<Half>(items, [](size_t i) { return static_cast<float>(i) / 8; });
  const auto out = bench.zeros<Half>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) { return in[items - 1 - i]; });
}

void copy_large_struct(Bench& bench) {
  const auto in = bench.table<Box>(items, box_at);
  const auto out = bench.zeros<Box>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [](size_t i) {
    Box expected = box_at(i % 2 == 0 ? i : 0);
    ++expected.tag;
    return expected;
  });
}

void array_in_struct_by_value(Bench& bench) {
  const auto in = bench.numbers<uint32_t>(items);
  const auto out = bench.zeros<int32_t>(items);
  bench.run(grid, group, out, Table{{{10, 11, 12}, {20, 21, 22}}}, in);
  bench.expect(out, [&](size_t i) { return static_cast<int32_t>((in[i] % 2 + 1) * 10 + in[i] % 3); });
}

void struct_through_calls(Bench& bench) {
  const auto in = bench.table<Point>(items, [](size_t i) { return box_at(i).low; });
  const auto out = bench.zeros<Point>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) { return moved(in[i], 0.5F); });
}

void pointers_to_private(Bench& bench) {
  const auto in = bench.numbers<int32_t>(items);
  const auto out = bench.zeros<int32_t>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    const auto own = static_cast<int32_t>(i);
    const int64_t result = int64_t{std::max(in[i], own) / 2} - std::min(in[i], own) / 2;
    return static_cast<int32_t>(result);
  });
}

void address_as_number(Bench& bench) {
  const auto out = bench.zeros<uint64_t>(items);
  bench.run(grid, group, out);
  bench.expect(out, [](size_t i) { return 8 * i; });
}

void compound_literals(Bench& bench) {
  const auto in = bench.table<float>(items, [](size_t i) { return static_cast<int>(i) - 70; });
  const auto out = bench.zeros<float>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) { return (in[i] + 2) * -1 + static_cast<float>(1 << i % 3); });
}

std::vector<Case> structures() {
  return {
      {"struct_by_value", struct_by_value},
      {"struct_in_memory", struct_in_memory},
      {"packed_struct", packed_struct},
      {"bit_fields", map(bit_fields)},
      {"unions", map(+[](float x) {
         const uint32_t bits = std::bit_cast<uint32_t>(x) ^ 0x80000000U;
         return bits + (bits & 0xff);
       })},
      {"struct_through_calls", struct_through_calls},
      {"copy_large_struct", copy_large_struct},
      {"array_in_struct_by_value", array_in_struct_by_value},
      {"enumerations", map(+[](int32_t x) { return (x & 1) != 0 ? 5 : -1; })},
      {"compound_literals", compound_literals},
  };
}

std::vector<Case> variables() {
  return {
      {"private_array", sort_private},
      {"matrix_in_private", multiply_private},
      {"constant_tables", map(constant_tables)},
      {"constant_argument", constant_argument},
      {"program_scope_variables", program_scope_variables},
      {"static_variable", static_variable},
      {"shorts_and_chars", shorts_and_chars},
      {"booleans", booleans},
      {"half_storage", half_storage},
      {"volatile_access", map(+[](int32_t x) { return static_cast<int32_t>(int64_t{x} + x / 2); })},
  };
}

std::vector<Case> pointers() {
  return {
      {"pointers_to_private", pointers_to_private},
      {"generic_pointers", generic_pointers},
      {"chosen_address_space", chosen_address_space},
      {"pointer_arithmetic", pointer_arithmetic},
      {"pointer_list", map(pointer_list)},
      {"bytes_of_words", map(+[](uint32_t x) { return __builtin_bswap32(x); })},
      {"unaligned_access", unaligned_access},
      {"address_as_number", address_as_number},
  };
}

}  // namespace

Module memory() { return {"memory", joined({structures(), variables(), pointers()})}; }

}  // namespace heddle::corpus
