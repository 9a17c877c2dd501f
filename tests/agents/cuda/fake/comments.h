// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How PTX tells the fake what it executes: comments after its .target, one a line.
//
//     //fake program PROFILE ROUNDING   of the program, as a code object has them; full and near without it
//     //fake brig HEX                   one HSAIL module, in hexadecimal digits
//     //fake kernel I NAME              kernel number I has this linker name
//     //fake address I NAME             word I of the table of addresses is that of this variable or kernel
//     //fake function I NAME            indirect function number I has this linker name
//     //fake lowered HEX                the LLVM IR that the PTX was made of; if it is there, kernels execute
//                                       this, and not what the HSAIL modules say
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "codeobject/code_object.h"

namespace heddle::cuda::fake {

/// Describes a code object with PTX that was made from these modules, at the end of the PTX. To a real GPU
/// that says nothing. `lowered` is LLVM IR as text, empty if kernels are to be interpreted.
void add_comments(codeobject::CodeObject& object, const std::vector<std::vector<std::byte>>& modules,
                  std::span<const std::byte> lowered = {});

}  // namespace heddle::cuda::fake
