// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/flush_mode.h"

#include <cassert>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/MC/MCSymbol.h>
#include <llvm/Target/TargetMachine.h>

namespace heddle::finalizer::x86 {
namespace {

using llvm::Use;
using llvm::Value;

// ---- constants

/// Reports whether the result of one operation on this and other numbers could be rounded up to the least
/// normal number. Products, quotients and sums of products of numbers within the limits are far from the
/// least normal number, and an f64 within the limits is far from the least normal f32. A number that LLVM
/// computes from constants within the limits may lie outside of them and is not checked again, but only a
/// chain of operations on constants alone leads there.
bool may_round_to_least(const llvm::APFloat& number) {
  if (number.isZero() || !number.isFinite() || number.isDenormal()) return false;
  const int limit = &number.getSemantics() == &llvm::APFloat::IEEEsingle() ? 40 : 100;
  const int exponent = llvm::ilogb(number);
  return exponent < -limit || exponent > limit;
}

/// Reports whether a constant, which may be a number, the bits of one, or a vector of either, has such a
/// number.
bool may_round_to_least(const llvm::Constant& constant) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant))
    return may_round_to_least(number->getValueAPF());
  if (const auto* bits = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
    if (bits->getBitWidth() != 32 && bits->getBitWidth() != 64) return false;
    const auto& format =
        bits->getBitWidth() == 32 ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble();
    return may_round_to_least(llvm::APFloat(format, bits->getValue()));
  }
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(constant.getType());
  if (!vector) return false;
  for (unsigned n = 0; n < vector->getNumElements(); ++n) {
    const llvm::Constant* element = constant.getAggregateElement(n);
    if (element && may_round_to_least(*element)) return true;
  }
  return false;
}

/// Replaces constants by loads of their values from variables that LLVM does not look into.
class ConstantHider {
 public:
  explicit ConstantHider(llvm::Module& module) : module_(module) {}

  void run() {
    for (llvm::Function& function : module_)
      for (llvm::Instruction& instruction : llvm::instructions(function)) look_at(instruction);
    while (!work_.empty()) {
      Use* use = work_.pop_back_val();
      if (auto* constant = llvm::dyn_cast<llvm::Constant>(use->get())) {
        if (may_round_to_least(*constant)) hide(*use, *constant);
      } else if (auto* from = llvm::dyn_cast<llvm::Instruction>(use->get())) {
        if (passes_on(*from) && seen_.insert(from).second) add_operands(*from);
      }
    }
  }

 private:
  /// Adds the operands of an operation that may round to the least normal number, and the value that a store
  /// writes, because LLVM may find out that such an operation uses the value after loading it.
  void look_at(llvm::Instruction& instruction) {
    switch (instruction.getOpcode()) {
      case llvm::Instruction::FMul:
      case llvm::Instruction::FDiv:
      case llvm::Instruction::FPTrunc:
        return add_operands(instruction);
      case llvm::Instruction::Store:
        return work_.push_back(&instruction.getOperandUse(0));
      case llvm::Instruction::Call:
        if (llvm::cast<llvm::CallInst>(instruction).getIntrinsicID() == llvm::Intrinsic::fma)
          add_operands(instruction);
        return;
      default:
        return;
    }
  }

  static bool passes_on(const llvm::Instruction& instruction) {
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      return call->getIntrinsicID() == llvm::Intrinsic::canonicalize;
    return llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::BitCastInst, llvm::FreezeInst,
                     llvm::UnaryOperator>(instruction);
  }

  void add_operands(llvm::Instruction& instruction) {
    for (Use& use : instruction.operands())
      if (!llvm::isa<llvm::Function>(use.get())) work_.push_back(&use);
  }

  void hide(Use& use, llvm::Constant& constant) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
      // All edges that come from one block must have the same value.
      llvm::BasicBlock* from = phi->getIncomingBlock(use);
      Value* loaded = load(constant, *from->getTerminator());
      for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n)
        if (phi->getIncomingBlock(n) == from) phi->setIncomingValue(n, loaded);
    } else {
      use.set(load(constant, *user));
    }
  }

  /// Loads the constant from a variable, of which LLVM must assume that it is initialised elsewhere.
  Value* load(llvm::Constant& constant, llvm::Instruction& before) {
    llvm::GlobalVariable*& word = words_[&constant];
    if (!word) {
      word = new llvm::GlobalVariable(module_, constant.getType(), false, llvm::GlobalValue::ExternalLinkage,
                                      &constant, "hsail.constant");
      word->setVisibility(llvm::GlobalValue::HiddenVisibility);
      word->setDSOLocal(true);
      word->setExternallyInitialized(true);
      word->setSection(".data.hsail");
    }
    llvm::IRBuilder<> ir(&before);
    auto* load = ir.CreateLoad(constant.getType(), word);
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.getContext(), {}));
    return load;
  }

  llvm::Module& module_;
  llvm::SmallVector<Use*, 32> work_;
  llvm::SmallPtrSet<const llvm::Instruction*, 32> seen_;
  llvm::DenseMap<llvm::Constant*, llvm::GlobalVariable*> words_;
};

// ---- MXCSR

class FlushMode : public llvm::MachineFunctionPass {
 public:
  explicit FlushMode(Level level) : MachineFunctionPass(identity), level_(level) {}
  llvm::StringRef getPassName() const override { return "heddle flush mode"; }

  bool doInitialization(llvm::Module& module) override {
    control_word(module, flushing_mxcsr);
    control_word(module, default_mxcsr);
    return true;
  }

  static char identity;

 protected:
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    if (function.getFunction().hasLocalLinkage()) return false;
    set(function.front(), function.front().begin(), flushing_mxcsr);
    for (llvm::MachineBasicBlock& block : function) {
      const auto end = block.getFirstTerminator();
      if (!block.isReturnBlock()) continue;
      assert(!end->isCall() && "what an entry calls last runs in its mode");
      set(block, end, default_mxcsr);
    }
    return true;
  }

 private:
  void set(llvm::MachineBasicBlock& block, llvm::MachineBasicBlock::iterator before, uint32_t value);

  const Level level_;
};

/// Inserts inline assembly, because the names that LLVM has for the processor's instructions are not public.
void FlushMode::set(llvm::MachineBasicBlock& block, llvm::MachineBasicBlock::iterator before,
                    uint32_t value) {
  llvm::MachineFunction& function = *block.getParent();
  auto& module = *const_cast<llvm::Module*>(function.getFunction().getParent());
  const llvm::StringRef word = function.getTarget().getSymbol(&control_word(module, value))->getName();
  const std::string text = (llvm::Twine(level_ == Level::v2 ? "" : "v") + "ldmxcsr " + word + "(%rip)").str();
  llvm::BuildMI(block, before, llvm::DebugLoc(),
                function.getSubtarget().getInstrInfo()->get(llvm::TargetOpcode::INLINEASM))
      .addExternalSymbol(function.createExternalSymbolName(text))
      .addImm(llvm::InlineAsm::Extra_HasSideEffects);
}

char FlushMode::identity = 0;

}  // namespace

llvm::GlobalVariable& control_word(llvm::Module& module, uint32_t value) {
  const std::string name = ("hsail.mxcsr." + llvm::Twine::utohexstr(value)).str();
  if (auto* known = module.getGlobalVariable(name, true)) return *known;
  auto* type = llvm::Type::getInt32Ty(module.getContext());
  return *new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage,
                                   llvm::ConstantInt::get(type, value), name);
}

void prepare_flush_mode(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) function.addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign");
  ConstantHider(module).run();
}

llvm::Pass* create_flush_mode_pass(Level level) { return new FlushMode(level); }

}  // namespace heddle::finalizer::x86
