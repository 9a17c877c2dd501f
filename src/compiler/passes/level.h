// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::compiler {

/// How much the compiler optimises, by the letter of the option -O.
enum class Level : char {
  none = '0',
  less = '1',
  normal = '2',
  aggressive = '3',
  size = 's',
  least_size = 'z'
};

}  // namespace heddle::compiler
