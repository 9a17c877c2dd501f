// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/entries.h"

#include <algorithm>
#include <cassert>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <hsa/hsa_brig_directives.h>

#include "codeobject/ptx_kernel.h"
#include "finalizer/device_library.h"
#include "finalizer/ptx/context.h"
#include "finalizer/ptx/machine.h"

namespace heddle::finalizer::ptx {
namespace {

using llvm::Value;
using ptx_kernel::EntryForm;
using ptx_kernel::Hidden;
using ptx_kernel::SingleHidden;

/// Builds one entry.
class EntryBuilder {
 public:
  EntryBuilder(llvm::Module& module, const EntryRequest& request)
      : module_(module), request_(request), ir_(module.getContext()) {}

  void build();

 private:
  const ControlDirectives& directives() const { return request_.kernel.directives; }
  bool said(unsigned control) const { return directives().has(control); }
  void create_function();
  void describe();
  void limit_group_size();
  Value* special(llvm::Intrinsic::ID id) { return ir_.CreateIntrinsic(id, llvm::ArrayRef<Value*>()); }
  Value* kernarg();
  Value* size(unsigned dim, uint64_t offset, unsigned required_control, const uint64_t (&required)[3],
              unsigned most_control, uint64_t most);
  void set(uint64_t offset, Value* value) { Fields(ir_, context_).store(value, offset); }
  Value* get(uint64_t offset) { return Fields(ir_, context_).load_i32(offset); }
  void fill_sizes();
  void fill_private();
  void fill_native_ids();
  void fill_linear_ids();
  Value* flattened_group();
  Value* ticket();
  Value* group_plane();
  Value* group_items();
  Value* flattened_item();
  void fill_active_lanes();
  void begin_waves();
  void end_lane();
  void tell_end();

  llvm::Module& module_;
  const EntryRequest& request_;
  llvm::IRBuilder<> ir_;
  llvm::Function* function_ = nullptr;
  Value* context_ = nullptr;
  Value* hidden_ = nullptr;
  Value* waves_ = nullptr;  ///< GroupWaves* of the device library, if barriers count waves
};

constexpr llvm::Intrinsic::ID thread_ids[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                              llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                              llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z};
constexpr llvm::Intrinsic::ID block_ids[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                             llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                             llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
constexpr llvm::Intrinsic::ID block_sizes[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                               llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                               llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z};

/// Parameters by value are read where they are, also through pointers that the kernel makes of them.
void pass_by_value(llvm::Function& function, unsigned index, llvm::Type* type, uint64_t align) {
  llvm::AttrBuilder attributes(function.getContext());
  attributes.addByValAttr(type);
  attributes.addAlignmentAttr(align);
  attributes.addAttribute("nvvm.grid_constant");
  function.addParamAttrs(index, attributes);
}

void EntryBuilder::create_function() {
  auto* byte = ir_.getInt8Ty();
  const bool by_value = ptx_kernel::passes_kernarg_by_value(request_.described);
  llvm::Type* first = by_value ? static_cast<llvm::Type*>(ir_.getPtrTy()) : ir_.getInt64Ty();
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {first, ir_.getPtrTy()}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, request_.name, module_);
  function_->setCallingConv(llvm::CallingConv::PTX_Kernel);
  function_->setDoesNotThrow();
  function_->addFnAttr(llvm::Attribute::NullPointerIsValid);
  if (by_value)
    pass_by_value(*function_, 0,
                  llvm::ArrayType::get(byte, ptx_kernel::kernarg_parameter_size(request_.described)),
                  ptx_kernel::kernarg_parameter_align);
  pass_by_value(*function_, 1,
                llvm::ArrayType::get(byte, ptx_kernel::hidden_size(request_.described, request_.form)),
                alignof(Hidden));
  function_->getArg(0)->setName("kernarg");
  function_->getArg(1)->setName("hidden");
  ir_.SetInsertPoint(llvm::BasicBlock::Create(ir_.getContext(), "entry", function_));
  hidden_ = function_->getArg(1);
}

/// Inlined code keeps its source lines only in a caller that is described, too. The entry itself belongs to
/// no line.
void EntryBuilder::describe() {
  llvm::DISubprogram* body = request_.kernel.body->getSubprogram();
  if (!body) return;
  llvm::DIBuilder builder(module_, false, body->getUnit());
  auto* described =
      builder.createFunction(body->getFile(), request_.name, "", body->getFile(), 0, body->getType(), 0,
                             llvm::DINode::FlagArtificial,
                             llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagLocalToUnit);
  builder.finalizeSubprogram(described);
  function_->setSubprogram(described);
  ir_.SetCurrentDebugLocation(llvm::DILocation::get(ir_.getContext(), 0, 0, described));
}

/// Tells the driver's compiler how many registers a work-item may have. The linear entry has blocks of one
/// dimension.
void EntryBuilder::limit_group_size() {
  const auto list = [](uint64_t x, uint64_t y, uint64_t z) {
    return std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z);
  };
  const auto& required = directives().required_workgroup_size;
  if (said(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE)) {
    const uint64_t product = required[0] * required[1] * required[2];
    if (request_.form != EntryForm::linear)
      function_->addFnAttr("nvvm.reqntid", list(required[0], required[1], required[2]));
    else
      function_->addFnAttr("nvvm.maxntid", std::to_string(product));
  } else if (said(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE)) {
    const uint64_t most = directives().max_flat_workgroup_size;
    function_->addFnAttr("nvvm.maxntid",
                         std::to_string(std::min<uint64_t>(most, ptx_kernel::max_group_size)));
  }
}

Value* EntryBuilder::kernarg() {
  Value* parameter = function_->getArg(0);
  if (parameter->getType()->isPointerTy()) return parameter;
  Value* staged = ir_.CreateIntToPtr(parameter, ir_.getPtrTy(global_space));
  return ir_.CreateAddrSpaceCast(staged, ir_.getPtrTy());
}

/// Returns a size of the dispatch. One that control directives fix becomes a constant, and one that they
/// limit has its range (PRM 13.5).
Value* EntryBuilder::size(unsigned dim, uint64_t offset, unsigned required_control,
                          const uint64_t (&required)[3], unsigned most_control, uint64_t most) {
  if (said(required_control) && required[dim] <= UINT32_MAX)
    return ir_.getInt32(static_cast<uint32_t>(required[dim]));
  if (said(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM) && dim >= directives().required_dim)
    return ir_.getInt32(1);
  // The blocks of all but the linear entry are work-groups, so that a register has their size. On an H200,
  // stencil_3d of bench-cuda takes 508 us with it and 521 us with the parameter.
  const bool is_block_size = offset == offsetof(Hidden, group_size) && request_.form != EntryForm::linear;
  auto* value = is_block_size ? llvm::cast<llvm::Instruction>(special(block_sizes[dim]))
                              : unchanging(Fields(ir_, hidden_).load_i32(offset + 4 * dim));
  if (said(most_control) && most < UINT32_MAX)
    value->setMetadata(
        llvm::LLVMContext::MD_range,
        llvm::MDBuilder(ir_.getContext()).createRange(llvm::APInt(32, 1), llvm::APInt(32, most + 1)));
  return value;
}

void EntryBuilder::fill_sizes() {
  for (unsigned d = 0; d < 3; ++d) {
    set(offsetof(Context, workgroupsize) + 4 * d,
        size(d, offsetof(Hidden, group_size), HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE,
             directives().required_workgroup_size, HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE,
             directives().max_flat_workgroup_size));
    set(offsetof(Context, gridsize) + 4 * d,
        size(d, offsetof(Hidden, grid_size), HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE,
             directives().required_grid_size, HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE,
             directives().max_flat_grid_size));
  }
}

/// Allocates the private segment of the work-item, in local memory.
void EntryBuilder::fill_private() {
  const codeobject::Kernel& kernel = request_.described;
  const bool is_dynamic = (kernel.flags & codeobject::kernel_dynamic_private) != 0;
  Value* size = ir_.getInt32(kernel.private_size + (is_dynamic ? ptx_kernel::dynamic_private_size : 0));
  set(offsetof(Context, private_size), size);
  auto* memory = ir_.CreateAlloca(ir_.getInt8Ty(), size, "private");
  memory->setAlignment(llvm::Align(traits().private_alignment));
  set(offsetof(Context, private_base), memory);
}

/// Every group is a full one.
void EntryBuilder::fill_native_ids() {
  for (unsigned d = 0; d < 3; ++d) {
    Value* size = get(offsetof(Context, workgroupsize) + 4 * d);
    const bool is_flat = said(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM) && d >= directives().required_dim;
    Value* none = ir_.getInt32(0);
    const bool is_only_group = is_flat || request_.form == EntryForm::single;
    set(offsetof(Context, workgroupid) + 4 * d, is_only_group ? none : special(block_ids[d]));
    set(offsetof(Context, workitemid) + 4 * d, is_flat ? none : special(thread_ids[d]));
    set(offsetof(Context, currentworkgroupsize) + 4 * d, size);
  }
}

/// Thread 0 takes the ticket of the group, and the others get it from memory of the group.
Value* EntryBuilder::ticket() {
  auto* type = ir_.getInt64Ty();
  auto* shared = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::PoisonValue::get(type), request_.name + "_ticket", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, shared_space);
  shared->setAlignment(llvm::Align(8));
  auto *take = llvm::BasicBlock::Create(ir_.getContext(), "take", function_),
       *taken = llvm::BasicBlock::Create(ir_.getContext(), "taken", function_);
  ir_.CreateCondBr(ir_.CreateICmpEQ(special(thread_ids[0]), ir_.getInt32(0)), take, taken);
  ir_.SetInsertPoint(take);
  Value* groups = special(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x);
  ir_.CreateStore(ir_.CreateCall(device_function(module_, "hsail_dev_nvptx_ticket"), {hidden_, groups}),
                  shared);
  ir_.CreateBr(taken);
  ir_.SetInsertPoint(taken);
  ir_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_all, {}, {ir_.getInt32(0)});
  return ir_.CreateLoad(type, shared);
}

Value* EntryBuilder::flattened_group() {
  const Fields hidden(ir_, hidden_);
  const auto wide = [&](Value* value) { return ir_.CreateZExt(value, ir_.getInt64Ty()); };
  Value* high = wide(unchanging(hidden.load_i32(offsetof(Hidden, first_group_high))));
  Value* low = wide(unchanging(hidden.load_i32(offsetof(Hidden, first_group_low))));
  const bool takes_tickets = (request_.described.flags & codeobject::kernel_takes_tickets) != 0;
  Value* number = takes_tickets ? ticket() : wide(special(block_ids[0]));
  return ir_.CreateAdd(ir_.CreateOr(ir_.CreateShl(high, 32), low), number);
}

/// Threads of partial groups that are no work-items end.
void EntryBuilder::fill_linear_ids() {
  Value* item = Fields(ir_, context_).pointer(work_item_offset);
  Value* exists = ir_.CreateCall(device_function(module_, "hsail_dev_nvptx_linear"),
                                 {hidden_, flattened_group(), special(thread_ids[0]), item});
  auto *nobody = llvm::BasicBlock::Create(ir_.getContext(), "nobody", function_),
       *somebody = llvm::BasicBlock::Create(ir_.getContext(), "somebody", function_);
  ir_.CreateCondBr(ir_.CreateICmpNE(exists, ir_.getInt32(0)), somebody, nobody);
  ir_.SetInsertPoint(nobody);
  ir_.CreateRetVoid();
  ir_.SetInsertPoint(somebody);
}

Value* EntryBuilder::group_plane() {
  const auto size = [&](unsigned d) { return get(offsetof(Context, currentworkgroupsize) + 4 * d); };
  return ir_.CreateMul(size(0), size(1));
}

Value* EntryBuilder::flattened_item() {
  const auto id = [&](unsigned d) { return get(offsetof(Context, workitemid) + 4 * d); };
  Value* row = ir_.CreateMul(id(1), get(offsetof(Context, currentworkgroupsize)));
  return ir_.CreateAdd(ir_.CreateAdd(id(0), row), ir_.CreateMul(id(2), group_plane()));
}

/// The number of work-items of the group.
Value* EntryBuilder::group_items() {
  return ir_.CreateMul(group_plane(), get(offsetof(Context, currentworkgroupsize) + 8));
}

/// The lanes of the wave that have a work-item: all, but in the last wave of the group.
void EntryBuilder::fill_active_lanes() {
  Value* first = ir_.CreateAnd(flattened_item(), ir_.getInt32(~(ptx_kernel::lanes - 1)));
  Value* left = ir_.CreateSub(group_items(), first);
  Value* count = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, ir_.getInt32(ptx_kernel::lanes));
  Value* absent = ir_.CreateSub(ir_.getInt32(ptx_kernel::lanes), count);
  set(offsetof(Context, active), ir_.CreateLShr(ir_.getInt32(UINT32_MAX), absent));
}

/// What the barriers of the group know of its waves is in memory of the group.
void EntryBuilder::begin_waves() {
  set(offsetof(Context, counts_waves), ir_.getInt32(request_.wave_barriers));
  set(offsetof(Context, waves), ir_.getInt64(0));
  if (!request_.wave_barriers) return;
  auto* type = llvm::ArrayType::get(ir_.getInt64Ty(), ptx_kernel::group_waves_words);
  auto* shared = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::PoisonValue::get(type), request_.name + "_waves", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, shared_space);
  shared->setAlignment(llvm::Align(8));
  waves_ = ir_.CreateAddrSpaceCast(shared, ir_.getPtrTy());
  set(offsetof(Context, waves), waves_);
  ir_.CreateCall(device_function(module_, "hsail_dev_nvptx_begin_waves"),
                 {waves_, flattened_item(), group_items(), get(offsetof(Context, active))});
  ir_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_all, {}, {ir_.getInt32(0)});
}

/// Barriers stop waiting for a wave when its last lane has ended.
void EntryBuilder::end_lane() {
  if (waves_)
    ir_.CreateCall(device_function(module_, "hsail_dev_nvptx_end_lane"), {waves_, flattened_item()});
}

/// Tells the host that the only group has ended, if the entry is the one that does so. The barrier makes what
/// the other work-items have written part of what the store releases. No work-item is in a barrier of the
/// kernel meanwhile, because kernels in which some may miss one have no such entry (single_groups.h).
void EntryBuilder::tell_end() {
  if (request_.form != EntryForm::single) return;
  ir_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_all, {}, {ir_.getInt32(0)});
  auto *tell = llvm::BasicBlock::Create(ir_.getContext(), "tell", function_),
       *told = llvm::BasicBlock::Create(ir_.getContext(), "told", function_);
  Value* item = ir_.getInt32(0);
  for (const llvm::Intrinsic::ID id : thread_ids) item = ir_.CreateOr(item, special(id));
  ir_.CreateCondBr(ir_.CreateICmpEQ(item, ir_.getInt32(0)), tell, told);
  ir_.SetInsertPoint(tell);
  const Fields hidden(ir_, hidden_);
  ir_.CreateCall(device_function(module_, "hsail_dev_nvptx_tell_end"),
                 {unchanging(hidden.load_i64(offsetof(SingleHidden, progress))),
                  unchanging(hidden.load_i64(offsetof(SingleHidden, progress_value)))});
  ir_.CreateBr(told);
  ir_.SetInsertPoint(told);
}

void EntryBuilder::build() {
  create_function();
  describe();
  limit_group_size();
  auto* memory = ir_.CreateAlloca(llvm::ArrayType::get(ir_.getInt8Ty(), sizeof(Context)), nullptr, "context");
  memory->setAlignment(llvm::Align(alignof(Context)));
  context_ = memory;
  set(offsetof(Context, kernarg), kernarg());
  set(offsetof(Context, hidden), hidden_);
  set(offsetof(Context, spins), ir_.getInt32(0));
  fill_private();
  fill_sizes();
  request_.form == EntryForm::linear ? fill_linear_ids() : fill_native_ids();
  fill_active_lanes();
  begin_waves();
  ir_.CreateCall(request_.kernel.body, {context_});
  end_lane();
  tell_end();
  ir_.CreateRetVoid();
}

}  // namespace

void add_entry(llvm::Module& module, const EntryRequest& request) { EntryBuilder(module, request).build(); }

}  // namespace heddle::finalizer::ptx
