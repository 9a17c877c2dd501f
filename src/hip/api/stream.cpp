// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams.
#include "hip/core/stream.h"

#include <algorithm>

#include "functions.h"
#include "hip/core/capture.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

constexpr int least_priority = 1, greatest_priority = -1;

hipStream_t of_thread(hipStream_t stream) { return stream == nullptr ? hipStreamPerThread : stream; }

hipError_t create(hipStream_t* stream, unsigned flags, int priority, std::span<const uint32_t> units) {
  if (stream == nullptr || (flags != hipStreamDefault && flags != hipStreamNonBlocking))
    return hipErrorInvalidValue;
  const int clamped = std::clamp(priority, greatest_priority, least_priority);
  const StreamKind kind = flags == hipStreamNonBlocking ? StreamKind::non_blocking : StreamKind::blocking;
  Runtime& runtime = Runtime::get();
  *stream = runtime.streams().add(
      std::make_shared<Stream>(runtime.device(), kind, static_cast<QueuePriority>(clamped), units));
  return hipSuccess;
}

}  // namespace

hipError_t hipStreamCreate(hipStream_t* stream) { return create(stream, hipStreamDefault, 0, {}); }

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
  return create(stream, flags, 0, {});
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) {
  return create(stream, flags, priority, {});
}

hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t cuMaskSize, const uint32_t* cuMask) {
  if (cuMaskSize == 0 || cuMask == nullptr) return hipErrorInvalidValue;
  return create(stream, hipStreamDefault, 0, {cuMask, cuMaskSize});
}

hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t* cuMask) {
  if (cuMask == nullptr) return hipErrorInvalidValue;
  const auto found = Runtime::get().stream(stream);
  const uint32_t units = found->device().properties().compute_units;
  if (cuMaskSize < (units + 31) / 32) return hipErrorInvalidValue;
  std::fill_n(cuMask, cuMaskSize, 0);
  const auto mask = found->units();
  for (uint32_t unit = 0; unit < units; ++unit) {
    const bool used = mask.empty() || (unit / 32 < mask.size() && (mask[unit / 32] >> unit % 32 & 1) != 0);
    if (used) cuMask[unit / 32] |= uint32_t{1} << unit % 32;
  }
  return hipSuccess;
}

hipError_t hipDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (leastPriority != nullptr) *leastPriority = least_priority;
  if (greatestPriority != nullptr) *greatestPriority = greatest_priority;
  return hipSuccess;
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  if (is_default_stream(stream)) return hipErrorInvalidHandle;
  const auto taken = Runtime::get().streams().take(stream);
  if (taken == nullptr) return hipErrorContextIsDestroyed;
  leave_capture(*taken);
  taken->finish();
  return hipSuccess;
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  const auto target = Runtime::get().stream(stream);
  refuse_if_captured(*target);
  target->synchronize();
  return hipSuccess;
}

hipError_t hipStreamSynchronize_spt(hipStream_t stream) { return hipStreamSynchronize(of_thread(stream)); }

hipError_t hipStreamQuery(hipStream_t stream) {
  const auto target = Runtime::get().stream(stream);
  refuse_if_captured(*target);
  return target->idle() ? hipSuccess : hipErrorNotReady;
}

hipError_t hipStreamQuery_spt(hipStream_t stream) { return hipStreamQuery(of_thread(stream)); }

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags) {
  if (flags == nullptr) return hipErrorInvalidValue;
  const StreamKind kind = Runtime::get().stream(stream)->kind();
  *flags = kind == StreamKind::non_blocking ? hipStreamNonBlocking : hipStreamDefault;
  return hipSuccess;
}

hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned int* flags) {
  return hipStreamGetFlags(of_thread(stream), flags);
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  if (priority == nullptr) return hipErrorInvalidValue;
  *priority = static_cast<int>(Runtime::get().stream(stream)->priority());
  return hipSuccess;
}

hipError_t hipStreamGetPriority_spt(hipStream_t stream, int* priority) {
  return hipStreamGetPriority(of_thread(stream), priority);
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  if (device == nullptr) return hipErrorInvalidValue;
  *device = Runtime::get().stream(stream)->device().number();
  return hipSuccess;
}

int hipGetStreamDeviceId(hipStream_t stream) {
  try {
    if (Runtime::start() != hipSuccess) return -1;
    return Runtime::get().stream(stream)->device().number();
  } catch (const std::exception&) {
    return -1;
  }
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  if (flags != 0) return hipErrorInvalidValue;
  const auto target = Runtime::get().stream(stream);
  const auto awaited = Runtime::get().events().find(event);
  if (awaited == nullptr) return hipErrorInvalidHandle;
  if (!record_wait(*target, *awaited)) target->wait_for(awaited->marker());
  return hipSuccess;
}

hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  return hipStreamWaitEvent(of_thread(stream), event, flags);
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* userData,
                                unsigned int flags) {
  if (callback == nullptr || flags != 0) return hipErrorInvalidValue;
  const auto target = Runtime::get().stream(stream);
  refuse_if_captured(*target);
  // The stream outlives the call of the function: its destruction waits for that.
  target->run([=, &device = target->device()] { callback(stream, device.failure(), userData); },
              Stream::AtOnce::no);
  return hipSuccess;
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void* userData) {
  if (fn == nullptr) return hipErrorInvalidValue;
  const auto target = Runtime::get().stream(stream);
  if (is_captured(*target))
    record_work(hipHostNodeParams{fn, userData}, *target);
  else
    target->run([=] { fn(userData); }, Stream::AtOnce::no);
  return hipSuccess;
}

}  // namespace heddle::hip::api
