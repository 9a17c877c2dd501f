// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that need no device, or little of it.
#include <bit>

#include "functions.h"
#include "hip/core/device_info.h"
#include "hip/core/entry.h"
#include "hip/core/function_table.h"
#include "hip/core/library_functions.h"
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

hipError_t hipGetProcAddress(const char* symbol, void** pfn, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult* symbolStatus) {
  constexpr uint64_t known = hipEnableLegacyStream | hipEnablePerThreadDefaultStream;
  if (symbol == nullptr || *symbol == 0 || pfn == nullptr || hipVersion < 0 || flags >= known)
    return hipErrorInvalidValue;
  *pfn = nullptr;
  if (flags == hipEnablePerThreadDefaultStream) *pfn = exported_function(std::string(symbol) + "_spt");
  // Of functions whose structures HIP 6 has changed, the variant that the headers choose.
  if (*pfn == nullptr) *pfn = exported_function(std::string(symbol) + "R0600");
  if (*pfn == nullptr) *pfn = exported_function(symbol);
  if (symbolStatus != nullptr)
    *symbolStatus = *pfn != nullptr ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *pfn != nullptr ? hipSuccess : hipErrorNotFound;
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

}  // namespace heddle::hip::api
