// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/vectorise.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "finalizer/spmd/linearise.h"
#include "finalizer/spmd/prepare.h"
#include "finalizer/spmd/verify.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::Function;

/// Returns the defined function that an instruction calls directly, or null.
Function* direct_callee(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() ? callee : nullptr;
}

/// Reports whether calls lead from a function back to itself.
bool is_recursive(const Function& function) {
  llvm::SmallSetVector<const Function*, 16> reached;
  const auto add_callees = [&](const Function& caller) {
    for (const llvm::Instruction& instruction : llvm::instructions(caller))
      if (const Function* callee = direct_callee(instruction)) reached.insert(callee);
  };
  add_callees(function);
  for (size_t i = 0; i < reached.size() && !reached.contains(&function); ++i) add_callees(*reached[i]);
  return reached.contains(&function);
}

/// Returns a copy of a function that has the mask of the entry as an argument behind the context.
Function* clone_with_mask(const Function& scalar) {
  llvm::LLVMContext& context = scalar.getContext();
  llvm::SmallVector<llvm::Type*, 8> types(scalar.getFunctionType()->params());
  types.insert(types.begin() + 1, llvm::Type::getInt1Ty(context));
  auto* type = llvm::FunctionType::get(scalar.getReturnType(), types, false);
  auto* clone = Function::Create(type, llvm::GlobalValue::InternalLinkage, scalar.getAddressSpace(),
                                 scalar.getName(), const_cast<llvm::Module*>(scalar.getParent()));
  llvm::ValueToValueMapTy map;
  for (const llvm::Argument& argument : scalar.args())
    map[&argument] = clone->getArg(argument.getArgNo() == 0 ? 0 : argument.getArgNo() + 1);
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(clone, &scalar, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  clone->setLinkage(llvm::GlobalValue::InternalLinkage);
  return clone;
}

ShapeRequest shape_request(const VectoriseRequest& request) {
  ShapeRequest shapes;
  shapes.lanes = request.widen.wave.lanes;
  shapes.body = request.body;
  shapes.all_active = request.body == Body::row;
  shapes.first_id_alignment = request.widen.wave.lanes;
  shapes.wavesize = request.wavesize;
  return shapes;
}

/// Widens a function, of which nothing is left but to be deleted.
Result<WideFunction> widen_clone(Function& scalar, const VectoriseRequest& request) {
  make_canonical(scalar);
  llvm::Value* mask = request.body == Body::row ? llvm::ConstantInt::getTrue(scalar.getContext())
                                                : static_cast<llvm::Value*>(scalar.getArg(1));
  SpmdFunction state{scalar, compute_shapes(scalar, shape_request(request)), mask, {}, {}};
  chain_divergent_switches(scalar, state.shapes);
  linearise(state);
  if (auto right = verify(state); !right.ok()) return right.error();
  return widen(state, request.widen);
}

}  // namespace

void inline_calls(Function& caller, size_t largest) {
  llvm::DenseMap<const Function*, bool> recursive;
  llvm::SmallVector<llvm::CallInst*, 16> calls;
  const auto consider = [&](llvm::Instruction& instruction) {
    const Function* callee = direct_callee(instruction);
    if (!callee) return;
    const auto [known, is_new] = recursive.try_emplace(callee, false);
    if (is_new) known->second = is_recursive(*callee);
    if (!known->second) calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  };
  for (llvm::Instruction& instruction : llvm::instructions(caller)) consider(instruction);
  size_t size = caller.getInstructionCount();
  while (!calls.empty()) {
    llvm::CallInst* call = calls.pop_back_val();
    size += call->getCalledFunction()->getInstructionCount();
    if (size > largest) return;
    llvm::InlineFunctionInfo info;
    const auto result = llvm::InlineFunction(*call, info, /*MergeAttributes=*/false, nullptr,
                                             /*InsertLifetime=*/false);
    assert(result.isSuccess() && "nothing in SPMD IR prevents that a call is replaced by the callee");
    (void)result;
    for (llvm::CallBase* made : info.InlinedCallSites) consider(*made);
  }
}

Result<WideFunction> vectorise(const Function& scalar, const VectoriseRequest& request) {
  Function* clone = nullptr;
  if (request.body == Body::row) {
    llvm::ValueToValueMapTy map;
    clone = llvm::CloneFunction(const_cast<Function*>(&scalar), map);
    clone->setLinkage(llvm::GlobalValue::InternalLinkage);
  } else {
    clone = clone_with_mask(scalar);
  }
  auto wide = widen_clone(*clone, request);
  clone->eraseFromParent();
  if (wide.ok())
    wide->function->setName(scalar.getName() + (request.body == Body::row ? ".row" : ".general"));
  return wide;
}

}  // namespace heddle::finalizer::spmd
