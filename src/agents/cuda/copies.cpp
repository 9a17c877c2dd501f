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

/// Whether an address is memory of this GPU or of another one.
bool Copies::is_on_gpu(DeviceAddress address) const {
  return device_.contains(address) || OpenMemories::instance().at(address);
}

std::optional<CopyDirection> Copies::direction(DeviceAddress to, DeviceAddress from) const {
  const bool to_own = device_.contains(to), from_own = device_.contains(from);
  if (to_own && from_own) return CopyDirection::on_device;
  if (to_own) return is_on_gpu(from) ? CopyDirection::from_peer : CopyDirection::to_device;
  if (from_own) return is_on_gpu(to) ? CopyDirection::to_peer : CopyDirection::to_host;
  return std::nullopt;
}

Driven<void> Copies::share_peers(DeviceAddress to, DeviceAddress from) const {
  for (const DeviceAddress address : {to, from}) {
    DeviceMemory* const memory = device_.contains(address) ? nullptr : OpenMemories::instance().at(address);
    if (!memory) continue;
    if (auto allowed = memory->allow(context_.gpu().number); !allowed) return allowed;
    if (auto used = context_.use(); !used) return used;
  }
  return {};
}

Driven<void> Copies::submit(Stream stream, std::byte* to, const std::byte* from, uint64_t size) {
  const DriverApi& api = context_.api();
  const bool to_gpu = is_on_gpu(address(to)), from_gpu = is_on_gpu(address(from));
  while (size != 0) {
    uint64_t piece = size;
    if (!to_gpu) piece = host_.piece(to, piece);
    if (!from_gpu) piece = host_.piece(from, piece);
    auto done = to_gpu && from_gpu ? api.call(api.copy_on_device, address(to), address(from), piece, stream)
                : to_gpu
                    ? api.call(api.copy_to_device, address(to), static_cast<const void*>(from), piece, stream)
                : from_gpu ? api.call(api.copy_to_host, static_cast<void*>(to), address(from), piece, stream)
                           : api.call(api.copy, address(to), address(from), piece, stream);
    if (!done) return done;
    to += piece;
    from += piece;
    size -= piece;
  }
  return {};
}

Driven<void> Copies::copy(void* to, const void* from, uint64_t size) {
  if (auto shared = share_peers(address(to), address(from)); !shared) return shared;
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
