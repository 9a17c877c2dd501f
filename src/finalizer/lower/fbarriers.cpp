// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fine-grain barriers (PRM 9.2) become opaque calls, because their members are known only at run time.
#include "finalizer/lower/facts.h"
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

/// Returns the handle of an fbarrier: its address in the kernel's group segment, which it has like a group
/// variable (PRM 9.2.1).
llvm::Value* handle(F& f, brig::Offset operand) {
  if (!brig::is_code_ref(f.module(), operand)) return f.source(operand, HSA_BRIG_TYPE_U32);
  const link::Reference fbarrier = {f.instance().executable.module, brig::code_ref(f.module(), operand)};
  auto& program = f.program();
  return f.i32(program.group_offset(f.instance().kernel, program.definition_of(fbarrier)).value_or(0));
}

template <FbarrierOp op>
void lower_fbarrier(F& f, const Instruction& i) {
  auto* call =
      f.single_call(TargetOperation::fbarrier, {f.i32(static_cast<uint32_t>(op)), handle(f, i.operands[0])});
  set_width(*call, i[isa::Field::width]);
}

void lower_ldf(F& f, const Instruction& i) { f.set(i, handle(f, i.operands[1])); }

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_INITFBAR, lower_fbarrier<FbarrierOp::init>},
    {HSA_BRIG_OPCODE_JOINFBAR, lower_fbarrier<FbarrierOp::join>},
    {HSA_BRIG_OPCODE_WAITFBAR, lower_fbarrier<FbarrierOp::wait>},
    {HSA_BRIG_OPCODE_ARRIVEFBAR, lower_fbarrier<FbarrierOp::arrive>},
    {HSA_BRIG_OPCODE_LEAVEFBAR, lower_fbarrier<FbarrierOp::leave>},
    {HSA_BRIG_OPCODE_RELEASEFBAR, lower_fbarrier<FbarrierOp::release>},
    {HSA_BRIG_OPCODE_LDF, lower_ldf},
};

}  // namespace

std::span<const LoweringEntry> fbarrier_lowerings() { return entries; }

}  // namespace heddle::finalizer
