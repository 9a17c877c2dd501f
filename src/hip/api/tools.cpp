// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tools call.
#include "functions.h"
#include "hip/core/api_callbacks.h"

namespace heddle::hip::api {

hipError_t hipRegisterApiCallback(uint32_t id, void* fun, void* arg) {
  if (fun == nullptr) return hipErrorInvalidValue;
  return set_api_callback(id, {reinterpret_cast<ApiCallback>(fun), arg}) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipRemoveApiCallback(uint32_t id) {
  return set_api_callback(id, {}) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipProfilerStart() {
  tools_are_called = true;
  return hipSuccess;
}

hipError_t hipProfilerStop() {
  tools_are_called = false;
  return hipSuccess;
}

}  // namespace heddle::hip::api
