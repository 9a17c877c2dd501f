// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A way for requests from the client to the process of a GPU: a ring in shared memory, which one thread of
// that process reads. Requests are carried out in their order. Some are calls, whose answers the client waits
// for; others are posted, and nobody waits for them.
//
// Both sides poll before they sleep, because a futex takes longer to wake a thread than the driver takes to
// launch a kernel.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "agents/cuda/driver_types.h"
#include "agents/cuda/remote/message.h"
#include "agents/cuda/remote/shared_pages.h"

namespace heddle::cuda::remote {

/// What both sides share.
struct ChannelMemory {
  static constexpr size_t ring_size = 128 << 10, reply_size = 64 << 10;

  alignas(64) std::atomic<uint64_t> posted;  ///< bytes that the client has put into the ring, ever
  std::atomic<uint32_t> host_sleeps;
  alignas(64) std::atomic<uint64_t> taken;  ///< bytes of these that have been carried out
  std::atomic<uint64_t> answered;           ///< calls, ever
  std::atomic<uint32_t> client_sleeps;
  std::atomic<Status> posted_error;  ///< the first error of what was posted
  Status status;                     ///< what the call has returned
  uint64_t answer_size;              ///< bytes of `answer`
  alignas(64) std::byte ring[ring_size];
  alignas(64) std::byte answer[reply_size];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<Status>::is_always_lock_free);

/// The side that asks. Thread safe: calls of several threads follow each other.
class Channel {
 public:
  /// Null if the system has no memory for it. `is_alive` says whether there is still anybody to answer; it is
  /// asked every few milliseconds while a thread waits.
  static std::unique_ptr<Channel> create(std::function<bool()> is_alive);

  int file() const { return pages_.file(); }
  void close_file() { pages_.close_file(); }

  /// Has a request carried out, and calls `take` with the answer if it comes. Nothing if there is nobody to
  /// answer any more.
  std::optional<Status> call(uint16_t function, std::span<const std::byte> request,
                             const std::function<void(Reader&)>& take);
  /// Puts a request behind all others. False if there is nobody to carry it out any more.
  bool post(uint16_t function, std::span<const std::byte> request);
  /// Lets another user post, whom errors of the last one do not concern. Nothing may be in the ring.
  void forget_error() { memory_.posted_error = Status::success; }

  /// The largest request, in bytes.
  static constexpr size_t largest_request = ChannelMemory::ring_size / 2 - 64;

 private:
  Channel(SharedPages pages, std::function<bool()> is_alive);
  bool put(uint16_t function, uint16_t kind, std::span<const std::byte> request);
  bool make_room(size_t size);
  template <typename Condition>
  bool wait_until(Condition condition);

  SharedPages pages_;
  ChannelMemory& memory_;
  const std::function<bool()> is_alive_;
  std::mutex mutex_;
  uint64_t calls_ = 0;
};

/// The side that answers; for one thread.
class ChannelHost {
 public:
  /// Carries out one request, and writes what comes of it.
  using Execute = std::function<Status(uint16_t function, Reader& request, Writer& answer)>;

  explicit ChannelHost(SharedPages pages);
  /// Carries out requests for ever.
  [[noreturn]] void serve(const Execute& execute);
  /// Carries out those that are there; false if there is none.
  bool serve_once(const Execute& execute);

 private:
  void rest();
  Status perform(const Execute& execute, uint16_t function, uint16_t kind, Reader& request);

  SharedPages pages_;
  ChannelMemory& memory_;
  Writer answer_;
};

}  // namespace heddle::cuda::remote
