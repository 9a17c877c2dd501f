// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_side.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>

#include "kernels.cuh"

namespace {

cudaStream_t stream = nullptr;
cudaFunction_t empty_kernel = nullptr;

/// The functions of the driver that are measured. The runtime has opened the library already.
struct Driver {
  CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     CUstream, void**, void**) = nullptr;
  CUresult (*synchronize)(CUstream) = nullptr;
  CUresult (*copy)(CUdeviceptr, CUdeviceptr, size_t, CUstream) = nullptr;
} driver;

const char* text(cudaError_t status) { return status == cudaSuccess ? nullptr : cudaGetErrorString(status); }

const char* text(CUresult status) {
  if (status == CUDA_SUCCESS) return nullptr;
  static char message[64];
  std::snprintf(message, sizeof message, "error %d of the CUDA driver", static_cast<int>(status));
  return message;
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

const char* find_driver_functions() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const bool found = library && find(library, "cuLaunchKernel", driver.launch) &&
                     find(library, "cuStreamSynchronize", driver.synchronize) &&
                     find(library, "cuMemcpyAsync", driver.copy);
  return found ? nullptr : "libcuda.so.1 lacks a function";
}

const char* open(int gpu) {
  if (const char* wrong = text(cudaSetDevice(gpu))) return wrong;
  // Fails where somebody has chosen already how this process waits; cudaStreamQuery serves in any case.
  static_cast<void>(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
  static_cast<void>(cudaGetLastError());
  if (const char* wrong = text(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))) return wrong;
  if (const char* wrong = text(cudaGetFuncBySymbol(&empty_kernel, bench::empty_cuda_kernel()))) return wrong;
  return find_driver_functions();
}

const char* name() {
  static char line[400];
  cudaDeviceProp properties;
  int gpu = 0, version = 0;
  cudaGetDevice(&gpu);
  cudaGetDeviceProperties(&properties, gpu);
  cudaDriverGetVersion(&version);
  std::snprintf(line, sizeof line, "%s, driver for CUDA %d.%d, nvcc %d.%d", properties.name, version / 1000,
                version % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  return line;
}

const char* allocate(void** memory, size_t size) { return text(cudaMalloc(memory, size)); }
const char* release(void* memory) { return text(cudaFree(memory)); }
const char* allocate_pinned(void** memory, size_t size) {
  return text(cudaHostAlloc(memory, size, cudaHostAllocDefault));
}
const char* release_pinned(void* memory) { return text(cudaFreeHost(memory)); }

const char* copy(void* to, const void* from, size_t size) {
  return text(
      driver.copy(reinterpret_cast<CUdeviceptr>(to), reinterpret_cast<CUdeviceptr>(from), size, stream));
}

const char* launch(const bench::CudaLaunch* launch) {
  const void* kernel = bench::cuda_kernel(launch->kernel);
  if (!kernel) return "there is no such CUDA kernel";
  const dim3 grid(launch->grid[0], launch->grid[1], launch->grid[2]);
  const dim3 block(launch->block[0], launch->block[1], launch->block[2]);
  return text(cudaLaunchKernel(kernel, grid, block, launch->arguments, 0, stream));
}

const char* launch_empty() {
  return text(driver.launch(reinterpret_cast<CUfunction>(empty_kernel), 1, 1, 1, 1, 1, 1, 0,
                            reinterpret_cast<CUstream>(stream), nullptr, nullptr));
}

const char* wait() {
  cudaError_t status;
  do status = cudaStreamQuery(stream);
  while (status == cudaErrorNotReady);
  return text(status);
}

const char* synchronize() { return text(driver.synchronize(reinterpret_cast<CUstream>(stream))); }

const bench::CudaSide side = {open, name,   allocate,     release, allocate_pinned, release_pinned,
                              copy, launch, launch_empty, wait,    synchronize};

}  // namespace

extern "C" __attribute__((visibility("default"))) const bench::CudaSide* bench_cuda_side() { return &side; }
