// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/passes/combined_loads.h"

#include <algorithm>
#include <optional>

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/address_spaces.h"

namespace heddle::compiler {
namespace {

using llvm::Instruction;
using llvm::LoadInst;
using llvm::Value;

/// No integer has more bytes.
constexpr size_t most_parts = 8;
/// Between the first and the last load of an integer. Bounds the time that the search takes.
constexpr unsigned most_instructions = 256;

/// A load, and where its value is in the integer.
struct Part {
  LoadInst* load;
  unsigned shift;   ///< bits
  uint64_t offset;  ///< bytes behind the base, which may wrap around
  unsigned bits() const { return load->getType()->getIntegerBitWidth(); }
};

/// The parts of an integer, in the order of their bits, and what their addresses have in common.
struct Parts {
  llvm::SmallVector<Part, most_parts> list;
  const Value* base = nullptr;

  unsigned bits() const { return list.back().shift + list.back().bits() - list.front().shift; }
};

/// Private memory may be laid out so that neighbouring bytes are not beside each other.
bool can_be_part(const LoadInst& load) {
  const unsigned space = load.getPointerAddressSpace();
  return load.isSimple() && load.hasOneUse() && load.getType()->isIntegerTy() &&
         load.getType()->getIntegerBitWidth() % 8 == 0 &&
         (space == flat_space || space == global_space || space == group_space || space == constant_space);
}

/// Adds the loads of which `value`, moved up by `shift` bits, consists. Bits from `limit` on are lost. False
/// if there is anything else in it.
bool collect(Value* value, unsigned shift, unsigned limit, Parts& parts) {
  using namespace llvm::PatternMatch;
  if (auto* load = llvm::dyn_cast<LoadInst>(value)) {
    if (parts.list.size() == most_parts || !can_be_part(*load)) return false;
    parts.list.push_back({load, shift, 0});
    return shift + parts.list.back().bits() <= limit;
  }
  Value *first = nullptr, *second = nullptr;
  const llvm::APInt* amount = nullptr;
  if (match(value, m_OneUse(m_Or(m_Value(first), m_Value(second)))))
    return collect(first, shift, limit, parts) && collect(second, shift, limit, parts);
  if (match(value, m_OneUse(m_Shl(m_Value(first), m_APInt(amount)))))
    return amount->ult(limit - shift) &&
           collect(first, shift + static_cast<unsigned>(amount->getZExtValue()), limit, parts);
  if (match(value, m_OneUse(m_ZExt(m_Value(first)))) && first->getType()->isIntegerTy())
    return collect(first, shift, std::min(limit, shift + first->getType()->getIntegerBitWidth()), parts);
  return false;
}

/// Finds out where the parts are in memory, and reports whether they are neighbours in the order of their
/// bits.
bool are_neighbours(Parts& parts) {
  const llvm::DataLayout& data = parts.list.front().load->getDataLayout();
  for (Part& part : parts.list) {
    const Value* address = part.load->getPointerOperand();
    llvm::APInt offset(data.getIndexTypeSizeInBits(address->getType()), 0);
    const Value* base = address->stripAndAccumulateConstantOffsets(data, offset, /*AllowNonInbounds=*/true);
    if (parts.base == nullptr) parts.base = base;
    if (base != parts.base || part.load->getParent() != parts.list.front().load->getParent() ||
        part.load->getPointerAddressSpace() != parts.list.front().load->getPointerAddressSpace())
      return false;
    part.offset = static_cast<uint64_t>(offset.getSExtValue());
  }
  llvm::sort(parts.list, [](const Part& a, const Part& b) { return a.shift < b.shift; });
  const Part& lowest = parts.list.front();
  unsigned next = lowest.shift;
  for (const Part& part : parts.list) {
    if (part.shift != next || part.offset - lowest.offset != (part.shift - lowest.shift) / 8) return false;
    next += part.bits();
  }
  return (next - lowest.shift) % 8 == 0;
}

/// The load that is executed first, if all others could be executed there as well.
LoadInst* common_place(const Parts& parts, llvm::AAResults& aliases) {
  LoadInst* first = parts.list.front().load;
  LoadInst* last = first;
  for (const Part& part : parts.list) {
    if (part.load->comesBefore(first)) first = part.load;
    if (last->comesBefore(part.load)) last = part.load;
  }
  unsigned seen = 0;
  for (Instruction* between = first; between != last; between = between->getNextNode()) {
    if (++seen > most_instructions || !llvm::isGuaranteedToTransferExecutionToSuccessor(between))
      return nullptr;
    if (!between->mayWriteToMemory()) continue;
    for (const Part& part : parts.list) {
      const bool is_behind = between->comesBefore(part.load);
      if (is_behind && isModSet(aliases.getModRefInfo(between, llvm::MemoryLocation::get(part.load))))
        return nullptr;
    }
  }
  return first;
}

/// What is true of all of the loads.
void keep_facts(const Parts& parts, LoadInst& whole) {
  for (const unsigned kind : {llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_nontemporal}) {
    if (llvm::all_of(parts.list, [&](const Part& part) { return part.load->hasMetadata(kind); }))
      whole.setMetadata(kind, parts.list.front().load->getMetadata(kind));
  }
}

LoadInst* load_whole(const Parts& parts, LoadInst& place) {
  const Part& lowest = parts.list.front();
  const auto at_place = std::find_if(parts.list.begin(), parts.list.end(),
                                     [&](const Part& part) { return part.load == &place; });
  llvm::IRBuilder<> builder(&place);
  Value* address = place.getPointerOperand();
  if (const uint64_t distance = lowest.offset - at_place->offset; distance != 0)
    address = builder.CreatePtrAdd(address, builder.getInt64(distance));
  LoadInst* whole =
      builder.CreateAlignedLoad(builder.getIntNTy(parts.bits()), address, lowest.load->getAlign());
  keep_facts(parts, *whole);
  return whole;
}

/// Replaces `root` if it consists of neighbouring loads.
bool combine(Instruction& root, llvm::AAResults& aliases) {
  const unsigned width = root.getType()->getIntegerBitWidth();
  Parts parts;
  if (!collect(root.getOperand(0), 0, width, parts) || !collect(root.getOperand(1), 0, width, parts))
    return false;
  if (!are_neighbours(parts)) return false;
  const unsigned bits = parts.bits();
  if (bits != 16 && bits != 32 && bits != 64) return false;
  LoadInst* place = common_place(parts, aliases);
  if (place == nullptr) return false;
  llvm::IRBuilder<> builder(&root);
  Value* whole = builder.CreateZExt(load_whole(parts, *place), root.getType());
  if (const unsigned shift = parts.list.front().shift; shift != 0) whole = builder.CreateShl(whole, shift);
  root.replaceAllUsesWith(whole);
  return true;
}

}  // namespace

llvm::PreservedAnalyses CombinedLoads::run(llvm::Function& function,
                                           llvm::FunctionAnalysisManager& analyses) {
  llvm::AAResults& aliases = analyses.getResult<llvm::AAManager>(function);
  llvm::SmallVector<llvm::WeakTrackingVH, 32> roots;
  for (llvm::BasicBlock& block : function) {
    // Backwards, so that an integer is tried before parts of it are.
    for (Instruction& instruction : llvm::reverse(block))
      if (instruction.getOpcode() == Instruction::Or && instruction.getType()->isIntegerTy())
        roots.emplace_back(&instruction);
  }
  bool changed = false;
  for (llvm::WeakTrackingVH& handle : roots) {
    auto* root = llvm::dyn_cast_or_null<Instruction>(handle);
    if (root == nullptr || root->getOpcode() != Instruction::Or || !combine(*root, aliases)) continue;
    llvm::RecursivelyDeleteTriviallyDeadInstructions(root);
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace heddle::compiler
