// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine_code.h"

#include <gtest/gtest.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>

#include "compile.h"

namespace heddle::testing {
namespace {

/// Reports whether the instruction only moves values, changes the stack or transfers control.
bool only_moves(std::string_view mnemonic) {
  constexpr std::string_view beginnings[] = {"mov", "vmov", "push", "pop", "call", "ret", "j", "lea", "nop"};
  for (const std::string_view beginning : beginnings)
    if (mnemonic.starts_with(beginning)) return true;
  return mnemonic == "vzeroupper" || mnemonic == "data16";
}

/// Compiles a module and returns the intermediate form that the finalizer writes to `file`.
std::unique_ptr<llvm::Module> dumped_module(const std::string& text, const char* options, const char* file,
                                            llvm::LLVMContext& context) {
  std::string folder = (std::filesystem::temp_directory_path() / "heddle-dump.XXXXXX").string();
  if (!::mkdtemp(folder.data())) {
    ADD_FAILURE() << "no temporary folder";
    return nullptr;
  }
  const Compiled compiled = compile(text, "heddle:x86-64-v2:w1", (options + (" -dump=" + folder)).c_str());
  EXPECT_TRUE(compiled) << compiled.diagnostics;
  llvm::SMDiagnostic wrong;
  auto module = llvm::parseIRFile(folder + "/" + file, wrong, context);
  EXPECT_TRUE(module) << wrong.getMessage().str();
  std::filesystem::remove_all(folder);
  return module;
}

}  // namespace

std::vector<std::string> disassemble(std::span<const std::byte> code) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  LLVMDisasmContextRef context =
      LLVMCreateDisasmCPU("x86_64-unknown-linux-gnu", "x86-64-v4", nullptr, 0, nullptr, nullptr);
  if (!context) {
    ADD_FAILURE() << "LLVM has no disassembler for x86-64";
    return {};
  }
  std::vector<std::string> instructions;
  auto* bytes = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(code.data()));
  for (size_t at = 0; at < code.size();) {
    char text[256];
    const size_t size = LLVMDisasmInstruction(context, bytes + at, code.size() - at, at, text, sizeof text);
    instructions.emplace_back(size == 0 ? "?" : text + std::string_view(text).find_first_not_of("\t "));
    at += size == 0 ? 1 : size;
  }
  LLVMDisasmDispose(context);
  return instructions;
}

std::vector<std::string> computing_mnemonics(std::span<const std::byte> code) {
  std::vector<std::string> result;
  for (const std::string& instruction : disassemble(code)) {
    std::string mnemonic = instruction.substr(0, instruction.find_first_of("\t "));
    if (only_moves(mnemonic)) continue;
    result.push_back(mnemonic.starts_with('v') ? mnemonic.substr(1) : mnemonic);
  }
  return result;
}

std::unique_ptr<llvm::Module> spmd_module(const std::string& text, llvm::LLVMContext& context) {
  return dumped_module(text, "", "spmd.ll", context);
}

std::unique_ptr<llvm::Module> optimised_module(const std::string& text, llvm::LLVMContext& context) {
  return dumped_module(text, "-O3", "optimised.ll", context);
}

}  // namespace heddle::testing
