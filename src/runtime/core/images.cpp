// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/images.h"

#include <cassert>

#include "image/image.h"
#include "runtime/core/topology.h"
#include "support/exception_safety.h"

namespace heddle::runtime {
namespace {

/// Returns the region of memory that is the agent's own; null if it shares that of the host.
const Region* own_memory(const Agent& agent) {
  return agent.find_region([](const Region& region) {
    const hsam_region_description& description = region.description();
    return description.segment == HSAM_SEGMENT_GLOBAL && description.runtime_alloc_allowed != 0 &&
           description.memory_id >= HSAM_MEMORY_AGENT_FIRST;
  });
}

}  // namespace

/// Gives an object the address that is its handle: its own, or that of a copy in the agent's memory.
hsa_status_t Images::place(const Agent& agent, const void* object, size_t size, uint64_t& handle) {
  const Region* const memory = own_memory(agent);
  handle = reinterpret_cast<uint64_t>(object);
  if (memory == nullptr) return HSA_STATUS_SUCCESS;
  const auto address = client_.allocate(*memory->driver, size, alignof(image::Image));
  if (!address) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  handle = reinterpret_cast<uint64_t>(*address);
  if (client_.copy(*address, object, size) == HSA_STATUS_SUCCESS) return HSA_STATUS_SUCCESS;
  free_place(agent, handle);
  return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

void Images::free_place(const Agent& agent, uint64_t handle) {
  if (own_memory(agent) != nullptr) (void)client_.free(reinterpret_cast<void*>(handle));
}

/// Allocates and frees without the lock, because observers of copies may use images, too.
template <typename Object>
hsa_status_t Images::add_to(Table<Object>& table, const Agent& agent, const Object& object, uint32_t most,
                            uint64_t& handle) {
  auto kept = std::make_shared<const Object>(object);
  uint64_t place_of_object = 0;
  const hsa_status_t placed = place(agent, kept.get(), sizeof(Object), place_of_object);
  if (placed != HSA_STATUS_SUCCESS) return placed;
  bool is_added = false;
  const Finally settle([&] {
    if (!is_added) free_place(agent, place_of_object);
  });
  std::lock_guard lock(mutex_);
  uint32_t& count = count_of(agent, object);
  if (count == most) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  table[place_of_object] = {&agent, std::move(kept)};
  ++count;
  is_added = true;
  handle = place_of_object;
  return HSA_STATUS_SUCCESS;
}

template <typename Object>
bool Images::remove_from(Table<Object>& table, const Agent& agent, uint64_t handle) {
  {
    std::lock_guard lock(mutex_);
    const auto found = table.find(handle);
    if (found == table.end() || found->second.agent != &agent) return false;
    uint32_t& count = count_of(agent, *found->second.object);
    assert(count != 0);
    --count;
    table.erase(found);
  }
  free_place(agent, handle);
  return true;
}

hsa_status_t Images::add(const Agent& agent, const image::Image& image, hsa_ext_image_t* handle) {
  const auto& limits = image::limits();
  const uint32_t most =
      image.access_permission == HSA_ACCESS_PERMISSION_RO ? limits.read_handles : limits.write_handles;
  return add_to(images_, agent, image, most, handle->handle);
}

hsa_status_t Images::add(const Agent& agent, const image::Sampler& sampler, hsa_ext_sampler_t* handle) {
  return add_to(samplers_, agent, sampler, image::limits().samplers, handle->handle);
}

std::shared_ptr<const image::Image> Images::find(const Agent& agent, hsa_ext_image_t handle) const {
  std::lock_guard lock(mutex_);
  const auto found = images_.find(handle.handle);
  return found == images_.end() || found->second.agent != &agent ? nullptr : found->second.object;
}

bool Images::remove(const Agent& agent, hsa_ext_image_t handle) {
  return remove_from(images_, agent, handle.handle);
}

bool Images::remove(const Agent& agent, hsa_ext_sampler_t handle) {
  return remove_from(samplers_, agent, handle.handle);
}

}  // namespace heddle::runtime
