// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/calls_under_way.h"

#include <algorithm>
#include <cassert>

namespace heddle::runtime {

constinit CallUnderWay::Shard CallUnderWay::shards_[shard_count];
constinit std::atomic<uint32_t> CallUnderWay::next_shard_ = 0;

CallUnderWay::ThisThread& CallUnderWay::this_thread() noexcept {
  static constinit thread_local ThisThread thread;
  return thread;
}

CallUnderWay::CallUnderWay() noexcept {
  ThisThread& thread = this_thread();
  if (thread.shard == nullptr) [[unlikely]]
    thread.shard = &shards_[next_shard_.fetch_add(1, std::memory_order_relaxed) % shard_count];
  if (thread.depth == 0) thread.shard->threads.fetch_add(1, std::memory_order_seq_cst);
  ++thread.depth;
}

CallUnderWay::~CallUnderWay() {
  ThisThread& thread = this_thread();
  assert(thread.depth != 0);
  if (--thread.depth == 0) thread.shard->threads.fetch_sub(1, std::memory_order_release);
}

bool CallUnderWay::on_this_thread() noexcept { return this_thread().depth != 0; }

bool CallUnderWay::on_any_thread() noexcept {
  return std::ranges::any_of(
      shards_, [](const Shard& shard) { return shard.threads.load(std::memory_order_seq_cst) != 0; });
}

void CallUnderWay::forget_other_threads() noexcept {
  for (Shard& shard : shards_) shard.threads.store(0, std::memory_order_relaxed);
  ThisThread& thread = this_thread();
  if (thread.depth != 0) thread.shard->threads.store(1, std::memory_order_relaxed);
}

}  // namespace heddle::runtime
