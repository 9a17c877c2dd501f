// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that wait for one signal and complete another: hsa_memory_copy_multiple (Runtime 2.7.4.10).
#pragma once

#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include <hsa/hsa.h>
#include <hsam/hsam.h>
#include <hsam/signal.h>

#include "driver/driver.h"

namespace heddle::runtime {

/// Carries out asynchronous copies on one thread, which starts with the first copy. The thread waits for the
/// start signals of all copies at once and carries out those that may start, in the order of submission.
/// Everything that the service needs for a copy is allocated when the copy is submitted.
class CopyService {
 public:
  struct Copy {
    std::vector<void*> destinations;
    const void* source = nullptr;
    size_t size = 0;
    hsam_signal* start = nullptr;       ///< null: the copy starts at once
    hsam_signal* completion = nullptr;  ///< null: nobody is notified
  };

  explicit CopyService(driver::Client& client) : client_(client) {}
  /// Discards the copies that have not started.
  ~CopyService();
  CopyService(const CopyService&) = delete;
  CopyService& operator=(const CopyService&) = delete;

  /// Thread safe. After OUT_OF_RESOURCES or std::bad_alloc nothing has been submitted.
  hsa_status_t submit(Copy copy);

 private:
  struct Pending {
    Copy copy;
    hsam_wait_record record{};
    bool armed = false;
  };

  bool has_thread();
  void run();
  void take_submitted();
  bool start_ready();
  hsa_status_t copy_to_all(const Copy& copy) noexcept;
  void carry_out(const Copy& copy) noexcept;

  driver::Client& client_;
  std::mutex mutex_;
  std::list<Pending> submitted_;
  bool stop_ = false;
  std::thread thread_;
  hsam_waiter waiter_{};
  std::list<Pending> pending_;  ///< used by the thread only; a list, because signals point to the records
};

}  // namespace heddle::runtime
