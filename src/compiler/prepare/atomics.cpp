// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/atomics.h"

#include <utility>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace heddle::compiler {

namespace {

using RMW = llvm::AtomicRMWInst;
constexpr unsigned private_space = 5;

unsigned width_of(const llvm::Type& type, const llvm::DataLayout& data) {
  return static_cast<unsigned>(data.getTypeSizeInBits(const_cast<llvm::Type*>(&type)).getFixedValue());
}

bool is_native(const RMW& rmw) {
  const unsigned width = width_of(*rmw.getType(), rmw.getDataLayout());
  if (width != 32 && width != 64) return false;
  switch (rmw.getOperation()) {
    case RMW::Xchg:
      return !rmw.getType()->isVectorTy();
    case RMW::Add:
    case RMW::Sub:
    case RMW::And:
    case RMW::Or:
    case RMW::Xor:
    case RMW::Max:
    case RMW::Min:
    case RMW::UMax:
    case RMW::UMin:
    case RMW::UIncWrap:
    case RMW::UDecWrap:
      return true;
    default:
      return false;
  }
}

// A value inside the 32-bit word that contains it, or a whole word of 32 or 64 bits.
struct Word {
  llvm::Value* address;
  llvm::IntegerType* type;
  llvm::IntegerType* value_type;
  llvm::Value* shift;  // null if the value is the whole word
  llvm::Value* mask;   // of the other bits
};

Word word_of(llvm::IRBuilder<>& builder, llvm::Value* pointer, llvm::Type* type,
             const llvm::DataLayout& data) {
  const unsigned width = width_of(*type, data);
  llvm::IntegerType* value_type = builder.getIntNTy(width);
  if (width >= 32) return {pointer, value_type, value_type, nullptr, nullptr};
  llvm::Type* word = builder.getInt32Ty();
  const unsigned address_bits = data.getPointerTypeSizeInBits(pointer->getType());
  llvm::Type* integer = builder.getIntNTy(address_bits);
  llvm::Value* address = builder.CreatePtrToInt(pointer, integer);
  llvm::Value* byte = builder.CreateZExtOrTrunc(builder.CreateAnd(address, 3), word);
  llvm::Value* negative = builder.CreateNeg(builder.CreateAnd(address, 3));
  llvm::Value* shift = builder.CreateShl(byte, 3);
  llvm::Value* mask = builder.CreateNot(builder.CreateShl(builder.getInt32((1U << width) - 1), shift));
  return {builder.CreatePtrAdd(pointer, negative), builder.getInt32Ty(), value_type, shift, mask};
}

llvm::Value* from_word(llvm::IRBuilder<>& builder, const Word& word, llvm::Value* whole, llvm::Type* type) {
  llvm::Value* bits = word.shift == nullptr
                          ? whole
                          : builder.CreateTrunc(builder.CreateLShr(whole, word.shift), word.value_type);
  return builder.CreateBitOrPointerCast(bits, type);
}

llvm::Value* into_word(llvm::IRBuilder<>& builder, const Word& word, llvm::Value* whole, llvm::Value* value) {
  llvm::Value* bits = builder.CreateBitOrPointerCast(value, word.value_type);
  if (word.shift == nullptr) return bits;
  llvm::Value* placed = builder.CreateShl(builder.CreateZExt(bits, word.type), word.shift);
  return builder.CreateOr(builder.CreateAnd(whole, word.mask), placed);
}

llvm::AtomicOrdering on_failure(llvm::AtomicOrdering order) {
  return llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order);
}

struct Access {
  llvm::AtomicOrdering order;
  llvm::SyncScope::ID scope;
};

// Replaces the word by what `change` makes of it, in a loop in front of `before`. Returns the old word, or
// what it was when `change` returned null.
template <typename Change>
llvm::Value* exchange_loop(llvm::Instruction& before, const Word& word, const Access& access, Change change) {
  llvm::LLVMContext& context = before.getContext();
  llvm::BasicBlock* head = before.getParent();
  llvm::BasicBlock* tail = head->splitBasicBlock(before.getIterator());
  auto* loop = llvm::BasicBlock::Create(context, "", head->getParent(), tail);
  head->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> entry(head);
  entry.SetCurrentDebugLocation(before.getDebugLoc());
  llvm::LoadInst* first =
      entry.CreateAlignedLoad(word.type, word.address, llvm::Align(word.type->getBitWidth() / 8));
  first->setAtomic(llvm::AtomicOrdering::Monotonic, access.scope);
  entry.CreateBr(loop);
  llvm::IRBuilder<> builder(loop);
  builder.SetCurrentDebugLocation(before.getDebugLoc());
  llvm::PHINode* old = builder.CreatePHI(word.type, 2);
  old->addIncoming(first, head);
  llvm::Value* wanted = change(builder, old);
  auto* exchanged =
      builder.CreateAtomicCmpXchg(word.address, old, wanted, llvm::Align(word.type->getBitWidth() / 8),
                                  access.order, on_failure(access.order), access.scope);
  old->addIncoming(builder.CreateExtractValue(exchanged, 0), loop);
  builder.CreateCondBr(builder.CreateExtractValue(exchanged, 1), tail, loop);
  return old;
}

void expand_rmw(RMW& rmw) {
  llvm::IRBuilder<> builder(&rmw);
  const Word word = word_of(builder, rmw.getPointerOperand(), rmw.getType(), rmw.getDataLayout());
  llvm::Value* old = exchange_loop(rmw, word, {rmw.getOrdering(), rmw.getSyncScopeID()},
                                   [&](llvm::IRBuilder<>& in_loop, llvm::Value* whole) {
                                     llvm::Value* value = from_word(in_loop, word, whole, rmw.getType());
                                     llvm::Value* changed = llvm::buildAtomicRMWValue(
                                         rmw.getOperation(), in_loop, value, rmw.getValOperand());
                                     return into_word(in_loop, word, whole, changed);
                                   });
  builder.SetInsertPoint(&rmw);
  rmw.replaceAllUsesWith(from_word(builder, word, old, rmw.getType()));
  rmw.eraseFromParent();
}

// Exchanges the word if the part of it is as expected and the rest is `rest`. Returns the word and whether it
// was exchanged.
std::pair<llvm::Value*, llvm::Value*> exchange_whole(llvm::IRBuilder<>& builder, const Word& word,
                                                     llvm::Value* rest, llvm::AtomicCmpXchgInst& exchange) {
  llvm::Value* expected = into_word(builder, word, rest, exchange.getCompareOperand());
  llvm::Value* wanted = into_word(builder, word, rest, exchange.getNewValOperand());
  llvm::Value* result = builder.CreateAtomicCmpXchg(word.address, expected, wanted, llvm::Align(4),
                                                    exchange.getSuccessOrdering(),
                                                    exchange.getFailureOrdering(), exchange.getSyncScopeID());
  llvm::Value* whole = builder.CreateExtractValue(result, 0);
  return {whole, builder.CreateExtractValue(result, 1)};
}

// Puts a pair, as the instruction would return it, in place of its result.
void replace_by_pair(llvm::AtomicCmpXchgInst& exchange, llvm::IRBuilder<>& builder, llvm::Value* value,
                     llvm::Value* done) {
  llvm::Value* pair = llvm::PoisonValue::get(exchange.getType());
  pair = builder.CreateInsertValue(pair, value, 0);
  pair = builder.CreateInsertValue(pair, done, 1);
  exchange.replaceAllUsesWith(pair);
  exchange.eraseFromParent();
}

// Compares part of a word. If only the other part has changed, the exchange is tried again.
void expand_small_cmpxchg(llvm::AtomicCmpXchgInst& exchange) {
  llvm::IRBuilder<> builder(&exchange);
  llvm::Type* type = exchange.getCompareOperand()->getType();
  const Word word = word_of(builder, exchange.getPointerOperand(), type, exchange.getDataLayout());
  llvm::BasicBlock* head = exchange.getParent();
  llvm::BasicBlock* tail = head->splitBasicBlock(exchange.getIterator());
  llvm::LLVMContext& context = exchange.getContext();
  auto* loop = llvm::BasicBlock::Create(context, "", head->getParent(), tail);
  auto* failed = llvm::BasicBlock::Create(context, "", head->getParent(), tail);
  head->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(head);
  llvm::LoadInst* first = builder.CreateAlignedLoad(word.type, word.address, llvm::Align(4));
  first->setAtomic(llvm::AtomicOrdering::Monotonic, exchange.getSyncScopeID());
  llvm::Value* others = builder.CreateAnd(first, word.mask);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* rest = builder.CreatePHI(word.type, 2);
  rest->addIncoming(others, head);
  const auto [whole, done] = exchange_whole(builder, word, rest, exchange);
  builder.CreateCondBr(done, tail, failed);
  builder.SetInsertPoint(failed);
  llvm::Value* now = builder.CreateAnd(whole, word.mask);
  rest->addIncoming(now, failed);
  builder.CreateCondBr(builder.CreateICmpNE(rest, now), loop, tail);
  builder.SetInsertPoint(&exchange);
  replace_by_pair(exchange, builder, from_word(builder, word, whole, type), done);
}

/// Whether memory is a variable of the work-item, also if its address is a generic one.
bool is_private(const llvm::LoadInst& load) {
  return load.getPointerAddressSpace() == private_space ||
         llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(load.getPointerOperand()));
}

/// Whether HSAIL can do a volatile load as an atomic one, except that it has too few bits. Nobody else
/// changes variables of the work-item, so that loops which read them wait for nobody.
bool is_small_volatile(const llvm::Instruction& instruction) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (!load || !load->isVolatile() || load->isAtomic() || is_private(*load) ||
      !load->getType()->isSingleValueType() || load->getType()->isVectorTy())
    return false;
  const unsigned width = width_of(*load->getType(), load->getDataLayout());
  return (width == 8 || width == 16) && load->getAlign().value() * 8 >= width;
}

void expand_small_load(llvm::LoadInst& load) {
  llvm::IRBuilder<> builder(&load);
  const Word word = word_of(builder, load.getPointerOperand(), load.getType(), load.getDataLayout());
  llvm::LoadInst* whole =
      builder.CreateAlignedLoad(word.type, word.address, llvm::Align(4), load.isVolatile());
  whole->setAtomic(load.getOrdering(), load.getSyncScopeID());
  load.replaceAllUsesWith(from_word(builder, word, whole, load.getType()));
  load.eraseFromParent();
}

void expand_small_store(llvm::StoreInst& store) {
  llvm::IRBuilder<> builder(&store);
  llvm::Value* value = store.getValueOperand();
  const Word word = word_of(builder, store.getPointerOperand(), value->getType(), store.getDataLayout());
  auto order = store.getOrdering() == llvm::AtomicOrdering::Unordered ? llvm::AtomicOrdering::Monotonic
                                                                      : store.getOrdering();
  exchange_loop(
      store, word, {order, store.getSyncScopeID()},
      [&](llvm::IRBuilder<>& in_loop, llvm::Value* whole) { return into_word(in_loop, word, whole, value); });
  store.eraseFromParent();
}

bool is_small(const llvm::Type& type, const llvm::DataLayout& data) {
  const unsigned width = width_of(type, data);
  return width == 8 || width == 16;
}

void expand(llvm::Instruction& instruction) {
  const llvm::DataLayout& data = instruction.getDataLayout();
  if (auto* rmw = llvm::dyn_cast<RMW>(&instruction)) {
    const unsigned width = width_of(*rmw->getType(), data);
    if (rmw->getPointerAddressSpace() == private_space) {
      llvm::lowerAtomicRMWInst(rmw);
    } else if (!is_native(*rmw) && (width == 8 || width == 16 || width == 32 || width == 64)) {
      expand_rmw(*rmw);
    }
  } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    if (exchange->getPointerAddressSpace() == private_space) {
      llvm::lowerAtomicCmpXchgInst(exchange);
    } else if (is_small(*exchange->getCompareOperand()->getType(), data)) {
      expand_small_cmpxchg(*exchange);
    }
  } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (load->getPointerAddressSpace() == private_space) {
      load->setAtomic(llvm::AtomicOrdering::NotAtomic);
    } else if (is_small(*load->getType(), data)) {
      expand_small_load(*load);
    }
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (store->getPointerAddressSpace() == private_space) {
      store->setAtomic(llvm::AtomicOrdering::NotAtomic);
    } else if (is_small(*store->getValueOperand()->getType(), data)) {
      expand_small_store(*store);
    }
  }
}

}  // namespace

void expand_atomics(llvm::Function& function) {
  llvm::SmallVector<llvm::Instruction*, 8> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_small_volatile(instruction))
      llvm::cast<llvm::LoadInst>(instruction).setAtomic(llvm::AtomicOrdering::Monotonic);
    if (instruction.isAtomic() && !llvm::isa<llvm::FenceInst, llvm::CallBase>(instruction))
      found.push_back(&instruction);
  }
  for (llvm::Instruction* instruction : found) expand(*instruction);
}

}  // namespace heddle::compiler
