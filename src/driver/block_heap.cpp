// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/block_heap.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <new>
#include <utility>

#include "driver/virtual_memory.h"
#include "support/align.h"

namespace heddle::driver {

std::byte* BlockHeap::allocate(size_t size, size_t alignment) {
  assert(size != 0 && size % page_size() == 0);
  if (size >= block_size || alignment > block_size) return allocate_large(size, alignment);
  std::lock_guard lock(mutex_);
  if (const auto found = find_fragment(size, alignment)) return take(*found->first, found->second, size);
  Block* block = add_block();
  // The first address of a block is a multiple of every alignment.
  return block == nullptr ? nullptr : take(*block, 0, size);
}

std::byte* BlockHeap::allocate_large(size_t size, size_t alignment) {
  const auto attempt = [&]() -> Large {
    const auto offset = file_.allocate(size);
    if (!offset) return {};
    auto memory =
        SharedMapping::create(file_.descriptor(), *offset, size, std::max(alignment, block_size), where_);
    if (!memory) file_.free(*offset, size);
    return {std::move(memory), *offset};
  };
  Large large = attempt();
  if (!large.memory) {
    trim();
    large = attempt();
  }
  if (!large.memory) return nullptr;
  std::byte* base = large.memory.base();
  std::lock_guard lock(mutex_);
  try {
    large_.emplace(reinterpret_cast<uintptr_t>(base), std::move(large));
  } catch (const std::bad_alloc&) {
    file_.free(large.offset, size);
    throw;
  }
  return base;
}

/// Returns the smallest fragment that is large enough. One whose address is not aligned is passed over: all
/// pools have the alignment of pages, which all fragments have.
std::optional<std::pair<BlockHeap::Block*, size_t>> BlockHeap::find_fragment(size_t size,
                                                                             size_t alignment) const {
  for (auto candidate = free_.lower_bound(size); candidate != free_.end(); ++candidate)
    if (candidate->second.second % alignment == 0) return candidate->second;
  return std::nullopt;
}

/// Cuts an allocation off a free fragment.
std::byte* BlockHeap::take(Block& block, size_t offset, size_t size) {
  Fragment& fragment = block.fragments.at(offset);
  assert(fragment.is_free && fragment.size >= size);
  if (fragment.size > size) add_free(block, offset + size, fragment.size - size);
  fragment.entry = free_.extract(fragment.indexed);
  fragment.is_free = false;
  fragment.size = size;
  return block.memory.base() + offset;
}

/// Adds a free fragment to a block.
void BlockHeap::add_free(Block& block, size_t offset, size_t size) {
  const auto indexed = free_.emplace(size, std::pair(&block, offset));
  try {
    block.fragments.insert_or_assign(offset, Fragment{size, true, indexed, {}});
  } catch (...) {
    free_.erase(indexed);
    throw;
  }
}

/// Gives a free fragment another size. Allocates no memory.
void BlockHeap::resize_free(Block& block, size_t offset, size_t size) {
  Fragment& fragment = block.fragments.at(offset);
  BySize::node_type entry =
      fragment.entry.empty() ? free_.extract(fragment.indexed) : std::move(fragment.entry);
  entry.key() = fragment.size = size;
  fragment.indexed = free_.insert(std::move(entry));
}

std::unique_ptr<BlockHeap::Block> BlockHeap::new_block() {
  auto block = std::make_unique<Block>();
  const auto offset = file_.allocate(block_size);
  if (!offset) return nullptr;
  block->offset = *offset;
  block->memory = SharedMapping::create(file_.descriptor(), *offset, block_size, block_size, where_);
  if (block->memory) return block;
  file_.free(*offset, block_size);
  return nullptr;
}

/// Puts a free block into use: one that is kept, or a new one. Returns null if the system has no memory.
BlockHeap::Block* BlockHeap::add_block() {
  cached_.reserve(most_cached);  // so that retire() needs no memory
  std::unique_ptr<Block> block;
  if (cached_.empty()) {
    block = new_block();
    if (block == nullptr) return nullptr;
  } else {
    block = std::move(cached_.back());
    cached_.pop_back();
  }
  Block* added = block.get();
  const auto place =
      blocks_.emplace(reinterpret_cast<uintptr_t>(added->memory.base()), std::move(block)).first;
  try {
    add_free(*added, 0, block_size);
  } catch (...) {
    release(std::move(blocks_.extract(place).mapped()));
    throw;
  }
  return added;
}

BlockHeap::Block* BlockHeap::block_of(const std::byte* address) const {
  const auto found = blocks_.find(reinterpret_cast<uintptr_t>(address) & ~(uintptr_t{block_size} - 1));
  return found == blocks_.end() ? nullptr : found->second.get();
}

void BlockHeap::free(std::byte* base) {
  std::unique_lock lock(mutex_);
  if (auto large = large_.extract(reinterpret_cast<uintptr_t>(base)); !large.empty()) {
    lock.unlock();
    Large& freed = large.mapped();
    const size_t size = freed.memory.size();
    freed.memory = {};
    file_.free(freed.offset, size);
    return;
  }
  Block* block = block_of(base);
  assert(block != nullptr);
  free_fragment(*block, static_cast<size_t>(base - block->memory.base()));
  if (block->fragments.begin()->second.is_free && block->fragments.size() == 1) retire(*block);
}

/// Frees a fragment. Free neighbours become one fragment with it.
void BlockHeap::free_fragment(Block& block, size_t offset) {
  auto fragment = block.fragments.find(offset);
  assert(fragment != block.fragments.end() && !fragment->second.is_free);
  size_t size = fragment->second.size;
  const auto behind = std::next(fragment);
  if (behind != block.fragments.end() && behind->second.is_free) {
    size += behind->second.size;
    free_.erase(behind->second.indexed);
    block.fragments.erase(behind);
  }
  const auto before = fragment == block.fragments.begin() ? fragment : std::prev(fragment);
  if (before != fragment && before->second.is_free) {
    size += before->second.size;
    block.fragments.erase(fragment);
    fragment = before;
  }
  fragment->second.is_free = true;
  resize_free(block, fragment->first, size);
}

/// Takes a block out of use of which everything is free, and keeps it for later if there is room for it.
void BlockHeap::retire(Block& block) {
  free_.erase(block.fragments.begin()->second.indexed);
  block.fragments.clear();
  auto owned = blocks_.extract(reinterpret_cast<uintptr_t>(block.memory.base()));
  if (cached_.size() < most_cached)
    cached_.push_back(std::move(owned.mapped()));
  else
    release(std::move(owned.mapped()));
}

void BlockHeap::release(std::unique_ptr<Block> block) {
  block->memory = {};
  file_.free(block->offset, block_size);
}

void BlockHeap::trim() {
  std::lock_guard lock(mutex_);
  while (!cached_.empty()) {
    release(std::move(cached_.back()));
    cached_.pop_back();
  }
}

uint64_t BlockHeap::offset_of(const std::byte* base) const {
  std::lock_guard lock(mutex_);
  const auto large = large_.find(reinterpret_cast<uintptr_t>(base));
  if (large != large_.end()) return large->second.offset;
  const Block* block = block_of(base);
  assert(block != nullptr);
  return block->offset + static_cast<uint64_t>(base - block->memory.base());
}

BlockHeap::Usage BlockHeap::usage() const {
  std::lock_guard lock(mutex_);
  return {blocks_.size(), cached_.size(), large_.size()};
}

}  // namespace heddle::driver
