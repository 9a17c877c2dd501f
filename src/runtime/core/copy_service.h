// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that wait for signals and complete another: hsa_memory_copy_multiple (Runtime 2.7.4.10) and the
// asynchronous copies of the AMD extension.
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <span>
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
/// among each other. Everything that the service needs for a copy is there when the copy has been submitted.
/// It is used again for later copies, so that most copies to one destination allocate nothing.
class CopyService {
 public:
  /// What is the same for all destinations.
  struct Copy {
    const void* source = nullptr;
    CopyShape shape;
    hsam_signal* completion = nullptr;  ///< null: nobody is notified
    bool timed = false;                 ///< the completion signal gets the times of the copy

    size_t bytes() const { return shape.row * shape.rows * shape.layers; }
  };

  explicit CopyService(driver::Client& client) : client_(client) {}
  /// Discards the copies that have not started, and waits for those that agents make.
  ~CopyService();
  CopyService(const CopyService&) = delete;
  CopyService& operator=(const CopyService&) = delete;

  /// Copies to each of the destinations when each of the start signals, which are live, has been seen with
  /// the value 0. Thread safe. After OUT_OF_RESOURCES or std::bad_alloc nothing has been submitted.
  hsa_status_t submit(const Copy& copy, std::span<void* const> destinations,
                      std::span<const hsa_signal_t> starts);

  /// Reports whether all copies that were submitted have been carried out. Thread safe.
  bool idle() const;

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
    /// To be used only at the end of the copy. The thread that ended the previous copy has this cache line,
    /// so that reading it when a copy begins would cost a transfer between processors; functions that begin
    /// copies are given the Pending instead.
    Pending& whole() const { return *static_cast<Pending*>(owner()); }

    void* destination = nullptr;
  };
  /// A copy from its submission to its end. Nothing of it is shared with another copy, and at its end the
  /// thread that sees it touches little else.
  struct alignas(64) Pending {
    explicit Pending(CopyService& of) : service(of), first(*this) {}
    /// Throws std::bad_alloc; the copy is then still unused.
    void prepare(const Copy& wanted, std::span<void* const> destinations,
                 std::span<const hsa_signal_t> signals);
    /// Frees what only few copies need.
    void clear() noexcept;

    size_t destinations = 0;
    std::list<Part> others;     ///< to the other destinations
    std::vector<Start> starts;  ///< signals point to the records, which do not move
    Pending* next = nullptr;    ///< in a row, or among those that may be used again
    Copy copy;
    // What the end of the copy uses, from the last members of `copy` to the beginning of `first`, is in the
    // cache lines of the request in `first` and before it, which are fetched together at the end.
    CopyService& service;
    std::atomic<size_t> left{0};  ///< parts that have not ended, and 1 until all have begun; 0: it has ended
    std::atomic<hsa_status_t> status{HSA_STATUS_SUCCESS};
    uint64_t started = 0;    ///< ticks, if the copy is timed
    alignas(64) Part first;  ///< to the first destination
  };
  /// Copies in the order in which they were submitted.
  struct Row {
    Pending* first = nullptr;
    Pending* last = nullptr;

    void add(Pending& pending) noexcept;
    Pending* take() noexcept;  ///< the first one; null if there is none
  };

  Pending& take_unused();
  void give_back(Pending& pending) noexcept;
  bool has_thread();
  bool begin_at_once(Pending& pending) noexcept;
  bool begin(const Pending& pending, Part& part) noexcept;
  void carry_out(Pending& pending, Part& part) noexcept;
  void carry_out(Pending& pending) noexcept;
  void end_part(Pending& pending, hsa_status_t status) noexcept;
  bool poll() const noexcept;
  void run();
  bool take_submitted();
  bool start_ready();
  bool may_start(Pending& pending);
  static void disarm(Start& start);
  hsa_status_t copy_to(void* destination, const Copy& copy) noexcept;
  static void complete(const Pending& pending) noexcept;

  driver::Client& client_;
  std::atomic<bool> timed_{false};
  std::mutex mutex_;  ///< guards the following, down to thread_
  /// How many copies have been submitted, or were to be. Written with mutex_.
  std::atomic<uint64_t> begun_copies_{0};
  std::list<Pending> all_;  ///< as many as were ever in flight together
  Pending* unused_ = nullptr;
  Row submitted_;
  bool stop_ = false;
  std::thread thread_;
  /// Those that have ended and may be used again, the latest first. Apart from what mutex_ guards, because it
  /// is changed by the threads that see the ends of copies.
  alignas(64) std::atomic<Pending*> ended_{nullptr};
  std::atomic<uint64_t> ended_copies_{0};  ///< how many have been carried out, or could not be submitted
  alignas(64) hsam_waiter waiter_{};
  Row pending_;  ///< used by the thread only
};

}  // namespace heddle::runtime
