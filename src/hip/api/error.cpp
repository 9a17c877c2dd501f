// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors and their names.
#include "functions.h"
#include "hip/core/error_table.h"
#include "hip/core/thread.h"

namespace heddle::hip::api {

hipError_t hipGetLastError() {
  ThreadState& thread = this_thread();
  const hipError_t error = thread.last_error;
  thread.last_error = hipSuccess;
  return error;
}

hipError_t hipPeekAtLastError() { return this_thread().last_error; }

const char* hipGetErrorName(hipError_t hip_error) { return row_of(hip_error).name; }

const char* hipGetErrorString(hipError_t hipError) { return row_of(hipError).text; }

hipError_t hipDrvGetErrorName(hipError_t hipError, const char** errorString) {
  if (errorString == nullptr || row_of(hipError).code != hipError) return hipErrorInvalidValue;
  *errorString = row_of(hipError).name;
  return hipSuccess;
}

hipError_t hipDrvGetErrorString(hipError_t hipError, const char** errorString) {
  if (errorString == nullptr || row_of(hipError).code != hipError) return hipErrorInvalidValue;
  *errorString = row_of(hipError).text;
  return hipSuccess;
}

}  // namespace heddle::hip::api
