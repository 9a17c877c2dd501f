// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/device_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "hip/core/device.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

// Code is compiled as for gfx1030, whose compute capability is this.
constexpr int capability_major = 10, capability_minor = 3;
// What agents do not say: the pitch of hipMallocPitch.
constexpr size_t alignment = 256;
constexpr int registers_of_group = 65536;

int number(uint64_t value) {
  return static_cast<int>(std::min<uint64_t>(value, std::numeric_limits<int>::max()));
}

int threads_of_unit(const AgentProperties& agent) {
  return std::max(number(uint64_t{agent.waves_of_unit} * wave_size), number(agent.largest_group));
}

/// Everything that kernels can use on agents of HSA with full HSAIL.
hipDeviceArch_t arch() {
  hipDeviceArch_t all{};
  all.hasGlobalInt32Atomics = all.hasGlobalFloatAtomicExch = all.hasSharedInt32Atomics = 1;
  all.hasSharedFloatAtomicExch = all.hasFloatAtomicAdd = all.hasGlobalInt64Atomics = 1;
  all.hasSharedInt64Atomics = all.hasDoubles = all.hasWarpVote = all.hasWarpBallot = 1;
  all.hasWarpShuffle = all.hasThreadFenceSystem = all.has3dGrid = all.hasSurfaceFuncs = 1;
  return all;
}

void copy_text(char (&to)[256], const std::string& from) {
  std::memcpy(to, from.data(), std::min(from.size(), sizeof to - 1));
}

// The members that both layouts of the properties have.
template <typename Properties>
void fill_limits(Properties& p, const AgentProperties& agent) {
  p.sharedMemPerBlock = p.maxSharedMemoryPerMultiProcessor = agent.group_memory_size;
  p.regsPerBlock = registers_of_group;
  p.warpSize = wave_size;
  p.maxThreadsPerBlock = number(agent.largest_group);
  for (size_t i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = agent.group_limits[i];
    p.maxGridSize[i] = number(agent.grid_limits[i]);
  }
  p.maxThreadsPerMultiProcessor = threads_of_unit(agent);
  p.cooperativeLaunch = p.cooperativeMultiDeviceLaunch = agent.cooperative ? 1 : 0;
  p.maxTexture1D = number(agent.images.width_1d);
  p.maxTexture1DLinear = number(agent.images.width_linear);
  for (size_t i = 0; i < 2; ++i) p.maxTexture2D[i] = number(agent.images.size_2d[i]);
  for (size_t i = 0; i < 3; ++i) p.maxTexture3D[i] = number(agent.images.size_3d[i]);
  p.memPitch = std::numeric_limits<int>::max();
  p.textureAlignment = p.texturePitchAlignment = alignment;
}

template <typename Properties>
void fill_memory(Properties& p, const AgentProperties& agent) {
  p.totalGlobalMem = agent.memory_size;
  p.totalConstMem = std::min<size_t>(agent.memory_size, std::numeric_limits<int>::max());
  p.memoryClockRate = number(uint64_t{agent.memory_clock_mhz} * 1000);
  p.memoryBusWidth = number(agent.memory_width);
  p.l2CacheSize = number(agent.l2_cache_size);
  p.canMapHostMemory = p.managedMemory = 1;
  p.integrated = agent.type == HSA_DEVICE_TYPE_CPU ? 1 : 0;
  p.isLargeBar = p.directManagedMemAccessFromHost = p.concurrentManagedAccess =
      agent.host_reaches_memory ? 1 : 0;
  p.pageableMemoryAccess = p.pageableMemoryAccessUsesHostPageTables =
      agent.profile == HSA_PROFILE_FULL ? 1 : 0;
}

template <typename Properties>
void fill_common(Properties& p, const AgentProperties& agent) {
  copy_text(p.name, agent.name);
  copy_text(p.gcnArchName, agent.isa_name);
  fill_memory(p, agent);
  fill_limits(p, agent);
  p.major = capability_major;
  p.minor = capability_minor;
  p.clockRate = number(uint64_t{agent.clock_mhz} * 1000);
  p.multiProcessorCount = number(agent.compute_units);
  p.arch = arch();
  p.concurrentKernels = 1;
  p.computeMode = hipComputeModeDefault;
  uint64_t ticks = 0;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &ticks);
  p.clockInstructionRate = number(ticks / 1000);
  p.pciDomainID = number(agent.domain);
  p.pciBusID = number(agent.bdf >> 8 & 0xFF);
  p.pciDeviceID = number(agent.bdf >> 3 & 0x1F);
  p.asicRevision = number(agent.revision);
}

/// A surface is an image like a texture, and layers are a dimension of it.
void fill_images(hipDeviceProp_t& p, const AgentProperties& agent) {
  const ImageLimits& images = agent.images;
  const int layers = number(images.layers);
  const int width = number(images.width_1d);
  p.maxSurface1D = p.maxTexture1DLayered[0] = p.maxSurface1DLayered[0] = width;
  p.maxTexture1DLayered[1] = p.maxSurface1DLayered[1] = layers;
  for (size_t i = 0; i < 2; ++i) {
    const int size = number(images.size_2d[i]);
    p.maxSurface2D[i] = p.maxTexture2DLayered[i] = p.maxSurface2DLayered[i] = p.maxTexture2DLinear[i] = size;
  }
  p.maxTexture2DLinear[2] = number(p.memPitch);
  p.maxTexture2DLayered[2] = p.maxSurface2DLayered[2] = layers;
  for (size_t i = 0; i < 3; ++i) p.maxSurface3D[i] = number(images.size_3d[i]);
  p.surfaceAlignment = alignment;
}

using Property = int (*)(const hipDeviceProp_t&);
struct AttributeRow {
  hipDeviceAttribute_t attribute;
  Property value;
};

#define PROPERTY(attribute, member) \
  {hipDeviceAttribute##attribute,   \
   [](const hipDeviceProp_t& p) { return number(static_cast<uint64_t>(p.member)); }}
#define CONSTANT(attribute, number_) \
  {hipDeviceAttribute##attribute, [](const hipDeviceProp_t&) { return static_cast<int>(number_); }}

constexpr AttributeRow attribute_rows[] = {
    PROPERTY(EccEnabled, ECCEnabled),
    PROPERTY(AsyncEngineCount, asyncEngineCount),
    PROPERTY(CanMapHostMemory, canMapHostMemory),
    PROPERTY(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    PROPERTY(ClockRate, clockRate),
    PROPERTY(ComputeMode, computeMode),
    PROPERTY(ComputePreemptionSupported, computePreemptionSupported),
    PROPERTY(ConcurrentKernels, concurrentKernels),
    PROPERTY(ConcurrentManagedAccess, concurrentManagedAccess),
    PROPERTY(CooperativeLaunch, cooperativeLaunch),
    PROPERTY(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
    PROPERTY(DeviceOverlap, deviceOverlap),
    PROPERTY(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    PROPERTY(GlobalL1CacheSupported, globalL1CacheSupported),
    PROPERTY(HostNativeAtomicSupported, hostNativeAtomicSupported),
    PROPERTY(Integrated, integrated),
    PROPERTY(IsMultiGpuBoard, isMultiGpuBoard),
    PROPERTY(KernelExecTimeout, kernelExecTimeoutEnabled),
    PROPERTY(L2CacheSize, l2CacheSize),
    PROPERTY(LocalL1CacheSupported, localL1CacheSupported),
    PROPERTY(ComputeCapabilityMajor, major),
    PROPERTY(ManagedMemory, managedMemory),
    PROPERTY(MaxBlocksPerMultiProcessor, maxBlocksPerMultiProcessor),
    PROPERTY(MaxBlockDimX, maxThreadsDim[0]),
    PROPERTY(MaxBlockDimY, maxThreadsDim[1]),
    PROPERTY(MaxBlockDimZ, maxThreadsDim[2]),
    PROPERTY(MaxGridDimX, maxGridSize[0]),
    PROPERTY(MaxGridDimY, maxGridSize[1]),
    PROPERTY(MaxGridDimZ, maxGridSize[2]),
    PROPERTY(MaxTexture1DWidth, maxTexture1D),
    PROPERTY(MaxTexture1DLinear, maxTexture1DLinear),
    PROPERTY(MaxTexture2DWidth, maxTexture2D[0]),
    PROPERTY(MaxTexture2DHeight, maxTexture2D[1]),
    PROPERTY(MaxTexture3DWidth, maxTexture3D[0]),
    PROPERTY(MaxTexture3DHeight, maxTexture3D[1]),
    PROPERTY(MaxTexture3DDepth, maxTexture3D[2]),
    PROPERTY(MaxThreadsPerBlock, maxThreadsPerBlock),
    PROPERTY(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    PROPERTY(MaxPitch, memPitch),
    PROPERTY(MemoryBusWidth, memoryBusWidth),
    PROPERTY(MemoryClockRate, memoryClockRate),
    PROPERTY(ComputeCapabilityMinor, minor),
    PROPERTY(MultiprocessorCount, multiProcessorCount),
    PROPERTY(PageableMemoryAccess, pageableMemoryAccess),
    PROPERTY(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    PROPERTY(PciBusId, pciBusID),
    PROPERTY(PciDeviceId, pciDeviceID),
    PROPERTY(PciDomainID, pciDomainID),
    PROPERTY(MaxRegistersPerBlock, regsPerBlock),
    PROPERTY(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    PROPERTY(ReservedSharedMemPerBlock, reservedSharedMemPerBlock),
    PROPERTY(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    PROPERTY(SharedMemPerBlockOptin, sharedMemPerBlockOptin),
    PROPERTY(SharedMemPerMultiprocessor, sharedMemPerMultiprocessor),
    PROPERTY(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
    PROPERTY(StreamPrioritiesSupported, streamPrioritiesSupported),
    PROPERTY(TccDriver, tccDriver),
    PROPERTY(TextureAlignment, textureAlignment),
    PROPERTY(TexturePitchAlignment, texturePitchAlignment),
    PROPERTY(TotalConstantMemory, totalConstMem),
    PROPERTY(TotalGlobalMem, totalGlobalMem),
    PROPERTY(UnifiedAddressing, unifiedAddressing),
    PROPERTY(AccessPolicyMaxWindowSize, accessPolicyMaxWindowSize),
    PROPERTY(LuidDeviceNodeMask, luidDeviceNodeMask),
    PROPERTY(MaxSurface1D, maxSurface1D),
    PROPERTY(MaxSurface1DLayered, maxSurface1DLayered[0]),
    PROPERTY(MaxSurface2D, maxSurface2D[0]),
    PROPERTY(MaxSurface2DLayered, maxSurface2DLayered[0]),
    PROPERTY(MaxSurface3D, maxSurface3D[0]),
    PROPERTY(MaxSurfaceCubemap, maxSurfaceCubemap),
    PROPERTY(MaxSurfaceCubemapLayered, maxSurfaceCubemapLayered[0]),
    PROPERTY(MaxTexture1DLayered, maxTexture1DLayered[0]),
    PROPERTY(MaxTexture1DMipmap, maxTexture1DMipmap),
    PROPERTY(MaxTexture2DGather, maxTexture2DGather[0]),
    PROPERTY(MaxTexture2DLayered, maxTexture2DLayered[0]),
    PROPERTY(MaxTexture2DLinear, maxTexture2DLinear[0]),
    PROPERTY(MaxTexture2DMipmap, maxTexture2DMipmap[0]),
    PROPERTY(MaxTexture3DAlt, maxTexture3DAlt[0]),
    PROPERTY(MaxTextureCubemap, maxTextureCubemap),
    PROPERTY(MaxTextureCubemapLayered, maxTextureCubemapLayered[0]),
    PROPERTY(MaxThreadsDim, maxThreadsDim[0]),
    PROPERTY(MultiGpuBoardGroupID, multiGpuBoardGroupID),
    PROPERTY(PersistingL2CacheMaxSize, persistingL2CacheMaxSize),
    PROPERTY(SurfaceAlignment, surfaceAlignment),
    PROPERTY(HostRegisterSupported, hostRegisterSupported),
    PROPERTY(MemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes),
    CONSTANT(VirtualMemoryManagementSupported, 1),
    PROPERTY(WarpSize, warpSize),
    PROPERTY(ClockInstructionRate, clockInstructionRate),
    PROPERTY(MaxSharedMemoryPerMultiprocessor, maxSharedMemoryPerMultiProcessor),
    PROPERTY(GcnArch, gcnArch),
    CONSTANT(HdpMemFlushCntl, 0),
    CONSTANT(HdpRegFlushCntl, 0),
    CONSTANT(CooperativeMultiDeviceUnmatchedFunc, 0),
    CONSTANT(CooperativeMultiDeviceUnmatchedGridDim, 0),
    CONSTANT(CooperativeMultiDeviceUnmatchedBlockDim, 0),
    CONSTANT(CooperativeMultiDeviceUnmatchedSharedMem, 0),
    PROPERTY(IsLargeBar, isLargeBar),
    PROPERTY(AsicRevision, asicRevision),
    PROPERTY(PhysicalMultiProcessorCount, multiProcessorCount),
    CONSTANT(FineGrainSupport, 1),
    PROPERTY(WallClockRate, clockInstructionRate),
    CONSTANT(CanUseStreamWaitValue, 1),
    PROPERTY(ImageSupport, maxTexture1D != 0),
    PROPERTY(MemoryPoolsSupported, memoryPoolsSupported)};

#undef PROPERTY
#undef CONSTANT

template <typename Properties>
int best_for(const Properties& wanted) {
  int best = 0, most = -1;
  for (const auto& device : Runtime::get().devices()) {
    const hipDeviceProp_t p = properties_for_programs(*device);
    int matches = 0;
    matches += wanted.major != 0 && p.major >= wanted.major ? 1 : 0;
    matches += wanted.minor != 0 && p.minor >= wanted.minor ? 1 : 0;
    matches += wanted.totalGlobalMem != 0 && p.totalGlobalMem >= wanted.totalGlobalMem ? 1 : 0;
    matches += wanted.sharedMemPerBlock != 0 && p.sharedMemPerBlock >= wanted.sharedMemPerBlock ? 1 : 0;
    matches += wanted.maxThreadsPerBlock != 0 && p.maxThreadsPerBlock >= wanted.maxThreadsPerBlock ? 1 : 0;
    matches += wanted.multiProcessorCount != 0 && p.multiProcessorCount >= wanted.multiProcessorCount ? 1 : 0;
    if (matches <= most) continue;
    best = device->number();
    most = matches;
  }
  return best;
}

}  // namespace

hipUUID uuid_of(const Device& device) {
  hipUUID uuid{};
  const std::string& text = device.properties().uuid;
  // "CPU-" and 16 digits: the digits are as many bytes as there is room for.
  const size_t skipped = text.find('-') == text.npos ? 0 : text.find('-') + 1;
  std::memcpy(uuid.bytes, text.data() + skipped, std::min(sizeof uuid.bytes, text.size() - skipped));
  return uuid;
}

hipDeviceProp_tR0000 old_properties(const Device& device) {
  hipDeviceProp_tR0000 p{};
  fill_common(p, device.properties());
  return p;
}

hipDeviceProp_t properties_for_programs(const Device& device) {
  hipDeviceProp_t p{};
  fill_common(p, device.properties());
  fill_images(p, device.properties());
  p.uuid = uuid_of(device);
  p.sharedMemPerMultiprocessor = p.sharedMemPerBlockOptin = p.sharedMemPerBlock;
  p.regsPerMultiprocessor = p.regsPerBlock;
  p.maxBlocksPerMultiProcessor = p.maxThreadsPerMultiProcessor;
  p.asyncEngineCount = p.deviceOverlap = p.unifiedAddressing = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.streamPrioritiesSupported = p.hostNativeAtomicSupported = p.memoryPoolsSupported = 1;
  p.canUseHostPointerForRegisteredMem = p.hostRegisterSupported = p.ipcEventSupported = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  return p;
}

std::optional<int> attribute_of(const Device& device, hipDeviceAttribute_t attribute) {
  const auto* const row = std::ranges::find(attribute_rows, attribute, &AttributeRow::attribute);
  if (row == std::end(attribute_rows)) return std::nullopt;
  return row->value(properties_for_programs(device));
}

std::string pci_bus_id_of(const Device& device) {
  const AgentProperties& agent = device.properties();
  // A device that is no PCI device has the number of the device for its bus, so that the text names it.
  const uint32_t bus = agent.bdf != 0 ? agent.bdf >> 8 & 0xFF : static_cast<uint32_t>(device.number());
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", agent.domain, bus, agent.bdf >> 3 & 0x1F, agent.bdf & 7);
}

int best_device(const hipDeviceProp_tR0000& wanted) { return best_for(wanted); }

int best_device(const hipDeviceProp_tR0600& wanted) { return best_for(wanted); }

}  // namespace heddle::hip
