// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contexts: every device has one, its primary context, and all functions for contexts mean it.
#include "functions.h"
#include "hip/core/device_info.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"
#include "hip/core/thread.h"

namespace heddle::hip::api {
namespace {

hipCtx_t context_of(Device& device) { return reinterpret_cast<hipCtx_t>(&device); }

Device& device_of(hipCtx_t context) { return Runtime::get().device(context); }

void push(Device& device) {
  ThreadState& thread = this_thread();
  thread.contexts.push_back(thread.device);
  thread.device = device.number();
}

}  // namespace

hipError_t hipCtxCreate(hipCtx_t* ctx, unsigned int, hipDevice_t device) {
  if (ctx == nullptr) return hipErrorInvalidValue;
  Device& found = Runtime::get().device(device);
  push(found);
  *ctx = context_of(found);
  return hipSuccess;
}

hipError_t hipCtxDestroy(hipCtx_t ctx) {
  if (ctx == nullptr) return hipErrorInvalidValue;
  const Device& device = device_of(ctx);
  ThreadState& thread = this_thread();
  if (thread.device != device.number() || thread.contexts.empty()) return hipSuccess;
  thread.device = thread.contexts.back();
  thread.contexts.pop_back();
  return hipSuccess;
}

hipError_t hipCtxPushCurrent(hipCtx_t ctx) {
  push(device_of(ctx));
  return hipSuccess;
}

hipError_t hipCtxPopCurrent(hipCtx_t* ctx) {
  ThreadState& thread = this_thread();
  if (thread.contexts.empty()) return hipErrorInvalidContext;
  if (ctx != nullptr) *ctx = context_of(Runtime::get().device());
  thread.device = thread.contexts.back();
  thread.contexts.pop_back();
  return hipSuccess;
}

hipError_t hipCtxSetCurrent(hipCtx_t ctx) {
  if (ctx != nullptr) this_thread().device = device_of(ctx).number();
  return hipSuccess;
}

hipError_t hipCtxGetCurrent(hipCtx_t* ctx) {
  if (ctx == nullptr) return hipErrorInvalidValue;
  *ctx = context_of(Runtime::get().device());
  return hipSuccess;
}

hipError_t hipCtxGetDevice(hipDevice_t* device) { return hipGetDevice(device); }

hipError_t hipCtxGetApiVersion(hipCtx_t ctx, int* apiVersion) {
  if (apiVersion == nullptr) return hipErrorInvalidValue;
  if (ctx != nullptr) device_of(ctx);
  *apiVersion = version_of_interface;
  return hipSuccess;
}

hipError_t hipCtxSynchronize() { return hipDeviceSynchronize(); }
hipError_t hipCtxGetFlags(unsigned int* flags) { return hipGetDeviceFlags(flags); }
hipError_t hipCtxGetCacheConfig(hipFuncCache_t* cacheConfig) { return hipDeviceGetCacheConfig(cacheConfig); }
hipError_t hipCtxSetCacheConfig(hipFuncCache_t cacheConfig) { return hipDeviceSetCacheConfig(cacheConfig); }
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* pConfig) {
  return hipDeviceGetSharedMemConfig(pConfig);
}
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config) { return hipDeviceSetSharedMemConfig(config); }

hipError_t hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags) {
  return hipDeviceEnablePeerAccess(device_of(peerCtx).number(), flags);
}

hipError_t hipCtxDisablePeerAccess(hipCtx_t peerCtx) {
  return hipDeviceDisablePeerAccess(device_of(peerCtx).number());
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* pctx, hipDevice_t dev) {
  if (pctx == nullptr) return hipErrorInvalidValue;
  *pctx = context_of(Runtime::get().device(dev));
  return hipSuccess;
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t dev) {
  Runtime::get().device(dev);
  return hipSuccess;
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t dev, unsigned int* flags, int* active) {
  Device& device = Runtime::get().device(dev);
  if (flags != nullptr) *flags = device.settings().flags;
  if (active != nullptr) *active = this_thread().device == device.number() ? 1 : 0;
  return hipSuccess;
}

hipError_t hipDevicePrimaryCtxReset(hipDevice_t dev) {
  Device& device = Runtime::get().device(dev);
  device.reset();
  Runtime::get().release(device);
  return hipSuccess;
}

hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t dev, unsigned int) {
  Runtime::get().device(dev);
  return hipErrorContextAlreadyInUse;  // the context exists as long as the process
}

}  // namespace heddle::hip::api
