/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions of HIP with types, for C++: pointers to pointers of any type, variables of the device and kernels
 * by their names, and launches without <<<>>>. Each calls the function of the same name in the other headers.
 */
#ifndef HIP_FUNCTIONS_TEMPLATES_H_
#define HIP_FUNCTIONS_TEMPLATES_H_

#if defined(__cplusplus) && !defined(__HIPCC_RTC__)

#include <hip/functions/memory.h>
#include <hip/functions/modules.h>

#include <tuple>
#include <utility>

template <typename T>
static inline hipError_t hipMalloc(T** ptr, size_t size) {
  return hipMalloc(reinterpret_cast<void**>(ptr), size);
}
template <typename T>
static inline hipError_t hipMallocPitch(T** ptr, size_t* pitch, size_t width, size_t height) {
  return hipMallocPitch(reinterpret_cast<void**>(ptr), pitch, width, height);
}
template <typename T>
static inline hipError_t hipMallocManaged(T** ptr, size_t size, unsigned int flags = hipMemAttachGlobal) {
  return hipMallocManaged(reinterpret_cast<void**>(ptr), size, flags);
}
template <typename T>
static inline hipError_t hipHostMalloc(T** ptr, size_t size, unsigned int flags = hipHostMallocDefault) {
  return hipHostMalloc(reinterpret_cast<void**>(ptr), size, flags);
}
template <typename T>
static inline hipError_t hipHostAlloc(T** ptr, size_t size, unsigned int flags = hipHostMallocDefault) {
  return hipHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}
template <typename T>
static inline hipError_t hipMallocHost(T** ptr, size_t size) {
  return hipMallocHost(reinterpret_cast<void**>(ptr), size);
}
template <typename T>
static inline hipError_t hipHostGetDevicePointer(T** devPtr, void* hostPtr, unsigned int flags) {
  return hipHostGetDevicePointer(reinterpret_cast<void**>(devPtr), hostPtr, flags);
}

/* Variables of the device, by their names. */
template <typename T>
static inline hipError_t hipGetSymbolAddress(void** devPtr, const T& symbol) {
  return hipGetSymbolAddress(devPtr, reinterpret_cast<const void*>(&symbol));
}
template <typename T>
static inline hipError_t hipGetSymbolSize(size_t* size, const T& symbol) {
  return hipGetSymbolSize(size, reinterpret_cast<const void*>(&symbol));
}
template <typename T>
static inline hipError_t hipMemcpyToSymbol(const T& symbol, const void* src, size_t size, size_t offset = 0,
                                           hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return hipMemcpyToSymbol(reinterpret_cast<const void*>(&symbol), src, size, offset, kind);
}
template <typename T>
static inline hipError_t hipMemcpyToSymbolAsync(const T& symbol, const void* src, size_t size, size_t offset,
                                                hipMemcpyKind kind, hipStream_t stream = 0) {
  return hipMemcpyToSymbolAsync(reinterpret_cast<const void*>(&symbol), src, size, offset, kind, stream);
}
template <typename T>
static inline hipError_t hipMemcpyFromSymbol(void* dst, const T& symbol, size_t size, size_t offset = 0,
                                             hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return hipMemcpyFromSymbol(dst, reinterpret_cast<const void*>(&symbol), size, offset, kind);
}
template <typename T>
static inline hipError_t hipMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t size, size_t offset,
                                                  hipMemcpyKind kind, hipStream_t stream = 0) {
  return hipMemcpyFromSymbolAsync(dst, reinterpret_cast<const void*>(&symbol), size, offset, kind, stream);
}

/* Kernels, by their names. */
template <typename F>
static inline hipError_t hipFuncGetAttributes(hipFuncAttributes* attr, F* func) {
  return hipFuncGetAttributes(attr, reinterpret_cast<const void*>(func));
}
template <typename F>
static inline hipError_t hipFuncSetAttribute(F* func, hipFuncAttribute attribute, int value) {
  return hipFuncSetAttribute(reinterpret_cast<const void*>(func), attribute, value);
}
template <typename F>
static inline hipError_t hipFuncSetCacheConfig(F* func, hipFuncCache_t config) {
  return hipFuncSetCacheConfig(reinterpret_cast<const void*>(func), config);
}
template <typename F>
static inline hipError_t hipFuncSetSharedMemConfig(F* func, hipSharedMemConfig config) {
  return hipFuncSetSharedMemConfig(reinterpret_cast<const void*>(func), config);
}
template <typename F>
static inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, F func, int blockSize,
                                                                      size_t dynSharedMemPerBlk) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, reinterpret_cast<const void*>(func),
                                                      blockSize, dynSharedMemPerBlk);
}
template <typename F>
static inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, F func, int blockSize, size_t dynSharedMemPerBlk,
    unsigned int flags = hipOccupancyDefault) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, reinterpret_cast<const void*>(func),
                                                               blockSize, dynSharedMemPerBlk, flags);
}
template <typename F>
static inline hipError_t hipOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, F func,
                                                           size_t dynSharedMemPerBlk = 0,
                                                           int blockSizeLimit = 0) {
  return hipOccupancyMaxPotentialBlockSize(gridSize, blockSize, reinterpret_cast<const void*>(func),
                                           dynSharedMemPerBlk, blockSizeLimit);
}

template <typename F>
static inline hipError_t hipLaunchKernel(const F& func, const dim3& numBlocks, const dim3& dimBlocks,
                                         void** args, size_t sharedMemBytes = 0, hipStream_t stream = 0) {
  return hipLaunchKernel(reinterpret_cast<const void*>(func), numBlocks, dimBlocks, args, sharedMemBytes,
                         stream);
}
template <typename F>
static inline hipError_t hipLaunchCooperativeKernel(F func, dim3 gridDim, dim3 blockDim, void** kernelParams,
                                                    unsigned int sharedMemBytes, hipStream_t stream) {
  return hipLaunchCooperativeKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, kernelParams,
                                    sharedMemBytes, stream);
}
template <typename... Parameters, typename... Arguments>
static inline hipError_t hipLaunchKernelEx(const hipLaunchConfig_t* config, void (*kernel)(Parameters...),
                                           Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "the kernel has another number of parameters");
  std::tuple<Parameters...> converted(std::forward<Arguments>(arguments)...);
  return std::apply(
      [&](Parameters&... each) {
        void* addresses[sizeof...(Parameters) + 1] = {static_cast<void*>(&each)...};
        return hipLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), addresses);
      },
      converted);
}
template <typename F>
static inline hipError_t hipGetFuncBySymbol(hipFunction_t* function, F* symbol) {
  return hipGetFuncBySymbol(function, reinterpret_cast<const void*>(symbol));
}
template <typename F>
static inline hipError_t hipExtLaunchKernel(F func, const dim3& numBlocks, const dim3& dimBlocks, void** args,
                                            size_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent,
                                            hipEvent_t stopEvent, int flags = 0) {
  return hipExtLaunchKernel(reinterpret_cast<const void*>(func), numBlocks, dimBlocks, args, sharedMemBytes,
                            stream, startEvent, stopEvent, flags);
}

#if defined(__HIP__)

/* Starts a kernel whose name may contain commas, for instance of template arguments: those are put in
 * parentheses. */
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernelName, ...) __hip_launch_kernel_((kernelName), __VA_ARGS__)
/* The other arguments may come out of macros, which are expanded before they are counted here. */
#define __hip_launch_kernel_(kernelName, numBlocks, numThreads, memPerBlock, streamId, ...) \
  do {                                                                                      \
    kernelName<<<(numBlocks), (numThreads), (memPerBlock), (streamId)>>>(__VA_ARGS__);      \
  } while (0)

/* The addresses of arguments, converted to the types of the kernel's parameters. */
template <typename... Parameters, size_t... I>
static inline hipError_t __hip_launch_with_events_(void (*kernel)(Parameters...), dim3 numBlocks,
                                                   dim3 dimBlocks, size_t sharedMemBytes, hipStream_t stream,
                                                   hipEvent_t startEvent, hipEvent_t stopEvent,
                                                   unsigned flags, std::tuple<Parameters...> arguments,
                                                   std::index_sequence<I...>) {
  void* addresses[sizeof...(Parameters) + 1] = {static_cast<void*>(&std::get<I>(arguments))...};
  return hipExtLaunchKernel(reinterpret_cast<const void*>(kernel), numBlocks, dimBlocks, addresses,
                            sharedMemBytes, stream, startEvent, stopEvent, static_cast<int>(flags));
}

template <typename... Parameters>
struct __hip_parameters_ {
  explicit __hip_parameters_(void (*)(Parameters...)) {}
  static constexpr size_t count = sizeof...(Parameters);
  using values = std::tuple<Parameters...>;
};

/* Starts a kernel with events before and after it. Of a template, the arguments choose the kernel. */
template <typename... Arguments, typename F = void (*)(Arguments...)>
static inline void hipExtLaunchKernelGGL(F kernel, const dim3& numBlocks, const dim3& dimBlocks,
                                         unsigned sharedMemBytes, hipStream_t stream, hipEvent_t startEvent,
                                         hipEvent_t stopEvent, unsigned flags, Arguments... arguments) {
  using Parameters = decltype(__hip_parameters_(kernel));
  static_assert(Parameters::count == sizeof...(Arguments), "the kernel has another number of parameters");
  __hip_launch_with_events_(kernel, numBlocks, dimBlocks, sharedMemBytes, stream, startEvent, stopEvent,
                            flags, typename Parameters::values(std::move(arguments)...),
                            std::index_sequence_for<Arguments...>());
}

#endif /* __HIP__ */

#endif
#endif /* HIP_FUNCTIONS_TEMPLATES_H_ */
