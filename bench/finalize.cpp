// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the way from BRIG to a code object for each ISA: creating a program, adding a module, finalizing.
// The first iteration, which initializes LLVM, is not measured. The cache of code objects is off, except in
// the benchmarks "finalize, cached", which measure hits in a folder of their own.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

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

/// Switches the cache of code objects on, with an empty folder, or off.
class Cache {
 public:
  explicit Cache(bool on) {
    setenv("HEDDLE_CACHE", on ? "1" : "0", 1);
    if (!on) return;
    folder_ = (std::filesystem::temp_directory_path() / "heddle-bench-XXXXXX").string();
    if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("cannot make " + folder_);
    setenv("HEDDLE_CACHE_DIR", folder_.c_str(), 1);
  }
  ~Cache() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  /// Throws unless something has been cached.
  void check_used() const {
    if (std::filesystem::is_empty(folder_)) throw std::runtime_error("nothing was cached");
  }

 private:
  std::string folder_;
};

void finalize(benchmark::State& state, const char* kernel, const char* isa, bool cached) {
  try {
    const Cache cache(cached);
    Blob brig;
    assemble(read_file(std::string(BENCH_KERNELS "/") + kernel + ".hsail"), brig);
    finalize_once(brig, isa);
    if (cached) cache.check_used();
    for (auto _ : state) finalize_once(brig, isa);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

[[maybe_unused]] const bool registered = [] {
  hsail_isa_info isa{};
  for (uint32_t i = 0; hsail_isa_at(i, &isa); ++i) {
    for (const char* kernel : {"vector_add", "gaussian_blur"}) {
      const bool compiled = std::string_view(isa.name).find("hsail") == std::string_view::npos;
      for (const bool cached : {false, true}) {
        if (cached && !compiled) continue;  // the cache leaves out what takes no time
        const std::string name =
            std::string(cached ? "finalize, cached/" : "finalize/") + kernel + "/" + isa.name;
        benchmark::RegisterBenchmark(name.c_str(), finalize, kernel, isa.name, cached)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  return true;
}();

}  // namespace
