// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/code/type.h"

#include <array>
#include <cassert>

namespace heddle::compiler {

namespace {

struct Row {
  std::string_view name;
  unsigned bits;
  bool is_float;
};

// In the order of the enumerators.
constexpr std::array<Row, 19> rows{{
    {"b1", 1, false},     {"b32", 32, false},   {"b64", 64, false},  {"b128", 128, false},
    {"u8", 8, false},     {"u16", 16, false},   {"u32", 32, false},  {"u64", 64, false},
    {"s8", 8, false},     {"s16", 16, false},   {"s32", 32, false},  {"s64", 64, false},
    {"f16", 16, true},    {"f32", 32, true},    {"f64", 64, true},   {"roimg", 64, false},
    {"woimg", 64, false}, {"rwimg", 64, false}, {"samp", 64, false},
}};

const Row& row(Type type) { return rows[static_cast<size_t>(type)]; }

}  // namespace

std::string_view name(Type type) { return row(type).name; }
unsigned bits(Type type) { return row(type).bits; }
bool is_float(Type type) { return row(type).is_float; }

RegisterKind register_kind(Type type) {
  assert(type != Type::b128 && "values of 128 bits are two d registers");
  if (type == Type::b1) return RegisterKind::c;
  return bits(type) <= 32 ? RegisterKind::s : RegisterKind::d;
}

char letter(RegisterKind kind) { return "csd"[static_cast<size_t>(kind)]; }

Type unsigned_type(unsigned width) {
  switch (width) {
    case 8:
      return Type::u8;
    case 16:
      return Type::u16;
    case 64:
      return Type::u64;
    default:
      assert(width == 32);
      return Type::u32;
  }
}

Type signed_type(unsigned width) {
  switch (width) {
    case 8:
      return Type::s8;
    case 16:
      return Type::s16;
    case 64:
      return Type::s64;
    default:
      assert(width == 32);
      return Type::s32;
  }
}

Type bit_type(unsigned width) {
  switch (width) {
    case 1:
      return Type::b1;
    case 64:
      return Type::b64;
    default:
      assert(width == 32);
      return Type::b32;
  }
}

Type float_type(unsigned width) {
  switch (width) {
    case 16:
      return Type::f16;
    case 64:
      return Type::f64;
    default:
      assert(width == 32);
      return Type::f32;
  }
}

}  // namespace heddle::compiler
