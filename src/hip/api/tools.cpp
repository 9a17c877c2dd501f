// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tools call.
#include "functions.h"
#include "hip/core/activity.h"
#include "hip/core/api_callbacks.h"

namespace heddle::hip::api {

hipError_t hipRegisterApiCallback(uint32_t id, void* fun, void* arg) {
  if (fun == nullptr) return hipErrorInvalidValue;
  return set_api_callback(id, {reinterpret_cast<ApiCallback>(fun), arg}) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipRemoveApiCallback(uint32_t id) {
  return set_api_callback(id, {}) ? hipSuccess : hipErrorInvalidValue;
}

void hipInitActivityCallback(void* id_callback, void* op_callback, void* arg) {
  set_activity_tool({reinterpret_cast<decltype(ActivityTool::submitted)>(id_callback),
                     reinterpret_cast<decltype(ActivityTool::completed)>(op_callback), arg});
}

bool hipEnableActivityCallback(unsigned op, bool enable) { return enable_activity(op, enable); }

const char* hipGetCmdName(unsigned op) { return name_of_activity(op); }

hipError_t hipProfilerStart() {
  tools_are_called = true;
  return hipSuccess;
}

hipError_t hipProfilerStop() {
  tools_are_called = false;
  return hipSuccess;
}

}  // namespace heddle::hip::api
