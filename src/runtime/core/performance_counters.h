// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the extension for performance counters (Runtime 3.4).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "driver/driver.h"
#include "runtime/core/counter_session.h"
#include "runtime/core/objects.h"
#include "runtime/core/performance_counter.h"
#include "runtime/core/topology.h"

namespace heddle::runtime {

/// Lives from the first hsa_init to the last hsa_shut_down. Thread safe.
class PerformanceCounters {
 public:
  PerformanceCounters(const Topology& topology, driver::Client& client, Objects& objects)
      : topology_(topology), client_(client), objects_(objects) {}

  /// Returns the counters by index. They are looked for at the first call.
  std::span<const PerformanceCounter> counters();

  // The functions of the manual of the same names.
  hsa_status_t init();
  hsa_status_t shut_down();
  hsa_status_t create_session(hsa_ext_perf_counter_session_ctx_t* context);

 private:
  const Topology& topology_;
  driver::Client& client_;
  Objects& objects_;
  std::mutex mutex_;
  bool initialized_ = false;
  std::vector<PerformanceCounter> counters_;  ///< empty until the first call of counters()
};

}  // namespace heddle::runtime
