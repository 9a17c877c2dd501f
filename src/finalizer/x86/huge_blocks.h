// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Basic blocks of tens of thousands of instructions, as generators write them, and code generation.
#pragma once

namespace llvm {
class Module;
class TargetPassConfig;
}  // namespace llvm

namespace heddle::finalizer::x86 {

/// Whether a block has so many instructions that passes which look back through their block for each of its
/// instructions take too long.
bool has_huge_block(const llvm::Module& module);

/// Adds a pass to the configuration, before its passes are made, that cuts huge blocks in pieces, each of
/// which falls through to the next. It runs just before instruction selection: passes on IR would join them.
void cut_huge_blocks(llvm::TargetPassConfig& config);

}  // namespace heddle::finalizer::x86
