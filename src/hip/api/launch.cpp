// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels that the program contains.
#include "hip/core/launch.h"

#include <cstring>

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/registry.h"
#include "hip/core/runtime.h"
#include "hip/core/thread.h"

namespace heddle::hip::api {
namespace {

hipError_t launch_on(Stream& stream, const void* host, dim3 groups, dim3 group,
                     const LaunchArguments& arguments, size_t dynamic_size) {
  if (host == nullptr) return hipErrorInvalidDeviceFunction;
  const Function* const function = Registry::get().function(host, stream.device());
  if (function == nullptr) return hipErrorInvalidDeviceFunction;
  launch(*function, shape_of_groups(groups, group, dynamic_size), arguments, stream, host);
  return hipSuccess;
}

/// Takes the configuration that was pushed last.
CallConfiguration pop_configuration() {
  auto& pushed = this_thread().configurations;
  if (pushed.empty()) throw Failure(hipErrorMissingConfiguration);
  const CallConfiguration configuration = pushed.back();
  pushed.pop_back();
  return configuration;
}

void record(hipEvent_t handle, Stream& stream) {
  if (handle == nullptr) return;
  const auto event = Runtime::get().events().find(handle);
  if (event == nullptr) throw Failure(hipErrorInvalidHandle);
  event->record(stream);
}

}  // namespace

hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream) {
  this_thread().configurations.push_back({gridDim, blockDim, sharedMem, stream});
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem, hipStream_t* stream) {
  const CallConfiguration configuration = pop_configuration();
  *gridDim = configuration.grid;
  *blockDim = configuration.group;
  *sharedMem = configuration.dynamic_group_size;
  *stream = configuration.stream;
  return hipSuccess;
}

hipError_t hipLaunchKernel(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                           size_t sharedMemBytes, hipStream_t stream) {
  const auto target = Runtime::get().stream(stream);
  return launch_on(*target, function_address, numBlocks, dimBlocks, {.each = args}, sharedMemBytes);
}

hipError_t hipLaunchKernel_spt(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                               size_t sharedMemBytes, hipStream_t stream) {
  return hipLaunchKernel(function_address, numBlocks, dimBlocks, args, sharedMemBytes,
                         stream == nullptr ? hipStreamPerThread : stream);
}

hipError_t hipExtLaunchKernel(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                              size_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent,
                              hipEvent_t stopEvent, int) {
  const auto target = Runtime::get().stream(stream);
  record(startEvent, *target);
  const hipError_t result =
      launch_on(*target, function_address, numBlocks, dimBlocks, {.each = args}, sharedMemBytes);
  if (result == hipSuccess) record(stopEvent, *target);
  return result;
}

hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream) {
  this_thread().call_arguments.clear();
  return __hipPushCallConfiguration(gridDim, blockDim, sharedMem, stream);
}

hipError_t hipSetupArgument(const void* arg, size_t size, size_t offset) {
  constexpr size_t largest = size_t{1} << 20;
  if (arg == nullptr || size > largest || offset > largest) return hipErrorInvalidValue;
  auto& arguments = this_thread().call_arguments;
  if (arguments.size() < offset + size) arguments.resize(offset + size);
  std::memcpy(arguments.data() + offset, arg, size);
  return hipSuccess;
}

hipError_t hipLaunchByPtr(const void* func) {
  const CallConfiguration configuration = pop_configuration();
  const auto& arguments = this_thread().call_arguments;
  const auto stream = Runtime::get().stream(configuration.stream);
  return launch_on(*stream, func, configuration.grid, configuration.group,
                   {.packed = arguments.data(), .packed_size = arguments.size()},
                   configuration.dynamic_group_size);
}

}  // namespace heddle::hip::api
