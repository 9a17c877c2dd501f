// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device library of OpenCL C and HIP (docs/device-libraries.md), for the compiler, which links it before
// libclc.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace heddle::devlib {

/// Returns the library as bitcode of LLVM 22 for the triple amdgcn-amd-amdhsa, which lives as long as the
/// process. HSAIL instructions are calls of undefined functions named "__hsail_MNEMONIC", whose arguments are
/// the sources in the PRM's order;
/// "__hsail_WAVESIZE" is the constant of this name. Undefined functions besides these are libclc's.
std::span<const std::byte> opencl_bitcode();

/// Returns what of clang's extensions and features of OpenCL C the libraries support, as the value of clang's
/// option -cl-ext: what differs from clang's choice for the triple.
std::string_view opencl_extensions();

}  // namespace heddle::devlib
