// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/hsam.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "agents/common/host_agent.h"
#include "agents/cuda/async_copies.h"
#include "agents/cuda/gpu_device.h"
#include "agents/cuda/lazy_driver.h"
#include "support/fork_handler.h"

namespace heddle::cuda {

/// The agent of one GPU: what the messages of the generic driver mean for it. The GPU is opened when a client
/// needs it for a queue, for code or for memory of its own, because that takes a tenth of a second. Never
/// destroyed once it is registered. Thread safe.
class GpuAgent {
 public:
  /// `host` and `driver` live as long as the process. `number` is the agent's within the driver.
  GpuAgent(const hsam_host& host, LazyDriver& driver, const GpuProperties& gpu, uint32_t number);

  const Description& description() const { return description_; }
  /// Sets the interface that registration returned. Must be called before the first message arrives.
  void set_driver(const hsa_generic_driver_interface* driver) { driver_ = driver; }

  /// Opens the GPU, if that has not been done. Fails with OutOfResources, and the reason in the log.
  HSAM_Error open() noexcept;
  /// The part of the agent that has queues and code. Not before open().
  agents::HostAgent& queues() { return *queues_; }
  /// What clients were given. Not before open().
  const AccessibleMemory& accessible_memory() const { return device_->accessible_memory(); }

  HSAM_Error region_allocate(uint64_t memory_id, uint64_t size, uint64_t alignment, void** address) noexcept;
  HSAM_Error region_free(void* address) noexcept;
  /// Host memory that the GPU is to access, from now on or from when it is opened. `registered` memory is
  /// that of the operating system that a client has registered. A GPU of the base profile need not access it,
  /// so it does no harm if the driver cannot register it, as files and constants; it makes copies faster. A
  /// GPU that has been lost accesses nothing, so memory for the others is not refused.
  /// `client` is the generic driver's handle, by which it says where memory lies.
  HSAM_Error memory_allocation(int64_t client, const void* base, uint64_t size, bool registered) noexcept;
  void memory_free(const void* base) noexcept;
  HSAM_Error memory_copy(void* to, const void* from, uint64_t size) noexcept;
  HSAM_Error memory_copy_start(const hsam_copy& copy, void* cookie) noexcept;
  /// What this GPU can do with memory of another one of this driver; a mask of hsam_peer_access.
  uint32_t peer_access(const GpuAgent& owner) const noexcept;
  /// Lets kernels of another GPU use the memory of this one.
  HSAM_Error peer_allow(GpuAgent& peer) noexcept;

 private:
  /// Host memory that was announced before the GPU was opened.
  struct Announced {
    uint64_t size;
    bool registered;
    std::optional<remote::HostFiles::Place> place;  ///< of memory that lies in a file
  };

  void forget_parent() noexcept;
  HSAM_Error refuse(const DriverError& error) const;
  void reply(void* cookie, const Driven<void>& done) const noexcept;
  HSAM_Error add_host_memory(GpuDevice& device, const void* base, const Announced& memory) const;
  Driven<std::unique_ptr<GpuDevice>> open_device();
  HSAM_Error ready() noexcept;
  std::optional<remote::HostFiles::Place> place_of(int64_t client, const void* base) const;
  HSAM_Error add_with_file(const void* base, const Announced& memory);
  bool is_apart() const noexcept;

  const hsam_host& host_;
  LazyDriver& cuda_;
  const GpuProperties gpu_;
  const Description description_;
  const hsa_generic_driver_interface* driver_ = nullptr;
  std::atomic<bool> is_open_{false};  ///< open() has nothing to do any more
  std::mutex mutex_;                  ///< guards open() and announced_
  std::multimap<const void*, Announced> announced_;
  std::unique_ptr<GpuDriver> gpu_driver_;  ///< null if the driver never leaves this process, or before open()
  std::unique_ptr<agents::HostAgent> queues_;
  GpuDevice* device_ = nullptr;  ///< of queues_
  std::unique_ptr<Copies> copies_;
  std::unique_ptr<AsyncCopies> async_copies_;
  const ForkHandler fork_handler_{
      [](void* agent) noexcept { static_cast<GpuAgent*>(agent)->forget_parent(); }, this};
};

}  // namespace heddle::cuda
