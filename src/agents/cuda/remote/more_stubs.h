// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the driver that need more than a message (stubs.cpp has the others).
#pragma once

#include "agents/cuda/driver_api.h"

namespace heddle::cuda::remote {

/// Sets the functions for addresses of the device, memory of the host and copies.
void set_memory_functions(DriverApi& api);

/// cuModuleLoadDataEx of a text that ends with a zero.
Status load_module(void* target, Module* out, const void* image, unsigned count, JitOption* options,
                   void** values);
/// DriverApi::compile.
Status compile(void* target, std::vector<std::byte>* cubin, const char* text, unsigned count,
               const JitOption* options, void** values);
/// DriverApi::load_cubin.
Status load_cubin(void* target, Module* out, const void* cubin, size_t size);

}  // namespace heddle::cuda::remote
