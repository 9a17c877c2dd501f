// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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
    objects_.insert(&object);
  }
  void remove(Object& object) {
    const std::scoped_lock lock(mutex_);
    objects_.erase(&object);
  }
  template <typename Function>
  void for_each(Function function) {
    const std::scoped_lock lock(mutex_);
    for (Object* const object : objects_) function(*object);
  }

 private:
  std::mutex mutex_;
  std::unordered_set<Object*> objects_;
};

}  // namespace heddle::hip
