// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordinary loads and stores (PRM 6.3, 6.4), and alloca (PRM 10.10).
#include <algorithm>
#include <cassert>

#include "finalizer/lower/facts.h"
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

/// An ordinary load or store of one or more consecutive elements.
class Access {
 public:
  Access(F& f, const Instruction& i, unsigned address)
      : f_(f), i_(i), place_(f.place(i, address, i[isa::Field::segment])), size_(isa::byte_size(i.type())) {
    const unsigned encoded = i[isa::Field::align];
    promised_ = encoded == 0 ? 1 : uint64_t{1} << (encoded - 1);
  }

  /// Reports whether the elements may be less aligned than the target's memory instructions require.
  bool needs_test() const {
    return !f_.program().target().unaligned_access && place_.alignment(promised_, 0).value() < size_;
  }
  /// Returns an i1 that tells whether the elements are aligned. One test covers all, since they are
  /// consecutive.
  llvm::Value* is_aligned() {
    auto& ir = f_.ir();
    auto* address = ir.CreatePtrToInt(place_.pointer, ir.getInt64Ty());
    return ir.CreateICmpEQ(ir.CreateAnd(address, f_.i64(size_ - 1)), f_.i64(0));
  }

  llvm::Value* load(size_t element) { return load(f_.bits_type(i_.type()), element * size_); }
  void store(llvm::Value* bits, size_t element) { store_at(bits, element * size_); }
  /// To be called for the code that is executed if is_aligned() was true.
  void assume_aligned() { place_.known_align = std::max<uint64_t>(place_.known_align, size_); }

  llvm::Value* load_bytes(size_t element) {
    auto& ir = f_.ir();
    auto* type = f_.bits_type(i_.type());
    llvm::Value* all = llvm::ConstantInt::get(type, 0);
    for (uint64_t byte = 0; byte < size_; ++byte) {
      llvm::Value* bits = ir.CreateZExt(load(ir.getInt8Ty(), element * size_ + byte), type);
      all = ir.CreateOr(all, ir.CreateShl(bits, byte * 8));
    }
    return all;
  }
  void store_bytes(llvm::Value* bits, size_t element) {
    auto& ir = f_.ir();
    for (uint64_t byte = 0; byte < size_; ++byte)
      store_at(ir.CreateTrunc(ir.CreateLShr(bits, byte * 8), ir.getInt8Ty()), element * size_ + byte);
  }

 private:
  llvm::Value* pointer(uint64_t offset) {
    return offset == 0 ? place_.pointer
                       : f_.ir().CreateGEP(f_.ir().getInt8Ty(), place_.pointer, f_.i64(offset));
  }
  llvm::Value* load(llvm::Type* type, uint64_t offset) {
    auto& ir = f_.ir();
    auto* load = ir.CreateAlignedLoad(type, pointer(offset), place_.alignment(promised_, offset));
    if (place_.constant || i_[isa::Field::constant])
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(ir.getContext(), {}));
    set_width(*load, i_[isa::Field::width]);
    note(*load);
    // Bytes of variables on the stack that were never written have an arbitrary value, which LLVM must not
    // treat as undefined.
    return place_.on_stack ? ir.CreateFreeze(load) : load;
  }
  void store_at(llvm::Value* bits, uint64_t offset) {
    note(*f_.ir().CreateAlignedStore(bits, pointer(offset), place_.alignment(promised_, offset)));
  }
  void note(llvm::Instruction& access) {
    if (i_[isa::Field::nontemporal])
      access.setMetadata(llvm::LLVMContext::MD_nontemporal,
                         llvm::MDNode::get(access.getContext(), llvm::ConstantAsMetadata::get(f_.i32(1))));
    // LLVM tells variables on the stack apart by itself.
    if (!place_.on_stack)
      f_.program().alias_facts().note(access, place_.segment, i_[isa::Field::equiv_class]);
  }

  F& f_;
  const Instruction& i_;
  F::Place place_;
  const uint64_t size_;
  uint64_t promised_;
};

/// Adds two alternatives to the code; the first is executed if `condition` is true. Both make the same number
/// of values, and the result holds those of the alternative that was executed.
llvm::SmallVector<llvm::Value*, 4> choose(F& f, llvm::Value* condition,
                                          llvm::function_ref<llvm::SmallVector<llvm::Value*, 4>()> first,
                                          llvm::function_ref<llvm::SmallVector<llvm::Value*, 4>()> second) {
  auto& ir = f.ir();
  llvm::Function* function = ir.GetInsertBlock()->getParent();
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(ir.getContext(), name, function);
  };
  auto *aligned = block("aligned"), *bytes = block("bytes"), *done = block("");
  ir.CreateCondBr(condition, aligned, bytes);
  ir.SetInsertPoint(aligned);
  const auto from_first = first();
  ir.CreateBr(done);
  ir.SetInsertPoint(bytes);
  const auto from_second = second();
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
  assert(from_first.size() == from_second.size());
  llvm::SmallVector<llvm::Value*, 4> values;
  for (size_t n = 0; n < from_first.size(); ++n) {
    auto* phi = ir.CreatePHI(from_first[n]->getType(), 2);
    phi->addIncoming(from_first[n], aligned);
    phi->addIncoming(from_second[n], bytes);
    values.push_back(phi);
  }
  return values;
}

void lower_ld(F& f, const Instruction& i) {
  Access access(f, i, 1);
  const auto destinations = brig::elements(f.module(), i.operands[0]);
  const auto load = [&](auto&& one) {
    llvm::SmallVector<llvm::Value*, 4> values;
    for (size_t n = 0; n < destinations.size(); ++n) values.push_back(one(n));
    return values;
  };
  // All elements are read before a register is written, because a destination may hold the address.
  llvm::SmallVector<llvm::Value*, 4> values;
  if (access.needs_test()) {
    Access aligned = access;
    aligned.assume_aligned();
    values = choose(
        f, access.is_aligned(), [&] { return load([&](size_t n) { return aligned.load(n); }); },
        [&] { return load([&](size_t n) { return access.load_bytes(n); }); });
  } else {
    values = load([&](size_t n) { return access.load(n); });
  }
  for (size_t n = 0; n < destinations.size(); ++n) f.set(destinations[n], values[n], i.type());
}

void lower_st(F& f, const Instruction& i) {
  Access access(f, i, 1);
  llvm::SmallVector<llvm::Value*, 4> values;
  for (const brig::Offset source : brig::elements(f.module(), i.operands[0]))
    values.push_back(f.as_bits(f.source(source, i.type())));
  const auto store = [&](auto&& one) {
    for (size_t n = 0; n < values.size(); ++n) one(values[n], n);
    return llvm::SmallVector<llvm::Value*, 4>();
  };
  if (access.needs_test()) {
    Access aligned = access;
    aligned.assume_aligned();
    choose(
        f, access.is_aligned(),
        [&] { return store([&](llvm::Value* bits, size_t n) { aligned.store(bits, n); }); },
        [&] { return store([&](llvm::Value* bits, size_t n) { access.store_bytes(bits, n); }); });
  } else {
    store([&](llvm::Value* bits, size_t n) { access.store(bits, n); });
  }
}

/// Allocates memory at the top of the frame of this activation, which frees it when it ends.
void lower_alloca(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const unsigned encoded = i[isa::Field::align];
  const uint32_t align = encoded == 0 ? 1 : 1u << (encoded - 1);
  llvm::Value* top = f.private_top();
  llvm::Value* begin = ir.CreateAnd(ir.CreateAdd(top, f.i32(align - 1)), f.i32(~(align - 1)));
  // The end is computed in 64 bits, so that a huge size fails the check instead of wrapping around.
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
