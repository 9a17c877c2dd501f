// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all functions of the driver need that are carried out by a process.
#pragma once

#include <new>

#include "agents/cuda/remote/request.h"

namespace heddle::cuda::remote {

inline RemoteDriver& driver_of(void* target) { return *static_cast<RemoteDriver*>(target); }

/// For calls of which nothing but the status comes back.
inline void take_nothing(Reader&) {}

/// Runs the body of a function. Some callers have nobody who would catch an exception.
template <typename Body>
Status guarded(Body body) noexcept try {
  return body();
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace heddle::cuda::remote
