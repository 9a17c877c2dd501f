// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The finalizer's output for a kernel, as machine instructions and as IR. For tests.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::testing {

/// Returns the instructions of x86-64 code in AT&T syntax, one string each, such as "paddb\t%xmm1, %xmm0".
/// Bytes that are no instruction give "?".
std::vector<std::string> disassemble(std::span<const std::byte> code);

/// Returns the mnemonics of the instructions that compute, without the "v" of the VEX and EVEX forms. Copies,
/// loads, stores, stack handling, jumps, calls and returns are left out.
std::vector<std::string> computing_mnemonics(std::span<const std::byte> code);

/// Returns the SPMD IR to which a module (text with header) is lowered, with registers still in memory.
std::unique_ptr<llvm::Module> spmd_module(const std::string& text, llvm::LLVMContext& context);

/// Returns the IR of a module (text with header) after LLVM's optimiser at -O3, for x86-64-v2.
std::unique_ptr<llvm::Module> optimised_module(const std::string& text, llvm::LLVMContext& context);

}  // namespace heddle::testing
