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
  UserObject(void* object, hipHostFn_t destroy) : object_(object), destroy_(destroy) {}
  ~UserObject();
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;

 private:
  void* object_;
  hipHostFn_t destroy_;
};

/// How many references a graph has to each object.
using UserObjects = std::map<std::shared_ptr<UserObject>, unsigned>;

hipUserObject_t add_user_object(const std::shared_ptr<UserObject>& object, unsigned references);
/// Throws Failure (InvalidValue) if no object is alive that the handle names.
std::shared_ptr<UserObject> find_user_object(hipUserObject_t handle);
/// Changes how many references the program has. Throws Failure (InvalidValue) if it would be fewer than none,
/// or more than INT_MAX.
void change_references(hipUserObject_t handle, int64_t change);

}  // namespace heddle::hip
