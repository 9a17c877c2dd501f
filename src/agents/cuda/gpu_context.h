// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "agents/cuda/gpu.h"
#include "agents/cuda/remote/connection.h"

namespace heddle::cuda {

/// The primary context of one GPU, in which everything of the agent lives. A fault of a kernel ends it for
/// good: from then on every call fails with the same error. Thread safe.
class GpuContext {
 public:
  /// Opens the context, which takes a tenth of a second. `api` outlives it.
  static Driven<std::unique_ptr<GpuContext>> open(const DriverApi& api, const GpuProperties& gpu);
  ~GpuContext();
  /// Opens the context in a new process of the GPU, where it has this number, after the one before was lost.
  /// Nothing that was in that is in this.
  Driven<void> reopen(DeviceNumber number);
  /// Counts how often it was opened.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  GpuContext(const GpuContext&) = delete;
  GpuContext& operator=(const GpuContext&) = delete;

  const DriverApi& api() const { return api_; }
  const GpuProperties& gpu() const { return gpu_; }
  /// The number of the GPU at the driver, which may be another one in a process of the GPU.
  DeviceNumber number() const { return number_.load(std::memory_order_relaxed); }

  /// Makes the context that of the calling thread. Needed before calls of the driver on a thread that did not
  /// open it.
  Driven<void> use() const;
  /// The same, without words about an error.
  void try_to_use() const noexcept { static_cast<void>(api_.context_use(context_.load())); }

  /// Calls a function of the driver in this context.
  template <typename... Parameters, typename... Arguments>
  Driven<void> call(const DriverFunction<Parameters...>& function, Arguments... arguments) const {
    if (auto used = use(); !used) return used;
    return api_.call(function, arguments...);
  }

  /// Waits until a stream has nothing to do any more, or the context is lost. In a driver that was given up,
  /// what was begun goes on.
  void wait_for(Stream stream) const noexcept {
    try_to_use();
    static_cast<void>(api_.stream_synchronize(stream));
  }

  /// What the driver says of a stream. What was begun goes on in a driver that was given up, and its streams
  /// still tell of it, whatever has become of the driver since.
  Status status_of_stream(Stream stream) const noexcept {
    const Status used = api_.context_use(context_.load());
    return remote::is_sticky(used) ? used : api_.stream_query(stream);
  }

  /// Sees to it that a thread has at least `bytes` of stack for memory whose size only a dispatch knows.
  /// Waits until no kernel of the GPU runs if the stack has to grow. Out of memory if the GPU cannot have so
  /// much.
  Driven<void> provide_stack(size_t bytes);

  /// As call(), for those who need no words about an error.
  template <typename... Parameters, typename... Arguments>
  Status status_of(const DriverFunction<Parameters...>& function, Arguments... arguments) const noexcept {
    const Status used = api_.context_use(context_.load());
    return used == Status::success ? function(arguments...) : used;
  }

 private:
  GpuContext(const DriverApi& api, const GpuProperties& gpu, Context context)
      : api_(api), gpu_(gpu), number_(gpu.number), context_(context) {}

  const DriverApi& api_;
  const GpuProperties gpu_;
  std::atomic<DeviceNumber> number_;
  std::atomic<Context> context_;
  std::atomic<uint64_t> generation_{1};
  /// The stack of the context. A driver that was given up may never let go of that of its own.
  struct Stack {
    std::mutex mutex;
    size_t size = 0;  ///< bytes that are known to be there; 0: the driver has to be asked
  };
  std::mutex stack_mutex_;
  std::shared_ptr<Stack> stack_ = std::make_shared<Stack>();
};

}  // namespace heddle::cuda
