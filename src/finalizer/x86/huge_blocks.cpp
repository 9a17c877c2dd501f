// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/huge_blocks.h"

#include <llvm/CodeGen/LivePhysRegs.h>
#include <llvm/CodeGen/MachineBasicBlock.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

namespace heddle::finalizer::x86 {
namespace {

constexpr size_t huge = 5000;
/// Small enough that the square of it does not count, large enough that what passes see of a block at once
/// still is much.
constexpr size_t piece = 1000;

/// The two-address pass (LLVM 22) takes time in the square of a block's size: 39 of 50 seconds for one of
/// 100 000 instructions and 40 live registers, a fifth of a second for its pieces.
class HugeBlockSplitter : public llvm::MachineFunctionPass {
 public:
  HugeBlockSplitter() : MachineFunctionPass(identity) {}
  llvm::StringRef getPassName() const override { return "heddle huge block splitter"; }

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    llvm::SmallVector<llvm::MachineBasicBlock*, 4> blocks;
    for (llvm::MachineBasicBlock& block : function)
      if (block.size() > huge) blocks.push_back(&block);
    for (llvm::MachineBasicBlock* block : blocks) cut(*block);
    return !blocks.empty();
  }

  static char identity;

 private:
  static void cut(llvm::MachineBasicBlock& block);
};

/// Backwards, since that is how liveness is told: a cut is where no physical register lives that a block
/// could not have on entry before registers are allocated, and where no call is being prepared.
void HugeBlockSplitter::cut(llvm::MachineBasicBlock& block) {
  const llvm::MachineRegisterInfo& registers = block.getParent()->getRegInfo();
  const llvm::TargetSubtargetInfo& target = block.getParent()->getSubtarget();
  const unsigned call_begins = target.getInstrInfo()->getCallFrameSetupOpcode();
  const unsigned call_ends = target.getInstrInfo()->getCallFrameDestroyOpcode();
  llvm::LivePhysRegs live(*target.getRegisterInfo());
  live.addLiveOutsNoPristines(block);
  size_t behind = 0;
  bool in_call = false;
  for (auto place = block.rbegin(); place != block.rend();) {
    llvm::MachineInstr& instruction = *place++;
    if (instruction.isPHI()) return;
    const bool free =
        !in_call && llvm::all_of(live, [&](llvm::MCPhysReg r) { return registers.isReserved(r); });
    if (behind >= piece && free) {
      block.splitAt(instruction, /*UpdateLiveIns=*/false);
      behind = 0;
    }
    live.stepBackward(instruction);
    if (instruction.getOpcode() == call_ends) in_call = true;
    if (instruction.getOpcode() == call_begins) in_call = false;
    ++behind;
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

llvm::Pass* new_huge_block_splitter() { return new HugeBlockSplitter; }

}  // namespace heddle::finalizer::x86
