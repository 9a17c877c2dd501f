// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/agent_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <new>

#include "driver/memory_file.h"
#include "driver/virtual_memory.h"
#include "support/align.h"
#include "support/fork_handler.h"
#include "support/intervals.h"

namespace heddle::driver::agent_memory {
namespace {

enum class Use { reserved, allocated, mapped };

struct Range {
  size_t size;
  Use use;
};

/// Runs `insert` and reports whether there was enough memory. Agents call from C, so no exception may reach
/// them.
template <typename Insert>
bool is_kept(Insert insert) {
  try {
    insert();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// The ranges that agents have been given. There is one table for all clients, because they share the
/// process's address space.
class Ranges {
 public:
  static Ranges& instance() {
    static Ranges& ranges = *new Ranges;
    return ranges;
  }

  /// Returns false if there is no memory for the entry.
  bool insert(void* address, Range range) {
    std::lock_guard lock(mutex_);
    return is_kept([&] { ranges_.emplace(reinterpret_cast<uintptr_t>(address), range); });
  }
  /// Removes a range with this use and returns its size. Returns 0 if there is none, or if its size is not
  /// `size` (0 = any size).
  size_t take(void* address, size_t size, Use use) {
    std::lock_guard lock(mutex_);
    auto found = ranges_.find(reinterpret_cast<uintptr_t>(address));
    if (found == ranges_.end() || found->second.use != use) return 0;
    size_t result = found->second.size;
    if (size != 0 && size != result) return 0;
    ranges_.erase(found);
    return result;
  }
  /// Lets the pages be read and written if they lie in one reservation.
  void open(uintptr_t begin, size_t size) {
    std::lock_guard lock(mutex_);
    const auto found = interval_at(ranges_, begin, [](const Range& range) { return range.size; });
    if (found == ranges_.end()) return;
    const auto& [address, range] = *found;
    if (range.use == Use::reserved && size <= range.size - (begin - address))
      mprotect(reinterpret_cast<void*>(begin), size, PROT_READ | PROT_WRITE);
  }

 private:
  /// Empties the table in the child of a fork.
  void forget_parent() noexcept {
    abandon(mutex_);
    abandon(ranges_);
  }

  std::mutex mutex_;
  std::map<uintptr_t, Range> ranges_;
  const ForkHandler fork_handler_{
      [](void* ranges) noexcept { static_cast<Ranges*>(ranges)->forget_parent(); }, this};
};

/// The anonymous file behind physical memory. Freed ranges return their pages to the system; their offsets
/// are not used again.
class PhysicalMemory {
 public:
  static PhysicalMemory& instance() {
    static PhysicalMemory& memory = *new PhysicalMemory;
    return memory;
  }

  HSAM_Error allocate(size_t size, void** physical) {
    std::lock_guard lock(mutex_);
    if (!file_) file_ = create_memory_file("heddle-physical", 0);
    if (!file_ || !extend_file(file_, end_ + size)) return HSAM_OutOfResources;
    if (!is_kept([&] { ranges_.emplace(end_, size); })) return HSAM_OutOfResources;
    *physical = reinterpret_cast<void*>(end_);
    end_ += size;
    return HSAM_Done;
  }

  bool free(void* physical, size_t size) {
    std::lock_guard lock(mutex_);
    auto found = ranges_.find(reinterpret_cast<uintptr_t>(physical));
    if (found == ranges_.end() || found->second != size) return false;
    fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(found->first),
              static_cast<off_t>(size));
    ranges_.erase(found);
    return true;
  }

  /// Maps [physical, +size). Returns MAP_FAILED if this is not part of one allocation, or the system refuses.
  void* map(void* physical, size_t size) {
    std::lock_guard lock(mutex_);
    uintptr_t offset = reinterpret_cast<uintptr_t>(physical);
    const auto found = interval_at(ranges_, offset);
    if (found == ranges_.end()) return MAP_FAILED;
    const auto& [begin, length] = *found;
    if (offset % page_size() != 0 || size > length - (offset - begin)) return MAP_FAILED;
    return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(),
                static_cast<off_t>(offset));
  }

 private:
  /// Starts anew in the child of a fork, which must not write to the parent's pages.
  void forget_parent() noexcept {
    abandon(mutex_);
    abandon(ranges_);
    file_.reset();
    end_ = page_size();
  }

  std::mutex mutex_;
  Descriptor file_;
  uintptr_t end_ = page_size();  // not 0, so that no allocation has the address 0
  std::map<uintptr_t, size_t> ranges_;
  const ForkHandler fork_handler_{
      [](void* memory) noexcept { static_cast<PhysicalMemory*>(memory)->forget_parent(); }, this};
};

HSAM_Error give(void* address, size_t size, Use use, void** out) {
  if (address == MAP_FAILED) return HSAM_OutOfResources;
  if (!Ranges::instance().insert(address, {size, use})) {
    munmap(address, size);
    return HSAM_OutOfResources;
  }
  *out = address;
  return HSAM_Done;
}

HSAM_Error take_back(void* address, size_t size, Use use) {
  size_t found = Ranges::instance().take(address, size, use);
  if (found == 0) return HSAM_Invalid;
  munmap(address, found);
  return HSAM_Done;
}

// Larger sizes would wrap around when they are rounded or added; no address space has them.
constexpr uint64_t largest_size = uint64_t{1} << 56;

/// Rounds a size up to pages; 0 if it is not valid.
size_t in_pages(uint64_t size) { return size > largest_size ? 0 : align_up(size, page_size()); }

HSAM_Error anonymous(uint64_t size, int protection, bool safe_to_access, Use use, void** out) {
  if (size == 0 || out == nullptr) return HSAM_Invalid;
  const size_t length = in_pages(size);
  if (length == 0) return HSAM_OutOfResources;
  void* address = mmap(nullptr, length, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address != MAP_FAILED && safe_to_access && mlock(address, length) != 0) {
    munmap(address, length);
    address = MAP_FAILED;
  }
  return give(address, length, use, out);
}

HSAM_Error take_back_all(void* address, uint64_t size, Use use) {
  const size_t length = in_pages(size);
  return length == 0 ? HSAM_Invalid : take_back(address, length, use);
}

/// Sizes of the specification's functions are signed.
uint64_t unsigned_size(int32_t size) { return size < 0 ? 0 : static_cast<uint64_t>(size); }

}  // namespace

namespace large {

HSAM_Error reserve(int64_t, uint64_t size, void** address) {
  return anonymous(size, PROT_NONE, false, Use::reserved, address);
}
HSAM_Error unreserve(int64_t, void* address, uint64_t size) {
  return take_back_all(address, size, Use::reserved);
}
HSAM_Error allocate(int64_t, uint64_t size, void** address) {
  return anonymous(size, PROT_READ | PROT_WRITE, false, Use::allocated, address);
}
HSAM_Error allocate_safe_to_access(int64_t, uint64_t size, void** address) {
  return anonymous(size, PROT_READ | PROT_WRITE, true, Use::allocated, address);
}

HSAM_Error map(int64_t, uint64_t size, void* physical, void** address) {
  if (size == 0 || address == nullptr) return HSAM_Invalid;
  const size_t length = in_pages(size);
  if (length == 0) return HSAM_OutOfResources;
  return give(PhysicalMemory::instance().map(physical, length), length, Use::mapped, address);
}
HSAM_Error unmap(int64_t, void* address, uint64_t size) { return take_back_all(address, size, Use::mapped); }

HSAM_Error allocate_physical(int64_t, uint64_t size, void** physical) {
  if (size == 0 || physical == nullptr) return HSAM_Invalid;
  const size_t length = in_pages(size);
  if (length == 0) return HSAM_OutOfResources;
  return PhysicalMemory::instance().allocate(length, physical);
}
HSAM_Error free_physical(int64_t, void* physical, uint64_t size) {
  const size_t length = in_pages(size);
  return length != 0 && PhysicalMemory::instance().free(physical, length) ? HSAM_Done : HSAM_Invalid;
}

}  // namespace large

HSAM_Error reserve(int64_t client, int32_t size, void** address) {
  return large::reserve(client, unsigned_size(size), address);
}
HSAM_Error unreserve(int64_t client, void* address, int32_t size) {
  return large::unreserve(client, address, unsigned_size(size));
}
HSAM_Error allocate(int64_t client, int32_t size, void** address) {
  return large::allocate(client, unsigned_size(size), address);
}
HSAM_Error allocate_safe_to_access(int64_t client, int32_t size, void** address) {
  return large::allocate_safe_to_access(client, unsigned_size(size), address);
}
HSAM_Error free(int64_t, void* address) { return take_back(address, 0, Use::allocated); }
HSAM_Error map(int64_t client, int32_t size, void* physical, void** address) {
  return large::map(client, unsigned_size(size), physical, address);
}
HSAM_Error unmap(int64_t client, void* address, int32_t size) {
  return large::unmap(client, address, unsigned_size(size));
}
HSAM_Error allocate_physical(int64_t client, int32_t size, void** physical) {
  return large::allocate_physical(client, unsigned_size(size), physical);
}
HSAM_Error free_physical(int64_t client, void* physical, int32_t size) {
  return large::free_physical(client, physical, unsigned_size(size));
}

void open_reservation(uintptr_t begin, size_t size) { Ranges::instance().open(begin, size); }

}  // namespace heddle::driver::agent_memory
