// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wrapper in which every call of the C API runs.
#pragma once

#include <new>
#include <string>
#include <utility>

#include <hsail/hsail.h>

#include "support/call_guard.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

/// Passes the text of the diagnostics to the callback, if there are both. If there is no memory for the text,
/// the callback is not called and the caller has only the status.
inline void report(const Diagnostics& diagnostics, hsail_diagnostic_callback callback, void* data) noexcept {
  if (!callback || diagnostics.all().empty()) return;
  std::string text;
  try {
    text = diagnostics.print();
  } catch (const std::bad_alloc&) {
    return;
  }
  callback(text.c_str(), text.size(), data);
}

/// Reports an error in this library or in one that it uses, rather than in the input.
inline hsail_status report_internal_error(const char* what, hsail_diagnostic_callback callback, void* data) {
  Diagnostics diagnostics;
  diagnostics.error("FINALIZER-internal", {}, std::string("the call ended with an exception: ") + what);
  report(diagnostics, callback, data);
  return HSAIL_FINALIZATION_FAILED;
}

/// Runs a call and lets no exception escape: lack of memory becomes a status, any other exception a
/// diagnostic.
template <typename Run>
hsail_status guarded(hsail_diagnostic_callback callback, void* data, Run&& run) noexcept {
  return guarded_call(HSAIL_OUT_OF_RESOURCES, std::forward<Run>(run),
                      [&](const char* what) { return report_internal_error(what, callback, data); });
}

}  // namespace heddle::finalizer
