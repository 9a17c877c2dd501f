// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that query the work-item, its dispatch and its machine (PRM chapter 11), and those for
// exceptions (PRM 11.2).
#include <fmt/format.h>

#include "hsail/isa/types.h"
#include "interpreter/families.h"

namespace heddle::interpreter {
namespace {

/// A query with one 32-bit value for each dimension. src0 is the number of the dimension, 0 to 2. Dimensions
/// that the dispatch does not use have size 1 and IDs 0.
using PerDimension = uint32_t (*)(const Context&, unsigned);
template <PerDimension value>
void run_dimension(Context& context, const Op& op) {
  write_scalar(context, op, value(context, read_scalar(context, op, 1) % 3));
}
using Single = uint64_t (*)(const Context&);
template <Single value>
void run_single(Context& context, const Op& op) {
  write_scalar(context, op, value(context));
}

const Dispatch& dispatch(const Context& context) { return *context.group.dispatch; }

uint64_t flat_id(const Context& c) {
  const auto& size = dispatch(c).group_size;
  return c.item.id[0] + uint64_t{c.item.id[1]} * size[0] + uint64_t{c.item.id[2]} * size[0] * size[1];
}
/// The largest number of waves in a group. waveid (PRM 11.4) uses it to be unique among the waves on the
/// compute unit, which is the thread of the runner.
uint64_t waves_in_group(const Context& c) {
  return (c.group.options->largest_group + c.wave_size() - 1) / c.wave_size();
}
uint64_t wave_id(const Context& c) { return c.group.slot * waves_in_group(c) + c.wave_id(); }
uint64_t last_wave(const Context& c) { return c.group.options->groups_in_flight_max * waves_in_group(c) - 1; }

// ---- exceptions ----
void run_clear_detect(Context& context, const Op& op) {
  context.wave().detected &= ~static_cast<uint32_t>(read_scalar(context, op, 0));
}
void run_set_detect(Context& context, const Op& op) {
  context.wave().detected |=
      static_cast<uint32_t>(read_scalar(context, op, 0)) & context.group.detect_exceptions;
}
void run_get_detect(Context& context, const Op& op) { write_scalar(context, op, context.wave().detected); }
void run_debugtrap(Context& context, const Op& op) {
  fault(context, "INTERPRETER-debugtrap", fmt::format("debugtrap {}", read_scalar(context, op, 0)));
}

void run_nop(Context&, const Op&) {}

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_CURRENTWORKGROUPSIZE,
     run_dimension<[](const Context& c, unsigned i) { return c.group.current_size[i]; }>},
    {HSA_BRIG_OPCODE_GRIDGROUPS,
     run_dimension<[](const Context& c, unsigned i) { return dispatch(c).grid_groups()[i]; }>},
    {HSA_BRIG_OPCODE_GRIDSIZE,
     run_dimension<[](const Context& c, unsigned i) { return dispatch(c).grid_size[i]; }>},
    {HSA_BRIG_OPCODE_WORKGROUPID, run_dimension<[](const Context& c, unsigned i) { return c.group.id[i]; }>},
    {HSA_BRIG_OPCODE_WORKGROUPSIZE,
     run_dimension<[](const Context& c, unsigned i) { return dispatch(c).group_size[i]; }>},
    {HSA_BRIG_OPCODE_WORKITEMABSID, run_dimension<absolute_id>},
    {HSA_BRIG_OPCODE_WORKITEMID, run_dimension<[](const Context& c, unsigned i) { return c.item.id[i]; }>},
    {HSA_BRIG_OPCODE_CURRENTWORKITEMFLATID,
     run_single<[](const Context& c) -> uint64_t { return c.item.flat_id; }>},
    {HSA_BRIG_OPCODE_WORKITEMFLATID, run_single<flat_id>},
    {HSA_BRIG_OPCODE_WORKITEMFLATABSID, run_single<flat_absolute_id>},
    {HSA_BRIG_OPCODE_DIM, run_single<[](const Context& c) -> uint64_t { return dispatch(c).dimensions; }>},
    {HSA_BRIG_OPCODE_PACKETID, run_single<[](const Context& c) { return dispatch(c).packet_id; }>},
    {HSA_BRIG_OPCODE_PACKETCOMPLETIONSIG,
     run_single<[](const Context& c) { return dispatch(c).completion_signal; }>},
    {HSA_BRIG_OPCODE_GROUPBASEPTR, run_single<[](const Context&) -> uint64_t { return 0; }>},
    {HSA_BRIG_OPCODE_GROUPSTATICSIZE,
     run_single<[](const Context& c) -> uint64_t { return c.group.kernel().group.size; }>},
    {HSA_BRIG_OPCODE_GROUPTOTALSIZE,
     run_single<[](const Context& c) -> uint64_t { return c.group.memory_size; }>},
    {HSA_BRIG_OPCODE_KERNARGBASEPTR,
     run_single<[](const Context& c) { return reinterpret_cast<uint64_t>(dispatch(c).kernarg); }>},
    {HSA_BRIG_OPCODE_LANEID, run_single<[](const Context& c) -> uint64_t { return c.lane(); }>},
    {HSA_BRIG_OPCODE_WAVEID, run_single<wave_id>},
    {HSA_BRIG_OPCODE_MAXWAVEID, run_single<last_wave>},
    {HSA_BRIG_OPCODE_CUID,
     run_single<[](const Context& c) -> uint64_t { return c.group.services->compute_unit; }>},
    {HSA_BRIG_OPCODE_MAXCUID,
     run_single<[](const Context& c) -> uint64_t { return c.group.services->max_compute_unit; }>},
    {HSA_BRIG_OPCODE_CLEARDETECTEXCEPT, run_clear_detect},
    {HSA_BRIG_OPCODE_SETDETECTEXCEPT, run_set_detect},
    {HSA_BRIG_OPCODE_GETDETECTEXCEPT, run_get_detect},
    {HSA_BRIG_OPCODE_DEBUGTRAP, run_debugtrap},
    {HSA_BRIG_OPCODE_NOP, run_nop},
};

}  // namespace

std::span<const Row> special_rows() { return rows; }

}  // namespace heddle::interpreter
