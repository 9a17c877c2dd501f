// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of programs that graphs keep alive.
#pragma once

#include <hip/runtime/types.h>

#include <map>
#include <memory>

namespace heddle::hip {

/// Calls the program's function when the program and all graphs have given up their references: the graphs
/// hold pointers, and so do the handles while the program has references.
class UserObject {
 public:
  UserObject() = default;
  ~UserObject();
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;

  /// Takes responsibility for what the program wants to have destroyed.
  void take(void* object, hipHostFn_t destroy) noexcept {
    object_ = object;
    destroy_ = destroy;
  }

 private:
  void* object_ = nullptr;
  hipHostFn_t destroy_ = nullptr;
};

/// How many references a graph has to each object.
using UserObjects = std::map<std::shared_ptr<UserObject>, unsigned>;

/// Makes an object of which the program has references. If that throws, the program keeps what it gave.
hipUserObject_t add_user_object(void* object, hipHostFn_t destroy, unsigned references);
/// Throws Failure (InvalidValue) if no object is alive that the handle names.
std::shared_ptr<UserObject> find_user_object(hipUserObject_t handle);
/// Changes how many references the program has. Throws Failure (InvalidValue) if it would be fewer than none,
/// or more than INT_MAX.
void change_references(hipUserObject_t handle, int64_t change);

}  // namespace heddle::hip
