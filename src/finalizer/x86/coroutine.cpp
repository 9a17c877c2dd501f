// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/coroutine.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Coroutines/CoroInstr.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

namespace heddle::finalizer::x86 {
namespace {

namespace Intrinsic = llvm::Intrinsic;
using llvm::BasicBlock;
using llvm::Value;

constexpr llvm::StringLiteral suspension = "hsail.suspend";

/// Creates a point at which the coroutine stops. Afterwards the builder is where it goes on.
void create_suspend(llvm::IRBuilder<>& ir, bool is_final, BasicBlock& behind, BasicBlock& cleanup,
                    BasicBlock& suspended) {
  Value* token = llvm::ConstantTokenNone::get(ir.getContext());
  Value* how = ir.CreateIntrinsic(Intrinsic::coro_suspend, {token, ir.getInt1(is_final)});
  auto* ways = ir.CreateSwitch(how, &suspended, 2);
  ways->addCase(ir.getInt8(0), &behind);
  ways->addCase(ir.getInt8(1), &cleanup);
}

}  // namespace

llvm::CallInst* create_suspension(llvm::IRBuilder<>& ir) {
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  auto callee = module.getOrInsertFunction(suspension, ir.getVoidTy());
  auto* call = ir.CreateCall(callee);
  call->setConvergent();
  call->setDoesNotThrow();
  return call;
}

Coroutine::Coroutine(llvm::IRBuilder<>& ir, Value* frame) : function_(ir.GetInsertBlock()->getParent()) {
  llvm::Module& module = *function_->getParent();
  function_->setPresplitCoroutine();
  auto* null = llvm::ConstantPointerNull::get(ir.getPtrTy());
  turned_ = ir.CreateAlloca(ir.getInt8Ty(), nullptr, "turned");
  id_ = ir.CreateIntrinsic(Intrinsic::coro_id, {ir.getInt32(frame_alignment), turned_, null, null});
  size_ = new llvm::GlobalVariable(module, ir.getInt64Ty(), false, llvm::GlobalValue::ExternalLinkage,
                                   nullptr, function_->getName() + ".size");
  ir.CreateStore(ir.CreateIntrinsic(Intrinsic::coro_size, {ir.getInt64Ty()}, {}), size_);
  handle_ = ir.CreateIntrinsic(Intrinsic::coro_begin, {id_, frame});
  resume_ = llvm::Function::Create(llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy()}, false),
                                   llvm::Function::ExternalLinkage, function_->getName() + ".next", module);
  resume_->setDoesNotThrow();
  resume_->setCallingConv(llvm::CallingConv::Fast);  // that of parts
  has_turns_ =
      llvm::Function::Create(llvm::FunctionType::get(ir.getInt1Ty(), false), llvm::Function::ExternalLinkage,
                             function_->getName() + ".has_turns", module);
  has_turns_->setDoesNotThrow();
  has_turns_->setDoesNotAccessMemory();
  has_turns_->setWillReturn();
  cleanup_ = BasicBlock::Create(ir.getContext(), "cleanup", function_);
  suspended_ = BasicBlock::Create(ir.getContext(), "suspended", function_);
}

void Coroutine::end(llvm::IRBuilder<>& ir) {
  auto* behind = BasicBlock::Create(ir.getContext(), "behind", function_);
  set_turned(ir, false);
  create_suspend(ir, /*is_final=*/true, *behind, *cleanup_, *suspended_);
  ir.SetInsertPoint(behind);
  ir.CreateUnreachable();
  ir.SetInsertPoint(cleanup_);
  ir.CreateIntrinsic(Intrinsic::coro_free, {id_, handle_});
  ir.CreateBr(suspended_);
  ir.SetInsertPoint(suspended_);
  ir.CreateIntrinsic(Intrinsic::coro_end,
                     {handle_, ir.getFalse(), llvm::ConstantTokenNone::get(ir.getContext())});
  ir.CreateRet(handle_);
}

void Coroutine::make_suspensions() {
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (llvm::Instruction& instruction : llvm::instructions(*function_)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName() == suspension) calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    BasicBlock* before = call->getParent();
    BasicBlock* behind = before->splitBasicBlock(call, "behind_barrier");
    before->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> ir(before);
    ir.SetCurrentDebugLocation(call->getDebugLoc());
    set_turned(ir, false);
    create_suspend(ir, /*is_final=*/false, *behind, *cleanup_, *suspended_);
    call->eraseFromParent();
  }
}

/// Until settle_turns(), the store is volatile: the reader is in another function (create_has_turned()), so
/// that LLVM would delete the store.
void Coroutine::set_turned(llvm::IRBuilder<>& ir, bool turned) {
  ir.CreateStore(ir.getInt8(turned), turned_, /*isVolatile=*/true);
}

/// Reports whether an instruction is a suspension other than that at the end, behind which there is nothing.
static bool is_wait(const llvm::Instruction& instruction) {
  const auto* suspension = llvm::dyn_cast<llvm::CoroSuspendInst>(&instruction);
  return suspension && !suspension->isFinal();
}

bool Coroutine::has_waits() const { return llvm::any_of(llvm::instructions(*function_), is_wait); }

void Coroutine::create_turn(llvm::IRBuilder<>& ir) {
  auto* behind = BasicBlock::Create(ir.getContext(), "next_turn", function_);
  const auto other = llvm::find_if(llvm::instructions(*function_), is_wait);
  assert(other != llvm::inst_end(*function_) && "only coroutines that wait somewhere have turns");
  auto* ways = llvm::cast<llvm::SwitchInst>(other->user_back());
  BasicBlock* cleanup = ways->findCaseValue(ir.getInt8(1))->getCaseSuccessor();
  assert(cleanup->phis().empty() && ways->getDefaultDest()->phis().empty());
  set_turned(ir, true);
  create_suspend(ir, /*is_final=*/false, *behind, *cleanup, *ways->getDefaultDest());
  ir.SetInsertPoint(behind);
}

void Coroutine::settle_turns() {
  llvm::SmallVector<llvm::StoreInst*, 8> stores;
  for (llvm::User* user : turned_->users())
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) stores.push_back(store);
  const bool has_turns = llvm::any_of(stores, [](const llvm::StoreInst* store) {
    return llvm::cast<llvm::ConstantInt>(store->getValueOperand())->isOne();
  });
  for (llvm::StoreInst* store : stores) {
    if (has_turns)
      store->setVolatile(false);
    else
      store->eraseFromParent();
  }
  for (llvm::User* user : llvm::make_early_inc_range(has_turns_->users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    call->replaceAllUsesWith(llvm::ConstantInt::getBool(call->getType(), has_turns));
    call->eraseFromParent();
  }
  has_turns_->eraseFromParent();
}

Value* Coroutine::create_has_turned(llvm::IRBuilder<>& ir, Value* handle) const {
  const llvm::Align align = turned_->getAlign();
  Value* place = ir.CreateIntrinsic(
      Intrinsic::coro_promise, {handle, ir.getInt32(static_cast<uint32_t>(align.value())), ir.getFalse()});
  Value* turned = ir.CreateICmpNE(ir.CreateLoad(ir.getInt8Ty(), place), ir.getInt8(0));
  return ir.CreateSelect(ir.CreateCall(has_turns_), turned, ir.getFalse());
}

uint64_t Coroutine::take_frame_size() {
  uint64_t size = 0;
  for (llvm::User* user : llvm::make_early_inc_range(size_->users())) {
    auto* store = llvm::cast<llvm::StoreInst>(user);
    size = llvm::cast<llvm::ConstantInt>(store->getValueOperand())->getZExtValue();
    store->eraseFromParent();
  }
  size_->eraseFromParent();
  assert(size != 0 && "the function stores the size of its frame");
  return size;
}

/// Reports whether to compute a value anew behind a suspension rather than to keep it in the frame. LLVM
/// would compute almost everything anew, divisions in inner loops included.
static bool is_cheap(llvm::Instruction& instruction) {
  if (const auto* offset = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
    return offset->hasAllConstantIndices();
  return llvm::isa<llvm::CastInst>(instruction) && !instruction.getType()->isVectorTy();
}

void add_coroutine_split(llvm::ModulePassManager& passes) {
  llvm::CGSCCPassManager split;
  split.addPass(llvm::CoroSplitPass(is_cheap, /*OptimizeFrame=*/true));
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(std::move(split)));
}

void Coroutine::create_resumption(llvm::IRBuilder<>& ir, Value* handle) const {
  ir.CreateCall(resume_, {handle})->setCallingConv(resume_->getCallingConv());
}

/// Lets blocks that come to a switch with a constant go to its case directly. `which` is the phi with these
/// constants, in the block of the switch, which alone uses it.
static void skip_switch(llvm::SwitchInst& ways, llvm::PHINode& which) {
  BasicBlock& block = *which.getParent();
  for (BasicBlock* before : llvm::SmallVector<BasicBlock*>(llvm::predecessors(&block))) {
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(which.getIncomingValueForBlock(before));
    auto* jump = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    if (!constant || !jump || jump->isConditional()) continue;
    BasicBlock* behind = ways.findCaseValue(constant)->getCaseSuccessor();
    for (llvm::PHINode& phi : behind->phis()) phi.addIncoming(phi.getIncomingValueForBlock(&block), before);
    which.removeIncomingValue(before, /*DeletePHIIfEmpty=*/false);
    jump->setSuccessor(0, behind);
  }
}

/// LLVM makes a suspension a block that the code before it and the resumption both reach, each with a
/// constant that selects where to go. In loops no pass takes such blocks away, which then look like parts of
/// loops.
static void skip_selections(llvm::Function& part) {
  llvm::SmallVector<llvm::SwitchInst*, 8> switches;
  for (BasicBlock& block : part)
    if (auto* ways = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator())) switches.push_back(ways);
  for (llvm::SwitchInst* ways : switches) {
    auto* which = llvm::dyn_cast<llvm::PHINode>(ways->getCondition());
    if (!which) continue;
    if (which->getParent() != ways->getParent()) llvm::MergeBlockIntoPredecessor(ways->getParent());
    const BasicBlock& block = *ways->getParent();
    const bool is_alone = which == &block.front() && which->getNextNode() == ways && which->hasOneUse();
    if (is_alone) skip_switch(*ways, *which);
  }
  llvm::removeUnreachableBlocks(part);
}

/// Only create_resumption() calls the part behind suspensions, so that its address in the frame is of no use
/// but to tell whether the coroutine has ended: it is null then, and anything else before. No coroutine is
/// destroyed before it has ended, and its frame is not its own.
void Coroutine::inline_parts() {
  llvm::Module& module = *function_->getParent();
  auto* pointer = llvm::PointerType::getUnqual(module.getContext());
  auto* one = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), 1);
  const auto part = [&](const char* name) { return module.getFunction((function_->getName() + name).str()); };
  if (llvm::GlobalVariable* parts = module.getNamedGlobal((function_->getName() + ".resumers").str()))
    if (parts->use_empty()) parts->eraseFromParent();
  for (const char* name : {".destroy", ".cleanup"}) {
    llvm::Function* unused = part(name);
    if (!unused) continue;
    unused->replaceAllUsesWith(llvm::ConstantPointerNull::get(pointer));
    unused->eraseFromParent();
  }
  llvm::Function* behind = part(".resume");
  assert(behind && "a coroutine has a suspension at least at its end");
  behind->replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(one, pointer));
  resume_->replaceAllUsesWith(behind);
  resume_->eraseFromParent();
  for (llvm::Function* inlined : {function_, behind}) {
    skip_selections(*inlined);
    inlined->removeFnAttr(llvm::Attribute::NoInline);
    inlined->addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

/// The frame gets what is used behind a suspension as soon as it is computed. A phi with one operand behind a
/// loop, of which LLVM would take the operand, does not change that, but a freeze does.
void Coroutine::keep_stores_out_of_loops() {
  for (BasicBlock& block : *function_)
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
      if (phi.getNumIncomingValues() != 1 || !llvm::isa<llvm::Instruction>(phi.getIncomingValue(0)) ||
          phi.getType()->isTokenTy() || block.isEHPad())
        continue;
      llvm::IRBuilder<> ir(&block, block.getFirstInsertionPt());
      Value* kept = ir.CreateFreeze(phi.getIncomingValue(0));
      phi.replaceAllUsesWith(kept);
      phi.eraseFromParent();
    }
}

Value* create_is_done(llvm::IRBuilder<>& ir, Value* handle) {
  return ir.CreateIntrinsic(Intrinsic::coro_done, {handle});
}

}  // namespace heddle::finalizer::x86
