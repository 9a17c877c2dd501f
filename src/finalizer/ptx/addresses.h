// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables by which addresses that only the loader knows reach the code (codeobject/ptx_kernel.h).
#pragma once

#include "codeobject/code_object.h"
#include "finalizer/llvm.h"
#include "finalizer/lower/spmd.h"
#include "finalizer/object_symbols.h"
#include "support/result.h"

namespace heddle::finalizer::ptx {

/// Replaces the calls that ask for addresses of variables, kernels and functions. Adds the words of the table
/// of addresses, with their relocations, to the code object. Functions get the names `function_name(symbol)`.
Result<void> lower_addresses(SpmdProgram& spmd, const ObjectSymbols& symbols, codeobject::CodeObject& object);

/// Returns the name in PTX of an indirect function, by its index in the code object.
std::string function_name(size_t function);

}  // namespace heddle::finalizer::ptx
