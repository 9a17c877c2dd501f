// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The agents of this process: finds plugins, takes registrations, and fixes what clients see (MVA 2.5).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/driver.h"

namespace heddle::driver {

/// The functions that agent drivers call.
extern const hsa_generic_driver_interface generic_interface;

/// The agents that HEDDLE_AGENTS asks for.
class AgentSelection {
 public:
  /// A comma list of plugin names, or "all"; null or empty = "cpu".
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

  /// Opens the plugins at the first call; afterwards no agent can register. Whether there is a host agent. If
  /// it throws for want of memory, the next call is the first again.
  bool load();

  /// hsa_register_agent.
  const hsa_generic_driver_interface* register_agent(const hsa_agent_driver_interface* interface,
                                                     const hsa_agent_driver_config* config,
                                                     hsa_generic_driver_config* out);

  /// What clients see. Fixed once load() has returned.
  std::span<const Agent* const> agents() const { return visible_; }
  std::span<const Region* const> regions() const { return region_pointers_; }
  /// Null if no visible agent has this id.
  const Agent* find(uint16_t device_driver_id) const;

 private:
  size_t own_agents();
  void forget_plugins(size_t keep) noexcept;
  void open_plugins(const AgentSelection& selection);
  void open_plugin(const std::string& name, const std::string& path);
  void choose_visible(const AgentSelection& selection);
  void collect_regions(Agent& agent);

  std::mutex load_mutex_;
  bool loaded_ = false;

  std::mutex mutex_;  // over what follows, while agents register
  bool frozen_ = false;
  std::string opening_;  // plugin whose main function runs
  std::vector<std::unique_ptr<Agent>> registered_;

  std::vector<const Agent*> visible_;
  std::vector<std::unique_ptr<Region>> regions_;
  std::vector<std::string> region_drivers_;  // by region: whose memory_id it is; empty = the host's
  std::vector<const Region*> region_pointers_;
};

}  // namespace heddle::driver
