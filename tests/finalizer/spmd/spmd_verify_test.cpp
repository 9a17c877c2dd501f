// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verifier of linearised functions notices each single mistake that is made in one.
#include "finalizer/spmd/verify.h"

#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "linearised.h"
#include "program_generator.h"

namespace heddle::testing {
namespace {

using finalizer::spmd::Shape;
using finalizer::spmd::SpmdFunction;
using finalizer::spmd::tested_mask;
using llvm::BranchInst;
using llvm::Instruction;
using llvm::Value;

/// Makes one mistake in a function if it can. Reports whether it did.
using Mistake = bool (*)(SpmdFunction&);

/// Returns the first instruction for which the predicate holds, or null.
Instruction* find(SpmdFunction& state, llvm::function_ref<bool(Instruction&)> predicate) {
  for (Instruction& instruction : llvm::instructions(state.function))
    if (predicate(instruction)) return &instruction;
  return nullptr;
}

/// Reports whether only some of the work-items of the wave execute an instruction.
bool is_masked(const SpmdFunction& state, const Instruction& instruction) {
  return state.masks.of(instruction) != state.entry_mask;
}

/// Returns a branch that depends on a mask whose work-items may differ, or null.
BranchInst* find_test(SpmdFunction& state) {
  return llvm::cast_or_null<BranchInst>(find(state, [&](Instruction& i) {
    const auto* branch = llvm::dyn_cast<BranchInst>(&i);
    const Value* mask = branch && branch->isConditional() ? tested_mask(*branch->getCondition()) : nullptr;
    return mask && !state.shapes.is_uniform(*mask);
  }));
}

/// Makes a mask of a condition alone.
bool drop_select(SpmdFunction& state) {
  for (const llvm::BasicBlock& block : state.function) {
    Value* mask = state.masks.of(block);
    if (!llvm::isa<llvm::SelectInst>(mask)) continue;
    mask->replaceAllUsesWith(llvm::cast<llvm::SelectInst>(mask)->getTrueValue());
    return true;
  }
  return false;
}

/// Lets each work-item test the mask for itself.
bool drop_any(SpmdFunction& state) {
  BranchInst* branch = find_test(state);
  if (branch) branch->setCondition(tested_mask(*branch->getCondition()));
  return branch;
}

/// Reports whether a mask may be empty for all that is known without a test.
bool needs_test(const Value& mask) {
  const auto tests = llvm::count_if(mask.users(), [](const llvm::User* user) { return tested_mask(*user); });
  return llvm::isa<llvm::SelectInst>(mask) && tests == 1;
}

/// Enters a region with effects without a test of its mask.
bool drop_test(SpmdFunction& state) {
  for (llvm::BasicBlock& block : state.function) {
    auto* branch = llvm::dyn_cast<BranchInst>(block.getTerminator());
    const Value* mask = branch && branch->isConditional() ? tested_mask(*branch->getCondition()) : nullptr;
    if (!mask || !needs_test(*mask)) continue;
    llvm::BasicBlock* tested = branch->getSuccessor(0);
    const bool has_effect = llvm::any_of(*tested, [](const Instruction& i) {
      return i.mayReadOrWriteMemory() && !llvm::isa<llvm::PHINode>(i);
    });
    if (!has_effect || !tested->getSinglePredecessor() || branch->getSuccessor(1) == tested) continue;
    branch->getSuccessor(1)->removePredecessor(&block, /*KeepOneInputPHIs=*/true);
    BranchInst::Create(tested, branch->getIterator());
    branch->eraseFromParent();
    return true;
  }
  return false;
}

/// Lets all work-items execute a store that is for some of them.
bool unmask_store(SpmdFunction& state) {
  Instruction* store =
      find(state, [&](Instruction& i) { return llvm::isa<llvm::StoreInst>(i) && is_masked(state, i); });
  if (store) state.masks.narrow(*store, *state.entry_mask);
  return store;
}

/// Lets all work-items execute a block whose mask has been tested.
bool unmask_block(SpmdFunction& state) {
  BranchInst* test = find_test(state);
  if (!test || !test->getSuccessor(0)->getSinglePredecessor()) return false;
  state.masks.set(*test->getSuccessor(0), *state.entry_mask);
  return true;
}

bool forget_mask(SpmdFunction& state) {
  Value* mask = llvm::PoisonValue::get(llvm::Type::getInt1Ty(state.function.getContext()));
  state.masks.set(state.function.back(), *mask);
  return true;
}

Instruction* find_note(SpmdFunction& state) {
  return find(state, [](Instruction& i) { return llvm::isa<llvm::CallInst>(i) && i.getType()->isVoidTy(); });
}

bool remove_call(SpmdFunction& state) {
  Instruction* call = find_note(state);
  if (call) call->eraseFromParent();
  return call;
}

bool copy_call(SpmdFunction& state) {
  Instruction* call = find_note(state);
  if (call) call->clone()->insertAfter(call->getIterator());
  return call;
}

bool move_call(SpmdFunction& state) {
  Instruction* call = find_note(state);
  if (!call || call->getParent() == &state.function.getEntryBlock()) return false;
  call->setOperand(0, llvm::ConstantInt::get(call->getOperand(0)->getType(), 0));
  call->moveBefore(state.function.getEntryBlock().getTerminator()->getIterator());
  return true;
}

/// Lets only some of the work-items of a block execute an operation that all of them have to meet at.
bool part_call(SpmdFunction& state) {
  Instruction* call = find_note(state);
  if (call) state.masks.narrow(*call, *llvm::ConstantInt::getFalse(call->getContext()));
  return call;
}

// ---- shapes

/// Gives the first varying value for which the predicate holds another shape.
bool claim(SpmdFunction& state, Shape shape, llvm::function_ref<bool(Instruction&)> predicate) {
  Instruction* value = find(state, [&](Instruction& i) {
    return i.getType()->isIntegerTy(32) && state.shapes.of(i).is_varying() && predicate(i);
  });
  if (value) state.shapes.set(*value, shape);
  return value;
}

bool is_sum(Instruction& i) {
  return i.getOpcode() == Instruction::Add && i.getOperand(0) != i.getOperand(1);
}

bool claim_uniform(SpmdFunction& state) { return claim(state, Shape::uniform(), is_sum); }

bool claim_stride(SpmdFunction& state) { return claim(state, Shape::strided(4), is_sum); }

/// Takes what each work-item chooses for itself for the same in all of them.
bool claim_uniform_choice(SpmdFunction& state) {
  return claim(state, Shape::uniform(), [&](Instruction& i) {
    const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&i);
    return choice && !state.shapes.is_uniform(*choice->getCondition());
  });
}

/// Takes what varies in one iteration, or on one way, for the same in all work-items.
bool claim_uniform_phi(SpmdFunction& state) {
  return claim(state, Shape::uniform(), [&](Instruction& i) {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(&i);
    return phi && llvm::any_of(phi->incoming_values(), [&](const Value* value) {
             return value != phi && !state.shapes.is_uniform(*value);
           });
  });
}

bool claim_alignment(SpmdFunction& state) {
  Instruction* value = find(state, [&](Instruction& i) { return is_sum(i) && state.shapes.is_uniform(i); });
  if (value) state.shapes.set(*value, Shape::uniform(uint64_t{1} << 62));
  return value;
}

struct Case {
  const char* name;
  Mistake mistake;
  const char* rule;  ///< that the verifier says is broken; empty where that depends on the function
};

class SpmdVerify : public ::testing::TestWithParam<Case> {};

TEST_P(SpmdVerify, NoticesAMistake) {
  const auto& [name, mistake, rule] = GetParam();
  unsigned made = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    llvm::LLVMContext context;
    const auto module = generate_program(context, Style(seed / 2 % 2), seed);
    Linearised linearised(*module, EntryMask(seed % 2), [](const auto&) { return false; });
    ASSERT_TRUE(finalizer::spmd::verify(linearised.state(), Linearised::request()).ok());
    if (!mistake(linearised.state())) continue;
    ++made;
    const auto verdict = finalizer::spmd::verify(linearised.state(), Linearised::request());
    ASSERT_FALSE(verdict.ok()) << "seed " << seed << linearised.text();
    ASSERT_TRUE(llvm::StringRef(verdict.error().message).starts_with(rule))
        << "seed " << seed << ": " << verdict.error().message;
  }
  EXPECT_GT(made, 30u);
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, SpmdVerify,
    ::testing::Values(Case{"DropSelect", drop_select, ""}, Case{"DropAny", drop_any, "divergent-branch"},
                      Case{"DropTest", drop_test, ""}, Case{"UnmaskStore", unmask_store, "wide-mask"},
                      Case{"UnmaskBlock", unmask_block, "wide-mask"},
                      Case{"ForgetMask", forget_mask, "mask-form"},
                      Case{"RemoveCall", remove_call, "convergent"},
                      Case{"CopyCall", copy_call, "convergent"}, Case{"MoveCall", move_call, "convergent"},
                      Case{"PartCall", part_call, "convergent"}, Case{"ClaimUniform", claim_uniform, "shape"},
                      Case{"ClaimStride", claim_stride, "shape"},
                      Case{"ClaimUniformChoice", claim_uniform_choice, "shape"},
                      Case{"ClaimUniformPhi", claim_uniform_phi, "shape"},
                      Case{"ClaimAlignment", claim_alignment, "shape"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace heddle::testing
