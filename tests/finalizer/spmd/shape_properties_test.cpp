// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generates functions, executes them for each lane of a wave, and compares the values of the lanes with the
// shapes that were computed.
#include <gtest/gtest.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/NoFolder.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <array>
#include <map>
#include <random>
#include <stdexcept>

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/assumptions.h"
#include "finalizer/spmd/shape_analysis.h"

namespace heddle::testing {
namespace {

using namespace finalizer;
using namespace finalizer::spmd;
using llvm::APInt;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr uint32_t lanes = 8;

/// Makes a function `void f(ptr context, i32, i32, i64, ptr, i32)`, of which the last argument varies. Its
/// control flow is any reducible one of some blocks, which can end in any block and never.
class Generator {
 public:
  Generator(llvm::LLVMContext& context, llvm::Module& module, unsigned seed)
      : context_(context), module_(module), random_(seed), ir_(context) {}

  llvm::Function* make() {
    auto* i32 = ir_.getInt32Ty();
    auto* type = llvm::FunctionType::get(
        ir_.getVoidTy(), {ir_.getPtrTy(), i32, i32, ir_.getInt64Ty(), ir_.getPtrTy(), i32}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module_);
    make_loops();
    for (unsigned n = 0; n < count_; ++n) make_terminator(n);
    fill_blocks();
    return function_;
  }

 private:
  struct Loop {
    unsigned first, last;
  };

  unsigned below(unsigned limit) { return std::uniform_int_distribution<unsigned>(0, limit - 1)(random_); }
  bool chance(unsigned percent) { return below(100) < percent; }

  /// Makes blocks in a row; loops are intervals of them that contain each other or have nothing in common.
  void make_loops() {
    count_ = 2 + below(9);
    for (unsigned n = 0; n < count_; ++n)
      blocks_.push_back(BasicBlock::Create(context_, "b" + std::to_string(n), function_));
    add_loops(1, count_ - 1, 0);
  }
  void add_loops(unsigned first, unsigned end, unsigned depth) {
    while (first < end && depth < 3) {
      const unsigned begin = first + below(end - first);
      const unsigned last = begin + below(end - begin);
      if (chance(60)) {
        loops_.push_back({begin, last});
        add_loops(begin + 1, last + 1, depth + 1);
      }
      first = last + 1;
    }
  }

  /// Reports whether a jump may lead from one block to another: forwards, but not into the middle of a loop,
  /// or back to the header of a loop.
  bool may_jump(unsigned from, unsigned to) const {
    for (const Loop& loop : loops_) {
      const bool from_inside = from >= loop.first && from <= loop.last;
      if (to == loop.first && to <= from && from_inside) return true;
      if (to > loop.first && to <= loop.last && !from_inside) return false;
    }
    return to > from;
  }

  void make_terminator(unsigned from) {
    ir_.SetInsertPoint(blocks_[from]);
    llvm::SmallVector<BasicBlock*, 8> targets;
    for (unsigned to = 1; to < count_; ++to)
      if (may_jump(from, to)) targets.push_back(blocks_[to]);
    const auto target = [&] {
      return targets[below(std::min<unsigned>(targets.size(), chance(70) ? 3 : 16))];
    };
    auto* later = llvm::PoisonValue::get(ir_.getInt1Ty());
    if (targets.empty() || (from > 2 && chance(4))) {
      ir_.CreateRetVoid();
    } else if (chance(20)) {
      ir_.CreateBr(target());
    } else if (chance(85)) {
      ir_.CreateCondBr(later, target(), target());
    } else {
      auto* many = ir_.CreateSwitch(llvm::PoisonValue::get(ir_.getInt32Ty()), target(), 2);
      many->addCase(ir_.getInt32(0), target());
      many->addCase(ir_.getInt32(below(3) + 1), target());
    }
  }

  /// Makes phis without incoming values first, since those may come from blocks that are filled later.
  void fill_blocks() {
    const llvm::DominatorTree dominators(*function_);
    for (BasicBlock* block : blocks_) {
      if (!dominators.isReachableFromEntry(block)) continue;
      ir_.SetInsertPoint(block, block->begin());
      collect(dominators, *block);
      if (!llvm::pred_empty(block))
        for (unsigned n = below(3); n > 0; --n) add(ir_.CreatePHI(type(), 2));
      if (is_header(*block)) add_counter(*block);
      if (block == blocks_[0]) make_sources();
      for (unsigned n = 1 + below(5); n > 0; --n) add(instruction());
      decide(*block->getTerminator());
    }
    for (BasicBlock* block : blocks_) {
      if (dominators.isReachableFromEntry(block)) continue;
      block->getTerminator()->eraseFromParent();
      ir_.SetInsertPoint(block);
      ir_.CreateUnreachable();
    }
    for (BasicBlock* block : blocks_) {
      for (llvm::PHINode& phi : block->phis()) {
        llvm::MapVector<BasicBlock*, Value*> chosen;  // in an order that depends on the seed alone
        for (BasicBlock* before : llvm::predecessors(block)) {
          if (const auto step = steps_.find(&phi); step != steps_.end() && !chosen.contains(before)) {
            chosen[before] = dominators.dominates(block, before) ? step->second : ir_.getInt32(below(3));
          } else if (!chosen.contains(before)) {
            collect(dominators, *before, true);
            const auto other = chosen.empty() || !chance(25) ? nullptr : chosen.begin()->second;
            chosen[before] = other && llvm::is_contained(values_, other) ? other : operand(phi.getType());
          }
          phi.addIncoming(chosen[before], before);
        }
      }
    }
  }

  bool is_header(const BasicBlock& block) const {
    return llvm::any_of(loops_, [&](const Loop& loop) { return blocks_[loop.first] == &block; });
  }

  /// Counts iterations, so that loops go on for a while and then end.
  void add_counter(BasicBlock& header) {
    auto* counter = ir_.CreatePHI(ir_.getInt32Ty(), 2);
    steps_[counter] = ir_.CreateAdd(counter, ir_.getInt32(1 + below(2)));
    add(counter);
    counters_.push_back(counter);
  }

  /// Collects the values that a block can use; with `whole`, those that are known at its end.
  void collect(const llvm::DominatorTree& dominators, const BasicBlock& block, bool whole = false) {
    values_.clear();
    for (llvm::Argument& argument : function_->args()) values_.push_back(&argument);
    for (BasicBlock& other : *function_) {
      if (!dominators.isReachableFromEntry(&other)) continue;
      if (&other == &block ? !whole : !dominators.dominates(&other, &block)) continue;
      for (Instruction& instruction : other)
        if (!instruction.getType()->isVoidTy()) values_.push_back(&instruction);
    }
  }

  void add(Value* value) {
    if (auto* made = llvm::dyn_cast<Instruction>(value)) values_.push_back(made);
  }

  llvm::Type* type() {
    llvm::Type* types[] = {ir_.getInt32Ty(), ir_.getInt32Ty(), ir_.getInt64Ty(),
                           ir_.getPtrTy(),   ir_.getInt8Ty(),  ir_.getInt1Ty()};
    return types[below(std::size(types))];
  }

  Value* constant(llvm::Type* type) {
    if (type->isPointerTy()) return llvm::ConstantPointerNull::get(ir_.getPtrTy());
    static constexpr int64_t interesting[] = {0,  1,  2,   3,   4,  7,  8,  12,  16,
                                              31, 64, 100, 127, -1, -2, -8, -64, 1 << 16};
    const auto value = static_cast<uint64_t>(interesting[below(std::size(interesting))]);
    return llvm::ConstantInt::get(type, APInt(64, value).trunc(type->getIntegerBitWidth()));
  }

  /// Returns a value of a type. Late values come more often, so that chains are long.
  Value* operand(llvm::Type* type) {
    llvm::SmallVector<Value*, 32> fitting;
    for (Value* value : values_)
      if (value->getType() == type && value != function_->getArg(0)) fitting.push_back(value);
    if (fitting.empty() || (!type->isPointerTy() && chance(12))) return constant(type);
    const auto size = static_cast<unsigned>(fitting.size());
    return fitting[size - 1 - std::min(below(size), below(size))];
  }

  Value* call(TargetOperation operation, llvm::ArrayRef<Value*> arguments = {}) {
    return ir_.CreateCall(declare(module_, operation), arguments);
  }

  void make_sources() {
    add(id_ = call(TargetOperation::workitemid, {ir_.getInt32(0)}));
    if (chance(50)) add(call(TargetOperation::workitemid, {ir_.getInt32(1 + below(2))}));
    if (chance(50)) add(call(TargetOperation::workgroupsize, {ir_.getInt32(0)}));
    if (chance(30)) add(call(TargetOperation::laneid));
  }

  Value* binary(llvm::Type* type) {
    using B = llvm::BinaryOperator;
    static constexpr B::BinaryOps operations[] = {B::Add, B::Add, B::Sub, B::Mul,  B::Shl,  B::LShr, B::AShr,
                                                  B::And, B::Or,  B::Xor, B::UDiv, B::URem, B::Add};
    const auto operation = operations[below(std::size(operations))];
    const unsigned bits = type->getIntegerBitWidth();
    const bool shift = operation == B::Shl || operation == B::LShr || operation == B::AShr;
    const bool division = operation == B::UDiv || operation == B::URem;
    Value *a = operand(type), *b = chance(50) ? constant(type) : operand(type);
    if (shift) b = llvm::ConstantInt::get(type, below(bits));
    if (division) b = llvm::ConstantInt::get(type, bits == 1 ? 1 : 1 + below(9));
    if (!shift && !division && chance(20)) std::swap(a, b);
    Value* made = ir_.CreateBinOp(operation, a, b);
    if (auto* flagged = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(made); flagged && chance(15))
      llvm::cast<Instruction>(made)->setHasNoUnsignedWrap();
    if (auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(made); disjoint && chance(15))
      disjoint->setIsDisjoint(true);
    return made;
  }

  Value* cast(llvm::Type* to) {
    if (to->isPointerTy())
      return ir_.CreateIntToPtr(operand(chance(70) ? ir_.getInt64Ty() : ir_.getInt32Ty()), to);
    llvm::Type* from = type();
    if (from->isPointerTy()) return ir_.CreatePtrToInt(operand(from), to);
    Value* value = operand(from);
    if (from->getIntegerBitWidth() >= to->getIntegerBitWidth()) return ir_.CreateTrunc(value, to);
    return chance(60) ? ir_.CreateZExt(value, to) : ir_.CreateSExt(value, to);
  }

  /// Makes an index as programs compute it, in fewer bits than an address has.
  Value* index() {
    Value* sum = ir_.CreateAdd(id_, operand(ir_.getInt32Ty()));
    add(sum);
    return chance(60) ? ir_.CreateZExt(sum, ir_.getInt64Ty()) : ir_.CreateSExt(sum, ir_.getInt64Ty());
  }

  /// Makes an index as programs clamp it, or take it apart.
  Value* changed_index() {
    using B = llvm::BinaryOperator;
    static constexpr llvm::Intrinsic::ID choices[] = {llvm::Intrinsic::smin, llvm::Intrinsic::smax,
                                                      llvm::Intrinsic::umin, llvm::Intrinsic::umax};
    static constexpr B::BinaryOps operations[] = {B::And, B::And, B::Or, B::Xor};
    Value *a = chance(50) ? id_ : operand(ir_.getInt32Ty()), *b = operand(ir_.getInt32Ty());
    if (chance(50)) return ir_.CreateBinaryIntrinsic(choices[below(4)], a, b);
    if (chance(50)) add(b = ir_.CreateAdd(b, ir_.getInt32(-1)));
    if (chance(30)) add(b = ir_.CreateNot(b));
    return ir_.CreateBinOp(operations[below(4)], a, b);
  }

  Value* instruction() {
    if (chance(8)) return chance(50) ? index() : changed_index();
    llvm::Type* result = type();
    switch (below(10)) {
      case 0:
        return ir_.CreateSelect(operand(ir_.getInt1Ty()), operand(result), operand(result));
      case 1:
      case 2:
        return cast(result);
      case 3: {
        llvm::Type* compared = chance(80) ? ir_.getInt32Ty() : result;
        const auto predicate = static_cast<llvm::CmpInst::Predicate>(llvm::CmpInst::ICMP_EQ + below(10));
        return ir_.CreateICmp(predicate, operand(compared), operand(compared));
      }
      case 4:
        return chance(50) ? ir_.CreateFreeze(operand(result))
                          : ir_.CreateLoad(ir_.getInt32Ty(), operand(ir_.getPtrTy()));
      case 5: {
        llvm::Type* elements[] = {ir_.getInt8Ty(), ir_.getInt32Ty(), ir_.getInt64Ty()};
        return ir_.CreateGEP(elements[below(3)], operand(ir_.getPtrTy()),
                             operand(chance(80) ? ir_.getInt64Ty() : ir_.getInt32Ty()));
      }
      default:
        return result->isPointerTy() ? cast(result) : binary(result);
    }
  }

  /// Compares a counter with something.
  Value* end_of_loop() {
    llvm::SmallVector<Value*, 4> known;
    for (llvm::PHINode* counter : counters_)
      if (llvm::is_contained(values_, counter)) known.push_back(counter);
    if (known.empty()) return operand(ir_.getInt1Ty());
    const auto predicate = chance(50) ? llvm::CmpInst::ICMP_ULT : llvm::CmpInst::ICMP_UGE;
    Value* limit = chance(60) ? function_->getArg(5) : operand(ir_.getInt32Ty());
    return ir_.CreateICmp(predicate, known[below(static_cast<unsigned>(known.size()))], limit);
  }

  void decide(Instruction& end) {
    ir_.SetInsertPoint(&end);
    if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end); branch && branch->isConditional())
      branch->setCondition(chance(40) ? end_of_loop() : operand(ir_.getInt1Ty()));
    if (auto* many = llvm::dyn_cast<llvm::SwitchInst>(&end)) many->setCondition(operand(ir_.getInt32Ty()));
  }

  llvm::LLVMContext& context_;
  llvm::Module& module_;
  std::mt19937 random_;
  llvm::IRBuilder<llvm::NoFolder> ir_;
  llvm::Function* function_ = nullptr;
  Value* id_ = nullptr;  // the work-item's ID in x
  unsigned count_ = 0;
  std::vector<BasicBlock*> blocks_;
  std::vector<Loop> loops_;
  std::vector<Value*> values_;
  std::map<const llvm::PHINode*, Value*> steps_;  // what counters get in the next iteration
  std::vector<llvm::PHINode*> counters_;
};

/// The wave in which a function is executed.
struct Wave {
  std::array<uint32_t, 3> ids[lanes];
  uint32_t group_size = 0;
  uint64_t arguments[5] =
      {};  // of the function's, from the second one; the last is added to the lane's number
  std::array<uint32_t, lanes> varying;
};

/// An execution of an instruction: how often each loop around it has started a new iteration, from outside to
/// inside. Lanes execute an instruction together if these are equal.
using Iteration = llvm::SmallVector<unsigned, 3>;

struct Observed {
  uint32_t lane;
  uint64_t value;  // of a terminator, the number of the successor
  /// Whether the guards hold of the value's guarded shape, if it has one.
  bool guards_hold;
};
using Record = std::map<std::pair<const Instruction*, Iteration>, llvm::SmallVector<Observed, lanes>>;

/// Executes the function in one lane.
class Lane {
 public:
  Lane(const llvm::Function& function, const llvm::LoopInfo& loops, const Shapes& shapes, const Wave& wave,
       uint32_t number)
      : function_(function), loops_(loops), shapes_(shapes), wave_(wave), number_(number) {}

  /// Reports whether the function returned, rather than going on for very long.
  bool run(Record& record) {
    const BasicBlock *block = &function_.getEntryBlock(), *before = nullptr;
    for (unsigned left = 120; left > 0; --left) {
      count(*block, before);
      enter(*block, before, record);
      const Instruction* end = block->getTerminator();
      if (poison_) return false;
      if (llvm::isa<llvm::ReturnInst>(end)) {
        note(*end, 0, record);
        return true;
      }
      const unsigned next = successor(*end);
      note(*end,
           std::distance(llvm::succ_begin(block),
                         llvm::find(llvm::successors(block), end->getSuccessor(next))),
           record);
      before = block;
      block = end->getSuccessor(next);
    }
    return false;
  }
  /// Reports whether a promise of a flag was broken.
  bool has_poison() const { return poison_; }

 private:
  void count(const BasicBlock& block, const BasicBlock* before) {
    const llvm::Loop* loop = loops_.getLoopFor(&block);
    if (!loop || loop->getHeader() != &block) return;
    unsigned& iteration = iterations_[loop];
    iteration = before && loop->contains(before) ? iteration + 1 : 0;
  }
  Iteration iteration_of(const BasicBlock& block) {
    Iteration all;
    for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop())
      all.insert(all.begin(), iterations_[loop]);
    return all;
  }

  void enter(const BasicBlock& block, const BasicBlock* before, Record& record) {
    llvm::SmallVector<std::pair<const Instruction*, uint64_t>, 4> phis;  // all of them read the old values
    for (const llvm::PHINode& phi : block.phis())
      phis.emplace_back(&phi, of(*phi.getIncomingValueForBlock(before)));
    for (const auto& [phi, value] : phis) set(*phi, value, record);
    for (const Instruction& instruction : block)
      if (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator() && !poison_)
        set(instruction, result(instruction), record);
  }

  void set(const Instruction& instruction, uint64_t value, Record& record) {
    values_[&instruction] = value;
    test_guard(instruction);
    note(instruction, value, record);
  }
  void note(const Instruction& instruction, uint64_t value, Record& record) {
    const GuardedShape* guarded = shapes_.guarded(instruction);
    const bool hold = guarded && llvm::all_of(guarded->guards, [&](auto* guard) { return guards_[guard]; });
    record[{&instruction, iteration_of(*instruction.getParent())}].push_back({number_, value, hold});
  }

  /// Tests what generated code would test if this were a guard, with the values that lane 0 has by the
  /// shapes.
  void test_guard(const Instruction& guard) {
    const auto shape_of = [&](const Value& value) { return shapes_.where_guarded(value); };
    const auto assumption = assumption_about(guard, shape_of, lanes);
    guards_[&guard] = false;
    if (!assumption) return;
    llvm::IRBuilder<> folder(guard.getContext());
    const uint64_t first =
        of(*assumption->strided) - number_ * static_cast<uint64_t>(assumption->number.stride);
    const auto constant = [&](uint64_t value) {
      llvm::Type* type = assumption->strided->getType();
      return llvm::ConstantInt::get(type, APInt(64, value).trunc(type->getIntegerBitWidth()));
    };
    Value* uniform = assumption->uniform ? constant(of(*assumption->uniform)) : nullptr;
    const Value* holds = create_test(folder, guard, *assumption, constant(first), uniform, lanes);
    guards_[&guard] = llvm::cast<llvm::ConstantInt>(holds)->isOne();
  }

  static unsigned bits_of(const Value& value) {
    return value.getType()->isPointerTy() ? 64 : value.getType()->getIntegerBitWidth();
  }
  APInt number(const Value& value) { return APInt(64, of(value)).trunc(bits_of(value)); }

  uint64_t of(const Value& value) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value)) return constant->getZExtValue();
    if (llvm::isa<llvm::ConstantPointerNull>(value)) return 0;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value))
      return argument->getArgNo() == 5 ? wave_.varying[number_] : wave_.arguments[argument->getArgNo()];
    return values_.at(&value);
  }

  unsigned successor(const Instruction& end) {
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end))
      return branch->isConditional() && of(*branch->getCondition()) == 0 ? 1 : 0;
    const auto& many = llvm::cast<llvm::SwitchInst>(end);
    for (const auto& one : many.cases())
      if (one.getCaseValue()->getZExtValue() == of(*many.getCondition())) return one.getSuccessorIndex();
    return 0;
  }

  uint64_t result(const Instruction& i) {
    if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&i))
      return binary(*operation).getZExtValue();
    if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&i))
      return llvm::ICmpInst::compare(number(*i.getOperand(0)), number(*i.getOperand(1)),
                                     compare->getPredicate());
    if (llvm::isa<llvm::SelectInst>(i)) return of(*i.getOperand(of(*i.getOperand(0)) ? 1 : 2));
    if (llvm::isa<llvm::FreezeInst>(i)) return of(*i.getOperand(0));
    if (llvm::isa<llvm::LoadInst>(i)) return memory(of(*i.getOperand(0)));
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
      const uint64_t size = i.getDataLayout().getTypeAllocSize(address->getSourceElementType());
      return of(*i.getOperand(0)) + size * number(*i.getOperand(1)).sext(64).getZExtValue();
    }
    if (llvm::isa<llvm::CastInst>(i)) {
      const APInt value = number(*i.getOperand(0));
      const unsigned bits = bits_of(i);
      return (llvm::isa<llvm::SExtInst>(i) ? value.sext(bits) : value.zextOrTrunc(bits)).getZExtValue();
    }
    if (const auto* choice = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&i)) {
      const APInt a = number(*choice->getLHS()), b = number(*choice->getRHS());
      return (llvm::ICmpInst::compare(a, b, choice->getPredicate()) ? a : b).getZExtValue();
    }
    return query(llvm::cast<llvm::CallInst>(i));
  }

  APInt binary(const llvm::BinaryOperator& i) {
    const APInt a = number(*i.getOperand(0)), b = number(*i.getOperand(1));
    const bool nuw = llvm::isa<llvm::OverflowingBinaryOperator>(i) && i.hasNoUnsignedWrap();
    bool wraps = false;
    switch (i.getOpcode()) {
      case Instruction::Add:
        (void)a.uadd_ov(b, wraps);
        poison_ = poison_ || (nuw && wraps);
        return a + b;
      case Instruction::Sub:
        (void)a.usub_ov(b, wraps);
        poison_ = poison_ || (nuw && wraps);
        return a - b;
      case Instruction::Mul:
        (void)a.umul_ov(b, wraps);
        poison_ = poison_ || (nuw && wraps);
        return a * b;
      case Instruction::Shl:
        (void)a.ushl_ov(b, wraps);
        poison_ = poison_ || (nuw && wraps);
        return a.shl(b);
      case Instruction::LShr:
        return a.lshr(b);
      case Instruction::AShr:
        return a.ashr(b);
      case Instruction::And:
        return a & b;
      case Instruction::Or:
        poison_ = poison_ || (llvm::cast<llvm::PossiblyDisjointInst>(i).isDisjoint() && (a & b) != 0);
        return a | b;
      case Instruction::Xor:
        return a ^ b;
      case Instruction::UDiv:
        return a.udiv(b);
      default:
        return a.urem(b);
    }
  }

  /// Memory that nobody writes: any address has a number, and neighbours differ.
  static uint64_t memory(uint64_t address) {
    return static_cast<uint32_t>((address * 0x9e3779b97f4a7c15) >> 61);
  }

  uint64_t query(const llvm::CallInst& call) {
    switch (*target_operation_of(*call.getCalledFunction())) {
      case TargetOperation::workitemid:
        return wave_.ids[number_][constant_argument(call, 0)];
      case TargetOperation::workgroupsize:
        return wave_.group_size;
      case TargetOperation::laneid:
        return number_;
      default:
        throw std::logic_error("the generator makes no other calls");
    }
  }

  const llvm::Function& function_;
  const llvm::LoopInfo& loops_;
  const Shapes& shapes_;
  const Wave& wave_;
  const uint32_t number_;
  bool poison_ = false;
  std::map<const Value*, uint64_t> values_;
  std::map<const Instruction*, bool> guards_;
  std::map<const llvm::Loop*, unsigned> iterations_;
};

/// How often shapes were claimed, to see that the comparison means something.
struct Counts {
  uint64_t uniform = 0, strided = 0, varying = 0, guarded = 0, uniform_branches = 0, divergent_branches = 0,
           full_blocks = 0, left_alike = 0, left_differently = 0, waves = 0;
};

/// Reports whether the values of some lanes have a shape.
bool has_shape(llvm::ArrayRef<Observed> values, const Shape& shape, unsigned bits) {
  if (shape.is_varying()) return true;
  const uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bits), stride = static_cast<uint64_t>(shape.stride);
  for (const Observed& one : values) {
    const __int128 way = (__int128{one.lane} - values[0].lane) * shape.stride;
    if (((one.value - values[0].value - static_cast<uint64_t>(way)) & mask) != 0) return false;
    if (shape.no_wrap && __int128{one.value} - values[0].value != way) return false;
    if ((((one.value - one.lane * stride) & mask) & (shape.alignment - 1)) != 0) return false;
  }
  return true;
}

class Check {
 public:
  Check(const Shapes& shapes, Counts& counts) : shapes_(shapes), counts_(counts) {}

  /// Returns what is wrong, or "".
  std::string compare(const Record& record, bool all_returned) {
    for (const auto& [key, values] : record) {
      const Instruction& instruction = *key.first;
      if (instruction.isTerminator()) {
        if (auto wrong = compare_end(instruction, values, all_returned); !wrong.empty()) return wrong;
        continue;
      }
      const Shape shape = shapes_.of(instruction);
      ++(shape.is_varying() ? counts_.varying : shape.is_uniform() ? counts_.uniform : counts_.strided);
      const unsigned bits =
          instruction.getType()->isPointerTy() ? 64 : instruction.getType()->getIntegerBitWidth();
      count_leaving(instruction, values);
      if (!has_shape(values, shape, bits)) return report(instruction, values, shape, "");
      const auto* guarded = shapes_.guarded(instruction);
      if (!guarded || !llvm::all_of(values, [](const Observed& one) { return one.guards_hold; })) continue;
      ++counts_.guarded;
      if (!has_shape(values, guarded->shape, bits))
        return report(instruction, values, guarded->shape, " guarded");
    }
    return "";
  }

 private:
  /// Counts single values that lanes take out of a loop in different iterations.
  void count_leaving(const Instruction& instruction, llvm::ArrayRef<Observed> values) {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction);
    const Value* only = phi ? phi->hasConstantValue() : nullptr;
    if (!only || !shapes_.is_uniform(*only)) return;
    const bool same = llvm::all_of(values, [&](const Observed& one) { return one.value == values[0].value; });
    ++(same ? counts_.left_alike : counts_.left_differently);
  }

  std::string compare_end(const Instruction& end, llvm::ArrayRef<Observed> ways, bool all_returned) {
    const BasicBlock& block = *end.getParent();
    if (all_returned && shapes_.has_entry_mask(block)) {
      ++counts_.full_blocks;
      if (ways.size() != lanes) return report(end, ways, Shape::uniform(), " block with all lanes");
    }
    if (end.getNumSuccessors() < 2) return "";
    ++(shapes_.is_divergent(block) ? counts_.divergent_branches : counts_.uniform_branches);
    const bool same = llvm::all_of(ways, [&](const Observed& one) { return one.value == ways[0].value; });
    return same || shapes_.is_divergent(block) ? "" : report(end, ways, Shape::uniform(), " branch");
  }

  static std::string report(const Instruction& i, llvm::ArrayRef<Observed> values, const Shape& shape,
                            const char* what) {
    std::string text;
    llvm::raw_string_ostream out(text);
    out << "not" << what << " kind " << static_cast<int>(shape.kind) << " stride " << shape.stride
        << " alignment " << shape.alignment << (shape.no_wrap ? " no wrap" : "") << ": " << i << "\nvalues:";
    for (const Observed& one : values) out << " [" << one.lane << "] " << one.value;
    return text;
  }

  const Shapes& shapes_;
  Counts& counts_;
};

class ShapeProperties : public ::testing::Test {
 protected:
  uint64_t pick(std::initializer_list<uint64_t> choices) {
    return choices.begin()[std::uniform_int_distribution<size_t>(0, choices.size() - 1)(random_)];
  }

  ShapeRequest request() {
    ShapeRequest request;
    request.lanes = lanes;
    request.body = pick({0, 1, 1, 1}) ? Body::row : Body::general;
    request.all_active = true;
    request.first_id_alignment = pick({1, 8, 8, 16});
    request.group_size_alignment = pick({1, 8});
    request.arguments.assign(5, Shape::uniform());
    return request;
  }

  Wave wave(const ShapeRequest& request) {
    Wave wave;
    wave.group_size = static_cast<uint32_t>(request.group_size_alignment * pick({1, 3, 8, 100}));
    const auto first = static_cast<uint32_t>(request.first_id_alignment * pick({0, 1, 3, 32, 77}));
    for (uint32_t i = 0; i < lanes; ++i) {
      wave.ids[i] = {first + i, 5, 2};
      if (request.body == Body::general)
        for (uint32_t& id : wave.ids[i]) id = static_cast<uint32_t>(pick({0, 1, 2, 7, 9, 40}));
      wave.varying[i] = static_cast<uint32_t>(pick({0, 1, 2, 3, 5, 8, 0xffffffff}));
    }
    wave.arguments[1] = pick({0, 1, 2, 5, 16, 100, 0x7ffffffc, 0xfffffffa});
    wave.arguments[2] = pick({0, 1, 3, 8, 64, 0x12345678});
    wave.arguments[3] = pick({0, 1, 8, 100, 0xfffffffd, 0x123456789abcdef0});
    wave.arguments[4] = pick({0, 0x1000, 0x123456780, 0x7fffffffffff});
    return wave;
  }

  /// Returns what is wrong with the shapes of one generated function, or "".
  std::string check(unsigned seed) {
    llvm::LLVMContext context;
    llvm::Module module("", context);
    module.setDataLayout("e-m:e-p:64:64-i64:64-i128:128-n8:16:32:64-S128");
    random_.seed(seed);
    llvm::Function* function = Generator(context, module, seed).make();
    std::string text;
    llvm::raw_string_ostream out(text);
    if (llvm::verifyFunction(*function, &out)) return text;
    llvm::DominatorTree dominators(*function);
    const llvm::LoopInfo loops(dominators);
    if (seed % 2 == 0)
      for (llvm::Loop* loop : loops) llvm::formLCSSARecursively(*loop, dominators, &loops, nullptr);
    const ShapeRequest wanted = request();
    const Shapes shapes = compute_shapes(*function, wanted);
    for (unsigned n = 0; n < 4; ++n)
      if (auto wrong = execute(*function, loops, shapes, wave(wanted)); !wrong.empty()) {
        out << "seed " << seed << ": " << wrong << "\n" << *function;
        return text;
      }
    return "";
  }

  std::string execute(const llvm::Function& function, const llvm::LoopInfo& loops, const Shapes& shapes,
                      const Wave& wave) {
    Record record;
    bool all_returned = true;
    for (uint32_t i = 0; i < lanes; ++i) {
      Lane lane(function, loops, shapes, wave, i);
      all_returned = lane.run(record) && all_returned;
      if (lane.has_poison()) return "";  // nothing is promised then
    }
    ++counts_.waves;
    return Check(shapes, counts_).compare(record, all_returned);
  }

  std::mt19937 random_;
  Counts counts_;
};

TEST_F(ShapeProperties, HoldInGeneratedFunctions) {
  constexpr unsigned functions = 2500;
  for (unsigned seed = 1; seed <= functions; ++seed) {
    const std::string wrong = check(seed);
    ASSERT_EQ(wrong, "");
  }
  // Shapes that claim nothing would hold, too.
  const auto& c = counts_;
  const std::string all =
      "uniform " + std::to_string(c.uniform) + ", strided " + std::to_string(c.strided) + ", varying " +
      std::to_string(c.varying) + ", guarded " + std::to_string(c.guarded) + ", uniform branches " +
      std::to_string(c.uniform_branches) + ", divergent ones " + std::to_string(c.divergent_branches) +
      ", full blocks " + std::to_string(c.full_blocks) + ", left alike " + std::to_string(c.left_alike) +
      ", left differently " + std::to_string(c.left_differently) + ", waves " + std::to_string(c.waves);
  EXPECT_GT(c.waves, functions * 2) << all;
  EXPECT_GT(c.uniform, c.varying / 4) << all;
  EXPECT_GT(c.strided, c.varying / 20) << all;
  EXPECT_GT(c.guarded, 100u) << all;
  EXPECT_GT(c.uniform_branches, c.divergent_branches / 4) << all;
  EXPECT_GT(c.divergent_branches, functions) << all;
  EXPECT_GT(c.full_blocks, functions) << all;
  EXPECT_GT(c.left_alike, 100u) << all;
  EXPECT_GT(c.left_differently, 100u) << all;
}

}  // namespace
}  // namespace heddle::testing
