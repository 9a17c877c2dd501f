// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the assembler, the disassembler and the checker on a large module, in lines per second. BENCH_TEXT
// names the HSAIL file, which run.py has generated; run.py measures HSAILasm on the same file.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "toolchain_input.h"

namespace {

using namespace bench;

struct Input {
  std::string text;
  int64_t lines = 0;
  Blob brig;
};

Input* input(benchmark::State& state) {
  static Input* shared = nullptr;
  try {
    if (shared == nullptr) {
      const char* path = std::getenv("BENCH_TEXT");
      if (path == nullptr) throw std::runtime_error("BENCH_TEXT is not set");
      auto* loaded = new Input;
      loaded->text = read_file(path);
      loaded->lines = std::count(loaded->text.begin(), loaded->text.end(), '\n');
      assemble(loaded->text, loaded->brig);
      shared = loaded;
    }
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
  return shared;
}

void report(benchmark::State& state, const Input& in) {
  state.counters["lines_per_s"] =
      benchmark::Counter(static_cast<double>(in.lines), benchmark::Counter::kIsIterationInvariantRate);
  state.SetLabel(std::to_string(in.lines) + " lines");
}

void text_assemble(benchmark::State& state) {
  Input* in = input(state);
  if (in == nullptr) return;
  for (auto _ : state) {
    Blob brig;
    assemble(in->text, brig);
  }
  report(state, *in);
}
BENCHMARK(text_assemble)->Unit(benchmark::kMillisecond);

void text_disassemble(benchmark::State& state) {
  Input* in = input(state);
  if (in == nullptr) return;
  for (auto _ : state) {
    Blob text;
    if (hsail_disassemble(in->brig.blob.data, in->brig.blob.size, &text.blob, nullptr, nullptr) != HSAIL_OK) {
      state.SkipWithError("hsail_disassemble failed");
    }
  }
  report(state, *in);
}
BENCHMARK(text_disassemble)->Unit(benchmark::kMillisecond);

void text_check(benchmark::State& state) {
  Input* in = input(state);
  if (in == nullptr) return;
  for (auto _ : state) {
    if (hsail_check(in->brig.blob.data, in->brig.blob.size, nullptr, nullptr) != HSAIL_OK) {
      state.SkipWithError("hsail_check failed");
    }
  }
  report(state, *in);
}
BENCHMARK(text_check)->Unit(benchmark::kMillisecond);

}  // namespace
