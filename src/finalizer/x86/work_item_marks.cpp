// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/work_item_marks.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugProgramInstruction.h>

#include "codeobject/kernel_abi.h"
#include "finalizer/x86/context.h"

namespace heddle::finalizer::x86 {
namespace {

constexpr llvm::StringRef names[] = {"heddle.workitemid.x", "heddle.workitemid.y", "heddle.workitemid.z"};

/// The dimension, or 3: not a mark.
unsigned dimension_of(const llvm::DbgVariableRecord& record) {
  unsigned d = 0;
  while (d < 3 && record.getVariable()->getName() != names[d]) ++d;
  return d;
}

/// The ID as a value again; null if it is gone. Loop counters are widened: their low half is the ID then.
llvm::Value* id_of(const llvm::DbgVariableRecord& record, llvm::IRBuilder<>& ir) {
  if (record.isKillLocation() || record.getNumVariableLocationOps() != 1) return nullptr;
  llvm::Value* value = record.getVariableLocationOp(0);
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() < 32) return nullptr;
  for (const auto& operation : record.getExpression()->expr_ops())
    if (operation.getOp() != llvm::dwarf::DW_OP_LLVM_convert &&
        operation.getOp() != llvm::dwarf::DW_OP_stack_value)
      return nullptr;
  return ir.CreateTrunc(value, ir.getInt32Ty());
}

}  // namespace

void mark_work_item(llvm::IRBuilder<>& ir, llvm::Value* id, unsigned dimension) {
  llvm::Function* function = ir.GetInsertBlock()->getParent();
  llvm::DISubprogram* scope = function->getSubprogram();
  if (!scope) return;
  llvm::DIBuilder builder(*function->getParent(), false, scope->getUnit());
  auto* type = builder.createBasicType("u32", 32, llvm::dwarf::DW_ATE_unsigned);
  auto* variable = builder.createAutoVariable(scope, names[dimension], scope->getFile(), 0, type);
  auto* place = llvm::DILocation::get(ir.getContext(), 0, 0, scope);
  builder.insertDbgValueIntrinsic(id, variable, builder.createExpression(), place, ir.GetInsertPoint());
}

void store_work_item(llvm::IRBuilder<>& ir, llvm::Value* worker, llvm::Value* id, unsigned dimension) {
  const Fields fields(ir, worker);
  const uint64_t offset = offsetof(kernel_abi::Worker, workitem_id) + 4 * dimension;
  // Nobody is seen to read it: a fault is not something that LLVM knows of.
  ir.CreateStore(id, fields.pointer(offset), /*isVolatile=*/true);
}

void store_marked_work_items(llvm::Module& module) {
  llvm::IRBuilder<> ir(module.getContext());
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
        for (llvm::DbgVariableRecord& record :
             llvm::make_early_inc_range(llvm::filterDbgVars(instruction.getDbgRecordRange()))) {
          const unsigned dimension = dimension_of(record);
          if (dimension == 3) continue;
          ir.SetInsertPoint(instruction.getIterator());
          ir.SetCurrentDebugLocation(instruction.getDebugLoc());
          if (llvm::Value* id = id_of(record, ir)) store_work_item(ir, function.getArg(0), id, dimension);
          record.eraseFromParent();
        }
      }
    }
  }
}

}  // namespace heddle::finalizer::x86
