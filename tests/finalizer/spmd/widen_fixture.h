// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the waves of functions that tests write down with their work-items.
#pragma once

#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>

#include "widened.h"

namespace heddle::testing {

/// What functions begin with: the addresses of the work-item's memory.
inline std::string own_memory(unsigned lane_bytes) {
  return "  %id64 = zext i32 %id to i64\n  %off = mul i64 %id64, " + std::to_string(lane_bytes) +
         "\n  %src = getelementptr i8, ptr %mine, i64 %off\n  %dst = getelementptr i8, ptr %out, i64 %off\n";
}

class WidenFixture : public ::testing::Test {
 protected:
  void parse(const std::string& body, unsigned lane_bytes, const std::string& declarations = "") {
    llvm::SMDiagnostic error;
    const std::string layout = "target datalayout = \"e-m:e-p:64:64-i64:64-i128:128-n8:16:32:64-S128\"\n";
    module_ = llvm::parseAssemblyString(
        layout + declarations + wave_function_head + own_memory(lane_bytes) + body + "  ret void\n}\n", error,
        context_);
    if (!module_) throw std::runtime_error(error.getMessage().str() + "\n" + error.getLineContents().str());
  }

  /// Compares the waves of a function with this body with its work-items, for all machines with some of the
  /// bodies and masks.
  void check(const std::string& body, unsigned lane_bytes = 4, const std::string& declarations = "") {
    parse(body, lane_bytes, declarations);
    std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(body)));
    const auto forms = all_forms();
    for (size_t i = random() % 4; i < forms.size(); i += 1 + random() % sparse_) {
      WideForm form = forms[i];
      form.optimise = random() % 2 == 0;
      ASSERT_EQ(wave_difference({module_.get(), lane_bytes}, form, random, 6), "") << form.name();
    }
  }

  /// Widens a function with this body and returns what is wrong, or why it is refused.
  std::string error_of(const std::string& body, const std::string& declarations = "") {
    parse(body, 4, declarations);
    return Widened(*module_, {{8, 8}}).error();
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  unsigned sparse_ = 7;  ///< how far apart the forms are, at most, that check() takes
};

}  // namespace heddle::testing
