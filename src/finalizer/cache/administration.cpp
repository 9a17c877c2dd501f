// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/cache/administration.h"

#include "finalizer/cache/build_id.h"

namespace heddle::finalizer {

using namespace cache;

CacheDescription describe_cache(Environment environment, Diagnostics& diagnostics) {
  const Settings settings = read_settings(environment, diagnostics);
  if (settings.folder.empty()) return {false, settings.why_absent, 0, {}};
  if (finalizer_build().empty()) return {false, "the finalizer or LLVM was linked without a build id", 0, {}};
  const auto store = Store::open(settings, Missing::leave);
  if (!store.ok() && !store.error().missing) return {false, store.error().why, 0, {}};
  return {true, settings.folder, settings.limit, store.ok() ? store->usage() : Usage()};
}

std::optional<CacheDescription> clear_cache(Environment environment, Diagnostics& diagnostics) {
  CacheDescription description = describe_cache(environment, diagnostics);
  if (!description.enabled) return description;
  Settings settings;
  settings.folder = description.where;
  const auto store = Store::open(settings, Missing::leave);
  if (!store.ok() && store.error().missing) return description;
  const auto removed = store.ok() ? store->clear() : std::nullopt;
  if (!removed) {
    diagnostics.error("FINALIZER-cache-clear", {},
                      store.ok() ? settings.folder + " cannot be written, or other processes keep it locked"
                                 : store.error().why);
    return std::nullopt;
  }
  description.usage = *removed;
  return description;
}

}  // namespace heddle::finalizer
