// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 (prefixes, ModRM, SIB,
// VEX, EVEX) and volume 1, chapter 13 (the layout of the state that XSAVE and signal frames contain).
#include "agents/cpu/vector_access.h"

#include <cpuid.h>

#include <algorithm>
#include <cstring>

namespace heddle::cpu {
namespace {

/// The fields of an instruction with a VEX or EVEX prefix, with inverted bits put right.
struct Instruction {
  bool is_evex = false;
  uint8_t map = 0;     // 1: 0F, 2: 0F 38, 3: 0F 3A
  uint8_t prefix = 0;  // 0: none, 1: 66, 2: F3, 3: F2
  bool wide = false;   // W
  uint32_t vector_bytes = 16;
  uint8_t register_v = 0;  // vvvv
  uint8_t mask = 0;        // aaa of EVEX
  bool broadcasts = false;
  uint8_t index_high = 0, base_high = 0;  // bit 3 of the register's number
  uint8_t opcode = 0;
};

/// The bytes of an instruction, one after the other. Behind the end there are zeros.
class Bytes {
 public:
  explicit Bytes(std::span<const uint8_t> code) : code_(code) {}
  uint8_t next() { return at_ < code_.size() ? code_[at_++] : 0; }
  int32_t next_word() {
    uint32_t word = 0;
    for (int shift = 0; shift < 32; shift += 8) word |= uint32_t{next()} << shift;
    return static_cast<int32_t>(word);
  }

 private:
  std::span<const uint8_t> code_;
  size_t at_ = 0;
};

void read_vex(Bytes& bytes, bool is_long, Instruction& i) {
  uint8_t last = bytes.next();
  i.map = 1;
  if (is_long) {
    i.index_high = (last & 0x40) != 0 ? 0 : 8;
    i.base_high = (last & 0x20) != 0 ? 0 : 8;
    i.map = last & 31;
    last = bytes.next();
    i.wide = (last & 0x80) != 0;
  }
  i.prefix = last & 3;
  i.vector_bytes = (last & 4) != 0 ? 32 : 16;
  i.register_v = ~(last >> 3) & 15;
}

void read_evex(Bytes& bytes, Instruction& i) {
  i.is_evex = true;
  const uint8_t first = bytes.next(), second = bytes.next(), third = bytes.next();
  i.index_high = (first & 0x40) != 0 ? 0 : 8;
  i.base_high = (first & 0x20) != 0 ? 0 : 8;
  i.map = first & 7;
  i.wide = (second & 0x80) != 0;
  i.prefix = second & 3;
  i.vector_bytes = 16u << (third >> 5 & 3);
  i.broadcasts = (third & 0x10) != 0;
  i.mask = third & 7;
}

bool read_prefix(Bytes& bytes, Instruction& i) {
  switch (bytes.next()) {
    case 0xc5:
      read_vex(bytes, false, i);
      break;
    case 0xc4:
      read_vex(bytes, true, i);
      break;
    case 0x62:
      read_evex(bytes, i);
      break;
    default:
      return false;
  }
  i.opcode = bytes.next();
  return true;
}

// ---- which instruction it is

bool is_one_of(uint8_t opcode, std::span<const uint8_t> opcodes) {
  return std::ranges::find(opcodes, opcode) != opcodes.end();
}

bool is_gather(const Instruction& i) {
  return i.map == 2 && i.prefix == 1 &&
         ((i.opcode >= 0x90 && i.opcode <= 0x93) || (i.is_evex && i.opcode >= 0xa0 && i.opcode <= 0xa3));
}

bool is_masked_move(const Instruction& i) {
  static constexpr uint8_t opcodes[] = {0x2c, 0x2d, 0x2e, 0x2f, 0x8c, 0x8e};
  return !i.is_evex && i.map == 2 && i.prefix == 1 && is_one_of(i.opcode, opcodes);
}

/// Returns the size in bytes of the elements that a move of a whole vector has for its mask, or 0 if it is no
/// such move.
uint32_t moved_element(const Instruction& i) {
  static constexpr uint8_t floats[] = {0x10, 0x11, 0x28, 0x29, 0x2b};
  if (i.map != 1) return 0;
  if (is_one_of(i.opcode, floats) && i.prefix <= 1) return i.prefix == 1 ? 8 : 4;
  if (i.opcode == 0xe7 && i.prefix == 1) return 4;
  if (i.opcode != 0x6f && i.opcode != 0x7f) return 0;
  if (i.prefix == 3) return i.wide ? 2 : 1;
  return i.wide && i.is_evex ? 8 : 4;
}

/// Reports whether it is arithmetic whose memory operand is a whole vector.
bool is_arithmetic(const Instruction& i) {
  static constexpr uint8_t map_1[] = {0x51, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5c, 0x5d, 0x5e,
                                      0x5f, 0x64, 0x65, 0x66, 0x74, 0x75, 0x76, 0xd4, 0xdb, 0xdf,
                                      0xeb, 0xef, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe};
  static constexpr uint8_t map_2[] = {0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x40,
                                      0x96, 0x97, 0x98, 0x9a, 0x9c, 0x9e, 0xa6, 0xa7, 0xa8,
                                      0xaa, 0xac, 0xae, 0xb6, 0xb7, 0xb8, 0xba, 0xbc, 0xbe};
  if (i.is_evex) return false;
  return i.map == 1 ? i.prefix <= 1 && is_one_of(i.opcode, map_1)
                    : i.map == 2 && i.prefix == 1 && is_one_of(i.opcode, map_2);
}

// ---- registers

uint64_t general_register(unsigned number, const mcontext_t& registers) {
  static constexpr int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return static_cast<uint64_t>(registers.gregs[order[number]]);
}

/// Copies a component of the extended state from a signal frame, or zeros if it is in its initial state.
/// Reports whether the frame has it.
bool read_state(const mcontext_t& registers, unsigned component, unsigned offset, std::span<uint8_t> out) {
  constexpr size_t reserved_at = 464, header_at = 512;
  constexpr uint32_t magic = 0x46505853;
  const auto* frame = reinterpret_cast<const uint8_t*>(registers.fpregs);
  if (!frame) return false;
  struct {
    uint32_t magic, extended_size;
    uint64_t features;
    uint32_t size;
  } software;
  std::memcpy(&software, frame + reserved_at, sizeof software);
  const uint64_t bit = uint64_t{1} << component;
  uint32_t begin = 0, unused_b = 0, unused_c = 0, size = 0;
  if (software.magic != magic || (software.features & bit) == 0 ||
      __get_cpuid_count(0xd, component, &size, &begin, &unused_b, &unused_c) == 0)
    return false;
  if (uint64_t{begin} + offset + out.size() > software.size) return false;
  uint64_t present = 0;
  std::memcpy(&present, frame + header_at, sizeof present);
  if ((present & bit) != 0)
    std::memcpy(out.data(), frame + begin + offset, out.size());
  else
    std::ranges::fill(out, uint8_t{0});
  return true;
}

/// Returns the sign bits of the elements of a vector register.
std::optional<uint64_t> signs(unsigned number, uint32_t element_bytes, uint32_t vector_bytes,
                              const mcontext_t& registers) {
  constexpr unsigned high_halves = 2, half = 16;
  uint8_t bytes[2 * half] = {};
  if (!registers.fpregs) return std::nullopt;
  std::memcpy(bytes, &registers.fpregs->_xmm[number], half);
  if (vector_bytes > half &&
      !read_state(registers, high_halves, number * half, std::span(bytes).subspan(half)))
    return std::nullopt;
  uint64_t set = 0;
  for (uint32_t i = 0; i < vector_bytes / element_bytes; ++i)
    set |= uint64_t{bytes[(i + 1) * element_bytes - 1]} >> 7 << i;
  return set;
}

std::optional<uint64_t> mask_register(unsigned number, uint32_t elements, const mcontext_t& registers) {
  constexpr unsigned mask_registers = 5;
  uint64_t mask = ~uint64_t{0};
  const auto bytes = std::span(reinterpret_cast<uint8_t*>(&mask), sizeof mask);
  if (number != 0 && !read_state(registers, mask_registers, number * sizeof mask, bytes)) return std::nullopt;
  return elements < 64 ? mask & ((uint64_t{1} << elements) - 1) : mask;
}

// ---- operands

/// Returns the address of the memory operand, or nothing if there is none or it is relative to the
/// instruction, as only that of constants is.
std::optional<uint64_t> address_of(Bytes& bytes, const Instruction& i, const mcontext_t& registers) {
  const uint8_t modrm = bytes.next();
  const unsigned mode = modrm >> 6, low = modrm & 7;
  if (mode == 3 || (mode == 0 && low == 5)) return std::nullopt;
  uint64_t address = 0;
  bool has_base = true;
  if (low == 4) {
    const uint8_t sib = bytes.next();
    const unsigned index = (sib >> 3 & 7) | i.index_high;
    if (index != 4) address += general_register(index, registers) << (sib >> 6);
    has_base = mode != 0 || (sib & 7) != 5;
    if (has_base) address += general_register((sib & 7) | i.base_high, registers);
  } else {
    address += general_register(low | i.base_high, registers);
  }
  // One byte of distance counts vectors in EVEX.
  const int64_t unit = i.is_evex ? i.vector_bytes : 1;
  if (mode == 1) address += static_cast<uint64_t>(static_cast<int8_t>(bytes.next()) * unit);
  if (mode == 2 || !has_base) address += static_cast<uint64_t>(int64_t{bytes.next_word()});
  return address;
}

/// The mask of a gather has an element for each that is loaded: as many as there are indices of 64 bits, if
/// these are longer.
std::optional<VectorAccess> decode_gather(const Instruction& i, const mcontext_t& registers) {
  const bool has_long_indices = (i.opcode & 1) != 0;
  VectorAccess access;
  access.is_masked = true;
  access.element_bytes = i.wide ? 8 : 4;
  const uint32_t elements = i.vector_bytes / (i.wide || has_long_indices ? 8 : 4);
  const auto active =
      i.is_evex ? mask_register(i.mask, elements, registers)
                : signs(i.register_v, access.element_bytes, elements * access.element_bytes, registers);
  if (!active) return std::nullopt;
  access.active = *active;
  access.elements = elements;
  return access;
}

/// Sets the mask of an access that has one.
bool read_mask(const Instruction& i, const mcontext_t& registers, VectorAccess& access) {
  const uint32_t element = is_masked_move(i) ? (i.opcode >= 0x8c      ? (i.wide ? 8 : 4)
                                                : (i.opcode & 1) != 0 ? 8
                                                                      : 4)
                                             : moved_element(i);
  access.is_masked = is_masked_move(i) || i.mask != 0;
  if (!access.is_masked) return true;
  access.element_bytes = element;
  const auto active = i.is_evex ? mask_register(i.mask, i.vector_bytes / element, registers)
                                : signs(i.register_v, element, i.vector_bytes, registers);
  access.active = active.value_or(0);
  return active.has_value();
}

}  // namespace

std::optional<VectorAccess> decode_access(std::span<const uint8_t> code, const mcontext_t& registers) {
  Bytes bytes(code);
  Instruction i;
  if (!read_prefix(bytes, i) || i.broadcasts) return std::nullopt;
  if (is_gather(i)) return decode_gather(i, registers);
  if (!is_masked_move(i) && moved_element(i) == 0 && !is_arithmetic(i)) return std::nullopt;
  VectorAccess access;
  const auto address = address_of(bytes, i, registers);
  if (!address || !read_mask(i, registers, access)) return std::nullopt;
  access.address = *address;
  access.bytes = i.vector_bytes;
  return access;
}

}  // namespace heddle::cpu
