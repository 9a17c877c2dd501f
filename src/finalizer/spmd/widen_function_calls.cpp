// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/widen_function_calls.h"

#include "finalizer/spmd/wave_functions.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Value;

/// Widens one call.
class FunctionCall {
 public:
  FunctionCall(Widening& widening, const CallInst& call)
      : w_(widening), ir_(widening.ir()), call_(call), handle_(*call.getCalledOperand()) {}

  void run();

 private:
  bool has_type_of_function() const;
  void prepare();
  void create(llvm::FunctionType* type, Value* callee, const Parts& mask);
  void by_handle();
  void for_each_callee();
  Parts lanes_that_call(Value* callee, const Parts& handles, const Parts& lanes);

  Widening& w_;
  llvm::IRBuilder<>& ir_;
  const CallInst& call_;
  const Value& handle_;
  Value* context_ = nullptr;
  llvm::SmallVector<Value*, 16> arguments_;  // without the context
};

/// Reports whether the type of the callee is one that functions of HSAIL have.
bool FunctionCall::has_type_of_function() const {
  if (!call_.getType()->isVoidTy() || call_.arg_empty() || call_.getFunctionType()->isVarArg()) return false;
  return call_.getArgOperand(0)->getType()->isPointerTy() &&
         llvm::all_of(call_.args(), [](const Value* value) {
           return llvm::VectorType::isValidElementType(value->getType()->getScalarType());
         });
}

void FunctionCall::run() {
  if (!w_.request().functions) return w_.refuse(call_, "functions have no form for waves");
  if (!has_type_of_function()) return w_.refuse(call_, "the callee is not a function of HSAIL");
  if (!w_.is_uniform(*call_.getArgOperand(0)))
    return w_.refuse(call_, "the work-items call a function with different contexts");
  const auto* callee = llvm::dyn_cast<llvm::Function>(handle_.stripPointerCasts());
  llvm::Function* wide = callee && callee == call_.getCalledFunction() ? w_.wave_function(*callee) : nullptr;
  // The address of a scalar function is no handle, so such a call must not become one by handle.
  if (callee && !wide) return w_.refuse(call_, "the callee has no form for waves");
  if (call_.isInlineAsm()) return w_.refuse(call_, "there is no form of assembly for waves");
  prepare();
  if (wide)
    create(wide->getFunctionType(), wide, w_.mask_of(call_));
  else
    by_handle();
}

/// Finds the arguments, in front of what may become a loop.
void FunctionCall::prepare() {
  context_ = w_.scalar(*call_.getArgOperand(0));
  for (const Value* argument : llvm::drop_begin(call_.args()))
    llvm::append_range(arguments_,
                       argument->getType()->isIntegerTy(1) ? w_.mask(*argument) : w_.parts(*argument));
}

/// Calls one function for the lanes of a mask that is not empty.
void FunctionCall::create(llvm::FunctionType* type, Value* callee, const Parts& mask) {
  llvm::SmallVector<Value*, 16> arguments = {context_};
  llvm::append_range(arguments, mask);
  llvm::append_range(arguments, arguments_);
  CallInst* made = ir_.CreateCall(type, callee, arguments);
  made->setCallingConv(call_.getCallingConv());
  if (call_.doesNotThrow()) made->setDoesNotThrow();
  if (call_.isConvergent()) made->setConvergent();
}

void FunctionCall::by_handle() {
  const bool is_agreed = w_.is_uniform(handle_) || w_.state().shapes.is_promised(call_);
  if (!is_agreed) return for_each_callee();
  create(wave_function_type(*call_.getFunctionType(), w_.request()), w_.agreed(handle_, call_),
         w_.mask_of(call_));
}

/// Returns those of the lanes whose handle is that of a callee. The handles of other lanes may be poison.
Parts FunctionCall::lanes_that_call(Value* callee, const Parts& handles, const Parts& lanes) {
  Parts calling;
  Value* splat = create_splat(ir_, callee, w_.wave());
  for (unsigned p = 0; p < lanes.size(); ++p) {
    Value* is_same = ir_.CreateICmpEQ(handles[p], splat);
    calling.push_back(w_.masks().restricted(ir_, lanes[p], w_.masks().from_bits(ir_, is_same)));
  }
  return calling;
}

/// Creates a loop in which the first of the lanes that are left decides what is called next. It is one of
/// those that call that, so that the loop ends.
void FunctionCall::for_each_callee() {
  const Parts handles = w_.parts(handle_), active = w_.mask_of(call_);
  const LaneMemory::Array array(w_.memory(), *handle_.getType());
  array.store(ir_, handles);
  BasicBlock* before = ir_.GetInsertBlock();
  auto* end = BasicBlock::Create(ir_.getContext(), "callees.end", before->getParent(), before->getNextNode());
  auto* loop = BasicBlock::Create(ir_.getContext(), "callees", before->getParent(), end);
  ir_.CreateBr(loop);
  ir_.SetInsertPoint(loop);
  Parts left;
  for (Value* part : active) {
    left.push_back(ir_.CreatePHI(part->getType(), 2));
    llvm::cast<llvm::PHINode>(left.back())->addIncoming(part, before);
  }
  Value* callee = array.load_lane(ir_, w_.masks().first(ir_, left));
  const Parts calling = lanes_that_call(callee, handles, left);
  create(wave_function_type(*call_.getFunctionType(), w_.request()), callee, calling);
  Parts rest;
  for (unsigned p = 0; p < left.size(); ++p) {
    rest.push_back(ir_.CreateXor(left[p], calling[p]));
    llvm::cast<llvm::PHINode>(left[p])->addIncoming(rest[p], ir_.GetInsertBlock());
  }
  ir_.CreateCondBr(w_.masks().any(ir_, rest), loop, end);
  ir_.SetInsertPoint(end);
  w_.note_costly(call_, CostlyOperation::Kind::lane_by_lane);
}

}  // namespace

void widen_function_call(Widening& widening, const CallInst& call) { FunctionCall(widening, call).run(); }

}  // namespace heddle::finalizer::spmd
