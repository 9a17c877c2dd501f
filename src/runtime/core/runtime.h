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
#include "runtime/core/topology.h"

namespace heddle::runtime {

/// Made by the first hsa_init and never destroyed, so that a process may end at any point: nothing of it runs
/// at exit. What belongs to one life, from the first reference to the last, is made and destroyed by init()
/// and shut_down().
class Runtime {
 public:
  /// hsa_init, hsa_shut_down.
  static hsa_status_t init();
  static hsa_status_t shut_down();
  /// Null while there is no reference. One load.
  static Runtime* current() { return current_.load(std::memory_order_acquire); }

  driver::Client& client() { return *client_; }
  Topology& topology() { return topology_; }
  Objects& objects() { return *objects_; }
  FinalizerLibrary& finalizer() { return finalizer_; }
  CopyService& copies() { return *copies_; }
  Images& images() { return *images_; }

 private:
  Runtime() = default;
  static Runtime& instance();
  static void forget_parent();
  hsa_status_t start();
  void stop();

  static std::atomic<Runtime*> current_;

  std::mutex mutex_;
  int32_t references_ = 0;
  Topology topology_;
  FinalizerLibrary finalizer_;
  std::unique_ptr<Objects> objects_ = std::make_unique<Objects>();
  std::unique_ptr<driver::Client> client_;
  std::unique_ptr<CopyService> copies_;
  std::unique_ptr<Images> images_;
};

}  // namespace heddle::runtime
