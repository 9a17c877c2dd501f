// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of functions by waves. In these tests functions read their arguments from variables of the caller, as
// functions of HSAIL do, and the context is memory that all work-items share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "finalizer/spmd/speculation.h"
#include "finalizer/spmd/vectorise.h"
#include "finalizer/spmd/wave_functions.h"
#include "widen_fixture.h"

namespace heddle::testing {
namespace {

namespace spmd = finalizer::spmd;
using ::testing::HasSubstr;

class WidenCalls : public WidenFixture {
 protected:
  WidenCalls() { sparse_ = 5; }

  /// Returns the number of loops that the wave of a function with this body has for single lanes or callees.
  unsigned loops_of(const std::string& body, const std::string& declarations) {
    parse(body, 4, declarations);
    const Widened widened(*module_, {{8, 8}, true});  // which has scatters
    EXPECT_EQ(widened.error(), "");
    return widened.wide().lane_loops;
  }
};

/// Two functions that do different things with the same arguments.
constexpr const char* two_functions = R"(
  declare i64 @hsail.function.handle(i32) speculatable willreturn nounwind memory(none)
  define void @function.0(ptr %context, i32 %offset, ptr %result, ptr %x) {
    %v = load i32, ptr %x
    %p = getelementptr i8, ptr %context, i32 %offset
    %w = load i32, ptr %p
    %r = add i32 %v, %w
    store i32 %r, ptr %result
    ret void
  }
  define void @function.1(ptr %context, i32 %offset, ptr %result, ptr %x) {
    %v = load i32, ptr %x
    %w = mul i32 %v, %offset
    %c = icmp ult i32 %v, 5
    br i1 %c, label %small, label %large
  small:
    store i32 %w, ptr %result
    ret void
  large:
    %r = xor i32 %w, -1
    store i32 %r, ptr %result
    ret void
  }
  !0 = !{i32 34}  ; width(all)
)";

/// Calls a function that `choose` sets the handle %h of, where `c` holds.
std::string call_by_handle(const std::string& choose, const std::string& metadata = "") {
  return R"(
    %x.variable = alloca i32
    store i32 %b, ptr %x.variable
    %offset = and i32 %b, 255
    %h0 = call i64 @hsail.function.handle(i32 0)
    %h1 = call i64 @hsail.function.handle(i32 1)
    %c = icmp slt i32 %a, 4
    %odd = trunc i32 %u to i1
  )" + choose +
         R"(
    br i1 %c, label %then, label %end
  then:
    %f = inttoptr i64 %h to ptr
    call void %f(ptr %in, i32 %offset, ptr %dst, ptr %x.variable) convergent nounwind)" +
         metadata + "\n    br label %end\n  end:\n";
}

constexpr const char* different_handles =
    "%low = trunc i32 %b to i1\n%h = select i1 %low, i64 %h0, i64 %h1\n";
constexpr const char* uniform_handle = "%h = select i1 %odd, i64 %h0, i64 %h1\n";
/// Lanes that are not active have other handles, of which some are no functions.
constexpr const char* agreed_handle =
    "%k = select i1 %odd, i64 %h0, i64 %h1\n%h = select i1 %c, i64 %k, i64 %x\n";

// ---- direct calls

TEST_F(WidenCalls, UnderDivergence) {
  check(R"(
    %p = alloca i32
    store i32 %a, ptr %p
    %offset = and i32 %b, 255
    %c = icmp slt i32 %a, 4
    br i1 %c, label %then, label %else
  then:
    call void @function.0(ptr %in, i32 %offset, ptr %dst, ptr %p)
    br label %end
  else:
    %own = getelementptr i8, ptr %dst, i64 4
    call void @function.1(ptr %in, i32 %offset, ptr %own, ptr %p)
    br label %end
  end:
    %last = getelementptr i8, ptr %dst, i64 8
    call void @function.1(ptr %in, i32 %u, ptr %last, ptr %p)
  )",
        12, two_functions);
}

TEST_F(WidenCalls, InLoops) {
  check(R"(
    %p = alloca i32
    %limit = and i32 %a, 3
    store i32 %b, ptr %p
    br label %loop
  loop:
    %i = phi i32 [0, %0], [%next, %loop]
    call void @function.1(ptr %in, i32 %i, ptr %p, ptr %p)
    %next = add i32 %i, 1
    %more = icmp ult i32 %i, %limit
    br i1 %more, label %loop, label %end
  end:
    %r = load i32, ptr %p
    store i32 %r, ptr %dst
  )",
        4, two_functions);
}

TEST_F(WidenCalls, ArgumentsOfManyTypes) {
  check(R"(
    %flag = icmp slt i32 %a, %b
    %float = sitofp i32 %a to float
    %packed = bitcast i64 %x to <4 x i16>
    %byte = trunc i32 %b to i8
    call void @function.0(ptr %in, i1 %flag, float %float, <4 x i16> %packed, i8 %byte, i32 %id, i32 %u, ptr %dst)
    %below = icmp ult i32 %u, 4
    %own = getelementptr i8, ptr %dst, i64 8
    call void @function.0(ptr %in, i1 %below, float 1.0, <4 x i16> %packed, i8 3, i32 %b, i32 %id, ptr %own)
  )",
        16, R"(
  define void @function.0(ptr %context, i1 %flag, float %float, <4 x i16> %packed, i8 %byte, i32 %id, i32 %u, ptr %result) {
    %truth = zext i1 %flag to i32
    %bits = bitcast float %float to i32
    %extended = sext i8 %byte to i32
    %1 = mul i32 %id, %u
    %2 = xor i32 %1, %bits
    %3 = add i32 %2, %extended
    %4 = shl i32 %3, %truth
    %5 = trunc i32 %4 to i16
    %6 = insertelement <4 x i16> %packed, i16 %5, i32 1
    store <4 x i16> %6, ptr %result, align 2
    ret void
  })");
}

/// Work-items return in different places, or would stop.
TEST_F(WidenCalls, ReturnsUnderDivergence) {
  check(
      "call void @function.0(ptr %in, i32 %a, ptr %dst)\n%own = getelementptr i8, ptr %dst, i64 4\n"
      "store i32 %b, ptr %own\n",
      8, R"(
  declare void @hsail.trap(i32, i32) convergent noreturn nounwind
  define void @function.0(ptr %context, i32 %n, ptr %result) {
    %limit = and i32 %n, 7
    br label %loop
  loop:
    %i = phi i32 [0, %0], [%next, %latch]
    %s = phi i32 [%n, %0], [%t, %latch]
    %t = mul i32 %s, 3
    %large = icmp ugt i32 %t, 3000000000
    br i1 %large, label %found, label %latch
  found:
    store i32 %i, ptr %result
    ret void
  latch:
    %next = add i32 %i, 1
    %more = icmp ult i32 %next, %limit
    br i1 %more, label %loop, label %end
  end:
    %never = icmp ugt i32 %limit, 7
    br i1 %never, label %stop, label %last
  stop:
    call void @hsail.trap(i32 1, i32 2)
    unreachable
  last:
    store i32 %t, ptr %result
    ret void
  })");
}

/// Functions see the lanes that call them as the active ones.
TEST_F(WidenCalls, ActiveLanesOfFunctions) {
  check(R"(
    %l = call i32 @hsail.laneid()
    %odd = trunc i32 %l to i1
    br i1 %odd, label %then, label %end
  then:
    call void @function.0(ptr %in, ptr %dst)
    br label %end
  end:
  )",
        16, R"(
  declare i32 @hsail.laneid() speculatable willreturn nounwind memory(none)
  declare i32 @hsail.workitemid(i32) speculatable willreturn nounwind memory(none)
  declare i32 @hsail.activelanecount(i32) convergent willreturn nounwind memory(none)
  declare i64 @hsail.activelanemask(i32, i32) convergent willreturn nounwind memory(none)
  define void @function.0(ptr %context, ptr %result) convergent {
    %count = call i32 @hsail.activelanecount(i32 3)
    %mask = call i64 @hsail.activelanemask(i32 3, i32 0)
    %id = call i32 @hsail.workitemid(i32 0)
    %p = getelementptr i8, ptr %result, i64 4
    %q = getelementptr i8, ptr %result, i64 12
    store i32 %count, ptr %result
    store i64 %mask, ptr %p, align 4
    store i32 %id, ptr %q
    ret void
  })");
}

TEST_F(WidenCalls, BarriersAreForTheWave) {
  parse("call void @function.0(ptr %in, i32 0)\n", 4, R"(
  declare void @hsail.barrier() convergent nounwind
  define void @function.0(ptr %context, i32 %offset) convergent {
    call void @hsail.barrier()
    ret void
  })");
  const Widened widened(*module_, {{16, 8}});
  ASSERT_EQ(widened.error(), "");
  const std::string call = "call void @hsail.barrier()", text = widened.text();
  ASSERT_THAT(text, HasSubstr(call));
  EXPECT_EQ(text.find(call), text.rfind(call)) << text;
}

// ---- recursion

TEST_F(WidenCalls, Factorial) {
  check(R"(
    %p = alloca i32
    %n = and i32 %a, 15
    store i32 %n, ptr %p
    call void @factorial(ptr %in, i32 0, ptr %dst, ptr %p)
  )",
        4, R"(
  define void @factorial(ptr %context, i32 %offset, ptr %result, ptr %n) {
    %argument = alloca i32
    %product = alloca i32
    %v = load i32, ptr %n
    %small = icmp ult i32 %v, 2
    br i1 %small, label %base, label %more
  base:
    store i32 1, ptr %result
    ret void
  more:
    %less = sub i32 %v, 1
    store i32 %less, ptr %argument
    call void @factorial(ptr %context, i32 %offset, ptr %product, ptr %argument)
    %w = load i32, ptr %product
    %r = mul i32 %v, %w
    store i32 %r, ptr %result
    ret void
  })");
}

TEST_F(WidenCalls, Fibonacci) {
  check(R"(
    %p = alloca i32
    %n = and i32 %a, 7
    store i32 %n, ptr %p
    %c = icmp slt i32 %b, 6
    br i1 %c, label %then, label %end
  then:
    call void @fibonacci(ptr %in, i32 0, ptr %dst, ptr %p)
    br label %end
  end:
  )",
        4, R"(
  define void @fibonacci(ptr %context, i32 %offset, ptr %result, ptr %n) {
    %argument = alloca i32
    %first = alloca i32
    %second = alloca i32
    %v = load i32, ptr %n
    %small = icmp ult i32 %v, 2
    br i1 %small, label %base, label %more
  base:
    store i32 %v, ptr %result
    ret void
  more:
    %one = sub i32 %v, 1
    store i32 %one, ptr %argument
    call void @fibonacci(ptr %context, i32 %offset, ptr %first, ptr %argument)
    %two = sub i32 %v, 2
    store i32 %two, ptr %argument
    call void @fibonacci(ptr %context, i32 %offset, ptr %second, ptr %argument)
    %x = load i32, ptr %first
    %y = load i32, ptr %second
    %r = add i32 %x, %y
    store i32 %r, ptr %result
    ret void
  })");
}

TEST_F(WidenCalls, MutualRecursion) {
  check(R"(
    %n = and i32 %a, 15
    call void @even(ptr %in, i32 %n, ptr %dst)
  )",
        4, R"(
  define void @even(ptr %context, i32 %n, ptr %result) {
    %zero = icmp eq i32 %n, 0
    br i1 %zero, label %yes, label %more
  yes:
    store i32 2, ptr %result
    ret void
  more:
    %less = sub i32 %n, 1
    call void @odd(ptr %context, i32 %less, ptr %result)
    ret void
  }
  define void @odd(ptr %context, i32 %n, ptr %result) {
    %zero = icmp eq i32 %n, 0
    br i1 %zero, label %no, label %more
  no:
    store i32 1, ptr %result
    ret void
  more:
    %less = sub i32 %n, 1
    call void @even(ptr %context, i32 %less, ptr %result)
    ret void
  })");
}

// ---- indirect calls

TEST_F(WidenCalls, DifferentHandles) {
  sparse_ = 3;
  check(call_by_handle(different_handles), 4, two_functions);
  EXPECT_EQ(loops_of(call_by_handle(different_handles), two_functions), 1u);
}

TEST_F(WidenCalls, HandlesOfInactiveLanesAreAnything) {
  check(call_by_handle(agreed_handle), 4, two_functions);
}

TEST_F(WidenCalls, UniformHandle) {
  check(call_by_handle(uniform_handle), 4, two_functions);
  EXPECT_EQ(loops_of(call_by_handle(uniform_handle), two_functions), 0u);
}

TEST_F(WidenCalls, PromisedHandle) {
  const std::string body = call_by_handle(agreed_handle, ", !hsail.width !0");
  check(body, 4, two_functions);
  EXPECT_EQ(loops_of(body, two_functions), 0u);
}

/// The index of scall has become a switch. Which function a lane calls is up to the lane, or promised.
TEST_F(WidenCalls, ByIndex) {
  for (const bool is_promised : {false, true}) {
    const std::string index = is_promised ? "%k = select i1 %c, i32 %u, i32 %b" : "%k = and i32 %b, 1";
    check("%p = alloca i32\nstore i32 %b, ptr %p\n%offset = and i32 %b, 255\n%c = icmp slt i32 %a, 4\n" +
              index +
              R"(
    br i1 %c, label %then, label %end
  then:
    switch i32 %k, label %other [ i32 0, label %zero ])" +
              (is_promised ? ", !hsail.width !0" : "") + R"(
  zero:
    call void @function.0(ptr %in, i32 %offset, ptr %dst, ptr %p)
    br label %after
  other:
    call void @function.1(ptr %in, i32 %offset, ptr %dst, ptr %p)
    br label %after
  after:
    br label %end
  end:
  )",
          4, two_functions);
  }
}

/// Two functions that call themselves and each other by handles, each work-item in an order of its own.
TEST_F(WidenCalls, RecursionByHandle) {
  const auto function = [](const std::string& number, const std::string& operation) {
    return "define void @function." + number + R"((ptr %context, i32 %n, ptr %result) {
    %h0 = call i64 @hsail.function.handle(i32 0)
    %h1 = call i64 @hsail.function.handle(i32 1)
    %v = load i32, ptr %result
    %w = )" +
           operation + R"( i32 %v, 5
    store i32 %w, ptr %result
    %end = icmp eq i32 %n, 0
    br i1 %end, label %done, label %more
  done:
    ret void
  more:
    %bit = trunc i32 %n to i1
    %h = select i1 %bit, i64 %h1, i64 %h0
    %f = inttoptr i64 %h to ptr
    %rest = lshr i32 %n, 1
    call void %f(ptr %context, i32 %rest, ptr %result) convergent nounwind
    ret void
  }
)";
  };
  check("%n = and i32 %b, 31\nstore i32 %a, ptr %dst\ncall void @function.0(ptr %in, i32 %n, ptr %dst)\n", 4,
        "declare i64 @hsail.function.handle(i32) speculatable willreturn nounwind memory(none)\n" +
            function("0", "add") + function("1", "mul"));
}

// ---- rules

TEST_F(WidenCalls, SaysWhyItRefuses) {
  const std::string others = std::string(two_functions) +
                             "declare void @other(ptr)\n"
                             "declare i32 @result(ptr)\n";
  EXPECT_THAT(error_of("call void @other(ptr %in)\n", others),
              HasSubstr("the callee has no form for waves:  call void @other"));
  EXPECT_THAT(error_of("call void @function.0(ptr %in, i32 1)\n", others),
              HasSubstr("the callee has no form for waves"));
  EXPECT_THAT(error_of("%r = call i32 @result(ptr %in)\n", others), HasSubstr("not a function of HSAIL"));
  EXPECT_THAT(error_of("call void %in()\n", others), HasSubstr("not a function of HSAIL"));
  EXPECT_THAT(error_of("call void %in(ptr %dst)\n", others), HasSubstr("different contexts"));
  EXPECT_THAT(error_of("call void asm \"\", \"r\"(ptr %in)\n", others), HasSubstr("assembly"));
  EXPECT_EQ(error_of("call void %in(ptr %in)\n", others), "");
}

/// A target that makes no functions of waves has no handles of them, either.
TEST_F(WidenCalls, RefusesHandlesWithoutFunctions) {
  parse("", 4, R"(
  define void @body(ptr %context) {
    %h = load ptr, ptr %context
    call void %h(ptr %context) convergent
    ret void
  })");
  llvm::Function& body = *module_->getFunction("body");
  const auto refused = spmd::vectorise(body, {{{8, 8}, {false}}, spmd::BodyKind::general, 8, {}});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("functions have no form for waves:  call void"));
  const spmd::WaveFunctions functions;
  EXPECT_TRUE(spmd::vectorise(body, {{{8, 8}, {false}, &functions}, spmd::BodyKind::general, 8, {}}).ok());
}

/// Calls of the function may have been made already.
TEST_F(WidenCalls, KeepsTheDeclarationOfWhatItRefuses) {
  parse("call void @function.0(ptr %in, ptr %dst)\n", 4, R"(
  define internal void @function.0(ptr %context, ptr %own) {
    store i64 0, ptr %own
    store i1 true, ptr %own
    ret void
  })");
  Widened widened(*module_, {{8, 8}});
  EXPECT_THAT(widened.error(), HasSubstr("no place in memory"));
  const auto module = widened.take_module();
  const llvm::Function* declared = module->getFunction("function.0.wave");
  ASSERT_NE(declared, nullptr);
  EXPECT_TRUE(declared->empty());
  EXPECT_TRUE(declared->hasInternalLinkage());
  EXPECT_FALSE(declared->use_empty());
}

/// Even what a function without any effect does must not happen for nobody, as it may be endless.
TEST_F(WidenCalls, AreNotSpeculated) {
  parse("call void @function.0(ptr %in)\ncall void @function.1(ptr %in)\n", 4, R"(
  define void @function.0(ptr %context) {
    ret void
  }
  define void @function.1(ptr %context) nounwind memory(none) willreturn {
    ret void
  })");
  unsigned calls = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(*module_->getFunction("f"))) {
    if (!llvm::isa<llvm::CallInst>(instruction)) continue;
    ++calls;
    EXPECT_FALSE(spmd::is_speculatable(instruction));
  }
  EXPECT_EQ(calls, 2u);
}

std::string text_of(const llvm::FunctionType& type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

TEST_F(WidenCalls, DeclarationsOfFunctions) {
  parse("", 4, R"(
  define internal void @function.0(ptr %context, i32 %n, ptr %result) memory(argmem: readwrite) nounwind {
    store i32 %n, ptr %result
    ret void
  })");
  const llvm::Function& scalar = *module_->getFunction("function.0");
  const llvm::Function& avx2 = *spmd::declare_wave_function(scalar, {{8, 4}, {false}});
  EXPECT_EQ(text_of(*avx2.getFunctionType()),
            "void (ptr, <4 x i32>, <4 x i32>, <4 x i32>, <4 x i32>, <4 x ptr>, <4 x ptr>)");
  const llvm::Function& avx512 = *spmd::declare_wave_function(scalar, {{16, 16}, {true}});
  EXPECT_EQ(text_of(*avx512.getFunctionType()), "void (ptr, <16 x i1>, <16 x i32>, <16 x ptr>)");
  EXPECT_TRUE(avx512.hasInternalLinkage());
  EXPECT_TRUE(avx512.doesNotThrow());
  // LLVM would not find the arguments that are vectors of pointers.
  EXPECT_FALSE(avx512.onlyAccessesArgMemory());
}

TEST_F(WidenCalls, CopiesWithMask) {
  parse("", 4, R"(
  define void @function.0(ptr %context, i32 %n, ptr %result) {
    call void @function.0(ptr %context, i32 %n, ptr %result)
    ret void
  })");
  llvm::Function& scalar = *module_->getFunction("function.0");
  const llvm::Function& copy = spmd::clone_with_mask(scalar);
  EXPECT_EQ(text_of(*copy.getFunctionType()), "void (ptr, i1, i32, ptr)");
  const auto& call = llvm::cast<llvm::CallInst>(copy.getEntryBlock().front());
  EXPECT_EQ(call.getCalledFunction(), &scalar);
  EXPECT_EQ(call.getArgOperand(2), copy.getArg(3));
}

/// LLVM wants to know the place of a call between functions that have debug information.
TEST_F(WidenCalls, DebugInformation) {
  parse("call void @function.0(ptr %in, i32 %a, ptr %dst)\n", 4, R"(
  define internal void @function.0(ptr %context, i32 %n, ptr %result) !dbg !4 {
    %end = icmp ult i32 %n, 7
    br i1 %end, label %done, label %more, !dbg !5
  more:
    call void @function.0(ptr %context, i32 1, ptr %result), !dbg !5
    ret void, !dbg !5
  done:
    store i32 %n, ptr %result, !dbg !5
    ret void, !dbg !5
  }
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2}
  !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: LineTablesOnly)
  !1 = !DIFile(filename: "f.hsail", directory: "")
  !2 = !{i32 2, !"Debug Info Version", i32 3}
  !3 = !DISubroutineType(types: !{})
  !4 = distinct !DISubprogram(name: "fun", file: !1, line: 3, type: !3, unit: !0, spFlags: DISPFlagDefinition)
  !5 = !DILocation(line: 4, scope: !4)
)");
  Widened widened(*module_, {{8, 8}});
  ASSERT_EQ(widened.error(), "");
  const auto module = widened.take_module();
  std::string why;
  llvm::raw_string_ostream out(why);
  EXPECT_FALSE(llvm::verifyModule(*module, &out)) << why;
  const llvm::Function& wide = *module->getFunction("function.0.wave");
  ASSERT_NE(wide.getSubprogram(), nullptr);
  EXPECT_EQ(wide.getSubprogram()->getName(), "fun");
  for (const llvm::User* user : wide.users())
    if (const auto* call = llvm::cast<llvm::CallInst>(user); call->getFunction() == &wide)
      EXPECT_EQ(call->getDebugLoc().getLine(), 4u);
}

}  // namespace
}  // namespace heddle::testing
