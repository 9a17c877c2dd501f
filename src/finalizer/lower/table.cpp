// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/table.h"

#include <cassert>

namespace heddle::finalizer {
namespace {

constexpr size_t opcode_count = HSA_BRIG_OPCODE_GROUPTOTALSIZE + 1;
using Table = std::array<Lowering, opcode_count>;

Table build() {
  Table table = {};
  for (const auto family :
       {integer_lowerings(),    bit_lowerings(),      move_lowerings(),    packed_lowerings(),
        cross_lane_lowerings(), floating_lowerings(), native_lowerings(),  multimedia_lowerings(),
        compare_lowerings(),    convert_lowerings(),  memory_lowerings(),  atomic_lowerings(),
        fbarrier_lowerings(),   signal_lowerings(),   image_lowerings(),   address_lowerings(),
        control_lowerings(),    function_lowerings(), special_lowerings(), exception_lowerings()}) {
    for (const LoweringEntry& entry : family) {
      assert(!table[entry.opcode] && "two families lower one instruction");
      table[entry.opcode] = entry.lower;
    }
  }
  return table;
}

}  // namespace

Lowering lowering_of(unsigned opcode) {
  static const Table table = build();
  return opcode < table.size() ? table[opcode] : nullptr;
}

}  // namespace heddle::finalizer
