// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <span>

#include "agents/cuda/device_memory.h"
#include "agents/cuda/host_memory.h"
#include "codeobject/ptx_dispatch.h"

namespace heddle::cuda {

/// The memory of the mailbox of one queue: slots in host memory, and words in memory of the GPU.
class Mailbox {
 public:
  static constexpr uint64_t slot_count = 256;

  /// `host` and `device` outlive the mailbox. The words are set to 0 in `stream`.
  static Driven<std::unique_ptr<Mailbox>> create(const GpuContext& context, HostMemory& host,
                                                 DeviceMemory& device, Stream stream);
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// For ptx_kernel::Hidden::mailbox.
  uint64_t address() const { return reinterpret_cast<uint64_t>(pages_); }
  std::span<ptx_kernel::MailboxSlot> slots() { return pages_->slots; }

 private:
  struct Pages {
    ptx_kernel::Mailbox head = {};
    ptx_kernel::MailboxSlot slots[slot_count] = {};
  };
  Mailbox(HostMemory& host, DeviceMemory& device, Pages* pages)
      : host_(host), device_(device), pages_(pages) {}

  HostMemory& host_;
  DeviceMemory& device_;
  Pages* const pages_;
};

}  // namespace heddle::cuda
