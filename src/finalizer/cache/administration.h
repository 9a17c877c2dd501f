// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What people may ask of the cache: what it holds, and to empty it.
#pragma once

#include <optional>
#include <string>

#include "cache/settings.h"
#include "cache/store.h"

namespace heddle::finalizer {

struct CacheDescription {
  bool enabled = false;
  std::string where;   ///< the folder of the settings; if not enabled, the reason as a sentence
  uint64_t limit = 0;  ///< bytes
  cache::Usage usage;
};

/// Describes the cache and creates nothing. A folder that does not exist yet is empty. `diagnostics` receives
/// what cache::read_settings() reports.
CacheDescription describe_cache(cache::Environment environment, Diagnostics& diagnostics);

/// Removes all entries and describes the cache as it was before. Does nothing if it is not enabled. Returns
/// nothing, with an error ("FINALIZER-cache-clear"), if the folder cannot be written.
std::optional<CacheDescription> clear_cache(cache::Environment environment, Diagnostics& diagnostics);

}  // namespace heddle::finalizer
