// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordinary loads and stores (PRM 6.3, 6.4), and alloca (PRM 10.10).
#include <algorithm>
#include <bit>

#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

/// Alignment of element `index` of a vector whose first element has the alignment that the modifier says.
llvm::Align alignment(const Instruction& i, const F::Place& place, uint64_t offset) {
  const unsigned encoded = i[isa::Field::align];
  const uint64_t first = std::min(encoded == 0 ? 1 : uint64_t{1} << (encoded - 1), place.align_limit);
  return llvm::Align(offset == 0 ? first : std::min(first, offset & -offset));
}

void lower_ld(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const auto place = f.place(i, 1, i[isa::Field::segment]);
  const uint64_t size = isa::byte_size(i.type());
  const bool constant = place.constant || i[isa::Field::constant];
  const auto destinations = brig::elements(f.module(), i.operands[0]);
  // All elements are read before a register is written: the address may be in a destination.
  llvm::SmallVector<llvm::Value*, 4> values;
  for (size_t n = 0; n < destinations.size(); ++n) {
    llvm::Value* pointer =
        n == 0 ? place.pointer : ir.CreateGEP(ir.getInt8Ty(), place.pointer, f.i64(n * size));
    auto* load = ir.CreateAlignedLoad(f.bits_type(i.type()), pointer, alignment(i, place, n * size));
    if (constant)
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(ir.getContext(), {}));
    // Bytes of own variables that were never written have some value, not LLVM's undefined one.
    values.push_back(place.own ? ir.CreateFreeze(load) : load);
  }
  for (size_t n = 0; n < destinations.size(); ++n) f.set(destinations[n], values[n], i.type());
}

void lower_st(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const auto place = f.place(i, 1, i[isa::Field::segment]);
  const uint64_t size = isa::byte_size(i.type());
  const auto sources = brig::elements(f.module(), i.operands[0]);
  for (size_t n = 0; n < sources.size(); ++n) {
    llvm::Value* pointer =
        n == 0 ? place.pointer : ir.CreateGEP(ir.getInt8Ty(), place.pointer, f.i64(n * size));
    ir.CreateAlignedStore(f.as_bits(f.source(sources[n], i.type())), pointer, alignment(i, place, n * size));
  }
}

/// Memory of alloca is at the top of the frame of this activation and goes with it.
void lower_alloca(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const unsigned encoded = i[isa::Field::align];
  const uint32_t align = encoded == 0 ? 1 : 1u << (encoded - 1);
  llvm::Value* top = f.private_top();
  llvm::Value* begin = ir.CreateAnd(ir.CreateAdd(top, f.i32(align - 1)), f.i32(~(align - 1)));
  // In 64 bits: a huge size must run into the check, not wrap around it.
  llvm::Value* size = ir.CreateZExt(f.source(i, 1, HSA_BRIG_TYPE_U32), ir.getInt64Ty());
  llvm::Value* end = ir.CreateAdd(ir.CreateZExt(begin, ir.getInt64Ty()), size);
  end = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, end, f.i64(UINT32_MAX - 15));
  // Frames of callees start at multiples of 16.
  end = ir.CreateAnd(ir.CreateAdd(ir.CreateTrunc(end, ir.getInt32Ty()), f.i32(15)), f.i32(~15u));
  f.check_private(end);
  f.set_private_top(end);
  f.set(i, begin);
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_LD, lower_ld},
    {HSA_BRIG_OPCODE_ST, lower_st},
    {HSA_BRIG_OPCODE_ALLOCA, lower_alloca},
};

}  // namespace

std::span<const LoweringEntry> memory_lowerings() { return entries; }

}  // namespace heddle::finalizer
