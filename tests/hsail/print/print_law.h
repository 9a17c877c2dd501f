// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hsail/assemble/assemble.h"
#include "hsail/print/print.h"

namespace heddle::print::test {

/// Checks law D2 of the design for one module: a module that Module::open() accepts prints to text that
/// assembles, and the assembled module prints to the same text. Returns an empty string if the law holds,
/// else what broke it.
inline std::string broken_print_law(const brig::Module& module) {
  const std::string text = disassemble(module);
  Diagnostics diagnostics("printed", text);
  std::vector<std::byte> bytes;
  if (!assemble::assemble(text, "printed", bytes, diagnostics))
    return "the text does not assemble:\n" + diagnostics.print() + text;
  const brig::Module again = brig::Module::open(bytes, diagnostics);
  if (!again) return "the module that the text became does not open:\n" + diagnostics.print() + text;
  const std::string second = disassemble(again);
  if (second != text) return "the text is no fixed point:\n" + text + "\n---- became ----\n" + second;
  return {};
}

}  // namespace heddle::print::test
