// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CUDA side for bench-cuda that copies but runs no kernel, so that its results must be found wrong.
#include <cstdlib>
#include <cstring>

#include "cuda/cuda_side.h"

namespace {

const char* allocate(void** memory, size_t size) {
  *memory = std::malloc(size);
  return *memory ? nullptr : "no memory";
}

const char* release(void* memory) {
  std::free(memory);
  return nullptr;
}

const char* copy(void* to, const void* from, size_t size) {
  std::memcpy(to, from, size);
  return nullptr;
}

const bench::CudaSide side = {
    [](int) -> const char* { return nullptr; },
    [] { return "idle side"; },
    allocate,
    release,
    allocate,
    release,
    copy,
    [](const bench::CudaLaunch*) -> const char* { return nullptr; },
    []() -> const char* { return nullptr; },
    []() -> const char* { return nullptr; },
    []() -> const char* { return nullptr; },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const bench::CudaSide* bench_cuda_side() { return &side; }
