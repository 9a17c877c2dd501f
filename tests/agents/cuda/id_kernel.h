// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that tests run on a GPU that may be in another process, and look at what it has stored.
#pragma once

#include <algorithm>

#include "remote_gpu.h"

namespace heddle::cuda::test {

/// Stores the flattened ID of each work-item, plus one, where its argument says.
inline constexpr char ids[] = R"(
prog kernel &k(kernarg_u64 %out) {
  ld_kernarg_u64 $d0, [%out];
  workitemflatabsid_u32 $s0;
  shl_u32 $s1, $s0, 2;
  cvt_u64_u32 $d1, $s1;
  add_u64 $d0, $d0, $d1;
  add_u32 $s0, $s0, 1;
  st_global_u32 $s0, [$d0];
  ret;
};
)";

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
