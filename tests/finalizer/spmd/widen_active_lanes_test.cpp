// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is promised of the lanes that execute an instruction says nothing of the others.
#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>

#include "widen_fixture.h"

namespace heddle::testing {
namespace {

using finalizer::spmd::Body;
using llvm::Instruction;

class WidenActiveLanes : public WidenFixture {};

constexpr const char* width_all = "!0 = !{i32 34}\n";

/// The lanes behind the first branch agree on the address, and lane 0 is mostly none of them.
TEST_F(WidenActiveLanes, PromisedAddresses) {
  sparse_ = 2;
  check(R"(
    %k = and i32 %a, 3
    %v = and i32 %u, 3
    %c = icmp eq i32 %k, %v
    br i1 %c, label %then, label %end
  then:
    %index = zext i32 %k to i64
    %place = getelementptr i64, ptr %in, i64 %index
    %loaded = load i32, ptr %place, !hsail.width !0
    %odd = trunc i32 %k to i1
    br i1 %odd, label %one, label %other
  one:
    %more = add i32 %loaded, 1
    store i32 %more, ptr %dst
    br label %end
  other:
    %less = xor i32 %loaded, %b
    store i32 %less, ptr %dst
    br label %end
  end:
  )",
        4, width_all);
}

/// If the test of the bits in which lanes differ says so, one access is enough for the lanes that are active.
TEST_F(WidenActiveLanes, AddressesThatMostlyAgree) {
  sparse_ = 2;
  check(R"(
    %c = icmp ult i32 %a, 2147483648
    br i1 %c, label %then, label %end
  then:
    %number = add i32 %id, %u
    %high = and i32 %number, 32
    %index = zext i32 %high to i64
    %place = getelementptr i32, ptr %in, i64 %index
    %loaded = load i32, ptr %place
    store i32 %loaded, ptr %dst
    br label %end
  end:
  )",
        4);
}

/// Lane 0, of which strided values are computed, need not be active. Uniform values are those of active
/// lanes.
TEST_F(WidenActiveLanes, FlagsOfScalars) {
  parse(R"(
    %c = icmp ult i32 %a, 100
    br i1 %c, label %then, label %end
  then:
    %far = shl nuw nsw i32 %id, 1
    %near = add nuw nsw i32 %u, 7
    %sum = xor i32 %far, %near
    store i32 %sum, ptr %dst
    br label %end
  end:
  )",
        4);
  Widened widened(*module_, {{8, 8}, false, Body::row, false, false});
  ASSERT_EQ(widened.error(), "");
  unsigned strided = 0, uniform = 0;
  for (const Instruction& instruction : llvm::instructions(*widened.wide().function)) {
    if (!instruction.getType()->isIntegerTy(32)) continue;
    if (instruction.getOpcode() == Instruction::Shl) {
      ++strided;
      EXPECT_FALSE(instruction.hasNoUnsignedWrap() || instruction.hasNoSignedWrap());
    } else if (instruction.getOpcode() == Instruction::Add) {
      ++uniform;
      EXPECT_TRUE(instruction.hasNoUnsignedWrap() && instruction.hasNoSignedWrap());
    }
  }
  EXPECT_EQ(strided, 1u) << widened.text();
  EXPECT_EQ(uniform, 1u) << widened.text();
}

}  // namespace
}  // namespace heddle::testing
