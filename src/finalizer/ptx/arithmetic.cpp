// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point operations for which NVPTX has instructions of its own: with a rounding mode, and with .ftz,
// which is HSAIL's rule for f32 (PRM 4.19.3). For f64 there is no .ftz, and integer operations flush.
#include <cassert>

#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <hsa/hsa_brig_modifiers.h>

#include "finalizer/ptx/target_operations.h"
#include "finalizer/vectors.h"

namespace heddle::finalizer::ptx {
namespace {

using llvm::Value;
using Operands = llvm::ArrayRef<Value*>;

const char* rounding_name(uint64_t round) {
  switch (round) {
    case HSA_BRIG_ROUND_FLOAT_MINUS_INFINITY:
      return "rm";
    case HSA_BRIG_ROUND_FLOAT_PLUS_INFINITY:
      return "rp";
    case HSA_BRIG_ROUND_FLOAT_ZERO:
      return "rz";
    default:
      return "rn";
  }
}

Value* call_intrinsic(llvm::IRBuilder<>& ir, const std::string& name, Operands operands) {
  const auto id = llvm::Intrinsic::lookupIntrinsicID(name);
  assert(id != llvm::Intrinsic::not_intrinsic && "the back end has an intrinsic for each combination");
  return ir.CreateIntrinsic(id, {}, operands);
}

/// Computes one operation on f32 or f64. There is no subtraction with a rounding mode; the sum with the
/// negated operand is the same, also if it is zero.
Value* rounded(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round, bool ftz, Operands x) {
  static constexpr const char* names[] = {"add", "add", "mul", "div", "sqrt", "fma"};
  llvm::SmallVector<Value*, 3> operands(x.take_front(operand_count(op)));
  if (op == RoundedOp::sub) operands[1] = ir.CreateFNeg(operands[1]);
  const bool is_double = operands[0]->getType()->isDoubleTy();
  std::string name =
      std::string("llvm.nvvm.") + names[static_cast<unsigned>(op)] + "." + rounding_name(round);
  if (ftz) name += ".ftz";
  return call_intrinsic(ir, name + (is_double ? ".d" : ".f"), operands);
}

/// The bits of f64 numbers.
struct Double {
  static constexpr uint64_t sign = uint64_t{1} << 63, least_normal = uint64_t{1} << 52;

  static Value* bits(llvm::IRBuilder<>& ir, Value* number) {
    return ir.CreateBitCast(number, ir.getInt64Ty());
  }
  static Value* size(llvm::IRBuilder<>& ir, Value* number) {
    return ir.CreateAnd(bits(ir, number), sign - 1);
  }
  static Value* zero_like(llvm::IRBuilder<>& ir, Value* number) {
    return ir.CreateBitCast(ir.CreateAnd(bits(ir, number), sign), ir.getDoubleTy());
  }
  /// Returns the number, or the zero of its sign if `measure` is less than `limit` in size.
  static Value* flushed(llvm::IRBuilder<>& ir, Value* number, Value* measure, uint64_t limit) {
    Value* tiny = ir.CreateICmpULT(size(ir, measure), ir.getInt64(limit));
    return ir.CreateSelect(tiny, zero_like(ir, number), number);
  }
  static Value* flushed(llvm::IRBuilder<>& ir, Value* number) {
    return flushed(ir, number, number, least_normal);
  }
};

/// Sums are exact where they are tiny, and roots are never tiny. Another result may have been rounded up to
/// the least normal number although it is tiny (PRM 4.19.2). This shows in the result of the operation whose
/// exact value is twice as large. Where doubling a source overflows, the result is not tiny.
Value* flushing_double(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round, Operands sources) {
  llvm::SmallVector<Value*, 3> x(sources.take_front(operand_count(op)));
  for (Value*& source : x) source = Double::flushed(ir, source);
  Value* result = rounded(ir, op, round, false, x);
  if (op != RoundedOp::mul && op != RoundedOp::div && op != RoundedOp::fma)
    return Double::flushed(ir, result);
  Value* two = llvm::ConstantFP::get(ir.getDoubleTy(), 2.0);
  x[0] = ir.CreateFMul(x[0], two);
  if (op == RoundedOp::fma) x[2] = ir.CreateFMul(x[2], two);
  Value* twice = rounded(ir, op, round, false, x);
  return Double::flushed(ir, result, twice, 2 * Double::least_normal);
}

Value* quiet_if_signalling(llvm::IRBuilder<>& ir, Value* source, Value* otherwise) {
  auto* type = source->getType();
  auto* bits_type = ir.getIntNTy(type->getScalarSizeInBits());
  auto* quiet = llvm::ConstantInt::get(bits_type, uint64_t{1} << (type->isDoubleTy() ? 51 : 22));
  Value* bits = ir.CreateBitCast(source, bits_type);
  Value* has_quiet_bit = ir.CreateICmpNE(ir.CreateAnd(bits, quiet), llvm::ConstantInt::get(bits_type, 0));
  Value* signals = ir.CreateAnd(ir.CreateFCmpUNO(source, source), ir.CreateNot(has_quiet_bit));
  return ir.CreateSelect(signals, ir.CreateBitCast(ir.CreateOr(bits, quiet), type), otherwise);
}

/// The instructions take a number rather than a signalling NaN, which HSAIL does not (PRM 4.19.4). NaNs are
/// rare, so they get a branch of their own.
Value* min_or_max(llvm::IRBuilder<>& ir, bool max, bool ftz, Operands x) {
  const bool is_double = x[0]->getType()->isDoubleTy();
  llvm::SmallVector<Value*, 2> operands(x);
  if (is_double && ftz)
    for (Value*& operand : operands) operand = Double::flushed(ir, operand);
  const std::string name = std::string(max ? "llvm.nvvm.fmax." : "llvm.nvvm.fmin.") + (is_double ? "d"
                                                                                       : ftz     ? "ftz.f"
                                                                                                 : "f");
  Value* result = call_intrinsic(ir, name, operands);
  Value* unordered = ir.CreateFCmpUNO(operands[0], operands[1]);
  llvm::Instruction* here = &*ir.GetInsertPoint();
  llvm::BasicBlock* before = here->getParent();
  auto* rarely = llvm::MDBuilder(ir.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* with_nan = llvm::SplitBlockAndInsertIfThen(unordered, here, false, rarely);
  ir.SetInsertPoint(with_nan);
  Value* fixed = quiet_if_signalling(ir, operands[1], result);
  fixed = quiet_if_signalling(ir, operands[0], fixed);
  ir.SetInsertPoint(here);
  auto* phi = ir.CreatePHI(result->getType(), 2);
  phi->addIncoming(result, before);
  phi->addIncoming(fixed, with_nan->getParent());
  return phi;
}

/// Makes a signalling NaN quiet and keeps everything else. A multiplication by 1 would not: the GPU makes its
/// own NaN of every other, also of one that only passes through from a constant or from memory.
Value* quieted(llvm::IRBuilder<>& ir, Value* number) {
  llvm::Type* type = number->getType();
  llvm::Type* bits_type = ir.getIntNTy(type->getPrimitiveSizeInBits());
  const llvm::APInt quiet_nan = llvm::APFloat::getQNaN(type->getFltSemantics()).bitcastToAPInt();
  Value* bits = ir.CreateBitCast(number, bits_type);
  Value* quiet = ir.CreateOr(bits, llvm::ConstantInt::get(bits_type, quiet_nan));
  return ir.CreateBitCast(ir.CreateSelect(ir.CreateFCmpUNO(number, number), quiet, bits), type);
}

}  // namespace

Value* lower_arithmetic(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  const auto op = static_cast<RoundedOp>(constant_argument(call, 0));
  const uint64_t round = constant_argument(call, 1);
  const bool ftz = constant_argument(call, 2) != 0;
  return in_elements(ir, {call.getArgOperand(3), call.getArgOperand(4), call.getArgOperand(5)},
                     [&](Operands x) {
                       return ftz && x[0]->getType()->isDoubleTy() ? flushing_double(ir, op, round, x)
                                                                   : rounded(ir, op, round, ftz, x);
                     });
}

Value* lower_narrow(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  const std::string name = std::string("llvm.nvvm.d2f.") + rounding_name(constant_argument(call, 0)) + ".ftz";
  return in_elements(ir, {call.getArgOperand(1)}, [&](Operands x) { return call_intrinsic(ir, name, x); });
}

Value* lower_flush(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  return in_elements(ir, {call.getArgOperand(0)}, [&](Operands x) {
    if (x[0]->getType()->isDoubleTy()) return Double::flushed(ir, x[0]);
    return call_intrinsic(ir, "llvm.nvvm.mul.rn.ftz.f", {x[0], llvm::ConstantFP::get(ir.getFloatTy(), 1.0)});
  });
}

Value* lower_min_max(llvm::IRBuilder<>& ir, llvm::CallInst& call, bool max) {
  const bool ftz = constant_argument(call, 0) != 0;
  return in_elements(ir, {call.getArgOperand(1), call.getArgOperand(2)},
                     [&](Operands x) { return min_or_max(ir, max, ftz, x); });
}

Value* lower_native(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  using namespace llvm;
  const auto op = static_cast<NativeOp>(constant_argument(call, 0));
  return in_elements(ir, {call.getArgOperand(1)}, [&](Operands x) -> Value* {
    switch (op) {
      case NativeOp::sin:
        return ir.CreateIntrinsic(Intrinsic::nvvm_sin_approx_f, {}, {x[0]});
      case NativeOp::cos:
        return ir.CreateIntrinsic(Intrinsic::nvvm_cos_approx_f, {}, {x[0]});
      case NativeOp::exp2:
        return ir.CreateIntrinsic(Intrinsic::nvvm_ex2_approx, {x[0]->getType()}, {x[0]});
      case NativeOp::log2:
        return ir.CreateIntrinsic(Intrinsic::nvvm_lg2_approx_f, {}, {x[0]});
    }
    llvm_unreachable("each native operation has a case");
  });
}

Value* lower_f16_to_f32(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  return in_elements(ir, {call.getArgOperand(0)}, [&](Operands x) {
    return ir.CreateFPExt(ir.CreateBitCast(x[0], ir.getHalfTy()), ir.getFloatTy());
  });
}

/// Uses an intrinsic, because LLVM merges fptrunc with neighbours in ways that lose the quieting of NaNs.
Value* lower_f32_to_f16(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  return in_elements(ir, {call.getArgOperand(0)},
                     [&](Operands x) { return call_intrinsic(ir, "llvm.nvvm.f2h.rn", x); });
}

void lower_canonicalize(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.getIntrinsicID() != llvm::Intrinsic::canonicalize) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto& call = llvm::cast<llvm::CallInst>(*user);
      llvm::IRBuilder<> ir(&call);
      call.replaceAllUsesWith(
          in_elements(ir, {call.getArgOperand(0)}, [&](Operands x) { return quieted(ir, x[0]); }));
      call.eraseFromParent();
    }
    function.eraseFromParent();
  }
}

}  // namespace heddle::finalizer::ptx
