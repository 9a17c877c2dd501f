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
/// compute capability of the GPU and the driver. Nothing fails: what cannot be read is not there, and what
/// cannot be written is not kept. Reads the environment and opens the folder anew, so that it keeps nothing
/// that forks could tear.
class CubinEntry {
 public:
  /// Nothing if there is no cache, for which `why` is empty, or has a warning if people ought to know the
  /// reason. The limit of registers is that of LoadedModule::load().
  static std::optional<CubinEntry> open(const GpuContext& context, const PtxCode& ptx,
                                        unsigned register_limit, std::string& why);

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
