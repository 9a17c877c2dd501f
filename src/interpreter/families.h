// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsa/hsa_brig_opcodes.h>

#include "interpreter/machine.h"

/// The instructions, by family. Each family has one file and gives its rows of the table.
namespace heddle::interpreter {

/// One opcode: how it is executed, and the elementary operation for elements of each kind, where the handler
/// is one of the two generic ones.
struct Row {
  uint16_t opcode;
  Handler handler;
  Elementary integer = nullptr;  ///< kinds bit, signed and unsigned integer
  Elementary floating = nullptr;
  bool collective = false;  ///< Op::collective
};

/// Reads the sources, applies Op::elementary to them, or to the elements of packed ones, and writes the
/// destination.
void run_scalar(Context& context, const Op& op);
void run_packed(Context& context, const Op& op);
/// Marks rows whose handler is run_scalar or run_packed, by the type of the instruction.
inline constexpr Handler elementwise = nullptr;

std::span<const Row> integer_rows();
std::span<const Row> floating_rows();
std::span<const Row> compare_rows();
std::span<const Row> convert_rows();
std::span<const Row> move_rows();
std::span<const Row> memory_rows();
std::span<const Row> atomic_rows();
std::span<const Row> control_rows();
std::span<const Row> fbarrier_rows();
std::span<const Row> special_rows();
std::span<const Row> wave_rows();
std::span<const Row> image_rows();

}  // namespace heddle::interpreter
