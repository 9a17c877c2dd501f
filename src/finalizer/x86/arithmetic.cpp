// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directed rounding, half precision and native functions on x86-64.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <hsa/hsa_brig_modifiers.h>

#include "finalizer/device_library.h"
#include "finalizer/x86/floating.h"
#include "finalizer/x86/flush_mode.h"
#include "finalizer/x86/target_operations.h"

namespace heddle::finalizer::x86 {
namespace {

/// Returns the two-bit rounding control that MXCSR and embedded rounding share.
unsigned rounding_control(uint64_t round) {
  switch (round) {
    case HSA_BRIG_ROUND_FLOAT_MINUS_INFINITY:
      return 1;
    case HSA_BRIG_ROUND_FLOAT_PLUS_INFINITY:
      return 2;
    case HSA_BRIG_ROUND_FLOAT_ZERO:
      return 3;
    default:
      return 0;
  }
}

// ---- AVX-512: rounding embedded in the instruction

llvm::Intrinsic::ID embedded(RoundedOp op, bool is_double) {
  using namespace llvm;
  switch (op) {
    case RoundedOp::add:
      return is_double ? Intrinsic::x86_avx512_mask_add_sd_round : Intrinsic::x86_avx512_mask_add_ss_round;
    case RoundedOp::sub:
      return is_double ? Intrinsic::x86_avx512_mask_sub_sd_round : Intrinsic::x86_avx512_mask_sub_ss_round;
    case RoundedOp::mul:
      return is_double ? Intrinsic::x86_avx512_mask_mul_sd_round : Intrinsic::x86_avx512_mask_mul_ss_round;
    case RoundedOp::div:
      return is_double ? Intrinsic::x86_avx512_mask_div_sd_round : Intrinsic::x86_avx512_mask_div_ss_round;
    case RoundedOp::sqrt:
      return is_double ? Intrinsic::x86_avx512_mask_sqrt_sd : Intrinsic::x86_avx512_mask_sqrt_ss;
    case RoundedOp::fma:
      return is_double ? Intrinsic::x86_avx512_vfmadd_f64 : Intrinsic::x86_avx512_vfmadd_f32;
  }
  return Intrinsic::not_intrinsic;
}

llvm::Value* embedded_rounding(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round,
                               llvm::ArrayRef<llvm::Value*> x) {
  constexpr unsigned no_exceptions = 8;
  const bool is_double = x[0]->getType()->isDoubleTy();
  llvm::Value* control = ir.getInt32(rounding_control(round) | no_exceptions);
  const auto id = embedded(op, is_double);
  if (op == RoundedOp::fma) return ir.CreateIntrinsic(id, {}, {x[0], x[1], x[2], control});
  auto* vector = llvm::FixedVectorType::get(x[0]->getType(), is_double ? 2 : 4);
  const auto in_vector = [&](llvm::Value* value) {
    return ir.CreateInsertElement(llvm::Constant::getNullValue(vector), value, uint64_t{0});
  };
  llvm::Value* first = in_vector(x[0]);
  // The instruction takes the square root of its second operand. The first one only gives the upper elements.
  llvm::Value* second = op == RoundedOp::sqrt ? first : in_vector(x[1]);
  llvm::Value* result = ir.CreateIntrinsic(id, {}, {first, second, first, ir.getInt8(1), control});
  return ir.CreateExtractElement(result, uint64_t{0});
}

// ---- otherwise: MXCSR is changed around the instruction

std::string assembly(RoundedOp op, bool is_double, Level level) {
  const std::string type = is_double ? "sd" : "ss";
  const bool vex = level != Level::v2;
  const std::string v = vex ? "v" : "";
  static constexpr const char* names[] = {"add", "sub", "mul", "div", "sqrt", "fma"};
  const std::string name = names[static_cast<unsigned>(op)];
  // $0 is the result. The operands begin at $1, and the two control words follow them. In AT&T syntax the
  // last operand of an instruction is its destination.
  std::string body;
  switch (op) {
    case RoundedOp::sqrt:
      body = vex ? "vsqrt" + type + " $1, $1, $0" : "sqrt" + type + " $1, $0";
      break;
    case RoundedOp::fma:
      body = "vfmadd213" + type + " $3, $2, $0";
      break;
    default:
      body = vex ? "v" + name + type + " $2, $1, $0" : name + type + " $2, $0";
      break;
  }
  const bool one = op == RoundedOp::sqrt, three = op == RoundedOp::fma;
  const std::string set = one ? "$2" : three ? "$4" : "$3", restore = one ? "$3" : three ? "$5" : "$4";
  return v + "ldmxcsr " + set + "\n\t" + body + "\n\t" + v + "ldmxcsr " + restore;
}

llvm::Value* switched_rounding(llvm::IRBuilder<>& ir, llvm::Module& module, RoundedOp op, uint64_t round,
                               llvm::ArrayRef<llvm::Value*> x, const FloatTarget& target) {
  auto* type = x[0]->getType();
  const Level level = target.level;
  const uint32_t of_kernel = target.flush_mode ? flushing_mxcsr : default_mxcsr;
  llvm::Constant* set = &control_word(module, of_kernel | rounding_control(round) << 13);
  llvm::Constant* restore = &control_word(module, of_kernel);
  llvm::SmallVector<llvm::Value*, 5> arguments;
  const unsigned operands = op == RoundedOp::sqrt ? 1 : op == RoundedOp::fma ? 3 : 2;
  arguments.append(x.begin(), x.begin() + operands);
  arguments.push_back(set);
  arguments.push_back(restore);
  // If the destination is also the first operand, the two are tied. After the result is written, only the
  // second control word is read, but the early clobber keeps the result out of the registers of all operands.
  const bool tied = op == RoundedOp::fma || (op != RoundedOp::sqrt && level == Level::v2);
  std::string constraints = tied ? "=&x,0" : "=&x,x";
  for (unsigned n = 1; n < operands; ++n) constraints.append(",x");
  constraints += ",*m,*m,~{dirflag},~{fpsr},~{flags}";
  llvm::SmallVector<llvm::Type*, 5> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(type, types, false),
                                    assembly(op, type->isDoubleTy(), level), constraints, false);
  auto* call = ir.CreateCall(code, arguments);
  for (unsigned n = operands; n < operands + 2; ++n)
    call->addParamAttr(n,
                       llvm::Attribute::get(ir.getContext(), llvm::Attribute::ElementType, ir.getInt32Ty()));
  call->setDoesNotThrow();
  return call;
}

}  // namespace

llvm::Value* directed(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round, llvm::ArrayRef<llvm::Value*> x,
                      const FloatTarget& target) {
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  // Embedded rounding suppresses exceptions, on which flushing by the processor depends.
  if (target.level == Level::v4 && !target.flush_mode) return embedded_rounding(ir, op, round, x);
  if (target.level == Level::v2 && op == RoundedOp::fma) {
    const auto* name = x[0]->getType()->isFloatTy() ? "hsail_dev_fma_f32" : "hsail_dev_fma_f64";
    return ir.CreateCall(device_function(module, name),
                         {x[0], x[1], x[2], ir.getInt32(static_cast<uint32_t>(round))});
  }
  return switched_rounding(ir, module, op, round, x, target);
}

llvm::Value* lower_f16_to_f32(llvm::IRBuilder<>& ir, llvm::CallInst& call, Level level) {
  llvm::Value* bits = call.getArgOperand(0);
  if (level == Level::v2)
    return ir.CreateCall(device_function(*call.getModule(), "hsail_dev_f16_to_f32"), {bits});
  return ir.CreateFPExt(ir.CreateBitCast(bits, ir.getHalfTy()), ir.getFloatTy());
}

/// Uses an intrinsic, because LLVM merges fptrunc with neighbours in ways that lose the quieting of NaNs.
llvm::Value* lower_f32_to_f16(llvm::IRBuilder<>& ir, llvm::CallInst& call, Level level) {
  llvm::Value* value = call.getArgOperand(0);
  if (level == Level::v2)
    return ir.CreateCall(device_function(*call.getModule(), "hsail_dev_f32_to_f16"), {value});
  auto* vector = llvm::FixedVectorType::get(ir.getFloatTy(), 4);
  llvm::Value* in = ir.CreateInsertElement(llvm::Constant::getNullValue(vector), value, uint64_t{0});
  llvm::Value* out = ir.CreateIntrinsic(llvm::Intrinsic::x86_vcvtps2ph_128, {}, {in, ir.getInt32(0)});
  return ir.CreateExtractElement(out, uint64_t{0});
}

llvm::Value* lower_native(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  static constexpr const char* names[] = {"hsail_dev_sin", "hsail_dev_cos", "hsail_dev_exp2",
                                          "hsail_dev_log2"};
  llvm::Function* function = device_function(*call.getModule(), names[constant_argument(call, 0)]);
  return ir.CreateCall(function, {call.getArgOperand(1)});
}

}  // namespace heddle::finalizer::x86
