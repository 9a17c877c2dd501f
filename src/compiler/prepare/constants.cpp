// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/constants.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

namespace heddle::compiler {
namespace {

bool computes_constant(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::BinaryOperator>(instruction) &&
         llvm::all_of(instruction.operands(),
                      [](const llvm::Use& use) { return llvm::isa<llvm::Constant>(use); });
}

/// Gives the instructions that compute addresses the places of those behind them. LLVM makes one instruction
/// for several users and gives it the place of the last, so that debuggers would seem to step forward too
/// early.
void move_to_first_user(llvm::BasicBlock& block) {
  for (llvm::Instruction& instruction : llvm::reverse(block))
    if (computes_constant(instruction)) instruction.setDebugLoc(instruction.getNextNode()->getDebugLoc());
}

}  // namespace

void expand_constants(llvm::Module& module) {
  llvm::SmallVector<llvm::Constant*, 16> constants;
  for (llvm::GlobalVariable& variable : module.globals()) constants.push_back(&variable);
  for (llvm::Function& function : module) constants.push_back(&function);
  for (llvm::GlobalAlias& alias : module.aliases()) constants.push_back(&alias);
  llvm::convertUsersOfConstantsToInstructions(constants, nullptr, false);
  for (llvm::Function& function : module)
    if (function.getSubprogram() != nullptr)
      for (llvm::BasicBlock& block : function) move_to_first_user(block);
}

}  // namespace heddle::compiler
