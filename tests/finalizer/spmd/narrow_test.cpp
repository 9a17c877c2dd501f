// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which integers become narrow. That their results stay the same is what the tests of waves check, whose
// functions go through the same transformation (widened.cpp).
#include "finalizer/spmd/narrow.h"

#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "spmd_function.h"

namespace heddle::testing {
namespace {

using namespace finalizer::spmd;

/// Returns the type of the operands of the comparison %c in a function with these statements.
std::string compared(const std::string& statements) {
  SpmdModule module(R"(
    define void @f(ptr %context, i8 %a, i8 %b, i16 %h, i32 %w, ptr %p) {
      %x = zext i8 %a to i32
      %y = zext i8 %b to i32
      %z = zext i16 %h to i32
  )" + statements + R"(
      %result = zext i1 %c to i32
      store i32 %result, ptr %p
      ret void
    })");
  narrow_comparisons(module.function());
  std::string text;
  llvm::raw_string_ostream out(text);
  if (llvm::verifyFunction(module.function(), &out)) return text;
  for (const llvm::Instruction& instruction : llvm::instructions(module.function()))
    if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
      out << *comparison->getOperand(0)->getType() << (comparison->isSigned() ? " signed" : "");
  return text;
}

TEST(Narrow, SumsOfBytes) {
  EXPECT_EQ(compared("%s = add i32 %x, %y\n %c = icmp eq i32 %s, 3"), "i16");
  EXPECT_EQ(compared("%s = add i32 %x, %y\n %t = or i32 %s, %z\n %c = icmp ult i32 %t, 1000"), "i16");
}

TEST(Narrow, BytesStayBytes) {
  EXPECT_EQ(compared("%s = xor i32 %x, %y\n %t = and i32 %s, 15\n %c = icmp ne i32 %t, 3"), "i8");
  EXPECT_EQ(compared("%k = icmp ult i8 %a, 7\n %s = select i1 %k, i32 %x, i32 %y\n %c = icmp ne i32 %s, 3"),
            "i8i8");
}

/// A product of two bytes has 16 bits, and twice the product has 17.
TEST(Narrow, IfNoNumberCanHaveMoreBits) {
  EXPECT_EQ(compared("%s = mul i32 %x, %y\n %c = icmp ugt i32 %s, 65000"), "i16");
  EXPECT_EQ(compared("%s = mul i32 %x, %y\n %t = mul i32 %s, 2\n %c = icmp ugt i32 %t, 65000"), "i32");
  EXPECT_EQ(compared("%s = add i32 %z, %x\n %c = icmp ugt i32 %s, 3"), "i32");
  EXPECT_EQ(compared("%s = add i32 %x, %y\n %c = icmp ugt i32 %s, 65536"), "i32");
  EXPECT_EQ(compared("%s = sub i32 %x, %y\n %c = icmp ugt i32 %s, 3"), "i32");
  EXPECT_EQ(compared("%s = add i32 %x, %w\n %t = add i32 %s, %y\n %c = icmp eq i32 %t, 3"), "i32");
}

/// Numbers that are extended with zeros are not negative, so that signs need not be compared; with fewer bits
/// they could seem negative.
TEST(Narrow, ComparisonsOfSignedNumbers) {
  EXPECT_EQ(compared("%s = mul i32 %x, %y\n %c = icmp slt i32 %s, 40000"), "i16");
  EXPECT_EQ(compared("%s = add i32 %x, %y\n %c = icmp sgt i32 %s, -1"), "i32 signed");
}

TEST(Narrow, NotIfANumberIsNeededWithAllBits) {
  EXPECT_EQ(compared("%s = add i32 %x, %y\n store i32 %s, ptr %p\n %c = icmp eq i32 %s, 3"), "i32");
}

/// A chain of additions of bytes, as long as no number can reach 2^16.
TEST(Narrow, LongSums) {
  const auto sum = [](int length) {
    std::string statements = "%s0 = add i32 %x, %y\n";
    for (int i = 1; i <= length; ++i)
      statements += "%s" + std::to_string(i) + " = add i32 %s" + std::to_string(i - 1) + ", %x\n";
    return statements + "%c = icmp eq i32 %s" + std::to_string(length) + ", 3";
  };
  EXPECT_EQ(compared(sum(40)), "i16");
  EXPECT_EQ(compared(sum(1000)), "i32");
}

/// In a block that is not reached, an instruction may use itself.
TEST(Narrow, LeavesUnreachableCodeAlone) {
  EXPECT_EQ(compared("br label %end\nnever:\n %s = add i32 %s, %x\n %t = add i32 %s, %y\n"
                     " %d = icmp eq i32 %t, 3\n br label %end\nend:\n %c = icmp eq i32 %x, 3"),
            "i32i32");
}

}  // namespace
}  // namespace heddle::testing
