// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsa/hsa_brig_opcodes.h>

#include "interpreter/machine.h"

/// The instructions, by family. Each family has one file, which provides its rows of the table of opcodes.
namespace heddle::interpreter {

/// How one opcode is executed. If the handler is one of the two generic ones, the row also names the
/// elementary operation for elements of each kind.
struct Row {
  uint16_t opcode;
  Handler handler;
  Elementary integer = nullptr;  ///< for elements of kind bit, signed or unsigned integer
  Elementary floating = nullptr;
};

/// These two handlers read the sources, apply Op::elementary to them (run_packed to each of their elements),
/// and write the destination.
void run_scalar(Context& context, const Op& op);
void run_packed(Context& context, const Op& op);
/// Marks rows whose handler is run_scalar or run_packed, depending on the type of the instruction.
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
