// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/float_exceptions.h"

namespace heddle::exact {
namespace {

uint64_t low_bits(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

void raise_of_integer(const Description& d, uint64_t value, Mode& mode) {
  value = low_bits(value, d.integer_bits);
  const bool negative = d.is_signed && (value >> (d.integer_bits - 1) & 1) != 0;
  if (negative) value = low_bits(-value, d.integer_bits);
  from_integer(format_of(d.bits), value, negative, mode);
}

void raise_to_integer(const Description& d, uint64_t value, Mode& mode) {
  const Format& from = format_of(d.bits);
  to_integer(from, value, d.integer_bits, d.is_signed, d.signals, mode);
  // Saturation is not an invalid operation, but converting a signaling NaN is.
  if (d.saturates && !from.is_signaling(value)) mode.raised &= ~exception_invalid_operation;
}

}  // namespace

uint32_t exceptions_of(const Description& d, uint64_t a, uint64_t b, uint64_t c) {
  const Format& f = format_of(d.bits);
  Mode mode{d.rounding, d.flush, 0};
  switch (d.operation) {
    case Operation::add:
      add(f, a, b, mode);
      break;
    case Operation::subtract:
      subtract(f, a, b, mode);
      break;
    case Operation::multiply:
      multiply(f, a, b, mode);
      break;
    case Operation::divide:
      divide(f, a, b, mode);
      break;
    case Operation::fused_multiply_add:
      fused_multiply_add(f, a, b, c, mode);
      break;
    case Operation::square_root:
      square_root(f, a, mode);
      break;
    case Operation::fraction_part:
      fraction_part(f, a, mode);
      break;
    case Operation::round_to_integral:
      round_to_integral(f, a, mode);
      break;
    case Operation::maximum:
      maximum(f, a, b, mode);
      break;
    case Operation::minimum:
      minimum(f, a, b, mode);
      break;
    case Operation::compare:
      compare(f, a, b, d.signals, mode);
      break;
    case Operation::convert:
      convert(f, format_of(d.source_bits), a, mode);
      break;
    case Operation::from_integer:
      raise_of_integer(d, a, mode);
      break;
    case Operation::to_integer:
      raise_to_integer(d, low_bits(a, d.bits), mode);
      break;
    case Operation::integer_divide:
      if (low_bits(b, d.integer_bits) == 0) mode.raised = exception_divide_by_zero;
      break;
  }
  return mode.raised;
}

std::string exception_names(uint32_t exceptions) {
  static constexpr const char* names[] = {"invalid operation", "divide by zero", "overflow", "underflow",
                                          "inexact"};
  std::string text;
  for (unsigned bit = 0; bit < 5; ++bit) {
    if ((exceptions >> bit & 1) == 0) continue;
    if (!text.empty()) text += ", ";
    text += names[bit];
  }
  return text;
}

}  // namespace heddle::exact
