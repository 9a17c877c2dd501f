// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code as HIP programs carry it: what `heddle hipcc` puts into a program where clang keeps the address
// of a "fat binary", and what it writes into files for hipModuleLoad(). A bundle is
//
//   magic, version, number of modules, size of the whole bundle
//   for each module: offset from the beginning of the bundle, and size
//   the modules, BRIG, each at a multiple of 16
//
// with the numbers of the host. Names and arguments of kernels are not repeated: they are in the BRIG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/result.h"

namespace heddle::hip {

/// Makes a bundle of modules, whose bytes are copied.
std::vector<std::byte> write_bundle(std::span<const std::span<const std::byte>> modules);

/// Returns the modules in a bundle, or the one module if the bytes are BRIG themselves; they refer to
/// `bytes`. Checks the bundle and the sizes in the headers of the modules, so that reading a module stays
/// inside it. The error says what the bytes are instead; code for AMD's devices is recognised.
Result<std::vector<std::span<const std::byte>>> read_bundle(std::span<const std::byte> bytes);

/// Returns whether the bytes are code for AMD's devices, which read_bundle() refuses.
bool is_code_of_others(std::span<const std::byte> bytes);

/// Returns the number of bytes that the bundle, BRIG or file of AMD's at an address says that it has, for
/// programs that pass an address alone, who thereby promise that as many bytes are readable. At least 8 bytes
/// must be. Returns 0 for anything else.
size_t size_of_bundle(const void* address);

}  // namespace heddle::hip
