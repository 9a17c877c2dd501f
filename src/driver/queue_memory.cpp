// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/queue_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "driver/log.h"
#include "driver/memory.h"
#include "support/align.h"
#include "support/exception_safety.h"

namespace heddle::driver {
namespace {

constexpr size_t units_max = 64;

/// Returns the first place of so many free units in a row, as a mask; 0 if there is none.
uint64_t free_units(uint64_t used, size_t count) {
  const uint64_t first = count == units_max ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  for (size_t place = 0; place + count <= units_max; ++place)
    if ((used & first << place) == 0) return first << place;
  return 0;
}

}  // namespace

QueueBlock::~QueueBlock() {
  if (memory_ != nullptr) memory_->give_back(*this);
}

QueueBlock QueueMemory::allocate(size_t size, bool locked) {
  QueueBlock block;
  if (region_ == nullptr) {
    block.own_ = Mapping::create(size);
    if (!block.own_ || (locked && !lock_in_memory(block.own_.base(), block.own_.size()))) return {};
    block.base_ = block.own_.base();
    return block;
  }
  if (!take(block, size, locked)) return {};
  block.memory_ = this;
  if (locked && !lock_in_memory(block.base_, size)) return {};
  if (locked) block.locked_ = size;
  std::memset(block.base_, 0, size);
  return block;
}

/// Locked blocks share no pages with others, because locks are not counted: one munlock() undoes all
/// mlock()s.
bool QueueMemory::take(QueueBlock& block, size_t size, bool locked) {
  const size_t units = (size + unit - 1) / unit;
  if (!locked && units <= units_max / 2) return take_units(block, units);
  const auto made = memory_.allocate(*region_, align_up(size, page_size()), page_size(), Backing::automatic);
  if (made) block.base_ = static_cast<std::byte*>(*made);
  return static_cast<bool>(made);
}

bool QueueMemory::take_units(QueueBlock& block, size_t count) {
  std::lock_guard lock(mutex_);
  const auto take_from = [&](Chunk& chunk) {
    block.units_ = free_units(chunk.used, count);
    chunk.used |= block.units_;
    if (block.units_ != 0)
      block.base_ = chunk.base + static_cast<size_t>(std::countr_zero(block.units_)) * unit;
    return block.units_ != 0;
  };
  if (std::ranges::any_of(chunks_, take_from)) return true;
  reserve_one_more(chunks_);
  const auto made = memory_.allocate(*region_, chunk_size, page_size(), Backing::automatic);
  return made && take_from(chunks_.emplace_back(Chunk{static_cast<std::byte*>(*made), 0}));
}

void QueueMemory::give_back(const QueueBlock& block) noexcept {
  if (block.locked_ != 0) munlock(block.base_, block.locked_);
  std::byte* const freed = block.units_ != 0 ? give_back_units(block) : block.base_;
  if (freed == nullptr) return;
  try {
    static_cast<void>(memory_.free(freed));
  } catch (const std::bad_alloc&) {
    log_warning("the memory of a queue could not be freed, because the memory that this takes ran out");
  }
}

/// Returns the chunk of the block if it is to be freed. One without queues stays, so that programs that make
/// and destroy a queue again and again do not wait for agents each time.
std::byte* QueueMemory::give_back_units(const QueueBlock& block) noexcept {
  std::lock_guard lock(mutex_);
  const auto chunk = std::ranges::find_if(chunks_, [&](const Chunk& chunk) {
    return block.base_ >= chunk.base && block.base_ < chunk.base + chunk_size;
  });
  chunk->used &= ~block.units_;
  if (chunk->used != 0 || std::ranges::count(chunks_, 0u, &Chunk::used) == 1) return nullptr;
  std::byte* const base = chunk->base;
  chunks_.erase(chunk);
  return base;
}

}  // namespace heddle::driver
