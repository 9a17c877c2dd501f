// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code generation for basic blocks of tens of thousands of instructions, such as generated programs have.
#pragma once

namespace llvm {
class Module;
class TargetPassConfig;
}  // namespace llvm

namespace heddle::finalizer::x86 {

/// Reports whether the module has a block with so many instructions that passes which look back through the
/// block for each instruction take too long.
bool has_huge_block(const llvm::Module& module);

/// Adds a pass to the configuration that cuts huge blocks into pieces, each of which falls through to the
/// next. Must be called before the passes of the configuration are made. The pass runs just before
/// instruction selection, because passes on IR would join the pieces.
void cut_huge_blocks(llvm::TargetPassConfig& config);

}  // namespace heddle::finalizer::x86
