// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <vector>

#include "agents/cuda/copy_durations.h"
#include "agents/cuda/device_memory.h"
#include "agents/cuda/host_memory.h"
#include "agents/cuda/progress_words.h"

namespace heddle::cuda {

/// The ways that a copy of a GPU can take. Those of different ways do not hold each other up.
enum class CopyDirection : uint8_t { to_device, to_host, on_device, to_peer, from_peer };
inline constexpr size_t copy_directions = 5;

/// Whose memory the two ends of a copy are. To find that out takes time that counts for small copies, so it
/// is done once for each. Nobody may change the registrations of the memory meanwhile, as during the copy
/// itself.
struct CopyEnds {
  bool to_own = false, from_own = false;                  ///< memory of this GPU
  DeviceMemory *to_peer = nullptr, *from_peer = nullptr;  ///< that of another one; null: there is none

  /// Memory of the host is known to be registered in one piece, so that the copy need not be divided.
  bool is_in_one_piece = false;

  bool to_gpu() const { return to_own || to_peer; }
  bool from_gpu() const { return from_own || from_peer; }
  /// Nothing if neither end is memory of this GPU.
  std::optional<CopyDirection> direction() const;
};

/// Copies between the memory of a GPU, that of the host and that of other GPUs, in streams of their own, so
/// that they run beside kernels and beside each other. Thread safe.
class Copies {
 public:
  /// All arguments outlive the object.
  Copies(GpuContext& context, const DeviceMemory& device, HostMemory& host)
      : context_(context), device_(device), host_(host), words_(host) {}
  ~Copies();
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  /// Copies bytes and waits until that is done. Host memory that the GPU cannot access is copied, too, but
  /// slower. The calling thread sleeps for most of the time that a long copy is expected to take, and polls
  /// around its end. Throws std::bad_alloc.
  Driven<void> copy(void* to, const void* from, uint64_t size);

  /// How long copy() expects a copy of `bytes` to take, in ticks, by what such copies took before. Never 0.
  uint64_t expected_duration(CopyDirection direction, uint64_t bytes);

  // ---- the parts of a copy, for those who do not wait (async_copies.h)

  CopyEnds ends(const void* to, const void* from) const;
  /// Sees to it that this GPU can access those ends that are memory of another one.
  Driven<void> share_peers(const CopyEnds& ends) const;
  /// Adds a copy to a stream. Divides it so that no piece crosses the border of two registrations of host
  /// memory, because the driver refuses such pieces. The context must be current on the calling thread. If an
  /// error is returned, some of the pieces may be in the stream already.
  Driven<void> submit(Stream stream, std::byte* to, const std::byte* from, uint64_t size,
                      const CopyEnds& ends);

 private:
  struct CopyStream {
    Stream stream = nullptr;
    uint64_t generation = 0;       ///< of the context in which it was made
    uint64_t* progress = nullptr;  ///< number of the latest copy that has ended; null if there was no memory
    uint64_t copies = 0;           ///< number of the latest copy
  };
  Driven<CopyStream> make_stream();
  Driven<CopyStream> take_stream();
  void give_back(const CopyStream& taken) noexcept;
  void destroy(const CopyStream& stream) noexcept;
  void forget_streams_of_lost_context();
  Driven<bool> wait(CopyStream& stream, uint64_t began, uint64_t expected);
  void note_duration(CopyDirection direction, uint64_t bytes, uint64_t duration, bool is_exact);
  Driven<bool> wait_for_progress(const CopyStream& stream, uint64_t began, uint64_t expected) const;

  GpuContext& context_;
  const DeviceMemory& device_;
  const HostMemory& host_;
  ProgressWords words_;
  std::mutex mutex_;
  std::vector<CopyStream> idle_;  ///< has room for all streams that there are
  size_t streams_ = 0;
  uint64_t generation_ = 0;  ///< of the context, to which the idle streams belong
  std::array<CopyDurations, copy_directions> durations_;
};

}  // namespace heddle::cuda
