// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/entry_builder.h"

#include <cassert>

#include <llvm/IR/IntrinsicsX86.h>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <hsa/hsa_brig_directives.h>

#include "codeobject/kernel_abi.h"

namespace heddle::finalizer::x86 {

using kernel_abi::Dispatch;
using kernel_abi::Worker;
using llvm::Value;

void EntryBuilder::begin(const std::string& name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> arguments) {
  llvm::SmallVector<llvm::Type*, 3> types = {ir_.getPtrTy()};
  types.append(arguments.begin(), arguments.end());
  auto* type = llvm::FunctionType::get(result, types, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  function_->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function_->setDSOLocal(true);
  function_->setDoesNotThrow();
  function_->setAlignment(llvm::Align(16));
  ir_.SetInsertPoint(block("entry"));
  describe(name);
  context_ =
      create_memory(llvm::ArrayType::get(ir_.getInt8Ty(), sizeof(Context)), alignof(Context), "context");
  fill_constant_fields();
}

llvm::AllocaInst* EntryBuilder::create_memory(llvm::Type* type, uint64_t align, llvm::StringRef name) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  const llvm::IRBuilderBase::InsertPointGuard guard(ir_);
  ir_.SetInsertPoint(&entry, entry.begin());
  auto* memory = ir_.CreateAlloca(type, nullptr, name);
  memory->setAlignment(llvm::Align(align));
  return memory;
}

/// Describes the entry to debuggers if the body is described, because inlined code keeps its source lines
/// only in a caller that is described, too. The entry itself belongs to no source line.
void EntryBuilder::describe(llvm::StringRef name) {
  llvm::DISubprogram* body = request_.subprogram();
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
  dispatch_ = unchanging(worker_fields().load_pointer(offsetof(Worker, dispatch)));
  const ControlDirectives& directives = request_.directives;
  group_size_ = sizes(offsetof(Dispatch, group_size), HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE,
                      directives.required_workgroup_size, HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE,
                      directives.max_flat_workgroup_size);
  grid_size_ = sizes(offsetof(Dispatch, grid_size), HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE,
                     directives.required_grid_size, HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE,
                     directives.max_flat_grid_size);
  grid_groups_ = numbers_of_groups();
  set(offsetof(Context, worker), worker());
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
  auto* group_base = worker_fields().load_pointer(offsetof(Worker, group_base));
  // All waves that an interleaved entry runs have the same group, so that their loads of its address may
  // become one. Others load it from a worker that may have another group later.
  set(offsetof(Context, group_base),
      request_.kind == EntryKind::interleaved ? unchanging(group_base) : group_base);
  set(offsetof(Context, private_base), worker_fields().load_pointer(offsetof(Worker, private_base)));
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
void EntryBuilder::keep_simple(llvm::Instruction* latch) {
  auto& context = latch->getContext();
  const auto word = [&](const char* text) { return llvm::MDString::get(context, text); };
  auto* no = llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(context));
  llvm::Metadata* hints[] = {nullptr, llvm::MDNode::get(context, {word("llvm.loop.unroll.disable")}),
                             llvm::MDNode::get(context, {word("llvm.loop.vectorize.enable"), no})};
  auto* loop = llvm::MDNode::getDistinct(context, hints);
  loop->replaceOperandWith(0, loop);
  latch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

/// Returns how many groups at most are executed as one.
Value* EntryBuilder::most_merged() {
  Value* one = ir_.getInt32(1);
  if (request_.merging == GroupMerging::none) return one;
  Value* rows = ir_.CreateNUWMul(group_size_[1], group_size_[2]);
  Value* most = ir_.CreateUDiv(ir_.getInt32(most_merged_workitems), ir_.CreateNUWMul(group_size_[0], rows));
  most = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, most, one);
  return request_.merging == GroupMerging::all ? most
                                               : ir_.CreateSelect(ir_.CreateICmpEQ(rows, one), most, one);
}

/// Returns how many groups are executed as one from a group on: those that follow it in x. `left` is how many
/// groups the entry has yet to execute.
Value* EntryBuilder::merged(Value* most, Value* left, const Dim3& group) {
  if (request_.merging == GroupMerging::none) return ir_.getInt32(1);
  const auto least = [&](Value* a, Value* b) {
    return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
  };
  Value* in_row = least(most, ir_.CreateNUWSub(grid_groups_[0], group[0]));
  return ir_.CreateTrunc(least(left, ir_.CreateZExt(in_row, ir_.getInt64Ty())), ir_.getInt32Ty());
}

/// Executes a group together with the next ones in x, `merged` groups in all.
void EntryBuilder::one_group(const Dim3& group, Value* merged) {
  Dim3 current;
  const bool whole = said(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS);
  for (size_t d = 0; d < 3; ++d) {
    llvm::Value* rest = ir_.CreateSub(grid_size_[d], ir_.CreateMul(group[d], group_size_[d]));
    llvm::Value* most = d == 0 ? ir_.CreateNUWMul(group_size_[d], merged) : group_size_[d];
    current[d] = whole ? most : ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest, most);
    worker_fields().store(group[d], offsetof(Worker, group_id) + 4 * d);
    worker_fields().store(current[d], offsetof(Worker, current_group_size) + 4 * d);
  }
  set3(offsetof(Context, workgroupid), group);
  set3(offsetof(Context, currentworkgroupsize), current);
  group_items(current);
}

/// Returns the ID of the next group in flattened order: adds the number of merged groups, which end with the
/// row at the latest, to x and carries into y and z.
Dim3 EntryBuilder::next_group(const Dim3& group, Value* merged) {
  auto* zero = ir_.getInt32(0);
  llvm::Value *step = merged, *carry = ir_.getTrue();
  Dim3 next;
  for (size_t d = 0; d < 3; ++d) {
    llvm::Value* more = ir_.CreateAdd(group[d], step);
    llvm::Value* full = ir_.CreateAnd(carry, ir_.CreateICmpEQ(more, grid_groups_[d]));
    next[d] = ir_.CreateSelect(full, zero, more);
    step = ir_.CreateZExt(full, ir_.getInt32Ty());
    carry = full;
  }
  return next;
}

/// Builds a kernel_abi::GroupsEntry: void(Worker*, u64 first_group, u64 last_group).
void EntryBuilder::groups() {
  begin(request_.name, ir_.getVoidTy(), {ir_.getInt64Ty(), ir_.getInt64Ty()});
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
  Value* most = most_merged();
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
  Value* merged = this->merged(most, ir_.CreateNUWSub(last, index), group);
  one_group(group, merged);
  const Dim3 next = next_group(group, merged);
  llvm::Value* next_index = ir_.CreateNUWAdd(index, ir_.CreateZExt(merged, ir_.getInt64Ty()));
  for (size_t d = 0; d < 3; ++d)
    llvm::cast<llvm::PHINode>(group[d])->addIncoming(next[d], ir_.GetInsertBlock());
  index->addIncoming(next_index, ir_.GetInsertBlock());
  keep_simple(ir_.CreateCondBr(ir_.CreateICmpULT(next_index, last), loop, done));
  ir_.SetInsertPoint(done);
  // Others learn of the end of the groups by ordinary accesses, which may overtake stores past the caches.
  if (request_.streams) ir_.CreateIntrinsic(ir_.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
  ir_.CreateRetVoid();
}

Dim3 EntryBuilder::ids_of(llvm::Value* flat, const Dim3& sizes) {
  Dim3 id;
  for (size_t d = 0; d < 2; ++d) {
    llvm::Value* size = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, sizes[d], ir_.getInt32(1));
    id[d] = ir_.CreateURem(flat, size);
    flat = ir_.CreateUDiv(flat, size);
  }
  id[2] = flat;
  return id;
}

/// Runs the wave that begins with work-item argument 1 of the group that the worker describes.
void EntryBuilder::wave_of_worker() {
  const Dim3 group = load3(worker_fields(), offsetof(Worker, group_id));
  const Dim3 current = said(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS)
                           ? group_size_
                           : load3(worker_fields(), offsetof(Worker, current_group_size));
  set3(offsetof(Context, workgroupid), group);
  set3(offsetof(Context, currentworkgroupsize), current);
  wave_items(function_->getArg(1), ids_of(function_->getArg(1), current), current);
}

/// Builds a kernel_abi::WaveEntry: void(Worker*, u32 first_workitem).
void EntryBuilder::wave() {
  begin(request_.name, ir_.getVoidTy(), {ir_.getInt32Ty()});
  wave_of_worker();
  ir_.CreateRetVoid();
}

llvm::SmallVector<Value*, 12> EntryBuilder::pass_wave(const WavePlace& place, Value* frame) {
  llvm::SmallVector<Value*, 12> arguments = {worker(), frame, place.first};
  for (const Dim3* values : {&place.ids, &place.group, &place.group_sizes})
    arguments.append(values->begin(), values->end());
  return arguments;
}

/// Names the arguments that pass_wave() makes. Where the sizes of groups are known, LLVM is told the ranges.
EntryBuilder::WavePlace EntryBuilder::passed_wave() {
  const auto argument = [&](unsigned index) { return function_->getArg(index); };
  const auto limit = [&](unsigned index, uint64_t least, uint64_t end) {
    const llvm::ConstantRange range(llvm::APInt(32, least), llvm::APInt(32, end));
    argument(index)->addAttr(llvm::Attribute::get(ir_.getContext(), llvm::Attribute::Range, range));
  };
  WavePlace place;
  place.first = argument(2);
  for (unsigned d = 0; d < 3; ++d) {
    place.ids[d] = argument(3 + d);
    place.group[d] = argument(6 + d);
    place.group_sizes[d] = argument(9 + d);
    const auto* most = llvm::dyn_cast<llvm::ConstantInt>(group_size_[d]);
    if (!most) continue;
    if (said(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS)) place.group_sizes[d] = group_size_[d];
    if (most->getZExtValue() == UINT32_MAX) continue;  // which limits nothing
    limit(3 + d, 0, most->getZExtValue());
    limit(9 + d, 1, most->getZExtValue() + 1);
  }
  return place;
}

Coroutine EntryBuilder::build_coroutine() {
  llvm::SmallVector<llvm::Type*, 11> arguments(11, ir_.getInt32Ty());
  arguments[0] = ir_.getPtrTy();
  begin(request_.name + ".wave", ir_.getPtrTy(), arguments);
  function_->setVisibility(llvm::GlobalValue::DefaultVisibility);
  function_->setLinkage(llvm::GlobalValue::InternalLinkage);
  function_->addFnAttr(llvm::Attribute::NoInline);
  const WavePlace place = passed_wave();
  Coroutine coroutine(ir_, function_->getArg(1));
  Value* stride = unchanging(dispatch().load_i32(offsetof(Dispatch, private_stride)));
  Value* before = ir_.CreateNUWMul(ir_.CreateZExt(place.first, ir_.getInt64Ty()),
                                   ir_.CreateZExt(stride, ir_.getInt64Ty()));
  Value* first = unchanging(worker_fields().load_pointer(offsetof(Worker, private_base)));
  set(offsetof(Context, private_base), ir_.CreatePtrAdd(first, before));
  set3(offsetof(Context, workgroupid), place.group);
  set3(offsetof(Context, currentworkgroupsize), place.group_sizes);
  wave_items(place.first, place.ids, place.group_sizes);
  coroutine.end(ir_);
  return coroutine;
}

void EntryBuilder::create_trap(uint32_t reason, Value* detail) {
  Value* table = unchanging(worker_fields().load_pointer(offsetof(Worker, support)));
  Value* callee = unchanging(Fields(ir_, table).load_pointer(8 * uint64_t{kernel_abi::support_trap}));
  auto* type =
      llvm::FunctionType::get(ir_.getVoidTy(), {ir_.getPtrTy(), ir_.getInt32Ty(), ir_.getInt32Ty()}, false);
  ir_.CreateCall(type, callee, {worker(), ir_.getInt32(reason), detail})->setDoesNotThrow();
}

void EntryBuilder::build() { request_.kind == EntryKind::wave ? wave() : groups(); }

}  // namespace heddle::finalizer::x86
