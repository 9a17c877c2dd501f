// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace that HEDDLE_TRACE asks for (docs/tracing.md).
#pragma once

namespace heddle::runtime::trace {

/// Begins the trace of this process if HEDDLE_TRACE names a file and no trace has begun. What cannot be
/// traced is an error in the log. To be called by one thread at a time.
void start() noexcept;
/// Writes everything that has been observed until now. Does nothing without a trace.
void flush() noexcept;

}  // namespace heddle::runtime::trace
