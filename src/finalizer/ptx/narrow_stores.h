// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores of the low bits of a register. PTX lets a store name a register that is wider than what it stores,
// and LLVM 22 makes use of that. ptxas 13.0, and with it the compiler of the driver, takes such a store for a
// conversion if floating-point arithmetic has made the value: of `add.f32 %r2, ...; st.b8 [%rd1], %r2` it
// stores the number as an integer of 8 bits, instead of the low 8 bits of its pattern.
#pragma once

#include <string>
#include <string_view>

namespace heddle::finalizer::ptx {

/// Returns the PTX with the low bits of wider registers made by an instruction of their own before each store
/// of them. The text is that of LLVM, with an instruction in each line.
std::string with_explicit_low_bits(std::string_view ptx);

}  // namespace heddle::finalizer::ptx
