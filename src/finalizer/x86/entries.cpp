// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/entries.h"

#include "finalizer/x86/interleaved_entry.h"
#include "finalizer/x86/wave_entries.h"

namespace heddle::finalizer::x86 {
namespace {

/// Builds an entry whose waves have one work-item.
class LaneEntryBuilder final : public EntryBuilder {
 public:
  LaneEntryBuilder(llvm::Module& module, const EntryRequest& request)
      : EntryBuilder(module, request), request_(request) {}

 protected:
  void group_items(const Dim3& sizes) override;
  void wave_items(llvm::Value* first, const Dim3& ids, const Dim3& sizes) override;

 private:
  bool shape_is_known() const;
  void work_items(const Dim3& sizes, int first);
  void work_items_of_any_shape(const Dim3& sizes);

  const EntryRequest& request_;
};

/// Builds the loops over the work-items of one group. The loop over x is the innermost, so that work-items
/// run in the order of their flattened IDs. Dimensions below `first` have one work-item and get no loop.
void LaneEntryBuilder::work_items(const Dim3& sizes, int first) {
  std::array<llvm::BasicBlock*, 3> heads;
  Dim3 ids = {ir().getInt32(0), ir().getInt32(0), ir().getInt32(0)};
  llvm::Value* const worker = this->worker();
  for (int d = 0; d < first; ++d) store_work_item(ir(), worker, ids[d], d);
  for (int d = 2; d >= first; --d) {
    auto* before = ir().GetInsertBlock();
    heads[d] = block(llvm::Twine("items").concat(llvm::Twine("xyz"[d])).str());
    ir().CreateBr(heads[d]);
    ir().SetInsertPoint(heads[d]);
    auto* id = ir().CreatePHI(ir().getInt32Ty(), 2);
    id->addIncoming(ir().getInt32(0), before);
    ids[d] = id;
    store_work_item(ir(), worker, id, d);
  }
  set3(offsetof(Context, workitemid), ids);
  set(offsetof(Context, detected), ir().getInt32(0));
  ir().CreateCall(request_.body, {context()});
  for (int d = first; d < 3; ++d) {
    auto* after = block("");
    llvm::Value* next = ir().CreateNUWAdd(ids[d], ir().getInt32(1));
    llvm::cast<llvm::PHINode>(ids[d])->addIncoming(next, ir().GetInsertBlock());
    // No size is 0, so a loop may check its end after the first work-item.
    keep_simple(ir().CreateCondBr(ir().CreateICmpULT(next, sizes[d]), heads[d], after));
    ir().SetInsertPoint(after);
  }
}

/// Builds special loops for groups of one work-item in x, or in x and y, beside the general ones. They are
/// worth their compile time in kernels in which a work-item takes about as long as the end of a loop. The
/// choice depends on the size of whole groups. Unlike the sizes of partial groups, it is the same for all
/// groups, so the processor predicts the branches. Groups that are executed as one may have several
/// work-items in x all the same.
void LaneEntryBuilder::work_items_of_any_shape(const Dim3& sizes) {
  auto* done = block("done_items");
  for (int first = 2; first > 0; --first) {
    auto *flat = block("flat"), *deep = block("deep");
    llvm::Value* one = ir().CreateICmpEQ(group_size()[0], ir().getInt32(1));
    if (first == 2) one = ir().CreateAnd(one, ir().CreateICmpEQ(group_size()[1], ir().getInt32(1)));
    ir().CreateCondBr(one, flat, deep);
    ir().SetInsertPoint(flat);
    work_items(sizes, first);
    ir().CreateBr(done);
    ir().SetInsertPoint(deep);
  }
  work_items(sizes, 0);
  ir().CreateBr(done);
  ir().SetInsertPoint(done);
}

/// Reports whether the directives fix enough sizes for LLVM to remove the loops of work_items_of_any_shape()
/// that are not needed.
bool LaneEntryBuilder::shape_is_known() const {
  const auto known = [&](size_t d) { return llvm::isa<llvm::ConstantInt>(group_size()[d]); };
  return known(0) || (known(1) && known(2));
}

void LaneEntryBuilder::group_items(const Dim3& sizes) {
  const bool special = request_.loops_by_shape && request_.merging == GroupMerging::none && !shape_is_known();
  special ? work_items_of_any_shape(sizes) : work_items(sizes, 0);
}

void LaneEntryBuilder::wave_items(llvm::Value*, const Dim3& ids, const Dim3&) {
  set3(offsetof(Context, workitemid), ids);
  ir().CreateCall(request_.body, {context()});
}

}  // namespace

std::optional<Coroutine> add_entry(llvm::Module& module, const EntryRequest& request) {
  assert((!request.streams || request.kind == EntryKind::groups) && "the fence is where groups end");
  if (request.kind == EntryKind::interleaved) {
    assert(!request.body && "single work-items wait as fibers");
    assert(!request.waves.wide_row && "waves that meet at barriers have one length");
    assert(request.merging == GroupMerging::none && "there is a frame for each wave of one group");
    WaveEntryBuilder wave(module, request);
    Coroutine coroutine = wave.build_coroutine();
    InterleavedEntryBuilder(module, request, request.waves.wave.lanes, coroutine).build();
    return coroutine;
  }
  if (request.body)
    LaneEntryBuilder(module, request).build();
  else
    WaveEntryBuilder(module, request).build();
  return std::nullopt;
}

}  // namespace heddle::finalizer::x86
