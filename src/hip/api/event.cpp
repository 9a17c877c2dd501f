// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events.
#include "hip/core/event.h"

#include <bit>

#include "functions.h"
#include "hip/core/capture.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

std::shared_ptr<Event> find_event(hipEvent_t handle) {
  auto event = Runtime::get().events().find(handle);
  if (event == nullptr) throw Failure(hipErrorInvalidHandle);
  return event;
}

void check_device(const MarkerPointer& marker) {
  if (marker != nullptr && marker->device().failure() != hipSuccess)
    throw Failure(marker->device().failure());
}

}  // namespace

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) {
  // Every event makes memory visible to the whole system, as the strongest of these wants it.
  constexpr unsigned fences = hipEventReleaseToDevice | hipEventReleaseToSystem | hipEventDisableSystemFence;
  constexpr unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | fences;
  if (event == nullptr || (flags & ~known) != 0 || std::popcount(flags & fences) > 1)
    return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  if ((flags & hipEventInterprocess) == 0) {
    *event = runtime.events().add(std::make_shared<Event>(flags));
    return hipSuccess;
  }
  if ((flags & hipEventDisableTiming) == 0) return hipErrorInvalidValue;
  *event = runtime.events().add(std::make_shared<Event>(flags, SharedPoint::create(), runtime.device()));
  return hipSuccess;
}

hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, hipEventDefault); }

hipError_t hipEventDestroy(hipEvent_t event) {
  return Runtime::get().events().take(event) != nullptr ? hipSuccess : hipErrorInvalidHandle;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  const auto found = find_event(event);
  found->record(*Runtime::get().stream(stream));
  return hipSuccess;
}

hipError_t hipEventQuery(hipEvent_t event) {
  const auto found = find_event(event);
  refuse_if_captured(*found);
  const auto marker = found->marker();
  check_device(marker);
  return marker == nullptr || marker->done() ? hipSuccess : hipErrorNotReady;
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  const auto found = find_event(event);
  refuse_if_captured(*found);
  const auto marker = found->marker();
  if (marker == nullptr) return hipSuccess;
  marker->wait();
  static_cast<void>(found->marker());  // other processes know now, too
  check_device(marker);
  marker->device().print_output();
  return hipSuccess;
}

hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop) {
  if (ms == nullptr) return hipErrorInvalidValue;
  const auto first = find_event(start), last = find_event(stop);
  if (!first->has_time() || !last->has_time() || !first->recorded() || !last->recorded())
    return hipErrorInvalidHandle;
  refuse_if_captured(*first);
  refuse_if_captured(*last);
  const auto begin = first->marker(), end = last->marker();
  check_device(begin);
  check_device(end);
  if (!begin->done() || !end->done()) return hipErrorNotReady;
  uint64_t frequency = 1;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency);
  const auto ticks = static_cast<double>(static_cast<int64_t>(end->time() - begin->time()));
  *ms = static_cast<float>(ticks * 1e3 / static_cast<double>(frequency));
  return hipSuccess;
}

}  // namespace heddle::hip::api
