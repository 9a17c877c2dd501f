// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/copies.h"

#include "support/exception_safety.h"

namespace heddle::cuda {
namespace {

DeviceAddress address(const void* pointer) { return reinterpret_cast<DeviceAddress>(pointer); }

}  // namespace

Copies::~Copies() {
  for (Stream stream : idle_) static_cast<void>(context_.call(context_.api().stream_destroy, stream));
}

/// Streams end with the context that they were made in. Those in use come back later, and fail once. Needs
/// mutex_.
void Copies::forget_streams_of_lost_context() {
  if (generation_ == context_.generation()) return;
  generation_ = context_.generation();
  for (Stream stream : idle_) static_cast<void>(context_.call(context_.api().stream_destroy, stream));
  idle_.clear();
}

Driven<Stream> Copies::take_stream() {
  if (auto used = context_.use(); !used) return used.error();
  std::lock_guard lock(mutex_);
  forget_streams_of_lost_context();
  if (!idle_.empty()) {
    Stream stream = idle_.back();
    idle_.pop_back();
    return stream;
  }
  idle_.reserve(streams_ + 1);
  Stream stream = nullptr;
  if (auto done = context_.api().call(context_.api().stream_create, &stream, stream_non_blocking, 0); !done)
    return done.error();
  ++streams_;
  return stream;
}

void Copies::give_back(Stream stream) {
  std::lock_guard lock(mutex_);
  idle_.push_back(stream);
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
  auto stream = take_stream();
  if (!stream) return stream.error();
  const Finally ended([&] { give_back(*stream); });
  auto submitted = submit(*stream, static_cast<std::byte*>(to), static_cast<const std::byte*>(from), size);
  // Also after an error, because the copies that were submitted use the caller's memory.
  auto done = context_.api().call(context_.api().stream_synchronize, *stream);
  return submitted ? done : submitted;
}

}  // namespace heddle::cuda
