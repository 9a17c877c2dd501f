// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/pool_heap.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace heddle::hip {

void PoolHeap::add_chunk(std::byte* address, size_t size) {
  assert(size % granularity == 0);
  const auto block = blocks_.emplace(address, Block{size, State::free, true}).first;
  free_.emplace(size, block->first);
  reserved_ += size;
}

std::vector<std::byte*> PoolHeap::remove_chunks(size_t keep, Keep which) {
  std::vector<std::byte*> removed;
  for (auto block = blocks_.begin(); block != blocks_.end() && reserved_ > keep;) {
    const auto next = std::next(block);
    // A free block that ends where its chunk ends is the whole chunk: free neighbours are one block.
    const bool whole = block->second.state == State::free && block->second.first &&
                       (next == blocks_.end() || next->second.first);
    if (whole && (which == Keep::at_most || reserved_ - block->second.size >= keep)) {
      removed.push_back(block->first);
      reserved_ -= block->second.size;
      forget_free(block);
      blocks_.erase(block);
    }
    block = next;
  }
  return removed;
}

std::vector<std::byte*> PoolHeap::chunks() const {
  std::vector<std::byte*> chunks;
  for (const auto& [address, block] : blocks_)
    if (block.first) chunks.push_back(address);
  return chunks;
}

std::pair<std::byte*, size_t> PoolHeap::chunk_of(const std::byte* address) const {
  auto first = blocks_.find(const_cast<std::byte*>(address));
  assert(first != blocks_.end());
  while (!first->second.first) --first;
  size_t size = 0;
  auto block = first;
  do {
    size += block->second.size;
    ++block;
  } while (block != blocks_.end() && !block->second.first);
  return {first->first, size};
}

PoolHeap::Blocks::iterator PoolHeap::cut(Blocks::iterator block, size_t size) {
  const size_t rest = block->second.size - size;
  if (rest == 0) return blocks_.end();
  block->second.size = size;
  return blocks_.emplace(block->first + size, Block{rest, block->second.state, false}).first;
}

std::byte* PoolHeap::use(Blocks::iterator block, size_t size) {
  block->second.state = State::used;
  used_ += size;
  return block->first;
}

std::byte* PoolHeap::take(size_t size) {
  const auto best = free_.lower_bound(size);
  if (best == free_.end()) return nullptr;
  const auto block = blocks_.find(best->second);
  free_.erase(best);
  const auto rest = cut(block, size);
  if (rest != blocks_.end()) free_.emplace(rest->second.size, rest->first);
  return use(block, size);
}

void PoolHeap::settle() {
  for (auto entry = pending_.begin(); entry != pending_.end();) {
    if (!entry->until->done()) {
      ++entry;
      continue;
    }
    make_free(blocks_.find(entry->address));
    entry = pending_.erase(entry);
  }
}

std::byte* PoolHeap::take_pending(size_t size, const Stream& stream, bool of_others, MarkerPointer& until) {
  auto best = pending_.end();
  size_t best_size = 0;
  for (auto entry = pending_.begin(); entry != pending_.end(); ++entry) {
    const bool own = entry->stream == &stream;
    const size_t own_size = blocks_.at(entry->address).size;
    if (own_size < size || (!own && !of_others)) continue;
    // The stream's own blocks are preferred, because it has to wait for nothing.
    const bool better = best == pending_.end() || (own && best->stream != &stream) ||
                        (own == (best->stream == &stream) && own_size < best_size);
    if (!better) continue;
    best = entry;
    best_size = own_size;
  }
  if (best == pending_.end()) return nullptr;
  until = best->stream == &stream ? nullptr : best->until;
  const auto block = blocks_.find(best->address);
  const auto rest = cut(block, size);
  if (rest == blocks_.end())
    pending_.erase(best);
  else
    best->address = rest->first;
  return use(block, size);
}

void PoolHeap::give(std::byte* address, const Stream* stream, MarkerPointer until) {
  const auto block = blocks_.find(address);
  assert(block != blocks_.end() && block->second.state == State::used);
  used_ -= block->second.size;
  if (until == nullptr) {
    make_free(block);
    return;
  }
  block->second.state = State::pending;
  pending_.push_back({address, stream, std::move(until)});
}

void PoolHeap::forget_free(Blocks::iterator block) {
  const auto [first, last] = free_.equal_range(block->second.size);
  const auto found =
      std::find_if(first, last, [&](const auto& entry) { return entry.second == block->first; });
  assert(found != last);
  free_.erase(found);
}

void PoolHeap::make_free(Blocks::iterator block) {
  block->second.state = State::free;
  const auto next = std::next(block);
  if (next != blocks_.end() && !next->second.first && next->second.state == State::free) {
    forget_free(next);
    block->second.size += next->second.size;
    blocks_.erase(next);
  }
  if (!block->second.first) {
    const auto before = std::prev(block);
    if (before->second.state == State::free) {
      forget_free(before);
      before->second.size += block->second.size;
      blocks_.erase(block);
      block = before;
    }
  }
  free_.emplace(block->second.size, block->first);
}

}  // namespace heddle::hip
