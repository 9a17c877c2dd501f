// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of PTX on 16 bits. LLVM's code generator narrows some of the arithmetic that narrow_integers.h
// has widened, namely that with a constant operand, because it cannot know what ptxas makes of it.
#pragma once

#include <string>
#include <string_view>

namespace heddle::finalizer::ptx {

/// Returns the PTX with additions, subtractions, products, negations and comparisons of 16 bits done with 32.
/// The text is that of LLVM, with an instruction in each line.
std::string with_wide_instructions(std::string_view ptx);

}  // namespace heddle::finalizer::ptx
