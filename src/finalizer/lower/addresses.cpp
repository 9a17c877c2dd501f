// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address expressions and the instructions about addresses (PRM 4.18, 5.10, 5.17, 11.4.2 nullptr).
#include <algorithm>
#include <bit>
#include <cassert>

#include "finalizer/lower/table.h"

namespace heddle::finalizer {

using brig::Offset;

namespace {

/// Reports whether instructions cannot take addresses in the segment. Lowering can, with 32 bits.
bool has_no_address(unsigned segment) {
  return segment == HSA_BRIG_SEGMENT_SPILL || segment == HSA_BRIG_SEGMENT_ARG;
}

}  // namespace

/// Returns the address of a variable, an i32 or i64 depending on the segment. Spill and arg variables have an
/// address only if they are in the frame.
llvm::Value* FunctionLowering::symbol_address(Offset symbol, unsigned segment) {
  const link::Reference reference = {instance_.executable.module, symbol};
  switch (segment) {
    case HSA_BRIG_SEGMENT_GROUP: {
      const auto offset = program_.group_offset(instance_.kernel, program_.definition_of(reference));
      return i32(offset.value_or(0));
    }
    case HSA_BRIG_SEGMENT_KERNARG: {
      const link::KernargSlot* slot = program_.kernarg_slot(instance_.kernel, symbol);
      auto* base =
          ir_.CreatePtrToInt(call(TargetOperation::kernarg_base), ir_.getIntNTy(address_bits(segment)));
      return ir_.CreateAdd(base, llvm::ConstantInt::get(base->getType(), slot ? slot->offset : 0));
    }
    case HSA_BRIG_SEGMENT_GLOBAL:
    case HSA_BRIG_SEGMENT_READONLY: {
      const int32_t number = program_.program().symbol_of(reference);
      assert(number >= 0 && "every global or readonly variable has a symbol");
      auto* address = call(TargetOperation::variable_address, i32(number));
      return ir_.CreateTrunc(address, ir_.getIntNTy(address_bits(segment)));
    }
    default: {
      const Variables::Slot* slot = variables_.find(symbol);
      if (!slot) return i32(program_.module_private_offset(reference).value_or(0));
      assert(slot->in_frame && "a variable on the stack has no segment address");
      return ir_.CreateAdd(frame_base_, i32(slot->offset));
    }
  }
}

llvm::Value* FunctionLowering::address(const Instruction& instruction, unsigned index, unsigned segment) {
  const brig::Address parts = brig::address_of(module_, instruction.operands[index]);
  auto* type = ir_.getIntNTy(has_no_address(segment) ? 32 : address_bits(segment));
  llvm::Value* address = parts.symbol ? symbol_address(parts.symbol, segment) : nullptr;
  if (parts.reg) {
    const isa::Type reg_type = type->getBitWidth() == 64 ? HSA_BRIG_TYPE_U64 : HSA_BRIG_TYPE_U32;
    llvm::Value* reg = source(parts.reg, reg_type);
    address = address ? ir_.CreateAdd(address, reg) : reg;
  }
  // Addresses wrap at their size (PRM 4.18), so the additions carry no flags.
  auto* offset = llvm::ConstantInt::get(type, parts.offset, false, /*ImplicitTrunc=*/true);
  if (!address) return offset;
  return parts.offset ? ir_.CreateAdd(address, offset) : address;
}

llvm::Value* FunctionLowering::pointer_to(llvm::Value* address, unsigned segment) {
  const auto inside = [&](TargetOperation base) {
    return ir_.CreateGEP(ir_.getInt8Ty(), call(base), ir_.CreateZExt(address, ir_.getInt64Ty()));
  };
  switch (segment) {
    case HSA_BRIG_SEGMENT_GROUP:
      return inside(TargetOperation::group_base);
    case HSA_BRIG_SEGMENT_PRIVATE:
    case HSA_BRIG_SEGMENT_SPILL:
    case HSA_BRIG_SEGMENT_ARG:
      return inside(TargetOperation::private_base);
    default:
      return ir_.CreateIntToPtr(ir_.CreateZExt(address, ir_.getInt64Ty()),
                                ir_.getPtrTy(program_.target().address_space(segment)));
  }
}

/// Returns the alignment in bytes that an address is known to have: that of its variable, limited to that of
/// its segment's memory, or 1 if the address has a register.
uint64_t FunctionLowering::symbol_alignment(const brig::Address& parts, unsigned segment) {
  if (parts.reg || !parts.symbol) return 1;
  const link::Reference variable =
      program_.definition_of({instance_.executable.module, static_cast<Offset>(parts.symbol)});
  // The application provides the memory of a variable that is defined elsewhere.
  const int32_t symbol = program_.program().symbol_of(variable);
  if (symbol >= 0 && !program_.program().symbols()[symbol].defined) return 1;
  const brig::Module& module = program_.program().modules()[variable.module];
  const uint64_t align = std::min<uint64_t>(link::variable_align(module, variable.offset),
                                            program_.target().base_alignment(segment));
  return llvm::commonAlignment(llvm::Align(align), parts.offset).value();
}

FunctionLowering::Place FunctionLowering::place(const Instruction& instruction, unsigned index,
                                                unsigned segment) {
  Place place;
  place.segment = segment;
  place.align_limit = program_.target().base_alignment(segment);
  place.constant = segment == HSA_BRIG_SEGMENT_READONLY || segment == HSA_BRIG_SEGMENT_KERNARG;
  const brig::Address parts = brig::address_of(module_, instruction.operands[index]);
  const bool may_have_slot = has_no_address(segment) || segment == HSA_BRIG_SEGMENT_PRIVATE;
  place.known_align = symbol_alignment(parts, segment);
  Variables::Slot* slot = may_have_slot && parts.symbol ? variables_.find(parts.symbol) : nullptr;
  if (slot && !slot->in_frame) {
    if (!slot->pointer) slot->pointer = create_alloca(slot->size, slot->align, "");
    place.pointer = slot->pointer;
    place.on_stack = true;
    if (parts.reg)
      place.pointer = ir_.CreateGEP(ir_.getInt8Ty(), place.pointer,
                                    ir_.CreateZExt(source(parts.reg, HSA_BRIG_TYPE_U32), ir_.getInt64Ty()));
    if (parts.offset) place.pointer = ir_.CreateGEP(ir_.getInt8Ty(), place.pointer, i64(parts.offset));
    return place;
  }
  if (segment == HSA_BRIG_SEGMENT_KERNARG && parts.symbol && !parts.reg) {
    const link::KernargSlot* kernarg = program_.kernarg_slot(instance_.kernel, parts.symbol);
    const uint64_t offset = (kernarg ? kernarg->offset : 0) + parts.offset;
    place.pointer = ir_.CreateGEP(ir_.getInt8Ty(), call(TargetOperation::kernarg_base), i64(offset));
    return place;
  }
  place.pointer = pointer_to(address(instruction, index, segment), segment);
  return place;
}

namespace {

using F = FunctionLowering;

llvm::Value* null_address(F& f, unsigned segment, llvm::Type* type) {
  return f.ir().CreateTrunc(f.call(TargetOperation::null_address, f.i32(segment)), type);
}

void lower_lda(F& f, const Instruction& i) { f.set(i, f.address(i, 1, i[isa::Field::segment])); }

void lower_nullptr(F& f, const Instruction& i) {
  f.set(i, null_address(f, i[isa::Field::segment], f.bits_type(i.type())));
}

struct Window {
  llvm::Value* base;  // i64 flat address
  llvm::Value* size;  // i64 bytes
};

Window window(F& f, unsigned segment) {
  auto& ir = f.ir();
  const bool group = segment == HSA_BRIG_SEGMENT_GROUP;
  return {ir.CreatePtrToInt(f.call(group ? TargetOperation::group_base : TargetOperation::private_base),
                            ir.getInt64Ty()),
          ir.CreateZExt(f.call(group ? TargetOperation::grouptotalsize : TargetOperation::private_size),
                        ir.getInt64Ty())};
}

void lower_stof(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const unsigned segment = i[isa::Field::segment];
  auto* type = f.bits_type(i.type());
  llvm::Value* offset = f.source(i, 1, HSA_BRIG_TYPE_U32);
  llvm::Value* flat = ir.CreateAdd(window(f, segment).base, ir.CreateZExt(offset, ir.getInt64Ty()));
  flat = ir.CreateTrunc(flat, type);
  if (!i[isa::Field::nonull]) {
    auto* is_null = ir.CreateICmpEQ(offset, null_address(f, segment, offset->getType()));
    flat = ir.CreateSelect(is_null, null_address(f, HSA_BRIG_SEGMENT_FLAT, type), flat);
  }
  f.set(i, flat);
}

void lower_ftos(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const unsigned segment = i[isa::Field::segment];
  llvm::Value* flat = f.source(i, 1, i.source_type());
  llvm::Value* distance = ir.CreateSub(ir.CreateZExt(flat, ir.getInt64Ty()), window(f, segment).base);
  llvm::Value* offset = ir.CreateTrunc(distance, ir.getInt32Ty());
  if (!i[isa::Field::nonull]) {
    auto* is_null = ir.CreateICmpEQ(flat, null_address(f, HSA_BRIG_SEGMENT_FLAT, flat->getType()));
    offset = ir.CreateSelect(is_null, null_address(f, segment, offset->getType()), offset);
  }
  f.set(i, offset);
}

/// True for a flat address inside the window of the segment and, without _nonull, for the flat null address
/// (PRM 5.16). The global segment is what is outside both windows.
void lower_segmentp(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* flat = f.source(i, 1, i.source_type());
  llvm::Value* wide = ir.CreateZExt(flat, ir.getInt64Ty());
  const auto inside = [&](unsigned segment) -> llvm::Value* {
    const Window w = window(f, segment);
    return ir.CreateICmpULT(ir.CreateSub(wide, w.base), w.size);
  };
  llvm::Value* result;
  if (i[isa::Field::segment] == HSA_BRIG_SEGMENT_GLOBAL) {
    result = ir.CreateNot(ir.CreateOr(inside(HSA_BRIG_SEGMENT_GROUP), inside(HSA_BRIG_SEGMENT_PRIVATE)));
  } else {
    result = inside(i[isa::Field::segment]);
  }
  if (!i[isa::Field::nonull]) {
    auto* null = null_address(f, HSA_BRIG_SEGMENT_FLAT, flat->getType());
    result = ir.CreateOr(result, ir.CreateICmpEQ(flat, null));
  }
  f.set(i, result);
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_LDA, lower_lda},           {HSA_BRIG_OPCODE_NULLPTR, lower_nullptr},
    {HSA_BRIG_OPCODE_STOF, lower_stof},         {HSA_BRIG_OPCODE_FTOS, lower_ftos},
    {HSA_BRIG_OPCODE_SEGMENTP, lower_segmentp},
};

}  // namespace

std::span<const LoweringEntry> address_lowerings() { return entries; }

}  // namespace heddle::finalizer
