// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code of translation units that is linked together (-fgpu-rdc). Until then it is LLVM bitcode in a
// section of the unit's object, which linkers leave out of what they make. The unit's host code refers to the
// linked code by symbols that clang derives from the unit's -cuid: the step that links device code defines
// them.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::tools::hipcc {

/// Returns the bytes for clang's -fembed-offload-object, which clang puts into an object's section.
std::string embedded_part(std::span<const std::byte> bitcode);

/// What is found in the inputs of a link step.
struct DeviceParts {
  std::vector<std::string> bitcode;  ///< of each unit
  std::set<std::string> binaries;    ///< undefined symbols for the device code
  std::set<std::string> handles;     ///< undefined symbols for the handle that registration returns
};

/// Adds what is in a file: an object, or an archive with all of its members. Anything else has no parts. The
/// error says that the file is damaged or cannot be read; a file that is not there is left to the linker.
Result<void> add_parts_of_file(const std::string& path, DeviceParts& parts);

/// Returns the files that options for the linker (-L, -l) name, of those that are archives: libraries are
/// looked for as linkers do, shared ones first, but only in the folders that -L names.
std::vector<std::string> named_archives(const std::vector<std::string>& words);

/// Returns assembler text that defines the symbols of the parts: all have the code in the file `bundle`, and
/// one handle, so that it is registered once.
std::string definitions_of_parts(const DeviceParts& parts, const std::string& bundle);

}  // namespace heddle::tools::hipcc
