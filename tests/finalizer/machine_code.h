// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the finalizer made of a kernel, as its instructions and as its IR. For tests.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::testing {

/// The instructions of x86-64 code in AT&T syntax, one string each: "paddb\t%xmm1, %xmm0". What is no
/// instruction is "?".
std::vector<std::string> disassemble(std::span<const std::byte> code);

/// The mnemonics of what computes, without the "v" of the VEX and EVEX forms: all but copies, loads, stores,
/// stack handling, jumps, calls and returns.
std::vector<std::string> computing_mnemonics(std::span<const std::byte> code);

/// The SPMD IR that a module with its header is lowered to, before a target's part begins.
std::unique_ptr<llvm::Module> spmd_module(const std::string& text, llvm::LLVMContext& context);

}  // namespace heddle::testing
