// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and execution barriers (PRM chapter 8, 9.1).
#include <cassert>

#include "finalizer/lower/facts.h"
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

void lower_br(F& f, const Instruction& i) {
  f.ir().CreateBr(f.label(brig::code_ref(f.module(), i.operands[0])));
  f.start_unreachable_block();
}

void lower_cbr(F& f, const Instruction& i) {
  auto* next = llvm::BasicBlock::Create(f.ir().getContext(), "", f.ir().GetInsertBlock()->getParent());
  llvm::Value* condition = f.source(i, 0, HSA_BRIG_TYPE_B1);
  auto* branch = f.ir().CreateCondBr(condition, f.label(brig::code_ref(f.module(), i.operands[1])), next);
  set_width(*branch, i[isa::Field::width]);
  f.ir().SetInsertPoint(next);
}

/// Goes to the last label for an index past the list, whose effect is undefined (PRM 8.2).
void lower_sbr(F& f, const Instruction& i) {
  const auto labels = brig::code_list(f.module(), i.operands[1]);
  assert(!labels.empty() && "Module::open() refuses empty lists");
  llvm::Value* index = f.source(i, 0);
  auto* type = llvm::cast<llvm::IntegerType>(index->getType());
  auto* jump = f.ir().CreateSwitch(index, f.label(labels.back()), static_cast<unsigned>(labels.size()));
  for (size_t n = 0; n + 1 < labels.size(); ++n)
    jump->addCase(llvm::ConstantInt::get(type, n), f.label(labels[n]));
  set_width(*jump, i[isa::Field::width]);
  f.start_unreachable_block();
}

void lower_barrier(F& f, const Instruction& i) {
  set_width(*f.single_call(TargetOperation::barrier), i[isa::Field::width]);
}
void lower_wavebarrier(F& f, const Instruction&) { f.call(TargetOperation::wavebarrier); }

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_BR, lower_br},
    {HSA_BRIG_OPCODE_CBR, lower_cbr},
    {HSA_BRIG_OPCODE_SBR, lower_sbr},
    {HSA_BRIG_OPCODE_BARRIER, lower_barrier},
    {HSA_BRIG_OPCODE_WAVEBARRIER, lower_wavebarrier},
};

}  // namespace

std::span<const LoweringEntry> control_lowerings() { return entries; }

}  // namespace heddle::finalizer
