// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wave_programs.h"

#include <random>
#include <stdexcept>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/ValueSymbolTable.h>
#include <llvm/Support/SourceMgr.h>

#include "finalizer/lower/target_operations.h"
#include "widened.h"

namespace heddle::testing {
namespace {

using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

class Generator {
 public:
  /// Makes code for a function whose first block has the values that the code begins with. If `callees` are
  /// given, the code calls these.
  Generator(llvm::Function& function, uint32_t seed, llvm::ArrayRef<llvm::Function*> callees)
      : function_(function), ir_(function.getContext()), random_(seed), callees_(callees) {
    auto vector = [](Type* type, unsigned count) { return llvm::FixedVectorType::get(type, count); };
    types_ = {ir_.getInt32Ty(),
              ir_.getInt32Ty(),
              ir_.getInt8Ty(),
              ir_.getInt16Ty(),
              ir_.getInt64Ty(),
              ir_.getFloatTy(),
              ir_.getDoubleTy(),
              ir_.getInt1Ty(),
              vector(ir_.getInt8Ty(), 4),
              vector(ir_.getInt16Ty(), 2),
              vector(ir_.getInt32Ty(), 4)};
  }

  void run() {
    ir_.SetInsertPoint(function_.getEntryBlock().getTerminator());
    src_ = named("src");
    dst_ = named("dst");
    result_ = named("result");
    depth_ = result_ ? named("depth") : ir_.getInt32(2);
    uniform_ = result_ ? depth_ : named("u");
    for (const char* name : {"id", "a", "b", "x", "u", "depth"})
      if (Value* known = named(name)) values_.push_back(known);
    if (!callees_.empty() && !result_) call();
    statements(3, 6);
    if (result_) ir_.CreateStore(value(ir_.getInt64Ty()), result_);
  }

 private:
  Value* named(const char* name) const { return function_.getValueSymbolTable()->lookup(name); }
  unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }
  Type* any_type() { return types_[pick(static_cast<unsigned>(types_.size()))]; }

  Value* constant(Type* type) {
    if (type->isFPOrFPVectorTy()) return llvm::ConstantFP::get(type, static_cast<int>(pick(9)) - 4);
    return llvm::ConstantInt::get(type, pick(4) ? pick(8) : random_(), false);
  }

  /// Returns a known value of a type, mostly a late one.
  Value* value(Type* type) {
    llvm::SmallVector<Value*, 16> fitting;
    for (Value* v : values_)
      if (v->getType() == type) fitting.push_back(v);
    if (fitting.empty() || pick(8) == 0) return converted(type);
    const size_t back = std::min<size_t>(pick(4), fitting.size() - 1);
    return fitting[fitting.size() - 1 - back];
  }

  Value* converted(Type* type) {
    Value* number = values_[pick(static_cast<unsigned>(values_.size()))];
    if (!number->getType()->isIntegerTy() || pick(3) == 0) return constant(type);
    if (type->isIntegerTy()) return ir_.CreateIntCast(number, type, pick(2));
    if (type->isFloatingPointTy()) return ir_.CreateSIToFP(number, type);
    const unsigned bits = type->getPrimitiveSizeInBits();
    return ir_.CreateBitCast(ir_.CreateIntCast(number, ir_.getIntNTy(bits), true), type);
  }

  Value* condition() {
    Type* type = types_[pick(7)];
    if (type->isIntegerTy(1)) type = ir_.getInt32Ty();
    Value *a = value(type), *b = pick(2) ? value(type) : constant(type);
    if (type->isFloatingPointTy())
      return ir_.CreateFCmp(pick(2) ? llvm::CmpInst::FCMP_OLT : llvm::CmpInst::FCMP_UNE, a, b);
    const auto first = static_cast<unsigned>(llvm::CmpInst::FIRST_ICMP_PREDICATE);
    return ir_.CreateICmp(static_cast<llvm::CmpInst::Predicate>(first + pick(10)), a, b);
  }

  /// NaNs may have different bits, depending on which operand LLVM takes for the first one.
  Value* without_nan(Value* v) {
    if (!v->getType()->isFPOrFPVectorTy()) return v;
    return ir_.CreateSelect(ir_.CreateFCmpUNO(v, v), llvm::ConstantFP::get(v->getType(), 7), v);
  }

  Value* integer(Type* type) {
    Value *a = value(type), *b = value(type);
    static constexpr llvm::Instruction::BinaryOps operations[] = {
        llvm::Instruction::Add, llvm::Instruction::Sub, llvm::Instruction::Mul,
        llvm::Instruction::And, llvm::Instruction::Or,  llvm::Instruction::Xor};
    if (type->isIntegerTy(1)) return pick(2) ? ir_.CreateBinOp(operations[3 + pick(3)], a, b) : condition();
    const unsigned bits = type->getScalarSizeInBits();
    switch (pick(8)) {
      case 0:
        b = ir_.CreateAnd(b, llvm::ConstantInt::get(type, bits - 1));
        return pick(2) ? ir_.CreateShl(a, b) : pick(2) ? ir_.CreateLShr(a, b) : ir_.CreateAShr(a, b);
      case 1:
        b = ir_.CreateOr(ir_.CreateLShr(b, 1), llvm::ConstantInt::get(type, 1));  // neither 0 nor -1
        return pick(2) ? (pick(2) ? ir_.CreateUDiv(a, b) : ir_.CreateURem(a, b))
                       : (pick(2) ? ir_.CreateSDiv(a, b) : ir_.CreateSRem(a, b));
      case 2: {
        static constexpr Intrinsic::ID functions[] = {Intrinsic::smax, Intrinsic::umin, Intrinsic::uadd_sat,
                                                      Intrinsic::ssub_sat};
        return ir_.CreateBinaryIntrinsic(functions[pick(4)], a, b);
      }
      case 3:
        return ir_.CreateUnaryIntrinsic(pick(2) || bits == 8 ? Intrinsic::ctpop : Intrinsic::bswap, a);
      default:
        return ir_.CreateBinOp(operations[pick(6)], a, b);
    }
  }

  Value* number(Type* type) {
    Value *a = value(type), *b = value(type);
    switch (pick(6)) {
      case 0:
        return ir_.CreateFDiv(a, b);
      case 1:
        return ir_.CreateUnaryIntrinsic(Intrinsic::sqrt, ir_.CreateUnaryIntrinsic(Intrinsic::fabs, a));
      case 2:
        return ir_.CreateIntrinsic(Intrinsic::fma, {type}, {a, b, value(type)});
      case 3:
        return ir_.CreateUnaryIntrinsic(pick(2) ? Intrinsic::floor : Intrinsic::roundeven, a);
      case 4:
        return ir_.CreateFMul(a, b);
      default:
        return ir_.CreateFAdd(a, b);
    }
  }

  void operation() {
    Type* type = any_type();
    Value* made;
    const unsigned kind = pick(8);
    if (kind == 0)
      made = ir_.CreateSelect(value(ir_.getInt1Ty()), value(type), value(type));
    else if (kind == 1 && type->isVectorTy())
      made = ir_.CreateInsertElement(value(type), value(type->getScalarType()), pick(2));
    else if (kind == 2 && type->isVectorTy())
      made = ir_.CreateExtractElement(value(type), pick(2));
    else if (kind == 3 && type->isVectorTy())
      made = ir_.CreateShuffleVector(value(type), value(type), llvm::SmallVector<int, 4>{3, 0, 1, 2});
    else if (kind == 4)
      made = ir_.CreateFreeze(value(type));
    else if (kind == 5 && type->isFloatingPointTy())
      made = ir_.CreateIntrinsic(Intrinsic::fptosi_sat, {ir_.getInt32Ty(), type}, {value(type)});
    else
      made = type->isFPOrFPVectorTy() ? number(type) : integer(type);
    values_.push_back(made);
  }

  // ---- memory

  Type* memory_type() {
    Type* type = any_type();
    return type->isIntegerTy(1) ? ir_.getInt32Ty() : type;
  }
  /// Returns an address in the work-item's memory: one of three places of 16 bytes.
  Value* own(Value* base) {
    if (pick(3)) return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), base, 16 * pick(3));
    Value* place = ir_.CreateAnd(value(ir_.getInt32Ty()), ir_.getInt32(1));
    return ir_.CreateGEP(llvm::FixedVectorType::get(ir_.getInt64Ty(), 2), base,
                         ir_.CreateZExt(place, ir_.getInt64Ty()));
  }
  Value* shared() {
    Value* index = ir_.CreateAnd(value(ir_.getInt32Ty()), ir_.getInt32(63));
    return ir_.CreateGEP(llvm::FixedVectorType::get(ir_.getInt64Ty(), 2), function_.getArg(0),
                         ir_.CreateZExt(index, ir_.getInt64Ty()));
  }
  void load() {
    Type* type = memory_type();
    Value* address = pick(3) ? shared() : own(pick(2) ? src_ : dst_);
    values_.push_back(ir_.CreateAlignedLoad(type, address, llvm::Align(1)));
  }
  void store() {
    Value* v = without_nan(value(memory_type()));
    ir_.CreateAlignedStore(v, own(dst_), llvm::Align(1));
  }

  // ---- control flow

  BasicBlock* block() { return BasicBlock::Create(ir_.getContext(), "", &function_); }

  /// Moves the rest of the current block to a new one and returns it.
  BasicBlock* cut() {
    BasicBlock* current = ir_.GetInsertBlock();
    BasicBlock* rest = current->splitBasicBlock(ir_.GetInsertPoint());
    current->getTerminator()->eraseFromParent();
    ir_.SetInsertPoint(current);
    return rest;
  }

  /// Creates the statements of a side, and returns its last block and a value of each of the types.
  std::pair<BasicBlock*, llvm::SmallVector<Value*, 2>> side(BasicBlock* begin, BasicBlock* end,
                                                            unsigned depth, llvm::ArrayRef<Type*> types) {
    begin->moveBefore(end);
    ir_.SetInsertPoint(begin);
    auto* jump = ir_.CreateBr(end);
    ir_.SetInsertPoint(jump);
    const size_t known = values_.size();
    statements(depth - 1, 4);
    llvm::SmallVector<Value*, 2> results;
    for (Type* type : types) results.push_back(value(type));
    values_.resize(known);
    return {ir_.GetInsertBlock(), results};
  }

  void branch(unsigned depth) {
    Value* chosen = value(ir_.getInt1Ty());
    if (pick(2)) chosen = condition();
    if (pick(5) == 0) chosen = ir_.CreateICmpULT(uniform_, ir_.getInt32(pick(9)));
    Type* const types[2] = {any_type(), any_type()};
    BasicBlock* end = cut();
    BasicBlock *yes = block(), *no = block();
    ir_.CreateCondBr(chosen, yes, no);
    const auto a = side(yes, end, depth, types), b = side(no, end, depth, types);
    ir_.SetInsertPoint(end, end->begin());
    for (unsigned i = 0; i < 2; ++i) {
      auto* phi = ir_.CreatePHI(types[i], 2);
      phi->addIncoming(a.second[i], a.first);
      phi->addIncoming(b.second[i], b.first);
      values_.push_back(phi);
    }
    ir_.SetInsertPoint(end->getTerminator());
  }

  /// Creates a loop of a few iterations, which some work-items may leave in the middle.
  void loop(unsigned depth) {
    Value* limit = ir_.CreateAnd(pick(3) ? value(ir_.getInt32Ty()) : uniform_, ir_.getInt32(3));
    Type* type = any_type();
    Value* begin_value = value(type);
    BasicBlock* before = ir_.GetInsertBlock();
    BasicBlock* end = cut();
    BasicBlock* body = block();
    body->moveBefore(end);
    ir_.CreateBr(body);
    ir_.SetInsertPoint(body);
    auto* count = ir_.CreatePHI(ir_.getInt32Ty(), 2);
    auto* carried = ir_.CreatePHI(type, 2);
    auto* jump = ir_.CreateUnreachable();
    ir_.SetInsertPoint(jump);
    const size_t known = values_.size();
    values_.append({count, carried});
    statements(depth - 1, 4);
    Value* result = value(type);
    Value* next = ir_.CreateAdd(count, ir_.getInt32(1));
    Value* goes_on = ir_.CreateICmpULT(count, limit);
    if (pick(2)) goes_on = ir_.CreateSelect(value(ir_.getInt1Ty()), goes_on, ir_.getFalse());
    values_.resize(known);
    count->addIncoming(ir_.getInt32(0), before);
    count->addIncoming(next, ir_.GetInsertBlock());
    carried->addIncoming(begin_value, before);
    carried->addIncoming(result, ir_.GetInsertBlock());
    ir_.CreateCondBr(goes_on, body, end);
    jump->eraseFromParent();
    values_.append({result, next});
    ir_.SetInsertPoint(end->getTerminator());
  }

  // ---- calls

  Value* variable(unsigned bytes) {
    BasicBlock& entry = function_.getEntryBlock();
    return new llvm::AllocaInst(llvm::ArrayType::get(ir_.getInt8Ty(), bytes), 0, nullptr, llvm::Align(8), "",
                                entry.begin());
  }

  /// Returns a function, or a handle that the work-items may or may not agree on.
  Value* callee() {
    const auto count = static_cast<unsigned>(callees_.size());
    const unsigned first = pick(count), second = (first + 1 + pick(count - 1)) % count;
    const unsigned kind = pick(8);
    if (kind < 3) return callees_[first];
    llvm::Function* handle =
        finalizer::declare(*function_.getParent(), finalizer::TargetOperation::function_handle);
    Value* chosen = ir_.CreateCall(handle, {ir_.getInt32(first)});
    if (kind > 3) {
      Value* which = kind > 4 ? condition() : ir_.CreateTrunc(uniform_, ir_.getInt1Ty());
      chosen = ir_.CreateSelect(which, chosen, ir_.CreateCall(handle, {ir_.getInt32(second)}));
    }
    return ir_.CreateIntToPtr(chosen, ir_.getPtrTy());
  }

  /// Calls a function, unless the work-item is in the deepest one.
  void call() {
    Value *arguments = variable(16), *result = variable(8);
    ir_.CreateStore(ir_.getInt64(7), result);
    BasicBlock *end = cut(), *then = block();
    then->moveBefore(end);
    ir_.CreateCondBr(ir_.CreateICmpNE(depth_, ir_.getInt32(0)), then, end);
    ir_.SetInsertPoint(then);
    ir_.CreateStore(value(ir_.getInt32Ty()), arguments);
    ir_.CreateStore(value(ir_.getInt64Ty()), ir_.CreateConstGEP1_64(ir_.getInt8Ty(), arguments, 8));
    Value* less = ir_.CreateSub(depth_, ir_.getInt32(1));
    auto* made = ir_.CreateCall(callees_.front()->getFunctionType(), callee(),
                                {function_.getArg(0), less, pick(2) ? src_ : dst_, dst_, result, arguments});
    if (made->isIndirectCall()) made->setConvergent();
    ir_.CreateBr(end);
    ir_.SetInsertPoint(end->getTerminator());
    values_.push_back(ir_.CreateLoad(ir_.getInt64Ty(), result));
  }

  /// Returns from the function under a condition.
  void leave() {
    Value* goes = condition();
    Value* result = value(ir_.getInt64Ty());
    BasicBlock *rest = cut(), *then = block();
    then->moveBefore(rest);
    ir_.CreateCondBr(goes, then, rest);
    ir_.SetInsertPoint(then);
    ir_.CreateStore(result, result_);
    ir_.CreateRetVoid();
    ir_.SetInsertPoint(rest->getTerminator());
  }

  void statements(unsigned depth, unsigned most) {
    for (unsigned n = 1 + pick(most); n > 0; --n) {
      if (!callees_.empty() && pick(8) == 0) call();
      if (result_ && pick(8) == 0) leave();
      const unsigned kind = pick(12);
      if (kind < 2 && depth > 0)
        branch(depth);
      else if (kind == 2 && depth > 0)
        loop(depth);
      else if (kind < 5)
        load();
      else if (kind < 7)
        store();
      else
        operation();
    }
    store();
  }

  llvm::Function& function_;
  llvm::IRBuilder<> ir_;
  std::mt19937 random_;
  llvm::SmallVector<Type*, 12> types_;
  llvm::SmallVector<Value*, 64> values_;
  const llvm::ArrayRef<llvm::Function*> callees_;
  Value *src_ = nullptr, *dst_ = nullptr;
  Value* result_ = nullptr;   // where the function leaves an i64; null in @f
  Value* depth_ = nullptr;    // how many calls may still be in each other
  Value* uniform_ = nullptr;  // what all work-items agree on that execute the function together
};

constexpr unsigned callee_count = 3;

/// Returns the begin of a function that is called with the address of an i32 and an i64.
std::string callee_text(unsigned number) {
  return "define void @function." + std::to_string(number) + R"((ptr %in, i32 %depth, ptr %src, ptr %dst,
                                                               ptr %result, ptr %arguments) {
  %a = load i32, ptr %arguments
  %second = getelementptr i8, ptr %arguments, i64 8
  %x = load i64, ptr %second
  ret void
}
)";
}

}  // namespace

std::unique_ptr<llvm::Module> random_wave_program(llvm::LLVMContext& context, uint32_t seed,
                                                  bool with_calls) {
  std::string text =
      "target datalayout = \"e-m:e-p:64:64-i64:64-i128:128-n8:16:32:64-S128\"\n" +
      std::string(wave_function_head) + "  %id64 = zext i32 %id to i64\n  %off = mul i64 %id64, " +
      std::to_string(random_lane_bytes) +
      "\n  %src = getelementptr i8, ptr %mine, i64 %off\n  %dst = getelementptr i8, ptr %out, i64 %off\n"
      "  ret void\n}\n";
  for (unsigned n = 0; n < callee_count && with_calls; ++n) text += callee_text(n);
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text, error, context);
  if (!module) throw std::runtime_error(error.getMessage().str());
  llvm::SmallVector<llvm::Function*, callee_count> callees;
  for (llvm::Function& function : *module)
    if (function.getName() != "f") callees.push_back(&function);
  Generator(*module->getFunction("f"), seed, callees).run();
  for (unsigned n = 0; n < callees.size(); ++n)
    Generator(*callees[n], seed + 1000003 * (n + 1), callees).run();
  return module;
}

}  // namespace heddle::testing
