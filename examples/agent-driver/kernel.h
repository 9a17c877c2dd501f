// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of the DSP: taken from code objects, and executed one work-item after the other.
#pragma once

#include <hsam/code_object.h>

#include <atomic>
#include <bit>
#include <memory>
#include <string_view>
#include <vector>

#include "shadow_memory.h"
#include "tiny_dsp.h"

namespace tiny_dsp {

/// The address of a kernel is its kernel object, of which clients may read 256 bytes.
struct Kernel {
  unsigned char readable[256];
  std::vector<dsp_instruction> text;  // from the entry on
};
using Kernels = std::vector<std::shared_ptr<Kernel>>;

/// Reads all kernels of a code object. Returns null, or what is wrong.
inline const char* read_kernels(const std::vector<char>& bytes, Kernels& kernels) {
  hsam_code_object object;
  if (const char* problem = hsam_code_object_open(bytes.data(), bytes.size(), &object)) return problem;
  if (std::string_view(object.isa, object.isa_size) != TINY_DSP_ISA) return "it is for another ISA";
  for (uint32_t i = 0; i < object.kernel_count; ++i) {
    hsam_code_kernel found;
    if (!hsam_code_object_kernel(&object, i, &found)) return "a kernel is damaged";
    const uint64_t size = object.text_size - found.entry;
    if (size % sizeof(dsp_instruction) != 0) return "an instruction is cut";
    auto& text = kernels.emplace_back(std::make_shared<Kernel>())->text;
    text.resize(size / sizeof(dsp_instruction));
    std::memcpy(text.data(), object.text + found.entry, size);
    for (const dsp_instruction& in : text)
      if (in.operation >= DSP_OPERATIONS || std::max({in.d, in.a, in.b}) >= DSP_REGISTERS)
        return "there is no such instruction";
  }
  return nullptr;
}

inline uint64_t from_float(float value) { return std::bit_cast<uint32_t>(value); }
inline float to_float(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

/// Executes one work-item, which has the registers `r`. It ends early if `stop` is set.
inline void execute(const std::vector<dsp_instruction>& text, const ShadowMemory& memory,
                    uint64_t (&r)[DSP_REGISTERS], const std::atomic<bool>& stop) {
  for (size_t at = 0; at < text.size() && !stop; ++at) {
    const auto [operation, d, a, b, immediate] = text[at];
    if (operation == DSP_END) return;
    if (operation == DSP_SET) r[d] = static_cast<int64_t>(immediate);
    if (operation == DSP_ADD) r[d] = r[a] + r[b] + immediate;
    if (operation == DSP_MULTIPLY) r[d] = r[a] * r[b];
    if (operation == DSP_ADD_F32) r[d] = from_float(to_float(r[a]) + to_float(r[b]));
    if (operation == DSP_MULTIPLY_F32) r[d] = from_float(to_float(r[a]) * to_float(r[b]));
    if (operation == DSP_JUMP_LESS && static_cast<int64_t>(r[a]) < static_cast<int64_t>(r[b]))
      at += immediate;
    if (operation < DSP_LOAD) continue;
    const bool is_store = operation == DSP_STORE_32;
    if (!is_store) r[d] = 0;
    memory.access(r[a] + immediate, &r[is_store ? b : d], operation == DSP_LOAD ? 8 : 4, is_store);
  }
}

}  // namespace tiny_dsp
