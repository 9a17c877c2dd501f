// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver's compiler has made of PTX, in the cache of code objects on disk (docs/design.md, D7): the
// compiler takes from milliseconds to seconds for a kernel, in every process. The driver has a cache, too,
// but only where its own settings let it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/cuda/module.h"
#include "cache/store.h"

namespace heddle::cuda {

/// Machine code that the driver loads as it is, and what the compiler has said about the PTX.
struct Cubin {
  std::vector<std::byte> bytes;
  std::string log;
};

/// The entry of one piece of PTX with all that decides what the compiler makes of it: its options, the
/// compute capability of the GPU and the driver. Problems with the disk are not errors: what cannot be read
/// counts as absent, and what cannot be written is not kept. open() reads the environment and opens the
/// folder each time, so that no state is shared with forks.
class CubinEntry {
 public:
  /// Returns nothing if there is no cache. `warning` receives what users ought to know about the settings or
  /// the folder, also if an entry is returned; otherwise it is empty. `register_limit` is that of
  /// LoadedModule::load(). Throws std::bad_alloc.
  static std::optional<CubinEntry> open(const GpuContext& context, const PtxCode& ptx,
                                        unsigned register_limit, std::string& warning);

  std::optional<Cubin> read() const noexcept;
  void write(const Cubin& cubin) const noexcept;
  /// Removes the entry, if there is one.
  void remove() const noexcept;

 private:
  CubinEntry(cache::Store store, const cache::Key& key) : store_(std::move(store)), key_(key) {}

  cache::Store store_;
  cache::Key key_;
};

}  // namespace heddle::cuda
