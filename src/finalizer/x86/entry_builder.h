// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all entries (kernel_abi.h) have in common: the context, and the loop over work-groups.
#pragma once

#include <array>

#include "finalizer/x86/context.h"
#include "finalizer/x86/entries.h"

namespace heddle::finalizer::x86 {

using Dim3 = std::array<llvm::Value*, 3>;

/// At most this many work-items are executed as one group (GroupMerging), so that no
/// workitemid is larger than in a group of the largest size.
inline constexpr uint32_t most_merged_workitems = UINT16_MAX;

/// Builds one entry function. Derived classes build what runs the work-items of one group, or of one wave.
class EntryBuilder {
 public:
  EntryBuilder(llvm::Module& module, const EntryRequest& request)
      : module_(module), request_(request), ir_(module.getContext()) {}
  virtual ~EntryBuilder() = default;
  EntryBuilder(const EntryBuilder&) = delete;
  EntryBuilder& operator=(const EntryBuilder&) = delete;

  /// Builds the entry.
  void build();
  /// Builds the coroutine of a wave instead. The function takes what pass_wave() returns, and returns a
  /// pointer.
  Coroutine build_coroutine();

 protected:
  /// Runs all work-items of a group, or of several groups that are executed as one. `sizes` are its own
  /// sizes, none of which is 0.
  virtual void group_items(const Dim3& sizes) = 0;
  /// Runs the wave whose first work-item has the flattened ID `first`, and `ids`, in a group of these sizes.
  virtual void wave_items(llvm::Value* first, const Dim3& ids, const Dim3& sizes) = 0;

  /// Which wave a coroutine is. Whoever calls it has all of this in registers, and most is the same for all
  /// waves of a group.
  struct WavePlace {
    llvm::Value* first;       ///< flattened ID of its first work-item
    Dim3 ids;                 ///< of this work-item
    Dim3 group, group_sizes;  ///< ID of its group, and the group's own sizes
  };
  /// Returns the arguments of the function of a coroutine (build_coroutine()).
  llvm::SmallVector<llvm::Value*, 12> pass_wave(const WavePlace& place, llvm::Value* frame);

  llvm::IRBuilder<>& ir() { return ir_; }
  llvm::Module& module() { return module_; }
  llvm::Function& function() { return *function_; }
  llvm::Value* context() { return context_; }
  llvm::Value* worker() { return function_->getArg(0); }
  /// Returns the sizes of groups that are not partial.
  const Dim3& group_size() const { return group_size_; }
  llvm::BasicBlock* block(llvm::StringRef name) {
    return llvm::BasicBlock::Create(ir_.getContext(), name, function_);
  }
  Fields context_fields() { return {ir_, context_}; }
  void set(size_t field, llvm::Value* value) { context_fields().store(value, field); }
  /// Returns the ID of the group that is executed.
  Dim3 group_id() { return load3(context_fields(), offsetof(Context, workgroupid)); }
  void set3(size_t field, const Dim3& values) {
    for (size_t d = 0; d < 3; ++d) set(field + 4 * d, values[d]);
  }
  /// Makes an alloca in the entry block.
  llvm::AllocaInst* create_memory(llvm::Type* type, uint64_t align, llvm::StringRef name);
  /// Returns the ID in each dimension of the work-item with a flattened ID.
  Dim3 ids_of(llvm::Value* flat, const Dim3& sizes);
  /// Keeps LLVM from unrolling and vectorising the loop with this latch.
  static void keep_simple(llvm::Instruction* latch);
  /// Calls the support function that ends the dispatch (kernel_abi::TrapReason).
  void create_trap(uint32_t reason, llvm::Value* detail);

 private:
  void begin(const std::string& name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> arguments);
  void describe(llvm::StringRef name);
  void fill_constant_fields();
  Fields worker_fields() { return {ir_, worker()}; }
  Fields dispatch() { return {ir_, dispatch_}; }
  Dim3 load3(const Fields& fields, uint64_t offset) {
    return {fields.load_i32(offset), fields.load_i32(offset + 4), fields.load_i32(offset + 8)};
  }
  bool said(unsigned control) const { return request_.directives.has(control); }
  Dim3 sizes(uint64_t offset, unsigned required_control, const uint64_t (&required)[3], unsigned most_control,
             uint64_t most);
  Dim3 numbers_of_groups();
  void groups();
  llvm::Value* most_merged();
  llvm::Value* merged(llvm::Value* most, llvm::Value* left, const Dim3& group);
  void one_group(const Dim3& group, llvm::Value* merged);
  Dim3 next_group(const Dim3& group, llvm::Value* merged);
  void wave();
  void wave_of_worker();
  WavePlace passed_wave();

  llvm::Module& module_;
  const EntryRequest& request_;
  llvm::IRBuilder<> ir_;
  llvm::Function* function_ = nullptr;
  llvm::Value* context_ = nullptr;
  llvm::Value* dispatch_ = nullptr;
  Dim3 group_size_, grid_size_, grid_groups_;
};

}  // namespace heddle::finalizer::x86
