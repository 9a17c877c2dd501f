// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes of graphs that allocate and free memory, and the memory that graphs have.
#include "functions.h"
#include "hip/api/graph_node_calls.h"

namespace heddle::hip::api {
namespace {

Device& device_at(const hipMemLocation& location) {
  const auto& devices = Runtime::get().devices();
  if (location.type != hipMemLocationTypeDevice || location.id < 0 ||
      static_cast<size_t>(location.id) >= devices.size())
    throw Failure(hipErrorInvalidValue, "the location is no device");
  return Runtime::get().device(location.id);
}

/// Returns the device that is to have the memory. Throws Failure: InvalidValue, NotSupported.
Device& checked_device(const hipMemAllocNodeParams* params) {
  if (params == nullptr || params->bytesize == 0 || params->poolProps.allocType != hipMemAllocationTypePinned)
    throw Failure(hipErrorInvalidValue);
  Device& device = device_at(params->poolProps.location);
  if (params->poolProps.handleTypes != hipMemHandleTypeNone)
    throw Failure(hipErrorNotSupported, "other processes cannot share memory of graphs");
  return device;
}

using Descriptions = std::vector<hipMemAccessDesc>;

Descriptions checked_access(const hipMemAllocNodeParams& params) {
  const size_t count = params.accessDescCount;
  if (count > Runtime::get().devices().size() || (count != 0 && params.accessDescs == nullptr))
    throw Failure(hipErrorInvalidValue, "there are more descriptions of access than devices");
  Descriptions access(params.accessDescs, params.accessDescs + count);
  for (const hipMemAccessDesc& one : access) {
    device_at(one.location);
    if (one.flags != hipMemAccessFlagsProtReadWrite)
      throw Failure(hipErrorInvalidValue, "access to memory of graphs is for reads and writes");
  }
  return access;
}

AllocateWork allocate_work(const hipMemAllocNodeParams& params, Device& device) {
  auto access = std::make_shared<const Descriptions>(checked_access(params));
  std::vector<hsa_agent_t> others;
  for (const hipMemAccessDesc& one : *access)
    if (Device& other = device_at(one.location); &other != &device) others.push_back(other.agent());
  auto memory = GraphMemory::reserve(device, params.bytesize, std::move(others));
  AllocateWork work{std::move(memory), params, std::move(access)};
  work.params.accessDescs = work.access->empty() ? nullptr : work.access->data();
  work.params.dptr = work.memory->address();
  return work;
}

}  // namespace

hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t* pDependencies, size_t numDependencies,
                                   hipMemAllocNodeParams* pNodeParams) {
  Device& owner = checked_device(pNodeParams);
  return add_for(owner, pGraphNode, graph, pDependencies, numDependencies, [&](Device& device) {
    auto work = allocate_work(*pNodeParams, device);
    pNodeParams->dptr = work.params.dptr;
    return work;
  });
}

hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams* pNodeParams) {
  if (pNodeParams == nullptr) return hipErrorInvalidValue;
  return with<AllocateWork>(node, [&](const AllocateWork& work, Device&) { *pNodeParams = work.params; });
}

hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                  const hipGraphNode_t* pDependencies, size_t numDependencies,
                                  void* dev_ptr) {
  const auto held = graphs_lock();
  FreeWork work = free_work(*find_graph(graph), dev_ptr);
  Device& device = work.memory->device();
  return add_for(device, pGraphNode, graph, pDependencies, numDependencies,
                 [&](Device&) { return std::move(work); });
}

hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph,
                                     const hipGraphNode_t* dependencies, size_t numDependencies,
                                     hipDeviceptr_t dptr) {
  return hipGraphAddMemFreeNode(phGraphNode, hGraph, dependencies, numDependencies, dptr);
}

hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* dev_ptr) {
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  return with<FreeWork>(
      node, [&](const FreeWork& work, Device&) { *static_cast<void**>(dev_ptr) = work.memory->address(); });
}

hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void* value) {
  Device& owner = Runtime::get().device(device);
  if (value == nullptr) return hipErrorInvalidValue;
  owner.graph_memory_usage().get(attr, value);
  return hipSuccess;
}

hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void* value) {
  Device& owner = Runtime::get().device(device);
  if (value == nullptr) return hipErrorInvalidValue;
  owner.graph_memory_usage().set(attr, value);
  return hipSuccess;
}

hipError_t hipDeviceGraphMemTrim(int device) {
  Runtime::get().device(device).graph_memories().for_each([](GraphMemory& memory) { memory.settle(); });
  return hipSuccess;
}

}  // namespace heddle::hip::api
