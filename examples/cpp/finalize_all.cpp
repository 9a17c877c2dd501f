// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses the HSAIL toolchain without a runtime: assembles the given modules, and finalizes the program that
// they form for every ISA. This needs only the installed headers and library:
//
//   c++ -std=c++20 finalize_all.cpp $(pkg-config --cflags --libs hsail) -o finalize_all
//   ./finalize_all module.hsail ...
#include <hsail/hsail.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace {

/// Prints what went wrong and the diagnostics of the toolchain. Returns exit code 1.
int fail(const std::string& what, const hsail::Outcome& outcome) {
  std::fprintf(stderr, "finalize_all: %s: %s\n%s", what.c_str(), hsail::to_string(outcome.status()).data(),
               outcome.diagnostics().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: finalize_all FILE.hsail ...\n");
    return 2;
  }
  auto program = hsail::Program::create();
  if (!program) return fail("program", program);
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "finalize_all: cannot read %s\n", argv[i]);
      return 1;
    }
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto brig = hsail::assemble(text, argv[i]);
    if (!brig) return fail(argv[i], brig);
    if (const auto added = program->add(*brig); !added) return fail(argv[i], added);
  }
  for (const hsail::Isa& isa : hsail::isas()) {
    const std::string name(isa.name);
    const auto code = program->finalize_both(name);
    if (!code) return fail(name, code);
    std::printf("%-24s waves of %3u, %6zu bytes\n", name.c_str(), static_cast<unsigned>(isa.wavefront_size),
                code->size());
  }
}
