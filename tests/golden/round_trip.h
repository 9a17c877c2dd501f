// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the laws between text and BRIG on one text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "hsail/assemble/assemble.h"
#include "hsail/brig/module.h"
#include "hsail/print/print.h"

namespace heddle::golden {

struct RoundTrip {
  std::vector<std::byte>
      brig;             // of the text; empty if a step failed, which is reported as a failure of the test
  std::string printed;  // its disassembly
};

inline std::string first_difference(std::string_view a, std::string_view b) {
  size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  auto line_at = [at](std::string_view text) {
    size_t begin = text.rfind('\n', at == 0 ? 0 : at - 1);
    begin = begin == std::string_view::npos ? 0 : begin + 1;
    return std::string(text.substr(begin, text.find('\n', begin) - begin));
  };
  return "\n  " + line_at(a) + "\n  " + line_at(b);
}

/// Assembles, disassembles and assembles again. The laws are that the second module has the bytes of the
/// first, and that its disassembly is the same text.
inline RoundTrip round_trip(const std::string& text, const std::string& name) {
  RoundTrip out;
  Diagnostics diagnostics;
  std::vector<std::byte> first, second;
  bool ok = assemble::assemble(text, name, first, diagnostics);
  EXPECT_TRUE(ok) << diagnostics.print();
  EXPECT_TRUE(!ok || diagnostics.all().empty()) << diagnostics.print();
  if (!ok) return out;
  brig::Module module = brig::Module::open(first, diagnostics);
  EXPECT_TRUE(static_cast<bool>(module)) << name << ": what the assembler accepts must open\n"
                                         << diagnostics.print();
  if (!module) return out;
  std::string printed = print::disassemble(module);
  ok = assemble::assemble(printed, name + " (disassembled)", second, diagnostics);
  EXPECT_TRUE(ok) << diagnostics.print();
  if (!ok) return out;
  Diagnostics again;
  std::string fixed = print::disassemble(brig::Module::open(second, again));
  EXPECT_TRUE(fixed == printed) << name << ": the disassembly is no fixed point"
                                << first_difference(printed, fixed);
  EXPECT_TRUE(first == second) << name << ": the disassembly assembles to other bytes";
  out.brig = std::move(first);
  out.printed = std::move(printed);
  return out;
}

}  // namespace heddle::golden
