// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The total size of the entries of a folder, in a file that processes lock while they add or remove entries.
// With it, a new entry costs the same however many there are; without it, each would have to look at all
// others. Readers do not need the lock.
#pragma once

#include <cstdint>
#include <optional>

#include "support/descriptor.h"

namespace heddle::cache {

/// The locked ledger. Its lock ends with the object, or with the process.
class Ledger {
 public:
  /// Waits for other processes and threads, but no more than about 20 ms, because a process that holds the
  /// lock may have been stopped. Returns nothing if the ledger cannot be had.
  static std::optional<Ledger> lock(int folder);
  ~Ledger();
  Ledger(Ledger&&) = default;
  Ledger& operator=(Ledger&&) = delete;

  /// Returns the total in bytes; nothing if it is unknown, as in a new or damaged ledger. It may be too
  /// large, if entries were replaced, or removed by others than the cache, but not too small.
  std::optional<uint64_t> total() const;
  /// Returns false if the total cannot be written.
  bool set_total(uint64_t total);

 private:
  explicit Ledger(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace heddle::cache
