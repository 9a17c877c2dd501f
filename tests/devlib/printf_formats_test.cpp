// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devlib/opencl/printf_formats.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <string>

namespace heddle::testing {
namespace {

// As LLVM makes it of printf("%v4hlf", v), with a string copied behind the vector.
constexpr const char* record = R"(
declare ptr addrspace(1) @__printf_alloc(i32)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
define void @f(<4 x float> %v, ptr addrspace(1) %other) {
  %p = call ptr addrspace(1) @__printf_alloc(i32 20)
  store i32 1, ptr addrspace(1) %p, align 4
  %q = getelementptr i8, ptr addrspace(1) %p, i32 4
  store <4 x float> %v, ptr addrspace(1) %q, align 16
  %r = getelementptr i8, ptr addrspace(1) %q, i32 16
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 8 %r, ptr addrspace(1) align 8 %other, i64 8, i1 false)
  store <4 x float> %v, ptr addrspace(1) %other, align 16
  ret void
}
)";

class PrintfFormatsOfModules : public ::testing::Test {
 protected:
  void parse(const std::string& text) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(text, error, context_);
    ASSERT_TRUE(module_) << error.getMessage().str();
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(PrintfFormatsOfModules, BecomeAVariable) {
  parse(R"(!llvm.printf.fmts = !{!0, !1, !1}
!0 = !{!"1:1:16:%v4hlf"}
!1 = !{!"0:0:4a263a6300f2bd05,%d\0A"}
)");
  const auto kept = devlib::keep_printf_formats(*module_);
  ASSERT_TRUE(kept.ok());
  EXPECT_TRUE(*kept);
  const llvm::GlobalVariable* const variable = module_->getNamedGlobal("__heddle_printf_formats");
  ASSERT_NE(variable, nullptr);
  EXPECT_EQ(variable->getAddressSpace(), 1U);
  const std::string expected = std::string("1:1:16:%v4hlf") + '\0' + "0:0:4a263a6300f2bd05,%d\n" + '\0';
  EXPECT_EQ(llvm::cast<llvm::ConstantDataArray>(variable->getInitializer())->getAsString().str(), expected);
  EXPECT_NE(module_->getNamedGlobal("llvm.compiler.used"), nullptr) << "optimisation must not remove it";
}

TEST_F(PrintfFormatsOfModules, AreNotThereWithoutPrintf) {
  parse("");
  const auto kept = devlib::keep_printf_formats(*module_);
  ASSERT_TRUE(kept.ok());
  EXPECT_FALSE(*kept);
  EXPECT_EQ(module_->getNamedGlobal("__heddle_printf_formats"), nullptr);
}

TEST_F(PrintfFormatsOfModules, WithTheSameNumberAreAnError) {
  parse(R"(!llvm.printf.fmts = !{!0, !1}
!0 = !{!"1:0:a"}
!1 = !{!"1:0:b"}
)");
  EXPECT_FALSE(devlib::keep_printf_formats(*module_).ok());
}

TEST_F(PrintfFormatsOfModules, RecordsAreAlignedTo4Bytes) {
  parse(record);
  ASSERT_TRUE(devlib::keep_printf_formats(*module_).ok());
  std::vector<uint64_t> alignments;
  for (const llvm::Instruction& instruction : llvm::instructions(*module_->getFunction("f"))) {
    if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      alignments.push_back(store->getAlign().value());
    if (const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        call && call->arg_size() == 4) {
      alignments.push_back(call->getParamAlign(0)->value());
      alignments.push_back(call->getParamAlign(1)->value());
    }
  }
  EXPECT_EQ(alignments, (std::vector<uint64_t>{4, 4, 4, 8, 16}));
}

}  // namespace
}  // namespace heddle::testing
