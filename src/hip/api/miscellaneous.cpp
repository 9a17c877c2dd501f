// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that need no device, or little of it.
#include <bit>

#include "functions.h"
#include "hip/core/entry.h"
#include "hip/core/function_table.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {

// A debugger asks these of AMD's runtime in order to say which one there is.
size_t amd_dbgapi_get_build_id() { return 0; }
const char* amd_dbgapi_get_build_name() { return "heddle"; }
const char* amd_dbgapi_get_git_hash() { return ""; }

// Programs that older compilers have made call these for half precision.
unsigned short __gnu_f2h_ieee(float value) {
  return std::bit_cast<unsigned short>(static_cast<_Float16>(value));
}
float __gnu_h2f_ieee(unsigned short value) { return static_cast<float>(std::bit_cast<_Float16>(value)); }

const char* hipApiName(uint32_t id) {
  for (size_t i = 0; i < function_count; ++i)
    if (function_table[i].number == static_cast<int64_t>(id)) return function_table[i].name;
  return "unknown";
}

/// There are no headers that are compiled in advance.
void __hipGetPCH(const char** pch, unsigned int* size) {
  *pch = nullptr;
  *size = 0;
}

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f) {
  return {x, y, z, w, f};
}

void hipLaunchKernelGGLImpl(uintptr_t function_address, const dim3* numBlocks, const dim3* dimBlocks,
                            uint32_t sharedMemBytes, hipStream_t stream, void** kernarg) {
  // The caller gets no result: a failure is the last error.
  enter(FunctionId::hipLaunchKernelGGLImpl, [&] {
    return hipLaunchKernel(reinterpret_cast<const void*>(function_address), *numBlocks, *dimBlocks, kernarg,
                           sharedMemBytes, stream);
  });
}

hipError_t hipMemAdvise(const void* dev_ptr, size_t count, hipMemoryAdvise advice, int) {
  const bool known = (advice >= hipMemAdviseSetReadMostly && advice <= hipMemAdviseUnsetAccessedBy) ||
                     advice == hipMemAdviseSetCoarseGrain || advice == hipMemAdviseUnsetCoarseGrain;
  if (!known || dev_ptr == nullptr || count == 0) return hipErrorInvalidValue;
  const auto allocation = Runtime::get().memory().find(dev_ptr);
  if (!allocation || allocation->kind != MemoryKind::managed) return hipErrorInvalidValue;
  return hipSuccess;  // advice; managed memory is where the host and all devices reach it
}

hipError_t hipMemPrefetchAsync(const void* dev_ptr, size_t count, int device, hipStream_t stream) {
  if (dev_ptr == nullptr || count == 0) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  runtime.stream(stream);
  if (device != hipCpuDeviceId) runtime.device(device);
  const auto allocation = runtime.memory().find(dev_ptr);
  if (!allocation || allocation->kind != MemoryKind::managed) return hipErrorInvalidValue;
  return hipSuccess;  // the memory is where it should be
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* dev_ptr, size_t length, unsigned int flags) {
  Runtime& runtime = Runtime::get();
  runtime.stream(stream);
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle)
    return hipErrorInvalidValue;
  const auto allocation = dev_ptr == nullptr ? std::nullopt : runtime.memory().find(dev_ptr);
  if (!allocation || allocation->kind != MemoryKind::managed || (length != 0 && length != allocation->size))
    return hipErrorInvalidValue;
  return hipSuccess;  // all streams may access all managed memory
}

}  // namespace heddle::hip::api
