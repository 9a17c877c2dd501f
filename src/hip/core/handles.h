// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that programs know by handles.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace heddle::hip {

/// The live objects of a kind; a handle is the address of its object. Whoever finds an object keeps it alive,
/// also if another thread destroys it meanwhile. All functions are thread safe.
template <typename Object, typename Handle>
class Handles {
 public:
  Handle add(std::shared_ptr<Object> object) {
    const std::unique_lock lock(mutex_);
    Object* const address = object.get();
    objects_.emplace(address, std::move(object));
    return reinterpret_cast<Handle>(address);
  }

  /// Returns null if there is no such object.
  std::shared_ptr<Object> find(Handle handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<Object*>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  /// Removes the object and returns it; null if there is none.
  std::shared_ptr<Object> take(Handle handle) {
    const std::unique_lock lock(mutex_);
    auto node = objects_.extract(reinterpret_cast<Object*>(handle));
    return node.empty() ? nullptr : std::move(node.mapped());
  }

  /// Removes all objects that satisfy the predicate.
  template <typename Predicate>
  void remove_if(Predicate predicate) {
    const std::unique_lock lock(mutex_);
    std::erase_if(objects_, [&](const auto& entry) { return predicate(*entry.second); });
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<Object*, std::shared_ptr<Object>> objects_;
};

}  // namespace heddle::hip
