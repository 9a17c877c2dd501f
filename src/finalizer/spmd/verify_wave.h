// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the function of a wave: what it does to memory, and how it keeps masks.
#pragma once

#include "finalizer/spmd/wave_effects.h"
#include "support/result.h"

namespace heddle::finalizer::spmd {

/// Checks what widening has made, before anything else changes it:
/// - wave-effect: each access to memory, and each operation that communicates, belongs to an instruction of
///   the scalar function, whose code is all there.
/// - wave-mask: the mask of an access, or of a call, has only lanes that execute the instruction. An access
///   without a mask is behind a test that all lanes are active, in a loop over the active lanes, or needed
///   only once for the wave, and then not longer than that of one lane. Masks are made of arguments,
///   constants, `or`, phis, and masks that are restricted so that what is poison in inactive lanes is not
///   poison in the mask.
/// - wave-bits: without mask registers, no vector of i1 that is made of a mask is used outside of its block.
/// Whether a mask has the right one of the lanes, and an access in a loop the address of its lane, cannot be
/// seen without execution, nor can accesses whose mask is a constant; tests with guarded memory check both.
/// Returns an Error that begins with the name of the broken rule.
Result<void> verify_wave(const llvm::Function& wave, const WaveEffects& effects);

/// Reports whether a vector, or a number with a bit for each lane, has only lanes of the parts of a mask.
bool is_within(const llvm::Value& value, const Parts& mask);

}  // namespace heddle::finalizer::spmd
