// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test_operations.h"

#include <hsa/hsa_brig_modifiers.h>
#include <hsa/hsa_brig_types.h>

#include <functional>
#include <map>
#include <stdexcept>

namespace heddle::testing {
namespace {

using llvm::Value;

/// Creates the body of one operation.
class Body {
 public:
  Body(llvm::Function& function, unsigned lanes)
      : function_(function), ir_(function.getContext()), lanes_(lanes) {
    function.setAttributes({});
    ir_.SetInsertPoint(llvm::BasicBlock::Create(function.getContext(), "", &function));
  }

  llvm::IRBuilder<>& ir() { return ir_; }
  Value* argument(unsigned i) { return function_.getArg(i); }
  Value* item() { return ir_.CreateLoad(ir_.getInt32Ty(), variable("test.item", ir_.getInt32Ty())); }
  Value* active() { return ir_.CreateLoad(ir_.getInt64Ty(), variable("test.active", ir_.getInt64Ty())); }
  llvm::Module& module() { return *function_.getParent(); }
  Value* is_wave() {
    return ir_.CreateIsNotNull(ir_.CreateLoad(ir_.getInt8Ty(), variable("test.is_wave", ir_.getInt8Ty())));
  }
  Value* lane() { return ir_.CreateAnd(item(), lanes_ - 1); }
  Value* lane_of(Value* number) { return ir_.CreateAnd(number, lanes_ - 1); }
  Value* count(Value* bits) {
    return ir_.CreateTrunc(ir_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits), ir_.getInt32Ty());
  }
  /// Returns i32 lanes: `first`, first + 1, ...
  Value* consecutive(Value* first) {
    const auto* type = llvm::cast<llvm::FixedVectorType>(function_.getReturnType());
    Value* all = ir_.CreateVectorSplat(type->getNumElements(), first);
    return ir_.CreateAdd(all, ir_.CreateStepVector(all->getType()));
  }
  /// Returns a number as a float, or as a vector of floats if `like` is one.
  Value* splat(Value* number, const Value* like) {
    Value* scalar = ir_.CreateUIToFP(number, ir_.getFloatTy());
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
    return vector ? ir_.CreateVectorSplat(vector->getNumElements(), scalar) : scalar;
  }
  /// Condition 3 is used where only work-items with odd numbers are.
  Value* active_with(Value* condition) {
    Value* odd = ir_.CreateAnd(active(), 0xaaaaaaaaaaaaaaaa);
    return ir_.CreateSelect(ir_.CreateICmpEQ(condition, ir_.getInt32(3)), odd, active());
  }
  void finish(Value* result) { result ? ir_.CreateRet(result) : ir_.CreateRetVoid(); }

 private:
  Value* variable(const char* name, llvm::Type* type) {
    return function_.getParent()->getOrInsertGlobal(name, type);
  }
  llvm::Function& function_;
  llvm::IRBuilder<> ir_;
  const unsigned lanes_;
};

Value* store_report(Body& b, Value* lane, unsigned first) {
  auto& ir = b.ir();
  Value* sum = ir.CreateAdd(b.argument(first + 1), ir.CreateZExt(lane, ir.getInt64Ty()));
  ir.CreateAlignedStore(sum, ir.CreateIntToPtr(b.argument(first), ir.getPtrTy()), llvm::Align(1));
  return nullptr;
}

/// Computes what an atomic operation leaves in memory, as far as tests need it.
Value* updated(llvm::IRBuilder<>& ir, unsigned operation, bool is_signed, Value* old, Value* operand) {
  const auto chosen = [&](llvm::CmpInst::Predicate keep) {
    return ir.CreateSelect(ir.CreateICmp(keep, old, operand), old, operand);
  };
  switch (operation) {
    case HSA_BRIG_ATOMIC_OPERATION_ADD:
      return ir.CreateAdd(old, operand);
    case HSA_BRIG_ATOMIC_OPERATION_SUB:
      return ir.CreateSub(old, operand);
    case HSA_BRIG_ATOMIC_OPERATION_AND:
      return ir.CreateAnd(old, operand);
    case HSA_BRIG_ATOMIC_OPERATION_OR:
      return ir.CreateOr(old, operand);
    case HSA_BRIG_ATOMIC_OPERATION_XOR:
      return ir.CreateXor(old, operand);
    case HSA_BRIG_ATOMIC_OPERATION_MIN:
      return chosen(is_signed ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT);
    case HSA_BRIG_ATOMIC_OPERATION_MAX:
      return chosen(is_signed ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_UGT);
    default:
      return operand;  // an exchange
  }
}

/// Its operation and type are constants, but arguments of the function, so that it has to be ready for all.
Value* atomic(Body& b) {
  auto& ir = b.ir();
  Value *address = b.argument(4), *operand = b.argument(5);
  auto* old = ir.CreateAlignedLoad(operand->getType(), address, llvm::Align(4));
  Value* is_signed = ir.CreateICmpEQ(b.argument(1), ir.getInt32(HSA_BRIG_TYPE_S32));
  Value* now = operand;
  for (unsigned operation = 0; operation <= HSA_BRIG_ATOMIC_OPERATION_XOR; ++operation) {
    Value* one = ir.CreateSelect(is_signed, updated(ir, operation, true, old, operand),
                                 updated(ir, operation, false, old, operand));
    now = ir.CreateSelect(ir.CreateICmpEQ(b.argument(0), ir.getInt32(operation)), one, now);
  }
  ir.CreateAlignedStore(now, address, llvm::Align(4));
  return old;
}

/// The values that lanes exchange are 77 times their number plus 5.
Value* permute(Body& b) {
  auto& ir = b.ir();
  Value* from = ir.CreateZExt(b.lane_of(b.argument(1)), ir.getInt64Ty());
  Value* is_active = ir.CreateTrunc(ir.CreateLShr(b.active(), from), ir.getInt1Ty());
  Value* is_asked = ir.CreateICmpNE(b.argument(3), ir.getInt32(0));
  Value* value = ir.CreateAdd(ir.CreateMul(from, ir.getInt64(77)), ir.getInt64(5));
  return ir.CreateSelect(ir.CreateAnd(is_active, ir.CreateNot(is_asked)), value, b.argument(2));
}

/// Chooses among the functions that the module has.
Value* function_handle(Body& b) {
  auto& ir = b.ir();
  Value* handle = ir.getInt64(0);
  for (unsigned symbol = 0;; ++symbol) {
    const std::string name = "function." + std::to_string(symbol);
    llvm::Function* scalar = b.module().getFunction(name);
    if (!scalar) return handle;
    Value* function = ir.CreateSelect(b.is_wave(), b.module().getFunction(name + ".wave"), scalar);
    handle = ir.CreateSelect(ir.CreateICmpEQ(b.argument(0), ir.getInt32(symbol)),
                             ir.CreatePtrToInt(function, ir.getInt64Ty()), handle);
  }
}

using Create = std::function<Value*(Body&)>;

const std::map<std::string, Create>& bodies() {
  static const std::map<std::string, Create> all = {
      {"hsail.any", [](Body& b) { return b.argument(0); }},
      {"hsail.workitemid",
       [](Body& b) {
         return b.ir().CreateAdd(b.item(), b.ir().CreateMul(b.argument(0), b.ir().getInt32(1000)));
       }},
      {"hsail.wave.workitemid",
       [](Body& b) {
         Value* first = b.ir().CreateAdd(b.item(), b.argument(1));
         return b.consecutive(
             b.ir().CreateAdd(first, b.ir().CreateMul(b.argument(0), b.ir().getInt32(1000))));
       }},
      {"hsail.laneid", [](Body& b) { return b.lane(); }},
      {"hsail.flush.f32", [](Body& b) { return b.ir().CreateFAdd(b.argument(0), b.argument(0)); }},
      {"hsail.arithmetic.f32",
       [](Body& b) {
         Value* scale = b.splat(b.argument(0), b.argument(3));
         Value* product = b.ir().CreateFMul(b.argument(3), b.argument(4));
         return b.ir().CreateFAdd(b.ir().CreateFMul(product, scale), b.argument(5));
       }},
      {"hsail.f16.to.f32",
       [](Body& b) {
         llvm::Type* type = b.argument(0)->getType()->getWithNewType(b.ir().getFloatTy());
         return b.ir().CreateSIToFP(b.argument(0), type);
       }},
      {"hsail.f32.to.f16",
       [](Body& b) {
         Value* bits = b.ir().CreateBitCast(b.argument(0),
                                            b.argument(0)->getType()->getWithNewType(b.ir().getInt32Ty()));
         return b.ir().CreateTrunc(bits, bits->getType()->getWithNewType(b.ir().getInt16Ty()));
       }},
      {"hsail.native",
       [](Body& b) { return b.ir().CreateFMul(b.argument(1), b.splat(b.argument(0), b.argument(1))); }},
      {"hsail.function.handle", function_handle},
      {"hsail.trap", [](Body&) { return nullptr; }},
      {"hsail.lane.trap", [](Body&) { return nullptr; }},
      {"hsail.atomic.i32", atomic},
      {"hsail.atomic.i64", atomic},
      {"hsail.exceptions", [](Body& b) { return store_report(b, b.lane(), 1); }},
      {"hsail.lane.exceptions", [](Body& b) { return store_report(b, b.argument(0), 2); }},
      {"hsail.activelanecount", [](Body& b) { return b.count(b.active_with(b.argument(0))); }},
      {"hsail.activelanemask",
       [](Body& b) {
         Value* is_first = b.ir().CreateICmpEQ(b.argument(1), b.ir().getInt32(0));
         return b.ir().CreateSelect(is_first, b.active_with(b.argument(0)), b.ir().getInt64(0));
       }},
      {"hsail.activelaneid",
       [](Body& b) {
         Value* lane = b.ir().CreateZExt(b.lane(), b.ir().getInt64Ty());
         Value* below = b.ir().CreateNot(b.ir().CreateShl(b.ir().getInt64(-1), lane));
         return b.count(b.ir().CreateAnd(b.active(), below));
       }},
      {"hsail.activelanepermute", permute},
  };
  return all;
}

}  // namespace

void define_test_operations(llvm::Module& module, unsigned lanes) {
  for (const auto& [name, bits] : {std::pair{"test.item", 32}, {"test.active", 64}, {"test.is_wave", 8}}) {
    auto* type = llvm::IntegerType::get(module.getContext(), static_cast<unsigned>(bits));
    auto* variable = llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal(name, type));
    variable->setInitializer(llvm::Constant::getNullValue(type));
  }
  for (llvm::Function& function : module) {
    if (function.use_empty() || !function.isDeclaration() || !function.getName().starts_with("hsail."))
      continue;
    const auto [base, form] = function.getName().rsplit(".v");
    unsigned number = 0;
    const auto found = bodies().find((form.getAsInteger(10, number) ? function.getName() : base).str());
    if (found == bodies().end()) throw std::runtime_error("no definition of " + function.getName().str());
    Body body(function, lanes);
    body.finish(found->second(body));
  }
}

}  // namespace heddle::testing
