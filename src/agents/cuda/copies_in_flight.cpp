// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/copies_in_flight.h"

#include <cassert>
#include <utility>

namespace heddle::cuda {

CopiesInFlight::~CopiesInFlight() {
  delete spare_.load(std::memory_order_relaxed);
  while (first_) delete std::exchange(first_, first_->next);
}

/// The other side reads the links of blocks only when a copy behind them has been counted.
void CopiesInFlight::add_block() {
  Block* block = spare_.exchange(nullptr, std::memory_order_acquire);
  if (!block) block = new Block;
  (last_ ? last_->next : first_) = block;
  last_ = block;
}

void CopiesInFlight::add(const InFlight& copy) {
  const uint64_t index = added_->load(std::memory_order_relaxed);
  if (index % block_size == 0) add_block();
  last_->copies[index % block_size] = copy;
  added_->store(index + 1, std::memory_order_release);
}

bool CopiesInFlight::withdraw_last() {
  if (is_empty()) return false;
  last_->copies[(added_->load(std::memory_order_relaxed) - 1) % block_size].is_withdrawn = true;
  return true;
}

const InFlight& CopiesInFlight::first() {
  assert(!is_empty());
  if (position_ == block_size) {
    // The side that adds has left the block, because the next one has a copy.
    Block* const done = std::exchange(first_, first_->next);
    position_ = 0;
    done->next = nullptr;
    delete spare_.exchange(done, std::memory_order_acq_rel);
  }
  return first_->copies[position_];
}

void CopiesInFlight::drop_first() {
  assert(!is_empty());
  ++position_;
  taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace heddle::cuda
