// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the folder of the cache, if nobody but its user can have written there. Whoever can write into the
// folder can make this process execute any code, so that this check protects against other users; the
// checksums of entries protect only against accidents.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "support/descriptor.h"
#include "support/result.h"

namespace heddle::cache {

/// Why a folder is not used.
struct Refusal {
  std::string why;
  /// Whether another user may have put files there, which people should know. Otherwise the folder does not
  /// exist or cannot be made, as in containers, and the cache is just not there.
  bool unsafe = false;
  bool missing = false;  ///< it does not exist, and Missing::leave was asked for
};

enum class Missing : uint8_t { create, leave };  ///< what to do with a folder that does not exist

/// Opens the subfolder of `path` that holds entries of this version's format. Folders that are created are
/// accessible to their user only.
Result<Descriptor, Refusal> open_folder(const std::string& path, Missing missing);

/// Reports whether the file belongs to the effective user of this process and nobody else can write it.
bool is_private(const struct stat& file);

}  // namespace heddle::cache
