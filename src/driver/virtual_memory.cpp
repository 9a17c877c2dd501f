// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/virtual_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "driver/log.h"
#include "support/align.h"

namespace heddle::driver {
namespace {

constexpr size_t huge_page = size_t{2} << 20;

}  // namespace

size_t page_size() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

bool lock_in_memory(const void* base, size_t size) {
  if (mlock(base, size) == 0) return true;
  log_error("{} bytes at {} cannot be locked in memory, which an agent requires (RLIMIT_MEMLOCK)", size,
            base);
  return false;
}

Mapping Mapping::create(size_t size, size_t alignment) {
  if (size == 0 || size > SIZE_MAX / 4) return {};
  size = align_up(size, page_size());
  if (size >= 2 * huge_page) alignment = std::max(alignment, huge_page);
  size_t slack = alignment > page_size() ? alignment : 0;
  void* mapped =
      mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return {};
  auto* begin = static_cast<std::byte*>(mapped);
  if (slack != 0) {
    auto* aligned = reinterpret_cast<std::byte*>(align_up(reinterpret_cast<uintptr_t>(begin), alignment));
    size_t before = static_cast<size_t>(aligned - begin);
    if (before != 0) munmap(begin, before);
    if (slack != before) munmap(aligned + size, slack - before);
    begin = aligned;
  }
  if (size >= 2 * huge_page) madvise(begin, size, MADV_HUGEPAGE);  // a hint that may fail
  return {begin, size};
}

Mapping::~Mapping() {
  if (base_ != nullptr) munmap(base_, size_);
}

}  // namespace heddle::driver
