// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>

#include "../modules.h"

namespace heddle::corpus {
namespace {

constexpr size_t items = 150;

/// A kernel of one argument, whose result depends on the number of the work-item.
template <typename R, typename A>
std::function<void(Bench&)> with_index(R (*function)(A, uint32_t)) {
  return [function](Bench& bench) {
    const auto in = bench.numbers<A>(items);
    const auto out = bench.zeros<R>(items);
    bench.run({items}, {32}, out, in);
    bench.expect(out, [&](size_t i) { return function(in[i], static_cast<uint32_t>(i)); });
  };
}

int32_t class_template(int32_t x) {
  int32_t sum = 6 * (x / 16) + 55;
  const int32_t k = x & 3;
  return sum - (x / 16 + k * k) + 100;
}

int64_t bits(int32_t x) {
  const int64_t low = (static_cast<uint32_t>(x) + 1) % 8;
  const int64_t middle = (((x & 127) ^ 64) - 64) * 8;
  return low + middle + static_cast<int64_t>((static_cast<uint64_t>(x) * 3) & 0xffffffffff);
}

void constructors(Bench& bench) {
  const auto a = bench.numbers<int32_t>(items), b = bench.numbers<int32_t>(items);
  const auto out = bench.zeros<int32_t>(items);
  bench.run({items}, {32}, out, a, b);
  bench.expect(out, [&](size_t i) {
    const int32_t top = a[i] % 100, bottom = b[i] % 10 == 0 ? 1 : b[i] % 10,
                  other = static_cast<int32_t>(i % 9);
    return (top * 3 + other * bottom) / (bottom * 3) * 10 + (top == other && bottom == 3 ? 1 : 0) +
           (top != 0 ? 4 : 0);
  });
}

void versions(Bench& bench) {
  const auto a = bench.numbers<int32_t>(items), b = bench.numbers<int32_t>(items);
  const auto out = bench.zeros<int32_t>(items);
  bench.run({items}, {32}, out, a, b);
  bench.expect(out, [&](size_t i) {
    const std::pair x(a[i] % 4, b[i] % 5), y(b[i] % 4, a[i] % 5);
    return x < y ? 2 : x > y ? 1 : 0;
  });
}

int32_t virtual_call(int32_t x, uint32_t i) {
  if (x % 2 == 0) return static_cast<int32_t>(2 * int64_t{x >> (i % 5 + 1)} + 3);
  return x % 1000 * static_cast<int32_t>(i % 3) - 9;
}

int32_t permutations(int32_t x) {
  // Heap's algorithm without recursion (B. R. Heap 1963).
  std::vector<int32_t> values = {x % 50, 1, 2, 3};
  uint32_t sum = 0;
  std::function<void(size_t)> visit = [&](size_t n) {
    if (n == 1) {
      sum = sum * 3 + static_cast<uint32_t>(values[0] * 2 + values[1]);
      return;
    }
    for (size_t i = 0; i < n; ++i) {
      visit(n - 1);
      std::swap(values[n % 2 == 0 ? i : 0], values[n - 1]);
    }
  };
  visit(4);
  return static_cast<int32_t>(sum);
}

uint32_t factorial(uint32_t x) {
  uint32_t product = 1;
  for (uint32_t i = 2; i <= x % 13; ++i) product *= i;
  return product;
}

uint32_t fibonacci(uint32_t x) {
  uint32_t a = 0, b = 1;
  for (uint32_t i = 0; i < x % 10; ++i) a = std::exchange(b, a + b);
  return a;
}

int32_t operation(int32_t x, uint32_t which) { return which == 0 ? x / 2 + 1 : which == 1 ? -(x / 2) : x; }

void consteval_function(Bench& bench) {
  const auto out = bench.zeros<int32_t>(items);
  bench.run({items}, {32}, out);
  bench.expect(out, [](size_t i) { return static_cast<int32_t>(125 + i); });
}

std::vector<Case> templates() {
  return {
      {"function_template", map(+[](int32_t a, int32_t b) {
         return static_cast<int32_t>(int64_t{std::max(a, b)} - std::max<int16_t>(static_cast<int16_t>(a), 5));
       })},
      {"recursive_template", map(+[](uint32_t x) { return x * x * x * x * x; })},
      {"fold_expression", map(+[](int32_t x) { return x / 8 + 1 + 2 + 1 + 97; })},
      {"class_template", map(class_template)},
      {"parameter_pack", map(+[](int32_t x) { return (x & 3) * 3 + 1; })},
      {"concepts", map(+[](int32_t) { return 12; })},
      {"structure_as_parameter", map(+[](uint32_t x) { return (const int32_t[]){7, -8, 9, 1000}[x % 4]; })},
      {"constexpr_if", map(+[](int32_t x) {
         return int64_t{x / 2} * 5 + static_cast<int64_t>(static_cast<uint32_t>(x) / 2);
       })},
  };
}

std::vector<Case> lambdas() {
  return {
      {"lambda_by_value", with_index(+[](int32_t x, uint32_t i) {
         const auto by = static_cast<int32_t>(i % 7);
         return (x / 2 + by) / 2 + by;
       })},
      {"lambda_by_reference", map(+[](int32_t x) { return (x ^ 3) / 4 + 2; })},
      {"mutable_lambda", map(+[](int32_t x) {
         const int32_t first = x / 3 + 1, second = first / 3 + 1, third = second / 3 + 1;
         return static_cast<int32_t>(int64_t{first} + int64_t{second} * 2 + int64_t{third} * 4);
       })},
      {"lambda_as_function", map(+[](int32_t x) { return (x & 1) != 0 ? -(x / 7) : x / 5 - 1; })},
      {"generic_lambda", map(+[](int32_t x) { return 2.0 * x + 6 + 0.5; })},
  };
}

std::vector<Case> classes() {
  return {
      {"constructors", constructors},
      // One object; or a second one, which a call copies once more, and three destructors.
      {"destructors", map(+[](int32_t x) { return x > 0 ? 121 + 21000 + 200 : 101; })},
      {"virtual_calls", with_index(virtual_call)},
      {"multiple_inheritance", with_index(+[](int32_t x, uint32_t i) {
         const auto own = static_cast<int32_t>(i);
         return x / 4 + own + (i % 2 == 0 ? x / 4 - own : 77);
       })},
      {"member_pointers",
       with_index(+[](int32_t x, uint32_t i) { return i % 3 == 0 ? x : static_cast<int32_t>(i); })},
      {"spaceship", versions},
      {"structured_binding", map(+[](int32_t x) { return x / 7 - x % 7; })},
      {"bit_fields", map(bits)},
      {"scoped_enumeration", map(+[](int32_t x) { return x < 0 ? 1 : 200; })},
      {"consteval_function", consteval_function},
  };
}

std::vector<Case> calls() {
  return {
      {"indirect_calls", with_index(+[](int32_t x, uint32_t i) { return operation(x, i % 3); })},
      {"returned_functions",
       with_index(+[](int32_t x, uint32_t i) { return operation(operation(x, i % 2), i / 4 % 2); })},
      {"recursion", map(factorial)},
      {"tree_recursion", map(fibonacci)},
      {"mutual_recursion", map(+[](uint32_t x) { return x % 20 % 2 == 0 ? 1 : 2; })},
      {"recursion_with_arrays", map(permutations)},
      {"namespaces_and_defaults", map(+[](int32_t x) { return 42 + 7 * (x % 9); })},
  };
}

}  // namespace

Module language() { return {"language", joined({templates(), lambdas(), classes(), calls()}), lanes_of_hip}; }

}  // namespace heddle::corpus
