// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single mistakes in functions of waves: the verifier, or the comparison with the work-items, notices them.
#include <gtest/gtest.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/PatternMatch.h>

#include "finalizer/spmd/verify_wave.h"
#include "wave_programs.h"
#include "widened.h"

namespace heddle::testing {
namespace {

using finalizer::spmd::WaveEffects;
using llvm::Instruction;
using llvm::Value;
namespace match = llvm::PatternMatch;

/// Makes one mistake in the function of a wave if it can. Reports whether it did.
using Mistake = bool (*)(llvm::Function& wave, WaveEffects& effects);

Instruction* find_in(llvm::Function& wave, llvm::function_ref<bool(Instruction&)> predicate) {
  for (Instruction& instruction : llvm::instructions(wave))
    if (predicate(instruction)) return &instruction;
  return nullptr;
}

/// Replaces the mask of an access by one with all lanes.
bool unmask(llvm::Function& wave, llvm::ArrayRef<llvm::StringRef> names) {
  Instruction* access = find_in(wave, [&](Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    return call && llvm::any_of(names, [&](llvm::StringRef name) {
             return call->getCalledFunction()->getName().starts_with(name);
           });
  });
  if (!access) return false;
  auto& call = llvm::cast<llvm::CallBase>(*access);
  const bool is_avx2 = call.getCalledFunction()->getName().contains("avx2");
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    llvm::Type* type = call.getArgOperand(i)->getType();
    if (is_avx2 ? i != 3 : !type->isVectorTy() || !type->isIntOrIntVectorTy(1)) continue;
    if (llvm::isa<llvm::Constant>(call.getArgOperand(i))) return false;
    call.setArgOperand(i, llvm::Constant::getAllOnesValue(type));
  }
  return true;
}

bool unmask_store(llvm::Function& wave, WaveEffects&) {
  return unmask(wave, {"llvm.masked.store", "llvm.masked.scatter"});
}

bool unmask_load(llvm::Function& wave, WaveEffects&) {
  return unmask(wave, {"llvm.masked.load", "llvm.masked.gather", "llvm.x86.avx2.gather"});
}

/// Returns the first part of a mask that restricts another one.
Instruction* find_restriction(WaveEffects& effects) {
  for (const auto& mask : effects.masks)
    for (Value* part : mask)
      if (match::match(part, match::m_And(match::m_Value(), match::m_Freeze(match::m_Value()))) ||
          match::match(part, match::m_Select(match::m_Value(), match::m_Value(), match::m_Zero())))
        return llvm::cast<Instruction>(part);
  return nullptr;
}

/// Takes all lanes for those that a condition restricts.
bool drop_restriction(llvm::Function&, WaveEffects& effects) {
  Instruction* mask = find_restriction(effects);
  if (!mask || !mask->getOperand(0)->getType()->isVectorTy() || effects.is_whole) return false;
  mask->setOperand(0, llvm::Constant::getAllOnesValue(mask->getOperand(0)->getType()));
  return true;
}

/// Lets lanes go on that only a condition holds for.
bool keep_condition(llvm::Function&, WaveEffects& effects) {
  for (const auto& mask : effects.masks) {
    for (Value* part : mask) {
      auto* phi = llvm::dyn_cast<llvm::PHINode>(part);
      for (unsigned i = 0; phi && i < phi->getNumIncomingValues(); ++i) {
        Value* condition = nullptr;
        const bool is_restriction =
            match::match(phi->getIncomingValue(i),
                         match::m_And(match::m_Value(), match::m_Freeze(match::m_Value(condition)))) ||
            match::match(phi->getIncomingValue(i),
                         match::m_Select(match::m_Value(), match::m_Value(condition), match::m_Zero()));
        // A condition may be a mask itself.
        if (!is_restriction || !llvm::isa<llvm::CmpInst, llvm::CastInst>(condition)) continue;
        phi->setIncomingValue(i, condition);
        return true;
      }
    }
  }
  return false;
}

/// Lets what is poison in inactive lanes into a mask.
bool drop_freeze(llvm::Function&, WaveEffects& effects) {
  Instruction* mask = find_restriction(effects);
  auto* freeze = mask ? llvm::dyn_cast<llvm::FreezeInst>(mask->getOperand(1)) : nullptr;
  if (freeze) freeze->replaceAllUsesWith(freeze->getOperand(0));
  return freeze;
}

/// Returns a store under a mask that is not a constant, or null.
llvm::CallInst* find_masked_store(llvm::Function& wave) {
  return llvm::cast_or_null<llvm::CallInst>(find_in(wave, [](Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    return call &&
           (call->getIntrinsicID() == llvm::Intrinsic::masked_store ||
            call->getIntrinsicID() == llvm::Intrinsic::masked_scatter) &&
           !llvm::isa<llvm::Constant>(call->getArgOperand(call->arg_size() - 1));
  }));
}

bool remove_store(llvm::Function& wave, WaveEffects&) {
  Instruction* store = find_masked_store(wave);
  if (store) store->eraseFromParent();
  return store;
}

bool copy_store(llvm::Function& wave, WaveEffects&) {
  Instruction* store = find_masked_store(wave);
  if (store) store->clone()->insertAfter(store->getIterator());
  return store;
}

/// Takes the lanes with which the function is entered for those that have come to a store.
bool widen_mask(llvm::Function& wave, WaveEffects&) {
  llvm::CallInst* store = find_masked_store(wave);
  const unsigned last = store ? store->arg_size() - 1 : 0;
  if (!store || llvm::isa<llvm::Argument>(store->getArgOperand(last))) return false;
  for (llvm::Argument& argument : wave.args())
    if (argument.getType() == store->getArgOperand(last)->getType()) {
      store->setArgOperand(last, &argument);
      return true;
    }
  return false;
}

/// Accesses a part as a whole without a test that all of its lanes are active.
bool drop_test_of_all(llvm::Function& wave, WaveEffects&) {
  Instruction* test = find_in(wave, [](Instruction& i) {
    return match::match(&i, match::m_SpecificICmp(llvm::ICmpInst::ICMP_EQ, match::m_BitCast(match::m_Value()),
                                                  match::m_AllOnes())) &&
           i.hasOneUse() && llvm::isa<llvm::BranchInst>(*i.user_begin());
  });
  if (test) test->replaceAllUsesWith(llvm::ConstantInt::getTrue(test->getContext()));
  return test;
}

/// Returns the phi of the lanes that a loop has yet to take, or null.
llvm::PHINode* find_lane_loop(llvm::Function& wave) {
  return llvm::cast_or_null<llvm::PHINode>(find_in(wave, [](Instruction& i) {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(&i);
    return phi && i.getType()->isIntegerTy() && phi->getNumIncomingValues() == 2 &&
           match::match(
               phi->getIncomingValue(1),
               match::m_And(match::m_Specific(phi), match::m_Sub(match::m_Specific(phi), match::m_One()))) &&
           !llvm::isa<llvm::Constant>(phi->getIncomingValue(0));
  }));
}

/// Begins a loop over the active lanes with one that is not active.
bool add_lane_to_loop(llvm::Function& wave, WaveEffects&) {
  llvm::PHINode* left = find_lane_loop(wave);
  if (left) left->setIncomingValue(0, llvm::Constant::getAllOnesValue(left->getType()));
  return left;
}

/// Does not take lanes out of a loop that have had their turn.
bool keep_lanes_in_loop(llvm::Function& wave, WaveEffects&) {
  llvm::PHINode* left = find_lane_loop(wave);
  if (left) left->setIncomingValue(1, left);
  return left;
}

/// Uses the bits of a mask in another block than that where they have been made of it.
bool keep_bits(llvm::Function& wave, WaveEffects&) {
  Instruction* bits = find_in(wave, [](Instruction& i) {
    return llvm::isa<llvm::ICmpInst>(i) && i.getType()->isVectorTy() &&
           llvm::isa<llvm::Argument>(i.getOperand(0)) && match::match(i.getOperand(1), match::m_Zero());
  });
  if (!bits || bits->getParent() != &wave.getEntryBlock()) return false;
  for (Instruction& other : llvm::instructions(wave)) {
    if (other.getParent() == bits->getParent() || !other.isIdenticalTo(bits) || other.use_empty()) continue;
    other.replaceAllUsesWith(bits);
    return true;
  }
  return false;
}

/// Chooses the values of the other lanes wherever values of several ways come together.
bool swap_arms(llvm::Function& wave, WaveEffects& effects) {
  bool has_swapped = false;
  for (Instruction& instruction : llvm::instructions(wave)) {
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (!choice || choice->getType()->isIntOrIntVectorTy(1) ||
        !choice->getCondition()->getType()->isVectorTy())
      continue;
    if (llvm::none_of(effects.masks, [&](const auto& mask) {
          return finalizer::spmd::is_within(*choice->getCondition(), mask);
        }))
      continue;
    choice->swapValues();
    has_swapped = true;
  }
  return has_swapped;
}

/// Gives the lanes of a row the values of their neighbours.
bool shift_lanes(llvm::Function& wave, WaveEffects&) {
  llvm::CallInst* store = find_masked_store(wave);
  auto* type = store ? llvm::dyn_cast<llvm::FixedVectorType>(store->getOperand(0)->getType()) : nullptr;
  const bool is_splat = type && llvm::isSplatValue(store->getOperand(0));
  if (!type || type->getNumElements() < 2 || is_splat) return false;
  llvm::SmallVector<int, 32> places;
  for (unsigned i = 0; i < type->getNumElements(); ++i)
    places.push_back(static_cast<int>((i + 1) % type->getNumElements()));
  llvm::IRBuilder<> ir(store);
  store->setOperand(0, ir.CreateShuffleVector(store->getOperand(0), places));
  return true;
}

/// Which of the two notices a mistake.
enum class By : uint8_t { verifier, execution };

struct Case {
  const char* name;
  Mistake mistake;
  By by;
};

class WaveMutation : public ::testing::TestWithParam<Case> {};

/// What happened to programs with a mistake.
struct Tally {
  unsigned made = 0, by_verifier = 0, by_execution = 0;
};

/// Makes the mistake in the program of a seed, and looks who notices. Programs with a mistake that the
/// verifier is for are not executed, because some of them would not end.
void try_seed(const Case& kind, uint32_t seed, Tally& tally) {
  llvm::LLVMContext context;
  const auto module = random_wave_program(context, seed, /*with_calls=*/false);
  const auto forms = all_forms();
  const WideForm& form = forms[seed * 5 % forms.size()];
  Widened widened(*module, form);
  ASSERT_EQ(widened.error(), "") << "seed " << seed;
  if (!widened.effects()) return;
  auto effects = *widened.effects();
  llvm::Function& wave = *widened.wide().function;
  ASSERT_TRUE(finalizer::spmd::verify_wave(wave, effects).ok()) << "seed " << seed;
  if (!kind.mistake(wave, effects)) return;
  ++tally.made;
  if (!finalizer::spmd::verify_wave(wave, effects).ok()) {
    ++tally.by_verifier;
  } else if (kind.by == By::execution) {
    std::mt19937 random(seed);
    const WideProgram program = {module.get(), random_lane_bytes};
    tally.by_execution += wave_difference(program, widened, form, random, 4) != "";
  } else {
    ADD_FAILURE() << "the verifier has not noticed it, seed " << seed << "\n" << widened.text();
  }
}

TEST_P(WaveMutation, IsNoticed) {
  const bool executes = GetParam().by == By::execution;
  Tally tally;
  for (uint32_t seed = 1; seed < 300 && tally.made < (executes ? 6u : 12u) && !HasFailure(); ++seed)
    try_seed(GetParam(), seed, tally);
  EXPECT_GE(tally.made, executes ? 6u : 8u);
  // What is not noticed by execution is in code that few inputs reach, or chooses between equal values.
  if (executes) EXPECT_GE(tally.by_verifier + tally.by_execution, tally.made / 3);
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, WaveMutation,
    ::testing::Values(
        Case{"UnmaskStore", unmask_store, By::verifier}, Case{"UnmaskLoad", unmask_load, By::verifier},
        Case{"DropRestriction", drop_restriction, By::verifier},
        Case{"KeepCondition", keep_condition, By::verifier}, Case{"DropFreeze", drop_freeze, By::verifier},
        Case{"WidenMask", widen_mask, By::verifier}, Case{"RemoveStore", remove_store, By::verifier},
        Case{"CopyStore", copy_store, By::verifier}, Case{"DropTestOfAll", drop_test_of_all, By::verifier},
        Case{"AddLaneToLoop", add_lane_to_loop, By::verifier},
        Case{"KeepLanesInLoop", keep_lanes_in_loop, By::verifier}, Case{"KeepBits", keep_bits, By::verifier},
        Case{"SwapArms", swap_arms, By::execution}, Case{"ShiftLanes", shift_lanes, By::execution}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::testing
