// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be translated is an error with an id, the construct, and where it is.
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include "compiler/translate.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Returns what the translation of this module reports. Fails if the translation succeeds.
std::string report_for(const std::string& source) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic mistake;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(source, mistake, context);
  if (!module) return "the test's module does not parse: " + mistake.getMessage().str();
  heddle::Diagnostics diagnostics("test.ll");
  const auto text = heddle::compiler::translate(*module, {.module_name = "test"}, diagnostics);
  EXPECT_FALSE(text.ok());
  return diagnostics.print();
}

TEST(CompilerDiagnostics, ModulesForOtherMachinesAreRefused) {
  EXPECT_THAT(report_for("target triple = \"x86_64-pc-linux-gnu\"\n"
                         "define void @f() {\n"
                         "  ret void\n"
                         "}\n"),
              AllOf(HasSubstr("COMPILER-triple"), HasSubstr("x86_64-pc-linux-gnu")));
}

TEST(CompilerDiagnostics, AnInstructionThatHsailCannotSayIsNamedWithItsFunction) {
  EXPECT_THAT(report_for("target triple = \"amdgcn-amd-amdhsa\"\n"
                         "define amdgpu_kernel void @speaks_assembly() {\n"
                         "  call void asm sideeffect \"s_nop 0\", \"\"()\n"
                         "  ret void\n"
                         "}\n"),
              AllOf(HasSubstr("COMPILER-unsupported"), HasSubstr("speaks_assembly")));
}

TEST(CompilerDiagnostics, AVariableThatHsailCannotSayIsNamed) {
  EXPECT_THAT(report_for("target triple = \"amdgcn-amd-amdhsa\"\n"
                         "@far = internal addrspace(3) global i32 undef, align 1024\n"
                         "define amdgpu_kernel void @reads(ptr addrspace(1) %out) {\n"
                         "  %value = load volatile i32, ptr addrspace(3) @far\n"
                         "  store i32 %value, ptr addrspace(1) %out\n"
                         "  ret void\n"
                         "}\n"),
              AllOf(HasSubstr("COMPILER-unsupported"), HasSubstr("far")));
}

// What a kernel with these lines and variables is refused for.
std::string report_for_kernel(const std::string& lines, const std::string& variables = {}) {
  return report_for("target triple = \"amdgcn-amd-amdhsa\"\n" + variables +
                    "define amdgpu_kernel void @k(ptr addrspace(1) %out) {\n" + lines + "  ret void\n}\n");
}

TEST(CompilerDiagnostics, AddressesOfBlocks) {
  EXPECT_THAT(report_for_kernel("  store volatile ptr blockaddress(@k, %there), ptr addrspace(1) %out\n"
                                "  br label %there\nthere:\n"),
              AllOf(HasSubstr("COMPILER-unsupported"), HasSubstr("blockaddress")));
}

TEST(CompilerDiagnostics, FunctionsThatAreChosenWhenAProgramIsLoaded) {
  EXPECT_THAT(report_for_kernel("  call void @chosen()\n",
                                "@chosen = internal ifunc void (), ptr @choose\n"
                                "define internal ptr @choose() {\n  ret ptr null\n}\n"),
              AllOf(HasSubstr("COMPILER-unsupported"), HasSubstr("@chosen")));
}

TEST(CompilerDiagnostics, VariablesOfThreads) {
  EXPECT_THAT(report_for_kernel("  %v = load volatile i32, ptr addrspace(1) @own\n",
                                "@own = thread_local addrspace(1) global i32 5\n"),
              AllOf(HasSubstr("each thread"), HasSubstr("own")));
}

TEST(CompilerDiagnostics, AddressSpacesWithoutASegment) {
  for (const char* space : {"2", "6", "7", "8", "9"})
    EXPECT_THAT(report_for_kernel("  store volatile ptr addrspace(" + std::string(space) +
                                  ") undef, ptr addrspace(1) %out\n"),
                HasSubstr("a value of type ptr addrspace(" + std::string(space) + ") cannot be translated"));
}

TEST(CompilerDiagnostics, ExponentsOfMoreThan64Bits) {
  EXPECT_THAT(report_for_kernel("  %n = load i128, ptr addrspace(1) %out\n"
                                "  %v = call double @llvm.ldexp.f64.i128(double 1.0, i128 %n)\n"
                                "  store double %v, ptr addrspace(1) %out\n",
                                "declare double @llvm.ldexp.f64.i128(double, i128)\n"),
              HasSubstr("an exponent of more than 64 bits"));
}

TEST(CompilerDiagnostics, AlignmentsThatHsailDoesNotHave) {
  EXPECT_THAT(report_for_kernel("  %v = alloca i32, align 512, addrspace(5)\n"
                                "  store volatile i32 1, ptr addrspace(5) %v\n"),
              HasSubstr("an alignment of 512 bytes"));
}

}  // namespace
