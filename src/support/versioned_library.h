// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries of heddle that may not be installed, and are opened when they are needed.
#pragma once

#include <cstdint>
#include <string>

#include "support/result.h"

namespace heddle {

/// Says which library is wanted.
struct VersionedLibrary {
  const char* setting;         ///< an environment variable that names the file instead
  const char* stem;            ///< the name of the file without the version, "libname.so"
  uint32_t version;            ///< of the interface, and the end of the file's name
  const char* version_symbol;  ///< a function of the library that returns its version
  const char* package;         ///< what has to be installed
  const char* description;     ///< "the compiler", for messages
};

/// Opens the library, which is looked for beside the one that `address` belongs to, and leaves it open.
/// Returns the handle for dlsym(). The error says what to install, or why the library does not fit.
Result<void*> open_library(const VersionedLibrary& wanted, const void* address);

}  // namespace heddle
