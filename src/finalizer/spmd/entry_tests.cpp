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

/// Computes values where a function begins. What is to be computed is planned before anything is created, so
/// that a function of which nothing can be tested stays as it is.
class Prologue {
 public:
  explicit Prologue(uint64_t kernarg_size) : kernarg_size_(kernarg_size) {}

  /// Plans to compute some values. Returns false, and plans nothing, if not all of them can be computed.
  bool plan(llvm::ArrayRef<const Value*> values);
  /// Creates what is planned.
  void create(llvm::IRBuilder<>& ir);
  /// Returns what a planned value will be. Nothing is created for those that are no instructions.
  Value* computed(const Value& value) const;

 private:
  bool collect(const Value& value);
  bool is_known(const Instruction& instruction) const;

  const uint64_t kernarg_size_;
  llvm::SetVector<const Instruction*> planned_;  ///< each behind those that it needs itself
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

/// Plans the instructions that a value needs. What it has planned stays so if it fails.
bool Prologue::collect(const Value& value) {
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction || planned_.contains(instruction)) return true;
  if (!is_known(*instruction) || planned_.size() >= most_computed) return false;
  for (const Value* operand : instruction->operands())
    if (!collect(*operand)) return false;
  return planned_.insert(instruction);
}

bool Prologue::plan(llvm::ArrayRef<const Value*> values) {
  const size_t before = planned_.size();
  if (llvm::all_of(values, [&](const Value* value) { return collect(*value); })) return true;
  while (planned_.size() > before) planned_.pop_back();
  return false;
}

/// The promises of flags may rely on the branches that lead to an instruction.
void Prologue::create(llvm::IRBuilder<>& ir) {
  for (const Instruction* instruction : planned_) {
    Instruction* copy = instruction->clone();
    copy->dropPoisonGeneratingAnnotations();
    for (llvm::Use& use : copy->operands())
      if (Value* known = computed_.lookup(use.get())) use.set(known);
    computed_[instruction] = ir.Insert(copy);
  }
}

Value* Prologue::computed(const Value& value) const {
  return llvm::isa<Instruction>(value) ? computed_.at(&value) : const_cast<Value*>(&value);
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

/// A comparison of a strided with a uniform number, in this order.
struct BoundCheck {
  const Value *strided, *uniform;
  llvm::CmpInst::Predicate predicate;
};

/// Finds what to test in a function, and creates the tests.
class Tests {
 public:
  Tests(const Shapes& shapes, const EntryTestRequest& request)
      : shapes_(shapes), prologue_(request.kernarg_size), lanes_(request.lanes), bounds_(request.bounds) {}

  /// Returns the instructions that can be tested and are worth it. Does not change the function.
  llvm::ArrayRef<const Instruction*> find(const Function& function);
  /// Creates the tests of what was found, at least one. Returns whether all succeed.
  Value* create(llvm::IRBuilder<>& ir);

 private:
  void find_guards(const Instruction& access);
  bool is_worth_a_test(const Instruction& guard) const;
  bool is_bound_check(const llvm::ICmpInst& comparison) const;
  std::optional<llvm::ConstantRange> range_of(const Value& number, bool is_signed) const {
    return usual_range(number, shapes_, is_signed, lanes_);
  }
  BoundCheck check_of(const llvm::ICmpInst& comparison) const;
  bool can_test(const Instruction& instruction);
  void test_guard(const Instruction& guard, llvm::IRBuilder<>& ir);
  void test(const llvm::ICmpInst& comparison, llvm::IRBuilder<>& ir);

  const Shapes& shapes_;
  Prologue prologue_;
  const unsigned lanes_;
  const bool bounds_;
  llvm::SmallSetVector<const Instruction*, 16> found_;
  llvm::SmallVector<const Instruction*, most_tests> tested_;
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

BoundCheck Tests::check_of(const llvm::ICmpInst& comparison) const {
  const Value &a = *comparison.getOperand(0), &b = *comparison.getOperand(1);
  if (shapes_.of(a).is_uniform()) return {&b, &a, comparison.getSwappedPredicate()};
  return {&a, &b, comparison.getPredicate()};
}

/// Plans to compute what the test of an instruction needs.
bool Tests::can_test(const Instruction& instruction) {
  if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
    const BoundCheck check = check_of(*comparison);
    return range_of(*check.strided, comparison->isSigned()) && prologue_.plan({check.strided, check.uniform});
  }
  const Assumption assumption = assumption_about_guard(instruction, shapes_, lanes_);
  if (!assumption.uniform) return prologue_.plan(assumption.strided);
  return prologue_.plan({assumption.strided, assumption.uniform});
}

llvm::ArrayRef<const Instruction*> Tests::find(const Function& function) {
  for (const Instruction& instruction : llvm::instructions(function)) {
    find_guards(instruction);
    if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
      if (bounds_ && is_bound_check(*comparison)) found_.insert(comparison);
  }
  for (const Instruction* instruction : found_) {
    if (tested_.size() == most_tests) break;
    if (can_test(*instruction)) tested_.push_back(instruction);
  }
  return tested_;
}

void Tests::test_guard(const Instruction& guard, llvm::IRBuilder<>& ir) {
  const Assumption assumption = assumption_about_guard(guard, shapes_, lanes_);
  Value* strided = create_value_of_lane_0(ir, prologue_.computed(*assumption.strided));
  Value* uniform = assumption.uniform ? prologue_.computed(*assumption.uniform) : nullptr;
  if (uniform && !llvm::isa<llvm::Constant>(uniform)) uniform = create_value_of_lane_0(ir, uniform);
  conditions_.push_back(create_test(ir, guard, assumption, strided, uniform, lanes_));
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

void Tests::test(const llvm::ICmpInst& comparison, llvm::IRBuilder<>& ir) {
  const BoundCheck check = check_of(comparison);
  const Shape shape = shapes_.of(*check.strided);
  const Numbers numbers = {check.strided->getType()->getIntegerBitWidth(), lanes_};
  Value* least = create_value_of_lane_0(ir, prologue_.computed(*check.strided));
  const bool fits = comparison.isSigned() ? fits_signed(shape, numbers) : fits_unsigned(shape, numbers);
  if (!fits && !comparison.isEquality())
    conditions_.push_back(create_range_test(ir, least, *range_of(*check.strided, comparison.isSigned())));
  const llvm::APInt way = llvm::APInt(64, static_cast<uint64_t>(shape.stride)) * (lanes_ - 1);
  const llvm::APInt span = way.sextOrTrunc(numbers.bits);
  if (shape.stride < 0) least = ir.CreateAdd(least, ir.getInt(span));
  Value* bound = prologue_.computed(*check.uniform);
  conditions_.push_back(create_side_test(ir, check.predicate, least, bound, span.abs()));
}

Value* Tests::create(llvm::IRBuilder<>& ir) {
  prologue_.create(ir);
  for (const Instruction* instruction : tested_) {
    if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(instruction))
      test(*comparison, ir);
    else
      test_guard(*instruction, ir);
  }
  return ir.CreateAnd(conditions_);
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
  const auto found = tests.find(function);
  if (found.empty()) return {};
  BasicBlock& entry = function.getEntryBlock();
  BasicBlock& rest = split_entry(function);
  llvm::IRBuilder<> ir(&entry);
  Value* simple = tests.create(ir);
  BasicBlock& exit = split_exit(function);
  auto* refusal = BasicBlock::Create(function.getContext(), "refuse", &function, &exit);
  ir.CreateCondBr(simple, &rest, refusal);
  ir.SetInsertPoint(refusal);
  request.create_refusal(ir, function.getArg(0));
  ir.CreateBr(&exit);
  assert(is_canonical(function));
  return TestedInstructions(llvm::from_range, found);
}

}  // namespace heddle::finalizer::spmd
