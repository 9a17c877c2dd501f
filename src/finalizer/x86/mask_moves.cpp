// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/mask_moves.h"

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

namespace heddle::finalizer::x86 {
namespace {

/// Lets an instruction without code read each mask behind the instruction that makes it. A mask that is used
/// twice is left alone.
class MaskKeeper : public llvm::MachineFunctionPass {
 public:
  MaskKeeper() : MachineFunctionPass(identity) {}
  llvm::StringRef getPassName() const override { return "heddle mask keeper"; }

  static char identity;

 protected:
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const llvm::TargetInstrInfo& instructions = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (llvm::MachineBasicBlock& block : function) {
      for (auto place = block.begin(); place != block.end();) {
        const llvm::MachineInstr& made = *place++;
        if (!makes_mask_of_signs(instructions.getName(made.getOpcode()))) continue;
        llvm::BuildMI(block, place, llvm::DebugLoc(), instructions.get(llvm::TargetOpcode::FAKE_USE))
            .addReg(made.getOperand(0).getReg());
        changed = true;
      }
    }
    return changed;
  }

 private:
  /// The numbers that LLVM has for the processor's instructions are not public, but their names are.
  static bool makes_mask_of_signs(llvm::StringRef name) {
    return name.starts_with("VPMOV") && name.contains("2MZ");
  }
};

char MaskKeeper::identity = 0;

}  // namespace

void keep_masks_of_signs(llvm::TargetPassConfig& config) {
  config.insertPass(&llvm::ExpandPostRAPseudosID, new MaskKeeper);
}

}  // namespace heddle::finalizer::x86
