// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directed rounding, half precision and native functions on x86-64.
#include <cassert>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <hsa/hsa_brig_modifiers.h>

#include "finalizer/device_library.h"
#include "finalizer/vectors.h"
#include "finalizer/x86/floating.h"
#include "finalizer/x86/flush_mode.h"
#include "finalizer/x86/target_operations.h"

namespace heddle::finalizer::x86 {
namespace {

bool is_double(const llvm::Value& number) { return number.getType()->getScalarType()->isDoubleTy(); }

/// Returns how many numbers like this one, or like the elements of this vector, a register has.
unsigned per_register(const llvm::Value& number, unsigned register_bits) {
  return register_bits / (is_double(number) ? 64 : 32);
}

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

llvm::Intrinsic::ID embedded_512(RoundedOp op, bool is_double) {
  using namespace llvm;
  switch (op) {
    case RoundedOp::add:
      return is_double ? Intrinsic::x86_avx512_add_pd_512 : Intrinsic::x86_avx512_add_ps_512;
    case RoundedOp::sub:
      return is_double ? Intrinsic::x86_avx512_sub_pd_512 : Intrinsic::x86_avx512_sub_ps_512;
    case RoundedOp::mul:
      return is_double ? Intrinsic::x86_avx512_mul_pd_512 : Intrinsic::x86_avx512_mul_ps_512;
    case RoundedOp::div:
      return is_double ? Intrinsic::x86_avx512_div_pd_512 : Intrinsic::x86_avx512_div_ps_512;
    case RoundedOp::sqrt:
      return is_double ? Intrinsic::x86_avx512_sqrt_pd_512 : Intrinsic::x86_avx512_sqrt_ps_512;
    case RoundedOp::fma:
      return is_double ? Intrinsic::x86_avx512_vfmadd_pd_512 : Intrinsic::x86_avx512_vfmadd_ps_512;
  }
  return Intrinsic::not_intrinsic;
}

llvm::Value* embedded_in_scalar(llvm::IRBuilder<>& ir, RoundedOp op, llvm::Value* control,
                                llvm::ArrayRef<llvm::Value*> x) {
  const auto id = embedded(op, is_double(*x[0]));
  if (op == RoundedOp::fma) return ir.CreateIntrinsic(id, {}, {x[0], x[1], x[2], control});
  auto* vector = llvm::FixedVectorType::get(x[0]->getType(), per_register(*x[0], 128));
  const auto in_vector = [&](llvm::Value* value) {
    return ir.CreateInsertElement(llvm::Constant::getNullValue(vector), value, uint64_t{0});
  };
  llvm::Value* first = in_vector(x[0]);
  // The instruction takes the square root of its second operand. The first one only gives the upper elements.
  llvm::Value* second = op == RoundedOp::sqrt ? first : in_vector(x[1]);
  llvm::Value* result = ir.CreateIntrinsic(id, {}, {first, second, first, ir.getInt8(1), control});
  return ir.CreateExtractElement(result, uint64_t{0});
}

/// Instructions on vectors have embedded rounding only if the vectors have 512 bits.
llvm::Value* embedded_rounding(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round,
                               llvm::ArrayRef<llvm::Value*> x) {
  constexpr unsigned no_exceptions = 8;
  llvm::Value* control = ir.getInt32(rounding_control(round) | no_exceptions);
  if (!x[0]->getType()->isVectorTy()) return embedded_in_scalar(ir, op, control, x);
  const unsigned length = per_register(*x[0], 512);
  return in_pieces(ir, x, {length, length}, [&](llvm::ArrayRef<llvm::Value*> piece) {
    llvm::SmallVector<llvm::Value*, 4> arguments(piece);
    arguments.push_back(control);
    return ir.CreateIntrinsic(embedded_512(op, is_double(*x[0])), {}, arguments);
  });
}

/// Returns the length of the longest vectors that a level has instructions for.
constexpr unsigned vector_bits(Level level) {
  return level == Level::v4 ? 512 : level == Level::v3 ? 256 : 128;
}

// ---- otherwise: MXCSR is changed around the instruction

std::string assembly(RoundedOp op, const llvm::Value& operand, Level level) {
  const bool is_vector = operand.getType()->isVectorTy();
  const std::string type = std::string(is_vector ? "p" : "s") + (is_double(operand) ? "d" : "s");
  const bool vex = level != Level::v2;
  const std::string v = vex ? "v" : "";
  static constexpr const char* names[] = {"add", "sub", "mul", "div", "sqrt", "fma"};
  const std::string name = names[static_cast<unsigned>(op)];
  // $0 is the result. The operands begin at $1, and the two control words follow them. In AT&T syntax the
  // last operand of an instruction is its destination.
  std::string body;
  switch (op) {
    case RoundedOp::sqrt:
      body = v + "sqrt" + type + (vex && !is_vector ? " $1, $1, $0" : " $1, $0");
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

/// Computes with numbers, or with vectors that fill a register.
llvm::Value* switch_around(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round,
                           llvm::ArrayRef<llvm::Value*> x, const FloatTarget& target) {
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  auto* type = x[0]->getType();
  const Level level = target.level;
  const uint32_t of_kernel = target.flush_mode ? flushing_mxcsr : default_mxcsr;
  llvm::Constant* set = &control_word(module, of_kernel | rounding_control(round) << 13);
  llvm::Constant* restore = &control_word(module, of_kernel);
  const auto operands = static_cast<unsigned>(x.size());
  llvm::SmallVector<llvm::Value*, 5> arguments(x);
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
  auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(type, types, false), assembly(op, *x[0], level),
                                    constraints, false);
  auto* call = ir.CreateCall(code, arguments);
  for (unsigned n = operands; n < operands + 2; ++n)
    call->addParamAttr(n,
                       llvm::Attribute::get(ir.getContext(), llvm::Attribute::ElementType, ir.getInt32Ty()));
  call->setDoesNotThrow();
  return call;
}

llvm::Value* switched_rounding(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round,
                               llvm::ArrayRef<llvm::Value*> x, const FloatTarget& target) {
  const auto compute = [&](llvm::ArrayRef<llvm::Value*> operands) {
    return switch_around(ir, op, round, operands, target);
  };
  if (!x[0]->getType()->isVectorTy()) return compute(x);
  return in_pieces(ir, x, {per_register(*x[0], 128), per_register(*x[0], vector_bits(target.level))},
                   compute);
}

// ---- half precision

llvm::Value* f32_to_f16_in_vector(llvm::IRBuilder<>& ir, llvm::Value* vector) {
  using namespace llvm;
  llvm::Value* near_even = ir.getInt32(0);
  switch (element_count(*vector)) {
    case 4: {
      llvm::Value* eight = ir.CreateIntrinsic(Intrinsic::x86_vcvtps2ph_128, {}, {vector, near_even});
      return ir.CreateShuffleVector(eight, {0, 1, 2, 3});
    }
    case 8:
      return ir.CreateIntrinsic(Intrinsic::x86_vcvtps2ph_256, {}, {vector, near_even});
    default: {
      auto* result = FixedVectorType::get(ir.getInt16Ty(), 16);
      return ir.CreateIntrinsic(Intrinsic::x86_avx512_mask_vcvtps2ph_512, {},
                                {vector, near_even, PoisonValue::get(result), ir.getInt16(0xffff)});
    }
  }
}

}  // namespace

llvm::Value* directed(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round, llvm::ArrayRef<llvm::Value*> x,
                      const FloatTarget& target) {
  x = x.take_front(operand_count(op));
  // Embedded rounding suppresses exceptions, on which flushing by the processor depends.
  if (target.level == Level::v4 && !target.flush_mode) return embedded_rounding(ir, op, round, x);
  if (target.level == Level::v2 && op == RoundedOp::fma) {
    assert(!x[0]->getType()->isVectorTy() && "packed values have no fma, and level v2 no waves");
    const auto* name = is_double(*x[0]) ? "hsail_dev_fma_f64" : "hsail_dev_fma_f32";
    return ir.CreateCall(device_function(*ir.GetInsertBlock()->getModule(), name),
                         {x[0], x[1], x[2], ir.getInt32(static_cast<uint32_t>(round))});
  }
  return switched_rounding(ir, op, round, x, target);
}

llvm::Value* lower_f16_to_f32(llvm::IRBuilder<>& ir, llvm::CallInst& call, Level level) {
  llvm::Value* bits = call.getArgOperand(0);
  if (level != Level::v2)
    return ir.CreateFPExt(ir.CreateBitCast(bits, bits->getType()->getWithNewType(ir.getHalfTy())),
                          call.getType());
  llvm::Function* function = device_function(*call.getModule(), "hsail_dev_f16_to_f32");
  return in_elements(ir, bits, [&](auto element) { return ir.CreateCall(function, element); });
}

/// Uses an intrinsic, because LLVM merges fptrunc with neighbours in ways that lose the quieting of NaNs.
llvm::Value* lower_f32_to_f16(llvm::IRBuilder<>& ir, llvm::CallInst& call, Level level) {
  llvm::Value* value = call.getArgOperand(0);
  if (level == Level::v2) {
    llvm::Function* function = device_function(*call.getModule(), "hsail_dev_f32_to_f16");
    return in_elements(ir, value, [&](auto element) { return ir.CreateCall(function, element); });
  }
  if (value->getType()->isVectorTy())
    return in_pieces(ir, value, {4, per_register(*value, vector_bits(level))},
                     [&](auto piece) { return f32_to_f16_in_vector(ir, piece[0]); });
  auto* vector = llvm::FixedVectorType::get(ir.getFloatTy(), 4);
  llvm::Value* in = ir.CreateInsertElement(llvm::Constant::getNullValue(vector), value, uint64_t{0});
  return ir.CreateExtractElement(f32_to_f16_in_vector(ir, in), uint64_t{0});
}

/// The functions for vectors replace the numbers in memory, which LLVM removes where it inlines them.
llvm::Value* lower_native(llvm::IRBuilder<>& ir, llvm::CallInst& call) {
  static constexpr const char* names[] = {"hsail_dev_sin", "hsail_dev_cos", "hsail_dev_exp2",
                                          "hsail_dev_log2"};
  const std::string name = names[constant_argument(call, 0)];
  llvm::Value* value = call.getArgOperand(1);
  if (!value->getType()->isVectorTy())
    return ir.CreateCall(device_function(*call.getModule(), name), {value});
  return in_pieces(ir, value, {4, 16}, [&](auto piece) {
    const std::string of_vector = name + "_v" + std::to_string(element_count(*piece[0]));
    auto* memory = new llvm::AllocaInst(piece[0]->getType(), 0, "native",
                                        call.getFunction()->getEntryBlock().getFirstInsertionPt());
    ir.CreateLifetimeStart(memory);
    ir.CreateStore(piece[0], memory);
    ir.CreateCall(device_function(*call.getModule(), of_vector), {memory});
    llvm::Value* result = ir.CreateLoad(piece[0]->getType(), memory);
    ir.CreateLifetimeEnd(memory);
    return result;
  });
}

}  // namespace heddle::finalizer::x86
