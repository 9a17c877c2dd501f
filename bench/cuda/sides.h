// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both sides of the comparison as the measurements use them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/cuda_side.h"
#include "cuda/heddle_side.h"

namespace bench {

/// The CUDA side, whose errors are exceptions.
class Cuda {
 public:
  /// Opens the library of the CUDA side on a GPU.
  Cuda(const std::string& library, int gpu);
  /// Calls one of its functions, named for the message of the exception.
  template <typename... Parameters, typename... Arguments>
  void call(const char* what, const char* (*CudaSide::*function)(Parameters...),
            Arguments... arguments) const {
    if (const char* wrong = (side_->*function)(arguments...))
      throw examples::Error(std::string(what) + ": " + wrong);
  }
  /// Frees memory, each null or allocated. What goes wrong is printed, as destructors call this.
  void release(void* device_memory, void* pinned_memory) const noexcept;
  std::string name() const { return side_->name(); }

 private:
  const CudaSide* side_;
};
#define CUDA(cuda, function, ...) \
  (cuda).call(#function, &::bench::CudaSide::function __VA_OPT__(, ) __VA_ARGS__)

/// A workload on one side: its data in memory of the GPU, and its launches.
class LoadedWorkload {
 public:
  virtual ~LoadedWorkload() = default;
  /// Makes all launches so many times, and waits for the end of the last.
  virtual void run(unsigned times) = 0;
  virtual Bytes contents(size_t buffer) = 0;
};

std::unique_ptr<LoadedWorkload> load(HeddleSide& heddle, const Workload& workload);
std::unique_ptr<LoadedWorkload> load(const Cuda& cuda, const Workload& workload);

}  // namespace bench
