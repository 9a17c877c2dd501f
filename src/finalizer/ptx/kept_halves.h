// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of 64 bits of which one half is replaced and the other one kept. If that is done under a condition,
// ptxas (12.4 and 13.0, wherever it optimises) gives the old and the new value the same pair of registers,
// but may forget that the kept half is still needed and take its register for something else in between: `if
// (c) { ... mov.b64 {_, %r1}, %rd1; mov.b64 %rd1, {%r2, %r1}; }` may have any upper half then. It does that
// to either half, and to values that masks or shifts take apart and `or` puts together.
//
// What ptxas knows to be computed it does not lose, so that a kept half goes through an instruction that
// copies it, but that ptxas does not take for a copy.
#pragma once

#include <string>
#include <string_view>

namespace heddle::finalizer::ptx {

/// Returns the PTX with kept halves copied. The text is that of LLVM, with an instruction in each line.
std::string with_kept_halves_copied(std::string_view ptx);

}  // namespace heddle::finalizer::ptx
