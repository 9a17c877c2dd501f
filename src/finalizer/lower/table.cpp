// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/table.h"

#include <cassert>

#include "hsail/isa/opcode_table.h"

namespace heddle::finalizer {
namespace {

using Table = isa::OpcodeTable<Lowering>;

Table build() {
  Table table;
  for (const auto family :
       {integer_lowerings(),    bit_lowerings(),      move_lowerings(),    packed_lowerings(),
        cross_lane_lowerings(), floating_lowerings(), native_lowerings(),  multimedia_lowerings(),
        compare_lowerings(),    convert_lowerings(),  memory_lowerings(),  atomic_lowerings(),
        fbarrier_lowerings(),   signal_lowerings(),   image_lowerings(),   address_lowerings(),
        control_lowerings(),    function_lowerings(), special_lowerings(), exception_lowerings()}) {
    for (const LoweringEntry& entry : family) {
      assert(!table.row(entry.opcode) && "two families lower one instruction");
      table.row(entry.opcode) = entry.lower;
    }
  }
  return table;
}

}  // namespace

Lowering lowering_of(unsigned opcode) {
  static const Table table = build();
  const Lowering* found = table.find(opcode);
  return found ? *found : nullptr;
}

}  // namespace heddle::finalizer
