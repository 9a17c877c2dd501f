// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registry of agents in this process: it opens plugins, accepts registrations, and determines which
// agents clients see (MVA 2.5).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/compute_unit_mask.h"
#include "driver/driver.h"

namespace heddle::driver {

/// The functions that agent drivers call.
extern const hsa_generic_driver_interface generic_interface;

/// The agents that HEDDLE_AGENTS selects.
class AgentSelection {
 public:
  /// Parses a comma-separated list of plugin names, or "all". Null and the empty string mean "cpu".
  explicit AgentSelection(const char* text);
  bool everything() const { return everything_; }
  bool names(std::string_view plugin) const;
  const std::vector<std::string>& plugins() const { return plugins_; }

 private:
  bool everything_ = false;
  std::vector<std::string> plugins_;
};

class Registry {
 public:
  static Registry& instance();

  /// Opens the plugins at the first call; afterwards no agent can register. Returns whether there is a host
  /// agent. A call that throws for lack of memory has no effect, and the next call counts as the first.
  bool load();

  /// Implements hsa_register_agent.
  const hsa_generic_driver_interface* register_agent(const hsa_agent_driver_interface* interface,
                                                     const hsa_agent_driver_config* config,
                                                     hsa_generic_driver_config* out);

  /// The agents and regions that clients see. They do not change after load() has returned.
  std::span<const Agent* const> agents() const { return visible_; }
  std::span<const Region* const> regions() const { return region_pointers_; }
  /// Returns null if no visible agent has this id.
  const Agent* find(uint16_t device_driver_id) const;
  /// The compute units that the queues of a visible agent may use: those that HSA_CU_MASK leaves, or all.
  const UnitMask& usable_units(const Agent& agent) const { return usable_units_[agent.index()]; }

 private:
  size_t count_application_agents();
  void forget_plugins(size_t keep) noexcept;
  void open_plugins(const AgentSelection& selection);
  void open_plugin(const std::string& name, const std::string& path, const AgentSelection& selection);
  void choose_visible(const AgentSelection& selection);
  void collect_regions(Agent& agent);

  std::mutex load_mutex_;
  bool loaded_ = false;

  std::mutex mutex_;  // protects the following members while agents register
  bool frozen_ = false;
  std::string opening_;  // plugin whose main function is running
  std::vector<std::unique_ptr<Agent>> registered_;

  std::vector<const Agent*> visible_;
  std::vector<UnitMask> usable_units_;  // by Agent::index
  std::vector<std::unique_ptr<Region>> regions_;
  std::vector<std::string> region_drivers_;  // by region: whose memory_id it is; empty: the host
  std::vector<const Region*> region_pointers_;
};

}  // namespace heddle::driver
