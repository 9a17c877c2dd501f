// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/huge_blocks.h"

#include <llvm/CodeGen/StackProtector.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>

namespace heddle::finalizer::x86 {
namespace {

constexpr size_t huge = 5000;
/// The size of the pieces: small enough for quadratic time not to matter, but large enough for passes that
/// work on one block at a time.
constexpr size_t piece = 1000;

/// Instruction selection makes one graph of a block, and the passes behind it (LLVM 22) take time quadratic
/// in the size of a block: 50 seconds for one of 100 000 instructions with 40 live registers.
class HugeBlockSplitter : public llvm::FunctionPass {
 public:
  HugeBlockSplitter() : FunctionPass(identity) {}
  llvm::StringRef getPassName() const override { return "heddle huge block splitter"; }

  /// StackProtector is an analysis of frame objects, which cutting blocks does not change.
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.addPreserved<llvm::StackProtector>();
  }

  bool runOnFunction(llvm::Function& function) override {
    llvm::SmallVector<llvm::BasicBlock*, 4> blocks;
    for (llvm::BasicBlock& block : function)
      if (block.size() > huge) blocks.push_back(&block);
    for (llvm::BasicBlock* block : blocks) cut(*block);
    return !blocks.empty();
  }

  static char identity;

 private:
  static void cut(llvm::BasicBlock& block);
};

/// Cuts from the end, so that each instruction moves once. Allocations must stay in the first block of the
/// function to have a fixed place in the frame.
void HugeBlockSplitter::cut(llvm::BasicBlock& block) {
  size_t behind = 0;
  for (auto place = block.rbegin(); place != block.rend();) {
    llvm::Instruction& instruction = *place++;
    if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction)) return;
    if (++behind < piece) continue;
    block.splitBasicBlock(instruction.getIterator());
    place = std::next(block.rbegin());  // behind the branch to the new block
    behind = 0;
  }
}

char HugeBlockSplitter::identity = 0;

}  // namespace

bool has_huge_block(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    for (const llvm::BasicBlock& block : function)
      if (block.size() > huge) return true;
  return false;
}

void cut_huge_blocks(llvm::TargetPassConfig& config) {
  config.insertPass(&llvm::StackProtector::ID, new HugeBlockSplitter);
}

}  // namespace heddle::finalizer::x86
