// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/vectorise.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "finalizer/spmd/linearise.h"
#include "finalizer/spmd/neighbours.h"
#include "finalizer/spmd/prepare.h"
#include "finalizer/spmd/serial_loops.h"
#include "finalizer/spmd/vector_forms.h"
#include "finalizer/spmd/verify.h"
#include "finalizer/spmd/wave_functions.h"
#include "finalizer/spmd/whole_iterations.h"

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

ShapeRequest shape_request(const VectoriseRequest& request) {
  ShapeRequest shapes;
  shapes.lanes = request.widen.wave.lanes;
  shapes.body = request.body == BodyKind::general ? Body::general : Body::row;
  shapes.all_active = request.body == BodyKind::row;
  shapes.first_id_alignment = request.widen.wave.lanes;
  shapes.wavesize = request.wavesize;
  shapes.merges_groups = request.merges_groups;
  shapes.follows_slices = request.follows_slices && request.body != BodyKind::general;
  return shapes;
}

/// Widens a function whose shapes have been computed for `shapes`.
Result<WideFunction> widen_shaped(SpmdFunction& state, const ShapeRequest& shapes,
                                  const WidenRequest& request, Function* declared) {
  merge_neighbours(state.function, state.shapes);
  chain_divergent_switches(state.function, state.shapes);
  linearise(state);
  if (auto right = verify(state, shapes); !right.ok()) return mistake_found(right.error());
  return widen(state, request, declared);
}

/// Widens a function. Afterwards it is of no use but to be deleted, whether that succeeds or not.
Result<WideFunction> widen_clone(Function& scalar, const VectoriseRequest& request, Function* declared) {
  restore_vector_forms(scalar);
  make_canonical(scalar);
  const bool is_whole = request.body == BodyKind::row;
  llvm::Value* mask = is_whole ? llvm::ConstantInt::getTrue(scalar.getContext())
                               : static_cast<llvm::Value*>(scalar.getArg(mask_argument));
  ShapeRequest about = shape_request(request);
  SpmdFunction state{scalar, compute_shapes(scalar, about), mask, {}, {}};
  EntryTestRequest tests = request.tests;
  tests.bounds &= is_whole;
  if (request.body != BodyKind::general && tests.create_refusal)
    about.tested = test_at_entry(scalar, state.shapes, tests);
  const bool may_refuse = !about.tested.empty();
  if (may_refuse) state.shapes = compute_shapes(scalar, about);
  const auto loops = outline_serial_loops(scalar, state.shapes, request.widen.wave, about.tested);
  if (!loops.empty()) state.shapes = compute_shapes(scalar, about);
  if (separate_whole_iterations(scalar, state.shapes, request.widen.wave.lanes, about.tested))
    state.shapes = compute_shapes(scalar, about);
  auto wide = widen_shaped(state, about, request.widen, declared);
  for (Function* loop : loops) inline_serial_loop(*loop);
  if (wide.ok()) wide->may_refuse = may_refuse;
  return wide;
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

std::vector<Function*> called_functions(llvm::ArrayRef<Function*> roots) {
  llvm::SmallSetVector<Function*, 16> reached(roots.begin(), roots.end());
  for (size_t i = 0; i < reached.size(); ++i)
    for (const llvm::Instruction& instruction : llvm::instructions(*reached[i]))
      if (Function* callee = direct_callee(instruction)) reached.insert(callee);
  return {reached.begin(), reached.end()};
}

Result<WideFunction> vectorise(Function& scalar, const VectoriseRequest& request, Function* declared) {
  Function* clone = nullptr;
  if (request.body == BodyKind::row) {
    llvm::ValueToValueMapTy map;
    clone = llvm::CloneFunction(&scalar, map);
  } else {
    clone = &clone_with_mask(scalar);
  }
  clone->setLinkage(llvm::GlobalValue::InternalLinkage);
  auto wide = widen_clone(*clone, request, declared);
  clone->eraseFromParent();
  static constexpr llvm::StringLiteral endings[] = {".row", ".partial_row", ".general"};
  if (wide.ok() && !declared)
    wide->function->setName(scalar.getName() + endings[static_cast<size_t>(request.body)]);
  return wide;
}

}  // namespace heddle::finalizer::spmd
