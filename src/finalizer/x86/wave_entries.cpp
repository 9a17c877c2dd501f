// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/wave_entries.h"

#include <llvm/IR/MDBuilder.h>

#include "codeobject/kernel_abi.h"

namespace heddle::finalizer::x86 {

using llvm::Value;

void refuse_wave(llvm::IRBuilder<>& ir, Value* context) {
  Fields(ir, context).store(ir.getInt8(1), offsetof(Context, refused));
}

/// How the work-items of a group are cut into waves: they form `count` rows of `length` work-items, of which
/// the first `whole` ones, a multiple of the lanes of a wave, are executed by the row body or the wide one.
struct WaveEntryBuilder::Rows {
  Value* by_rows;  ///< i1, whether these are rows in x
  Value* length;
  Value* count;
  Value* whole;
  Value* may_be_wide;  ///< i1, whether the wide row body may execute any of them
};

/// A body for waves without inactive lanes whose work-items are consecutive in x.
struct WaveEntryBuilder::RowBody {
  llvm::Function* function;
  spmd::WaveShape wave;
  bool may_refuse;
};

/// Where a wave of the general body is in its group.
struct WaveEntryBuilder::GeneralWave {
  Value* is_in_row;  ///< i1, whether its work-items are consecutive in x
  Dim3 first;        ///< the IDs of lane 0, if they are
  Value* flat;       ///< the flattened ID of lane 0
};

/// A block that executes the work-items of a row from `begin` to `end`, which are its phis. It may have none
/// to execute.
struct WaveEntryBuilder::Range {
  llvm::BasicBlock* block;
  llvm::PHINode *begin, *end;
};

/// Returns an i1: whether the waves that rows are cut into are such as bodies for rows rely on
/// (WaveBodies::follows_slices).
Value* WaveEntryBuilder::are_slices(Value* is_one_row, const spmd::WaveShape& wave) {
  auto& ir = this->ir();
  if (!bodies_.follows_slices) return ir.getTrue();
  Value* rest = ir.CreateAnd(group_size()[0], ir.getInt32(wave.lanes - 1));
  return ir.CreateOr(is_one_row, ir.CreateICmpEQ(rest, ir.getInt32(0)));
}

/// The rows of a group are those in x if waves may be cut from them. Otherwise the group is one row of all of
/// its work-items in flattened order, which only the general body can execute.
WaveEntryBuilder::Rows WaveEntryBuilder::rows_of(const Dim3& sizes) {
  auto& ir = this->ir();
  Value* others = ir.CreateNUWMul(sizes[1], sizes[2]);
  Value *zero = ir.getInt32(0), *one = ir.getInt32(1);
  if (!bodies_.row && !bodies_.partial_row)
    return {ir.getFalse(), ir.CreateNUWMul(sizes[0], others), one, zero, ir.getFalse()};
  Value* whole = ir.CreateAnd(sizes[0], ir.getInt32(-bodies_.wave.lanes));
  // Waves that are observed have consecutive flattened IDs, so that none may end before the row does.
  Value* fits = bodies_.observes_waves ? ir.CreateICmpEQ(whole, sizes[0]) : ir.CreateICmpNE(whole, zero);
  Value* is_one_row = ir.CreateICmpEQ(others, one);
  Value* by_rows = ir.CreateAnd(ir.CreateOr(fits, is_one_row), are_slices(is_one_row, bodies_.wave));
  if (!bodies_.row) whole = zero;
  whole = ir.CreateSelect(by_rows, whole, zero);
  Value* may_be_wide = bodies_.wide_row ? are_slices(is_one_row, bodies_.wide_wave) : ir.getFalse();
  return {by_rows, ir.CreateSelect(by_rows, sizes[0], ir.CreateNUWMul(sizes[0], others)),
          ir.CreateSelect(by_rows, others, one), whole, may_be_wide};
}

/// Begins a loop whose counter is at first `first`, which has to be less than the end.
llvm::PHINode* WaveEntryBuilder::begin_loop(llvm::StringRef name, Value* first) {
  auto* before = ir().GetInsertBlock();
  auto* head = block(name);
  ir().CreateBr(head);
  ir().SetInsertPoint(head);
  auto* counter = ir().CreatePHI(ir().getInt32Ty(), 2);
  counter->addIncoming(first, before);
  return counter;
}

void WaveEntryBuilder::end_loop(llvm::PHINode& counter, Value* step, Value* end) {
  Value* next = ir().CreateNUWAdd(&counter, step);
  counter.addIncoming(next, ir().GetInsertBlock());
  auto* after = block("");
  keep_simple(ir().CreateCondBr(ir().CreateICmpULT(next, end), counter.getParent(), after));
  ir().SetInsertPoint(after);
}

void WaveEntryBuilder::group_items(const Dim3& sizes) {
  const Rows rows = rows_of(sizes);
  auto& ir = this->ir();
  auto* before = ir.GetInsertBlock();
  llvm::PHINode* row = begin_loop("rows", ir.getInt32(0));
  auto* y = ir.CreatePHI(ir.getInt32Ty(), 2);
  auto* z = ir.CreatePHI(ir.getInt32Ty(), 2);
  for (auto* id : {y, z}) id->addIncoming(ir.getInt32(0), before);
  one_row(rows, sizes, row);
  Value* next_y = ir.CreateNUWAdd(y, ir.getInt32(1));
  Value* full = ir.CreateICmpEQ(next_y, sizes[1]);
  y->addIncoming(ir.CreateSelect(full, ir.getInt32(0), next_y), ir.GetInsertBlock());
  z->addIncoming(ir.CreateAdd(z, ir.CreateZExt(full, ir.getInt32Ty())), ir.GetInsertBlock());
  end_loop(*row, ir.getInt32(1), rows.count);
}

WaveEntryBuilder::Range WaveEntryBuilder::begin_range(llvm::StringRef name) {
  auto& ir = this->ir();
  const llvm::IRBuilderBase::InsertPointGuard guard(ir);
  auto* begins = block(name);
  ir.SetInsertPoint(begins);
  return {begins, ir.CreatePHI(ir.getInt32Ty(), 2), ir.CreatePHI(ir.getInt32Ty(), 2)};
}

/// Tells a range its ends. The current block has to branch to it.
void WaveEntryBuilder::go_to(const Range& range, Value* begin, Value* end) {
  range.begin->addIncoming(begin, ir().GetInsertBlock());
  range.end->addIncoming(end, ir().GetInsertBlock());
}

/// Returns where the last wide wave ends, if the first begins at a place in a row.
Value* WaveEntryBuilder::end_of_wide(Value* begin, const Rows& rows) {
  auto& ir = this->ir();
  if (!bodies_.wide_row) return begin;
  Value* left = ir.CreateNUWSub(rows.whole, begin);
  left = ir.CreateSelect(rows.may_be_wide, left, ir.getInt32(0));
  return ir.CreateNUWAdd(begin, ir.CreateAnd(left, ir.getInt32(-bodies_.wide_wave.lanes)));
}

/// Executes the waves of one row. The phis of `row` tell the IDs in y and z of rows in x. Three ranges follow
/// each other: that of the wide row body, that of the row body, and that of the other bodies for what is left
/// behind whole waves. A wave that a body refuses is a range for the next one, behind which the first goes
/// on. Of a refused wide wave, this range has only as many work-items as a wave of the row body: it is often
/// only the border of an array that does not suit, and the work-items behind it make a wide wave again. Waves
/// that have to be slices stay where they are, and the range is all of the refused one.
void WaveEntryBuilder::one_row(const Rows& rows, const Dim3& sizes, Value* row) {
  auto& ir = this->ir();
  Value* zero = ir.getInt32(0);
  const Range others = begin_range("others");
  auto* done = block("row_done");
  if (!bodies_.row) {
    go_to(others, zero, rows.length);
    ir.CreateBr(others.block);
    other_waves(rows, sizes, row, others);
    ir.CreateBr(done);
    ir.SetInsertPoint(done);
    return;
  }
  const Range wide = begin_range("wide"), whole = begin_range("whole");
  go_to(wide, zero, end_of_wide(zero, rows));
  ir.CreateBr(wide.block);
  if (bodies_.wide_row)
    whole_waves({bodies_.wide_row, bodies_.wide_wave, bodies_.wide_row_may_refuse}, row, wide, whole);
  else
    ir.SetInsertPoint(wide.block);
  go_to(whole, wide.end, rows.whole);
  ir.CreateBr(whole.block);

  whole_waves({bodies_.row, bodies_.wave, bodies_.row_may_refuse}, row, whole, others);
  // Behind a wide wave that was refused, the wide row body goes on.
  auto* tail = block("tail");
  if (bodies_.wide_row && bodies_.wide_row_may_refuse) {
    go_to(wide, whole.end, end_of_wide(whole.end, rows));
    ir.CreateCondBr(ir.CreateICmpULT(whole.end, rows.whole), wide.block, tail);
  } else {
    ir.CreateBr(tail);
  }
  ir.SetInsertPoint(tail);
  go_to(others, rows.whole, rows.length);
  ir.CreateCondBr(ir.CreateICmpULT(rows.whole, rows.length), others.block, done);
  other_waves(rows, sizes, row, others);
  if (bodies_.row_may_refuse) {
    go_to(whole, others.end, whole.end);
    ir.CreateCondBr(ir.CreateICmpULT(others.end, rows.length), whole.block, done);
  } else {
    ir.CreateBr(done);
  }
  ir.SetInsertPoint(done);
}

/// Executes the whole waves of a range, and goes on behind the last one. The range `refused` becomes the
/// first wave that the body refuses, or the first part of it that the row body takes as a wave.
void WaveEntryBuilder::whole_waves(const RowBody& body, Value* row, const Range& range,
                                   const Range& refused) {
  auto& ir = this->ir();
  Value* lanes = ir.getInt32(body.wave.lanes);
  auto phis = llvm::cast<llvm::PHINode>(row)->getParent()->phis().begin();
  Value *y = &*++phis, *z = &*++phis;
  auto *some = block("some"), *behind = block("behind");
  ir.SetInsertPoint(range.block);
  ir.CreateCondBr(ir.CreateICmpULT(range.begin, range.end), some, behind);
  ir.SetInsertPoint(some);
  store_first({range.begin, y, z}, 1);
  llvm::PHINode* x = begin_loop("waves", range.begin);
  if (Value* is_refused = row_wave({x, y, z}, body)) {
    auto* next = block("next");
    go_to(refused, x, ir.CreateNUWAdd(x, bodies_.follows_slices ? lanes : this->lanes()));
    ir.CreateCondBr(is_refused, refused.block, next,
                    llvm::MDBuilder(ir.getContext()).createUnlikelyBranchWeights());
    ir.SetInsertPoint(next);
  }
  end_loop(*x, lanes, range.end);
  ir.CreateBr(behind);
  ir.SetInsertPoint(behind);
}

/// Executes the waves of a range, which is not empty, with the bodies that take a mask, and goes on behind
/// the last one.
void WaveEntryBuilder::other_waves(const Rows& rows, const Dim3& sizes, Value* row, const Range& range) {
  auto& ir = this->ir();
  ir.SetInsertPoint(range.block);
  Value* row_begin = ir.CreateNUWMul(row, rows.length);
  llvm::PHINode* first = begin_loop("masked", range.begin);
  Value* left = ir.CreateNUWSub(rows.length, first);
  auto *flat = block("general"), *done = block("");
  auto phis = llvm::cast<llvm::PHINode>(row)->getParent()->phis().begin();
  Value *y = &*++phis, *z = &*++phis;
  const Dim3 place = {first, y, z};
  if (bodies_.partial_row) {
    auto* partial = block("partial");
    ir.CreateCondBr(rows.by_rows, partial, flat);
    ir.SetInsertPoint(partial);
    if (Value* refused = partial_row_wave(place, left))
      ir.CreateCondBr(refused, flat, done);
    else
      ir.CreateBr(done);
  } else {
    ir.CreateBr(flat);
  }
  ir.SetInsertPoint(flat);
  general_wave({rows.by_rows, place, ir.CreateNUWAdd(row_begin, first)}, left, sizes);
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
  end_loop(*first, lanes(), range.end);
}

/// Tells the worker which work-item is in lane 0, from a dimension on.
void WaveEntryBuilder::store_first(const Dim3& first, unsigned dimension) {
  for (unsigned d = dimension; d < 3; ++d) store_work_item(ir(), worker(), first[d], d);
}

/// Sets what the context says of the wave, apart from the IDs of its lanes.
void WaveEntryBuilder::begin_wave(const Dim3& first) {
  set3(offsetof(Context, workitemid), first);
  set(offsetof(Context, detected), ir().getInt32(0));
}

/// Tells the context which work-items a wave has whose work-items are consecutive in x.
void WaveEntryBuilder::set_row(const Dim3& first, const spmd::WaveShape& wave, bool may_refuse) {
  begin_wave(first);
  if (may_refuse) set(offsetof(Context, refused), ir().getFalse());
  for (unsigned lane = 0; lane < wave.lanes; lane += wave.part_lanes) {
    for (size_t d = 0; d < 3; ++d) {
      Value* ids = ir().CreateVectorSplat(wave.part_lanes, first[d]);
      if (d == 0) ids = ir().CreateAdd(ids, spmd::lane_multiples(*ir().getInt32Ty(), lane, 1, wave));
      set(lane_id_offset(d, lane), ids);
    }
  }
}

Value* WaveEntryBuilder::is_refused() {
  return context_fields().load(ir().getInt1Ty(), offsetof(Context, refused));
}

/// Executes a wave, of which the worker knows y and z, with a body for rows. Returns whether the body has
/// refused it, or null if it never does.
Value* WaveEntryBuilder::row_wave(const Dim3& first, const RowBody& body) {
  store_work_item(ir(), worker(), first[0], 0);
  set_row(first, body.wave, body.may_refuse);
  ir().CreateCall(body.function, {context()});
  return body.may_refuse ? is_refused() : nullptr;
}

/// Returns which lanes of a part are less than `left`.
Value* WaveEntryBuilder::mask_of_part(unsigned part, Value* left) {
  const spmd::WaveShape& wave = bodies_.wave;
  Value* lane = spmd::lane_multiples(*ir().getInt32Ty(), part * wave.part_lanes, 1, wave);
  return masks_.from_bits(ir(), ir().CreateICmpULT(lane, ir().CreateVectorSplat(wave.part_lanes, left)));
}

/// The same as row_wave(), for a wave of which only the first `left` lanes are active.
Value* WaveEntryBuilder::partial_row_wave(const Dim3& first, Value* left) {
  store_first(first, 0);
  set_row(first, bodies_.wave, bodies_.partial_row_may_refuse);
  llvm::SmallVector<Value*, 5> arguments = {context()};
  for (unsigned part = 0; part < bodies_.wave.parts(); ++part) arguments.push_back(mask_of_part(part, left));
  ir().CreateCall(bodies_.partial_row, arguments);
  return bodies_.partial_row_may_refuse ? is_refused() : nullptr;
}

/// Divides numbers of work-items of a group, or of groups that are executed as one. So small numbers can be
/// divided as floating-point numbers: the quotient of a number and a half and the divisor is further from the
/// next integer than it can be wrong.
static Value* divide(llvm::IRBuilder<>& ir, Value* numbers, Value* divisor) {
  static_assert(std::max(kernel_abi::max_group_size, most_merged_workitems) + max_lanes <= 1 << 22);
  auto* type = llvm::cast<llvm::FixedVectorType>(numbers->getType());
  auto* real = llvm::FixedVectorType::get(ir.getFloatTy(), type->getNumElements());
  Value* by = ir.CreateVectorSplat(type->getNumElements(), ir.CreateUIToFP(divisor, ir.getFloatTy()));
  Value* half = llvm::ConstantFP::get(real, 0.5);
  Value* quotient = ir.CreateFDiv(ir.CreateFAdd(ir.CreateSIToFP(numbers, real), half), by);
  return ir.CreateFPToSI(quotient, type);
}

/// Returns the IDs of the lanes of a part of a wave whose lane 0 has a flattened ID.
Dim3 WaveEntryBuilder::ids_of_part(unsigned part, Value* flat, const Dim3& sizes) {
  auto& ir = this->ir();
  const spmd::WaveShape& wave = bodies_.wave;
  const auto splat = [&](Value* value) { return ir.CreateVectorSplat(wave.part_lanes, value); };
  Value* lane = spmd::lane_multiples(*ir.getInt32Ty(), part * wave.part_lanes, 1, wave);
  Value* number = ir.CreateAdd(splat(flat), lane);
  Value* row = divide(ir, number, sizes[0]);
  Value* plane = divide(ir, row, sizes[1]);
  return {ir.CreateSub(number, ir.CreateMul(row, splat(sizes[0]))),
          ir.CreateSub(row, ir.CreateMul(plane, splat(sizes[1]))), plane};
}

/// Tells the worker and the context which work-items a wave has. Their IDs are computed from the flattened
/// ID, with divisions, only if the wave is not part of a row in x: the divisions cost as much as a short
/// kernel.
void WaveEntryBuilder::begin_general_wave(const GeneralWave& place, const Dim3& sizes) {
  auto& ir = this->ir();
  auto *in_row = block("in_row"), *anywhere = block("anywhere"), *done = block("ids");
  ir.CreateCondBr(place.is_in_row, in_row, anywhere);
  ir.SetInsertPoint(in_row);
  store_first(place.first, 0);
  set_row(place.first, bodies_.wave, /*may_refuse=*/false);
  ir.CreateBr(done);
  ir.SetInsertPoint(anywhere);
  for (unsigned part = 0; part < bodies_.wave.parts(); ++part) {
    const Dim3 ids = ids_of_part(part, place.flat, sizes);
    for (size_t d = 0; d < 3; ++d) set(lane_id_offset(d, part * bodies_.wave.part_lanes), ids[d]);
    if (part > 0) continue;
    Dim3 first;
    for (size_t d = 0; d < 3; ++d) first[d] = ir.CreateExtractElement(ids[d], uint64_t{0});
    store_first(first, 0);
    begin_wave(first);
  }
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
}

/// Executes a wave with the general body. `left` is how many work-items there are from its lane 0 on, at
/// least 1. The IDs of lanes without a work-item may be anything.
void WaveEntryBuilder::general_wave(const GeneralWave& place, Value* left, const Dim3& sizes) {
  begin_general_wave(place, sizes);
  llvm::SmallVector<Value*, 5> arguments = {context()};
  for (unsigned part = 0; part < bodies_.wave.parts(); ++part) arguments.push_back(mask_of_part(part, left));
  ir().CreateCall(bodies_.general, arguments);
}

/// Executes the wave with the first body that can.
void WaveEntryBuilder::wave_items(Value* first, const Dim3& ids, const Dim3& sizes) {
  auto& ir = this->ir();
  Value* count = ir.CreateNUWMul(sizes[0], ir.CreateNUWMul(sizes[1], sizes[2]));
  Value* left = ir.CreateNUWSub(count, first);
  auto *partial = block("partial"), *general = block("general"), *done = block("done");
  Value* rest = ir.CreateAnd(sizes[0], ir.getInt32(bodies_.wave.lanes - 1));
  Value* is_one_row = ir.CreateICmpEQ(sizes[0], count);
  Value* in_row = ir.CreateOr(ir.CreateICmpEQ(rest, ir.getInt32(0)), is_one_row);
  in_row = ir.CreateAnd(in_row, are_slices(is_one_row, bodies_.wave));
  const auto finish = [&](Value* refused, llvm::BasicBlock* next) {
    refused ? ir.CreateCondBr(refused, next, done) : ir.CreateBr(done);
  };
  if (bodies_.row) {
    auto* row = block("row");
    ir.CreateCondBr(ir.CreateAnd(in_row, ir.CreateICmpUGE(left, lanes())), row, partial);
    ir.SetInsertPoint(row);
    store_first(ids, 1);
    finish(row_wave(ids, {bodies_.row, bodies_.wave, bodies_.row_may_refuse}), partial);
  } else {
    ir.CreateBr(partial);
  }
  ir.SetInsertPoint(partial);
  if (bodies_.partial_row) {
    auto* in_part = block("partial_row");
    ir.CreateCondBr(in_row, in_part, general);
    ir.SetInsertPoint(in_part);
    finish(partial_row_wave(ids, left), general);
  } else {
    ir.CreateBr(general);
  }
  ir.SetInsertPoint(general);
  general_wave({in_row, ids, first}, left, sizes);
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
}

}  // namespace heddle::finalizer::x86
