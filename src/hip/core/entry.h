// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens around every function of the library: the runtime is initialised by the first call, exceptions
// become results, and a failure is kept as the last error of the thread.
#pragma once

#include <new>

#include "functions.h"
#include "hip/core/capture.h"
#include "hip/core/failure.h"
#include "hip/core/log.h"
#include "hip/core/observe.h"
#include "hip/core/runtime.h"
#include "hip/core/thread.h"

namespace heddle::hip {

/// Returns the result for the exception that is being handled.
hipError_t result_of_exception(FunctionId id) noexcept;

/// Runs the implementation of a function. `arguments` are those of the call, for logs.
template <typename Call, typename... Arguments>
hipError_t enter(FunctionId id, Call call, const Arguments&... arguments) noexcept {
  hipError_t result;
  try {
    const ObservedCall observed(id, arguments...);
    result = Runtime::start();
    if (captures_under_way.load(std::memory_order_relaxed) != 0) refuse_unsafe_call(id);
    if (result == hipSuccess) result = call();
    observed.ended(result);
  } catch (...) {
    result = result_of_exception(id);
  }
  return this_thread().note(result);
}

/// The result of functions that do not exist yet.
hipError_t not_supported(FunctionId id) noexcept;

}  // namespace heddle::hip
