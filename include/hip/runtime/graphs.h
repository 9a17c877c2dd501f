/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Graphs of work, and the capture of streams.
 */
#ifndef HIP_RUNTIME_GRAPHS_H_
#define HIP_RUNTIME_GRAPHS_H_

#include <stddef.h>

#include "memory.h"
#include "streams.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Nodes of work with dependencies between them. */
typedef struct ihipGraph* hipGraph_t;

/** One piece of work in a graph. */
typedef struct hipGraphNode* hipGraphNode_t;

/** A graph that can be launched. */
typedef struct hipGraphExec* hipGraphExec_t;

/** An object of the program with a count of references, which graphs can keep alive. */
typedef struct hipUserObject* hipUserObject_t;

typedef enum hipUserObjectFlags {
  hipUserObjectNoDestructorSync = 0x1 /**< must be given: nothing waits for the function that destroys */
} hipUserObjectFlags;

typedef enum hipUserObjectRetainFlags {
  hipGraphUserObjectMove = 0x1 /**< the graph gets references of the program, instead of new ones */
} hipUserObjectRetainFlags;

/** The kinds of work. */
typedef enum hipGraphNodeType {
  hipGraphNodeTypeKernel = 1,
  hipGraphNodeTypeMemcpy = 2, /**< of a block */
  hipGraphNodeTypeMemset = 3,
  hipGraphNodeTypeHost = 4,
  hipGraphNodeTypeGraph = 5,
  hipGraphNodeTypeEmpty = 6,
  hipGraphNodeTypeWaitEvent = 7,
  hipGraphNodeTypeEventRecord = 8,
  hipGraphNodeTypeMemcpy1D = 9, /**< of bytes */
  hipGraphNodeTypeMemcpyFromSymbol = 10,
  hipGraphNodeTypeMemcpyToSymbol = 11,
  hipGraphNodeTypeCount
} hipGraphNodeType;

/** A function of the host, as graphs and hipLaunchHostFunc() call it. It must not call HIP. */
typedef void (*hipHostFn_t)(void* userData);

typedef struct hipHostNodeParams {
  hipHostFn_t fn;
  void* userData;
} hipHostNodeParams;

/** A launch; of kernelParams and extra, one is given. */
typedef struct hipKernelNodeParams {
  dim3 blockDim;
  void** extra;
  void* func;
  dim3 gridDim;
  void** kernelParams;
  unsigned int sharedMemBytes;
} hipKernelNodeParams;

/** A fill of rows. The width is in elements, which have 1, 2 or 4 bytes; the pitch is in bytes. */
typedef struct hipMemsetParams {
  void* dst;
  unsigned int elementSize;
  size_t height;
  size_t pitch;
  unsigned int value;
  size_t width;
} hipMemsetParams;

/** Why hipGraphExecUpdate() did not take a graph. */
typedef enum hipGraphExecUpdateResult {
  hipGraphExecUpdateSuccess = 0x0,
  hipGraphExecUpdateError = 0x1,
  hipGraphExecUpdateErrorTopologyChanged = 0x2,
  hipGraphExecUpdateErrorNodeTypeChanged = 0x3,
  hipGraphExecUpdateErrorFunctionChanged = 0x4,
  hipGraphExecUpdateErrorParametersChanged = 0x5,
  hipGraphExecUpdateErrorNotSupported = 0x6,
  hipGraphExecUpdateErrorUnsupportedFunctionChange = 0x7
} hipGraphExecUpdateResult;

/** Which calls, that could disturb a capture, are forbidden while one is under way. */
typedef enum hipStreamCaptureMode {
  hipStreamCaptureModeGlobal = 0,  /**< in all threads */
  hipStreamCaptureModeThreadLocal, /**< in the thread that began the capture */
  hipStreamCaptureModeRelaxed      /**< nowhere */
} hipStreamCaptureMode;

typedef enum hipStreamCaptureStatus {
  hipStreamCaptureStatusNone = 0,
  hipStreamCaptureStatusActive,
  hipStreamCaptureStatusInvalidated /**< a forbidden call was made; the capture has still to be ended */
} hipStreamCaptureStatus;

typedef enum hipStreamUpdateCaptureDependenciesFlags {
  hipStreamAddCaptureDependencies = 0,
  hipStreamSetCaptureDependencies
} hipStreamUpdateCaptureDependenciesFlags;

typedef enum hipGraphInstantiateFlags {
  hipGraphInstantiateFlagAutoFreeOnLaunch = 1 /**< has no effect: graphs do not allocate memory */
} hipGraphInstantiateFlags;

#ifdef __cplusplus
}
#endif
#endif /* HIP_RUNTIME_GRAPHS_H_ */
