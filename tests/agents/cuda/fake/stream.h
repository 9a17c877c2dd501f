// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "state.h"

namespace heddle::cuda::fake {

/// What a thread does in the order in which it was told to.
class Work {
 public:
  Work();
  ~Work();
  /// Adds something to do, and returns its number, counted from 1.
  uint64_t add(std::function<void()> what);
  /// The number of what was added last, and whether what has this number is done.
  uint64_t last();
  bool is_done(uint64_t number);
  void wait_for(uint64_t number);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> left_;
  uint64_t added_ = 0, done_ = 0;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace heddle::cuda::fake

namespace heddle::cuda {
struct StreamObject {
  DeviceNumber device = fake::current_device();
  fake::Work work;
};
struct EventObject {
  std::mutex mutex;
  StreamObject* stream = nullptr;  ///< that it was recorded in
  uint64_t number = 0;
};
}  // namespace heddle::cuda
