// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the DSP knows of a client's memory: a shadow page table, and memory of its own behind some entries.
#pragma once

#include <hsam/hsam.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace tiny_dsp {

/// Thrown for an access to memory that is not mapped.
struct Fault {
  uint64_t address;
  bool is_store;
};

class ShadowMemory {
 public:
  ShadowMemory(const hsa_generic_driver_interface& driver, int64_t client)
      : driver_(driver), client_(client) {}
  ~ShadowMemory() {
    while (!table_.empty()) unmap(reinterpret_cast<void*>(table_.begin()->first));
  }

  /// Maps addresses of the client: to themselves or, if `local`, to zeroed memory of the DSP.
  HSAM_Error map(void* address, int32_t size, bool local) {
    void* frames = address;
    const auto answer = local ? driver_.agent_memory_allocate(client_, size, &frames) : HSAM_Done;
    if (answer != HSAM_Done) return answer;
    std::lock_guard lock(mutex_);
    table_[reinterpret_cast<uint64_t>(address)] = {static_cast<char*>(frames), static_cast<size_t>(size)};
    return HSAM_Done;
  }
  HSAM_Error unmap(void* address) {
    std::lock_guard lock(mutex_);
    const auto found = table_.find(reinterpret_cast<uint64_t>(address));
    if (found == table_.end()) return HSAM_Invalid;
    if (found->second.frames != address) driver_.agent_memory_free(client_, found->second.frames);
    table_.erase(found);
    return HSAM_Done;
  }
  /// Loads or stores bytes, which must be mapped.
  void access(uint64_t address, void* value, size_t size, bool is_store) const {
    const Place place = find(address, size);
    if (!place.mapped || place.size != size) throw Fault{address, is_store};
    std::memcpy(is_store ? place.at : value, is_store ? value : place.at, size);
  }
  /// Copies what the DSP has mapped, or memory of the host that it does not know.
  void copy(uint64_t to, uint64_t from, size_t size) const {
    for (size_t piece; size != 0; to += piece, from += piece, size -= piece) {
      const Place target = find(to, size), source = find(from, size);
      piece = std::min(target.size, source.size);
      std::memcpy(target.at, source.at, piece);
    }
  }

 private:
  struct Range {
    char* frames;  // at other addresses than the client's: memory of the DSP
    size_t size;
  };
  struct Place {
    char* at;     // where the first bytes are
    size_t size;  // how many of the wanted bytes follow each other there
    bool mapped;
  };
  Place find(uint64_t address, size_t size) const {
    std::lock_guard lock(mutex_);
    const auto after = table_.upper_bound(address);
    if (after != table_.begin()) {
      const auto& [base, range] = *std::prev(after);
      const size_t offset = address - base;
      if (offset < range.size) return {range.frames + offset, std::min(size, range.size - offset), true};
    }
    if (after != table_.end()) size = std::min(size, after->first - address);
    return {reinterpret_cast<char*>(address), size, false};
  }

  const hsa_generic_driver_interface& driver_;
  const int64_t client_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Range> table_;
};

}  // namespace tiny_dsp
