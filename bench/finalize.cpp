// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the way from BRIG to a code object for each ISA: creating a program, adding a module, finalizing.
// The first iteration, which initializes LLVM, is not measured.
#include <benchmark/benchmark.h>

#include "toolchain_input.h"

namespace {

using namespace bench;

void finalize_once(const Blob& brig, const char* isa) {
  hsail_program_t program = nullptr;
  check(hsail_program_create(1, 1, 2, &program), "hsail_program_create");  // large, full, near
  Blob code;
  hsail_status status = hsail_program_add_module(program, brig.blob.data, brig.blob.size, nullptr, nullptr);
  if (status == HSAIL_OK) {
    status = hsail_program_finalize(program, HSAIL_CODE_OBJECT_AGENT, isa, nullptr, nullptr, &code.blob,
                                    nullptr, nullptr);
  }
  hsail_program_destroy(program);
  check(status, "finalizing");
  benchmark::DoNotOptimize(code.blob.data);
}

void finalize(benchmark::State& state, const char* kernel, const char* isa) {
  try {
    Blob brig;
    assemble(read_file(std::string(BENCH_KERNELS "/") + kernel + ".hsail"), brig);
    finalize_once(brig, isa);
    for (auto _ : state) finalize_once(brig, isa);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

[[maybe_unused]] const bool registered = [] {
  hsail_isa_info isa{};
  for (uint32_t i = 0; hsail_isa_at(i, &isa); ++i) {
    for (const char* kernel : {"vector_add", "gaussian_blur"}) {
      std::string name = std::string("finalize/") + kernel + "/" + isa.name;
      benchmark::RegisterBenchmark(name.c_str(), finalize, kernel, isa.name)->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
