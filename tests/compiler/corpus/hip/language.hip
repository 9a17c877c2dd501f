// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++20 in device functions: templates, lambdas, classes, virtual and indirect calls, recursion.
#include "kernel.h"

// ---- templates ----
template <typename T>
__device__ T larger(T a, T b) { return a < b ? b : a; }
template <int n>
struct Power {
  template <typename T>
  __device__ static T of(T x) { return x * Power<n - 1>::of(x); }
};
template <>
struct Power<0> {
  template <typename T>
  __device__ static T of(T) { return 1; }
};
template <typename... T>
__device__ int sum_of(T... values) { return (0 + ... + values); }
template <typename T, uint n>
struct Array {
  T at[n];
  __device__ T& operator[](uint i) { return at[i]; }
  __device__ T sum() const {
    T total{};
    for (const T& value : at) total += value;
    return total;
  }
};
template <uint... i, typename F>
__device__ void unrolled(F function, Array<int, sizeof...(i)>& out) { ((out[i] = function(i)), ...); }

KERNEL function_template(int* out, const int* a, const int* b) { out[at()] = larger(a[at()], b[at()]) - larger<short>(a[at()], 5); }
KERNEL recursive_template(uint* out, const uint* a) { out[at()] = Power<5>::of(a[at()]); }
KERNEL fold_expression(int* out, const int* a) { out[at()] = sum_of(a[at()] / 8, 1, short(2), true, 'a'); }
KERNEL class_template(int* out, const int* a) {
  Array<int, 6> values{};
  for (uint i = 0; i < 6; ++i) values[i] = a[at()] / 16 + int(i * i);
  values[a[at()] & 3] = 100;
  out[at()] = values.sum();
}
KERNEL parameter_pack(int* out, const int* a) {
  Array<int, 4> values;
  unrolled<0, 1, 2, 3>([](uint i) { return int(i * 3 + 1); }, values);
  out[at()] = values[a[at()] & 3];
}
template <typename T>
concept Small = sizeof(T) <= 2;
__device__ int size_class(auto) { return 2; }
__device__ int size_class(Small auto) { return 1; }
KERNEL concepts(int* out, const int* a) { out[at()] = size_class(short(a[at()])) * 10 + size_class(a[at()]); }
template <auto table>
__device__ int looked_up(uint i) { return table.at[i]; }
struct Table {
  int at[4];
};
KERNEL structure_as_parameter(int* out, const uint* a) { out[at()] = looked_up<Table{{7, -8, 9, 1000}}>(a[at()] % 4); }
template <typename T>
__device__ auto half_of(T x) {
  if constexpr (T(-1) < T(0))
    return x / 2;
  else
    return x >> 1;
}
KERNEL constexpr_if(long* out, const int* a) { out[at()] = long(half_of(a[at()])) * 5 + long(half_of(uint(a[at()]))); }

// ---- lambdas ----
template <typename F>
__device__ __noinline__ int applied(F function, int x) { return function(function(x)); }
KERNEL lambda_by_value(int* out, const int* a) {
  const int by = int(at() % 7);
  out[at()] = applied([by](int x) { return x / 2 + by; }, a[at()]);
}
KERNEL lambda_by_reference(int* out, const int* a) {
  int calls = 0;
  const int x = applied([&calls](int y) { ++calls; return y ^ calls; }, a[at()]);
  out[at()] = x / 4 + calls;
}
KERNEL mutable_lambda(int* out, const int* a) {
  auto next = [state = a[at()]]() mutable { return state = state / 3 + 1; };
  out[at()] = next() + next() * 2 + next() * 4;
}
KERNEL lambda_as_function(int* out, const int* a) {
  int (*function)(int) = [](int x) { return x / 5 - 1; };
  if (a[at()] & 1) function = [](int x) { return -(x / 7); };
  out[at()] = function(a[at()]);
}
KERNEL generic_lambda(double* out, const int* a) {
  const auto twice = [](auto x) { return x + x; };
  out[at()] = twice(double(a[at()])) + twice(short(3)) + twice(0.25f);
}

// ---- classes ----
class Fraction {
 public:
  __device__ Fraction(int top, int bottom) : top_(top), bottom_(bottom == 0 ? 1 : bottom) {}
  __device__ Fraction operator+(const Fraction& other) const {
    return {top_ * other.bottom_ + other.top_ * bottom_, bottom_ * other.bottom_};
  }
  __device__ bool operator==(const Fraction&) const = default;
  __device__ int whole() const { return top_ / bottom_; }
  __device__ explicit operator bool() const { return top_ != 0; }

 private:
  int top_, bottom_;
};
KERNEL constructors(int* out, const int* a, const int* b) {
  const Fraction x(a[at()] % 100, b[at()] % 10), y{int(at()) % 9, 3};
  out[at()] = (x + y).whole() * 10 + (x == y) + (x ? 4 : 0);
}
struct Counting {
  int* count;
  __device__ explicit Counting(int* c) : count(c) { *count += 1; }
  __device__ Counting(const Counting& other) : count(other.count) { *count += 10; }
  __device__ ~Counting() { *count += 100; }
};
__device__ __noinline__ int value_of(Counting c) { return *c.count; }
KERNEL destructors(int* out, const int* a) {
  int count = 0;
  {
    Counting first(&count);
    if (a[at()] > 0) {
      Counting second = first;
      count += value_of(second) * 1000;
    }
  }
  out[at()] = count;
}
struct Base {
  int tag;
  __device__ virtual int value(int x) const { return x; }
  __device__ virtual int twice(int x) const { return 2 * value(x) + tag; }
};
struct Shift final : Base {
  int by;
  __device__ int value(int x) const override { return x >> by; }
};
struct Scale : Base {
  int factor;
  __device__ int value(int x) const override { return x % 1000 * factor; }
  __device__ int twice(int x) const override { return value(x) - tag; }
};
KERNEL virtual_calls(int* out, const int* a) {
  Shift shift;
  shift.tag = 3;
  shift.by = int(at() % 5) + 1;
  Scale scale;
  scale.tag = 9;
  scale.factor = int(at() % 3);
  const Base* object = a[at()] % 2 == 0 ? static_cast<const Base*>(&shift) : &scale;
  out[at()] = object->twice(a[at()]);
}
struct Left {
  int l;
  __device__ virtual int left() const { return l; }
};
struct Right {
  int r;
  __device__ virtual int right() const { return r; }
};
struct Both : Left, Right {
  __device__ int left() const override { return l + r; }
  __device__ int right() const override { return l - r; }
};
__device__ __noinline__ int through_right(const Right& x) { return x.right(); }
KERNEL multiple_inheritance(int* out, const int* a) {
  Both both;
  both.l = a[at()] / 4;
  both.r = int(at());
  Right plain;
  plain.r = 77;
  const Left& left = both;
  out[at()] = left.left() + through_right(at() % 2 == 0 ? static_cast<const Right&>(both) : plain);
}
KERNEL member_pointers(int* out, const int* a) {
  struct Pair { int first, second; } pair{a[at()], int(at())};
  int Pair::*member = at() % 3 == 0 ? &Pair::first : &Pair::second;
  out[at()] = pair.*member;
}
KERNEL spaceship(int* out, const int* a, const int* b) {
  struct Version {
    int major, minor;
    __device__ bool operator<(const Version& o) const { return major != o.major ? major < o.major : minor < o.minor; }
  };
  const Version x{a[at()] % 4, b[at()] % 5}, y{b[at()] % 4, a[at()] % 5};
  out[at()] = (x < y) * 2 + (y < x);
}

// ---- calls ----
__device__ __noinline__ int add_one(int x) { return x / 2 + 1; }
__device__ __noinline__ int negate(int x) { return -(x / 2); }
__device__ __noinline__ int keep(int x) { return x; }
using Operation = int (*)(int);
__constant__ Operation const operations[3] = {add_one, negate, keep};
KERNEL indirect_calls(int* out, const int* a) { out[at()] = operations[at() % 3](a[at()]); }
__device__ Operation chosen(uint i) { return i % 2 == 0 ? add_one : negate; }
KERNEL returned_functions(int* out, const int* a) { out[at()] = chosen(at() / 4)(chosen(at())(a[at()])); }
__device__ __noinline__ uint factorial(uint n) { return n < 2 ? 1 : n * factorial(n - 1); }
KERNEL recursion(uint* out, const uint* a) { out[at()] = factorial(a[at()] % 13); }
__device__ __noinline__ uint fibonacci(uint n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
KERNEL tree_recursion(uint* out, const uint* a) { out[at()] = fibonacci(a[at()] % 10); }
__device__ __noinline__ bool is_odd(uint n);
__device__ __noinline__ bool is_even(uint n) { return n == 0 ? true : is_odd(n - 1); }
__device__ __noinline__ bool is_odd(uint n) { return n == 0 ? false : is_even(n - 1); }
KERNEL mutual_recursion(int* out, const uint* a) { out[at()] = is_even(a[at()] % 20) ? 1 : 2; }
__device__ __noinline__ void permute(int* values, int n, int& sum) {
  if (n == 1) {
    sum = sum * 3 + values[0] * 2 + values[1];
    return;
  }
  for (int i = 0; i < n; ++i) {
    permute(values, n - 1, sum);
    const int k = n % 2 == 0 ? i : 0;
    const int t = values[k];
    values[k] = values[n - 1];
    values[n - 1] = t;
  }
}
KERNEL recursion_with_arrays(int* out, const int* a) {
  int values[4] = {a[at()] % 50, 1, 2, 3}, sum = 0;
  permute(values, 4, sum);
  out[at()] = sum;
}
namespace library {
inline namespace version_two {
__device__ int answer(int x = 6) { return 7 * x; }
}
}
KERNEL namespaces_and_defaults(int* out, const int* a) { out[at()] = library::answer() + library::answer(a[at()] % 9); }
KERNEL structured_binding(int* out, const int* a) {
  struct Result { int quotient, rest; };
  const auto divide = [](int x, int y) { return Result{x / y, x % y}; };
  const auto [quotient, rest] = divide(a[at()], 7);
  out[at()] = quotient - rest;
}
KERNEL bit_fields(long* out, const int* a) {
  struct Bits {
    uint low : 3;
    int middle : 7;
    ulong large : 40;
  } bits{};
  bits.low = uint(a[at()]);
  bits.middle = a[at()];
  bits.large = ulong(a[at()]) * 3;
  bits.low++;
  out[at()] = long(bits.low) + bits.middle * 8 + long(bits.large);
}
enum class Color : unsigned char { red = 3, green = 200 };
KERNEL scoped_enumeration(int* out, const int* a) {
  const Color color = a[at()] < 0 ? Color::red : Color::green;
  switch (color) {
    case Color::red: out[at()] = 1; break;
    case Color::green: out[at()] = int(color);
  }
}
consteval int cube(int x) { return x * x * x; }
KERNEL consteval_function(int* out) { out[at()] = cube(5) + int(at()); }
