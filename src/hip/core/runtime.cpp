// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/runtime.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include "hip/core/capture.h"
#include "hip/core/failure.h"
#include "hip/core/log.h"
#include "hip/core/registry.h"
#include "hip/core/thread.h"
#include "hip/core/visible_devices.h"

namespace heddle::hip {
namespace {

Runtime* the_runtime = nullptr;

struct FoundAgents {
  hsa_agent_t host{};
  std::vector<hsa_agent_t> gpus, others;
};

hsa_status_t note_agent(hsa_agent_t agent, void* data) {
  auto& found = *static_cast<FoundAgents*>(data);
  uint32_t features = 0;
  hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_FEATURE, &features);
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if ((features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) != 0)
    (type == HSA_DEVICE_TYPE_GPU ? found.gpus : found.others).push_back(agent);
  else if (found.host.handle == 0)
    found.host = agent;
  return HSA_STATUS_SUCCESS;
}

struct HostPools {
  hsa_amd_memory_pool_t kernarg{}, fine{};
};

hsa_status_t note_host_pool(hsa_amd_memory_pool_t pool, void* data) {
  auto& pools = *static_cast<HostPools*>(data);
  hsa_amd_segment_t segment{};
  uint32_t flags = 0;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) != 0 && pools.kernarg.handle == 0)
    pools.kernarg = pool;
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) != 0 && pools.fine.handle == 0)
    pools.fine = pool;
  return HSA_STATUS_SUCCESS;
}

/// Notes memory faults, of which queues do not say that they are any.
hsa_status_t note_event(const hsa_amd_event_t* event, void* runtime) {
  if (event->event_type != HSA_AMD_GPU_MEMORY_FAULT_EVENT) return HSA_STATUS_SUCCESS;
  for (const auto& device : static_cast<Runtime*>(runtime)->devices())
    if (device->agent().handle == event->memory_fault.agent.handle)
      device->note_failure(hipErrorIllegalAddress);
  return HSA_STATUS_SUCCESS;
}

}  // namespace

hipError_t Runtime::start() {
  // Exceptions leave the flag unset: the next call tries again, as after memory has run out.
  static std::once_flag once;
  std::call_once(once, [] { the_runtime = new Runtime; });
  return the_runtime->devices_.empty() ? hipErrorNoDevice : hipSuccess;
}

Runtime& Runtime::get() { return *the_runtime; }

Runtime::Runtime() {
  check(hsa_init(), "hsa_init", hipErrorNotInitialized);
  find_devices();
  hsa_amd_profiling_async_copy_enable(true);
  // Fails if the program has a handler of its own; then faults are failures of launches.
  hsa_amd_register_system_event_handler(note_event, this);
}

static bool is_of_nvidia(hsa_agent_t agent) {
  std::array<char, 64> vendor{};
  hsa_agent_get_info(agent, HSA_AGENT_INFO_VENDOR_NAME, vendor.data());
  return std::string_view(vendor.data()) == "NVIDIA";
}

void Runtime::find_devices() {
  FoundAgents found;
  check(hsa_iterate_agents(note_agent, &found), "hsa_iterate_agents");
  HostPools pools;
  check(hsa_amd_agent_iterate_memory_pools(found.host, note_host_pool, &pools),
        "hsa_amd_agent_iterate_memory_pools");
  host_ = found.host;
  kernarg_pool_ = pools.kernarg;
  host_pool_ = pools.fine.handle != 0 ? pools.fine : pools.kernarg;
  std::vector<hsa_agent_t> agents = std::move(found.gpus);
  agents.insert(agents.end(), found.others.begin(), found.others.end());
  for (const size_t index : visible_devices(agents.size(), std::ranges::none_of(agents, is_of_nvidia))) {
    try {
      const int number = static_cast<int>(devices_.size());
      devices_.push_back(std::make_unique<Device>(number, agents[index], host_, kernarg_pool_));
      agents_.push_back(agents[index]);
      log(LogLevel::info, log_init, "found device " + devices_.back()->properties().name);
    } catch (const Failure& failure) {
      log(LogLevel::warning, log_init, std::string("an agent is no device of HIP: ") + failure.what());
    }
  }
}

void Runtime::synchronize_all() {
  if (the_runtime == nullptr) return;
  for (const auto& device : the_runtime->devices_)
    if (device->started() && device->failure() == hipSuccess) device->synchronize();
}

std::vector<hsa_agent_t> Runtime::agents_with_access(const Device& owner) const {
  std::vector<hsa_agent_t> agents{owner.agent()};
  for (const auto& device : devices_)
    if (device->peers().enabled(owner.number())) agents.push_back(device->agent());
  return agents;
}

void Runtime::share_memory(const Device& owner) {
  const auto agents = agents_with_access(owner);
  memory_.for_each([&](const Allocation& allocation) {
    const bool shared = allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::array;
    if (!shared || allocation.device != owner.number()) return;
    check(hsa_amd_agents_allow_access(static_cast<uint32_t>(agents.size()), agents.data(), nullptr,
                                      allocation.base),
          "hsa_amd_agents_allow_access");
  });
}

void Runtime::release_pools(Device& device) {
  std::vector<Allocation> pooled;
  memory_.take_if([&](const Allocation& allocation) {
    const bool owned = allocation.device == device.number() && allocation.kind == MemoryKind::pooled;
    if (owned) pooled.push_back(allocation);
    return owned;
  });
  for (const Allocation& allocation : pooled) allocation.pool->free(allocation.base, nullptr);
  device.pool_choice() = {};
  memory_pools_.remove_if([&](const MemoryPool& pool) { return &pool.device() == &device; });
}

/// Frees what graphs have allocated, and gives back what they have freed; the graphs themselves stay.
void Runtime::release_graph_memory(Device& device) {
  std::vector<std::shared_ptr<GraphMemory>> memories;
  device.graph_memories().for_each([&](GraphMemory& memory) {
    if (auto shared = memory.weak_from_this().lock()) memories.push_back(std::move(shared));
  });
  for (const auto& memory : memories) {
    if (memory->allocated()) memory->free(nullptr);
    memory->give_back();
  }
}

void Runtime::release(Device& device) {
  release_pools(device);
  release_graph_memory(device);
  textures_.remove_if([&](const Texture& texture) { return &texture.device() == &device; });
  surfaces_.remove_if([&](const Surface& surface) { return &surface.device() == &device; });
  texture_references_.release(device);
  arrays_.remove_if([&](const Array& array) { return &array.device() == &device; });
  mipmapped_arrays_.remove_if([&](const MipmappedArray& array) { return &array.device() == &device; });
  modules_.remove_if([&](const Module& module) { return &module.device() == &device; });
  streams_.remove_if([&](const Stream& stream) { return &stream.device() == &device; });
  Registry::get().unload(device);
  virtual_memory_.release(device);
  imported_memory_.release(device);
  memory_.take_if([&](const Allocation& allocation) {
    const bool owned = allocation.device == device.number() &&
                       (allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::host);
    if (owned) hsa_amd_memory_pool_free(allocation.base);
    return owned;
  });
}

Device& Runtime::device(int number) {
  if (number < 0 || static_cast<size_t>(number) >= devices_.size()) throw Failure(hipErrorInvalidDevice);
  Device& device = *devices_[static_cast<size_t>(number)];
  device.start();
  return device;
}

Device& Runtime::device(hipCtx_t context) {
  for (const auto& own : devices_)
    if (reinterpret_cast<hipCtx_t>(own.get()) == context) return device(own->number());
  throw Failure(hipErrorInvalidContext);
}

Device& Runtime::device() { return device(this_thread().device); }

std::shared_ptr<Stream> Runtime::thread_stream() {
  Device& current = device();
  auto& streams = this_thread().default_streams;
  if (streams.size() < devices_.size()) streams.resize(devices_.size());
  auto& stream = streams[static_cast<size_t>(current.number())];
  if (stream == nullptr)
    stream = std::make_shared<Stream>(current, StreamKind::blocking, QueuePriority::normal);
  return stream;
}

std::shared_ptr<Stream> Runtime::stream(hipStream_t handle) {
  if (handle == nullptr || handle == hipStreamLegacy) {
    refuse_default_stream(device());
    return device().default_stream().shared_from_this();
  }
  if (handle == hipStreamPerThread) return thread_stream();
  auto stream = streams_.find(handle);
  if (stream == nullptr) throw Failure(hipErrorContextIsDestroyed);
  return stream;
}

CopyAgents Runtime::copy_agents(const Device& device, const void* to, const void* from) const {
  const auto agent_of = [&](const void* address) {
    const auto allocation = memory_.find(address);
    if (!allocation || allocation->on_host()) return host_;
    return devices_[static_cast<size_t>(allocation->device)]->agent();
  };
  CopyAgents agents{agent_of(to), agent_of(from)};
  // HSA wants one of the agents to make the copy.
  if (agents.to.handle == host_.handle && agents.from.handle == host_.handle) agents.to = device.agent();
  return agents;
}

}  // namespace heddle::hip
