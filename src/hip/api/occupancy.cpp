// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of kernels, and how many work-groups of them a compute unit holds.
#include <algorithm>

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/launch.h"
#include "hip/core/occupancy.h"
#include "hip/core/registry.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

const Function& registered(const void* host) {
  const Function* const function =
      host == nullptr ? nullptr : Registry::get().function(host, Runtime::get().device());
  if (function == nullptr) throw Failure(hipErrorInvalidDeviceFunction);
  return *function;
}

const Function& loaded(hipFunction_t handle) {
  if (handle == nullptr) throw Failure(hipErrorInvalidHandle);
  return *reinterpret_cast<const Function*>(handle);
}

hipError_t count_groups(int* numBlocks, const Function& function, int blockSize, size_t dynamic_size) {
  if (numBlocks == nullptr || blockSize <= 0) return hipErrorInvalidValue;
  *numBlocks = groups_of_unit(function, static_cast<uint32_t>(blockSize), dynamic_size);
  return hipSuccess;
}

hipError_t choose_group(int* gridSize, int* blockSize, const Function& function, size_t dynamic_size,
                        int limit) {
  if (gridSize == nullptr || blockSize == nullptr || limit < 0) return hipErrorInvalidValue;
  const PreferredShape shape = preferred_shape(function, dynamic_size, static_cast<uint32_t>(limit));
  *gridSize = static_cast<int>(shape.groups);
  *blockSize = static_cast<int>(shape.group);
  return hipSuccess;
}

}  // namespace

hipError_t hipFuncGetAttributes(hipFuncAttributes* attr, const void* func) {
  if (attr == nullptr) return hipErrorInvalidValue;
  *attr = attributes_of(registered(func));
  return hipSuccess;
}

hipError_t hipFuncSetAttribute(const void* func, hipFuncAttribute attr, int value) {
  const Function& function = registered(func);
  if (attr == hipFuncAttributePreferredSharedMemoryCarveout)
    return hipSuccess;  // advice that agents have no use for
  if (attr != hipFuncAttributeMaxDynamicSharedMemorySize || value < 0) return hipErrorInvalidValue;
  // All of the device's group memory can be used without asking.
  return static_cast<size_t>(value) <= dynamic_group_limit(function) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipFuncSetCacheConfig(const void* func, hipFuncCache_t config) {
  if (config < hipFuncCachePreferNone || config > hipFuncCachePreferEqual) return hipErrorInvalidValue;
  registered(func);
  return hipSuccess;  // advice that agents have no use for
}

hipError_t hipFuncSetSharedMemConfig(const void* func, hipSharedMemConfig config) {
  if (config < hipSharedMemBankSizeDefault || config > hipSharedMemBankSizeEightByte)
    return hipErrorInvalidValue;
  registered(func);
  return hipSuccess;  // the same
}

const char* hipKernelNameRefByPtr(const void* hostFunction, hipStream_t) {
  return Registry::get().name_of_function(hostFunction);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* f, int blockSize,
                                                        size_t dynSharedMemPerBlk) {
  return count_groups(numBlocks, registered(f), blockSize, dynSharedMemPerBlk);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* f, int blockSize,
                                                                 size_t dynSharedMemPerBlk, unsigned int) {
  return count_groups(numBlocks, registered(f), blockSize, dynSharedMemPerBlk);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, hipFunction_t f, int blockSize,
                                                              size_t dynSharedMemPerBlk) {
  return count_groups(numBlocks, loaded(f), blockSize, dynSharedMemPerBlk);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, hipFunction_t f,
                                                                       int blockSize,
                                                                       size_t dynSharedMemPerBlk,
                                                                       unsigned int) {
  return count_groups(numBlocks, loaded(f), blockSize, dynSharedMemPerBlk);
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, const void* f,
                                             size_t dynSharedMemPerBlk, int blockSizeLimit) {
  return choose_group(gridSize, blockSize, registered(f), dynSharedMemPerBlk, blockSizeLimit);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, hipFunction_t f,
                                                   size_t dynSharedMemPerBlk, int blockSizeLimit) {
  return choose_group(gridSize, blockSize, loaded(f), dynSharedMemPerBlk, blockSizeLimit);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* gridSize, int* blockSize, hipFunction_t f,
                                                            size_t dynSharedMemPerBlk, int blockSizeLimit,
                                                            unsigned int) {
  return choose_group(gridSize, blockSize, loaded(f), dynSharedMemPerBlk, blockSizeLimit);
}

}  // namespace heddle::hip::api
