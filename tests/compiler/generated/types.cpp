// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types.h"

namespace heddle::tests {
namespace {

struct Row {
  const char* name;
  unsigned bits;
  Base unsigned_base;
};
// In the order of Base.
constexpr Row rows[bases] = {
    {"char", 8, Base::uchar},     {"uchar", 8, Base::uchar},   {"short", 16, Base::ushort},
    {"ushort", 16, Base::ushort}, {"int", 32, Base::uint},     {"uint", 32, Base::uint},
    {"long", 64, Base::ulong},    {"ulong", 64, Base::ulong},  {"half", 16, Base::ushort},
    {"float", 32, Base::uint},    {"double", 64, Base::ulong},
};

const Row& row(Base base) { return rows[static_cast<unsigned>(base)]; }

}  // namespace

unsigned Type::bits() const { return row(base).bits; }

std::string Type::name() const {
  return row(base).name + (is_vector() ? std::to_string(width) : std::string());
}

Type Type::as_unsigned() const { return {row(base).unsigned_base, width}; }

Type Type::as_signed() const {
  return {static_cast<Base>(static_cast<unsigned>(as_unsigned().base) - 1), width};
}

}  // namespace heddle::tests
