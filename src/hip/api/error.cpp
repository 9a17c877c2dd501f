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

}  // namespace heddle::hip::api
