// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make_empty_code ISA FILE writes a code object for one of heddle's ISAs. Its only kernel does nothing.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string_view>

#include "codeobject/code_object.h"
#include "hsail/assemble/assemble.h"

namespace {

constexpr std::string_view hsail = "module &m:1:2:$full:$large:$default;\nprog kernel &empty() { ret; };\n";

/// Makes PTX for the fake of the CUDA driver, which runs the BRIG that a comment has
/// (tests/agents/cuda/fake/module.h).
bool fill_for_fake_gpu(heddle::codeobject::CodeObject& object) {
  std::vector<std::byte> brig;
  heddle::Diagnostics diagnostics;
  if (!heddle::assemble::assemble(hsail, "empty.hsail", brig, diagnostics)) return false;
  std::string text = ".version 7.7\n//fake brig ";
  for (const std::byte byte : brig) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  text += "\n//fake kernel 0 &empty\n";
  const auto* begin = reinterpret_cast<const std::byte*>(text.c_str());
  object.text.assign(begin, begin + text.size() + 1);
  return true;
}

bool fill(heddle::codeobject::CodeObject& object) {
  heddle::codeobject::Kernel& kernel = object.kernels.emplace_back();
  kernel.name = kernel.linker_name = "&empty";
  kernel.module_name = "&m";
  if (object.isa.starts_with("heddle:nvptx")) return fill_for_fake_gpu(object);
  if (object.isa == "heddle:hsail:w1") {
    heddle::Diagnostics diagnostics;
    kernel.groups_entry = kernel.wave_entry = heddle::codeobject::no_entry;
    if (heddle::assemble::assemble(hsail, "empty.hsail", object.brig.emplace_back(), diagnostics))
      return true;
    std::fputs(diagnostics.print().c_str(), stderr);
    return false;
  }
  object.text = {std::byte{0xc3}};  // ret, which serves for both entries
  kernel.wave_entry = heddle::codeobject::no_entry;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  heddle::codeobject::CodeObject object;
  object.has_agent_part = true;
  object.isa = argv[1];
  if (!fill(object)) return 1;
  std::vector<std::byte> bytes = heddle::codeobject::write(object);
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file ? 0 : 1;
}
