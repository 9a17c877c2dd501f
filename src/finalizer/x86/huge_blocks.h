// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Basic blocks of tens of thousands of instructions, as generators write them, and code generation.
#pragma once

namespace llvm {
class Module;
class Pass;
}  // namespace llvm

namespace heddle::finalizer::x86 {

/// Whether a block has so many instructions that passes which look back through their block for each of its
/// instructions take too long.
bool has_huge_block(const llvm::Module& module);

/// A pass for between instruction selection and register allocation that cuts huge blocks in pieces, each of
/// which falls through to the next. The caller owns it until a pass manager takes it.
llvm::Pass* new_huge_block_splitter();

}  // namespace heddle::finalizer::x86
