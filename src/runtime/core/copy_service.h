// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that wait for a signal and complete another: hsa_memory_copy_multiple (Runtime 2.7.4.10).
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

/// One thread, started with the first copy. It waits for the start signals of all copies at once and carries
/// out those that may start, in the order of submission. All that a copy needs is allocated when it is
/// submitted; the thread needs no memory.
class CopyService {
 public:
  struct Copy {
    std::vector<void*> destinations;
    const void* source = nullptr;
    size_t size = 0;
    hsam_signal* start = nullptr;       ///< null: at once
    hsam_signal* completion = nullptr;  ///< null: nobody asks
  };

  explicit CopyService(driver::Client& client) : client_(client) {}
  /// Forgets the copies that have not started.
  ~CopyService();
  CopyService(const CopyService&) = delete;
  CopyService& operator=(const CopyService&) = delete;

  /// Thread safe. OUT_OF_RESOURCES, or std::bad_alloc, means that nothing has been submitted.
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
  std::list<Pending> pending_;  ///< of the thread; a list, because signals point to the records
};

}  // namespace heddle::runtime
