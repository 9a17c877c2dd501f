// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/debug_view.h"

#include "finalizer/lower/function_lowering.h"

namespace heddle::finalizer {

link::Reference DebugView::executable() const { return lowering_.instance().executable; }
llvm::IRBuilder<>& DebugView::ir() { return lowering_.ir(); }
llvm::BasicBlock& DebugView::entry() { return lowering_.entry(); }

llvm::AllocaInst* DebugView::register_variable(brig::Register reg) {
  return lowering_.register_variable(reg);
}

/// Returns the place of an argument or of a variable in the private segment.
DebuggedFunction::Place DebugView::place_on_stack_or_frame(brig::Offset variable) {
  const auto in_private = [&](llvm::Value* offset) -> Place {
    return {lowering_.pointer_to(offset, HSA_BRIG_SEGMENT_PRIVATE), 0};
  };
  Variables::Slot* slot = lowering_.variables().find(variable);
  if (!slot) {
    const auto offset =
        lowering_.program().module_private_offset({lowering_.instance().executable.module, variable});
    return offset ? in_private(lowering_.i32(*offset)) : Place{};
  }
  if (slot->in_frame) return in_private(ir().CreateAdd(lowering_.frame_base(), lowering_.i32(slot->offset)));
  if (!slot->pointer) slot->pointer = lowering_.create_alloca(slot->size, slot->align, "");
  return {slot->pointer, 0};
}

DebuggedFunction::Place DebugView::place_of(brig::Offset variable) {
  ProgramLowering& program = lowering_.program();
  const Instance& instance = lowering_.instance();
  const link::Reference reference = {instance.executable.module, variable};
  Place place;
  switch (lowering_.module().code_as<hsa_brig_directive_variable_t>(variable).segment) {
    case HSA_BRIG_SEGMENT_GROUP:
      if (const auto offset = program.group_offset(instance.kernel, program.definition_of(reference)))
        place = {lowering_.call(TargetOperation::group_base), *offset};
      break;
    case HSA_BRIG_SEGMENT_KERNARG:
      if (const link::KernargSlot* slot = program.kernarg_slot(instance.kernel, variable))
        place = {lowering_.call(TargetOperation::kernarg_base), slot->offset};
      break;
    case HSA_BRIG_SEGMENT_GLOBAL:
    case HSA_BRIG_SEGMENT_READONLY:
      if (const int32_t symbol = program.program().symbol_of(reference); symbol >= 0) {
        auto* address =
            lowering_.call(TargetOperation::variable_address, lowering_.i32(static_cast<uint32_t>(symbol)));
        place = {ir().CreateIntToPtr(address, ir().getPtrTy()), 0};
      }
      break;
    default:
      place = place_on_stack_or_frame(variable);
  }
  if (place.base && place.base->getType() != ir().getPtrTy())
    place.base = ir().CreateAddrSpaceCast(place.base, ir().getPtrTy());
  return place;
}

llvm::Value* DebugView::id(Id id, uint32_t dimension) {
  llvm::Value* which = lowering_.i32(dimension);
  switch (id) {
    case Id::workitemid:
      return lowering_.call(TargetOperation::workitemid, which);
    case Id::workgroupid:
      return lowering_.call(TargetOperation::workgroupid, which);
    case Id::workitemabsid:
      break;
  }
  llvm::Value* size = lowering_.call(TargetOperation::workgroupsize, which);
  llvm::Value* first = ir().CreateMul(lowering_.call(TargetOperation::workgroupid, which), size);
  return ir().CreateAdd(first, lowering_.call(TargetOperation::workitemid, which));
}

}  // namespace heddle::finalizer
