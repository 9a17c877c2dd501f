/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions for streams and events.
 *
 * The work of a stream is done in the order in which it was given. The default stream (NULL) of a device
 * waits for what its blocking streams were given before, and they wait for it; streams with
 * hipStreamNonBlocking do not.
 */
#ifndef HIP_FUNCTIONS_STREAMS_H_
#define HIP_FUNCTIONS_STREAMS_H_

#include <hip/runtime/defaults.h>
#include <hip/runtime/devices.h>
#include <hip/runtime/errors.h>
#include <hip/runtime/graphs.h>
#include <hip/runtime/streams.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Creates a stream of the current device. A lower priority is more urgent (hipDeviceGetStreamPriorityRange).
 */
hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags);
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority);

/**
 * Creates a stream that uses some compute units only: bit i of the mask, in words of 32 bits, stands for unit
 * i. hipExtStreamGetCUMask() tells the mask that is used.
 */
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t cuMaskSize, const uint32_t* cuMask);
hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t* cuMask);

/** Destroys a stream. The work that it was given is still done. Error: hipErrorInvalidHandle. */
hipError_t hipStreamDestroy(hipStream_t stream);

/** Whether all work of a stream is done: hipSuccess, or hipErrorNotReady, which hipGetLastError() does not
 * return. */
hipError_t hipStreamQuery(hipStream_t stream);

/** Waits for the work of a stream. Error: what this work ended with. */
hipError_t hipStreamSynchronize(hipStream_t stream);

/** Lets later work of a stream wait for an event; `flags` must be 0. */
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags HIP_DEFAULT(0));

/** Tells what a stream was created with, and the device that it belongs to (-1 if it is none). */
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);
int hipGetStreamDeviceId(hipStream_t stream);

/** Calls a function on a thread of the library after the work before it. It must not call HIP. `flags` must
 * be 0. */
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* userData,
                                unsigned int flags);

/** The same for a function that is told nothing of the stream. A capture takes it as a node. */
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void* userData);

/** Lets a stream wait until a value in memory, with `mask`, meets a condition (hipStreamWaitValue*), or
 * writes one. */
hipError_t hipStreamWaitValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int flags,
                                uint32_t mask HIP_DEFAULT(0xffffffff));
hipError_t hipStreamWaitValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int flags,
                                uint64_t mask HIP_DEFAULT(0xffffffffffffffff));
hipError_t hipStreamWriteValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int flags);
hipError_t hipStreamWriteValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int flags);

/** Creates an event of the current device, with flags hipEvent*; the one without flags has times and does not
 * block. */
hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);

/** Destroys an event; streams that wait for it go on as if it still were. */
hipError_t hipEventDestroy(hipEvent_t event);

/** Puts the event behind the work that the stream has now, in place of where it was before. */
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream HIP_DEFAULT(NULL));

/** Waits for the work before an event, or tells whether it is done (hipErrorNotReady). */
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);

/**
 * Tells the milliseconds between two events. Errors: hipErrorInvalidHandle (never recorded, or without
 * times); hipErrorNotReady.
 */
hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop);

/** Gives an event (hipEventInterprocess | hipEventDisableTiming) to another process, which opens the handle.
 * Both may then record it, ask and wait for it. Errors of opening: hipErrorInvalidContext (in the process of
 * the event); hipErrorInvalidValue (no handle; that process has ended). */
hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* handle, hipEvent_t event);
hipError_t hipIpcOpenEventHandle(hipEvent_t* event, hipIpcEventHandle_t handle);

/** The same functions for the default stream of each thread; -fgpu-default-stream=per-thread selects them. */
hipError_t hipStreamQuery_spt(hipStream_t stream);
hipError_t hipStreamSynchronize_spt(hipStream_t stream);
hipError_t hipStreamGetPriority_spt(hipStream_t stream, int* priority);
hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned int flags);
hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned int* flags);

#ifdef __cplusplus
}
#endif
#endif /* HIP_FUNCTIONS_STREAMS_H_ */
