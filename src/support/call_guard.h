// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every function of a C interface runs in.
#pragma once

#include <exception>
#include <new>
#include <utility>

namespace heddle {

/// Runs a call, which returns a status, and lets no exception escape. Returns `out_of_memory` if there is no
/// memory, and for any other exception what `report` returns, which gets its text.
template <typename Status, typename Run, typename Report>
Status guarded_call(Status out_of_memory, Run&& run, Report&& report) noexcept {
  try {
    try {
      return std::forward<Run>(run)();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      return report(error.what());
    } catch (...) {
      return report("one without a text");
    }
  } catch (const std::bad_alloc&) {
    return out_of_memory;
  }
}

}  // namespace heddle
