// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the environment says about the cache of code objects (docs/environment.md).
#pragma once

#include <cstdint>
#include <string>

#include "support/diagnostic.h"

namespace heddle::cache {

/// Returns the value of an environment variable, or null. Calls use secure_getenv, which returns null for all
/// variables if the process has the rights of another user; the cache is then off, because nothing names a
/// folder.
using Environment = char* (*)(const char* name);

struct Settings {
  std::string folder;                    ///< absolute; empty: there is no cache
  std::string why_absent;                ///< if there is none: the reason, as a sentence without a full stop
  uint64_t limit = uint64_t{256} << 20;  ///< bytes that all entries together may have
};

/// Reports values that mean nothing ("FINALIZER-cache-setting") as warnings. Reads the environment each time,
/// so it keeps no state that a fork could tear.
Settings read_settings(Environment environment, Diagnostics& diagnostics);

}  // namespace heddle::cache
