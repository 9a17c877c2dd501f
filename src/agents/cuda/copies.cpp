// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/copies.h"

#include <utility>

#include "support/exception_safety.h"

namespace heddle::cuda {
namespace {

DeviceAddress address(const void* pointer) { return reinterpret_cast<DeviceAddress>(pointer); }

}  // namespace

Copies::~Copies() {
  for (Stream stream : idle_) destroy(stream);
}

void Copies::destroy(Stream stream) noexcept {
  static_cast<void>(context_.status_of(context_.api().stream_destroy, stream));
}

/// Streams end with the context that they were made in. Those in use go when they are given back. Needs
/// mutex_.
void Copies::forget_streams_of_lost_context() {
  const uint64_t present = context_.generation();
  if (std::exchange(generation_, present) == present) return;
  for (Stream stream : idle_) destroy(stream);
  streams_ -= idle_.size();
  idle_.clear();
}

Driven<Copies::Taken> Copies::take_stream() {
  if (auto used = context_.use(); !used) return used.error();
  std::lock_guard lock(mutex_);
  forget_streams_of_lost_context();
  if (!idle_.empty()) {
    Stream stream = idle_.back();
    idle_.pop_back();
    return Taken{stream, generation_};
  }
  idle_.reserve(streams_ + 1);
  Stream stream = nullptr;
  if (auto done = context_.api().call(context_.api().stream_create, &stream, stream_non_blocking, 0); !done)
    return done.error();
  ++streams_;
  return Taken{stream, generation_};
}

void Copies::give_back(const Taken& taken) noexcept {
  std::lock_guard lock(mutex_);
  if (taken.generation == generation_) {
    idle_.push_back(taken.stream);
    return;
  }
  destroy(taken.stream);
  --streams_;
}

Driven<void> Copies::submit_piece(Stream stream, std::byte* to, const std::byte* from, uint64_t size) {
  const DriverApi& api = context_.api();
  const bool to_device = device_.contains(address(to)), from_device = device_.contains(address(from));
  if (to_device && from_device) return api.call(api.copy_on_device, address(to), address(from), size, stream);
  if (to_device)
    return api.call(api.copy_to_device, address(to), static_cast<const void*>(from), size, stream);
  if (from_device) return api.call(api.copy_to_host, static_cast<void*>(to), address(from), size, stream);
  return api.call(api.copy, address(to), address(from), size, stream);
}

/// Submits pieces that are registered in one piece on both sides, because the driver refuses others.
Driven<void> Copies::submit(Stream stream, std::byte* to, const std::byte* from, uint64_t size) {
  while (size != 0) {
    uint64_t piece = size;
    if (!device_.contains(address(to))) piece = host_.piece(to, piece);
    if (!device_.contains(address(from))) piece = host_.piece(from, piece);
    if (auto done = submit_piece(stream, to, from, piece); !done) return done;
    to += piece;
    from += piece;
    size -= piece;
  }
  return {};
}

Driven<void> Copies::copy(void* to, const void* from, uint64_t size) {
  auto taken = take_stream();
  if (!taken) return taken.error();
  const Finally ended([&] { give_back(*taken); });
  auto submitted =
      submit(taken->stream, static_cast<std::byte*>(to), static_cast<const std::byte*>(from), size);
  // Also after an error, because the copies that were submitted use the caller's memory.
  auto done = context_.api().call(context_.api().stream_synchronize, taken->stream);
  return submitted ? done : submitted;
}

}  // namespace heddle::cuda
