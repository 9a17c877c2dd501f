// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of HSAIL (PRM 4.13) that the compiler writes.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::compiler {

enum class Type : uint8_t {
  b1,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f32,
  f64,
  roimg,
  woimg,
  rwimg,
  samp,
};

/// The kinds of registers (PRM 4.7). q registers are not used: values of 128 bits are two d registers.
enum class RegisterKind : uint8_t { c, s, d };
inline constexpr unsigned register_kinds = 3;

/// Returns the name of a type as mnemonics end with it.
std::string_view name(Type type);

/// Returns the size of a value in bits; 1 for b1, 64 for images and samplers.
unsigned bits(Type type);

bool is_float(Type type);

/// Returns the kind of register that holds a value of the type. There is none for b128.
RegisterKind register_kind(Type type);

/// Returns the letter of the registers of a kind.
char letter(RegisterKind kind);

/// Returns the type of `width` bits: 32 or 64 for registers of integers, also 8 and 16 for memory; b1 for 1.
Type unsigned_type(unsigned width);
Type signed_type(unsigned width);
Type bit_type(unsigned width);
Type float_type(unsigned width);

}  // namespace heddle::compiler
