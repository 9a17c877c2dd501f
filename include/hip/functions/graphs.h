/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions for graphs of work and for the capture of streams.
 *
 * Handles that are not alive are hipErrorInvalidValue. All functions may be called on any thread; they take
 * turns.
 */
#ifndef HIP_FUNCTIONS_GRAPHS_H_
#define HIP_FUNCTIONS_GRAPHS_H_

#include <hip/runtime/defaults.h>
#include <hip/runtime/devices.h>
#include <hip/runtime/errors.h>
#include <hip/runtime/graphs.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates an empty graph, destroys one with its nodes, or copies one; `flags` must be 0. Errors:
 * hipErrorInvalidValue, also for a graph that belongs to a node or to a capture; hipErrorNotSupported for a
 * copy of one that allocates or frees memory.
 */
hipError_t hipGraphCreate(hipGraph_t* pGraph, unsigned int flags);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphClone(hipGraph_t* pGraphClone, hipGraph_t originalGraph);

/**
 * Finds the node of a clone that is the copy of a node. Error: hipErrorInvalidValue if there is none.
 */
hipError_t hipGraphNodeFindInClone(hipGraphNode_t* pNode, hipGraphNode_t originalNode,
                                   hipGraph_t clonedGraph);

/**
 * Adds or removes edges. Error: hipErrorInvalidValue for nodes of other graphs, an edge from a node to
 * itself, one that there is already, or one to be removed that there is not; then no edge is changed. Graphs
 * that allocate or free memory lose no edges: hipErrorNotSupported.
 */
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                   size_t numDependencies);
hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                      size_t numDependencies);

/**
 * Lists nodes or edges: without an array, sets the number; otherwise fills the array with at most that many,
 * and the rest with NULL, and sets the number to how many it has taken.
 */
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* numNodes);
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* pRootNodes, size_t* pNumRootNodes);
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to, size_t* numEdges);
hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* pDependencies,
                                       size_t* pNumDependencies);
hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* pDependentNodes,
                                         size_t* pNumDependentNodes);

/**
 * Tells what a node does, or removes it with its edges. Error: hipErrorNotSupported to remove a node of a
 * graph that allocates or frees memory.
 */
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* pType);
hipError_t hipGraphDestroyNode(hipGraphNode_t node);

/**
 * Adds a node that launches a kernel on the current device. The arguments are copied. Errors: as for
 * hipLaunchKernel().
 */
hipError_t hipGraphAddKernelNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t* pDependencies, size_t numDependencies,
                                 const hipKernelNodeParams* pNodeParams);
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* pNodeParams);
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* pNodeParams);

/**
 * Sets, tells or copies what a launch of a kernel node is told besides its shape. Errors:
 * hipErrorInvalidValue, also for windows that the device does not have. A cooperative kernel with too many
 * work-groups lets hipGraphLaunch() return hipErrorCooperativeLaunchTooLarge.
 */
hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute,
                                          const hipKernelNodeAttrValue* value);
hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute,
                                          hipKernelNodeAttrValue* value);
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to);

/**
 * Adds a node of any type; `params` says which and is only changed for nodes that allocate memory. Errors: as
 * for the function of the type.
 */
hipError_t hipGraphAddNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                           size_t numDependencies, hipGraphNodeParams* params);

/**
 * Adds a node that allocates memory of a device whenever the graph is launched. The address is known from the
 * beginning (`dptr` of the parameters) and always the same, but only work behind the node may use the memory,
 * until it is freed by a node of this graph or another, hipFree() or hipFreeAsync(). Further devices get
 * access as the parameters say. While there are such nodes, the graph cannot be copied, be a node of another
 * graph, lose nodes or edges, or be instantiated twice. The parameters that are told point to memory of the
 * node. Errors: hipErrorInvalidValue; hipErrorOutOfMemory; hipErrorNotSupported, also for devices whose
 * memory HSA does not create without an address.
 */
hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t* pDependencies, size_t numDependencies,
                                   hipMemAllocNodeParams* pNodeParams);
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams* pNodeParams);

/**
 * Adds a node that frees memory which a node allocates; `dev_ptr` of the second points to where the address
 * is to be stored. The memory goes back to the device when work is waited for after that. Error:
 * hipErrorInvalidValue, also if a node of the graph frees it already.
 */
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                  const hipGraphNode_t* pDependencies, size_t numDependencies, void* dev_ptr);
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* dev_ptr);
hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                     const hipGraphNode_t* dependencies, size_t numDependencies,
                                     hipDeviceptr_t dptr);

/**
 * Tells how much memory graphs have on a device, sets a high-water mark to 0, or gives memory that is not
 * used back to the device. Errors: hipErrorInvalidDevice; hipErrorInvalidValue.
 */
hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void* value);
hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void* value);
hipError_t hipDeviceGraphMemTrim(int device);

/**
 * Nodes that copy a block or fill memory on the device of a context, with parameters as for drivers. Errors:
 * as for hipDrvMemcpy3D() and hipGraphAddMemsetNode(); hipErrorInvalidContext; hipErrorInvalidValue if a node
 * of a launchable graph would change its device.
 */
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                    const hipGraphNode_t* dependencies, size_t numDependencies,
                                    const HIP_MEMCPY3D* copyParams, hipCtx_t context);
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D* params);
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D* params);
hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
                                              const HIP_MEMCPY3D* copyParams, hipCtx_t context);
hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                    const hipGraphNode_t* dependencies, size_t numDependencies,
                                    const HIP_MEMSET_NODE_PARAMS* memsetParams, hipCtx_t context);
hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
                                              const HIP_MEMSET_NODE_PARAMS* memsetParams, hipCtx_t context);

/**
 * Writes a graph to a file in the language DOT of Graphviz; `flags` are of hipGraphDebugDotFlags. Errors:
 * hipErrorInvalidValue; hipErrorOperatingSystem if the file cannot be written.
 */
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned int flags);

/**
 * Adds a node that copies a block, or bytes. The memory is read when the node runs.
 */
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t* pDependencies, size_t numDependencies,
                                 const hipMemcpy3DParms* pCopyParams);
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* pNodeParams);
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* pNodeParams);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                   const void* src, size_t count, hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* dst, const void* src, size_t count,
                                         hipMemcpyKind kind);

/**
 * Adds a node that copies from or to a variable of the current device. Error: hipErrorInvalidSymbol.
 */
hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                           const hipGraphNode_t* pDependencies, size_t numDependencies,
                                           void* dst, const void* symbol, size_t count, size_t offset,
                                           hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* dst, const void* symbol,
                                                 size_t count, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                         const hipGraphNode_t* pDependencies, size_t numDependencies,
                                         const void* symbol, const void* src, size_t count, size_t offset,
                                         hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* symbol, const void* src,
                                               size_t count, size_t offset, hipMemcpyKind kind);

/**
 * Adds a node that fills memory.
 */
hipError_t hipGraphAddMemsetNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t* pDependencies, size_t numDependencies,
                                 const hipMemsetParams* pMemsetParams);
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* pNodeParams);
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* pNodeParams);

/**
 * Adds a node that calls a function on a thread of the library.
 */
hipError_t hipGraphAddHostNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                               const hipGraphNode_t* pDependencies, size_t numDependencies,
                               const hipHostNodeParams* pNodeParams);
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* pNodeParams);
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* pNodeParams);

/**
 * Adds a node that does all that a graph does, which is copied; hipGraphChildGraphNodeGetGraph() returns the
 * copy, which belongs to the node.
 */
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                     const hipGraphNode_t* pDependencies, size_t numDependencies,
                                     hipGraph_t childGraph);
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* pGraph);

/**
 * Adds a node that does nothing but wait for those before it.
 */
hipError_t hipGraphAddEmptyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                const hipGraphNode_t* pDependencies, size_t numDependencies);

/**
 * Adds a node that records an event, or waits for one.
 */
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                      const hipGraphNode_t* pDependencies, size_t numDependencies,
                                      hipEvent_t event);
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out);
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                    const hipGraphNode_t* pDependencies, size_t numDependencies,
                                    hipEvent_t event);
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out);
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event);

/**
 * Makes a graph that can be launched; later changes of the graph do not change it. `flags` are of
 * hipGraphInstantiateFlags. Errors: hipErrorInvalidValue if the dependencies are a circle; pErrorNode is then
 * a node of it; hipErrorNotSupported for graphs that kernels launch, and for a graph that allocates or frees
 * memory and is instantiated already.
 */
hipError_t hipGraphInstantiate(hipGraphExec_t* pGraphExec, hipGraph_t graph, hipGraphNode_t* pErrorNode,
                               char* pLogBuffer, size_t bufferSize);
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* pGraphExec, hipGraph_t graph,
                                        unsigned long long flags);
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* pGraphExec, hipGraph_t graph,
                                         hipGraphInstantiateParams* params);

/** Tells the flags with which a graph was instantiated. */
hipError_t hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long* flags);

/**
 * Lets launches leave out the work of a node, or do it again; later work follows what comes before the node.
 * `node` is that of the graph from which the launchable one was made. Error: hipErrorInvalidValue, also for
 * nodes of other types than kernels, copies and fills.
 */
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t graphExec, hipGraphNode_t node, unsigned int isEnabled);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t graphExec, hipGraphNode_t node, unsigned int* isEnabled);

/**
 * Launches a graph behind the work of a stream, and before the stream's later work. A launch of the same
 * graph that is still running is waited for. hipGraphUpload() has nothing to do here but check its arguments.
 * Errors of a launch: hipErrorInvalidValue if memory that the graph allocates was not freed since the last
 * launch (see hipGraphInstantiateFlagAutoFreeOnLaunch), or what it only frees is not allocated.
 */
hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream);
hipError_t hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream);
hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec);

/**
 * Changes a launchable graph so that it is like another, with nodes in the same order, of the same types and
 * with the same edges. Error: hipErrorGraphExecUpdateFailure; the result says why, and nothing is changed.
 */
hipError_t hipGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph, hipGraphNode_t* hErrorNode_out,
                              hipGraphExecUpdateResult* updateResult_out);

/**
 * Changes a node of a launchable graph; `node` is that of the graph from which it was made. Errors:
 * hipErrorInvalidValue. A kernel node may get another kernel.
 */
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           const hipKernelNodeParams* pNodeParams);
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           hipMemcpy3DParms* pNodeParams);
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t hGraphExec, hipGraphNode_t node, void* dst,
                                             const void* src, size_t count, hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                                     void* dst, const void* symbol, size_t count,
                                                     size_t offset, hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                                   const void* symbol, const void* src, size_t count,
                                                   size_t offset, hipMemcpyKind kind);
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           const hipMemsetParams* pNodeParams);
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                         const hipHostNodeParams* pNodeParams);
hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                               hipGraph_t childGraph);
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                               hipEvent_t event);
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                             hipEvent_t event);

/**
 * Objects with a count of references. When the program and all graphs have given up theirs, `destroy` is
 * called with `ptr`; it must not call HIP. Copies of a graph and what is instantiated from it keep its
 * objects, too. The counts are at least 1. Error: hipErrorInvalidValue, also for more references than there
 * are.
 */
hipError_t hipUserObjectCreate(hipUserObject_t* object_out, void* ptr, hipHostFn_t destroy,
                               unsigned int initialRefcount, unsigned int flags);
hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count HIP_DEFAULT(1));
hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count HIP_DEFAULT(1));
hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object,
                                    unsigned int count HIP_DEFAULT(1), unsigned int flags HIP_DEFAULT(0));
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object,
                                     unsigned int count HIP_DEFAULT(1));

/**
 * Lets what a stream is given become nodes of a new graph, or of one that there is, behind some of its nodes,
 * instead of being done, until hipStreamEndCapture(). hipMallocAsync() and hipFreeAsync() become nodes, too.
 * A stream that waits for an event that was recorded there takes part; it must be joined by another event.
 * Errors: hipErrorStreamCaptureUnsupported for the default stream, hipErrorIllegalState for a stream that is
 * captured already (begin) or is not (end), hipErrorStreamCaptureUnmatched, -Unjoined, -WrongThread and
 * -Invalidated.
 */
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t* dependencies,
                                        const hipGraphEdgeData* dependencyData, size_t numDependencies,
                                        hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* pGraph);

/**
 * Tells about the capture that a stream takes part in. Error: hipErrorStreamCaptureImplicit for the default
 * stream while a blocking stream is captured.
 */
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus);
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus,
                                   unsigned long long* pId);
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* captureStatus_out,
                                      unsigned long long* id_out HIP_DEFAULT(0),
                                      hipGraph_t* graph_out HIP_DEFAULT(0),
                                      const hipGraphNode_t** dependencies_out HIP_DEFAULT(0),
                                      size_t* numDependencies_out HIP_DEFAULT(0));

/**
 * Adds to the nodes on which the next node of a captured stream depends, or replaces them. The streams of
 * nodes that were replaced, and of what these depend on, count as joined. Error: hipErrorIllegalState if the
 * stream is not captured.
 */
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* dependencies,
                                              size_t numDependencies, unsigned int flags);

/**
 * Exchanges the mode of the calling thread, which says which calls it may make while streams are captured.
 */
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode);

#ifdef __cplusplus
}
#endif
#endif /* HIP_FUNCTIONS_GRAPHS_H_ */
