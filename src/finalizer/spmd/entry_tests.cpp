// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/entry_tests.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/guards.h"
#include "finalizer/spmd/lane_zero.h"
#include "finalizer/spmd/prepare.h"
#include "finalizer/spmd/shape_arithmetic.h"
#include "finalizer/spmd/speculation.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::CastInst;
using llvm::Function;
using llvm::Instruction;
using llvm::Value;

/// What is tested costs time in each wave, and so does what is computed for the tests.
constexpr size_t most_tests = 16;
constexpr size_t most_computed = 64;

/// Computes values where a function begins.
class Prologue {
 public:
  Prologue(BasicBlock& block, uint64_t kernarg_size) : ir_(&block), kernarg_size_(kernarg_size) {}

  /// Returns what a value will be, or null if it cannot be computed here.
  Value* compute(Value& value);
  llvm::IRBuilder<>& ir() { return ir_; }

 private:
  bool collect(Value& value, llvm::SetVector<Instruction*>& needed) const;
  bool is_known(const Instruction& instruction) const;

  llvm::IRBuilder<> ir_;
  const uint64_t kernarg_size_;
  llvm::DenseMap<const Value*, Value*> computed_;
};

/// Reports whether an instruction loads something from the kernarg segment.
bool loads_argument(const Instruction& instruction, uint64_t kernarg_size) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (!load || !load->isSimple() || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
  const llvm::DataLayout& layout = load->getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  const Value* base =
      load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  const auto* call = llvm::dyn_cast<llvm::CallInst>(base);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || target_operation_of(*callee) != TargetOperation::kernarg_base) return false;
  const uint64_t size = layout.getTypeStoreSize(load->getType());
  return size <= kernarg_size && offset.ule(kernarg_size - size);
}

/// Reports whether an instruction has the same result wherever the work-item executes it.
bool Prologue::is_known(const Instruction& instruction) const {
  if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction)) return false;
  return is_speculatable(instruction) || loads_argument(instruction, kernarg_size_);
}

/// Adds the instructions that a value needs, each behind those that it needs itself.
bool Prologue::collect(Value& value, llvm::SetVector<Instruction*>& needed) const {
  auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction || needed.contains(instruction) || computed_.contains(instruction)) return true;
  if (!is_known(*instruction) || computed_.size() + needed.size() >= most_computed) return false;
  for (Value* operand : instruction->operands())
    if (!collect(*operand, needed)) return false;
  return needed.insert(instruction);
}

/// The promises of flags may rely on the branches that lead to an instruction.
Value* Prologue::compute(Value& value) {
  llvm::SetVector<Instruction*> needed;
  if (!collect(value, needed)) return nullptr;
  for (Instruction* instruction : needed) {
    Instruction* copy = instruction->clone();
    copy->dropPoisonGeneratingAnnotations();
    for (llvm::Use& use : copy->operands())
      if (Value* known = computed_.lookup(use.get())) use.set(known);
    computed_[instruction] = ir_.Insert(copy);
  }
  return llvm::isa<Instruction>(value) ? computed_.at(&value) : &value;
}

/// Reports whether a value depends on where its group is in the grid. What depends only on the place within
/// the group tells the lanes of all waves apart in the same way, so that all would be refused.
bool depends_on_group(const Value& value) {
  llvm::SmallSetVector<const Value*, 16> seen;
  seen.insert(&value);
  for (size_t i = 0; i < seen.size() && i < most_computed; ++i) {
    const auto* instruction = llvm::dyn_cast<Instruction>(seen[i]);
    if (!instruction) continue;
    const auto* call = llvm::dyn_cast<llvm::CallInst>(instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && target_operation_of(*callee) == TargetOperation::workgroupid) return true;
    seen.insert(instruction->op_begin(), instruction->op_end());
  }
  return false;
}

/// Finds what to test in a function, and creates the tests.
class Tests {
 public:
  Tests(const Shapes& shapes, const EntryTestRequest& request)
      : shapes_(shapes), lanes_(request.lanes), bounds_(request.bounds) {}

  void find(const Function& function);
  bool empty() const { return found_.empty(); }
  /// Creates a test of each instruction that can be tested. Returns whether all succeed, or null if there are
  /// no tests. Adds the instructions to `tested`.
  Value* create(Prologue& prologue, TestedInstructions& tested);

 private:
  void find_guards(const Instruction& access);
  bool is_worth_a_test(const Instruction& guard) const;
  bool is_bound_check(const llvm::ICmpInst& comparison) const;
  std::optional<llvm::ConstantRange> range_of(const Value& number, bool is_signed) const {
    return usual_range(number, shapes_, is_signed, lanes_);
  }
  bool test_guard(const Instruction& guard, Prologue& prologue);
  bool test(const llvm::ICmpInst& comparison, Prologue& prologue);

  const Shapes& shapes_;
  const unsigned lanes_;
  const bool bounds_;
  llvm::SmallSetVector<const Instruction*, 16> found_;
  llvm::SmallVector<Value*, 16> conditions_;
};

/// Waves in all parts of a group pass the tests of extensions. Those of other guards may be passed only in
/// some parts of each group, and then they do not pay.
bool Tests::is_worth_a_test(const Instruction& guard) const {
  return llvm::isa<CastInst>(guard) ||
         depends_on_group(*assumption_about_guard(guard, shapes_, lanes_).strided);
}

void Tests::find_guards(const Instruction& access) {
  const Value* address = llvm::getLoadStorePointerOperand(&access);
  if (!address || !shapes_.of(*address).is_varying()) return;
  const GuardedShape* guarded = shapes_.guarded(*address);
  if (!guarded || !are_usual(*guarded, shapes_, lanes_)) return;
  const auto is_worth_it = [&](const Instruction* guard) { return is_worth_a_test(*guard); };
  if (llvm::all_of(guarded->guards, is_worth_it))
    found_.insert(guarded->guards.begin(), guarded->guards.end());
}

bool Tests::is_bound_check(const llvm::ICmpInst& comparison) const {
  if (!shapes_.of(comparison).is_varying() || !comparison.getOperand(0)->getType()->isIntegerTy())
    return false;
  const Value &a = *comparison.getOperand(0), &b = *comparison.getOperand(1);
  const Shape x = shapes_.of(a), y = shapes_.of(b);
  if (x.is_strided() && y.is_uniform()) return depends_on_group(a);
  return x.is_uniform() && y.is_strided() && depends_on_group(b);
}

void Tests::find(const Function& function) {
  for (const Instruction& instruction : llvm::instructions(function)) {
    find_guards(instruction);
    if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
      if (bounds_ && is_bound_check(*comparison)) found_.insert(comparison);
  }
}

bool Tests::test_guard(const Instruction& guard, Prologue& prologue) {
  const Assumption assumption = assumption_about_guard(guard, shapes_, lanes_);
  Value* strided = prologue.compute(const_cast<Value&>(*assumption.strided));
  Value* uniform = assumption.uniform ? prologue.compute(const_cast<Value&>(*assumption.uniform)) : nullptr;
  if (!strided || (assumption.uniform && !uniform)) return false;
  llvm::IRBuilder<>& ir = prologue.ir();
  strided = create_value_of_lane_0(ir, strided);
  if (uniform && !llvm::isa<llvm::Constant>(uniform)) uniform = create_value_of_lane_0(ir, uniform);
  conditions_.push_back(create_test(ir, guard, assumption, strided, uniform, lanes_));
  return true;
}

/// Creates the test that a bound does not lie between the numbers of the lanes, which are `span` apart at
/// most. The lanes must not wrap around as numbers of the comparison.
Value* create_side_test(llvm::IRBuilder<>& ir, llvm::CmpInst::Predicate predicate, Value* least, Value* bound,
                        const llvm::APInt& span) {
  using llvm::ICmpInst;
  Value* distance = ir.CreateSub(bound, least);
  if (ICmpInst::isEquality(predicate)) return ir.CreateICmpUGT(distance, ir.getInt(span));
  // If lane 0 alone is less than the bound, the distance is 1.
  if (ICmpInst::isLT(predicate) || ICmpInst::isGE(predicate))
    distance = ir.CreateSub(distance, llvm::ConstantInt::get(distance->getType(), 1));
  return ir.CreateICmpUGE(distance, ir.getInt(span));
}

bool Tests::test(const llvm::ICmpInst& comparison, Prologue& prologue) {
  const bool swap = shapes_.of(*comparison.getOperand(0)).is_uniform();
  Value &strided = *comparison.getOperand(swap ? 1 : 0), &uniform = *comparison.getOperand(swap ? 0 : 1);
  const auto predicate = swap ? comparison.getSwappedPredicate() : comparison.getPredicate();
  const Shape shape = shapes_.of(strided);
  const Numbers numbers = {strided.getType()->getIntegerBitWidth(), lanes_};
  const auto range = range_of(strided, comparison.isSigned());
  Value *number = prologue.compute(strided), *bound = prologue.compute(uniform);
  if (!range || !number || !bound) return false;
  llvm::IRBuilder<>& ir = prologue.ir();
  Value* least = create_value_of_lane_0(ir, number);
  const bool fits = comparison.isSigned() ? fits_signed(shape, numbers) : fits_unsigned(shape, numbers);
  if (!fits && !comparison.isEquality()) conditions_.push_back(create_range_test(ir, least, *range));
  const llvm::APInt way = llvm::APInt(64, static_cast<uint64_t>(shape.stride)) * (lanes_ - 1);
  const llvm::APInt span = way.sextOrTrunc(numbers.bits);
  if (shape.stride < 0) least = ir.CreateAdd(least, ir.getInt(span));
  conditions_.push_back(create_side_test(ir, predicate, least, bound, span.abs()));
  return true;
}

Value* Tests::create(Prologue& prologue, TestedInstructions& tested) {
  for (const Instruction* instruction : found_) {
    if (tested.size() == most_tests) break;
    const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(instruction);
    if (comparison ? test(*comparison, prologue) : test_guard(*instruction, prologue))
      tested.insert(instruction);
  }
  return conditions_.empty() ? nullptr : prologue.ir().CreateAnd(conditions_);
}

/// Puts a block before all others but the variables on the stack. It is left without a terminator. Returns
/// the block behind it.
BasicBlock& split_entry(Function& function) {
  BasicBlock& entry = function.getEntryBlock();
  auto first = entry.begin();
  while (llvm::isa<llvm::AllocaInst>(*first)) ++first;
  BasicBlock* rest = entry.splitBasicBlock(first, "tested");
  entry.getTerminator()->eraseFromParent();
  return *rest;
}

/// Returns a block that does nothing but return. The entry may not have a terminator yet.
BasicBlock& split_exit(Function& function) {
  const auto last = llvm::find_if(function, [](const BasicBlock& block) {
    return llvm::isa_and_present<llvm::ReturnInst>(block.getTerminator());
  });
  return *last->splitBasicBlock(last->getTerminator(), "end");
}

}  // namespace

TestedInstructions test_at_entry(Function& function, const Shapes& shapes, const EntryTestRequest& request) {
  Tests tests(shapes, request);
  TestedInstructions tested;
  tests.find(function);
  if (tests.empty()) return tested;
  BasicBlock& entry = function.getEntryBlock();
  BasicBlock& rest = split_entry(function);
  Prologue prologue(entry, request.kernarg_size);
  llvm::IRBuilder<>& ir = prologue.ir();
  Value* simple = tests.create(prologue, tested);
  if (!simple) {
    ir.CreateBr(&rest);
    return tested;
  }
  BasicBlock& exit = split_exit(function);
  auto* refusal = BasicBlock::Create(function.getContext(), "refuse", &function, &exit);
  ir.CreateCondBr(simple, &rest, refusal);
  ir.SetInsertPoint(refusal);
  request.create_refusal(ir, function.getArg(0));
  ir.CreateBr(&exit);
  assert(is_canonical(function));
  return tested;
}

}  // namespace heddle::finalizer::spmd
