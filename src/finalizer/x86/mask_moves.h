// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A defect of LLVM's passes over machine code for AVX-512 (LLVM 22), and code that does not meet it.
#pragma once

namespace llvm {
class TargetPassConfig;
}  // namespace llvm

namespace heddle::finalizer::x86 {

/// Adds a pass to the configuration that keeps masks which are made of the signs of a vector (VPMOVD2M and
/// its relatives). If such a mask is copied to a general register next, LLVM takes the signs of the vector
/// instead (VMOVMSKPS) and removes the mask, although a gather or scatter that follows needs it: it looks
/// first at what these write, which is the mask again. Must be called before the passes of the configuration
/// are made.
void keep_masks_of_signs(llvm::TargetPassConfig& config);

}  // namespace heddle::finalizer::x86
