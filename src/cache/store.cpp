// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/store.h"

#include <algorithm>
#include <cassert>

#include "cache/files.h"

namespace heddle::cache {

Result<Store, Refusal> Store::open(const Settings& settings, Missing missing) {
  assert(!settings.folder.empty());
  auto folder = open_folder(settings.folder, missing);
  if (!folder.ok()) return folder.error();
  return Store(std::move(*folder), settings.limit);
}

std::optional<Entry> Store::find(const Key& key) const {
  const std::string name = to_text(key);
  const auto bytes = read_entry(folder_.number(), name);
  if (!bytes) return std::nullopt;
  auto entry = decode(key, *bytes);
  if (!entry) remove_file(folder_.number(), name);
  return entry;
}

void Store::remove(const Key& key) const { remove_file(folder_.number(), to_text(key)); }

/// Accounts for a new entry. Returns false if it must not be written.
bool Store::make_room(Ledger& ledger, uint64_t size) const {
  uint64_t total = ledger.total().value_or(limit_);
  if (total > limit_ - size) {
    // Leaves some room, so that not every new entry has to look at all others.
    const uint64_t room = std::max(size, limit_ / 8);
    total = remove_oldest(folder_.number(), limit_ - room);
  }
  return total <= limit_ - size && ledger.set_total(total + size);
}

void Store::put(const Key& key, std::span<const Diagnostic> diagnostics,
                std::span<const std::byte> object) const {
  const auto bytes = encode(key, diagnostics, object);
  if (bytes.size() > limit_) return;
  auto ledger = Ledger::lock(folder_.number());
  // The size is accounted for before there is an entry, so that the total is never too small, whenever the
  // process dies.
  if (ledger && make_room(*ledger, bytes.size())) write_entry(folder_.number(), to_text(key), bytes);
}

Usage Store::usage() const {
  Usage usage;
  for (const File& file : list_files(folder_.number())) {
    usage.entries += file.unfinished ? 0 : 1;
    usage.bytes += file.size;
  }
  return usage;
}

std::optional<Usage> Store::clear() const {
  auto ledger = Ledger::lock(folder_.number());
  if (!ledger) return std::nullopt;
  const Usage before = usage();
  ledger->set_total(remove_oldest(folder_.number(), 0));
  return before;
}

}  // namespace heddle::cache
