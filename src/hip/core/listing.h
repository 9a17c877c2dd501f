// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <mutex>
#include <unordered_set>

namespace heddle::hip {

/// Objects that list themselves while they exist, so that a device reaches all that it has. All functions are
/// thread safe; the function that for_each() calls must not create or destroy such objects.
template <typename Object>
class Listing {
 public:
  void add(Object& object) {
    const std::scoped_lock lock(mutex_);
    if (objects_.insert(&object).second) ++exist_;
  }
  void remove(Object& object) {
    const std::scoped_lock lock(mutex_);
    exist_ -= objects_.erase(&object);
  }
  /// Whether no list of any device has such an object. Takes no lock: one that is being added may be missed.
  static bool none_exist() { return exist_.load(std::memory_order_acquire) == 0; }
  template <typename Function>
  void for_each(Function function) {
    if (none_exist()) return;
    const std::scoped_lock lock(mutex_);
    for (Object* const object : objects_) function(*object);
  }

 private:
  std::mutex mutex_;
  std::unordered_set<Object*> objects_;
  static inline std::atomic<size_t> exist_{0};
};

}  // namespace heddle::hip
