// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table from opcodes to the way in which they are executed.
#include <cassert>

#include <fmt/format.h>

#include "hsail/isa/names.h"
#include "hsail/isa/opcode_table.h"
#include "hsail/isa/types.h"
#include "interpreter/families.h"

namespace heddle::interpreter {
namespace {

void run_unsupported(Context& context, const Op& op) {
  fault(
      context, "INTERPRETER-unsupported-instruction",
      fmt::format("the interpreter has no {} for {}", isa::opcode_name(op.opcode), isa::type_name(op.type)));
}

/// How an opcode is executed. No handler and no elementary operation: the interpreter lacks it.
struct Execution {
  bool known = false;
  Handler handler = nullptr;
  Elementary integer = nullptr;
  Elementary floating = nullptr;
};

/// Merges the rows of the same opcode, for example those of integer and floating-point add.
isa::OpcodeTable<Execution> merge() {
  isa::OpcodeTable<Execution> table;
  for (std::span<const Row> family :
       {integer_rows(), floating_rows(), compare_rows(), convert_rows(), move_rows(), memory_rows(),
        atomic_rows(), control_rows(), fbarrier_rows(), special_rows(), wave_rows(), image_rows()}) {
    for (const Row& row : family) {
      Execution& entry = table.row(row.opcode);
      assert((row.handler != elementwise || row.integer != nullptr || row.floating != nullptr) &&
             "a row that executes nothing");
      assert((!entry.known || (entry.handler == row.handler && row.handler == elementwise)) &&
             "two families execute one instruction");
      assert((row.integer == nullptr || entry.integer == nullptr) &&
             (row.floating == nullptr || entry.floating == nullptr) &&
             "two operations for one kind of element");
      entry.known = true;
      entry.handler = row.handler;
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
  static const isa::OpcodeTable<Execution> table = merge();
  op.handler = run_unsupported;
  const Execution* row = table.find(op.opcode);
  if (row == nullptr || !row->known) return;
  op.collective = isa::is_collective(isa::convergence(op.opcode));
  op.elementary = op.shape.kind == Kind::floating ? row->floating : row->integer;
  if (row->handler != elementwise) {
    op.handler = row->handler;
  } else if (op.elementary != nullptr) {
    op.handler = isa::is_packed(op.type) ? run_packed : run_scalar;
  }
}

bool is_supported(const Op& op) { return op.handler != run_unsupported; }

}  // namespace heddle::interpreter
