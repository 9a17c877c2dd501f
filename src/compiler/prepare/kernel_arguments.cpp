// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/kernel_arguments.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

namespace heddle::compiler {

namespace {

// A value that kernels of AMD load, and the instruction of HSAIL for it.
struct ImplicitRow {
  llvm::Intrinsic::ID base;
  uint64_t offset;  // from the pointer that the intrinsic returns
  unsigned bytes;
  const char* function;
  unsigned dimension;
};

constexpr unsigned no_dimension = ~0U;
namespace ID = llvm::Intrinsic;

// The dispatch packet (hsa_kernel_dispatch_packet_t), and the implicit arguments of AMD's code objects,
// version 5 and later.
constexpr ImplicitRow implicit_rows[] = {
    {ID::amdgcn_dispatch_ptr, 4, 2, "__hsail_workgroupsize_u32", 0},
    {ID::amdgcn_dispatch_ptr, 6, 2, "__hsail_workgroupsize_u32", 1},
    {ID::amdgcn_dispatch_ptr, 8, 2, "__hsail_workgroupsize_u32", 2},
    {ID::amdgcn_dispatch_ptr, 12, 4, "__hsail_gridsize_u32", 0},
    {ID::amdgcn_dispatch_ptr, 16, 4, "__hsail_gridsize_u32", 1},
    {ID::amdgcn_dispatch_ptr, 20, 4, "__hsail_gridsize_u32", 2},
    {ID::amdgcn_implicitarg_ptr, 0, 4, "__hsail_gridgroups_u32", 0},
    {ID::amdgcn_implicitarg_ptr, 4, 4, "__hsail_gridgroups_u32", 1},
    {ID::amdgcn_implicitarg_ptr, 8, 4, "__hsail_gridgroups_u32", 2},
    {ID::amdgcn_implicitarg_ptr, 12, 2, "__hsail_workgroupsize_u32", 0},
    {ID::amdgcn_implicitarg_ptr, 14, 2, "__hsail_workgroupsize_u32", 1},
    {ID::amdgcn_implicitarg_ptr, 16, 2, "__hsail_workgroupsize_u32", 2},
    {ID::amdgcn_implicitarg_ptr, 64, 2, "__hsail_dim_u32", no_dimension},
};

const ImplicitRow* implicit_row(const llvm::LoadInst& load) {
  const llvm::DataLayout& data = load.getDataLayout();
  llvm::APInt offset(data.getIndexTypeSizeInBits(load.getPointerOperandType()), 0);
  const llvm::Value* base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(data, offset, true);
  const auto* pointer = llvm::dyn_cast<llvm::IntrinsicInst>(base);
  if (pointer == nullptr || !load.getType()->isIntegerTy()) return nullptr;
  const auto* row =
      std::find_if(std::begin(implicit_rows), std::end(implicit_rows), [&](const ImplicitRow& r) {
        return r.base == pointer->getIntrinsicID() && offset == r.offset &&
               load.getType()->getIntegerBitWidth() == r.bytes * 8;
      });
  return row == std::end(implicit_rows) ? nullptr : row;
}

void replace(llvm::LoadInst& load, const ImplicitRow& row) {
  llvm::IRBuilder<> builder(&load);
  llvm::Type* word = builder.getInt32Ty();
  llvm::SmallVector<llvm::Value*, 1> arguments;
  llvm::SmallVector<llvm::Type*, 1> types;
  if (row.dimension != no_dimension) {
    arguments.push_back(builder.getInt32(row.dimension));
    types.push_back(word);
  }
  llvm::FunctionCallee function =
      load.getModule()->getOrInsertFunction(row.function, llvm::FunctionType::get(word, types, false));
  auto* call = builder.CreateCall(function, arguments);
  call->setDoesNotAccessMemory();
  load.replaceAllUsesWith(builder.CreateTrunc(call, load.getType()));
  load.eraseFromParent();
}

// Whether all that happens to a pointer are loads, also from sums of it.
bool is_only_loaded(const llvm::Value& pointer) {
  return llvm::all_of(pointer.uses(), [](const llvm::Use& use) {
    const llvm::User* user = use.getUser();
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user))
      return !load->isVolatile() && !load->isAtomic();
    if (llvm::isa<llvm::GetElementPtrInst>(user))
      return !user->getType()->isVectorTy() && is_only_loaded(*user);
    // Its expansion loads, too.
    if (llvm::isa<llvm::MemCpyInst>(user)) return use.getOperandNo() == 1;
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    return intrinsic != nullptr && (intrinsic->isAssumeLikeIntrinsic() || intrinsic->isDroppable());
  });
}

// A variable of the function with the structure that `source` points to.
llvm::Value* private_copy(llvm::IRBuilder<>& builder, llvm::Function& function, llvm::Type* type,
                          llvm::Align align, llvm::Value* source) {
  llvm::IRBuilder<> entry(&function.getEntryBlock(), function.getEntryBlock().begin());
  llvm::AllocaInst* variable = entry.CreateAlloca(type, 5, nullptr);
  variable->setAlignment(align);
  if (builder.GetInsertBlock() == &function.getEntryBlock() &&
      builder.GetInsertPoint() == function.getEntryBlock().begin()) {
    builder.SetInsertPoint(variable->getNextNode());
  }
  const uint64_t size = function.getDataLayout().getTypeAllocSize(type);
  builder.CreateMemCpy(variable, align, source, align, size);
  return variable;
}

}  // namespace

void expand_implicit_arguments(llvm::Function& function) {
  llvm::SmallVector<std::pair<llvm::LoadInst*, const ImplicitRow*>, 8> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const ImplicitRow* row = load == nullptr ? nullptr : implicit_row(*load);
    if (row != nullptr) found.emplace_back(load, row);
  }
  for (const auto& [load, row] : found) {
    llvm::Value* pointer = load->getPointerOperand();
    replace(*load, *row);
    // What computed the address would be reported as unknown otherwise.
    llvm::RecursivelyDeleteTriviallyDeadInstructions(pointer);
  }
}

void copy_by_value_arguments(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr) continue;
    for (unsigned i = 0; i < call->arg_size(); ++i) {
      if (!call->isByValArgument(i)) continue;
      llvm::IRBuilder<> builder(call);
      llvm::Value* copy = private_copy(builder, function, call->getParamByValType(i),
                                       call->getParamAlign(i).valueOrOne(), call->getArgOperand(i));
      if (copy->getType() != call->getArgOperand(i)->getType()) {
        copy = builder.CreateAddrSpaceCast(copy, call->getArgOperand(i)->getType());
      }
      call->setArgOperand(i, copy);
      call->removeParamAttr(i, llvm::Attribute::ByVal);
    }
  }
}

void keep_escaping_arguments(llvm::Function& function) {
  for (llvm::Argument& argument : function.args()) {
    if (!argument.hasByRefAttr() || is_only_loaded(argument)) continue;
    llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
    // Everything but the copy itself gets the address of the copy.
    llvm::SmallVector<llvm::Use*, 8> uses;
    for (llvm::Use& use : argument.uses()) uses.push_back(&use);
    llvm::Value* copy = private_copy(builder, function, argument.getParamByRefType(),
                                     argument.getParamAlign().valueOrOne(), &argument);
    llvm::Value* address = builder.CreateAddrSpaceCast(copy, argument.getType());
    for (llvm::Use* use : uses) use->set(address);
  }
}

}  // namespace heddle::compiler
