// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

#include "driver/log.h"
#include "driver/virtual_memory.h"
#include "support/align.h"

namespace heddle::driver {
namespace {

// The file grows in steps of this size, which cost nothing because no memory is behind them.
constexpr uint64_t growth = uint64_t{1} << 30;

// Where mappings apart begin: far below what the system gives out, and above what runs of sanitizers and
// drivers of devices take. The addresses are used in turn, and from the start again at the end.
constexpr uint64_t apart_begin = 0x3000'0000'0000, apart_size = uint64_t{1} << 43;
std::atomic<uint64_t> apart_used{0};

/// The address that the system is asked for; it may give another one.
void* wish(size_t size, Where where) {
  if (where == Where::anywhere) return nullptr;
  constexpr uint64_t step = uint64_t{2} << 20;
  const uint64_t used = apart_used.fetch_add(align_up(size, step), std::memory_order_relaxed);
  return reinterpret_cast<void*>(apart_begin + used % apart_size);
}

}  // namespace

SharedMapping SharedMapping::create(int file, uint64_t offset, size_t size, size_t alignment, Where where) {
  assert(offset % page_size() == 0 && size % page_size() == 0);
  // Addresses are reserved first, with room to choose those that are aligned.
  const size_t slack = alignment > page_size() ? alignment : 0;
  void* reserved = mmap(wish(size + slack, where), size + slack, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return {};
  auto* begin = static_cast<std::byte*>(reserved);
  auto* base = reinterpret_cast<std::byte*>(
      align_up(reinterpret_cast<uintptr_t>(begin), std::max(alignment, page_size())));
  const auto before = static_cast<size_t>(base - begin);
  if (before != 0) munmap(begin, before);
  if (slack != before) munmap(base + size, slack - before);
  if (mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file,
           static_cast<off_t>(offset)) == MAP_FAILED) {
    munmap(base, size);
    return {};
  }
  madvise(base, size, MADV_DONTFORK);
  madvise(base, size, MADV_HUGEPAGE);  // hints; the latter works where the system permits it for such files
  return {base, size};
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}

SharedMapping& SharedMapping::operator=(SharedMapping&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMapping::~SharedMapping() {
  if (base_ != nullptr) munmap(base_, size_);
}

bool SharedFile::grow(uint64_t size) {
  if (!file_) file_.set(create_memory_file("heddle", 0));
  if (!file_) return false;
  if (size <= size_) return true;
  for (const uint64_t wanted : {align_up(size, growth), size}) {
    if (!extend_file(file_.get(), wanted)) continue;
    log_debug(HSAM_LOG_RESOURCE, "the file of shared memory has room for {} MiB", wanted >> 20);
    size_ = wanted;
    return true;
  }
  const int reason = errno;  // for the caller, who may do without the file
  log_debug(HSAM_LOG_RESOURCE, "the file of shared memory cannot be {} bytes long: {}", size,
            std::generic_category().message(reason));
  errno = reason;
  return false;
}

std::optional<uint64_t> SharedFile::allocate(size_t size) {
  assert(size % page_size() == 0);
  std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(free_, [&](const auto& range) { return range.second >= size; });
  if (found != free_.end()) {
    const auto [offset, length] = *found;
    if (length > size) free_.emplace(offset + size, length - size);
    free_.erase(found);
    return offset;
  }
  if (!grow(used_ + size)) return std::nullopt;
  return std::exchange(used_, used_ + size);
}

void SharedFile::drop_pages(uint64_t offset, size_t size) noexcept {
  fallocate(descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(size));
}

void SharedFile::free(uint64_t offset, size_t size) noexcept {
  drop_pages(offset, size);
  std::lock_guard lock(mutex_);
  std::map<uint64_t, uint64_t>::iterator range;
  try {
    range = free_.emplace(offset, size).first;
  } catch (const std::bad_alloc&) {
    return;  // the range is not used again, but it has no memory any more
  }
  const auto behind = std::next(range);
  if (behind != free_.end() && range->first + range->second == behind->first) {
    range->second += behind->second;
    free_.erase(behind);
  }
  if (range == free_.begin()) return;
  const auto before = std::prev(range);
  if (before->first + before->second != range->first) return;
  before->second += range->second;
  free_.erase(range);
}

int SharedFile::descriptor() const {
  std::lock_guard lock(mutex_);
  return file_.number();
}

}  // namespace heddle::driver
