// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/selection_defects.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "compile.h"
#include "finalizer/x86/machine.h"
#include "machine_code.h"

namespace heddle::finalizer::x86 {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Compiles the function f for x86-64-v4 after the rewriting, and returns the assembly language.
std::string compiled(const char* text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module) return "";
  EXPECT_TRUE(avoid_selection_defects(*module->getFunction("f"), Level::v4));
  EXPECT_FALSE(avoid_selection_defects(*module->getFunction("f"), Level::v4)) << "must be done once";
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  const PooledTargetMachine machine(Level::v4, 2);
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> assembly;
  llvm::raw_svector_ostream out(assembly);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile);
  passes.run(*module);
  return assembly.str().str();
}

/// The passed function must not have VPTERNLOG with a mask, whatever its length and element type.
TEST(SelectionDefects, BitsOfTwoValuesAreNotSelectedUnderAMask) {
  for (const char* vector : {"4 x i32", "16 x i32", "8 x i64", "2 x i32", "16 x i64"}) {
    const std::string type = std::string("<") + vector + ">";
    const std::string element = type.substr(type.find('i'), 3);
    const std::string mask = type.substr(0, type.find('i')) + "i1>";
    for (const char* arms : {"%or, %x", "%or, %y", "%x, %or"}) {
      std::string both = arms;
      both.insert(both.find(", ") + 2, type + " ");
      const std::string text = "define " + type + " @f(" + type + " %x, " + type + " %y, " + mask +
                               " %m) {\n" + "  %a = and " + type + " %x, splat (" + element + " 255)\n" +
                               "  %b = and " + type + " %y, splat (" + element + " -256)\n" + "  %or = or " +
                               type + " %a, %b\n" + "  %r = select " + mask + " %m, " + type + " " + both +
                               "\n" + "  ret " + type + " %r\n}\n";
      EXPECT_THAT(compiled(text.c_str()), Not(ContainsRegex("vpternlog[^\n]*\\{%k"))) << text;
    }
  }
}

/// The comparison is gone if the square root took the place of the NaN.
TEST(SelectionDefects, ANanInsteadOfASquareRootStays) {
  struct Case {
    const char *type, *suffix, *mask, *nan;
  };
  for (const Case& one : {Case{"float", "f32", "i1", "0x7FFF1BD5A0000000"},
                          {"double", "f64", "i1", "0x7FF8DEADDEADDEAD"},
                          {"<16 x float>", "v16f32", "<16 x i1>", "splat (float 0x7FFF1BD5A0000000)"},
                          {"<32 x float>", "v32f32", "<32 x i1>", "splat (float 0x7FFF1BD5A0000000)"},
                          {"<4 x double>", "v4f64", "<4 x i1>", "splat (double 0x7FF8DEADDEADDEAD)"}}) {
    const std::string text = fmt::format(
        "define {0} @f({0} %x) {{\n"
        "  %c = fcmp ult {0} %x, zeroinitializer\n"
        "  %s = call {0} @llvm.sqrt.{1}({0} %x)\n"
        "  %r = select {2} %c, {0} {3}, {0} %s\n"
        "  ret {0} %r\n}}\n",
        one.type, one.suffix, one.mask, one.nan);
    EXPECT_THAT(compiled(text.c_str()), ContainsRegex("vcmp|vucomis")) << text;
  }
}

TEST(SelectionDefects, OneElementIsStoredWithItsSize) {
  const std::string code = compiled(R"(
    define void @f(ptr %place, <4 x i32> %values) {
      %narrow = trunc <4 x i32> %values to <4 x i8>
      call void @llvm.masked.store.v4i8.p0(<4 x i8> %narrow, ptr align 4 %place,
                                           <4 x i1> <i1 false, i1 false, i1 true, i1 false>)
      ret void
    })");
  EXPECT_THAT(code, HasSubstr("movb"));
  EXPECT_THAT(code, HasSubstr("2(%rdi)"));
}

TEST(SelectionDefects, OtherCodeIsLeftAlone) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(R"(
    define <4 x i32> @f(ptr %place, <4 x i32> %x, <4 x i32> %y, <4 x i1> %m, <4 x i128> %long) {
      %sum = add <4 x i32> %x, %y
      %or = or <4 x i32> %x, %y
      %kept = select <4 x i1> %m, <4 x i32> %sum, <4 x i32> %x
      %zeroed = select <4 x i1> %m, <4 x i32> %or, <4 x i32> zeroinitializer
      call void @llvm.masked.store.v4i32.p0(<4 x i32> %kept, ptr align 4 %place,
                                            <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
      call void @llvm.masked.store.v4i32.p0(<4 x i32> %kept, ptr align 4 %place, <4 x i1> %m)
      %product = mul <4 x i128> %long, splat (i128 723)
      %half = lshr <4 x i128> %product, splat (i128 64)
      %short = trunc <4 x i128> %half to <4 x i16>
      store <4 x i16> %short, ptr %place
      ret <4 x i32> %zeroed
    })",
                                                error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  EXPECT_FALSE(avoid_selection_defects(*module->getFunction("f"), Level::v4));
}

/// The function counts the lanes of its mask, which is copied for that, and stores for these lanes.
TEST(MaskMoves, MasksStayWhereTheyAreStillNeeded) {
  for (const char* options : {"-O0", "-O2"}) {
    const auto compiled = heddle::testing::compile({.modules = {heddle::testing::module_header + R"(
indirect function &f(arg_u32 %r)() {
  activelanecount_u32_b1 $s1, 1;
  st_arg_u32 $s1, [%r];
  ret;
};
)"},
                                                    .isa = "heddle:x86-64-v4:w4",
                                                    .options = options});
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    const auto code = heddle::testing::disassemble(compiled.object.text);
    EXPECT_THAT(code, AllOf(Contains(HasSubstr("vpmovd2m")), Contains(HasSubstr("vpscatterqd")))) << options;
  }
}

}  // namespace
}  // namespace heddle::finalizer::x86
