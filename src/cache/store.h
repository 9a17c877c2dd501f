// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache of code objects on disk. Any number of processes and threads may use one folder at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cache/entry.h"
#include "cache/folder.h"
#include "cache/ledger.h"
#include "cache/settings.h"
#include "support/descriptor.h"
#include "support/result.h"

namespace heddle::cache {

/// What the cache holds.
struct Usage {
  uint64_t entries = 0;
  uint64_t bytes = 0;  ///< of all files, also of those that are no entries yet
};

/// An open cache. Immutable and thread safe.
class Store {
 public:
  /// Opens the cache of the settings, which must name a folder.
  static Result<Store, Refusal> open(const Settings& settings, Missing missing);

  /// Returns the entry of a key, which counts as used now. Removes an entry that is damaged.
  std::optional<Entry> find(const Key& key) const;
  /// Removes the entry of a key, which has turned out to be of no use. Does nothing if there is none.
  void remove(const Key& key) const;
  /// Adds an entry, after it has removed the least recently used ones if there is no room. Does nothing if
  /// the entry cannot be written, or is larger than the limit.
  void put(const Key& key, std::span<const Diagnostic> diagnostics, std::span<const std::byte> object) const;

  Usage usage() const;
  /// Removes all entries and returns what they were. Returns nothing, and removes nothing, if other processes
  /// are adding entries for too long or the folder cannot be written.
  std::optional<Usage> clear() const;

 private:
  Store(Descriptor folder, uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}
  bool make_room(Ledger& ledger, uint64_t size) const;

  Descriptor folder_;
  uint64_t limit_;
};

}  // namespace heddle::cache
