// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/cubin_cache.h"

#include <cstdlib>
#include <new>

#include "agents/cuda/gpu_memo.h"

namespace heddle::cuda {
namespace {

/// Begins every key. Its number changes with what an entry holds and with the options that every module is
/// compiled with (module.cpp).
constexpr std::string_view format_name = "heddle-cubin-1";

/// Nothing if the driver does not tell its version.
std::optional<cache::Key> key_of(const GpuContext& context, const PtxCode& ptx, unsigned register_limit) {
  int driver_version = 0;
  if (context.status_of(context.api().driver_version, &driver_version) != Status::success)
    return std::nullopt;
  cache::KeyHasher hasher;
  hasher.add(format_name);
  hasher.add(static_cast<uint64_t>(driver_version));
  // One version of the driver has many builds, each with a compiler of its own.
  hasher.add(driver_build());
  hasher.add(uint64_t{context.gpu().capability});
  hasher.add(uint64_t{ptx.optimises});
  hasher.add(uint64_t{register_limit});
  hasher.add(ptx.text);
  return hasher.value();
}

/// What went wrong with the settings, for the log.
std::string text_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all())
    text.append(text.empty() ? "" : "\n").append(diagnostic.message);
  return text;
}

/// Does something for which there may be no memory. Then there is no cache.
template <typename Do>
auto if_memory_suffices(Do run) noexcept -> decltype(run()) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    return decltype(run())();
  }
}

}  // namespace

std::optional<CubinEntry> CubinEntry::open(const GpuContext& context, const PtxCode& ptx,
                                           unsigned register_limit, std::string& warning) {
  Diagnostics diagnostics;
  const cache::Settings settings = cache::read_settings(secure_getenv, diagnostics);
  warning = text_of(diagnostics);
  if (settings.folder.empty()) return std::nullopt;
  auto store = cache::Store::open(settings, cache::Missing::create);
  if (!store.ok() && store.error().unsafe) warning = "machine code is not cached: " + store.error().why;
  if (!store.ok()) return std::nullopt;
  const auto key = key_of(context, ptx, register_limit);
  if (!key) return std::nullopt;
  return CubinEntry(std::move(*store), *key);
}

std::optional<Cubin> CubinEntry::read() const noexcept {
  return if_memory_suffices([&]() -> std::optional<Cubin> {
    auto entry = store_.find(key_);
    if (!entry) return std::nullopt;
    Cubin cubin{std::move(entry->object), {}};
    for (const Diagnostic& diagnostic : entry->diagnostics) cubin.log += diagnostic.message;
    return cubin;
  });
}

void CubinEntry::write(const Cubin& cubin) const noexcept {
  if_memory_suffices([&] {
    std::vector<Diagnostic> log;
    if (!cubin.log.empty()) log.push_back({"log", Severity::warning, {}, cubin.log, {}});
    store_.put(key_, log, cubin.bytes);
  });
}

void CubinEntry::remove() const noexcept {
  if_memory_suffices([&] { store_.remove(key_); });
}

}  // namespace heddle::cuda
