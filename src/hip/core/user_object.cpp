// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/user_object.h"

#include <climits>
#include <mutex>
#include <unordered_map>

#include "hip/core/failure.h"

namespace heddle::hip {
namespace {

struct Entry {
  std::weak_ptr<UserObject> object;
  std::shared_ptr<UserObject> of_program;  ///< null when the program has no references
  int64_t references;                      ///< of the program
};

/// Never destroyed, because graphs may end after static objects.
struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, Entry> entries;

  static Registry& get() {
    static auto* const registry = new Registry;
    return *registry;
  }
};

}  // namespace

UserObject::~UserObject() {
  {
    Registry& registry = Registry::get();
    const std::scoped_lock lock(registry.mutex);
    registry.entries.erase(this);
  }
  if (destroy_ != nullptr) destroy_(object_);
}

hipUserObject_t add_user_object(void* object, hipHostFn_t destroy, unsigned references) {
  const auto made = std::make_shared<UserObject>();
  Registry& registry = Registry::get();
  const std::scoped_lock lock(registry.mutex);
  registry.entries.emplace(made.get(), Entry{made, made, references});
  made->take(object, destroy);
  return reinterpret_cast<hipUserObject_t>(made.get());
}

std::shared_ptr<UserObject> find_user_object(hipUserObject_t handle) {
  Registry& registry = Registry::get();
  const std::scoped_lock lock(registry.mutex);
  const auto found = registry.entries.find(handle);
  auto object = found == registry.entries.end() ? nullptr : found->second.object.lock();
  if (object == nullptr) throw Failure(hipErrorInvalidValue, "there is no such user object");
  return object;
}

void change_references(hipUserObject_t handle, int64_t change) {
  const auto object = find_user_object(handle);  // lives until the lock is released
  Registry& registry = Registry::get();
  const std::scoped_lock lock(registry.mutex);
  Entry& entry = registry.entries.at(handle);
  const int64_t references = entry.references + change;
  if (references < 0 || references > INT_MAX)
    throw Failure(hipErrorInvalidValue, "a user object cannot have so few or so many references");
  entry.references = references;
  entry.of_program = references == 0 ? nullptr : object;
}

}  // namespace heddle::hip
