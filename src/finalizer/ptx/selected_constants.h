// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices among constants in PTX whose result is taken for a floating-point number (constant_floats.h says
// what is wrong with them). Those that LLVM's code generator makes, such as of the parts of a wide integer,
// can be found in its text only.
//
// A NaN among the constants has to keep its bits, which ptxas would change, so that it is hidden, too.
#pragma once

#include <string>
#include <string_view>

namespace heddle::finalizer::ptx {

/// Returns the PTX with a second register behind each choice among constants that floating-point instructions
/// use: it has the same pattern, but ptxas cannot know that, and they use that one. The text is that of LLVM,
/// with an instruction in each line.
std::string with_constants_selected_as_floats(std::string_view ptx);

}  // namespace heddle::finalizer::ptx
