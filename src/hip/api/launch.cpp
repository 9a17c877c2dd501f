// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels that the program contains.
#include "hip/core/launch.h"

#include <cstring>
#include <span>

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

/// Whether the attributes of a launch want a cooperative one. Throws Failure for attributes that are none.
bool wants_cooperation(const hipLaunchAttribute* attributes, unsigned count) {
  if (attributes == nullptr && count != 0) throw Failure(hipErrorInvalidValue);
  bool cooperative = false;
  for (const hipLaunchAttribute& attribute : std::span(attributes, count)) {
    if (attribute.id == hipLaunchAttributeCooperative)
      cooperative = attribute.value.cooperative != 0;
    else if (attribute.id != hipLaunchAttributeAccessPolicyWindow &&
             attribute.id != hipLaunchAttributePriority)
      throw Failure(hipErrorInvalidValue);
  }
  return cooperative;
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

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* fPtr, void** args) {
  if (config == nullptr) return hipErrorInvalidConfiguration;
  if (!wants_cooperation(config->attrs, config->numAttrs))
    return hipLaunchKernel(fPtr, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                           config->stream);
  return hipLaunchCooperativeKernel(fPtr, config->gridDim, config->blockDim, args,
                                    static_cast<unsigned>(config->dynamicSmemBytes), config->stream);
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t f, void** params,
                                void** extra) {
  if (config == nullptr) return hipErrorInvalidConfiguration;
  const auto& c = *config;
  if (!wants_cooperation(c.attrs, c.numAttrs))
    return hipModuleLaunchKernel(f, c.gridDimX, c.gridDimY, c.gridDimZ, c.blockDimX, c.blockDimY, c.blockDimZ,
                                 c.sharedMemBytes, c.hStream, params, extra);
  if (extra != nullptr) return hipErrorInvalidValue;  // cooperative launches have no such list
  return hipModuleLaunchCooperativeKernel(f, c.gridDimX, c.gridDimY, c.gridDimZ, c.blockDimX, c.blockDimY,
                                          c.blockDimZ, c.sharedMemBytes, c.hStream, params);
}

hipError_t hipGetFuncBySymbol(hipFunction_t* functionPtr, const void* symbolPtr) {
  if (functionPtr == nullptr) return hipErrorInvalidValue;
  if (symbolPtr == nullptr) return hipErrorInvalidDeviceFunction;
  const Function* const found = Registry::get().function(symbolPtr, Runtime::get().device());
  if (found == nullptr) return hipErrorInvalidDeviceFunction;
  *functionPtr = reinterpret_cast<hipFunction_t>(const_cast<Function*>(found));
  return hipSuccess;
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
