// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/neighbours.h"

#include <llvm/ADT/MapVector.h>

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::LoadInst;
using llvm::StoreInst;
using llvm::Type;
using llvm::Value;

constexpr unsigned most_neighbours = 4;

struct Access {
  int64_t offset;  ///< in bytes, from the address that related accesses have in common
  Instruction* instruction;
};
using Accesses = llvm::SmallVector<Access, 4>;

bool is_simple_load(const Instruction& instruction) {
  const auto* load = llvm::dyn_cast<LoadInst>(&instruction);
  return load && load->isSimple();
}
bool is_simple_store(const Instruction& instruction) {
  const auto* store = llvm::dyn_cast<StoreInst>(&instruction);
  return store && store->isSimple();
}
bool is_convergent(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && call->isConvergent();
}

class BlockMerger {
 public:
  BlockMerger(BasicBlock& block, Shapes& shapes)
      : block_(block), shapes_(shapes), layout_(block.getDataLayout()) {}

  void merge_loads();
  void merge_stores();

 private:
  using Key = std::pair<const Value*, Type*>;  // the common address, and what is accessed

  std::optional<std::pair<Key, int64_t>> place_of(const Instruction& access) const;
  unsigned neighbours_of(const Instruction& access) const;
  void merge_noted();
  void merge(llvm::ArrayRef<Access> run);
  void replace_loads(llvm::ArrayRef<Access> run);
  void replace_stores(llvm::ArrayRef<Access> run);

  BasicBlock& block_;
  Shapes& shapes_;
  const llvm::DataLayout& layout_;
  llvm::MapVector<Key, Accesses> noted_;  ///< in the order of the program
};

/// Returns how many neighbours like what is accessed fill the distance between lanes, or 0 if they do not.
unsigned BlockMerger::neighbours_of(const Instruction& access) const {
  const Value& address = *llvm::getLoadStorePointerOperand(&access);
  Shape shape = shapes_.of(address);
  const GuardedShape* guarded = shape.is_varying() ? shapes_.guarded(address) : nullptr;
  if (guarded) shape = guarded->shape;
  if (!shape.is_strided() || shape.stride < 0) return 0;
  const auto stride = static_cast<uint64_t>(shape.stride);
  const uint64_t size = layout_.getTypeStoreSize(llvm::getLoadStoreType(&access));
  const bool is_filled = stride % size == 0 && stride > size && stride / size <= most_neighbours;
  return is_filled ? static_cast<unsigned>(stride / size) : 0;
}

/// Returns where an access is, if it may have neighbours.
std::optional<std::pair<BlockMerger::Key, int64_t>> BlockMerger::place_of(const Instruction& access) const {
  Type* type = llvm::getLoadStoreType(&access);
  if (!type->isIntegerTy() && !type->isFloatingPointTy()) return std::nullopt;
  const uint64_t bits = layout_.getTypeSizeInBits(type);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return std::nullopt;
  if (neighbours_of(access) == 0) return std::nullopt;
  const Value* address = llvm::getLoadStorePointerOperand(&access);
  llvm::APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
  const Value* base = address->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
  return std::pair(Key(base, type), offset.getSExtValue());
}

/// Loads may be moved to the first of them as long as nobody writes.
void BlockMerger::merge_loads() {
  for (Instruction& instruction : llvm::make_early_inc_range(block_)) {
    if (is_simple_load(instruction)) {
      if (const auto place = place_of(instruction))
        noted_[place->first].push_back({place->second, &instruction});
    } else if (instruction.mayHaveSideEffects() || is_convergent(instruction)) {
      merge_noted();
    }
  }
  merge_noted();
}

/// Stores may be moved to the last of them as long as nobody else reads or writes.
void BlockMerger::merge_stores() {
  for (Instruction& instruction : llvm::make_early_inc_range(block_)) {
    const auto place = is_simple_store(instruction) ? place_of(instruction) : std::nullopt;
    const bool is_alone = !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects() &&
                          !is_convergent(instruction);
    if (!is_alone && !(place && noted_.contains(place->first))) merge_noted();
    if (place) noted_[place->first].push_back({place->second, &instruction});
  }
  merge_noted();
}

/// Merges what has been noted, as far as it is complete, and forgets it. Where bytes are accessed twice
/// nothing is merged.
void BlockMerger::merge_noted() {
  for (auto& [key, accesses] : noted_) {
    llvm::sort(accesses, [](const Access& a, const Access& b) { return a.offset < b.offset; });
    const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(key.second).getFixedValue());
    const bool is_twice =
        std::adjacent_find(accesses.begin(), accesses.end(), [&](const auto& a, const auto& b) {
          return b.offset - a.offset < size;
        }) != accesses.end();
    if (is_twice) continue;
    for (size_t begin = 0; begin < accesses.size();) {
      const unsigned count = neighbours_of(*accesses[begin].instruction);
      size_t end = begin + 1;
      while (end < accesses.size() && end - begin < count &&
             accesses[end].offset == accesses[end - 1].offset + size)
        ++end;
      if (end - begin == count) merge(llvm::ArrayRef(accesses).slice(begin, count));
      begin = end;
    }
  }
  noted_.clear();
}

void BlockMerger::merge(llvm::ArrayRef<Access> run) {
  Instruction& leader = *run.front().instruction;
  if (llvm::isa<StoreInst>(leader)) return replace_stores(run);
  // Its address is known where it is.
  const bool is_first = llvm::all_of(
      run.drop_front(), [&](const Access& other) { return leader.comesBefore(other.instruction); });
  if (is_first) replace_loads(run);
}

/// Keeps those facts about memory that all accesses have.
void copy_common_facts(Instruction& made, llvm::ArrayRef<Access> run) {
  using Context = llvm::LLVMContext;
  for (const unsigned kind : {unsigned{Context::MD_alias_scope}, unsigned{Context::MD_noalias},
                              unsigned{Context::MD_invariant_load}, unsigned{Context::MD_nontemporal}}) {
    llvm::MDNode* fact = run.front().instruction->getMetadata(kind);
    const bool is_common = llvm::all_of(
        run, [&](const Access& access) { return access.instruction->getMetadata(kind) == fact; });
    if (is_common) made.setMetadata(kind, fact);
  }
}

llvm::FixedVectorType* vector_type(llvm::ArrayRef<Access> run) {
  return llvm::FixedVectorType::get(llvm::getLoadStoreType(run.front().instruction),
                                    static_cast<unsigned>(run.size()));
}

void BlockMerger::replace_loads(llvm::ArrayRef<Access> run) {
  auto& leader = llvm::cast<LoadInst>(*run.front().instruction);
  llvm::IRBuilder<> ir(&leader);
  auto* all = ir.CreateAlignedLoad(vector_type(run), leader.getPointerOperand(), leader.getAlign());
  copy_common_facts(*all, run);
  shapes_.set(*all, Shape::varying());
  for (size_t i = 0; i < run.size(); ++i) {
    Instruction& old = *run[i].instruction;
    ir.SetInsertPoint(&leader);
    Value* one = ir.CreateExtractElement(all, i);
    shapes_.set(*one, Shape::varying());
    old.replaceAllUsesWith(one);
  }
  for (const Access& access : run) {
    shapes_.erase(*access.instruction);
    access.instruction->eraseFromParent();
  }
}

void BlockMerger::replace_stores(llvm::ArrayRef<Access> run) {
  auto& leader = llvm::cast<StoreInst>(*run.front().instruction);
  Instruction* last = run.front().instruction;
  for (const Access& access : run)
    if (last->comesBefore(access.instruction)) last = access.instruction;
  llvm::IRBuilder<> ir(last);
  Value* all = llvm::PoisonValue::get(vector_type(run));
  for (size_t i = 0; i < run.size(); ++i) {
    all = ir.CreateInsertElement(all, llvm::cast<StoreInst>(run[i].instruction)->getValueOperand(), i);
    if (llvm::isa<Instruction>(all)) shapes_.set(*all, Shape::varying());
  }
  auto* made = ir.CreateAlignedStore(all, leader.getPointerOperand(), leader.getAlign());
  copy_common_facts(*made, run);
  for (const Access& access : run) access.instruction->eraseFromParent();
}

}  // namespace

void merge_neighbours(llvm::Function& function, Shapes& shapes) {
  for (BasicBlock& block : function) {
    BlockMerger(block, shapes).merge_loads();
    BlockMerger(block, shapes).merge_stores();
  }
}

}  // namespace heddle::finalizer::spmd
