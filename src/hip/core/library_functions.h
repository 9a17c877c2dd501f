// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::hip {

/// Returns the address of a function that the library exports and implements; null if there is none.
void* exported_function(const std::string& name);

}  // namespace heddle::hip
