// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/serial_loops.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/lane_loop.h"
#include "finalizer/spmd/prepare.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

constexpr llvm::StringLiteral serial_loop = "heddle-serial-loop";

/// How many simple instructions take the time of a gather, for each lane, on a processor with AVX2 (Zen 3).
constexpr unsigned gathered_lane = 6;
/// The share of a call in each iteration of the loop, in simple instructions: the next lane is found,
/// operands and results are copied.
constexpr unsigned share_of_call = 2;
/// The share of lanes that are active, on average, in a loop that they leave at different times.
constexpr unsigned active_share = 2, active_whole = 3;

struct Cost {
  unsigned gathers = 0;  ///< loads from addresses that differ from lane to lane in no simple way
  unsigned scalar = 0;   ///< instructions of a work-item
  unsigned vector = 0;   ///< other instructions for a part of a wave
};

/// One loop that may be moved. It is in canonical form.
class SerialLoop {
 public:
  SerialLoop(Loop& loop, const Shapes& shapes) : loop_(loop), shapes_(shapes) {}

  /// Reports whether the order of work-items makes no difference, and finds operands and results.
  bool is_possible();
  bool is_worth_it(const WaveShape& wave) const;
  Function* outline(TestedInstructions& tested);

 private:
  bool is_movable(const Instruction& instruction) const;
  void find_values();
  void add_cost(const Instruction& instruction, Cost& cost) const;
  Function* create_function();
  void replace(Function& callee, TestedInstructions& tested);

  Loop& loop_;
  const Shapes& shapes_;
  llvm::SmallSetVector<Value*, 8> inputs_;
  llvm::SmallSetVector<Value*, 2> outputs_;
};

bool can_pass(const Value& value) {
  return !value.getType()->isAggregateType() && LaneMemory::can_keep(*value.getType());
}

/// Reports whether a call is a target operation that does nothing but compute, such as one with ftz.
bool is_arithmetic(const llvm::CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee && target_operation_of(*callee) && call.hasFnAttr(llvm::Attribute::Speculatable) &&
         call.doesNotAccessMemory();
}

bool SerialLoop::is_movable(const Instruction& instruction) const {
  if (instruction.isTerminator() || llvm::isa<llvm::PHINode>(instruction)) return true;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (instruction.mayReadOrWriteMemory()) return false;
  // Other calls may ask which work-item they are for.
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return !call || (!call->isConvergent() && (llvm::isa<llvm::IntrinsicInst>(call) || is_arithmetic(*call)));
}

void SerialLoop::find_values() {
  for (BasicBlock* block : loop_.blocks())
    for (Instruction& instruction : *block) {
      for (Value* operand : instruction.operands()) {
        auto* made = llvm::dyn_cast<Instruction>(operand);
        if (llvm::isa<llvm::Argument>(operand) || (made && !loop_.contains(made))) inputs_.insert(operand);
      }
      for (const llvm::User* user : instruction.users())
        if (!loop_.contains(llvm::cast<Instruction>(user))) outputs_.insert(&instruction);
    }
}

bool SerialLoop::is_possible() {
  const BasicBlock* exiting = loop_.getExitingBlock();
  if (!loop_.isInnermost() || !exiting || !loop_.getLoopPreheader() || !loop_.getExitBlock()) return false;
  if (!shapes_.is_divergent(*exiting)) return false;
  for (const BasicBlock* block : loop_.blocks())
    if (block->hasAddressTaken() ||
        !llvm::all_of(*block, [&](const Instruction& i) { return is_movable(i); }))
      return false;
  find_values();
  if (outputs_.size() != 1) return false;
  return llvm::all_of(inputs_, [](const Value* value) { return can_pass(*value); }) &&
         can_pass(*outputs_.front());
}

void SerialLoop::add_cost(const Instruction& instruction, Cost& cost) const {
  // Processors fuse a branch with the comparison in front of it.
  if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator()) return;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  // The addresses of scalar loads hold a sum and a factor.
  const bool is_address =
      llvm::isa<llvm::GetElementPtrInst>(instruction) || llvm::isa<llvm::CastInst>(instruction);
  cost.scalar += is_address ? 0 : 1;
  if (load && shapes_.where_guarded(*load->getPointerOperand()).is_varying())
    ++cost.gathers;
  else if (shapes_.of(instruction).is_varying() && !llvm::isa<llvm::GetElementPtrInst>(instruction))
    cost.vector += instruction.getType()->getScalarSizeInBits() > 32 ? 2 : 1;
}

bool SerialLoop::is_worth_it(const WaveShape& wave) const {
  Cost cost;
  for (const BasicBlock* block : loop_.blocks())
    for (const Instruction& instruction : *block) add_cost(instruction, cost);
  if (cost.gathers == 0) return false;
  return (cost.scalar + share_of_call) * wave.lanes * active_share / active_whole <
         cost.gathers * wave.lanes * gathered_lane + cost.vector * wave.parts();
}

/// Makes a function that takes the inputs and returns the output.
Function* SerialLoop::create_function() {
  Function& parent = *loop_.getHeader()->getParent();
  llvm::SmallVector<llvm::Type*, 8> types;
  for (const Value* input : inputs_) types.push_back(input->getType());
  Value& output = *outputs_.front();
  auto* made =
      Function::Create(llvm::FunctionType::get(output.getType(), types, /*isVarArg=*/false),
                       llvm::GlobalValue::InternalLinkage, parent.getName() + ".loop", parent.getParent());
  llvm::LLVMContext& context = parent.getContext();
  made->setAttributes(
      llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex,
                               llvm::AttrBuilder(context, parent.getAttributes().getFnAttrs())));
  made->removeFnAttr(llvm::Attribute::Convergent);
  made->addFnAttr(serial_loop);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  made->setOnlyReadsMemory();
  auto* entry = BasicBlock::Create(context, "entry", made);
  auto* exit = BasicBlock::Create(context, "exit", made);
  llvm::ValueToValueMapTy map;
  for (auto [input, argument] : llvm::zip_equal(inputs_, made->args())) map[input] = &argument;
  map[loop_.getLoopPreheader()] = entry;
  map[loop_.getExitBlock()] = exit;
  llvm::SmallVector<BasicBlock*, 8> blocks;
  for (BasicBlock* block : loop_.blocks()) {
    blocks.push_back(llvm::CloneBasicBlock(block, map, "", made));
    map[block] = blocks.back();
  }
  llvm::remapInstructionsInBlocks(blocks, map);
  llvm::BranchInst::Create(llvm::cast<BasicBlock>(map[loop_.getHeader()]), entry);
  exit->moveAfter(blocks.back());
  llvm::ReturnInst::Create(context, map[&output], exit);
  return made;
}

/// Calls the function instead of entering the loop, and deletes the loop.
void SerialLoop::replace(Function& callee, TestedInstructions& tested) {
  BasicBlock *before = loop_.getLoopPreheader(), *behind = loop_.getExitBlock();
  llvm::IRBuilder<> ir(before->getTerminator());
  auto* call = ir.CreateCall(&callee, inputs_.getArrayRef());
  call->setDoesNotThrow();
  call->setDebugLoc(llvm::DebugLoc());  // what is inlined keeps its places if the call has none
  for (llvm::PHINode& phi : behind->phis()) {
    Value* value = phi.getIncomingValue(0);
    phi.addIncoming(value == outputs_.front() ? call : value, before);
  }
  before->getTerminator()->eraseFromParent();
  llvm::BranchInst::Create(behind, before);
  for (const BasicBlock* block : loop_.blocks())
    for (const Instruction& instruction : *block) tested.erase(&instruction);
  llvm::DeleteDeadBlocks(llvm::to_vector(loop_.blocks()), nullptr, /*KeepOneInputPHIs=*/true);
}

Function* SerialLoop::outline(TestedInstructions& tested) {
  Function* made = create_function();
  replace(*made, tested);
  return made;
}

}  // namespace

std::vector<Function*> outline_serial_loops(Function& function, const Shapes& shapes, const WaveShape& wave,
                                            TestedInstructions& tested) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  std::vector<Function*> made;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    SerialLoop serial(*loop, shapes);
    if (serial.is_possible() && serial.is_worth_it(wave)) made.push_back(serial.outline(tested));
  }
  assert(is_canonical(function));
  return made;
}

bool is_serial_loop(const Function& function) { return function.hasFnAttribute(serial_loop); }

void inline_serial_loop(Function& loop) {
  assert(is_serial_loop(loop));
  for (llvm::User* user : llvm::make_early_inc_range(loop.users())) {
    llvm::InlineFunctionInfo info;
    const auto result = llvm::InlineFunction(*llvm::cast<llvm::CallInst>(user), info);
    assert(result.isSuccess() && "nothing in a loop prevents that a call is replaced by it");
    (void)result;
  }
  loop.eraseFromParent();
}

}  // namespace heddle::finalizer::spmd
