// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

#include "control.h"

#define HEDDLE_FAKE extern "C" __attribute__((visibility("default")))

namespace heddle::cuda::fake {

Control& control();

/// The device whose context is that of the calling thread.
DeviceNumber& current_device();

/// What a device may do with an address.
enum class Access { own, peer, host, none };
/// Whether a device may access memory: its own, that of another device, or what is no memory of a device.
Access access_of(DeviceNumber device, DeviceAddress address, size_t size);

/// An error that stays: after it every function returns it, as after a fault of a real GPU.
std::atomic<Status>& sticky();

/// What a function that changes nothing returns first of all: the sticky error, or success.
inline Status state_of_context() { return sticky().load(); }

}  // namespace heddle::cuda::fake

HEDDLE_FAKE heddle::cuda::Status cuFuncGetAttribute(int* value, heddle::cuda::FunctionAttribute attribute,
                                                    heddle::cuda::Function function);
