// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Settings of devices, and access of devices to each other's memory.
#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

/// Returns the setting behind a limit, null if there is none.
std::atomic<size_t>* limit_of(Device& device, hipLimit_t limit) {
  Device::Settings& settings = device.settings();
  if (limit == hipLimitStackSize) return &settings.stack_size;
  if (limit == hipLimitPrintfFifoSize) return &settings.printf_size;
  return limit == hipLimitMallocHeapSize ? &settings.heap_size : nullptr;
}

/// Whether kernels of one device can access memory of another.
bool reaches(const Device& device, const Device& peer) {
  hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  hsa_amd_agent_memory_pool_get_info(device.agent(), peer.pool(), HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS,
                                     &access);
  return access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
}

}  // namespace

hipError_t hipDeviceGetLimit(size_t* pValue, hipLimit_t limit) {
  if (pValue == nullptr) return hipErrorInvalidValue;
  const auto* const setting = limit_of(Runtime::get().device(), limit);
  if (setting == nullptr) return hipErrorUnsupportedLimit;
  *pValue = *setting;
  return hipSuccess;
}

hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
  auto* const setting = limit_of(Runtime::get().device(), limit);
  if (setting == nullptr) return hipErrorUnsupportedLimit;
  *setting = value;
  return hipSuccess;
}

hipError_t hipSetDeviceFlags(unsigned int flags) {
  constexpr unsigned known = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
  const unsigned schedule = flags & hipDeviceScheduleMask;
  const bool one = schedule == hipDeviceScheduleAuto || schedule == hipDeviceScheduleSpin ||
                   schedule == hipDeviceScheduleYield || schedule == hipDeviceScheduleBlockingSync;
  if ((flags & ~known) != 0 || !one) return hipErrorInvalidValue;
  Runtime::get().device().settings().flags = flags;
  return hipSuccess;
}

hipError_t hipGetDeviceFlags(unsigned int* flags) {
  if (flags == nullptr) return hipErrorInvalidValue;
  *flags = Runtime::get().device().settings().flags;
  return hipSuccess;
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig) {
  if (cacheConfig < hipFuncCachePreferNone || cacheConfig > hipFuncCachePreferEqual)
    return hipErrorInvalidValue;
  Runtime::get().device().settings().cache_config = cacheConfig;
  return hipSuccess;
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* cacheConfig) {
  if (cacheConfig == nullptr) return hipErrorInvalidValue;
  *cacheConfig = static_cast<hipFuncCache_t>(Runtime::get().device().settings().cache_config.load());
  return hipSuccess;
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
  if (config < hipSharedMemBankSizeDefault || config > hipSharedMemBankSizeEightByte)
    return hipErrorInvalidValue;
  Runtime::get().device().settings().shared_config = config;
  return hipSuccess;
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* pConfig) {
  if (pConfig == nullptr) return hipErrorInvalidValue;
  *pConfig = static_cast<hipSharedMemConfig>(Runtime::get().device().settings().shared_config.load());
  return hipSuccess;
}

hipError_t hipDeviceCanAccessPeer(int* canAccessPeer, int deviceId, int peerDeviceId) {
  if (canAccessPeer == nullptr) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  const Device &device = runtime.device(deviceId), &peer = runtime.device(peerDeviceId);
  *canAccessPeer = &device != &peer && reaches(device, peer) ? 1 : 0;
  return hipSuccess;
}

hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags) {
  if (flags != 0) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  Device &device = runtime.device(), &peer = runtime.device(peerDeviceId);
  if (&device == &peer) return hipErrorInvalidDevice;
  if (!reaches(device, peer)) return hipErrorPeerAccessUnsupported;
  if (!device.peers().enable(peer.number())) return hipErrorPeerAccessAlreadyEnabled;
  runtime.share_memory(peer);
  return hipSuccess;
}

hipError_t hipDeviceDisablePeerAccess(int peerDeviceId) {
  Runtime& runtime = Runtime::get();
  Device &device = runtime.device(), &peer = runtime.device(peerDeviceId);
  if (&device == &peer) return hipErrorInvalidDevice;
  if (!device.peers().disable(peer.number())) return hipErrorPeerAccessNotEnabled;
  runtime.share_memory(peer);
  return hipSuccess;
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attr, int srcDevice, int dstDevice) {
  if (value == nullptr) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  const Device &from = runtime.device(srcDevice), &to = runtime.device(dstDevice);
  if (&from == &to || attr < hipDevP2PAttrPerformanceRank || attr > hipDevP2PAttrHipArrayAccessSupported)
    return hipErrorInvalidValue;
  const bool access = reaches(from, to);
  *value = attr == hipDevP2PAttrPerformanceRank                     ? 0
           : access && attr != hipDevP2PAttrHipArrayAccessSupported ? 1
                                                                    : 0;
  return hipSuccess;
}

hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t* linktype, uint32_t* hopcount) {
  if (linktype == nullptr || hopcount == nullptr || device1 == device2) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  const Device &from = runtime.device(device1), &to = runtime.device(device2);
  uint32_t hops = 0;
  hsa_amd_agent_memory_pool_get_info(from.agent(), to.pool(), HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS,
                                     &hops);
  std::vector<hsa_amd_memory_pool_link_info_t> links(std::max<uint32_t>(hops, 1));
  if (hops != 0)
    hsa_amd_agent_memory_pool_get_info(from.agent(), to.pool(), HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO,
                                       links.data());
  *linktype = links.front().link_type;
  *hopcount = hops;
  return hipSuccess;
}

}  // namespace heddle::hip::api
