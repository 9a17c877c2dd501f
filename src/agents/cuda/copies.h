// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mutex>
#include <vector>

#include "agents/cuda/device_memory.h"
#include "agents/cuda/host_memory.h"

namespace heddle::cuda {

/// Copies between the memory of a GPU and that of the host, in streams of their own, so that they run beside
/// kernels and beside each other. Thread safe.
class Copies {
 public:
  /// All arguments outlive the object.
  Copies(GpuContext& context, const DeviceMemory& device, const HostMemory& host)
      : context_(context), device_(device), host_(host) {}
  ~Copies();
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  /// Copies bytes and waits until that is done. Host memory that the GPU cannot access is copied, too, but
  /// slower. Throws std::bad_alloc.
  Driven<void> copy(void* to, const void* from, uint64_t size);

 private:
  /// A stream in use, and the generation of the context in which it was made.
  struct Taken {
    Stream stream;
    uint64_t generation;
  };
  Driven<Taken> take_stream();
  void give_back(const Taken& taken) noexcept;
  void destroy(Stream stream) noexcept;
  void forget_streams_of_lost_context();
  Driven<void> submit(Stream stream, std::byte* to, const std::byte* from, uint64_t size);
  Driven<void> submit_piece(Stream stream, std::byte* to, const std::byte* from, uint64_t size);

  GpuContext& context_;
  const DeviceMemory& device_;
  const HostMemory& host_;
  std::mutex mutex_;
  std::vector<Stream> idle_;  ///< has room for all streams that there are
  size_t streams_ = 0;
  uint64_t generation_ = 0;  ///< of the context, to which the idle streams belong
};

}  // namespace heddle::cuda
