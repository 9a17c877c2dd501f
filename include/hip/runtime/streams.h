/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Streams, events, and the shape of grids.
 */
#ifndef HIP_RUNTIME_STREAMS_H_
#define HIP_RUNTIME_STREAMS_H_

#include <stddef.h>
#include <stdint.h>

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A sequence of work on one device. NULL is the default stream of the current device. */
typedef struct ihipStream_t* hipStream_t;

/** Another name of the default stream. */
#define hipStreamLegacy ((hipStream_t)1)

/** The default stream that every thread has for itself. */
#define hipStreamPerThread ((hipStream_t)2)

/** Flags of streams. A blocking stream waits for the default stream, and the default stream for it. */
#define hipStreamDefault 0x00
#define hipStreamNonBlocking 0x01

/** Conditions of hipStreamWaitValue32() and hipStreamWaitValue64(). */
#define hipStreamWaitValueGte 0x0
#define hipStreamWaitValueEq 0x1
#define hipStreamWaitValueAnd 0x2
#define hipStreamWaitValueNor 0x3

/** A point in the work of a stream. */
typedef struct ihipEvent_t* hipEvent_t;

/** Flags of events. */
#define hipEventDefault 0x0
#define hipEventBlockingSync 0x1
#define hipEventDisableTiming 0x2
#define hipEventInterprocess 0x4
#define hipEventDisableSystemFence 0x20000000
#define hipEventReleaseToDevice 0x40000000
#define hipEventReleaseToSystem 0x80000000

/** An event for other processes. */
typedef struct hipIpcEventHandle_st {
  char reserved[64];
} hipIpcEventHandle_t;

/** Is called, on a thread of the runtime, after the work before it; the stream goes on when it returns. */
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void* userData);

/** The sizes of a grid in work-groups, or of a work-group in work-items. */
typedef struct dim3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
#ifdef __cplusplus
  constexpr dim3(uint32_t _x = 1, uint32_t _y = 1, uint32_t _z = 1) : x(_x), y(_y), z(_z) {}
#endif
} dim3;

/** One kernel of a launch on several devices. */
typedef struct hipLaunchParams_t {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  void** args;
  size_t sharedMem;
  hipStream_t stream;
} hipLaunchParams;

#ifdef __cplusplus
}
#endif
#endif
