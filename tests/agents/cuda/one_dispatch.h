// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One dispatch in a queue of its own, for programs that test a GPU through the public interface.
#pragma once

#include <gtest/gtest.h>
#include <hsa/hsa.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace heddle::cuda::test {

/// The name of the first instruction set of an agent.
inline std::string isa_of(hsa_agent_t agent) {
  std::string found;
  hsa_agent_iterate_isas(
      agent,
      [](hsa_isa_t isa, void* out) {
        char name[64] = "";
        hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name);
        *static_cast<std::string*>(out) = name;
        return HSA_STATUS_INFO_BREAK;
      },
      &found);
  return found;
}

/// What the callback of a queue tells.
struct QueueError {
  std::atomic<bool> happened{false};
  std::atomic<hsa_status_t> status{HSA_STATUS_SUCCESS};
};

/// A queue with one dispatch in it.
class OneDispatch {
 public:
  /// `after_error` is what hsa_queue_destroy returns if the queue fails with HSA_STATUS_ERROR: what the host
  /// says of a wrong access is fatal for the queue, and a fault of the GPU is not.
  OneDispatch(hsa_agent_t gpu, hsa_kernel_dispatch_packet_t packet,
              hsa_status_t after_error = HSA_STATUS_ERROR_FATAL)
      : after_error_(after_error) {
    EXPECT_EQ(hsa_queue_create(
                  gpu, 64, HSA_QUEUE_TYPE_SINGLE,
                  [](hsa_status_t status, hsa_queue_t*, void* data) {
                    auto& error = *static_cast<QueueError*>(data);
                    error.status = status;
                    error.happened = true;
                  },
                  &error_, 0, 0, &queue_),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_signal_create(1, 0, nullptr, &done_), HSA_STATUS_SUCCESS);
    packet.completion_signal = done_;
    auto* slot = static_cast<hsa_kernel_dispatch_packet_t*>(queue_->base_address);
    const uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    packet.header = HSA_PACKET_TYPE_INVALID;
    *slot = packet;
    hsa_queue_store_write_index_relaxed(queue_, 1);
    __atomic_store_n(&slot->header, header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue_->doorbell_signal, 0);
  }
  ~OneDispatch() {
    const bool is_fault = error_.status == HSA_STATUS_ERROR;
    EXPECT_EQ(hsa_queue_destroy(queue_), is_fault ? after_error_ : HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_signal_destroy(done_), HSA_STATUS_SUCCESS);
  }
  OneDispatch(const OneDispatch&) = delete;
  OneDispatch& operator=(const OneDispatch&) = delete;

  /// Waits until it has ended or failed.
  void wait() const {
    while (hsa_signal_load_scacquire(done_) != 0 && !error_.happened)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  const QueueError& error() const { return error_; }
  hsa_queue_t* queue() const { return queue_; }

 private:
  const hsa_status_t after_error_;
  QueueError error_;
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t done_ = {0};
};

}  // namespace heddle::cuda::test
