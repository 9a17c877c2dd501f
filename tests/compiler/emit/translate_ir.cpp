// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// translate_ir FILE [LEVEL] [--lockstep]: prints the HSAIL text of a module in LLVM IR, or why there is none.
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/translate.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  llvm::LLVMContext context;
  llvm::SMDiagnostic mistake;
  const auto module = llvm::parseIRFile(argv[1], mistake, context);
  if (!module) {
    mistake.print("translate_ir", llvm::errs());
    return 1;
  }
  heddle::compiler::TranslateOptions options;
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--lockstep") {
      options.lockstep = true;
    } else {
      options.level = static_cast<heddle::compiler::Level>(argv[i][0]);
    }
  }
  heddle::Diagnostics diagnostics(argv[1]);
  const auto text = translate(*module, options, diagnostics);
  fmt::print(stderr, "{}", diagnostics.print());
  if (!text) return 1;
  fmt::print("{}", *text);
  return 0;
}
