// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_functions.h"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "thread_grid.h"

#pragma STDC FENV_ACCESS ON

namespace heddle::cuda::fake {
namespace {

ThreadGrid& grid() { return ThreadGrid::current()->block->grid; }

// ---- threads, warps and blocks

template <unsigned d>
uint32_t thread_id() {
  return ThreadGrid::current()->id[d];
}
template <unsigned d>
uint32_t block_id() {
  return ThreadGrid::current()->block->id[d];
}
template <unsigned d>
uint32_t grid_size() {
  return grid().shape().grid[d];
}
template <unsigned d>
uint32_t block_size() {
  return grid().shape().block[d];
}
uint32_t lane() { return ThreadGrid::current()->lane(); }
uint32_t lanes_before() { return (1u << lane()) - 1; }
uint32_t own_lane() { return 1u << lane(); }
// There is one multiprocessor, on which all blocks are.
uint32_t multiprocessor() { return 0; }
uint32_t warp() {
  const GpuThread& thread = *ThreadGrid::current();
  return thread.block->slot * grid().block_warps() + thread.number / warp_size;
}
uint32_t warps() { return grid().most_warps(); }
void* shared() { return ThreadGrid::current()->block->shared; }

bool is_shared(const void* address) {
  const auto distance = reinterpret_cast<uintptr_t>(address) -
                        reinterpret_cast<uintptr_t>(ThreadGrid::current()->block->shared);
  return distance < grid().shape().shared_size;
}
bool is_local(const void* address) {
  const ThreadStack& stack = ThreadGrid::current()->stack;
  return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(stack.base()) < stack.size();
}

uint32_t ballot(uint32_t lanes, uint32_t bit) { return grid().meet(WarpOperation::ballot, lanes, bit & 1); }
uint32_t alive(uint32_t lanes) { return ballot(lanes, 1); }
uint32_t match(uint32_t lanes, uint32_t value) { return grid().meet(WarpOperation::match, lanes, value); }
uint32_t shuffle(uint32_t lanes, uint32_t value, uint32_t source, uint32_t) {
  return grid().meet(WarpOperation::shuffle, lanes, value, source);
}
void barrier_of_warp(uint32_t lanes) { grid().meet(WarpOperation::barrier, lanes, 0); }
void barrier_of_block() { grid().wait_for_block(); }
void pause() { grid().pause(); }
void end_thread() { grid().end(); }
uint64_t time() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// ---- arithmetic with a rounding mode, and with flushing

enum class Op { add, mul, div, sqrt, fma };

/// Sets the rounding mode while it exists.
class Rounding {
 public:
  explicit Rounding(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~Rounding() { std::fesetround(before_); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  int before_;
};

template <bool flushes, typename T>
T flushed(T value) {
  return flushes && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T(0), value) : value;
}

/// Keeps the compiler from computing before the rounding mode is set.
template <typename T>
T opaque(T value) {
  asm volatile("" : "+x"(value));
  return value;
}

template <Op op, typename T>
T compute(T a, T b, T c) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::fma:
      return std::fma(a, b, c);
  }
}

template <Op op, int rounding, bool flushes, typename T>
T arithmetic(T a, T b, T c) {
  a = flushed<flushes>(a);
  if constexpr (op != Op::sqrt) b = flushed<flushes>(b);
  if constexpr (op == Op::fma) c = flushed<flushes>(c);
  const Rounding mode(rounding);
  return flushed<flushes>(opaque(compute<op>(opaque(a), opaque(b), opaque(c))));
}

template <int rounding, bool flushes>
float narrow(double value) {
  const Rounding mode(rounding);
  return flushed<flushes>(opaque(static_cast<float>(opaque(value))));
}

uint16_t to_half(float value) {
  const auto half = static_cast<_Float16>(value);
  uint16_t bits = 0;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}

template <bool max, bool flushes, typename T>
T extreme(T a, T b) {
  a = flushed<flushes>(a), b = flushed<flushes>(b);
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) == max ? b : a;  // zeros
  return (a < b) == max ? b : a;
}

float sine(float value) { return std::sin(value); }
float cosine(float value) { return std::cos(value); }
float power_of_2(float value) { return std::exp2(value); }
float logarithm_of_2(float value) { return std::log2(value); }

// ---- the table

struct Table {
  std::vector<DeviceFunction> rows;

  template <typename Function>
  void add(std::string name, Function* function) {
    rows.push_back({std::move(name), reinterpret_cast<void*>(function)});
  }
  template <Op op, int rounding>
  void add_arithmetic(const std::string& name) {
    add(name + ".f", arithmetic<op, rounding, false, float>);
    add(name + ".d", arithmetic<op, rounding, false, double>);
    add(name + ".ftz.f", arithmetic<op, rounding, true, float>);
  }
  template <Op op>
  void add_arithmetic(const std::string& name) {
    add_arithmetic<op, FE_TONEAREST>(name + ".rn");
    add_arithmetic<op, FE_TOWARDZERO>(name + ".rz");
    add_arithmetic<op, FE_DOWNWARD>(name + ".rm");
    add_arithmetic<op, FE_UPWARD>(name + ".rp");
  }
  template <unsigned d>
  void add_ids(const std::string& letter) {
    add("read.ptx.sreg.tid." + letter, thread_id<d>);
    add("read.ptx.sreg.ctaid." + letter, block_id<d>);
    add("read.ptx.sreg.ntid." + letter, block_size<d>);
    add("read.ptx.sreg.nctaid." + letter, grid_size<d>);
  }
  void add_places() {
    add_ids<0>("x");
    add_ids<1>("y");
    add_ids<2>("z");
    add("read.ptx.sreg.laneid", lane);
    add("read.ptx.sreg.lanemask.lt", lanes_before);
    add("read.ptx.sreg.lanemask.eq", own_lane);
    // Each lane comes alone.
    add("activemask", own_lane);
    add("read.ptx.sreg.warpid", warp);
    add("read.ptx.sreg.nwarpid", warps);
    add("read.ptx.sreg.smid", multiprocessor);
    add("shared", shared);
    add("isspacep.shared", is_shared);
    add("isspacep.local", is_local);
  }
  void add_meetings() {
    add("vote.ballot.sync", ballot);
    add("vote.alive", alive);
    add("match.any.sync.i32", match);
    add("shfl.sync.idx.i32", shuffle);
    add("bar.warp.sync", barrier_of_warp);
    add("barrier.cta.sync.all", barrier_of_block);
    add("barrier.sync", barrier_of_block);
    add("pause", pause);
    add("exit", end_thread);
    add("globaltimer", time);
  }
  void add_numbers() {
    add_arithmetic<Op::add>("add");
    add_arithmetic<Op::mul>("mul");
    add_arithmetic<Op::div>("div");
    add_arithmetic<Op::sqrt>("sqrt");
    add_arithmetic<Op::fma>("fma");
    add("d2f.rn.ftz", narrow<FE_TONEAREST, true>);
    add("d2f.rz.ftz", narrow<FE_TOWARDZERO, true>);
    add("d2f.rm.ftz", narrow<FE_DOWNWARD, true>);
    add("d2f.rp.ftz", narrow<FE_UPWARD, true>);
    add("f2h.rn", to_half);
    add("fmin.f", extreme<false, false, float>);
    add("fmax.f", extreme<true, false, float>);
    add("fmin.ftz.f", extreme<false, true, float>);
    add("fmax.ftz.f", extreme<true, true, float>);
    add("fmin.d", extreme<false, false, double>);
    add("fmax.d", extreme<true, false, double>);
    add("sin.approx.f", sine);
    add("cos.approx.f", cosine);
    add("ex2.approx.f32", power_of_2);
    add("lg2.approx.f", logarithm_of_2);
  }
};

}  // namespace

std::span<const DeviceFunction> device_functions() {
  static const Table table = [] {
    Table made;
    made.add_places();
    made.add_meetings();
    made.add_numbers();
    return made;
  }();
  return table.rows;
}

bool is_device_function(std::string_view name) {
  return std::ranges::any_of(device_functions(),
                             [name](const DeviceFunction& function) { return function.name == name; });
}

}  // namespace heddle::cuda::fake
