// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "agents/cuda/host_memory.h"
#include "codeobject/ptx_kernel.h"

namespace heddle::cuda {

/// The host memory that a queue shares with its GPU.
class QueueBlock {
 public:
  /// The most dispatches in flight.
  static constexpr uint32_t records = 64;

  /// `host` outlives the block.
  static Driven<std::unique_ptr<QueueBlock>> create(HostMemory& host);
  ~QueueBlock();
  QueueBlock(const QueueBlock&) = delete;
  QueueBlock& operator=(const QueueBlock&) = delete;

  /// The number of dispatches that the GPU has ended, and the address at which it writes this number.
  uint64_t progress() const { return __atomic_load_n(&words_->progress, __ATOMIC_ACQUIRE); }
  /// To be called only when the GPU has nothing to do that would write the number.
  void set_progress(uint64_t dispatches) {
    __atomic_store_n(&words_->progress, dispatches, __ATOMIC_RELEASE);
  }
  const uint64_t* progress_word() const { return &words_->progress; }
  DeviceAddress progress_address() const { return address(&words_->progress); }

  /// Asks kernels to end.
  void stop() { __atomic_store_n(&words_->stop, 1u, __ATOMIC_RELEASE); }
  uint32_t* stop_word() const { return &words_->stop; }
  uint64_t stop_address() const { return address(&words_->stop); }

  /// The record of a dispatch, by its number in the queue. Dispatches in flight have records of their own.
  ptx_kernel::ErrorRecord& record(uint64_t dispatch) { return words_->errors[dispatch % records]; }
  static bool is_complete(const ptx_kernel::ErrorRecord& record) {
    return __atomic_load_n(&record.state, __ATOMIC_ACQUIRE) == ptx_kernel::ErrorRecord::complete;
  }

 private:
  struct Words {
    alignas(64) uint64_t progress = 0;
    alignas(64) uint32_t stop = 0;
    alignas(64) ptx_kernel::ErrorRecord errors[records] = {};
  };

  QueueBlock(HostMemory& host, Words* words) : host_(host), words_(words) {}
  static DeviceAddress address(const void* word) { return reinterpret_cast<DeviceAddress>(word); }

  HostMemory& host_;
  Words* const words_;
};

}  // namespace heddle::cuda
