// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/entries.h"

#include <array>
#include <cassert>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <hsa/hsa_brig_directives.h>

#include "codeobject/kernel_abi.h"
#include "finalizer/x86/context.h"

namespace heddle::finalizer::x86 {
namespace {

using kernel_abi::Dispatch;
using kernel_abi::Worker;
using Dim3 = std::array<llvm::Value*, 3>;

/// Builds one entry function.
class EntryBuilder {
 public:
  EntryBuilder(llvm::Module& module, const EntryRequest& request)
      : module_(module), request_(request), ir_(module.getContext()) {}

  void groups();
  void wave();

 private:
  void begin(llvm::StringRef name, llvm::ArrayRef<llvm::Type*> arguments);
  void describe(llvm::StringRef name);
  void fill_constant_fields();
  void set(size_t field, llvm::Value* value) { context_fields().store(value, field); }
  void set3(size_t field, const Dim3& values) {
    for (size_t d = 0; d < 3; ++d) set(field + 4 * d, values[d]);
  }
  Fields context_fields() { return {ir_, context_}; }
  Fields worker() { return {ir_, function_->getArg(0)}; }
  Fields dispatch() { return {ir_, dispatch_}; }
  Dim3 load3(const Fields& fields, uint64_t offset) {
    return {fields.load_i32(offset), fields.load_i32(offset + 4), fields.load_i32(offset + 8)};
  }
  bool said(unsigned control) const { return request_.directives.has(control); }
  Dim3 sizes(uint64_t offset, unsigned required_control, const uint64_t (&required)[3], unsigned most_control,
             uint64_t most);
  Dim3 numbers_of_groups();
  llvm::BasicBlock* block(llvm::StringRef name) {
    return llvm::BasicBlock::Create(ir_.getContext(), name, function_);
  }
  bool shape_is_known() const;
  void one_group(const Dim3& group);
  Dim3 next_group(const Dim3& group);
  void work_items(const Dim3& sizes, int first);
  void work_items_of_any_shape(const Dim3& sizes);

  llvm::Module& module_;
  const EntryRequest& request_;
  llvm::IRBuilder<> ir_;
  llvm::Function* function_ = nullptr;
  llvm::Value* context_ = nullptr;
  llvm::Value* dispatch_ = nullptr;
  Dim3 group_size_, grid_size_, grid_groups_;
};

void EntryBuilder::begin(llvm::StringRef name, llvm::ArrayRef<llvm::Type*> arguments) {
  llvm::SmallVector<llvm::Type*, 3> types = {ir_.getPtrTy()};
  types.append(arguments.begin(), arguments.end());
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), types, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  function_->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function_->setDSOLocal(true);
  function_->setDoesNotThrow();
  function_->setAlignment(llvm::Align(16));
  ir_.SetInsertPoint(block("entry"));
  describe(name);
  auto* context =
      ir_.CreateAlloca(llvm::ArrayType::get(ir_.getInt8Ty(), sizeof(Context)), nullptr, "context");
  context->setAlignment(llvm::Align(8));
  context_ = context;
  fill_constant_fields();
}

/// Describes the entry to debuggers if the body is described, because inlined code keeps its source lines
/// only in a caller that is described, too. The entry itself belongs to no source line.
void EntryBuilder::describe(llvm::StringRef name) {
  llvm::DISubprogram* body = request_.body->getSubprogram();
  if (!body) return;
  llvm::DIBuilder builder(module_, false, body->getUnit());
  auto* described = builder.createFunction(
      body->getFile(), name, "", body->getFile(), 0, body->getType(), 0, llvm::DINode::FlagArtificial,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagLocalToUnit);
  builder.finalizeSubprogram(described);
  function_->setSubprogram(described);
  ir_.SetCurrentDebugLocation(llvm::DILocation::get(ir_.getContext(), 0, 0, described));
}

/// Loads the sizes of the three dimensions, none of which is 0, from the dispatch. A size that control
/// directives fix becomes a constant instead, and one that they limit is loaded with its range (PRM 13.5).
Dim3 EntryBuilder::sizes(uint64_t offset, unsigned required_control, const uint64_t (&required)[3],
                         unsigned most_control, uint64_t most) {
  Dim3 sizes;
  for (size_t d = 0; d < 3; ++d) {
    if (said(required_control) && required[d] <= UINT32_MAX) {
      assert(required[d] != 0 && "neither BRIG nor a finalization may say 0");
      sizes[d] = ir_.getInt32(static_cast<uint32_t>(required[d]));
    } else if (said(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM) && d >= request_.directives.required_dim) {
      sizes[d] = ir_.getInt32(1);
    } else {
      auto* load = unchanging(dispatch().load_i32(offset + 4 * d));
      if (said(most_control) && most < UINT32_MAX)
        load->setMetadata(
            llvm::LLVMContext::MD_range,
            llvm::MDBuilder(ir_.getContext()).createRange(llvm::APInt(32, 1), llvm::APInt(32, most + 1)));
      sizes[d] = load;
    }
  }
  return sizes;
}

/// Returns the number of work-groups of the grid in each dimension.
Dim3 EntryBuilder::numbers_of_groups() {
  Dim3 groups = load3(dispatch(), offsetof(Dispatch, grid_groups));
  for (size_t d = 0; d < 3; ++d) {
    const auto* grid = llvm::dyn_cast<llvm::ConstantInt>(grid_size_[d]);
    const auto* group = llvm::dyn_cast<llvm::ConstantInt>(group_size_[d]);
    if (grid && group) {
      const uint64_t size = group->getZExtValue();
      assert(size != 0 && "no dimension of a work-group has size 0");
      groups[d] = ir_.getInt32(static_cast<uint32_t>((grid->getZExtValue() + size - 1) / size));
    } else {
      unchanging(llvm::cast<llvm::LoadInst>(groups[d]));
    }
  }
  return groups;
}

/// Fills the fields of the context that keep their values until the entry returns, and clears those that the
/// body updates.
void EntryBuilder::fill_constant_fields() {
  auto& llvm_context = ir_.getContext();
  dispatch_ = unchanging(worker().load_pointer(offsetof(Worker, dispatch)));
  const ControlDirectives& directives = request_.directives;
  group_size_ = sizes(offsetof(Dispatch, group_size), HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE,
                      directives.required_workgroup_size, HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE,
                      directives.max_flat_workgroup_size);
  grid_size_ = sizes(offsetof(Dispatch, grid_size), HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE,
                     directives.required_grid_size, HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE,
                     directives.max_flat_grid_size);
  grid_groups_ = numbers_of_groups();
  set(offsetof(Context, worker), function_->getArg(0));
  set(offsetof(Context, dispatch), dispatch_);
  auto* kernarg = unchanging(dispatch().load_pointer(offsetof(Dispatch, kernarg)));
  if (request_.kernarg_size != 0) {
    const auto number = [&](uint64_t value) {
      return llvm::MDNode::get(llvm_context, llvm::ConstantAsMetadata::get(ir_.getInt64(value)));
    };
    kernarg->setMetadata(llvm::LLVMContext::MD_dereferenceable, number(request_.kernarg_size));
    kernarg->setMetadata(llvm::LLVMContext::MD_align, number(request_.kernarg_align));
    kernarg->setMetadata(llvm::LLVMContext::MD_nonnull, llvm::MDNode::get(llvm_context, {}));
    kernarg->setMetadata(llvm::LLVMContext::MD_noundef, llvm::MDNode::get(llvm_context, {}));
  }
  set(offsetof(Context, kernarg), kernarg);
  set(offsetof(Context, group_base), worker().load_pointer(offsetof(Worker, group_base)));
  set(offsetof(Context, private_base), worker().load_pointer(offsetof(Worker, private_base)));
  set3(offsetof(Context, workgroupsize), group_size_);
  set3(offsetof(Context, gridsize), grid_size_);
  set(offsetof(Context, exception_masks),
      ir_.getInt32(static_cast<uint32_t>(directives.detect_exceptions | directives.break_exceptions << 8)));
  set(offsetof(Context, detected), ir_.getInt32(0));
  set(offsetof(Context, spins), ir_.getInt32(0));
}

/// Keeps LLVM from unrolling and vectorising a loop. Most of the time of an entry is spent in work-items and
/// not in loop overhead, copies of the body cost compile time, and a fault in a vector of work-items could
/// not be attributed to one of them. LLVM identifies the loop by the distinct node.
void keep_simple(llvm::Instruction* latch) {
  auto& context = latch->getContext();
  const auto word = [&](const char* text) { return llvm::MDString::get(context, text); };
  auto* no = llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(context));
  llvm::Metadata* hints[] = {nullptr, llvm::MDNode::get(context, {word("llvm.loop.unroll.disable")}),
                             llvm::MDNode::get(context, {word("llvm.loop.vectorize.enable"), no})};
  auto* loop = llvm::MDNode::getDistinct(context, hints);
  loop->replaceOperandWith(0, loop);
  latch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

/// Builds the loops over the work-items of one group. The loop over x is the innermost, so that work-items
/// run in the order of their flattened IDs. Dimensions below `first` have one work-item and get no loop.
void EntryBuilder::work_items(const Dim3& sizes, int first) {
  std::array<llvm::BasicBlock*, 3> heads;
  Dim3 ids = {ir_.getInt32(0), ir_.getInt32(0), ir_.getInt32(0)};
  auto* worker = function_->getArg(0);
  for (int d = 0; d < first; ++d) store_work_item(ir_, worker, ids[d], d);
  for (int d = 2; d >= first; --d) {
    auto* before = ir_.GetInsertBlock();
    heads[d] = block(llvm::Twine("items").concat(llvm::Twine("xyz"[d])).str());
    ir_.CreateBr(heads[d]);
    ir_.SetInsertPoint(heads[d]);
    auto* id = ir_.CreatePHI(ir_.getInt32Ty(), 2);
    id->addIncoming(ir_.getInt32(0), before);
    ids[d] = id;
    store_work_item(ir_, worker, id, d);
  }
  set3(offsetof(Context, workitemid), ids);
  set(offsetof(Context, detected), ir_.getInt32(0));
  ir_.CreateCall(request_.body, {context_});
  for (int d = first; d < 3; ++d) {
    auto* after = block("");
    llvm::Value* next = ir_.CreateNUWAdd(ids[d], ir_.getInt32(1));
    llvm::cast<llvm::PHINode>(ids[d])->addIncoming(next, ir_.GetInsertBlock());
    // No size is 0, so a loop may check its end after the first work-item.
    keep_simple(ir_.CreateCondBr(ir_.CreateICmpULT(next, sizes[d]), heads[d], after));
    ir_.SetInsertPoint(after);
  }
}

/// Builds special loops for groups of one work-item in x, or in x and y, beside the general ones. They are
/// worth their compile time in kernels in which a work-item takes about as long as the end of a loop. The
/// choice depends on the size of whole groups. Unlike the sizes of partial groups, it is the same for all
/// groups, so the processor predicts the branches.
void EntryBuilder::work_items_of_any_shape(const Dim3& sizes) {
  auto* done = block("done_items");
  for (int first = 2; first > 0; --first) {
    auto *flat = block("flat"), *deep = block("deep");
    llvm::Value* one = ir_.CreateICmpEQ(group_size_[0], ir_.getInt32(1));
    if (first == 2) one = ir_.CreateAnd(one, ir_.CreateICmpEQ(group_size_[1], ir_.getInt32(1)));
    ir_.CreateCondBr(one, flat, deep);
    ir_.SetInsertPoint(flat);
    work_items(sizes, first);
    ir_.CreateBr(done);
    ir_.SetInsertPoint(deep);
  }
  work_items(sizes, 0);
  ir_.CreateBr(done);
  ir_.SetInsertPoint(done);
}

/// Reports whether the directives fix enough sizes for LLVM to remove the loops of work_items_of_any_shape()
/// that are not needed.
bool EntryBuilder::shape_is_known() const {
  const auto known = [&](size_t d) { return llvm::isa<llvm::ConstantInt>(group_size_[d]); };
  return known(0) || (known(1) && known(2));
}

void EntryBuilder::one_group(const Dim3& group) {
  Dim3 current;
  const bool whole = said(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS);
  for (size_t d = 0; d < 3; ++d) {
    llvm::Value* rest = ir_.CreateSub(grid_size_[d], ir_.CreateMul(group[d], group_size_[d]));
    current[d] =
        whole ? group_size_[d] : ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest, group_size_[d]);
    worker().store(group[d], offsetof(Worker, group_id) + 4 * d);
    worker().store(current[d], offsetof(Worker, current_group_size) + 4 * d);
  }
  set3(offsetof(Context, workgroupid), group);
  set3(offsetof(Context, currentworkgroupsize), current);
  request_.loops_by_shape && !shape_is_known() ? work_items_of_any_shape(current) : work_items(current, 0);
}

/// Returns the ID of the next group in flattened order: adds 1 to x and carries into y and z.
Dim3 EntryBuilder::next_group(const Dim3& group) {
  auto* zero = ir_.getInt32(0);
  llvm::Value* carry = ir_.getTrue();
  Dim3 next;
  for (size_t d = 0; d < 3; ++d) {
    llvm::Value* more = ir_.CreateAdd(group[d], ir_.CreateZExt(carry, ir_.getInt32Ty()));
    llvm::Value* full = ir_.CreateAnd(carry, ir_.CreateICmpEQ(more, grid_groups_[d]));
    next[d] = ir_.CreateSelect(full, zero, more);
    carry = full;
  }
  return next;
}

/// Builds a kernel_abi::GroupsEntry: void(Worker*, u64 first_group, u64 last_group).
void EntryBuilder::groups() {
  begin(request_.name, {ir_.getInt64Ty(), ir_.getInt64Ty()});
  llvm::Value *first = function_->getArg(1), *last = function_->getArg(2);
  auto* start = block("start");
  auto* loop = block("groups");
  auto* done = block("done");
  ir_.CreateCondBr(ir_.CreateICmpULT(first, last), start, done);
  ir_.SetInsertPoint(start);
  // Only the ID of the first group takes divisions. The IDs of the next groups are counted from it.
  Dim3 first_id;
  llvm::Value* rest = first;
  for (size_t d = 0; d < 2; ++d) {
    llvm::Value* groups = ir_.CreateZExt(grid_groups_[d], ir_.getInt64Ty());
    groups = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, groups, ir_.getInt64(1));
    first_id[d] = ir_.CreateTrunc(ir_.CreateURem(rest, groups), ir_.getInt32Ty());
    rest = ir_.CreateUDiv(rest, groups);
  }
  first_id[2] = ir_.CreateTrunc(rest, ir_.getInt32Ty());
  ir_.CreateBr(loop);
  ir_.SetInsertPoint(loop);
  Dim3 group;
  auto* index = ir_.CreatePHI(ir_.getInt64Ty(), 2);
  index->addIncoming(first, start);
  for (size_t d = 0; d < 3; ++d) {
    auto* id = ir_.CreatePHI(ir_.getInt32Ty(), 2);
    id->addIncoming(first_id[d], start);
    group[d] = id;
  }
  one_group(group);
  const Dim3 next = next_group(group);
  llvm::Value* next_index = ir_.CreateNUWAdd(index, ir_.getInt64(1));
  for (size_t d = 0; d < 3; ++d)
    llvm::cast<llvm::PHINode>(group[d])->addIncoming(next[d], ir_.GetInsertBlock());
  index->addIncoming(next_index, ir_.GetInsertBlock());
  keep_simple(ir_.CreateCondBr(ir_.CreateICmpULT(next_index, last), loop, done));
  ir_.SetInsertPoint(done);
  ir_.CreateRetVoid();
}

/// Builds a kernel_abi::WaveEntry for waves of one work-item: void(Worker*, u32 first_workitem).
void EntryBuilder::wave() {
  begin(request_.name, {ir_.getInt32Ty()});
  const Dim3 group = load3(worker(), offsetof(Worker, group_id));
  const Dim3 current = said(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS)
                           ? group_size_
                           : load3(worker(), offsetof(Worker, current_group_size));
  set3(offsetof(Context, workgroupid), group);
  set3(offsetof(Context, currentworkgroupsize), current);
  Dim3 id;
  llvm::Value* rest = function_->getArg(1);
  for (size_t d = 0; d < 2; ++d) {
    llvm::Value* size = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, current[d], ir_.getInt32(1));
    id[d] = ir_.CreateURem(rest, size);
    rest = ir_.CreateUDiv(rest, size);
  }
  id[2] = rest;
  set3(offsetof(Context, workitemid), id);
  ir_.CreateCall(request_.body, {context_});
  ir_.CreateRetVoid();
}

}  // namespace

void add_entry(llvm::Module& module, const EntryRequest& request) {
  EntryBuilder builder(module, request);
  request.kind == EntryKind::groups ? builder.groups() : builder.wave();
}

}  // namespace heddle::finalizer::x86
