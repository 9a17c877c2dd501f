// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wave_evaluator.h"

#include <fmt/format.h>
#include <llvm/ADT/APInt.h>
#include <llvm/IR/InstIterator.h>

#include "finalizer/spmd/masks.h"

namespace heddle::testing {
namespace {

using finalizer::spmd::SpmdFunction;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr uint64_t base_address = 4096;
constexpr uint64_t step_limit = 200000;

/// What one work-item has in a value.
struct Lane {
  uint64_t bits = 0;
  bool is_poison = false;
  friend bool operator==(const Lane&, const Lane&) = default;
};
constexpr Lane poison = {0, true};

using Lanes = std::vector<Lane>;

unsigned width_of(const llvm::Type* type) { return type->isPointerTy() ? 64 : type->getIntegerBitWidth(); }

uint64_t truncated(uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

int64_t extended(uint64_t bits, unsigned width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

bool compare(llvm::CmpInst::Predicate predicate, uint64_t a, uint64_t b, unsigned width) {
  return llvm::ICmpInst::compare(llvm::APInt(width, a), llvm::APInt(width, b), predicate);
}

bool divides(unsigned opcode) {
  return opcode == Instruction::UDiv || opcode == Instruction::SDiv || opcode == Instruction::URem ||
         opcode == Instruction::SRem;
}

/// Reports whether some work-item has to be active where an instruction is executed.
bool needs_work_items(const Instruction& instruction) {
  return instruction.mayReadOrWriteMemory() || llvm::isa<llvm::CallInst>(instruction) ||
         (divides(instruction.getOpcode()) && !llvm::isa<llvm::ConstantInt>(instruction.getOperand(1)));
}

/// Returns the result of an operation on two integers. A divisor is not 0.
uint64_t binary(unsigned opcode, uint64_t a, uint64_t b, unsigned width) {
  switch (opcode) {
    case Instruction::Add:
      return a + b;
    case Instruction::Sub:
      return a - b;
    case Instruction::Mul:
      return a * b;
    case Instruction::And:
      return a & b;
    case Instruction::Or:
      return a | b;
    case Instruction::Xor:
      return a ^ b;
    case Instruction::Shl:
      return a << b;
    case Instruction::LShr:
      return a >> b;
    case Instruction::UDiv:
      return a / b;
    case Instruction::URem:
      return a % b;
    case Instruction::SDiv:
      return static_cast<uint64_t>(extended(a, width) / extended(b, width));
    case Instruction::SRem:
      return static_cast<uint64_t>(extended(a, width) % extended(b, width));
    default:
      llvm_unreachable("the tests do not make this operation");
  }
}

class Execution {
 public:
  Execution(const llvm::Function& function, const WaveInput& input, const SpmdFunction* state)
      : function_(function), input_(input), state_(state) {
    outcome_.lanes.resize(input.lanes);
    for (unsigned lane = 0; lane < input.lanes; ++lane) outcome_.lanes[lane].memory = input.memory[lane];
    for (const llvm::Argument& argument : function.args()) {
      Lanes& lanes = values_[&argument];
      for (unsigned lane = 0; lane < input.lanes; ++lane)
        lanes.push_back(
            {argument.getArgNo() == 0 ? base_address : input.arguments[argument.getArgNo() - 1][lane]});
    }
  }

  WaveOutcome run() {
    block_ = &function_.getEntryBlock();
    while (block_ && outcome_.error.empty()) run_block();
    return std::move(outcome_);
  }

 private:
  void fail(const llvm::Twine& why) {
    if (!outcome_.error.empty()) return;
    outcome_.error = (why + " in " + block_->getName()).str();
    if (current_) {
      llvm::raw_string_ostream out(outcome_.error);
      out << ":" << *current_;
    }
  }

  Lanes get(const Value& value) {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value))
      return Lanes(input_.lanes, Lane{number->getZExtValue()});
    if (llvm::isa<llvm::UndefValue>(value)) return Lanes(input_.lanes, poison);
    const auto found = values_.find(&value);
    if (found != values_.end()) return found->second;
    fail("a value is used before it is computed");
    return Lanes(input_.lanes, poison);
  }

  void run_block() {
    active_.assign(input_.lanes, true);
    const BasicBlock& block = *block_;
    run_phis(block);
    for (const Instruction& instruction : block) {
      if (llvm::isa<llvm::PHINode>(instruction)) continue;
      current_ = &instruction;
      find_active(instruction);
      if (++outcome_.steps > step_limit) fail("the function does not end");
      if (!outcome_.error.empty()) return;
      if (instruction.isTerminator())
        finish_block(instruction);
      else
        set(instruction, run_instruction(instruction));
    }
    current_ = nullptr;
  }

  void run_phis(const BasicBlock& block) {
    llvm::SmallVector<std::pair<const Instruction*, Lanes>, 8> results;
    for (const llvm::PHINode& phi : block.phis())
      results.push_back({&phi, get(*phi.getIncomingValueForBlock(previous_))});
    for (auto& [phi, lanes] : results) values_[phi] = lanes;
    for (auto& [phi, lanes] : results) {
      current_ = phi;
      find_active(*phi);
      set(*phi, lanes);
    }
  }

  /// Finds the work-items that execute an instruction.
  void find_active(const Instruction& instruction) {
    if (!state_) return;
    const Value* mask = state_->masks.of(instruction);
    if (!mask) return fail("a block has no mask");
    // The mask of a block may be computed in the block itself, before the first instruction that needs it.
    if (const auto* maker = llvm::dyn_cast<Instruction>(mask);
        maker && maker->getParent() == block_ && !maker->comesBefore(&instruction)) {
      active_.assign(input_.lanes, false);
      return;
    }
    const Lanes lanes = get(*mask);
    for (unsigned lane = 0; lane < input_.lanes; ++lane) {
      if (lanes[lane].is_poison) return fail("a mask is poison");
      active_[lane] = lanes[lane].bits != 0;
    }
    if (llvm::is_contained(active_, true) || instruction.isTerminator() ||
        finalizer::spmd::tested_mask(instruction))
      return;
    if (needs_work_items(instruction)) fail("not speculatable, but no work-item is active");
  }

  void set(const Instruction& instruction, Lanes lanes) {
    if (instruction.getType()->isVoidTy()) return;
    if (state_ && state_->shapes.is_uniform(instruction)) make_uniform(lanes);
    values_[&instruction] = std::move(lanes);
  }

  /// Gives all work-items the one value that a machine would keep.
  void make_uniform(Lanes& lanes) {
    unsigned first = 0;
    while (first < lanes.size() && !active_[first]) ++first;
    if (first == lanes.size()) first = 0;
    for (unsigned lane = 0; lane < lanes.size(); ++lane) {
      if (active_[lane] && lanes[lane] != lanes[first]) fail("a uniform value differs");
      lanes[lane] = lanes[first];
    }
  }

  Lanes run_instruction(const Instruction& instruction) {
    if (const Value* mask = finalizer::spmd::tested_mask(instruction)) return test(*mask);
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return run_call(*call);
    Lanes operands[3];
    for (unsigned i = 0; i < instruction.getNumOperands() && i < 3; ++i)
      operands[i] = get(*instruction.getOperand(i));
    Lanes result;
    for (unsigned lane = 0; lane < input_.lanes; ++lane)
      result.push_back(run_lane(instruction, lane, operands[0][lane],
                                operands[1].empty() ? Lane{} : operands[1][lane],
                                operands[2].empty() ? Lane{} : operands[2][lane]));
    return result;
  }

  Lanes test(const Value& mask) {
    bool found = false;
    for (const Lane& lane : get(mask)) {
      if (lane.is_poison) fail("a tested mask is poison");
      found |= lane.bits != 0;
    }
    return Lanes(input_.lanes, Lane{found});
  }

  Lanes run_call(const llvm::CallInst& call) {
    const Lanes argument = get(*call.getArgOperand(0));
    for (unsigned lane = 0; lane < input_.lanes; ++lane) {
      if (!active_[lane]) continue;
      if (argument[lane].is_poison) fail("an argument is poison");
      auto& trace = outcome_.lanes[lane].trace;
      trace.push_back(call.getCalledFunction()->getName().size());
      trace.push_back(argument[lane].bits);
    }
    return {};
  }

  Lane run_lane(const Instruction& i, unsigned lane, Lane a, Lane b, Lane c) {
    const unsigned opcode = i.getOpcode();
    if (opcode == Instruction::Load || opcode == Instruction::Store) return access(i, lane, a, b);
    if (opcode == Instruction::Select) return a.is_poison ? poison : a.bits ? b : c;
    if (opcode == Instruction::Freeze) return a.is_poison ? Lane{0x5aa55aa5 & 1} : a;
    const unsigned width = width_of(i.getOperand(0)->getType());
    if (divides(opcode)) {
      if (!active_[lane]) return poison;
      if (b.is_poison || b.bits == 0) fail("a divisor is 0 or poison");
    }
    if (a.is_poison || b.is_poison || !outcome_.error.empty()) return poison;
    switch (opcode) {
      case Instruction::ICmp:
        return {compare(llvm::cast<llvm::ICmpInst>(i).getPredicate(), a.bits, b.bits, width)};
      case Instruction::ZExt:
        return a;
      case Instruction::SExt:
        return {truncated(static_cast<uint64_t>(extended(a.bits, width)), width_of(i.getType()))};
      case Instruction::Trunc:
        return {truncated(a.bits, width_of(i.getType()))};
      case Instruction::GetElementPtr: {
        const auto& pointer = llvm::cast<llvm::GetElementPtrInst>(i);
        const uint64_t size = pointer.getSourceElementType()->getIntegerBitWidth() / 8;
        return {a.bits +
                size * static_cast<uint64_t>(extended(b.bits, width_of(i.getOperand(1)->getType())))};
      }
      default:
        if ((opcode == Instruction::Shl || opcode == Instruction::LShr) && b.bits >= width) return poison;
        return {truncated(binary(opcode, a.bits, b.bits, width), width)};
    }
  }

  /// Loads (address a) or stores (value a, address b) a word.
  Lane access(const Instruction& i, unsigned lane, Lane a, Lane b) {
    if (!active_[lane]) return poison;
    const bool is_store = llvm::isa<llvm::StoreInst>(i);
    const Lane address = is_store ? b : a;
    LaneOutcome& outcome = outcome_.lanes[lane];
    const uint64_t word = (address.bits - base_address) / 4;
    if (address.is_poison || word >= outcome.memory.size()) {
      fail("a bad address");
      return poison;
    }
    if (!is_store) return {outcome.memory[word]};
    if (a.is_poison) fail("poison is stored");
    outcome.memory[word] = static_cast<uint32_t>(a.bits);
    outcome.trace.push_back(address.bits);
    outcome.trace.push_back(a.bits);
    return {};
  }

  /// Returns the value that decides where to go.
  uint64_t decision(const Value& value) {
    const Lanes lanes = get(value);
    for (const Lane& lane : lanes) {
      if (lane.is_poison) fail("the way depends on poison");
      if (lane != lanes.front()) fail("the work-items take different ways");
    }
    if (state_ && !llvm::is_contained(active_, true) && !finalizer::spmd::tested_mask(value))
      fail("no work-item is active to decide");
    return lanes.front().bits;
  }

  void finish_block(const Instruction& end) {
    previous_ = block_;
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
      block_ = branch->getSuccessor(branch->isConditional() && decision(*branch->getCondition()) == 0);
    } else if (const auto* many = llvm::dyn_cast<llvm::SwitchInst>(&end)) {
      const uint64_t value = decision(*many->getCondition());
      auto* type = llvm::cast<llvm::IntegerType>(many->getCondition()->getType());
      block_ = many->findCaseValue(llvm::ConstantInt::get(type, value))->getCaseSuccessor();
    } else if (const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&end)) {
      finish(*ret);
    } else {
      fail("an unreachable place has been reached");
    }
  }

  void finish(const llvm::ReturnInst& end) {
    if (const Value* value = end.getReturnValue()) {
      const Lanes lanes = get(*value);
      for (unsigned lane = 0; lane < input_.lanes; ++lane) {
        if (!active_[lane]) continue;
        if (lanes[lane].is_poison) fail("the result is poison");
        outcome_.lanes[lane].result = lanes[lane].bits;
      }
    }
    block_ = nullptr;
  }

  const llvm::Function& function_;
  const WaveInput& input_;
  const SpmdFunction* state_;
  WaveOutcome outcome_;
  llvm::DenseMap<const Value*, Lanes> values_;
  std::vector<bool> active_;
  const BasicBlock* block_ = nullptr;
  const BasicBlock* previous_ = nullptr;
  const Instruction* current_ = nullptr;
};

}  // namespace

WaveOutcome run_separately(const llvm::Function& function, const WaveInput& input) {
  WaveOutcome all;
  for (unsigned lane = 0; lane < input.lanes && all.error.empty(); ++lane) {
    WaveInput one;
    for (const LaneValues& values : input.arguments) one.arguments.push_back({values[lane]});
    one.memory.push_back(input.memory[lane]);
    WaveOutcome outcome = Execution(function, one, nullptr).run();
    all.lanes.push_back(std::move(outcome.lanes.front()));
    all.error = std::move(outcome.error);
    all.steps += outcome.steps;
  }
  return all;
}

WaveOutcome run_together(const SpmdFunction& state, const WaveInput& input) {
  return Execution(state.function, input, &state).run();
}

}  // namespace heddle::testing
