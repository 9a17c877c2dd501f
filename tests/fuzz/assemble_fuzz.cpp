// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text gives either diagnostics or a module. A module opens, and its disassembly assembles to the same
// bytes.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hsail/assemble/assemble.h"
#include "hsail/print/print.h"

namespace {

[[noreturn]] void broken(const char* law, const std::string& text, const heddle::Diagnostics& diagnostics) {
  std::fprintf(stderr, "%s\n%s\n%s\n", law, text.c_str(), diagnostics.print().c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics;
  std::vector<std::byte> brig;
  if (!assemble::assemble(text, "input", brig, diagnostics)) {
    if (!diagnostics.has_errors() || !brig.empty()) broken("failure without an error", text, diagnostics);
    diagnostics.print();
    return 0;
  }
  if (diagnostics.has_errors()) broken("success with an error", text, diagnostics);
  Diagnostics found;
  const brig::Module module = brig::Module::open(brig, found);
  if (!module) broken("assembled, but does not open", text, found);
  const std::string printed = print::disassemble(module);
  std::vector<std::byte> again;
  Diagnostics second;
  if (!assemble::assemble(printed, "disassembly", again, second))
    broken("disassembly does not assemble", printed, second);
  if (again != brig) broken("disassembly assembles to other bytes", printed, second);
  return 0;
}
