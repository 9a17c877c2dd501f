// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Identifies the build of the finalizer by the build ids that the linker puts into ELF files
// (NT_GNU_BUILD_ID, a digest of the file's contents).
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace heddle::finalizer {

/// Returns the build id of the loaded file that contains the address; empty if the file has none. The bytes
/// are those of the file's memory and live as long as it is loaded.
std::span<const std::byte> build_id_of(const void* address);

/// Returns the build ids of the file that contains the finalizer and of the one that contains LLVM, which
/// together determine what code objects are made. Empty if either has none: there is then no way to tell
/// builds apart.
std::string finalizer_build();

}  // namespace heddle::finalizer
