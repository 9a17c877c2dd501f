// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that tests run on a GPU that may be in another process, and look at what it has stored.
#pragma once

#include <algorithm>

#include "ids.h"
#include "remote_gpu.h"

namespace heddle::cuda::test {

struct Arguments {
  uint32_t* out;
};

/// Memory of the host that a GPU and its process have, too.
class Shared {
 public:
  explicit Shared(RemoteGpu& gpu, uint64_t size = 4096) : memory_(gpu.device->host_memory()), size_(size) {
    auto made = memory_.allocate(size);
    EXPECT_TRUE(made) << made.error().message;
    base_ = *made;
  }
  ~Shared() { memory_.release(base_, size_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  uint32_t* words() const { return static_cast<uint32_t*>(base_); }

 private:
  HostMemory& memory_;
  const uint64_t size_;
  void* base_ = nullptr;
};

/// Runs `ids` and looks at what it has stored.
inline bool runs(RemoteQueue& queue, uint64_t kernel, const Shared& out, uint32_t items = 256) {
  std::fill_n(out.words(), items, 0);
  Arguments arguments{out.words()};
  Signal done;
  auto packet = dispatch(kernel, items, 64);
  packet.kernarg_address = &arguments;
  packet.completion_signal = done.handle();
  queue.queue.submit(packet);
  if (!done.becomes(0)) return false;
  for (uint32_t i = 0; i < items; ++i)
    if (out.words()[i] != i + 1) return false;
  return true;
}

/// Submits `ids` without waiting for it.
inline void submit(RemoteQueue& queue, uint64_t kernel, Arguments& arguments) {
  auto packet = dispatch(kernel, 64, 64);
  packet.kernarg_address = &arguments;
  queue.queue.submit(packet);
}

}  // namespace heddle::cuda::test
