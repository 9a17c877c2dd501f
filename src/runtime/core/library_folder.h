// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::runtime {

/// Returns the folder of the runtime library, in which its companions lie; empty if the system does not tell.
std::string library_folder();

}  // namespace heddle::runtime
