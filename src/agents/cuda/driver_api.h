// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/cuda/driver_types.h"
#include "support/result.h"

namespace heddle::cuda {

/// The CUDA driver has refused a call.
struct DriverError {
  Status status = Status::unknown;
  std::string message;  ///< names the function and the reason
};

/// Whether an error says that the context is lost, and not that the driver refuses what it was asked for.
bool is_lost(Status status);

template <typename T>
using Driven = Result<T, DriverError>;

/// One function of the driver, which another process may have (remote/remote_driver.h).
template <typename... Parameters>
struct DriverFunction {
  const char* name;
  void* target = nullptr;  ///< the function itself, or who has it
  Status (*invoke)(void* target, Parameters...) = nullptr;

  Status operator()(Parameters... arguments) const { return invoke(target, arguments...); }
};

// Every function that the agent calls: member of DriverApi, exported name, types of the parameters. The
// versions are those of CUDA 12, which drivers from 525 on export; where one is newer (is_optional() in
// driver_api.cpp), it returns Status::not_supported with older drivers.
#define HEDDLE_CUDA_FUNCTIONS(X)                                                                            \
  X(init, "cuInit", unsigned)                                                                               \
  X(driver_version, "cuDriverGetVersion", int*)                                                             \
  X(error_name, "cuGetErrorName", Status, const char**)                                                     \
  X(error_text, "cuGetErrorString", Status, const char**)                                                   \
  X(device_count, "cuDeviceGetCount", int*)                                                                 \
  X(device_get, "cuDeviceGet", DeviceNumber*, int)                                                          \
  X(device_name, "cuDeviceGetName", char*, int, DeviceNumber)                                               \
  X(device_uuid, "cuDeviceGetUuid_v2", DeviceUuid*, DeviceNumber)                                           \
  X(device_memory, "cuDeviceTotalMem_v2", size_t*, DeviceNumber)                                            \
  X(device_attribute, "cuDeviceGetAttribute", int*, DeviceAttribute, DeviceNumber)                          \
  X(device_can_access_peer, "cuDeviceCanAccessPeer", int*, DeviceNumber, DeviceNumber)                      \
  X(device_peer_attribute, "cuDeviceGetP2PAttribute", int*, PeerAttribute, DeviceNumber, DeviceNumber)      \
  X(context_flags, "cuDevicePrimaryCtxSetFlags_v2", DeviceNumber, unsigned)                                 \
  X(context_retain, "cuDevicePrimaryCtxRetain", Context*, DeviceNumber)                                     \
  X(context_release, "cuDevicePrimaryCtxRelease_v2", DeviceNumber)                                          \
  X(context_use, "cuCtxSetCurrent", Context)                                                                \
  X(context_synchronize, "cuCtxSynchronize", )                                                              \
  X(context_limit, "cuCtxGetLimit", size_t*, Limit)                                                         \
  X(context_set_limit, "cuCtxSetLimit", Limit, size_t)                                                      \
  X(context_priorities, "cuCtxGetStreamPriorityRange", int*, int*)                                          \
  X(memory_info, "cuMemGetInfo_v2", size_t*, size_t*)                                                       \
  X(memory_granularity, "cuMemGetAllocationGranularity", size_t*, const MemoryProperties*, unsigned)        \
  X(memory_reserve, "cuMemAddressReserve", DeviceAddress*, size_t, size_t, DeviceAddress,                   \
    unsigned long long)                                                                                     \
  X(memory_unreserve, "cuMemAddressFree", DeviceAddress, size_t)                                            \
  X(memory_create, "cuMemCreate", MemoryHandle*, size_t, const MemoryProperties*, unsigned long long)       \
  X(memory_release, "cuMemRelease", MemoryHandle)                                                           \
  X(memory_map, "cuMemMap", DeviceAddress, size_t, size_t, MemoryHandle, unsigned long long)                \
  X(memory_unmap, "cuMemUnmap", DeviceAddress, size_t)                                                      \
  X(memory_access, "cuMemSetAccess", DeviceAddress, size_t, const MemoryAccess*, size_t)                    \
  X(host_register, "cuMemHostRegister_v2", void*, size_t, unsigned)                                         \
  X(host_unregister, "cuMemHostUnregister", void*)                                                          \
  X(copy, "cuMemcpyAsync", DeviceAddress, DeviceAddress, size_t, Stream)                                    \
  X(copy_to_device, "cuMemcpyHtoDAsync_v2", DeviceAddress, const void*, size_t, Stream)                     \
  X(copy_to_host, "cuMemcpyDtoHAsync_v2", void*, DeviceAddress, size_t, Stream)                             \
  X(copy_on_device, "cuMemcpyDtoDAsync_v2", DeviceAddress, DeviceAddress, size_t, Stream)                   \
  X(fill_bytes, "cuMemsetD8Async", DeviceAddress, unsigned char, size_t, Stream)                            \
  X(stream_create, "cuStreamCreateWithPriority", Stream*, unsigned, int)                                    \
  X(stream_destroy, "cuStreamDestroy_v2", Stream)                                                           \
  X(stream_query, "cuStreamQuery", Stream)                                                                  \
  X(stream_synchronize, "cuStreamSynchronize", Stream)                                                      \
  X(stream_wait_event, "cuStreamWaitEvent", Stream, Event, unsigned)                                        \
  X(stream_write_value, "cuStreamWriteValue64_v2", Stream, DeviceAddress, uint64_t, unsigned)               \
  X(event_create, "cuEventCreate", Event*, unsigned)                                                        \
  X(event_record, "cuEventRecord", Event, Stream)                                                           \
  X(event_query, "cuEventQuery", Event)                                                                     \
  X(event_synchronize, "cuEventSynchronize", Event)                                                         \
  X(event_destroy, "cuEventDestroy_v2", Event)                                                              \
  X(graph_create, "cuGraphCreate", Graph*, unsigned)                                                        \
  X(graph_add_kernel, "cuGraphAddKernelNode", GraphNode*, Graph, const GraphNode*, size_t,                  \
    const KernelNode*)                                                                                      \
  X(graph_add_edges, "cuGraphAddDependencies_v2", Graph, const GraphNode*, const GraphNode*,                \
    const GraphEdge*, size_t)                                                                               \
  X(graph_instantiate, "cuGraphInstantiateWithFlags", GraphExec*, Graph, unsigned long long)                \
  X(graph_set_kernel, "cuGraphExecKernelNodeSetParams", GraphExec, GraphNode, const KernelNode*)            \
  X(graph_launch, "cuGraphLaunch", GraphExec, Stream)                                                       \
  X(graph_destroy, "cuGraphDestroy", Graph)                                                                 \
  X(graph_exec_destroy, "cuGraphExecDestroy", GraphExec)                                                    \
  X(module_load, "cuModuleLoadDataEx", Module*, const void*, unsigned, JitOption*, void**)                  \
  X(link_create, "cuLinkCreate_v2", unsigned, JitOption*, void**, Link*)                                    \
  X(link_add, "cuLinkAddData_v2", Link, JitInput, void*, size_t, const char*, unsigned, JitOption*, void**) \
  X(link_complete, "cuLinkComplete", Link, void**, size_t*)                                                 \
  X(link_destroy, "cuLinkDestroy", Link)                                                                    \
  X(module_unload, "cuModuleUnload", Module)                                                                \
  X(module_function, "cuModuleGetFunction", Function*, Module, const char*)                                 \
  X(module_global, "cuModuleGetGlobal_v2", DeviceAddress*, size_t*, Module, const char*)                    \
  X(function_attribute, "cuFuncGetAttribute", int*, FunctionAttribute, Function)                            \
  X(function_set_attribute, "cuFuncSetAttribute", Function, FunctionAttribute, int)

// Operations that the driver does not have as one function with these parameters, but that are one request to
// the process of a GPU. The columns are those above; the name is that of the function in messages of errors.
//
// `compile` makes machine code (a cubin) from PTX, a text that ends with a zero byte, with the functions of
// the linker and with options as for cuModuleLoadDataEx. `load_cubin` loads a cubin, whose size in bytes
// comes last: the driver does not need it, but the process of a GPU does.
#define HEDDLE_CUDA_OPERATIONS(X)                                                                        \
  X(compile, "cuLinkComplete", std::vector<std::byte>*, const char*, unsigned, const JitOption*, void**) \
  X(load_cubin, "cuModuleLoadDataEx", Module*, const void*, size_t)

/// The functions of libcuda.so.1, of this process or of another one. Immutable once opened, and usable by all
/// threads; the driver's own rules hold for the calls.
class DriverApi {
 public:
  /// Opens the library, by name or path, and finds every function. It stays open for the life of the process,
  /// because the driver does not survive to be unloaded. The error says which file or which function is
  /// missing.
  static Result<std::unique_ptr<const DriverApi>, Error> open(const char* library);
  /// Functions that `fill` provides: it is called with the table.
  template <typename Fill>
  static std::unique_ptr<const DriverApi> make(Fill fill) {
    std::unique_ptr<DriverApi> api(new DriverApi);
    fill(*api);
    return api;
  }

#define HEDDLE_CUDA_MEMBER(member, exported, ...) DriverFunction<__VA_ARGS__> member{exported};
  HEDDLE_CUDA_FUNCTIONS(HEDDLE_CUDA_MEMBER)
  HEDDLE_CUDA_OPERATIONS(HEDDLE_CUDA_MEMBER)
#undef HEDDLE_CUDA_MEMBER

  /// Calls a function and makes an error of what it returns if that is not success.
  template <typename... Parameters, typename... Arguments>
  Driven<void> call(const DriverFunction<Parameters...>& function, Arguments... arguments) const {
    const Status status = function(arguments...);
    if (status == Status::success) return {};
    return error_of(function.name, status);
  }

  /// The error for what a function has returned.
  DriverError error_of(const char* function, Status status) const;

 private:
  DriverApi() = default;
};

}  // namespace heddle::cuda
