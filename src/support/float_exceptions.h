// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "support/exact.h"

/// Computes which exceptions an instruction raises (PRM 12.2), for code that computes the result by other
/// means. Compiled kernels for which exceptions are enabled ask for each instruction, and pass the operation
/// as one word.
namespace heddle::exact {

enum class Operation : uint8_t {
  add,
  subtract,
  multiply,
  divide,
  fused_multiply_add,
  square_root,
  fraction_part,
  round_to_integral,
  maximum,
  minimum,
  compare,         ///< `signals`: any NaN raises invalid operation
  convert,         ///< between formats
  from_integer,    ///< of integer_bits, is_signed
  to_integer,      ///< of integer_bits, is_signed; `signals`: inexact results raise inexact
  integer_divide,  ///< also rem
};

struct Description {
  Operation operation = Operation::add;
  uint8_t bits = 32;         ///< of the floating-point format: 16, 32, 64
  uint8_t source_bits = 32;  ///< convert: of the format of the source
  uint8_t integer_bits = 0;
  Rounding rounding = Rounding::near_even;
  bool flush = false;
  bool signals = false;
  bool saturates = false;  ///< to_integer: values that do not fit raise no invalid operation
  bool is_signed = false;

  constexpr uint32_t encode() const {
    return static_cast<uint32_t>(operation) | uint32_t{bits} << 5 | uint32_t{source_bits} << 12 |
           uint32_t{integer_bits} << 19 | static_cast<uint32_t>(rounding) << 26 | uint32_t{flush} << 28 |
           uint32_t{signals} << 29 | uint32_t{saturates} << 30 | uint32_t{is_signed} << 31;
  }
  static constexpr Description decode(uint32_t word) {
    Description d;
    d.operation = static_cast<Operation>(word & 31);
    d.bits = word >> 5 & 127;
    d.source_bits = word >> 12 & 127;
    d.integer_bits = word >> 19 & 127;
    d.rounding = static_cast<Rounding>(word >> 26 & 3);
    d.flush = (word >> 28 & 1) != 0;
    d.signals = (word >> 29 & 1) != 0;
    d.saturates = (word >> 30 & 1) != 0;
    d.is_signed = (word >> 31) != 0;
    return d;
  }
};

/// Returns the exceptions that the operation raises for these sources, a mask of exception_*. Bits of sources
/// above their size are ignored.
uint32_t exceptions_of(const Description& description, uint64_t a, uint64_t b, uint64_t c);

/// Returns the names of exceptions for messages, such as "overflow, inexact".
std::string exception_names(uint32_t exceptions);

}  // namespace heddle::exact
