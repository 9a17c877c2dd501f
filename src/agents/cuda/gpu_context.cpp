// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/gpu_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "agents/cuda/description.h"
#include "support/align.h"

namespace heddle::cuda {

Driven<std::unique_ptr<GpuContext>> GpuContext::open(const DriverApi& api, const GpuProperties& gpu) {
  Context context = nullptr;
  // Fails if the application has the context already; its own flags hold then.
  static_cast<void>(api.context_flags(gpu.number, context_schedules_blocking));
  if (auto done = api.call(api.context_retain, &context, gpu.number); !done) return done.error();
  return std::unique_ptr<GpuContext>(new GpuContext(api, gpu, context));
}

GpuContext::~GpuContext() { static_cast<void>(api_.context_release(number())); }

Driven<void> GpuContext::reopen(DeviceNumber number) {
  Context context = nullptr;
  static_cast<void>(api_.context_flags(number, context_schedules_blocking));
  if (auto done = api_.call(api_.context_retain, &context, number); !done) return done;
  number_ = number;
  std::lock_guard lock(stack_mutex_);
  stack_ = std::make_shared<Stack>();
  context_ = context;
  generation_.fetch_add(1, std::memory_order_acq_rel);
  return {};
}

Driven<void> GpuContext::use() const { return api_.call(api_.context_use, context_.load()); }

Driven<void> GpuContext::provide_stack(size_t bytes) {
  std::unique_lock lock(stack_mutex_);
  const std::shared_ptr<Stack> stack = stack_;
  lock.unlock();
  std::lock_guard changing(stack->mutex);
  if (stack->size == 0)
    if (auto done = call(api_.context_limit, &stack->size, Limit::stack_size); !done) return done;
  if (bytes <= stack->size) return {};
  if (bytes > private_memory_max)
    return DriverError{Status::out_of_memory,
                       fmt::format("{} bytes of private segment and of stack for calls, of which a work-item "
                                   "can have {}",
                                   bytes, private_memory_max)};
  // It takes milliseconds, so it should not happen often. But the driver allocates this for each thread that
  // the GPU can hold, a quarter of a million of them, so that much more than is needed would take gigabytes.
  const size_t rounded = align_up(bytes, std::max<size_t>(std::bit_floor(bytes) / 4, 1024));
  const size_t wanted = std::min<size_t>(rounded, private_memory_max);
  if (auto done = call(api_.context_synchronize); !done) return done;
  const size_t before = std::exchange(stack->size, 0);
  auto done = call(api_.context_set_limit, Limit::stack_size, wanted);
  if (done)
    stack->size = wanted;
  else
    static_cast<void>(status_of(api_.context_set_limit, Limit::stack_size, before));
  if (!done && done.error().status == Status::out_of_memory)
    return DriverError{
        Status::out_of_memory,
        fmt::format("{}; the driver needs {} bytes of stack for each work-item that the GPU can hold",
                    done.error().message, wanted)};
  return done;
}

}  // namespace heddle::cuda
