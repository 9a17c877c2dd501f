// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/remote/bounce.h"

#include <algorithm>
#include <iterator>

namespace heddle::cuda::remote {

size_t BounceBuffers::take() {
  std::unique_lock lock(mutex_);
  const auto is_free = [](const Buffer& buffer) { return !buffer.in_use; };
  freed_.wait(lock, [&] { return std::ranges::any_of(buffers_, is_free); });
  auto* const taken = std::ranges::find_if(buffers_, is_free);
  taken->in_use = true;
  if (!taken->pages) taken->pages = SharedPages::create(size);
  return static_cast<size_t>(taken - std::begin(buffers_));
}

void BounceBuffers::give_back(size_t number) noexcept {
  std::lock_guard lock(mutex_);
  buffers_[number].in_use = false;
  freed_.notify_one();
}

Status BounceBuffers::map(size_t number, Connection& connection) {
  Buffer& buffer = buffers_[number];
  if (!buffer.pages) return Status::out_of_memory;
  if (buffer.mapped_for == connection.generation()) return Status::success;
  Writer request;
  request.put(Control::map);
  request.put(MapRequest{reinterpret_cast<uint64_t>(buffer.pages.base()), size, 0});
  const Status status = connection.control(request.bytes(), buffer.pages.file());
  if (status == Status::success) buffer.mapped_for = connection.generation();
  return status;
}

void BounceBuffers::forget_parent() noexcept {
  abandon(mutex_);
  abandon(freed_);
}

}  // namespace heddle::cuda::remote
