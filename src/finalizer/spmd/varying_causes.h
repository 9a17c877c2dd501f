// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a value is varying (shapes.h), in words for authors of kernels.
#pragma once

#include <string>

#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

/// Returns a clause that says what makes an address differ between the lanes of a wave in a way that is not
/// known. The shape of the address has to be varying. `line` is that of the access, and is not repeated.
std::string why_varying(const llvm::Value& address, const Shapes& shapes, unsigned line);

}  // namespace heddle::finalizer::spmd
