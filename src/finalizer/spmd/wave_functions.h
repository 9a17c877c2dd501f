// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of HSAIL as waves call them.
#pragma once

#include "finalizer/spmd/widen.h"

namespace heddle::finalizer::spmd {

/// Returns the type of the function of a wave for a scalar function of this type, which returns nothing and
/// takes a context first (lower/functions.cpp). It takes
/// - the context,
/// - the parts of a mask (lane_masks.h): the lanes that call the function, of which there is at least one,
/// - the parts of each of the other arguments, one after the other, as varying values.
/// The type depends on nothing else, so that also those who call the function by its address know it.
llvm::FunctionType* wave_function_type(const llvm::FunctionType& scalar, const WidenRequest& request);

/// Declares the function of a wave for a scalar function, in the same module, so that calls of it can be
/// widened before its body, or within it. Its linkage is that of the scalar function.
llvm::Function* declare_wave_function(const llvm::Function& scalar, const WidenRequest& request);

/// Adds a function of this type to the module of a scalar function, with what is true for the function of a
/// wave of the scalar function's attributes. It has no body yet.
llvm::Function* create_wave_function(const llvm::Function& scalar, llvm::FunctionType& type);

/// Returns a copy of a scalar function, a kernel's body or another function, that has an i1 as an additional
/// argument behind the context. It is for SpmdFunction::entry_mask; the body does not use it. The copy is the
/// one to be linearised. It calls the functions that the original calls, so that a recursive function's copy
/// calls the original.
llvm::Function& clone_with_mask(llvm::Function& scalar);

/// The place of the mask among the arguments of the copy, behind the context.
inline constexpr unsigned mask_argument = 1;

}  // namespace heddle::finalizer::spmd
