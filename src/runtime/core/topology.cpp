// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/topology.h"

#include <algorithm>
#include <cassert>
#include <memory>

namespace heddle::runtime {

namespace {

/// Describes an ISA of which only the name and the wavefront size are known: the smallest limits that an
/// implementation may have (HSA Platform System Architecture, appendix A; PRM, appendix A), the large machine
/// model, and the rounding mode that every profile supports.
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

std::unique_ptr<Isa> make_isa(std::string_view name, const hsam_isa_description& description,
                              Wavefront* wavefront) {
  wavefront->size = description.wavefront_size;
  auto isa = std::make_unique<Isa>();
  isa->name = name;
  isa->description = description;
  isa->description.name = isa->name.c_str();
  isa->wavefronts.push_back(wavefront);
  return isa;
}

/// Allocates no memory.
template <typename Table, typename Object>
Object* publish(Table& table, std::unique_ptr<Object>& object) noexcept {
  Object* added = object.get();
  added->handle.handle = table.add(std::move(object));
  return added;
}

}  // namespace

const Isa* Agent::find_isa(std::string_view name) const {
  const auto found =
      std::find_if(isas.begin(), isas.end(), [&](const Isa* isa) { return isa->name == name; });
  return found == isas.end() ? nullptr : *found;
}

/// The objects of all agents before they are published.
class Topology::Draft {
 public:
  explicit Draft(const driver::Client& client) {
    for (const driver::Region* driver : client.regions()) {
      auto& region = regions_.emplace_back(std::make_unique<Region>());
      region->driver = driver;
    }
    for (const driver::Agent* driver : client.agents()) add_agent(*driver);
  }

  /// Publishes the objects in the topology. Allocates no memory.
  void publish(Topology& topology) noexcept {
    for (auto& region : regions_) heddle::runtime::publish(topology.regions_, region);
    for (auto& wavefront : wavefronts_) heddle::runtime::publish(topology.wavefronts_, wavefront);
    for (auto& isa : isas_) heddle::runtime::publish(topology.isas_, isa);
    for (auto& pool : pools_) heddle::runtime::publish(topology.pools_, pool);
    for (auto& cache : caches_) heddle::runtime::publish(topology.caches_, cache);
    for (auto& agent : agents_) heddle::runtime::publish(topology.agents_, agent);
  }

 private:
  void add_agent(const driver::Agent& driver) {
    auto agent = std::make_unique<Agent>();
    agent->driver = &driver;
    for (const driver::Region* region : driver.regions()) {
      // The system segment is the driver's own memory and not a region of the runtime (Runtime 2.7.4.2).
      if (region->description.segment != HSAM_SEGMENT_SYSTEM) {
        assert(region->index < regions_.size() && regions_[region->index]->driver == region);
        agent->regions.push_back(regions_[region->index].get());
      }
    }
    add_pools(*agent);
    const hsa_agent_driver_config& config = driver.config();
    for (uint32_t i = 0; i < config.isa_count; ++i)
      if (const Isa* isa = find_or_add_isa(config.isas[i])) agent->isas.push_back(isa);
    show_isas(*agent);
    for (uint32_t i = 0; i < config.cache_count; ++i) {
      const hsam_cache_description& description = config.caches[i];
      auto& cache = caches_.emplace_back(std::make_unique<Cache>());
      cache->name = description.name == nullptr ? "" : description.name;
      cache->level = description.level;
      cache->size = description.size;
      cache->line_size = description.line_size;
      const auto behind = std::upper_bound(agent->caches.begin(), agent->caches.end(), cache->level,
                                           [](uint8_t level, const Cache* c) { return level < c->level; });
      agent->caches.insert(behind, cache.get());
    }
    agents_.push_back(std::move(agent));
  }

  /// An ISA that an agent only shows has the description of the first one that the agent executes.
  void show_isas(Agent& agent) {
    agent.shown_isas = agent.isas;
    if (agent.isas.empty() || agent.driver->shown_isa().empty()) return;
    hsam_isa_description description = agent.isas.front()->description;
    description.name = agent.driver->shown_isa().c_str();
    description.also_executes = nullptr;
    const Isa* shown = find_or_add_isa(description);
    if (shown != nullptr) agent.shown_isas = {shown};
  }

  /// The pools of a host are its regions. Those of a kernel agent are its own memory, without the host's for
  /// kernel arguments; coarse-grained memory comes first, because programs take the first pool for the
  /// agent's main memory.
  void add_pools(Agent& agent) {
    for (const Region* region : agent.regions) {
      const hsam_region_description& description = region->description();
      const bool is_global = description.segment == HSAM_SEGMENT_GLOBAL;
      const bool has_kernarg = (description.global_flags & HSAM_GLOBAL_FLAG_KERNARG) != 0;
      if (agent.config().features != 0 && has_kernarg) continue;
      if (!is_global && description.segment != HSAM_SEGMENT_GROUP) continue;
      auto& pool = pools_.emplace_back(std::make_unique<Pool>());
      pool->region = region;
      pool->owner = &agent;
      const auto behind = std::upper_bound(agent.pools.begin(), agent.pools.end(), pool.get(),
                                           [](const Pool* a, const Pool* b) { return rank(*a) < rank(*b); });
      agent.pools.insert(behind, pool.get());
    }
  }

  static int rank(const Pool& pool) {
    if (pool.owner->config().features == 0) return 0;
    if (pool.description().segment != HSAM_SEGMENT_GLOBAL) return 2;
    return (pool.description().global_flags & HSAM_GLOBAL_FLAG_COARSE_GRAINED) != 0 ? 0 : 1;
  }

  /// Returns null if the table of ISAs is full.
  const Isa* find_or_add_isa(const hsam_isa_description& description) {
    for (const auto& isa : isas_)
      if (isa->name == description.name) return isa.get();
    if (isas_.size() == PermanentTable<Isa, tag_isa>::capacity) return nullptr;
    auto& wavefront = wavefronts_.emplace_back(std::make_unique<Wavefront>());
    return isas_.emplace_back(make_isa(description.name, description, wavefront.get())).get();
  }

  std::vector<std::unique_ptr<Region>> regions_;
  std::vector<std::unique_ptr<Pool>> pools_;
  std::vector<std::unique_ptr<Wavefront>> wavefronts_;
  std::vector<std::unique_ptr<Isa>> isas_;
  std::vector<std::unique_ptr<Cache>> caches_;
  std::vector<std::unique_ptr<Agent>> agents_;
};

void Topology::build(const driver::Client& client) {
  std::lock_guard lock(mutex_);
  if (agents_.size() == 0) Draft(client).publish(*this);
}

const Isa* Topology::add_isa(std::string_view name, const hsam_isa_description& description) {
  if (isas_.size() == isas_.capacity || wavefronts_.size() == wavefronts_.capacity) return nullptr;
  auto wavefront = std::make_unique<Wavefront>();
  auto isa = make_isa(name, description, wavefront.get());
  publish(wavefronts_, wavefront);
  return publish(isas_, isa);
}

const Isa* Topology::find_isa(std::string_view name) const {
  for (size_t i = 0; i < isas_.size(); ++i)
    if (isas_.at(i)->name == name) return isas_.at(i);
  return nullptr;
}

const Isa* Topology::find_agent_isa(std::string_view name) const {
  for (size_t i = 0; i < agents_.size(); ++i) {
    const Agent& agent = *agents_.at(i);
    if (const Isa* isa = agent.find_isa(name)) return isa;
    if (!agent.shown_isas.empty() && agent.shown_isas.front()->name == name) return agent.shown_isas.front();
  }
  return nullptr;
}

const Isa* Topology::intern_isa(std::string_view name, uint32_t wavefront_size) {
  std::lock_guard lock(mutex_);
  const Isa* isa = find_isa(name);
  return isa != nullptr ? isa : add_isa(name, unknown_isa(wavefront_size));
}

}  // namespace heddle::runtime
