// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

#include "control.h"

#define HEDDLE_FAKE extern "C" __attribute__((visibility("default")))

namespace heddle::cuda::fake {

Control& control();

/// An error that stays: after it every function returns it, as after a fault of a real GPU.
std::atomic<Status>& sticky();

/// What a function that changes nothing returns first of all: the sticky error, or success.
inline Status state_of_context() { return sticky().load(); }

}  // namespace heddle::cuda::fake

HEDDLE_FAKE heddle::cuda::Status cuFuncGetAttribute(int* value, heddle::cuda::FunctionAttribute attribute,
                                                    heddle::cuda::Function function);
