// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of narrow integers, which is done with 32 bits and must give the same.
#include "finalizer/ptx/narrow_integers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace heddle::finalizer::ptx {
namespace {

constexpr uint64_t edges[] = {0, 1, 2, 7, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};

struct Operation {
  const char* name;
  const char* text;  ///< {0} is the type
  bool shifts = false, divides = false;
};
constexpr Operation operations[] = {
    {"add", "add {0} %a, %b"},
    {"sub", "sub {0} %a, %b"},
    {"mul", "mul {0} %a, %b"},
    {"shl", "shl {0} %a, %b", true},
    {"lshr", "lshr {0} %a, %b", true},
    {"ashr", "ashr {0} %a, %b", true},
    {"udiv", "udiv {0} %a, %b", false, true},
    {"urem", "urem {0} %a, %b", false, true},
    {"sdiv", "sdiv {0} %a, %b", false, true},
    {"srem", "srem {0} %a, %b", false, true},
    {"slt", "icmp slt {0} %a, %b"},
    {"ult", "icmp ult {0} %a, %b"},
    {"eq", "icmp eq {0} %a, %b"},
    {"umin", "call {0} @llvm.umin.{0}({0} %a, {0} %b)"},
    {"umax", "call {0} @llvm.umax.{0}({0} %a, {0} %b)"},
    {"smin", "call {0} @llvm.smin.{0}({0} %a, {0} %b)"},
    {"smax", "call {0} @llvm.smax.{0}({0} %a, {0} %b)"},
    {"uadd_sat", "call {0} @llvm.uadd.sat.{0}({0} %a, {0} %b)"},
    {"usub_sat", "call {0} @llvm.usub.sat.{0}({0} %a, {0} %b)"},
    {"sadd_sat", "call {0} @llvm.sadd.sat.{0}({0} %a, {0} %b)"},
    {"ssub_sat", "call {0} @llvm.ssub.sat.{0}({0} %a, {0} %b)"},
    {"abs", "call {0} @llvm.abs.{0}({0} %a, i1 false)"},
};

class NarrowIntegers : public ::testing::TestWithParam<Operation> {
 protected:
  std::unique_ptr<llvm::Module> module_of(const std::string& type) {
    const std::string operation = fmt::format(fmt::runtime(GetParam().text), type);
    const std::string result = operation.starts_with("icmp") ? "i1" : type;
    llvm::SMDiagnostic error;
    auto module =
        llvm::parseAssemblyString(fmt::format("define {} @f({} %a, {} %b) {{\n%r = {}\nret {} %r\n}}", result,
                                              type, type, operation, result),
                                  error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    return module;
  }

  /// What the function returns, by the rules with which LLVM evaluates constants.
  static llvm::Constant* result_of(llvm::Module& module, const llvm::APInt& a, const llvm::APInt& b) {
    llvm::Function& function = *module.getFunction("f");
    llvm::DenseMap<const llvm::Value*, llvm::Constant*> values;
    values[function.getArg(0)] = llvm::ConstantInt::get(module.getContext(), a);
    values[function.getArg(1)] = llvm::ConstantInt::get(module.getContext(), b);
    const auto value = [&](llvm::Value* operand) {
      auto* constant = llvm::dyn_cast<llvm::Constant>(operand);
      return constant ? constant : values.at(operand);
    };
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) return value(end->getReturnValue());
      llvm::SmallVector<llvm::Constant*, 3> operands;
      for (llvm::Value* operand : instruction.operands()) operands.push_back(value(operand));
      values[&instruction] =
          llvm::isa<llvm::CmpInst>(instruction)
              ? llvm::ConstantFoldCompareInstOperands(llvm::cast<llvm::CmpInst>(instruction).getPredicate(),
                                                      operands[0], operands[1], module.getDataLayout())
              : llvm::ConstantFoldInstOperands(&instruction, operands, module.getDataLayout());
    }
    return nullptr;
  }

  llvm::LLVMContext context;
};
INSTANTIATE_TEST_SUITE_P(All, NarrowIntegers, ::testing::ValuesIn(operations),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(NarrowIntegers, GiveTheSameWithMoreBits) {
  for (const unsigned bits : {8u, 16u}) {
    const auto before = module_of(fmt::format("i{}", bits)), after = module_of(fmt::format("i{}", bits));
    widen_narrow_integers(*after);
    ASSERT_FALSE(llvm::verifyModule(*after, &llvm::errs()));
    for (const uint64_t a : edges)
      for (const uint64_t b : edges) {
        const llvm::APInt left(bits, a, false, true), right(bits, b, false, true);
        if (GetParam().shifts && right.uge(bits)) continue;
        if (GetParam().divides && (right.isZero() || (left.isMinSignedValue() && right.isAllOnes())))
          continue;
        llvm::Constant* const expected = result_of(*before, left, right);
        ASSERT_TRUE(expected);
        EXPECT_EQ(result_of(*after, left, right), expected) << bits << " bits, " << a << ", " << b;
      }
  }
}

TEST_P(NarrowIntegers, AreNoOperandsOfArithmeticAnyMore) {
  const auto module = module_of("i16");
  widen_narrow_integers(*module);
  for (const llvm::Instruction& instruction : llvm::instructions(*module->getFunction("f")))
    if (!llvm::isa<llvm::CastInst, llvm::ReturnInst>(instruction))
      EXPECT_EQ(instruction.getOperand(0)->getType()->getScalarSizeInBits(), 32u);
}

TEST(OtherIntegers, StayAsTheyAre) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(
      "define i32 @f(i32 %a, i16 %b, i1 %c) {\n%d = add i32 %a, 1\n%e = xor i16 %b, 3\n%g = add i1 %c, true\n"
      "%h = zext i16 %e to i32\n%i = zext i1 %g to i32\n%j = mul i32 %h, %d\n%k = sub i32 %j, %i\nret i32 "
      "%k\n}",
      error, context);
  ASSERT_TRUE(module);
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  widen_narrow_integers(*module);
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace heddle::finalizer::ptx
