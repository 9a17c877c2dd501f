// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No bytes make Module::open() read out of bounds, and a module it took can be printed and walked.
// Good seeds: any .brig files. Bytes that change keep the container: random ones never get past it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "hsail/brig/operands.h"
#include "hsail/print/print.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

/// Mutates in place behind the module header, so that most of the inputs keep their sections.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  constexpr size_t header = sizeof(hsa_brig_module_header_t);
  if (size <= header || seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const size_t room = size - header;
  const size_t at = header + seed / 16 % room;
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
  print::disassemble(module, {.decimals = true, .offsets = true});
  for (brig::Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    if (module.is_executable(at)) brig::register_counts(module, at);
    if (module.code_kind(at) != HSA_BRIG_KIND_DIRECTIVE_VARIABLE) continue;
    const auto& variable = module.code_as<hsa_brig_directive_variable_t>(at);
    if (variable.init != 0) brig::for_each_leaf(module, variable.init, [](uint64_t, brig::Offset) {});
  }
  return 0;
}
