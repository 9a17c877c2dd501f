// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/gpu_driver.h"

#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

namespace heddle::cuda {
namespace {

/// Whether `function` is one of `others`; they have different types.
template <auto function, auto... others>
constexpr bool is_one_of = (std::is_same_v<std::integral_constant<decltype(function), function>,
                                           std::integral_constant<decltype(others), others>> ||
                            ...);

template <auto function>
constexpr bool waits_for_stream =
    is_one_of<function, &DriverApi::stream_query, &DriverApi::stream_synchronize>;
/// What a driver does after a fault of a kernel.
template <auto function>
constexpr bool takes_back = is_one_of<function, &DriverApi::memory_unmap, &DriverApi::memory_release>;

}  // namespace

GpuDriver::GpuDriver(std::optional<DriverHere> here, const GpuProperties& gpu, remote::ProcessOptions options)
    : here_(here),
      gpu_(gpu),
      api_(DriverApi::make([this](DriverApi& api) {
#define HEDDLE_CUDA_SET(member, ...) set<&DriverApi::member>(api.member);
        HEDDLE_CUDA_FUNCTIONS(HEDDLE_CUDA_SET)
        HEDDLE_CUDA_OPERATIONS(HEDDLE_CUDA_SET)
#undef HEDDLE_CUDA_SET
        api.error_name.invoke = [](void* target, Status status, const char** text) {
          return static_cast<GpuDriver*>(target)->describe<&DriverApi::error_name>(status, text);
        };
        api.error_text.invoke = [](void* target, Status status, const char** text) {
          return static_cast<GpuDriver*>(target)->describe<&DriverApi::error_text>(status, text);
        };
        api.memory_reserve.invoke = [](void* target, auto... values) {
          return static_cast<GpuDriver*>(target)->reserve(values...);
        };
      })),
      is_here_(here.has_value()),
      remote_(std::move(options)) {
}

template <auto function, typename... Parameters>
void GpuDriver::set(DriverFunction<Parameters...>& to) {
  to.target = this;
  to.invoke = [](void* target, Parameters... values) {
    return static_cast<GpuDriver*>(target)->call<function>(values...);
  };
}

/// Calls a function where the driver is, and keeps in mind that it is lost here.
template <auto function, typename... Parameters>
Status GpuDriver::call(Parameters... values) {
  if (!is_here()) {
    if constexpr (waits_for_stream<function>)
      if (is_going_on(values...)) return (here_->api.*function)(values...);
    return (remote_.api().*function)(values...);
  }
  if (const Status lost = this->lost(); lost != Status::success) {
    const bool may_call =
        lost == Status::given_up ? waits_for_stream<function> : takes_back<function> && lost == here_->lost;
    if (!may_call) return lost;
  }
  const Status status = (here_->api.*function)(values...);
  if (remote::is_sticky(status)) here_->lost.store(status, std::memory_order_release);
  return status;
}

/// The name or the text of an error, also of those that are not the driver's, and when it is lost.
template <auto function>
Status GpuDriver::describe(Status status, const char** text) {
  constexpr bool is_name = function == &DriverApi::error_name;
  if (!is_here()) return (remote_.api().*function)(status, text);
  *text = remote_.known_text(is_name, status);
  return *text ? Status::success : (here_->api.*function)(status, text);
}

/// The addresses of a window stay reserved in this process when the driver moves.
Status GpuDriver::reserve(DeviceAddress* window, size_t size, size_t alignment, DeviceAddress wanted,
                          unsigned long long flags) {
  const bool was_here = is_here();
  const Status status = call<&DriverApi::memory_reserve>(window, size, alignment, wanted, flags);
  if (!was_here || status != Status::success) return status;
  try {
    std::lock_guard lock(remote_.windows_mutex);
    remote_.windows[*window] = size;
    return status;
  } catch (const std::bad_alloc&) {
    static_cast<void>(call<&DriverApi::memory_unreserve>(*window, size));
    return Status::out_of_memory;
  }
}

Status GpuDriver::lost() const {
  if (!is_here()) return remote_.lost();
  if (remote_.is_in_child()) return Status::not_initialized;
  const Status lost = here_->lost.load(std::memory_order_acquire);
  return lost == Status::success && given_up_.load(std::memory_order_acquire) ? Status::given_up : lost;
}

void GpuDriver::give_up() noexcept {
  if (!is_here()) return remote_.end(Status::process_ended);
  given_up_.store(true, std::memory_order_release);
}

/// Whether a stream is one of this process that goes on although the driver has moved. Streams of processes
/// are odd.
bool GpuDriver::is_going_on(Stream stream) const {
  return stream && reinterpret_cast<uintptr_t>(stream) % 2 == 0 &&
         given_up_.load(std::memory_order_acquire) && !lost_here();
}

/// Looks for the GPU among those that the process shows, which has none of its peers.
Driven<void> GpuDriver::find_gpu() {
  const auto found = find_gpus(remote_.api());
  if (!found) return found.error();
  for (const GpuProperties& there : *found) {
    GpuProperties as_here = there;
    as_here.number = gpu_.number;
    as_here.peers = gpu_.peers;
    as_here.atomic_peers = gpu_.atomic_peers;
    if (as_here != gpu_) continue;
    number_there_ = there.number;
    return {};
  }
  return DriverError{Status::no_device, "a process of the GPU does not show it as it was"};
}

Driven<void> GpuDriver::start() {
  if (auto started = remote_.start(); !started)
    return DriverError{remote_.is_in_child() ? Status::not_initialized : Status::unknown,
                       started.error().message};
  if (auto found = find_gpu(); !found) {
    remote_.end(Status::process_lost);
    return found;
  }
  return {};
}

}  // namespace heddle::cuda
