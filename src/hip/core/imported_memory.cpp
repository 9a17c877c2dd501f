// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/imported_memory.h"

#include <algorithm>

#include "hip/core/failure.h"
#include "hip/core/log.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

hsa_status_t attach(const hsa_amd_ipc_memory_t& handle, size_t size, const std::vector<hsa_agent_t>& agents,
                    void*& address) {
  return hsa_amd_ipc_memory_attach(&handle, size, static_cast<uint32_t>(agents.size()), agents.data(),
                                   &address);
}

bool contains(const std::vector<hsa_agent_t>& agents, hsa_agent_t agent) {
  return std::ranges::find(agents, agent.handle, &hsa_agent_t::handle) != agents.end();
}

/// Removes the agents that cannot map the memory. If the agent of `device` cannot, returns its error and
/// changes nothing but the order.
hsa_status_t remove_unable(const hsa_amd_ipc_memory_t& handle, size_t size, const Device& device,
                           std::vector<hsa_agent_t>& agents) {
  std::vector<hsa_agent_t> able;
  std::ranges::partition(agents, [&](hsa_agent_t agent) { return agent.handle == device.agent().handle; });
  for (const hsa_agent_t agent : agents) {
    void* address = nullptr;
    able.push_back(agent);
    const hsa_status_t status = attach(handle, size, able, address);
    if (status == HSA_STATUS_SUCCESS)
      hsa_amd_ipc_memory_detach(address);
    else if (able.size() == 1)
      return status;
    else
      able.pop_back();
  }
  agents = std::move(able);
  return HSA_STATUS_SUCCESS;
}

}  // namespace

/// Attaches memory for all devices that can map it, among which has to be the one for which it is opened.
ImportedMemory::Attached ImportedMemory::attach_for(const Part& part, const Device& device) {
  // HSA takes no more agents later, when the memory is opened for another device, or a pool of it gives
  // others access.
  std::vector<hsa_agent_t> agents = Runtime::get().agents();
  void* address = nullptr;
  hsa_status_t status = attach(part.handle, part.size, agents, address);
  if (status != HSA_STATUS_SUCCESS && agents.size() > 1) {
    status = remove_unable(part.handle, part.size, device, agents);
    if (status == HSA_STATUS_SUCCESS) status = attach(part.handle, part.size, agents, address);
    if (status == HSA_STATUS_SUCCESS)
      log(LogLevel::warning, log_memory, "memory of another process is not accessible to all devices");
  }
  check(status, "hsa_amd_ipc_memory_attach", hipErrorMapFailed);
  return {static_cast<std::byte*>(address), &device, std::move(agents)};
}

std::byte* ImportedMemory::open(const Part& part, const Device& device) {
  Key key{};
  static_assert(sizeof key == sizeof part.handle.handle);
  std::ranges::copy(part.handle.handle, key.begin());
  const std::scoped_lock lock(mutex_);
  auto found = attached_.find(key);
  if (found == attached_.end()) {
    Attached attached = attach_for(part, device);
    try {
      found = attached_.emplace(key, attached).first;
    } catch (...) {
      hsa_amd_ipc_memory_detach(attached.base);
      throw;
    }
  } else if (!contains(found->second.agents, device.agent())) {
    throw Failure(hipErrorMapFailed, "the device cannot map this memory of another process");
  }
  std::byte* const address = found->second.base + part.offset;
  try {
    if (++found->second.parts[address] == 1) {
      Allocation allocation{address, part.length, MemoryKind::imported, device.number(), 0, address};
      allocation.freeable = part.freeable;
      Runtime::get().memory().add(allocation);
    }
  } catch (...) {
    found->second.parts.erase(address);
    detach_if_unused(found);
    throw;
  }
  return address;
}

void ImportedMemory::detach_if_unused(std::map<Key, Attached>::iterator attached) {
  if (!attached->second.parts.empty()) return;
  hsa_amd_ipc_memory_detach(attached->second.base);
  attached_.erase(attached);
}

void ImportedMemory::close(std::byte* address) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(
      attached_, [&](const auto& entry) { return entry.second.parts.contains(address); });
  if (found == attached_.end()) throw Failure(hipErrorInvalidValue, "no handle was opened for this memory");
  auto& parts = found->second.parts;
  if (--parts.at(address) != 0) return;
  Runtime::get().memory().take(address);
  parts.erase(address);
  detach_if_unused(found);
}

void ImportedMemory::release(const Device& device) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(attached_, [&](const auto& entry) {
    if (entry.second.device != &device) return false;
    for (const auto& [address, opened] : entry.second.parts) Runtime::get().memory().take(address);
    hsa_amd_ipc_memory_detach(entry.second.base);
    return true;
  });
}

}  // namespace heddle::hip
