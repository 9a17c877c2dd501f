// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What bench-cuda asks of CUDA. nvcc compiles this side to a library of its own, so that the rest needs
// neither CUDA's headers nor its compiler, and the comparison can be built where CUDA is not installed.
#pragma once

#include <cstddef>

namespace bench {

/// Sizes in threads, as the host has them: whole blocks of `block`.
struct CudaLaunch {
  const char* kernel;
  unsigned grid[3], block[3];  ///< blocks, and threads of a block
  void** arguments;            ///< addresses of the values, in the kernel's order
};

/// The functions of the CUDA side. Those that return text return null, or what went wrong.
struct CudaSide {
  const char* (*open)(int gpu);
  const char* (*name)();  ///< of the GPU, with the versions of driver and toolkit
  const char* (*allocate)(void** device_memory, size_t size);
  const char* (*release)(void* device_memory);
  const char* (*allocate_pinned)(void** host_memory, size_t size);
  const char* (*release_pinned)(void* host_memory);
  /// cuMemcpyAsync in the stream, whatever the memory.
  const char* (*copy)(void* to, const void* from, size_t size);
  const char* (*launch)(const CudaLaunch* launch);
  const char* (*launch_empty)();  ///< cuLaunchKernel of one thread that does nothing
  const char* (*wait)();          ///< for the stream, asking it again and again
  const char* (*synchronize)();   ///< cuStreamSynchronize
};

/// The function that the library exports.
inline constexpr char cuda_side_symbol[] = "bench_cuda_side";
using CudaSideFunction = const CudaSide* (*)();

}  // namespace bench
