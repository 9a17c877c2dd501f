// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules that programs load, and launches of their functions.
#include "hip/core/module.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "functions.h"
#include "hip/bundle/bundle.h"
#include "hip/core/failure.h"
#include "hip/core/launch.h"
#include "hip/core/occupancy.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

std::shared_ptr<Module> find_module(hipModule_t handle) {
  auto module = Runtime::get().modules().find(handle);
  if (module == nullptr) throw Failure(hipErrorInvalidHandle);
  return module;
}

hipModule_t load(std::span<const std::byte> bytes) {
  Runtime& runtime = Runtime::get();
  return runtime.modules().add(std::make_shared<Module>(runtime.device(), bytes));
}

/// Handles of functions are addresses. That their module is alive is the program's promise.
const Function& function_of(hipFunction_t handle) {
  if (handle == nullptr) throw Failure(hipErrorInvalidHandle);
  return *reinterpret_cast<const Function*>(handle);
}

hipError_t launch_in(hipStream_t stream, hipFunction_t f, const LaunchShape& shape, void** params,
                     void** extra) {
  launch(function_of(f), shape, launch_arguments(params, extra), *Runtime::get().stream(stream), f);
  return hipSuccess;
}

void record(hipEvent_t handle, hipStream_t stream) {
  if (handle == nullptr) return;
  const auto event = Runtime::get().events().find(handle);
  if (event == nullptr) throw Failure(hipErrorInvalidHandle);
  event->record(*Runtime::get().stream(stream));
}

}  // namespace

hipError_t hipModuleLoad(hipModule_t* module, const char* fname) {
  if (module == nullptr || fname == nullptr || *fname == 0) return hipErrorInvalidValue;
  std::ifstream file(fname, std::ios::binary);
  if (!file) return hipErrorFileNotFound;
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  *module = load(std::as_bytes(std::span(bytes)));
  return hipSuccess;
}

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  if (module == nullptr || image == nullptr) return hipErrorInvalidValue;
  const size_t size = size_of_bundle(image);
  if (size == 0) return hipErrorInvalidImage;
  *module = load({static_cast<const std::byte*>(image), size});
  return hipSuccess;
}

hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned int, hipJitOption*, void**) {
  return hipModuleLoadData(module, image);
}

hipError_t hipModuleUnload(hipModule_t module) {
  Device& device = find_module(module)->device();
  if (device.failure() == hipSuccess) device.synchronize();
  Runtime::get().modules().take(module);
  return hipSuccess;
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* kname) {
  if (function == nullptr || kname == nullptr) return hipErrorInvalidValue;
  const Function* const found = find_module(module)->function(kname);
  if (found == nullptr) return hipErrorNotFound;
  *function = reinterpret_cast<hipFunction_t>(const_cast<Function*>(found));
  return hipSuccess;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* dptr, size_t* bytes, hipModule_t hmod, const char* name) {
  if (name == nullptr || *name == 0 || (dptr == nullptr && bytes == nullptr)) return hipErrorInvalidValue;
  const auto variable = find_module(hmod)->variable(name);
  if (!variable) return hipErrorNotFound;
  if (dptr != nullptr) *dptr = variable->address;
  if (bytes != nullptr) *bytes = variable->size;
  return hipSuccess;
}

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                 unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                 unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream,
                                 void** kernelParams, void** extra) {
  const LaunchShape shape =
      shape_of_groups({gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes);
  return launch_in(stream, f, shape, kernelParams, extra);
}

hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
                                    uint32_t globalWorkSizeZ, uint32_t localWorkSizeX,
                                    uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t hStream, void** kernelParams, void** extra,
                                    hipEvent_t startEvent, hipEvent_t stopEvent, uint32_t) {
  const LaunchShape shape{{globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ},
                          {localWorkSizeX, localWorkSizeY, localWorkSizeZ},
                          sharedMemBytes};
  record(startEvent, hStream);
  const hipError_t result = launch_in(hStream, f, shape, kernelParams, extra);
  record(stopEvent, hStream);
  return result;
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
                                    uint32_t globalWorkSizeZ, uint32_t localWorkSizeX,
                                    uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t hStream, void** kernelParams, void** extra,
                                    hipEvent_t startEvent, hipEvent_t stopEvent) {
  return hipExtModuleLaunchKernel(f, globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ, localWorkSizeX,
                                  localWorkSizeY, localWorkSizeZ, sharedMemBytes, hStream, kernelParams,
                                  extra, startEvent, stopEvent, 0);
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attrib, hipFunction_t hfunc) {
  if (value == nullptr) return hipErrorInvalidValue;
  const auto found = attribute_of(function_of(hfunc), attrib);
  if (!found) return hipErrorInvalidValue;
  *value = *found;
  return hipSuccess;
}

const char* hipKernelNameRef(hipFunction_t f) {
  return f == nullptr ? nullptr : function_of(f).kernel.name.c_str();
}

}  // namespace heddle::hip::api
