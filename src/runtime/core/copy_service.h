// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that wait for signals and complete another: hsa_memory_copy_multiple (Runtime 2.7.4.10) and the
// asynchronous copies of the AMD extension.
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include <hsa/hsa.h>
#include <hsam/hsam.h>
#include <hsam/signal.h>

#include "driver/driver.h"
#include "driver/started_copy.h"

namespace heddle::runtime {

/// Rows of bytes at equal distances, in layers at equal distances. Several rows make up a layer.
struct CopyShape {
  size_t row = 0;  ///< bytes
  size_t rows = 1;
  size_t layers = 1;
  size_t source_pitch = 0, source_slice = 0;  ///< distances between rows and between layers, in bytes
  size_t destination_pitch = 0, destination_slice = 0;
};

/// Carries out asynchronous copies. Those that an agent makes by itself, and whose start signals are 0
/// already, begin on the thread that submits them. One thread, which starts with the first copy that needs
/// it, waits for the start signals of all others at once and begins those that may start, in the order of
/// submission; it makes copies that no agent makes by itself. Copies without start signals have no order
/// among each other. Everything that the service needs for a copy is allocated when the copy is submitted.
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
  /// Discards the copies that have not started, and waits for those that agents make.
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
  struct Pending;
  /// The copy to one destination, while an agent makes it.
  struct Part : driver::StartedCopy {
    explicit Part(Pending& of);
    Pending& whole;
  };
  struct Pending {
    Pending(CopyService& of, Copy wanted);
    CopyService& service;
    const Copy copy;
    std::vector<Start> starts;  // signals point to the records, so that the size never changes
    std::list<Part> parts;      // one for each destination
    size_t begun = 0;           // of the parts
    uint64_t started = 0;       // ticks, if the copy is timed
    std::atomic<size_t> left;   // parts that have not ended, and 1 until all have begun
    std::atomic<hsa_status_t> status{HSA_STATUS_SUCCESS};
    std::list<Pending>::iterator place;  // in underway_
  };

  bool has_thread();
  bool begin_at_once(std::list<Pending>& submission);
  bool begin_next(Pending& pending) noexcept;
  void carry_out(Pending& pending) noexcept;
  void end_part(Pending& pending, hsa_status_t status) noexcept;
  void end(Pending& pending) noexcept;
  bool poll() const noexcept;
  void run();
  bool take_submitted();
  bool start_ready();
  bool may_start(Pending& pending);
  static void disarm(Start& start);
  hsa_status_t copy_to(void* destination, const Copy& copy) noexcept;
  static void complete(const Copy& copy, uint64_t started, hsa_status_t status) noexcept;

  driver::Client& client_;
  std::atomic<bool> timed_{false};
  std::atomic<size_t> unfinished_{0};
  std::mutex mutex_;
  std::list<Pending> submitted_;
  std::list<Pending> underway_;    ///< have begun
  std::condition_variable ended_;  ///< nothing is under way
  bool stop_ = false;
  std::thread thread_;
  hsam_waiter waiter_{};
  std::list<Pending> pending_;  ///< used by the thread only
};

}  // namespace heddle::runtime
