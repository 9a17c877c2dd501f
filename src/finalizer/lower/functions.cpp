// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls and returns (PRM chapter 10). A function is void(ptr context, i32 private offset, ptr outputs..., ptr
// inputs...): the actual arguments stay variables of the caller's arg block, and the callee's formals are
// pointers to them.
#include <cassert>

#include "finalizer/lower/facts.h"
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;
using brig::Offset;

llvm::Value* argument_pointer(F& f, Offset variable) {
  Variables::Slot* slot = f.variables().find(variable);
  if (slot->in_frame) {
    llvm::Value* address = f.ir().CreateAdd(f.frame_base(), f.i32(slot->offset));
    // Functions take pointers of address space 0, wherever the arguments are.
    return f.ir().CreateAddrSpaceCast(f.pointer_to(address, HSA_BRIG_SEGMENT_ARG), f.ir().getPtrTy());
  }
  if (!slot->pointer) slot->pointer = f.create_alloca(slot->size, slot->align, "");
  return slot->pointer;
}

llvm::SmallVector<llvm::Value*, 8> arguments(F& f, Offset outputs, Offset inputs) {
  llvm::Function* caller = f.ir().GetInsertBlock()->getParent();
  // The frame of the callee begins at a multiple of 16, as private_top() always is.
  llvm::SmallVector<llvm::Value*, 8> values = {caller->getArg(0), f.private_top()};
  for (const Offset list : {outputs, inputs})
    for (const Offset variable : brig::code_list(f.module(), list))
      values.push_back(argument_pointer(f, variable));
  return values;
}

void call_direct(F& f, Offset directive, llvm::ArrayRef<llvm::Value*> values) {
  const link::Reference reference = {f.instance().executable.module, directive};
  llvm::Function* function = f.program().callee(reference, f.instance().kernel);
  assert(function->arg_size() == values.size() && "linking compares signatures");
  f.ir().CreateCall(function, values);
}

void lower_call(F& f, const Instruction& i) {
  call_direct(f, brig::code_ref(f.module(), i.operands[1]), arguments(f, i.operands[0], i.operands[2]));
}

/// Calls the last function for an index past the list, whose effect is undefined (PRM 10.7).
void lower_scall(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const auto functions = brig::code_list(f.module(), i.operands[3]);
  assert(!functions.empty() && "Module::open() refuses empty lists");
  llvm::Value* index = f.source(i, 1);
  const auto values = arguments(f, i.operands[0], i.operands[2]);
  llvm::Function* caller = ir.GetInsertBlock()->getParent();
  auto* after = llvm::BasicBlock::Create(ir.getContext(), "", caller);
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks;
  for (size_t n = 0; n < functions.size(); ++n)
    blocks.push_back(llvm::BasicBlock::Create(ir.getContext(), "", caller));
  auto* type = llvm::cast<llvm::IntegerType>(index->getType());
  auto* jump = ir.CreateSwitch(index, blocks.back(), static_cast<unsigned>(blocks.size()));
  for (size_t n = 0; n < functions.size(); ++n) {
    if (n + 1 < functions.size()) jump->addCase(llvm::ConstantInt::get(type, n), blocks[n]);
    ir.SetInsertPoint(blocks[n]);
    call_direct(f, functions[n], values);
    ir.CreateBr(after);
  }
  set_width(*jump, i[isa::Field::width]);
  ir.SetInsertPoint(after);
}

/// The handle of an indirect function is the address of its code.
void lower_icall(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const auto values = arguments(f, i.operands[0], i.operands[2]);
  llvm::SmallVector<llvm::Type*, 8> types;
  for (llvm::Value* value : values) types.push_back(value->getType());
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), types, false);
  llvm::Value* handle = ir.CreateZExt(f.source(i, 1), ir.getInt64Ty());
  auto* call = ir.CreateCall(type, ir.CreateIntToPtr(handle, ir.getPtrTy()), values);
  call->setDoesNotThrow();
  // The callee may be in another module, so nothing is known of what it does.
  call->setConvergent();
  set_width(*call, i[isa::Field::width]);
}

void lower_ret(F& f, const Instruction&) {
  f.ir().CreateRetVoid();
  f.start_unreachable_block();
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_CALL, lower_call},
    {HSA_BRIG_OPCODE_SCALL, lower_scall},
    {HSA_BRIG_OPCODE_ICALL, lower_icall},
    {HSA_BRIG_OPCODE_RET, lower_ret},
};

}  // namespace

std::span<const LoweringEntry> function_lowerings() { return entries; }

}  // namespace heddle::finalizer
