// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mutex>
#include <vector>

#include "agents/cuda/host_memory.h"

namespace heddle::cuda {

/// Words in host memory to which streams of a GPU write how far they are, so that the host learns of an end
/// without asking the driver, which takes a lock and microseconds. Thread safe.
class ProgressWords {
 public:
  /// `host` outlives the object.
  explicit ProgressWords(HostMemory& host) : host_(host) {}
  ~ProgressWords();
  ProgressWords(const ProgressWords&) = delete;
  ProgressWords& operator=(const ProgressWords&) = delete;

  /// Returns a word that nobody else has, with any value, or an error of the driver. Throws std::bad_alloc.
  Driven<uint64_t*> take();
  void give_back(uint64_t* word) noexcept;

 private:
  HostMemory& host_;
  std::mutex mutex_;
  std::vector<void*> pages_;
  std::vector<uint64_t*> free_;  ///< has room for all words that there are
};

}  // namespace heddle::cuda
