// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/canonical.h"

#include <cassert>
#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>

namespace heddle::finalizer {
namespace {

using llvm::Instruction;
using llvm::Use;
using llvm::Value;

/// Reports whether the value is an f32, an f64 or a vector of them.
bool is_float(const Value& value) {
  const llvm::Type* type = value.getType()->getScalarType();
  return type->isFloatTy() || type->isDoubleTy();
}

/// Reports whether a function of the device library is called, which computes like the intrinsic that it
/// replaces.
bool is_device_function(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("hsail_dev_");
}

/// Reports whether the value is a floating-point operation, which treats signalling and quiet NaNs alike and
/// flushes subnormal sources where they are to be flushed.
bool is_operation(const Value& value) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&value)) {
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::canonicalize:
      case llvm::Intrinsic::ceil:
      case llvm::Intrinsic::floor:
      case llvm::Intrinsic::fma:
      case llvm::Intrinsic::fptosi_sat:
      case llvm::Intrinsic::fptoui_sat:
      case llvm::Intrinsic::roundeven:
      case llvm::Intrinsic::sqrt:
      case llvm::Intrinsic::trunc:
        return true;
      default:
        return is_device_function(*call);
    }
  }
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction) return false;
  switch (instruction->getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FPTrunc:
    case Instruction::FPExt:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
    case Instruction::FCmp:
      return true;
    default:
      return false;
  }
}

bool makes_float(const Value& value) { return is_operation(value) && is_float(value); }

/// Reports whether the instruction changes at most the sign, of a float or of an integer that holds a
/// register.
bool changes_sign_only(const Instruction& instruction) {
  const auto masks_sign = [&](bool keeps) {
    const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    const unsigned bits = instruction.getType()->getScalarSizeInBits();
    if (!mask || (bits != 32 && bits != 64)) return false;
    return keeps ? mask->getValue().isMaxSignedValue() : mask->getValue().isSignMask();
  };
  switch (instruction.getOpcode()) {
    case Instruction::FNeg:
      return true;
    case Instruction::And:
      return masks_sign(true);
    case Instruction::Xor:
      return masks_sign(false);
    case Instruction::Call:
      return llvm::cast<llvm::CallInst>(instruction).getIntrinsicID() == llvm::Intrinsic::fabs;
    default:
      return false;
  }
}

/// Reports whether the instruction reinterprets a float as an integer or an integer as a float.
bool is_register_cast(const Instruction& instruction) {
  if (instruction.getOpcode() != Instruction::BitCast) return false;
  const llvm::Type *from = instruction.getOperand(0)->getType(), *to = instruction.getType();
  const auto pair = [](const llvm::Type* number, const llvm::Type* bits) {
    return (number->isFloatTy() && bits->isIntegerTy(32)) || (number->isDoubleTy() && bits->isIntegerTy(64));
  };
  return pair(from, to) || pair(to, from);
}

/// Returns the operands one of which the instruction passes on, unchanged but for the sign. There are none if
/// it does something else.
llvm::SmallVector<const Use*, 4> passed_on(const Instruction& instruction) {
  llvm::SmallVector<const Use*, 4> uses;
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    for (const Use& use : phi->incoming_values()) uses.push_back(&use);
  } else if (llvm::isa<llvm::SelectInst>(instruction)) {
    uses = {&instruction.getOperandUse(1), &instruction.getOperandUse(2)};
  } else if (is_register_cast(instruction) || changes_sign_only(instruction) ||
             llvm::isa<llvm::FreezeInst>(instruction)) {
    uses = {&instruction.getOperandUse(0)};
  }
  return uses;
}

/// Reports whether the number is neither a signalling NaN nor subnormal.
bool is_canonical_number(const llvm::APFloat& number) {
  return !number.isSignaling() && !number.isDenormal();
}

bool is_canonical_constant(const llvm::Constant& constant) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant))
    return is_canonical_number(number->getValueAPF());
  const auto* bits = llvm::dyn_cast<llvm::ConstantInt>(&constant);
  if (!bits || (bits->getBitWidth() != 32 && bits->getBitWidth() != 64)) return false;
  const auto& format = bits->getBitWidth() == 32 ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble();
  return is_canonical_number(llvm::APFloat(format, bits->getValue()));
}

/// The canonical values of a function, provided that each operation that MakesCanonical accepts makes a
/// canonical value. They are those operations, canonical constants, and instructions that pass on nothing
/// else.
class CanonicalValues {
 public:
  using MakesCanonical = bool (*)(const Value&);
  explicit CanonicalValues(MakesCanonical makes) : makes_(makes) {}

  bool contains(const Value& value) {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value))
      return is_canonical_constant(*constant);
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    if (!instruction) return false;
    if (const auto known = known_.find(instruction); known != known_.end()) return known->second;
    return settle(*instruction);
  }

 private:
  /// Decides for `root` and for all values that may be passed on to it. Those to which something not
  /// canonical may be passed on are not canonical; the rest are.
  bool settle(const Instruction& root);

  MakesCanonical makes_;
  llvm::DenseMap<const Instruction*, bool> known_;
};

bool CanonicalValues::settle(const Instruction& root) {
  llvm::SmallVector<const Instruction*, 16> reached = {&root}, spoilt;
  llvm::DenseMap<const Instruction*, llvm::SmallVector<const Instruction*, 2>> passed_to;
  known_[&root] = true;
  for (size_t i = 0; i < reached.size(); ++i) {
    const Instruction& here = *reached[i];
    if (makes_(here)) continue;
    const auto sources = passed_on(here);
    bool good = !sources.empty();
    for (const Use* source : sources) {
      const Value& value = **source;
      if (const auto* from = llvm::dyn_cast<Instruction>(&value)) {
        passed_to[from].push_back(&here);
        const auto [known, fresh] = known_.try_emplace(from, true);
        if (fresh) reached.push_back(from);
        good = good && known->second;
      } else {
        good = good && llvm::isa<llvm::Constant>(value) &&
               is_canonical_constant(llvm::cast<llvm::Constant>(value));
      }
    }
    if (!good) spoilt.push_back(&here);
  }
  for (size_t i = 0; i < spoilt.size(); ++i) {
    if (!known_[spoilt[i]]) continue;
    known_[spoilt[i]] = false;
    for (const Instruction* to : passed_to[spoilt[i]]) spoilt.push_back(to);
  }
  return known_[&root];
}

/// Adds the llvm.canonicalize calls to one function.
class Marker {
 public:
  explicit Marker(llvm::Function& function) : function_(function), canonical_(makes_float) {}

  void run() {
    for (Instruction& instruction : llvm::instructions(function_))
      if (makes_float(instruction)) add_result(instruction);
    if (results_.empty()) return;
    find_seen();
    llvm::SmallVector<Use*, 16> seen_uses;
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!canonical_.contains(*results_[i])) continue;
      for (Use& use : results_[i]->uses()) {
        if (sees(use)) seen_uses.push_back(&use);
        auto* user = llvm::cast<Instruction>(use.getUser());
        if (llvm::is_contained(passed_on(*user), &use)) add_result(*user);
      }
    }
    for (Use* use : seen_uses) use->set(mark(*use));
  }

 private:
  void add_result(Instruction& instruction) {
    if (known_results_.insert(&instruction).second) results_.push_back(&instruction);
  }

  /// Finds the values whose bits something other than a floating-point operation sees, perhaps after they
  /// were passed on.
  void find_seen() {
    llvm::SmallVector<const Value*, 16> work;
    const auto add = [&](const Value* value) {
      if (llvm::isa<Instruction>(value) && seen_.insert(value).second) work.push_back(value);
    };
    for (const Instruction& instruction : llvm::instructions(function_)) {
      if (is_operation(instruction)) continue;
      const auto passed = passed_on(instruction);
      for (const Use& use : instruction.operands())
        if (!llvm::is_contained(passed, &use)) add(use.get());
    }
    while (!work.empty())
      for (const Use* use : passed_on(*llvm::cast<Instruction>(work.pop_back_val()))) add(use->get());
  }

  /// Reports whether the user of a canonical value sees its bits. A user that only passes them on counts if
  /// its own bits are seen and it is not canonical itself; if it is canonical, its users decide.
  bool sees(const Use& use) {
    const auto* user = llvm::cast<Instruction>(use.getUser());
    if (is_operation(*user)) return false;
    if (!llvm::is_contained(passed_on(*user), &use)) return true;
    return seen_.contains(user) && !canonical_.contains(*user);
  }

  Value* mark(const Use& use) {
    auto* user = llvm::cast<Instruction>(use.getUser());
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    if (!phi) return mark(*use.get(), *user);
    // A switch may have several edges to the phi, which must bring the same value.
    llvm::BasicBlock* from = phi->getIncomingBlock(use);
    Value*& made = at_ends_[{use.get(), from}];
    if (!made) made = mark(*use.get(), *from->getTerminator());
    return made;
  }

  static Value* mark(Value& value, Instruction& before) {
    llvm::IRBuilder<> ir(&before);
    llvm::Type* type = value.getType();
    auto* number = type;
    if (type->isIntegerTy()) number = type->isIntegerTy(32) ? ir.getFloatTy() : ir.getDoubleTy();
    Value* made = ir.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, ir.CreateBitCast(&value, number));
    return ir.CreateBitCast(made, type);
  }

  llvm::Function& function_;
  CanonicalValues canonical_;
  llvm::SmallVector<Instruction*, 32> results_;  ///< operations, and values they are passed on to
  llvm::SmallPtrSet<const Instruction*, 32> known_results_;
  llvm::SmallPtrSet<const Value*, 32> seen_;
  /// What was made for phis at the ends of blocks.
  llvm::DenseMap<std::pair<Value*, llvm::BasicBlock*>, Value*> at_ends_;
};

/// Returns the operand without the casts that instruction selection looks through.
const Value& behind_casts(const Value& value) {
  const Value* at = &value;
  while (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(at)) at = cast->getOperand(0);
  return *at;
}

/// Reports whether the operand is a constant that may make an operation the identity: 1, -1, 0 or -0, or a
/// constant that is not examined here.
bool may_be_neutral(const Value& operand) {
  const Value& value = behind_casts(operand);
  if (!llvm::isa<llvm::Constant>(value)) return false;
  const auto* splat =
      value.getType()->isVectorTy() ? llvm::cast<llvm::Constant>(value).getSplatValue() : nullptr;
  const auto* number = llvm::dyn_cast<llvm::ConstantFP>(splat ? splat : &value);
  return !number || number->isZero() || number->isExactlyValue(1.0) || number->isExactlyValue(-1.0);
}

/// Reports whether an operation certainly survives instruction selection, which simplifies operations on
/// constants much as the passes before it do.
bool surely_operates(const Value& value) {
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction || !is_float(value)) return false;
  switch (instruction->getOpcode()) {
    case Instruction::FPTrunc:
      return !llvm::isa<llvm::FPExtInst>(instruction->getOperand(0));
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return true;
    default:
      break;
  }
  if (!makes_float(value)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(instruction))
    return !is_device_function(*call) &&
           llvm::none_of(call->args(), [](const Use& use) { return may_be_neutral(*use); });
  return llvm::none_of(instruction->operands(), [](const Use& use) { return may_be_neutral(*use); });
}

bool is_canonicalize(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::canonicalize;
}

/// Widens two elements to four, because instruction selection cannot widen llvm.canonicalize of vectors that
/// are narrower than a register.
void widen_canonicalize(Instruction& instruction) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  if (!type || type->getPrimitiveSizeInBits().getFixedValue() >= 128) return;
  assert(type->getNumElements() == 2 && type->getElementType()->isFloatTy());
  llvm::IRBuilder<> ir(&instruction);
  Value* wide = ir.CreateShuffleVector(instruction.getOperand(0), llvm::ArrayRef<int>{0, 1, 0, 1});
  wide = ir.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, wide);
  instruction.replaceAllUsesWith(ir.CreateShuffleVector(wide, llvm::ArrayRef<int>{0, 1}));
  instruction.eraseFromParent();
}

/// Reports whether only operations use a value, or vectors that have it as an element. Waves make such
/// vectors of values that all work-items share.
bool is_for_operations(const Value& value) {
  return llvm::all_of(value.users(), [](const llvm::User* user) {
    if (llvm::isa<llvm::InsertElementInst, llvm::ShuffleVectorInst>(user)) return is_for_operations(*user);
    return is_operation(*user) && !is_canonicalize(*llvm::cast<Instruction>(user));
  });
}

/// Reports whether nobody sees the bits of the result of a canonicalize, which then need not be canonical.
/// Constants are an exception: instruction selection computes some operations on them, and without flushing.
bool is_needless(const Instruction& instruction) {
  return !llvm::isa<llvm::Constant>(instruction.getOperand(0)) && is_for_operations(instruction);
}

/// Removes each canonicalize for which a condition holds.
template <typename Condition>
void leave_out(llvm::Function& function, Condition condition) {
  llvm::SmallVector<Instruction*, 16> needless;
  for (Instruction& instruction : llvm::instructions(function))
    if (is_canonicalize(instruction) && condition(instruction)) needless.push_back(&instruction);
  for (Instruction* instruction : needless) {
    instruction->replaceAllUsesWith(instruction->getOperand(0));
    instruction->eraseFromParent();
  }
}

}  // namespace

void mark_canonical(llvm::Module& module) {
  for (llvm::Function& function : module) Marker(function).run();
}

void settle_canonical(llvm::Module& module) {
  for (llvm::Function& function : module) {
    leave_out(function, is_needless);
    CanonicalValues canonical(surely_operates);
    leave_out(function,
              [&](Instruction& instruction) { return canonical.contains(*instruction.getOperand(0)); });
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (is_canonicalize(instruction)) widen_canonicalize(instruction);
  }
}

}  // namespace heddle::finalizer
