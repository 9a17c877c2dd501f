// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Module::open() reads no bytes out of bounds, whatever its input. A module that it accepts can be walked,
// and prints to text that assembles and is a fixed point (law D2).
// Any .brig files are good seeds. Mutations keep the container, because random containers are always refused.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>

#include "../hsail/print/print_law.h"
#include "hsail/brig/operands.h"
#include "hsail/print/print.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

/// Copies a word of the module to another position. BRIG consists of offsets, kinds and numbers, so this
/// produces other valid modules far more often than random bytes do.
void move_word(uint8_t* data, size_t header, size_t size, std::minstd_rand& random) {
  const size_t words = (size - header) / 4;
  if (words == 0) return;
  const size_t from = header + random() % words * 4, to = header + random() % words * 4;
  std::memmove(data + to, data + from, 4);
}

}  // namespace

/// Mutates the bytes behind the module header in place, so that most of the inputs keep their sections.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  constexpr size_t header = sizeof(hsa_brig_module_header_t);
  if (size <= header || seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  if (seed % 16 < 8) {
    std::minstd_rand random(seed);
    for (unsigned i = 0; i <= seed % 4; ++i) move_word(data, header, size, random);
    return size;
  }
  const size_t available = size - header;
  const size_t at = header + seed / 16 % available;
  const size_t window = size - at < 16 ? size - at : 16;
  uint8_t bytes[16];
  std::memcpy(bytes, data + at, window);
  LLVMFuzzerMutate(bytes, window, window);
  std::memcpy(data + at, bytes, window);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  Diagnostics diagnostics;
  const auto module = brig::Module::open(std::as_bytes(std::span(data, size)), diagnostics);
  if (static_cast<bool>(module) == diagnostics.has_errors()) std::abort();
  if (!module) return 0;
  if (const std::string broken = print::test::broken_print_law(module); !broken.empty()) {
    std::fputs(broken.c_str(), stderr);
    std::abort();
  }
  print::disassemble(module, {.decimals = true, .offsets = true});
  for (brig::Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    if (module.is_executable(at)) brig::register_counts(module, at);
    if (module.code_kind(at) != HSA_BRIG_KIND_DIRECTIVE_VARIABLE) continue;
    const auto& variable = module.code_as<hsa_brig_directive_variable_t>(at);
    if (variable.init != 0) brig::for_each_leaf(module, variable.init, [](uint64_t, brig::Offset) {});
  }
  return 0;
}
