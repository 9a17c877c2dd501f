/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions for devices, their settings, errors and contexts.
 *
 * What holds for all functions of HIP: every one may be called from any number of threads at once. The first
 * call of a thread finds device 0 as its current one. A function that fails returns an error, which
 * hipGetLastError() returns once more to the same thread, and writes no results. Errors of work that a device
 * did later come from the next function that waits for this work.
 */
#ifndef HIP_FUNCTIONS_DEVICES_H_
#define HIP_FUNCTIONS_DEVICES_H_

#include <hip/runtime/defaults.h>
#include <hip/runtime/devices.h>
#include <hip/runtime/errors.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Starts HIP, as the first call of any other function does. `flags` must be 0.
 * Errors: hipErrorInvalidValue; hipErrorNoDevice.
 */
hipError_t hipInit(unsigned int flags);

/** Tells the version of the driver, or of this library, as HIP_VERSION counts them. */
hipError_t hipDriverGetVersion(int* driverVersion);
hipError_t hipRuntimeGetVersion(int* runtimeVersion);

/** Returns the last error of this thread, which hipGetLastError() also forgets. */
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);

/** Returns the name of an error, and what it means in English; strings of the library for numbers that are
 * none. */
const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);

/** The same, with hipErrorInvalidValue for numbers that are no error. */
hipError_t hipDrvGetErrorName(hipError_t error, const char** text);
hipError_t hipDrvGetErrorString(hipError_t error, const char** text);

/**
 * Finds a function of the library by its name; of those whose structures HIP 6 has changed, the variant for
 * HIP 6, whatever `hipVersion` is, which must not be negative. `flags` choose the variant for the default
 * stream of each thread. Errors: hipErrorInvalidValue; hipErrorNotFound, and the status says why.
 */
hipError_t hipGetProcAddress(const char* symbol, void** function, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult* status HIP_DEFAULT(NULL));

/** Tells how many devices there are: those that HIP_VISIBLE_DEVICES leaves. Error: hipErrorNoDevice, with 0.
 */
hipError_t hipGetDeviceCount(int* count);

/** Sets or tells the device of this thread's later calls. Error: hipErrorInvalidDevice. */
hipError_t hipSetDevice(int deviceId);
hipError_t hipGetDevice(int* deviceId);

/** Waits for all work of the current device. Error: what this work ended with. */
hipError_t hipDeviceSynchronize(void);

/**
 * Waits for the work of the current device, destroys its streams and events, frees its memory and forgets its
 * errors. Other threads must not use the device meanwhile.
 */
hipError_t hipDeviceReset(void);

/** Sets or tells how threads wait for the current device (hipDeviceSchedule*). */
hipError_t hipSetDeviceFlags(unsigned int flags);
hipError_t hipGetDeviceFlags(unsigned int* flags);

/** Tells all properties of a device, or one of them. Errors: hipErrorInvalidDevice; hipErrorInvalidValue. */
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* prop, int deviceId);
#define hipGetDeviceProperties hipGetDevicePropertiesR0600
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int deviceId);

/** Finds the device that is most like the properties: those count that are not 0. */
hipError_t hipChooseDeviceR0600(int* device, const hipDeviceProp_tR0600* prop);
#define hipChooseDevice hipChooseDeviceR0600

/** Turns an ordinal number into a device, which is the same number. */
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal);

/** Tells single properties. `len` is the room for a string with its end; what does not fit is cut off. */
hipError_t hipDeviceGetName(char* name, int len, hipDevice_t device);
hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device);
hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device);
hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device);
hipError_t hipDeviceGetPCIBusId(char* pciBusId, int len, int device);
hipError_t hipDeviceGetByPCIBusId(int* device, const char* pciBusId);

/**
 * Tells or sets limits and preferences of the current device. A limit that kernels have (the stack) holds for
 * later launches, one of memory for modules that are used later. Error: hipErrorUnsupportedLimit.
 */
hipError_t hipDeviceGetLimit(size_t* value, enum hipLimit_t limit);
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* cacheConfig);
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);

/** Tells which priorities streams can have; a lower number is more urgent. */
hipError_t hipDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority);

/**
 * Whether kernels of one device can access memory of another one, and the permission that they need to do so.
 * Errors: hipErrorInvalidDevice; hipErrorPeerAccessAlreadyEnabled; hipErrorPeerAccessNotEnabled;
 * hipErrorPeerAccessUnsupported.
 */
hipError_t hipDeviceCanAccessPeer(int* canAccessPeer, int deviceId, int peerDeviceId);
hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags);
hipError_t hipDeviceDisablePeerAccess(int peerDeviceId);
hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute, int srcDevice, int dstDevice);
hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t* linktype, uint32_t* hopcount);

/**
 * Contexts are another name for devices: each device has one. hipCtxCreate() makes the primary one of the
 * device current for this thread, on top of a stack.
 */
hipError_t hipCtxCreate(hipCtx_t* ctx, unsigned int flags, hipDevice_t device);
hipError_t hipCtxDestroy(hipCtx_t ctx);
hipError_t hipCtxPushCurrent(hipCtx_t ctx);
hipError_t hipCtxPopCurrent(hipCtx_t* ctx);
hipError_t hipCtxSetCurrent(hipCtx_t ctx);
hipError_t hipCtxGetCurrent(hipCtx_t* ctx);
hipError_t hipCtxGetDevice(hipDevice_t* device);
hipError_t hipCtxGetApiVersion(hipCtx_t ctx, int* apiVersion);
hipError_t hipCtxGetCacheConfig(hipFuncCache_t* cacheConfig);
hipError_t hipCtxSetCacheConfig(hipFuncCache_t cacheConfig);
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* config);
hipError_t hipCtxSynchronize(void);
hipError_t hipCtxGetFlags(unsigned int* flags);
hipError_t hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags);
hipError_t hipCtxDisablePeerAccess(hipCtx_t peerCtx);
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned int* flags, int* active);
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* ctx, hipDevice_t device);
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device);
hipError_t hipDevicePrimaryCtxReset(hipDevice_t device);
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned int flags);

/** Between stop and start, callbacks of tools (hipRegisterApiCallback) are not called. */
hipError_t hipProfilerStart(void);
hipError_t hipProfilerStop(void);

#ifdef __cplusplus
}
#endif
#endif /* HIP_FUNCTIONS_DEVICES_H_ */
