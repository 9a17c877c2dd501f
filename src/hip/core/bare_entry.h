// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens around functions that neither start the runtime nor change the last error.
#pragma once

#include <optional>

#include "hip/core/observe.h"

namespace heddle::hip {

/// Runs the implementation of such a function, which throws nothing. Logs and tools see the call, unless
/// there is no memory to show it.
template <typename Call, typename... Arguments>
hipError_t observe(FunctionId id, Call call, const Arguments&... arguments) noexcept {
  std::optional<ObservedCall> observed;
  try {
    observed.emplace(id, arguments...);
  } catch (const std::bad_alloc&) {
    return call();
  }
  const hipError_t result = call();
  try {
    observed->ended(result);
  } catch (const std::bad_alloc&) {
    return result;
  }
  return result;
}

}  // namespace heddle::hip
