// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/coroutine.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>

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
  id_ = ir.CreateIntrinsic(Intrinsic::coro_id, {ir.getInt32(frame_alignment), null, null, null});
  size_ = new llvm::GlobalVariable(module, ir.getInt64Ty(), false, llvm::GlobalValue::ExternalLinkage,
                                   nullptr, function_->getName() + ".size");
  ir.CreateStore(ir.CreateIntrinsic(Intrinsic::coro_size, {ir.getInt64Ty()}, {}), size_);
  handle_ = ir.CreateIntrinsic(Intrinsic::coro_begin, {id_, frame});
  cleanup_ = BasicBlock::Create(ir.getContext(), "cleanup", function_);
  suspended_ = BasicBlock::Create(ir.getContext(), "suspended", function_);
}

void Coroutine::end(llvm::IRBuilder<>& ir) {
  auto* behind = BasicBlock::Create(ir.getContext(), "behind", function_);
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
    create_suspend(ir, /*is_final=*/false, *behind, *cleanup_, *suspended_);
    call->eraseFromParent();
  }
}

/// No coroutine is destroyed before it has ended, and its frame is not its own. LLVM derives the names of the
/// parts from that of the coroutine, which begins like that of no function of the program ("&").
void Coroutine::remove_unused_parts() {
  for (const char* name : {".destroy", ".cleanup"}) {
    llvm::Function* part = function_->getParent()->getFunction((function_->getName() + name).str());
    assert(part && "each coroutine is split into the same parts");
    part->replaceAllUsesWith(llvm::ConstantPointerNull::get(part->getType()));
    part->eraseFromParent();
  }
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

void create_resumption(llvm::IRBuilder<>& ir, Value* handle) {
  ir.CreateIntrinsic(Intrinsic::coro_resume, {handle})->setDoesNotThrow();
}

Value* create_is_done(llvm::IRBuilder<>& ir, Value* handle) {
  return ir.CreateIntrinsic(Intrinsic::coro_done, {handle});
}

}  // namespace heddle::finalizer::x86
