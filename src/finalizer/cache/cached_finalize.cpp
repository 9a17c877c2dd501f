// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/cache/cached_finalize.h"

#include <new>
#include <optional>
#include <string>

#include "cache/store.h"
#include "finalizer/cache/build_id.h"
#include "finalizer/cache/key.h"

namespace heddle::finalizer {
namespace {

using namespace cache;

std::optional<Store> open_store(Environment environment, Diagnostics& diagnostics) {
  const Settings settings = read_settings(environment, diagnostics);
  if (settings.folder.empty()) return std::nullopt;
  auto store = Store::open(settings, Missing::create);
  if (store.ok()) return std::move(*store);
  if (store.error().unsafe)
    diagnostics.warning("FINALIZER-cache-folder", {}, "code objects are not cached: " + store.error().why);
  return std::nullopt;
}

/// Finds or adds an entry, and reports whether there was memory for that. Without it the caller does without
/// the cache, because what was asked for is a code object.
template <typename Do>
bool if_memory_suffices(Do&& run) {
  try {
    run();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

FinalizeResult cached_finalize(link::Program& program, hsail_code_object_kind kind, const Isa* isa,
                               const FinalizeOptions& options, const hsail_control_directives* directives,
                               Environment environment, std::vector<std::byte>& bytes,
                               Diagnostics& diagnostics) {
  bool is_lazy = false;
  const auto finalize_to_bytes = [&] {
    codeobject::CodeObject object;
    const auto result = finalize(program, kind, isa, options, directives, object, diagnostics);
    if (result == FinalizeResult::ok) bytes = codeobject::write(object);
    is_lazy = object.lazy;
    return result;
  };
  const bool cacheable =
      kind != HSAIL_CODE_OBJECT_PROGRAM && isa->target->is_slow() && options.dump_folder.empty();
  const auto store = cacheable ? open_store(environment, diagnostics) : std::nullopt;
  const std::string build = store ? finalizer_build() : std::string();
  if (build.empty()) return finalize_to_bytes();

  const Key key = key_of({program, kind, isa->name, options, directives}, build);
  std::optional<Entry> found;
  if_memory_suffices([&] { found = store->find(key); });
  if (found) {
    for (Diagnostic& diagnostic : found->diagnostics) diagnostics.report(std::move(diagnostic));
    bytes = std::move(found->object);
    return FinalizeResult::ok;
  }
  const size_t reported = diagnostics.all().size();
  const FinalizeResult result = finalize_to_bytes();
  // A lazy code object is hardly more than a copy of the modules, made as fast as a file is read.
  if (result == FinalizeResult::ok && !is_lazy)
    if_memory_suffices([&] { store->put(key, std::span(diagnostics.all()).subspan(reported), bytes); });
  return result;
}

}  // namespace heddle::finalizer
