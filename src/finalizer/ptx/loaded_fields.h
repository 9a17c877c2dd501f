// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits that are taken out of the upper half of what a load of 8 or 16 bits has extended. If they are
// converted to a floating-point number and the load has no other use, ptxas (12.4 and 13.0, wherever it
// optimises) makes the load one of the upper half only, which it does not change when it is that narrow
// already: `ld.s8 %r1; bfe.u32 %r2, %r1, 16, 8; cvt.rn.f32.u32 %f1, %r2;` converts the lowest byte instead of
// the third one.
//
// What was loaded goes through an instruction that copies it, but that ptxas does not take for a copy.
#pragma once

#include <string>
#include <string_view>

namespace heddle::finalizer::ptx {

/// Returns the PTX with such values copied. The text is that of LLVM, with an instruction in each line.
std::string with_loaded_fields_copied(std::string_view ptx);

}  // namespace heddle::finalizer::ptx
