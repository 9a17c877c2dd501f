// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "support/align.h"
#include "support/exception_safety.h"

namespace heddle::cpu {
namespace {

constexpr size_t page = 4096;
constexpr size_t granule = 16 * page;
constexpr size_t slab_stacks = 64;
constexpr size_t colours = 32;
constexpr size_t colour_step = 128;

// Linux 6.13; the headers of the build may be older than the kernel that runs.
constexpr int madv_guard_install = 102;

/// Makes a page inaccessible. Where Linux supports it this costs only an entry in the page table, otherwise a
/// mapping, of which a process can have only some 65,000.
bool make_guard(std::byte* at) {
  return madvise(at, page, madv_guard_install) == 0 || mprotect(at, page, PROT_NONE) == 0;
}

std::byte* map(size_t size, int flags) {
  void* at =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

}  // namespace

Pages::~Pages() { reset(); }

void Pages::reset() {
  if (base_) munmap(base_ - page, size_ + 2 * page);
  base_ = nullptr;
  size_ = 0;
}

bool Pages::reserve(size_t size) {
  if (size <= size_ && base_) return true;
  size = align_up(std::max<size_t>(size, 1), granule);
  std::byte* at = map(size + 2 * page, 0);
  if (!at) return false;
  if (!make_guard(at) || !make_guard(at + page + size)) {
    munmap(at, size + 2 * page);
    return false;
  }
  reset();
  base_ = at + page;
  size_ = size;
  return true;
}

StackPool::StackPool(size_t stack_size)
    : stack_size_(align_up(stack_size, page)), stride_(stack_size_ + 2 * page) {}

StackPool::~StackPool() {
  for (const Slab& slab : slabs_) munmap(slab.base, slab.size);
}

Stack StackPool::take() {
  if (free_.empty() && !add_slab()) return {};
  const Stack stack = free_.back();
  free_.pop_back();
  return stack;
}

bool StackPool::add_slab() {
  reserve_one_more(slabs_);
  free_.reserve((slabs_.size() + 1) * slab_stacks);
  const size_t size = slab_stacks * stride_;
  std::byte* base = map(size, MAP_STACK);
  if (!base) return false;
  // Only a few kilobytes of each stack are used, and huge pages would make whole stacks resident.
  madvise(base, size, MADV_NOHUGEPAGE);
  slabs_.push_back({base, size});
  // The tops of the stacks are staggered within a further page above each stack.
  for (size_t i = slab_stacks; i-- > 0;) {
    std::byte* guard = base + i * stride_;
    if (!make_guard(guard)) continue;
    const size_t colour = made_++ % colours * colour_step;
    const auto limit = reinterpret_cast<uint64_t>(guard) + page;
    free_.push_back({limit, limit + stack_size_ + page - colour});
  }
  return !free_.empty();
}

bool StackPool::is_guard(uint64_t address) const {
  for (const Slab& slab : slabs_) {
    const auto base = reinterpret_cast<uint64_t>(slab.base);
    if (address - base < slab.size) return (address - base) % stride_ < page;
  }
  return false;
}

}  // namespace heddle::cpu
