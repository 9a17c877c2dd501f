// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/topology.h"

#include <algorithm>
#include <memory>

namespace heddle::runtime {

namespace {

/// An ISA of which nobody says more than its name and width: the smallest limits that an implementation may
/// have (HSA Platform System Architecture, appendix A; PRM, appendix A), the large model, and the rounding
/// mode that every profile has.
hsam_isa_description unknown_isa(uint32_t wavefront_size) {
  hsam_isa_description description{};
  description.wavefront_size = wavefront_size;
  description.machine_models[HSA_MACHINE_MODEL_LARGE] = 1;
  description.profiles[HSA_PROFILE_BASE] = 1;
  description.profiles[HSA_PROFILE_FULL] = 1;
  description.default_float_rounding_modes = 1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  description.base_profile_default_float_rounding_modes = 1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  std::fill_n(description.workgroup_max_dim, 3, uint16_t{256});
  description.workgroup_max_size = 256;
  description.grid_max_dim = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  description.grid_max_size = UINT32_MAX;
  description.fbarrier_max_size = 32;
  return description;
}

}  // namespace

const Isa* Agent::find_isa(std::string_view name) const {
  const auto found =
      std::find_if(isas.begin(), isas.end(), [&](const Isa* isa) { return isa->name == name; });
  return found == isas.end() ? nullptr : *found;
}

void Topology::build(const driver::Client& client) {
  std::lock_guard lock(mutex_);
  if (agents_.size() != 0) return;
  std::vector<const Region*> regions;
  for (const driver::Region* driver : client.regions()) {
    auto region = std::make_unique<Region>();
    region->driver = driver;
    Region* added = region.get();
    added->handle.handle = regions_.add(std::move(region));
    regions.push_back(added);
  }
  for (const driver::Agent* driver : client.agents()) add_agent(*driver, regions);
}

void Topology::add_agent(const driver::Agent& driver, const std::vector<const Region*>& regions) {
  auto agent = std::make_unique<Agent>();
  agent->driver = &driver;
  for (const driver::Region* region : driver.regions()) {
    // The system segment is the driver's own memory, no region of the runtime (Runtime 2.7.4.2).
    if (region->description.segment != HSAM_SEGMENT_SYSTEM) agent->regions.push_back(regions[region->index]);
  }
  const hsa_agent_driver_config& config = driver.config();
  for (uint32_t i = 0; i < config.isa_count; ++i) {
    const hsam_isa_description& description = config.isas[i];
    const Isa* isa = find_isa(description.name);
    if (isa == nullptr) isa = add_isa(description.name, description);
    if (isa != nullptr) agent->isas.push_back(isa);
  }
  for (uint32_t i = 0; i < config.cache_count; ++i) {
    const hsam_cache_description& description = config.caches[i];
    auto cache = std::make_unique<Cache>();
    cache->name = description.name == nullptr ? "" : description.name;
    cache->level = description.level;
    cache->size = description.size;
    cache->line_size = description.line_size;
    Cache* added = cache.get();
    added->handle.handle = caches_.add(std::move(cache));
    agent->caches.push_back(added);
  }
  std::sort(agent->caches.begin(), agent->caches.end(), [](const Cache* a, const Cache* b) {
    return a->level != b->level ? a->level < b->level : a->handle.handle < b->handle.handle;
  });
  Agent* added = agent.get();
  added->handle.handle = agents_.add(std::move(agent));
}

const Isa* Topology::add_isa(std::string_view name, const hsam_isa_description& description) {
  if (isas_.size() == isas_.capacity || wavefronts_.size() == wavefronts_.capacity) return nullptr;
  auto wavefront = std::make_unique<Wavefront>();
  wavefront->size = description.wavefront_size;
  Wavefront* added_wavefront = wavefront.get();
  added_wavefront->handle.handle = wavefronts_.add(std::move(wavefront));
  auto isa = std::make_unique<Isa>();
  isa->name = name;
  isa->description = description;
  isa->description.name = isa->name.c_str();
  isa->wavefronts.push_back(added_wavefront);
  Isa* added = isa.get();
  added->handle.handle = isas_.add(std::move(isa));
  return added;
}

const Isa* Topology::find_isa(std::string_view name) const {
  for (size_t i = 0; i < isas_.size(); ++i)
    if (isas_.at(i)->name == name) return isas_.at(i);
  return nullptr;
}

const Isa* Topology::find_agent_isa(std::string_view name) const {
  for (size_t i = 0; i < agents_.size(); ++i)
    if (const Isa* isa = agents_.at(i)->find_isa(name)) return isa;
  return nullptr;
}

const Isa* Topology::intern_isa(std::string_view name, uint32_t wavefront_size) {
  std::lock_guard lock(mutex_);
  const Isa* isa = find_isa(name);
  return isa != nullptr ? isa : add_isa(name, unknown_isa(wavefront_size));
}

}  // namespace heddle::runtime
