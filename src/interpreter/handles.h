// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Handles of indirect functions (PRM 10.8): values that programs may store, pass on and call. Thread safe.
namespace heddle::interpreter {

struct Function;

uint64_t publish_handle(const Function& function);
void withdraw_handle(const Function& function);
/// The function behind a handle; null for any other value.
const Function* indirect_function(uint64_t handle);

}  // namespace heddle::interpreter
