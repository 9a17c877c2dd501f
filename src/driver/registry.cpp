// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/registry.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

#include "driver/log.h"
#include "driver/shown_gpu.h"
#include "support/exception_safety.h"

namespace heddle::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view plugin_prefix = "libheddle-agent-";
constexpr std::string_view plugin_suffix = ".so";
// The plugin that provides the host agent. It is opened whatever HEDDLE_AGENTS says.
constexpr std::string_view host_plugin = "cpu";
constexpr uint32_t smallest_queue = 8;
constexpr uint32_t largest_private_part = 1u << 20;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Returns the folders with plugins: those of HEDDLE_AGENT_PATH, and then the folder beside the library that
/// contains this code.
std::vector<fs::path> plugin_folders() {
  std::vector<fs::path> folders;
  if (const char* path = secure_getenv("HEDDLE_AGENT_PATH"); path != nullptr)
    for (auto& folder : split(path, ':')) folders.emplace_back(folder);
  Dl_info info{};
  static const char anchor = 0;
  if (dladdr(&anchor, &info) == 0 || info.dli_fname == nullptr) return folders;
  std::error_code error;
  fs::path library(info.dli_fname);
  folders.push_back(library.parent_path() / "heddle" / "agents");
  // The library may have been opened through a symbolic link in another folder.
  fs::path real = fs::canonical(library, error);
  if (!error && real.parent_path() != library.parent_path())
    folders.push_back(real.parent_path() / "heddle" / "agents");
  return folders;
}

struct Plugin {
  std::string name;
  std::string path;
};

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

/// Throws if the last function of the system failed for lack of something that may be there at the next
/// hsa_init. Otherwise the process would be without agents for ever.
void throw_if_exhausted() {
  if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) throw std::bad_alloc();
}

/// Opens a folder; null if there is none.
DIR* open_folder(const fs::path& folder) {
  DIR* opened = opendir(folder.c_str());
  if (opened == nullptr) throw_if_exhausted();
  return opened;
}

/// Throws if no file can be opened now. dlopen() opens a file first, and does not say why it failed, so this
/// is called before it.
void expect_a_free_descriptor(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return throw_if_exhausted();
  close(file);
}

/// Returns the plugins sorted by name within each folder. If a name occurs twice, the earlier folder wins.
std::vector<Plugin> list_plugins() {
  std::vector<Plugin> plugins;
  for (const fs::path& folder : plugin_folders()) {
    std::vector<Plugin> here;
    // The iterator of the standard library is not used, because it ends the process when memory is exhausted.
    const std::unique_ptr<DIR, CloseFolder> open(open_folder(folder));
    while (const dirent* entry = open ? readdir(open.get()) : nullptr) {
      const std::string file = entry->d_name;
      if (!file.starts_with(plugin_prefix) || !file.ends_with(plugin_suffix)) continue;
      if (file.size() <= plugin_prefix.size() + plugin_suffix.size()) continue;
      std::string name =
          file.substr(plugin_prefix.size(), file.size() - plugin_prefix.size() - plugin_suffix.size());
      bool known = std::any_of(plugins.begin(), plugins.end(), [&](auto& p) { return p.name == name; });
      if (!known) here.push_back({name, (folder / file).string()});
    }
    std::sort(here.begin(), here.end(), [](auto& a, auto& b) { return a.name < b.name; });
    plugins.insert(plugins.end(), here.begin(), here.end());
  }
  return plugins;
}

void host_log(hsam_log_level level, const char* source, const char* message) {
  log_line(level, HSAM_LOG_MISC, source == nullptr ? "agent" : source, message == nullptr ? "" : message);
}

void host_log_about(hsam_log_level level, hsam_log_subject subject, const char* source, const char* message) {
  log_line(level, subject, source == nullptr ? "agent" : source, message == nullptr ? "" : message);
}

const char* host_setting(const char* name) {
  char variable[64];
  const int length = std::snprintf(variable, sizeof variable, "HEDDLE_%s", name == nullptr ? "" : name);
  const bool fits = length > 0 && static_cast<size_t>(length) < sizeof variable;
  return fits ? secure_getenv(variable) : nullptr;
}

constexpr hsam_host host_services = {
    .size = sizeof(hsam_host),
    .major = HSAM_VERSION_MAJOR,
    .minor = HSAM_VERSION_MINOR,
    .register_agent = hsa_register_agent,
    .log = host_log,
    .setting = host_setting,
    .logged = LogSelection::shown_mask(),
    .log_about = host_log_about,
};

/// Copies a struct whose writer may know fewer members; the missing ones become 0. Returns false, and logs
/// the reason, if the struct is too short to contain its own tail_size.
template <typename T>
bool copy_sized(T& to, const T& from, const char* type, const char* agent) {
  constexpr size_t least = offsetof(T, tail_size) + sizeof(size_t);
  if (from.tail_size < least) {
    log_error("agent '{}' is refused: tail_size of its {} is {}, less than {}; it has to be sizeof({})",
              agent == nullptr ? "" : agent, type, from.tail_size, least, type);
    return false;
  }
  std::memset(static_cast<void*>(&to), 0, sizeof(T));
  std::memcpy(static_cast<void*>(&to), &from, std::min(from.tail_size, sizeof(T)));
  to.tail_size = sizeof(T);
  return true;
}

bool supports_version(uint32_t major, uint32_t minor) {
  return HSAM_VERSION_MAJOR > major || (HSAM_VERSION_MAJOR == major && HSAM_VERSION_MINOR >= minor);
}

/// Returns what is wrong with the description of an agent, or an empty string.
std::string complaint(const hsa_agent_driver_interface& interface, const hsa_agent_driver_config& config) {
  if (config.name == nullptr || config.name[0] == '\0') return "it has no name";
  if (config.region_count != 0 && config.regions == nullptr) return "its regions are missing";
  if (config.isa_count != 0 && config.isas == nullptr) return "its ISAs are missing";
  if (config.cache_count != 0 && config.caches == nullptr) return "its caches are missing";
  if (interface.client_new == nullptr || interface.client_remove == nullptr)
    return "client_new or client_remove is missing";
  if (config.destination_private_size > largest_private_part) return "destination_private_size is absurd";
  if (config.wants_signal_messages && (interface.signal_new == nullptr || interface.signal_remove == nullptr))
    return "it wants signal messages, but signal_new or signal_remove is missing";
  if (config.wants_memory_messages &&
      (interface.memory_allocation == nullptr || interface.memory_free == nullptr))
    return "it wants memory messages, but memory_allocation or memory_free is missing";
  if ((interface.region_allocate == nullptr) != (interface.region_free == nullptr))
    return "one of region_allocate and region_free is missing";
  if ((config.features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) != 0 && config.isa_count == 0)
    return "it dispatches kernels, but has no ISA";
  if (config.features == 0) return {};
  if (interface.queue_new == nullptr || interface.queue_remove == nullptr ||
      interface.queue_inactivate == nullptr)
    return "it takes packets, but queue_new, queue_remove or queue_inactivate is missing";
  if ((config.features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) != 0 &&
      (interface.code_load == nullptr || interface.code_unload == nullptr ||
       interface.code_kernel == nullptr))
    return "it dispatches kernels, but code_load, code_unload or code_kernel is missing";
  if (config.queues_max == 0 || !std::has_single_bit(config.queue_max_size) ||
      config.queue_max_size < smallest_queue ||
      (config.queue_min_size != 0 && !std::has_single_bit(config.queue_min_size)) ||
      config.queue_min_size > config.queue_max_size)
    return "its queue sizes are no powers of 2 in order";
  return {};
}

/// Returns the units that the queues of an agent may use, of which `limit`, if there is one, excludes some.
UnitMask usable_units_of(const hsa_agent_driver_config& config, const UnitMask* limit) {
  UnitMask usable = all_units(config.compute_unit_count);
  if (limit == nullptr) return usable;
  UnitMask left = *limit;
  keep_units(left, config.compute_unit_count);
  if (!is_empty(left)) return left;
  log_warning("HSA_CU_MASK is ignored for agent '{}', because it excludes all of its {} compute units",
              config.name, config.compute_unit_count);
  return usable;
}

bool is_host(const Agent& agent) {
  return agent.config().device == HSA_DEVICE_TYPE_CPU && !agent.dispatches_kernels();
}

}  // namespace

AgentSelection::AgentSelection(const char* text) {
  plugins_ = split(text == nullptr ? "" : text, ',');
  if (plugins_.empty()) plugins_.emplace_back(host_plugin);
  everything_ = std::find(plugins_.begin(), plugins_.end(), "all") != plugins_.end();
}

bool AgentSelection::names(std::string_view plugin) const {
  return everything_ || std::find(plugins_.begin(), plugins_.end(), plugin) != plugins_.end();
}

Registry& Registry::instance() {
  // The registry is never destroyed, since threads of agents may outlive static destruction.
  static Registry& registry = *new Registry;
  return registry;
}

bool Registry::load() {
  std::lock_guard lock(load_mutex_);
  if (!loaded_) {
    const size_t application_agents = count_application_agents();
    const Finally forget([&] {
      if (!loaded_) forget_plugins(application_agents);
    });
    AgentSelection selection(secure_getenv("HEDDLE_AGENTS"));
    open_plugins(selection);
    choose_visible(selection);
    loaded_ = true;
  }
  return !visible_.empty() && is_host(*visible_.front());
}

/// Returns how many agents the application itself has registered.
size_t Registry::count_application_agents() {
  std::lock_guard lock(mutex_);
  return registered_.size();
}

/// Undoes a load that ran out of memory, so that only the `keep` agents of the application itself remain
/// registered.
void Registry::forget_plugins(size_t keep) noexcept {
  std::lock_guard lock(mutex_);
  registered_.erase(registered_.begin() + static_cast<ptrdiff_t>(keep), registered_.end());
  for (const auto& agent : registered_) agent->regions_.clear();
  visible_.clear();
  usable_units_.clear();
  regions_.clear();
  region_drivers_.clear();
  region_pointers_.clear();
  opening_.clear();
  frozen_ = false;
}

void Registry::open_plugins(const AgentSelection& selection) {
  std::vector<Plugin> plugins = list_plugins();
  auto open = [&](std::string_view name) {
    auto found = std::find_if(plugins.begin(), plugins.end(), [&](auto& p) { return p.name == name; });
    if (found == plugins.end()) return false;
    open_plugin(found->name, found->path, selection);
    plugins.erase(found);
    return true;
  };
  open(host_plugin);
  if (selection.everything()) {
    while (!plugins.empty()) open(std::string(plugins.front().name));
    return;
  }
  for (const std::string& name : selection.plugins())
    if (name != host_plugin && !open(name))
      log_error("no agent driver {}{}{} found", plugin_prefix, name, plugin_suffix);
}

void Registry::open_plugin(const std::string& name, const std::string& path,
                           const AgentSelection& selection) {
  log_debug(HSAM_LOG_INIT, "opening agent driver {}", path);
  expect_a_free_descriptor(path);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    log_error("agent driver {} cannot be opened: {}", path, dlerror());
    return;
  }
  auto main = reinterpret_cast<hsam_agent_driver_main_t>(dlsym(library, HSAM_AGENT_DRIVER_MAIN));
  if (main == nullptr) {
    log_error("{} exports no {}", path, HSAM_AGENT_DRIVER_MAIN);
    dlclose(library);
    return;
  }
  size_t before;
  {
    std::lock_guard lock(mutex_);
    opening_ = name;
    before = registered_.size();
  }
  int result = main(&host_services);
  size_t after;
  {
    std::lock_guard lock(mutex_);
    opening_.clear();
    after = registered_.size();
  }
  if (result == HSAM_OutOfResources) throw std::bad_alloc();
  // The library stays open even after a failure, because the agents that it registered point into it.
  if (result != 0) {
    log_error("agent driver {} failed to start with {}", path, result);
  } else if (after == before) {
    // With "all", drivers of hardware that this machine lacks are nothing to speak of.
    if (!selection.everything() || name == host_plugin)
      log_error("agent driver {} has registered no agent", path);
    else
      log_info(HSAM_LOG_INIT, "agent driver {} has registered no agent", path);
  }
}

const hsa_generic_driver_interface* Registry::register_agent(const hsa_agent_driver_interface* interface,
                                                             const hsa_agent_driver_config* config,
                                                             hsa_generic_driver_config* out) {
  if (interface == nullptr || config == nullptr || out == nullptr) {
    log_error("hsa_register_agent: an argument is null");
    return nullptr;
  }
  if (!supports_version(config->major, config->minor)) {
    log_error("agent driver was written for MVA {}.{}; this is {}.{}", config->major, config->minor,
              HSAM_VERSION_MAJOR, HSAM_VERSION_MINOR);
    return nullptr;
  }
  auto agent = std::make_unique<Agent>();
  // `name` stands before tail_size and can be read even if that is too small.
  if (!copy_sized(agent->config_, *config, "hsa_agent_driver_config", config->name) ||
      !copy_sized(agent->interface_, *interface, "hsa_agent_driver_interface", config->name))
    return nullptr;
  std::string problem = complaint(agent->interface_, agent->config_);
  if (!problem.empty()) {
    log_error("agent '{}' is refused: {}", config->name == nullptr ? "" : config->name, problem);
    return nullptr;
  }
  // Clients may reserve more slots than the ring has, for instance 8 in a ring of 4. Smaller rings are never
  // worthwhile.
  agent->config_.queue_min_size = std::max(agent->config_.queue_min_size, smallest_queue);

  std::lock_guard lock(mutex_);
  if (frozen_) {
    log_error("agent '{}' is refused: the first client has already started", config->name);
    return nullptr;
  }
  for (const auto& other : registered_)
    if (other->driver_name_ == opening_ && other->config_.agent_id == config->agent_id) {
      log_error("agent '{}' is refused: its agent_id {} is taken", config->name, config->agent_id);
      return nullptr;
    }
  if (registered_.size() >= UINT16_MAX) {
    log_error("agent '{}' is refused: {} agents have registered", config->name, registered_.size());
    return nullptr;
  }
  agent->driver_name_ = opening_;
  agent->device_driver_id_ = static_cast<uint16_t>(registered_.size() + 1);
  out->major = HSAM_VERSION_MAJOR;
  out->minor = HSAM_VERSION_MINOR;
  out->device_driver_id = agent->device_driver_id_;
  registered_.push_back(std::move(agent));
  return &generic_interface;
}

void Registry::choose_visible(const AgentSelection& selection) {
  std::lock_guard lock(mutex_);
  frozen_ = true;
  std::vector<Agent*> chosen;
  for (const auto& agent : registered_) {
    // Agents that the application registers itself are selected by being registered.
    bool named = agent->driver_name_.empty() || selection.names(agent->driver_name_);
    if (named || !agent->dispatches_kernels()) chosen.push_back(agent.get());
  }
  auto host = std::find_if(chosen.begin(), chosen.end(), [](const Agent* agent) { return is_host(*agent); });
  if (host != chosen.end()) std::rotate(chosen.begin(), host, host + 1);
  const UnitLimits limits = unit_limits_of_environment();
  const ShownGpu shown_gpu = shown_gpu_of_environment();
  uint32_t kernel_agents = 0;
  for (Agent* agent : chosen) {
    if (shown_gpu.is_on && agent->dispatches_kernels()) {
      agent->config_.device = HSA_DEVICE_TYPE_GPU;
      agent->shown_isa_ = shown_gpu.isa;
    }
    const UnitMask* limit = agent->dispatches_kernels() ? limits.find(kernel_agents++) : nullptr;
    usable_units_.push_back(usable_units_of(agent->config_, limit));
    agent->index_ = static_cast<uint32_t>(visible_.size());
    visible_.push_back(agent);
    collect_regions(*agent);
    log_info(HSAM_LOG_INIT, "agent {} is '{}': {} compute units, {} ISAs, {} queues", agent->index_,
             agent->config_.name, agent->config_.compute_unit_count, agent->config_.isa_count,
             agent->config_.queues_max);
  }
  for (const auto& region : regions_) region_pointers_.push_back(region.get());
  if (visible_.empty() || !is_host(*visible_.front())) log_error("no host agent has registered");
}

void Registry::collect_regions(Agent& agent) {
  for (uint32_t i = 0; i < agent.config_.region_count; ++i) {
    const hsam_region_description& description = agent.config_.regions[i];
    // Memory of the host is the same for all drivers. Other memory_ids are private to a driver, whose agents
    // may share global memory; group, private and readonly memory always belongs to one agent.
    std::string owner;
    if (description.segment != HSAM_SEGMENT_GLOBAL)
      owner = fmt::format("{}#{}", agent.driver_name_, agent.config_.agent_id);
    else if (description.memory_id >= HSAM_MEMORY_AGENT_FIRST)
      owner = agent.driver_name_;
    Region* region = nullptr;
    for (size_t known = 0; known < regions_.size() && region == nullptr; ++known)
      if (regions_[known]->description.memory_id == description.memory_id &&
          regions_[known]->description.segment == description.segment && region_drivers_[known] == owner)
        region = regions_[known].get();
    if (region == nullptr) {
      regions_.push_back(
          std::make_unique<Region>(Region{description, {}, static_cast<uint32_t>(regions_.size())}));
      region_drivers_.push_back(owner);
      region = regions_.back().get();
    }
    region->agents.push_back(&agent);
    agent.regions_.push_back(region);
  }
}

const Agent* Registry::find(uint16_t device_driver_id) const {
  for (const Agent* agent : visible_)
    if (agent->device_driver_id() == device_driver_id) return agent;
  return nullptr;
}

}  // namespace heddle::driver

extern "C" __attribute__((visibility("default"))) const hsa_generic_driver_interface* hsa_register_agent(
    const hsa_agent_driver_interface* agent, const hsa_agent_driver_config* config,
    hsa_generic_driver_config* out) {
  try {
    return heddle::driver::Registry::instance().register_agent(agent, config, out);
  } catch (const std::bad_alloc&) {
    heddle::driver::log_error("hsa_register_agent: no memory");
    return nullptr;
  }
}
