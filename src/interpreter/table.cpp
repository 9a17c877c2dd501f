// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table from opcodes to the way in which they are executed.
#include <array>

#include <fmt/format.h>

#include "hsail/isa/names.h"
#include "hsail/isa/types.h"
#include "interpreter/families.h"

namespace heddle::interpreter {
namespace {

constexpr unsigned opcodes = HSA_BRIG_OPCODE_GROUPTOTALSIZE + 1;

void run_unsupported(Context& context, const Op& op) {
  fault(
      context, "INTERPRETER-unsupported-instruction",
      fmt::format("the interpreter has no {} for {}", isa::opcode_name(op.opcode), isa::type_name(op.type)));
}

/// Merges the rows of the same opcode, for example those of integer and floating-point add.
std::array<Row, opcodes> merge() {
  std::array<Row, opcodes> table{};
  for (unsigned i = 0; i < opcodes; ++i) table[i] = {static_cast<uint16_t>(i), run_unsupported};
  for (std::span<const Row> family :
       {integer_rows(), floating_rows(), compare_rows(), convert_rows(), move_rows(), memory_rows(),
        atomic_rows(), control_rows(), fbarrier_rows(), special_rows(), wave_rows(), image_rows()}) {
    for (const Row& row : family) {
      Row& entry = table[row.opcode];
      entry.handler = row.handler;
      entry.collective = row.collective;
      if (row.integer != nullptr) entry.integer = row.integer;
      if (row.floating != nullptr) entry.floating = row.floating;
    }
  }
  return table;
}

}  // namespace

Kind kind_of(isa::Type type) {
  if (isa::is_float(type)) return Kind::floating;
  if (isa::is_signed(type)) return Kind::signed_integer;
  if (isa::is_unsigned(type)) return Kind::unsigned_integer;
  return type == 0 ? Kind::none : Kind::bit;
}

void select(Op& op) {
  static const std::array<Row, opcodes> table = merge();
  op.handler = run_unsupported;
  if (op.opcode >= opcodes) return;
  const Row& row = table[op.opcode];
  op.collective = row.collective;
  op.elementary = op.shape.kind == Kind::floating ? row.floating : row.integer;
  if (row.handler != elementwise) {
    op.handler = row.handler;
  } else if (op.elementary != nullptr) {
    op.handler = isa::is_packed(op.type) ? run_packed : run_scalar;
  }
}

bool is_supported(const Op& op) { return op.handler != run_unsupported; }

}  // namespace heddle::interpreter
