/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Graphs of work, and the capture of streams.
 */
#ifndef HIP_RUNTIME_GRAPHS_H_
#define HIP_RUNTIME_GRAPHS_H_

#include <stddef.h>

#include "memory.h"
#include "modules.h"
#include "pools.h"
#include "streams.h"
#include "textures.h"

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
  hipGraphNodeTypeMemAlloc = 12,
  hipGraphNodeTypeMemFree = 13,
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

/** The same, as functions for drivers take it. */
typedef struct HIP_MEMSET_NODE_PARAMS {
  hipDeviceptr_t dst;
  size_t pitch;
  unsigned int value;
  unsigned int elementSize;
  size_t width;
  size_t height;
} HIP_MEMSET_NODE_PARAMS;

/** Memory that a node allocates. `dptr` is set when the node is added; further devices may get access. */
typedef struct hipMemAllocNodeParams {
  hipMemPoolProps poolProps; /**< says where the memory is */
  const hipMemAccessDesc* accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  void* dptr;
} hipMemAllocNodeParams;

/** What a kernel node is told besides the shape of its launch. Of these, heddle uses the cooperative one. */
typedef hipLaunchAttributeID hipKernelNodeAttrID;
typedef hipLaunchAttributeValue hipKernelNodeAttrValue;
#define hipKernelNodeAttributeAccessPolicyWindow hipLaunchAttributeAccessPolicyWindow
#define hipKernelNodeAttributeCooperative hipLaunchAttributeCooperative
#define hipKernelNodeAttributePriority hipLaunchAttributePriority

/** What hipGraphAddNode() adds: the member that the type names. What is reserved must be 0. */
typedef struct hipMemcpyNodeParams {
  int flags;
  int reserved[3];
  hipMemcpy3DParms copyParams;
} hipMemcpyNodeParams;
typedef struct hipChildGraphNodeParams {
  hipGraph_t graph;
} hipChildGraphNodeParams;
typedef struct hipEventWaitNodeParams {
  hipEvent_t event;
} hipEventWaitNodeParams;
typedef struct hipEventRecordNodeParams {
  hipEvent_t event;
} hipEventRecordNodeParams;
typedef struct hipMemFreeNodeParams {
  void* dptr;
} hipMemFreeNodeParams;
typedef struct hipGraphNodeParams {
  hipGraphNodeType type;
  int reserved0[3];
  __extension__ union { /* C99 has no unions without a name. */
    long long reserved1[29];
    hipKernelNodeParams kernel;
    hipMemcpyNodeParams memcpy;
    hipMemsetParams memset;
    hipHostNodeParams host;
    hipChildGraphNodeParams graph;
    hipEventWaitNodeParams eventWait;
    hipEventRecordNodeParams eventRecord;
    hipMemAllocNodeParams alloc;
    hipMemFreeNodeParams free;
  };
  long long reserved2;
} hipGraphNodeParams;

/** How an edge orders its nodes. heddle's edges order everything, so that this has no effect. */
typedef struct hipGraphEdgeData {
  unsigned char from_port;
  unsigned char reserved[5];
  unsigned char to_port;
  unsigned char type;
} hipGraphEdgeData;

/** The memory that graphs have on a device, in bytes, as uint64_t. It is used from a launch of the node that
 * allocates it until it is freed, and reserved until the device has it back. */
typedef enum hipGraphMemAttributeType {
  hipGraphMemAttrUsedMemCurrent = 0,
  hipGraphMemAttrUsedMemHigh, /**< can be set to 0 */
  hipGraphMemAttrReservedMemCurrent,
  hipGraphMemAttrReservedMemHigh /**< can be set to 0 */
} hipGraphMemAttributeType;

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
  hipGraphInstantiateFlagAutoFreeOnLaunch = 1, /**< a launch frees what the one before has left allocated */
  hipGraphInstantiateFlagUpload = 2,       /**< has no effect: graphs are ready when they are instantiated */
  hipGraphInstantiateFlagDeviceLaunch = 4, /**< not supported: kernels do not launch graphs */
  hipGraphInstantiateFlagUseNodePriority = 8 /**< has no effect: nodes have no priorities */
} hipGraphInstantiateFlags;

/** Why hipGraphInstantiateWithParams() did not take a graph. */
typedef enum hipGraphInstantiateResult {
  hipGraphInstantiateSuccess = 0,
  hipGraphInstantiateError = 1,
  hipGraphInstantiateInvalidStructure = 2, /**< the edges make a circle */
  hipGraphInstantiateNodeOperationNotSupported = 3,
  hipGraphInstantiateMultipleDevicesNotSupported = 4
} hipGraphInstantiateResult;

typedef struct hipGraphInstantiateParams {
  hipGraphNode_t errNode_out; /**< a node of the circle, or NULL */
  unsigned long long flags;   /**< of hipGraphInstantiateFlags */
  hipGraphInstantiateResult result_out;
  hipStream_t uploadStream;
} hipGraphInstantiateParams;

/** What hipGraphDebugDotPrint() writes of nodes besides their types. */
typedef enum hipGraphDebugDotFlags {
  hipGraphDebugDotFlagsVerbose = 1 << 0, /**< everything */
  hipGraphDebugDotFlagsKernelNodeParams = 1 << 2,
  hipGraphDebugDotFlagsMemcpyNodeParams = 1 << 3,
  hipGraphDebugDotFlagsMemsetNodeParams = 1 << 4,
  hipGraphDebugDotFlagsHostNodeParams = 1 << 5,
  hipGraphDebugDotFlagsEventNodeParams = 1 << 6,
  hipGraphDebugDotFlagsExtSemasSignalNodeParams = 1 << 7, /**< there are no such nodes */
  hipGraphDebugDotFlagsExtSemasWaitNodeParams = 1 << 8,   /**< there are no such nodes */
  hipGraphDebugDotFlagsKernelNodeAttributes = 1 << 9,
  hipGraphDebugDotFlagsHandles = 1 << 10
} hipGraphDebugDotFlags;

#ifdef __cplusplus
}
#endif
#endif /* HIP_RUNTIME_GRAPHS_H_ */
