// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process-wide runtime (Runtime 2.1).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include <hsa/hsa.h>

#include "driver/driver.h"
#include "runtime/core/copy_service.h"
#include "runtime/core/finalizer_library.h"
#include "runtime/core/images.h"
#include "runtime/core/objects.h"
#include "runtime/core/performance_counters.h"
#include "runtime/core/profile_events.h"
#include "runtime/core/signal_handlers.h"
#include "runtime/core/topology.h"
#include "runtime/interception/intercept_queues.h"
#include "runtime/interception/tools.h"

namespace heddle::runtime {

namespace amd {
struct State;
}

/// The state of the runtime. It is created when the library is loaded and never destroyed, so that a process
/// may exit at any time without running code of the runtime. init() creates what exists only while there are
/// references, and shut_down() destroys it.
class Runtime {
 public:
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Implement hsa_init and hsa_shut_down. The last shut_down() waits for the calls that are under way on
  /// other threads. Inside a call it does nothing and returns HSA_STATUS_ERROR, because it would wait for
  /// itself. An init() while shut_down() waits adds a reference to the running runtime, and shut_down()
  /// returns. The first init() loads the tools, and the last shut_down() unloads them. Tools may call both
  /// meanwhile, on the same thread, as long as the runtime keeps a reference.
  static hsa_status_t init();
  static hsa_status_t shut_down();
  /// Returns null while there are no references. Costs one atomic load. Create a CallUnderWay first, and use
  /// the parts of the runtime only while it lives.
  static Runtime* current() { return current_.load(std::memory_order_seq_cst); }

  /// Whether the runtime is in the configuration state (Runtime 2.1): no function has been called since
  /// hsa_init but those that keep it.
  bool configuring() const { return configuring_.load(std::memory_order_relaxed); }
  void leave_configuration() {
    if (configuring()) configuring_.store(false, std::memory_order_relaxed);
  }

  driver::Client& client() { return *client_; }
  Topology& topology() { return topology_; }
  Objects& objects() { return *objects_; }
  FinalizerLibrary& finalizer() { return finalizer_; }
  CopyService& copies() { return *copies_; }
  Images& images() { return *images_; }
  amd::State& amd() { return *amd_; }
  SignalHandlers& handlers() { return *handlers_; }
  InterceptQueues& intercept_queues() { return *intercept_queues_; }
  PerformanceCounters& counters() { return *counters_; }
  ProfileEvents& events() { return *events_; }

 private:
  Runtime();
  static Runtime* create() noexcept;
  class Lock;
  static void before_fork();
  static void after_fork();
  static void forget_parent();
  static bool call_counted(void (*function)(void* data), void* data);
  hsa_status_t start();
  void load_tools(Lock& lock);
  hsa_status_t init_by_tool();
  hsa_status_t shut_down_by_tool();
  void stop();
  void stop_after_calls(Lock& lock);

  /// Created when the library is loaded, with the handlers of forks: a child that was forked in the middle of
  /// that could not use the runtime. Null if there was no memory.
  static Runtime* const instance_;
  static std::atomic<Runtime*> current_;

  std::mutex
      mutex_;  // guards the members below; calls under way read the parts of a started runtime without it
  int32_t references_ = 0;
  std::atomic<bool> configuring_ = false;
  Tools tools_;
  Topology topology_;
  FinalizerLibrary finalizer_;
  std::unique_ptr<Objects> objects_ = std::make_unique<Objects>();
  std::unique_ptr<driver::Client> client_;  // null if the runtime is not started
  std::unique_ptr<CopyService> copies_;
  std::unique_ptr<Images> images_;
  std::unique_ptr<amd::State> amd_;
  std::unique_ptr<SignalHandlers> handlers_;
  std::unique_ptr<InterceptQueues> intercept_queues_;
  std::unique_ptr<PerformanceCounters> counters_;
  std::unique_ptr<ProfileEvents> events_;
};

}  // namespace heddle::runtime
