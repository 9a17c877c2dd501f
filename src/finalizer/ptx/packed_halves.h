// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words that are put together from two halves, or taken apart. If ptxas 13.0, and with it the compiler of the
// driver, knows that the upper half is 0, it does not cut off what lies above the lower one in its register:
// of `cvt.u16.u32 %rs1, %r1; mov.b32 {_, %rs2}, %r2; mov.b32 %r3, {%rs1, %rs2}` with such a %r2 it makes more
// than the low 16 bits of %r1.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "finalizer/ptx/text_lines.h"

namespace heddle::finalizer::ptx {

/// A word and its two halves, as `mov.b32` and `mov.b64` have them. A half that nobody wants is `_`.
struct Halves {
  std::string_view word, lower, upper;
};

/// What an instruction `MNEMONIC WORD, {LOWER, UPPER}` puts together.
std::optional<Halves> put_together(const Line& line, std::string_view mnemonic);

/// What an instruction `MNEMONIC {LOWER, UPPER}, WORD` takes apart.
std::optional<Halves> taken_apart(const Line& line, std::string_view mnemonic);

/// Returns the PTX with words put together and taken apart by instructions on 32 bits. The text is that of
/// LLVM, with an instruction in each line.
std::string with_explicit_halves(std::string_view ptx);

}  // namespace heddle::finalizer::ptx
