// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel dispatch packet and miscellaneous instructions (PRM 11.1, 11.4, 2.1).
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

void set_extended(F& f, const Instruction& i, llvm::Value* value) {
  f.set(i, f.ir().CreateZExtOrTrunc(value, f.bits_type(i.type())));
}

template <TargetOperation what>
void lower_query(F& f, const Instruction& i) {
  set_extended(f, i, f.call(what));
}

template <TargetOperation what>
void lower_dimension_query(F& f, const Instruction& i) {
  set_extended(f, i, f.call(what, f.source(i, 1, HSA_BRIG_TYPE_U32)));
}

/// The IDs of work-items are less than the sizes of the grid, which have 32 bits.
llvm::Value* absolute_id(F& f, llvm::Value* dim) {
  auto& ir = f.ir();
  llvm::Value* begin =
      ir.CreateNUWMul(f.call(TargetOperation::workgroupid, dim), f.call(TargetOperation::workgroupsize, dim));
  return ir.CreateNUWAdd(begin, f.call(TargetOperation::workitemid, dim));
}

void lower_workitemabsid(F& f, const Instruction& i) {
  set_extended(f, i, absolute_id(f, f.source(i, 1, HSA_BRIG_TYPE_U32)));
}

/// Computes id[0] + id[1] * size[0] + id[2] * size[0] * size[1] in 64 bits.
template <typename Id, typename Size>
llvm::Value* flatten(F& f, Id&& id, Size&& size) {
  auto& ir = f.ir();
  const auto wide = [&](llvm::Value* value) { return ir.CreateZExt(value, ir.getInt64Ty()); };
  llvm::Value* row = ir.CreateAdd(wide(id(1)), ir.CreateMul(wide(id(2)), wide(size(1))));
  return ir.CreateAdd(wide(id(0)), ir.CreateMul(row, wide(size(0))));
}

void lower_workitemflatabsid(F& f, const Instruction& i) { set_extended(f, i, flat_absolute_id(f)); }

template <TargetOperation size>
void lower_flat_id(F& f, const Instruction& i) {
  set_extended(f, i,
               flatten(
                   f, [&](uint32_t dim) { return f.call(TargetOperation::workitemid, f.i32(dim)); },
                   [&](uint32_t dim) { return f.call(size, f.i32(dim)); }));
}

void lower_kernargbaseptr(F& f, const Instruction& i) {
  set_extended(f, i, f.ir().CreatePtrToInt(f.call(TargetOperation::kernarg_base), f.ir().getInt64Ty()));
}

void lower_groupbaseptr(F& f, const Instruction& i) { f.set(i, f.i32(0)); }

/// Ends the dispatch (PRM 11.4.2, 12.4). The reason is trap_debugtrap of kernel_abi.h.
void lower_debugtrap(F& f, const Instruction& i) {
  constexpr uint32_t reason_debugtrap = 1;
  f.call(TargetOperation::trap, {f.i32(reason_debugtrap), f.source(i, 0, HSA_BRIG_TYPE_U32)});
  f.ir().CreateUnreachable();
  f.start_unreachable_block();
}

void lower_nop(F&, const Instruction&) {}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_CURRENTWORKGROUPSIZE, lower_dimension_query<TargetOperation::currentworkgroupsize>},
    {HSA_BRIG_OPCODE_CURRENTWORKITEMFLATID, lower_flat_id<TargetOperation::currentworkgroupsize>},
    {HSA_BRIG_OPCODE_DIM, lower_query<TargetOperation::dim>},
    {HSA_BRIG_OPCODE_GRIDGROUPS, lower_dimension_query<TargetOperation::gridgroups>},
    {HSA_BRIG_OPCODE_GRIDSIZE, lower_dimension_query<TargetOperation::gridsize>},
    {HSA_BRIG_OPCODE_PACKETCOMPLETIONSIG, lower_query<TargetOperation::packetcompletionsig>},
    {HSA_BRIG_OPCODE_PACKETID, lower_query<TargetOperation::packetid>},
    {HSA_BRIG_OPCODE_WORKGROUPID, lower_dimension_query<TargetOperation::workgroupid>},
    {HSA_BRIG_OPCODE_WORKGROUPSIZE, lower_dimension_query<TargetOperation::workgroupsize>},
    {HSA_BRIG_OPCODE_WORKITEMABSID, lower_workitemabsid},
    {HSA_BRIG_OPCODE_WORKITEMFLATABSID, lower_workitemflatabsid},
    {HSA_BRIG_OPCODE_WORKITEMFLATID, lower_flat_id<TargetOperation::workgroupsize>},
    {HSA_BRIG_OPCODE_WORKITEMID, lower_dimension_query<TargetOperation::workitemid>},
    {HSA_BRIG_OPCODE_CLOCK, lower_query<TargetOperation::clock>},
    {HSA_BRIG_OPCODE_CUID, lower_query<TargetOperation::cuid>},
    {HSA_BRIG_OPCODE_MAXCUID, lower_query<TargetOperation::maxcuid>},
    {HSA_BRIG_OPCODE_LANEID, lower_query<TargetOperation::laneid>},
    {HSA_BRIG_OPCODE_WAVEID, lower_query<TargetOperation::waveid>},
    {HSA_BRIG_OPCODE_MAXWAVEID, lower_query<TargetOperation::maxwaveid>},
    {HSA_BRIG_OPCODE_GROUPSTATICSIZE, lower_query<TargetOperation::groupstaticsize>},
    {HSA_BRIG_OPCODE_GROUPTOTALSIZE, lower_query<TargetOperation::grouptotalsize>},
    {HSA_BRIG_OPCODE_GROUPBASEPTR, lower_groupbaseptr},
    {HSA_BRIG_OPCODE_KERNARGBASEPTR, lower_kernargbaseptr},
    {HSA_BRIG_OPCODE_DEBUGTRAP, lower_debugtrap},
    {HSA_BRIG_OPCODE_NOP, lower_nop},
};

}  // namespace

llvm::Value* flat_absolute_id(FunctionLowering& f) {
  return flatten(
      f, [&](uint32_t dim) { return absolute_id(f, f.i32(dim)); },
      [&](uint32_t dim) { return f.call(TargetOperation::gridsize, f.i32(dim)); });
}

std::span<const LoweringEntry> special_lowerings() { return entries; }

}  // namespace heddle::finalizer
