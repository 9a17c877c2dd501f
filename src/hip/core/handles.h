// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that programs know by handles.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace heddle::hip {

/// The live objects of a kind; a handle is the address of its object, or another that is the object's own.
/// Whoever finds an object keeps it alive, also if another thread destroys it meanwhile. All functions are
/// thread safe.
template <typename Object, typename Handle>
class Handles {
 public:
  Handle add(std::shared_ptr<Object> object) {
    Object* const address = object.get();
    return add_as(address, std::move(object));
  }

  /// Adds an object by an address that no other object has.
  Handle add_as(void* address, std::shared_ptr<Object> object) {
    const std::unique_lock lock(mutex_);
    objects_.emplace(address, std::move(object));
    return static_cast<Handle>(address);
  }

  /// Returns null if there is no such object.
  std::shared_ptr<Object> find(Handle handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  /// Returns an object that satisfies the predicate; null if there is none.
  template <typename Predicate>
  std::shared_ptr<Object> find_if(Predicate predicate) const {
    const std::shared_lock lock(mutex_);
    for (const auto& [handle, object] : objects_)
      if (predicate(*object)) return object;
    return nullptr;
  }

  /// Removes the object and returns it; null if there is none.
  std::shared_ptr<Object> take(Handle handle) {
    const std::unique_lock lock(mutex_);
    auto node = objects_.extract(handle);
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
  std::unordered_map<const void*, std::shared_ptr<Object>> objects_;
};

}  // namespace heddle::hip
