// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/verify_wave.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/raw_ostream.h>

#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Instruction;
using llvm::PHINode;
using llvm::Value;
using Occurrence = WaveEffect::Occurrence;
namespace match = llvm::PatternMatch;

bool is_vector_of_bits(const Value& value) {
  return value.getType()->isVectorTy() && value.getType()->isIntOrIntVectorTy(1);
}

/// Returns the operand of a call that says for which lanes it waits, or null.
const Value* mask_of_wait(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  const auto operation = callee ? target_operation_of(*callee) : std::nullopt;
  constexpr unsigned lanes_of_wait = 1;
  return operation == TargetOperation::signal_wait ? call->getArgOperand(lanes_of_wait) : nullptr;
}

/// Returns the operand of a call that says which lanes it accesses memory or waits for, or null.
const Value* mask_operand(const Instruction& instruction) {
  if (const Value* lanes = mask_of_wait(instruction)) return lanes;
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call) return nullptr;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_gather:
    case llvm::Intrinsic::masked_scatter:
      return *llvm::find_if(call->args(), [](const Value* value) { return is_vector_of_bits(*value); });
    case llvm::Intrinsic::x86_avx2_gather_d_d_256:
    case llvm::Intrinsic::x86_avx2_gather_d_q_256:
    case llvm::Intrinsic::x86_avx2_gather_q_d_256:
    case llvm::Intrinsic::x86_avx2_gather_q_q_256:
      return call->getArgOperand(3);
    default:
      return nullptr;
  }
}

/// Reports whether a mask depends on nothing but the numbers of lanes. LLVM has then computed all that is
/// made of it, so that nothing tells what a number was made for.
bool is_constant(const Parts& mask) {
  return llvm::all_of(mask, [](const Value* part) { return llvm::isa<llvm::Constant>(part); });
}

/// Reports whether a value tells that all lanes of parts of a mask are active.
bool tests_all(const Value& condition, const Parts& mask) {
  const Value* bits = nullptr;
  if (!match::match(&condition,
                    match::m_SpecificICmp(llvm::ICmpInst::ICMP_EQ, match::m_BitCast(match::m_Value(bits)),
                                          match::m_AllOnes())))
    return false;
  const Value* joined = nullptr;
  if (!match::match(bits,
                    match::m_SpecificICmp(llvm::ICmpInst::ICMP_SLT, match::m_Value(joined), match::m_Zero())))
    joined = bits;
  const Value *a = nullptr, *b = nullptr;
  while (match::match(joined, match::m_And(match::m_Value(a), match::m_Value(b))) &&
         !llvm::is_contained(mask, joined)) {
    if (!llvm::is_contained(mask, b)) return false;
    joined = a;
  }
  return llvm::is_contained(mask, joined);
}

/// Returns the number from which a loop over lanes takes one lane after the other, if a block is the header
/// of such a loop (fold_active_lanes()), or null. The loop may begin without a test of the number: that no
/// empty mask comes to what must not be executed in vain is another rule (verify.h, empty-mask).
const Value* lanes_of_loop(const BasicBlock& header) {
  for (const PHINode& left : header.phis()) {
    if (left.getNumIncomingValues() != 2 || !left.getType()->isIntegerTy()) continue;
    for (unsigned latch = 0; latch < 2; ++latch) {
      const Value* rest = left.getIncomingValue(latch);
      const Value* word = left.getIncomingValue(1 - latch);
      const auto goes_on_with = [&](const BasicBlock& from, const Value* lanes) {
        const auto* branch = llvm::dyn_cast<BranchInst>(from.getTerminator());
        return branch && branch->isConditional() && branch->getSuccessor(0) == &header &&
               match::match(
                   branch->getCondition(),
                   match::m_SpecificICmp(llvm::ICmpInst::ICMP_NE, match::m_Specific(lanes), match::m_Zero()));
      };
      const auto begins_with = [&](const BasicBlock& from, const Value* lanes) {
        return from.getSingleSuccessor() == &header || goes_on_with(from, lanes);
      };
      if (match::match(rest, match::m_And(match::m_Specific(&left),
                                          match::m_Sub(match::m_Specific(&left), match::m_One()))) &&
          goes_on_with(*left.getIncomingBlock(latch), rest) &&
          begins_with(*left.getIncomingBlock(1 - latch), word))
        return word;
    }
  }
  return nullptr;
}

class WaveVerifier {
 public:
  WaveVerifier(const llvm::Function& wave, const WaveEffects& effects)
      : wave_(wave), effects_(effects), dominators_(const_cast<llvm::Function&>(wave)) {}

  Result<void> run() {
    for (const WaveEffect& effect : effects_.effects) check_effect(effect);
    for (const Instruction& instruction : llvm::instructions(wave_)) {
      if (has_effect(instruction) && !known_.contains(&instruction) && !is_lane_memory(instruction))
        fail("wave-effect", instruction, "no instruction has asked for this");
      if (!effects_.has_mask_registers) check_bits(instruction);
    }
    for (const Parts& mask : effects_.masks)
      for (const Value* part : mask) check_mask(*part);
    if (!error_.message.empty()) return error_;
    return {};
  }

 private:
  void fail(const char* rule, const Value& value, const char* why) {
    if (!error_.message.empty()) return;
    llvm::raw_string_ostream(error_.message)
        << rule << ": " << why << " (" << wave_.getName() << "):" << value;
  }

  /// Reports whether an instruction accesses a variable in which loops find the values of lanes.
  bool is_lane_memory(const Instruction& instruction) const {
    const Value* address = llvm::getLoadStorePointerOperand(&instruction);
    const Value* variable = address ? llvm::getUnderlyingObject(address) : nullptr;
    return variable && llvm::is_contained(effects_.lane_memory, variable);
  }

  // ---- effects

  void check_effect(const WaveEffect& effect) {
    for (const Value* made : effect.made) {
      if (!made) return fail("wave-effect", wave_, "the code for an instruction is gone");
      const auto& instruction = llvm::cast<Instruction>(*made);
      known_.insert(&instruction);
      if (is_lane_memory(instruction) || effect.has_all_lanes || is_constant(effect.mask)) continue;
      if (const Value* mask = mask_operand(instruction)) {
        if (!is_within(*mask, effect.mask)) fail("wave-mask", instruction, "the mask has other lanes");
      } else if (effect.occurrence == Occurrence::callee) {
        check_call(llvm::cast<llvm::CallBase>(instruction), effect);
      } else if (!is_for_active_lanes(instruction, effect) && !is_short(instruction, effect)) {
        fail("wave-mask", instruction, "lanes that are not active have not been excluded");
      }
    }
  }

  /// Reports whether an instruction is executed once for the wave, where that is enough, and accesses no more
  /// than one lane would.
  bool is_short(const Instruction& instruction, const WaveEffect& effect) const {
    if (effect.occurrence != Occurrence::wave) return false;
    if (!llvm::getLoadStorePointerOperand(&instruction)) return true;
    return wave_.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&instruction)) <= effect.bytes;
  }

  /// Reports whether all lanes have been found active, or the instruction is in a loop over active lanes.
  bool is_for_active_lanes(const Instruction& instruction, const WaveEffect& effect) const {
    const auto* node = dominators_.getNode(instruction.getParent());
    for (; node; node = node->getIDom()) {
      const BasicBlock& block = *node->getBlock();
      if (const Value* word = lanes_of_loop(block); word && is_within(*word, effect.mask)) return true;
      const BasicBlock* before = block.getSinglePredecessor();
      const auto* test = before ? llvm::dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
      if (test && test->isConditional() && test->getSuccessor(0) == &block &&
          tests_all(*test->getCondition(), effect.mask))
        return true;
    }
    return false;
  }

  /// Checks the mask of a function that is called: the arguments behind the context.
  void check_call(const llvm::CallBase& call, const WaveEffect& effect) {
    for (unsigned p = 0; p < effect.mask.size(); ++p)
      if (!is_within(*call.getArgOperand(1 + p), effect.mask))
        fail("wave-mask", call, "lanes call a function that are not active");
  }

  // ---- masks

  /// A lane may have a vector of as many bits itself, the result of a packed comparison, which is kept as it
  /// is.
  void check_bits(const Instruction& instruction) {
    if (!is_vector_of_bits(instruction)) return;
    const auto& type = *llvm::cast<llvm::FixedVectorType>(instruction.getType());
    if (type.getNumElements() != effects_.wave.part_lanes) return;
    if (llvm::none_of(effects_.masks, [&](const Parts& mask) { return is_within(instruction, mask); }))
      return;
    const bool leaves = llvm::any_of(instruction.users(), [&](const llvm::User* user) {
      return llvm::isa<PHINode>(user) ||
             llvm::cast<Instruction>(user)->getParent() != instruction.getParent();
    });
    if (leaves) fail("wave-bits", instruction, "bits are used in another block");
  }

  /// Checks that a mask is made of masks, in a way that keeps poison out.
  void check_mask(const Value& mask) {
    llvm::SmallVector<const Value*, 8> pending = {&mask};
    while (!pending.empty()) {
      const Value* part = pending.pop_back_val();
      if (!masks_.insert(part).second || llvm::isa<llvm::Argument>(part)) continue;
      const Value *a = nullptr, *b = nullptr;
      if (const auto* constant = llvm::dyn_cast<llvm::Constant>(part)) {
        if (!constant->isNullValue() && !effects_.is_whole) fail("wave-mask", mask, "a mask has new lanes");
        if (constant->containsUndefOrPoisonElement()) fail("wave-mask", mask, "a mask is poison");
      } else if (match::match(part, match::m_Select(match::m_Value(a), match::m_Value(), match::m_Zero())) ||
                 match::match(part, match::m_And(match::m_Value(a), match::m_Freeze(match::m_Value())))) {
        if (a->getType()->isVectorTy()) pending.push_back(a);  // otherwise all lanes have the same mask
      } else if (match::match(part, match::m_Or(match::m_Value(a), match::m_Value(b)))) {
        pending.append({a, b});
      } else if (const auto* phi = llvm::dyn_cast<PHINode>(part)) {
        llvm::append_range(pending, phi->incoming_values());
      } else {
        return fail("wave-mask", *part, "a mask is made of something else than masks");
      }
    }
  }

  const llvm::Function& wave_;
  const WaveEffects& effects_;
  const llvm::DominatorTree dominators_;
  llvm::SmallPtrSet<const Instruction*, 32> known_;  ///< that instructions have asked for
  llvm::SmallPtrSet<const Value*, 32> masks_;        ///< found to be in order, or being looked at
  Error error_;
};

}  // namespace

/// Phis may be assumed to, as this holds when a loop begins and in each iteration after which it holds.
bool is_within(const Value& value, const Parts& mask) {
  llvm::SmallPtrSet<const Value*, 16> assumed;
  llvm::SmallVector<const Value*, 8> pending = {&value};
  while (!pending.empty()) {
    const Value* part = pending.pop_back_val();
    if (llvm::is_contained(mask, part) || match::match(part, match::m_Zero())) continue;
    if (llvm::isa<llvm::UndefValue>(part) || !assumed.insert(part).second) continue;
    const Value *a = nullptr, *b = nullptr;
    if (match::match(part, match::m_Select(match::m_Value(a), match::m_Value(), match::m_Zero())) ||
        match::match(part, match::m_And(match::m_Value(a), match::m_Freeze(match::m_Value()))) ||
        match::match(part,
                     match::m_SpecificICmp(llvm::ICmpInst::ICMP_SLT, match::m_Value(a), match::m_Zero())) ||
        match::match(part, match::m_ZExtOrSExt(match::m_Value(a))) ||
        match::match(part, match::m_BitCast(match::m_Value(a))) ||
        match::match(part, match::m_Shl(match::m_Value(a), match::m_ConstantInt())))
      pending.push_back(a);
    else if (match::match(part, match::m_Or(match::m_Value(a), match::m_Value(b))) ||
             match::match(part, match::m_Xor(match::m_Value(a), match::m_Value(b))) ||
             match::match(part, match::m_Shuffle(match::m_Value(a), match::m_Value(b))))
      pending.append({a, b});
    else if (const auto* phi = llvm::dyn_cast<PHINode>(part))
      llvm::append_range(pending, phi->incoming_values());
    else
      return false;
  }
  return true;
}

Result<void> verify_wave(const llvm::Function& wave, const WaveEffects& effects) {
  return WaveVerifier(wave, effects).run();
}

}  // namespace heddle::finalizer::spmd
