// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search among the ranges takes several loads that wait for each other. So each base address has a cache:
// the range in which its last access lay, in two registers. Accesses in a loop cost three instructions then,
// and are as exact as the ranges. Programs change their memory rarely, and few have more than some hundred
// ranges.
#include "finalizer/ptx/address_checks.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "codeobject/ptx_dispatch.h"
#include "finalizer/device_library.h"
#include "finalizer/fields.h"
#include "finalizer/lower/target_operations.h"
#include "finalizer/ptx/context.h"
#include "finalizer/ptx/machine.h"

namespace heddle::finalizer::ptx {
namespace {

using llvm::Value;
using ptx_kernel::AddressChecks;
using ptx_kernel::CheckedHidden;
using ptx_kernel::MemoryRange;
using AccessKind = ptx_kernel::Access::Kind;
using Segment = ptx_kernel::Access::Segment;

/// Base addresses of a function with a cache of their own. Further ones share them, so that large functions
/// do not need registers for caches alone.
constexpr size_t most_caches = 8;

/// One access to memory, or several to consecutive bytes.
struct Access {
  llvm::Instruction* first = nullptr;
  Value* pointer = nullptr;  ///< to the lowest byte
  uint64_t size = 0;         ///< bytes
  llvm::Align align;
  AccessKind kind = AccessKind::load;
};

std::optional<Access> access_of_call(llvm::CallInst& call) {
  llvm::Function* callee = call.getCalledFunction();
  if (!callee) return std::nullopt;
  const auto what = target_operation_of(*callee);
  if (what == TargetOperation::atomic32 || what == TargetOperation::atomic64) {
    const uint64_t size = what == TargetOperation::atomic64 ? 8 : 4;
    return Access{&call, call.getArgOperand(4), size, llvm::Align(size), AccessKind::atomic};
  }
  // The address of an fbarrier is a group address that was made a flat one (cross_lane.cpp).
  if (callee->getName() == "hsail_dev_nvptx_fbarrier")
    return Access{&call, call.getArgOperand(2)->stripPointerCasts(), 8, llvm::Align(8), AccessKind::fbarrier};
  return std::nullopt;
}

std::optional<Access> access_of(llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return Access{load, load->getPointerOperand(), layout.getTypeStoreSize(load->getType()), load->getAlign(),
                  AccessKind::load};
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return Access{store, store->getPointerOperand(),
                  layout.getTypeStoreSize(store->getValueOperand()->getType()), store->getAlign(),
                  AccessKind::store};
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call ? access_of_call(*call) : std::nullopt;
}

/// A pointer as a constant number of bytes behind another one.
struct ConstantDistance {
  ConstantDistance(Value* pointer, const llvm::DataLayout& layout) {
    llvm::APInt distance(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    base = pointer->stripAndAccumulateConstantOffsets(layout, distance, /*AllowNonInbounds=*/true);
    bytes = distance.getSExtValue();
  }
  Value* base;
  int64_t bytes;
};

/// Collects the accesses of a function. Those of one HSAIL instruction that follow each other, in the code
/// and in memory, become one.
class Collector {
 public:
  explicit Collector(llvm::Function& function) : layout_(function.getDataLayout()) {
    for (llvm::BasicBlock& block : function) {
      can_grow_ = false;
      for (llvm::Instruction& instruction : block) visit(instruction);
    }
  }
  llvm::SmallVector<Access, 32> accesses;

 private:
  void visit(llvm::Instruction& instruction) {
    const auto access = access_of(instruction, layout_);
    if (!access) {
      can_grow_ = can_grow_ && !instruction.mayHaveSideEffects();
    } else if (can_grow_ && continues(*access)) {
      accesses.back().size += access->size;
    } else {
      accesses.push_back(*access);
      can_grow_ = access->kind == AccessKind::load || access->kind == AccessKind::store;
    }
  }
  bool continues(const Access& next) const {
    const Access& last = accesses.back();
    if (next.kind != last.kind || next.first->getDebugLoc() != last.first->getDebugLoc()) return false;
    if (last.size + next.size > ptx_kernel::Access::largest) return false;
    const ConstantDistance from(last.pointer, layout_), to(next.pointer, layout_);
    return from.base == to.base && to.bytes - from.bytes == static_cast<int64_t>(last.size);
  }

  const llvm::DataLayout& layout_;
  bool can_grow_ = false;
};

/// Adds the checks of one function.
class FunctionChecks {
 public:
  /// `kernarg_size` is that of the kernel whose body the function is, 0 for others.
  FunctionChecks(llvm::Function& function, uint64_t kernarg_size, Places& places)
      : function_(function), kernarg_size_(kernarg_size), places_(places), ir_(function.getContext()) {}

  void run() {
    Collector found(function_);
    for (const Access& access : found.accesses) check(access);
  }

 private:
  struct Cache {
    llvm::AllocaInst *begin = nullptr, *size = nullptr;
  };
  /// Where an access goes.
  struct Target {
    Segment segment = Segment::flat;
    Value* root = nullptr;  ///< what the pointer is an offset to
  };

  std::optional<Target> target_of(const Access& access) const;
  void check(const Access& access);
  void check_inside(const Access& access, Segment segment, Value* offset, Value* limit);
  void check_ranges(const Access& access, const Target& target);
  Value* offset_of(Value* pointer);
  Value* limit_of(const Target& target);
  Value* lies_inside(Value* offset, Value* limit, uint64_t size);
  Value* is_right(const Access& access, Value* address, Value* inside);
  llvm::Instruction* unless(Value* condition, const Access& access);
  Value* search(const Access& access, const Target& target, Value* address);
  Cache& cache_of(Value* root);
  llvm::AllocaInst* variable();
  Value* call(TargetOperation operation, llvm::ArrayRef<Value*> arguments = {}, unsigned space = 0) {
    return ir_.CreateCall(declare(*function_.getParent(), operation, {.address_space = space}), arguments);
  }
  Value* wide(Value* value) { return ir_.CreateZExt(value, ir_.getInt64Ty()); }
  Value* hidden() { return Fields(ir_, function_.getArg(0)).load_pointer(offsetof(Context, hidden)); }
  Value* flat_base(TargetOperation operation, unsigned space) {
    Value* base = call(operation, {}, space);
    if (space != generic_space) base = ir_.CreateAddrSpaceCast(base, ir_.getPtrTy());
    return ir_.CreatePtrToInt(base, ir_.getInt64Ty());
  }
  void append_identity(const Access& access, Segment segment, llvm::SmallVectorImpl<Value*>& arguments);

  llvm::Function& function_;
  const uint64_t kernarg_size_;
  Places& places_;
  llvm::IRBuilder<> ir_;
  std::array<Cache, most_caches> caches_;
  llvm::DenseMap<Value*, size_t> cache_numbers_;
};

/// Returns what an address is relative to; nothing for memory of the code itself, such as arguments on the
/// stack.
std::optional<FunctionChecks::Target> FunctionChecks::target_of(const Access& access) const {
  Value* root = llvm::getUnderlyingObject(access.pointer, /*MaxLookup=*/0);
  const unsigned space = access.pointer->getType()->getPointerAddressSpace();
  const auto* base = llvm::dyn_cast<llvm::CallInst>(root);
  const llvm::Function* callee = base ? base->getCalledFunction() : nullptr;
  const auto what = callee ? target_operation_of(*callee) : std::nullopt;
  // The host checks the queues whose indices it operates on.
  if (what == TargetOperation::queue_index) return std::nullopt;
  if (space == shared_space) return Target{Segment::group, root};
  if (space == constant_space || llvm::isa<llvm::Argument, llvm::GlobalVariable>(root)) return std::nullopt;
  if (space == global_space) return Target{Segment::global, root};
  if (llvm::isa<llvm::AllocaInst>(root)) return Target{Segment::variable, root};
  if (what == TargetOperation::private_base) return Target{Segment::private_, root};
  if (what == TargetOperation::kernarg_base) return Target{Segment::kernarg, root};
  return Target{Segment::flat, root};
}

/// Returns the bytes from the root of a pointer to where it points, as an i64. Adding them up, instead of
/// taking the difference of two addresses, leaves variables free to become registers.
Value* FunctionChecks::offset_of(Value* pointer) {
  Value* sum = ir_.getInt64(0);
  while (true) {
    if (auto* step = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      sum = ir_.CreateAdd(sum, llvm::emitGEPOffset(&ir_, function_.getDataLayout(), step));
      pointer = step->getPointerOperand();
    } else if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer)) {
      pointer = cast->getPointerOperand();
    } else {
      return sum;
    }
  }
}

/// Returns the size of a segment or a variable, as an i64.
Value* FunctionChecks::limit_of(const Target& target) {
  switch (target.segment) {
    case Segment::group:
      return wide(call(TargetOperation::grouptotalsize));
    case Segment::private_:
      return wide(call(TargetOperation::private_size));
    case Segment::kernarg: {
      if (kernarg_size_ != 0) return ir_.getInt64(kernarg_size_);
      constexpr uint64_t at = offsetof(CheckedHidden, checks) + offsetof(AddressChecks, kernarg_size);
      return wide(unchanging(Fields(ir_, hidden()).load_i32(at)));
    }
    default: {
      const auto size =
          llvm::cast<llvm::AllocaInst>(target.root)->getAllocationSize(function_.getDataLayout());
      assert(size && "variables of HSAIL have a known size");
      return ir_.getInt64(size->getFixedValue());
    }
  }
}

/// Reports, as an i1, whether [offset, offset + size) lies in [0, limit).
Value* FunctionChecks::lies_inside(Value* offset, Value* limit, uint64_t size) {
  Value* begin = ir_.CreateICmpULT(offset, limit);
  if (size == 1) return begin;
  // The last byte does not wrap around if the first one lies inside: no memory reaches the highest addresses.
  return ir_.CreateAnd(begin, ir_.CreateICmpULT(ir_.CreateAdd(offset, ir_.getInt64(size - 1)), limit));
}

Value* FunctionChecks::is_right(const Access& access, Value* address, Value* inside) {
  if (access.align == llvm::Align(1)) return inside;
  Value* rest = ir_.CreateAnd(address, ir_.getInt64(access.align.value() - 1));
  return ir_.CreateAnd(inside, ir_.CreateICmpEQ(rest, ir_.getInt64(0)));
}

/// Starts a block that is executed before an access unless the condition is true, and returns its end. Null
/// if the condition is known to be true.
llvm::Instruction* FunctionChecks::unless(Value* condition, const Access& access) {
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition); known && known->isOne())
    return nullptr;
  llvm::MDNode* rarely = llvm::MDBuilder(ir_.getContext()).createUnlikelyBranchWeights();
  return llvm::SplitBlockAndInsertIfThen(ir_.CreateNot(condition), access.first, /*Unreachable=*/false,
                                         rarely);
}

/// Appends what access it is, where it is and who the work-item is.
void FunctionChecks::append_identity(const Access& access, Segment segment,
                                     llvm::SmallVectorImpl<Value*>& arguments) {
  const auto align = static_cast<uint32_t>(std::min<uint64_t>(access.align.value(), 128));
  const ptx_kernel::Access described = {access.kind, segment, align, static_cast<uint32_t>(access.size)};
  arguments.push_back(ir_.getInt32(ptx_kernel::word_of(described)));
  arguments.push_back(ir_.getInt32(places_.number_of(*access.first)));
  for (const TargetOperation id : {TargetOperation::workgroupid, TargetOperation::workitemid})
    for (uint32_t d = 0; d < 3; ++d) arguments.push_back(call(id, {ir_.getInt32(d)}));
}

void FunctionChecks::check_inside(const Access& access, Segment segment, Value* offset, Value* limit) {
  Value* inside = lies_inside(offset, limit, access.size);
  llvm::Instruction* end = unless(is_right(access, offset, inside), access);
  if (!end) return;
  ir_.SetInsertPoint(end);
  llvm::SmallVector<Value*, 10> arguments = {hidden(), offset};
  append_identity(access, segment, arguments);
  ir_.CreateCall(device_function(*function_.getParent(), "hsail_dev_nvptx_stray"), arguments);
}

llvm::AllocaInst* FunctionChecks::variable() {
  llvm::IRBuilder<> entry(&function_.getEntryBlock(), function_.getEntryBlock().begin());
  auto* variable = entry.CreateAlloca(entry.getInt64Ty());
  entry.CreateStore(entry.getInt64(0), variable);
  return variable;
}

FunctionChecks::Cache& FunctionChecks::cache_of(Value* root) {
  if (auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(root)) root = cast->getOperand(0);
  const size_t next = cache_numbers_.size() % most_caches;
  Cache& cache = caches_[cache_numbers_.try_emplace(root, next).first->second];
  if (!cache.begin) cache = {variable(), variable()};
  return cache;
}

/// Returns the range in which the access lies, or ends the work-item. The result is null if it lies in
/// another segment than the global one.
Value* FunctionChecks::search(const Access& access, const Target& target, Value* address) {
  llvm::SmallVector<Value*, 15> arguments = {hidden(), address};
  const bool is_flat = target.segment == Segment::flat;
  if (is_flat) {
    arguments.push_back(flat_base(TargetOperation::group_base, shared_space));
    arguments.push_back(flat_base(TargetOperation::private_base, generic_space));
    arguments.push_back(call(TargetOperation::private_size));
    arguments.push_back(flat_base(TargetOperation::kernarg_base, generic_space));
  }
  append_identity(access, target.segment, arguments);
  const char* name = is_flat ? "hsail_dev_nvptx_check_flat" : "hsail_dev_nvptx_check_global";
  return ir_.CreateCall(device_function(*function_.getParent(), name), arguments);
}

void FunctionChecks::check_ranges(const Access& access, const Target& target) {
  auto* type = ir_.getInt64Ty();
  Value* address = ir_.CreatePtrToInt(access.pointer, type);
  const Cache cache = cache_of(target.root);
  Value* offset = ir_.CreateSub(address, ir_.CreateLoad(type, cache.begin));
  Value* inside = lies_inside(offset, ir_.CreateLoad(type, cache.size), access.size);
  llvm::Instruction* end = unless(is_right(access, address, inside), access);
  ir_.SetInsertPoint(end);
  Value* range = search(access, target, address);
  if (target.segment == Segment::flat)
    ir_.SetInsertPoint(
        llvm::SplitBlockAndInsertIfThen(ir_.CreateIsNotNull(range), end, /*Unreachable=*/false));
  const Fields fields(ir_, range);
  ir_.CreateStore(unchanging(fields.load_i64(offsetof(MemoryRange, begin))), cache.begin);
  ir_.CreateStore(unchanging(fields.load_i64(offsetof(MemoryRange, size))), cache.size);
}

void FunctionChecks::check(const Access& access) {
  const auto target = target_of(access);
  if (!target) return;
  ir_.SetInsertPoint(access.first);
  if (target->segment == Segment::flat || target->segment == Segment::global)
    check_ranges(access, *target);
  else
    check_inside(access, target->segment, offset_of(access.pointer), limit_of(*target));
}

}  // namespace

void add_address_checks(SpmdProgram& spmd, llvm::function_ref<uint64_t(const SpmdKernel&)> kernarg_size,
                        Places& places) {
  llvm::DenseMap<const llvm::Function*, uint64_t> of_bodies;
  for (const SpmdKernel& kernel : spmd.kernels) of_bodies[kernel.body] = kernarg_size(kernel);
  // The checks declare functions, which must not be visited.
  llvm::SmallVector<llvm::Function*, 16> functions;
  for (llvm::Function& function : *spmd.module)
    if (!function.isDeclaration()) functions.push_back(&function);
  for (llvm::Function* function : functions)
    FunctionChecks(*function, of_bodies.lookup(function), places).run();
}

}  // namespace heddle::finalizer::ptx
