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
/// Small enough that the square of it does not count, large enough that what passes see of a block at once
/// still is much.
constexpr size_t piece = 1000;

/// Instruction selection makes one graph of a block, and the passes behind it (LLVM 22) take time in the
/// square of a block's size: without cuts 50 seconds for one of 100 000 instructions and 40 live registers.
class HugeBlockSplitter : public llvm::FunctionPass {
 public:
  HugeBlockSplitter() : FunctionPass(identity) {}
  llvm::StringRef getPassName() const override { return "heddle huge block splitter"; }

  /// Frame objects, which that is about, stay what they were.
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

/// From the end, so that each instruction moves once. What is allocated in a function's first block has to
/// stay there to have a fixed place in the frame.
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
