// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two ways in which elementary operations are applied: once, or to each element of packed values
// (PRM 4.14).
#include <cassert>

#include "hsail/isa/types.h"
#include "interpreter/families.h"
#include "support/float_exceptions.h"

namespace heddle::interpreter {
namespace {

constexpr unsigned most_sources = 4;

/// What a packing control asks for: which sources provide their low element to all elements of the
/// destination, and whether only the low element of the destination is computed.
struct Control {
  bool low0, low1, only_low;
};
Control control_of(unsigned pack) {
  switch (pack) {
    case HSA_BRIG_PACK_PS:
    case HSA_BRIG_PACK_PSSAT:
      return {false, true, false};
    case HSA_BRIG_PACK_SP:
    case HSA_BRIG_PACK_SPSAT:
      return {true, false, false};
    case HSA_BRIG_PACK_SS:
    case HSA_BRIG_PACK_SSSAT:
      return {true, true, true};
    case HSA_BRIG_PACK_S:
    case HSA_BRIG_PACK_SSAT:
      return {true, false, true};
    default:
      return {false, false, false};
  }
}

/// Applies the exception policies (PRM 12.3). False if the work-item halts, in which case the instruction has
/// no result.
bool raise(Context& context, [[maybe_unused]] const Op& op, uint32_t raised) {
  // Compiled code asks only for what the instruction set says that an instruction raises.
  assert((raised & ~uint32_t{op.exceptions}) == 0 && "the instruction set does not say that this is raised");
  if (raised == 0) return true;
  if (const uint32_t halting = raised & context.group.break_exceptions) {
    fault(context, "INTERPRETER-exception", exact::exception_names(halting));
    return false;
  }
  context.wave().detected |= raised & context.group.detect_exceptions;
  return true;
}

}  // namespace

void run_scalar(Context& context, const Op& op) {
  uint64_t sources[most_sources] = {};
  assert(op.operand_count <= most_sources + 1);
  for (unsigned i = 1; i < op.operand_count; ++i) sources[i - 1] = read_scalar(context, op, i);
  uint32_t raised = 0;
  const uint64_t result = op.elementary(op.shape, sources, raised);
  if (raise(context, op, raised)) write_scalar(context, op, result);
}

void run_packed(Context& context, const Op& op) {
  const Operand& destination = operand(context, op, 0);
  const Control control = control_of(op.pack);
  Value values[most_sources];
  assert(op.operand_count <= most_sources + 1);
  for (unsigned i = 1; i < op.operand_count; ++i) values[i - 1] = read(context, operand(context, op, i));
  // If the control computes only the low element, the destination keeps its other elements.
  Value result = control.only_low ? read(context, destination) : Value{};
  const unsigned count = control.only_low ? 1 : isa::packed_dimension(op.type);
  uint32_t raised = 0;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t sources[most_sources] = {};
    for (unsigned k = 1; k < op.operand_count; ++k) {
      const isa::Type type = operand(context, op, k).type;
      const bool low = (k == 1 && control.low0) || (k == 2 && control.low1);
      // An operand that is not packed (a shift amount) is the same for all elements.
      sources[k - 1] = isa::is_packed(type)
                           ? element(values[k - 1], low ? 0 : i, isa::bit_size(isa::base_type(type)))
                           : values[k - 1].lo & low_mask(isa::bit_size(type));
    }
    set_element(result, i, op.shape.bits, op.elementary(op.shape, sources, raised));
  }
  if (raise(context, op, raised)) write(context, destination, op.type, result);
}

}  // namespace heddle::interpreter
