// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures how many operations of floating point one processor's units for fused multiply-add do at most. An
// item is an operation; a fused multiply-add counts as two.
#include <benchmark/benchmark.h>

namespace {

template <typename Vector, unsigned chains>
[[gnu::always_inline]] inline void multiply_add(benchmark::State& state) {
  // Each chain waits for itself. Enough of them keep all units busy, and all fit into registers.
  Vector sums[chains] = {};
  Vector factor = Vector{} + 0.5f, summand = Vector{} + 0.25f;
  benchmark::DoNotOptimize(factor);
  benchmark::DoNotOptimize(summand);
  constexpr unsigned steps = 1000;
  for (auto _ : state) {
    for (unsigned i = 0; i < steps; ++i)
#pragma clang loop unroll(full)
      for (unsigned c = 0; c < chains; ++c) sums[c] = __builtin_elementwise_fma(sums[c], factor, summand);
#pragma clang loop unroll(full)
    for (unsigned c = 0; c < chains; ++c) benchmark::DoNotOptimize(sums[c]);
  }
  constexpr unsigned lanes = sizeof(Vector) / sizeof(float);
  state.SetItemsProcessed(state.iterations() * steps * chains * lanes * 2);
}

using Floats8 [[gnu::vector_size(32)]] = float;
using Floats16 [[gnu::vector_size(64)]] = float;

[[gnu::target("avx2,fma")]] void peak_f32_avx2(benchmark::State& state) { multiply_add<Floats8, 12>(state); }
[[gnu::target("avx512f")]] void peak_f32_avx512(benchmark::State& state) {
  multiply_add<Floats16, 24>(state);
}

const int registered = [] {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v3")) benchmark::RegisterBenchmark("peak_f32/v3", peak_f32_avx2);
  if (__builtin_cpu_supports("x86-64-v4")) benchmark::RegisterBenchmark("peak_f32/v4", peak_f32_avx512);
  return 0;
}();

}  // namespace
