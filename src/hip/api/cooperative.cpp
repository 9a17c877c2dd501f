// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative launches, and launches on several devices.
#include "hip/core/cooperative.h"

#include <functional>

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/registry.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

const Function& registered(const void* host, Device& device) {
  const Function* const function = host == nullptr ? nullptr : Registry::get().function(host, device);
  if (function == nullptr) throw Failure(hipErrorInvalidDeviceFunction);
  return *function;
}

const Function& loaded(hipFunction_t handle) {
  if (handle == nullptr) throw Failure(hipErrorInvalidHandle);
  return *reinterpret_cast<const Function*>(handle);
}

void check_list(const void* list, int64_t count, unsigned flags) {
  constexpr unsigned known =
      hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync;
  const auto devices = static_cast<int64_t>(Runtime::get().devices().size());
  if (list == nullptr || count <= 0 || count > devices || (flags & ~known) != 0)
    throw Failure(hipErrorInvalidValue);
}

/// Returns a stream that the program has made: default streams are not for launches on several devices.
std::shared_ptr<Stream> own_stream(hipStream_t handle) {
  if (is_default_stream(handle)) throw Failure(hipErrorInvalidHandle);
  return Runtime::get().stream(handle);
}

hipError_t launch_list(const hipLaunchParams* list, int count, unsigned flags, Together together) {
  check_list(list, count, flags);
  std::vector<DeviceLaunch> launches;
  for (int i = 0; i < count; ++i) {
    const hipLaunchParams& one = list[i];
    auto stream = own_stream(one.stream);
    const Function& function = registered(one.func, stream->device());
    launches.push_back({function,
                        shape_of_groups(one.gridDim, one.blockDim, one.sharedMem),
                        {.each = one.args},
                        std::move(stream)});
  }
  launch_on_devices(launches, flags, together);
  return hipSuccess;
}

}  // namespace

hipError_t hipLaunchCooperativeKernel(const void* f, dim3 gridDim, dim3 blockDimX, void** kernelParams,
                                      unsigned int sharedMemBytes, hipStream_t stream) {
  const auto target = Runtime::get().stream(stream);
  launch_cooperative(registered(f, target->device()), shape_of_groups(gridDim, blockDimX, sharedMemBytes),
                     {.each = kernelParams}, *target, f);
  return hipSuccess;
}

hipError_t hipLaunchCooperativeKernel_spt(const void* f, dim3 gridDim, dim3 blockDim, void** kernelParams,
                                          uint32_t sharedMemBytes, hipStream_t hStream) {
  return hipLaunchCooperativeKernel(f, gridDim, blockDim, kernelParams, sharedMemBytes,
                                    hStream == nullptr ? hipStreamPerThread : hStream);
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                            unsigned int gridDimZ, unsigned int blockDimX,
                                            unsigned int blockDimY, unsigned int blockDimZ,
                                            unsigned int sharedMemBytes, hipStream_t stream,
                                            void** kernelParams) {
  const LaunchShape shape =
      shape_of_groups({gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes);
  const Function& function = loaded(f);
  if (shape.dynamic_group_size > dynamic_group_limit(function)) return hipErrorInvalidValue;
  try {
    launch_cooperative(function, shape, {.each = kernelParams}, *Runtime::get().stream(stream), f);
  } catch (const Failure& failure) {
    if (failure.code() != hipErrorInvalidConfiguration) throw;
    throw Failure(hipErrorInvalidValue, failure.what());  // what functions of modules call a wrong shape
  }
  return hipSuccess;
}

hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* launchParamsList, int numDevices,
                                                 unsigned int flags) {
  return launch_list(launchParamsList, numDevices, flags, Together::cooperative);
}

hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* launchParamsList, int numDevices,
                                              unsigned int flags) {
  return launch_list(launchParamsList, numDevices, flags, Together::no);
}

hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams* launchParamsList,
                                                       unsigned int numDevices, unsigned int flags) {
  check_list(launchParamsList, numDevices, flags);
  std::vector<DeviceLaunch> launches;
  for (unsigned i = 0; i < numDevices; ++i) {
    const hipFunctionLaunchParams& one = launchParamsList[i];
    const LaunchShape shape =
        shape_of_groups({one.gridDimX, one.gridDimY, one.gridDimZ},
                        {one.blockDimX, one.blockDimY, one.blockDimZ}, one.sharedMemBytes);
    launches.push_back({loaded(one.function), shape, {.each = one.kernelParams}, own_stream(one.hStream)});
  }
  launch_on_devices(launches, flags, Together::cooperative);
  return hipSuccess;
}

}  // namespace heddle::hip::api
