// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that wait for signals and complete another: hsa_memory_copy_multiple (Runtime 2.7.4.10) and the
// asynchronous copies of the AMD extension.
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include <hsa/hsa.h>
#include <hsam/hsam.h>
#include <hsam/signal.h>

#include "driver/driver.h"

namespace heddle::runtime {

/// Rows of bytes at equal distances, in layers at equal distances. Several rows make up a layer.
struct CopyShape {
  size_t row = 0;  ///< bytes
  size_t rows = 1;
  size_t layers = 1;
  size_t source_pitch = 0, source_slice = 0;  ///< distances between rows and between layers, in bytes
  size_t destination_pitch = 0, destination_slice = 0;
};

/// Carries out asynchronous copies on one thread, which starts with the first copy. The thread waits for the
/// start signals of all copies at once and carries out those that may start, in the order of submission.
/// Everything that the service needs for a copy is allocated when the copy is submitted.
class CopyService {
 public:
  struct Copy {
    std::vector<void*> destinations;
    const void* source = nullptr;
    CopyShape shape;
    std::vector<hsam_signal*> starts;   ///< the copy starts when each of them has been seen with the value 0
    hsam_signal* completion = nullptr;  ///< null: nobody is notified
    bool timed = false;                 ///< the completion signal gets the times of the copy
  };

  explicit CopyService(driver::Client& client) : client_(client) {}
  /// Discards the copies that have not started.
  ~CopyService();
  CopyService(const CopyService&) = delete;
  CopyService& operator=(const CopyService&) = delete;

  /// Thread safe. After OUT_OF_RESOURCES or std::bad_alloc nothing has been submitted.
  hsa_status_t submit(Copy copy);

  /// Reports whether all copies that were submitted have been carried out.
  bool idle() const { return unfinished_.load(std::memory_order_acquire) == 0; }

  /// Whether the copies of the AMD extension are timed; the application decides (hsa_amd_profiling_...).
  void set_timed(bool timed) { timed_.store(timed, std::memory_order_relaxed); }
  bool timed() const { return timed_.load(std::memory_order_relaxed); }

 private:
  /// A signal that was not 0 yet. The record watches it, so that a value is not missed that is 0 only for a
  /// moment.
  struct Start {
    hsam_signal* signal = nullptr;  ///< null: has been seen with the value 0
    hsam_wait_record record{};
    bool armed = false;
  };
  struct Pending {
    explicit Pending(Copy copy);
    Copy copy;
    std::vector<Start> starts;  // signals point to the records, so that the size never changes
  };

  bool has_thread();
  bool poll() const noexcept;
  void run();
  void take_submitted();
  bool start_ready();
  bool may_start(Pending& pending);
  static void disarm(Start& start);
  hsa_status_t copy_to(void* destination, const Copy& copy);
  hsa_status_t copy_to_all(const Copy& copy) noexcept;
  void carry_out(const Copy& copy) noexcept;

  driver::Client& client_;
  std::atomic<bool> timed_{false};
  std::atomic<size_t> unfinished_{0};
  std::mutex mutex_;
  std::list<Pending> submitted_;
  bool stop_ = false;
  std::thread thread_;
  hsam_waiter waiter_{};
  std::list<Pending> pending_;  ///< used by the thread only
};

}  // namespace heddle::runtime
