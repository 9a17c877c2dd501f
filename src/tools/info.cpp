// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle info: shows the machine as a tree of HSA agents.
#include <fmt/format.h>
#include <langinfo.h>

#include <clocale>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "commands.h"
#include "console.h"
#include "counter_list.h"
#include "query.h"
#include "session.h"
#include "toolchain.h"

namespace heddle::tools {
namespace {

struct Options {
  std::string agent;
};

struct Node {
  std::string text;
  std::vector<Node> children;
  Node& add(std::string child) { return children.emplace_back(Node{std::move(child), {}}); }
};

/// The branches of the tree, with line-drawing characters if the terminal has them.
struct Branches {
  const char *middle, *last, *through, *blank;
};
constexpr Branches drawn = {"├─ ", "└─ ", "│  ", "   "};
constexpr Branches plain = {"|- ", "`- ", "|  ", "   "};

void print_children(const Node& node, const Branches& branches, const std::string& indent) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    bool last = i + 1 == node.children.size();
    fmt::print("{}{}{}\n", indent, last ? branches.last : branches.middle, node.children[i].text);
    print_children(node.children[i], branches, indent + (last ? branches.blank : branches.through));
  }
}

// ---- values ----

/// Returns the names whose bits or flags are set, separated by commas.
template <typename Set>
std::string names_of(std::initializer_list<std::string_view> names, Set is_set) {
  std::string text;
  unsigned i = 0;
  for (std::string_view name : names) {
    if (is_set(i++)) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  }
  return text.empty() ? "none" : text;
}

std::string extension_names(const uint8_t (&bits)[128]) {
  std::string text;
  for (uint16_t i = 0; i < 1024; ++i) {
    if (!(bits[i / 8] >> (i % 8) & 1)) continue;
    const char* name = nullptr;
    bool known = hsa_extension_get_name(i, &name) == HSA_STATUS_SUCCESS && name != nullptr;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", known ? name : fmt::format("{}", i));
  }
  return text.empty() ? "none" : text;
}

std::string device_type(hsa_device_type_t type) {
  constexpr std::string_view names[] = {"CPU", "GPU", "DSP", "FPGA", "custom"};
  return type <= HSA_DEVICE_TYPE_CUSTOM ? std::string(names[type])
                                        : fmt::format("device type {}", static_cast<int>(type));
}

struct Extensions {
  uint8_t bits[128] = {};
};
template <size_t n>
struct Flags {
  bool set[n] = {};
};
struct Dimensions {
  uint16_t size[3] = {};
};

/// Returns a size attribute of the region as text.
std::string region_bytes(hsa_region_t region, hsa_region_info_t attribute) {
  return format_bytes(static_cast<double>(info<size_t>(region, attribute)));
}

// ---- the tree ----

void add_isa(Node& agent, hsa_isa_t isa) {
  Node& node = agent.add(fmt::format("ISA {}", styled(1, Style::cyan, isa_name(isa))));
  std::vector<hsa_wavefront_t> wavefronts;
  hsa_isa_iterate_wavefronts(isa, collect<hsa_wavefront_t>, &wavefronts);
  for (hsa_wavefront_t wavefront : wavefronts) {
    uint32_t size = 0;
    hsa_wavefront_get_info(wavefront, HSA_WAVEFRONT_INFO_SIZE, &size);
    node.add(fmt::format("wavefront: {} work-item{}", size, size == 1 ? "" : "s"));
  }
  auto modes = info<Flags<3>>(isa, HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES);
  auto models = info<Flags<2>>(isa, HSA_ISA_INFO_MACHINE_MODELS);
  auto profiles = info<Flags<2>>(isa, HSA_ISA_INFO_PROFILES);
  node.add(fmt::format("machine models: {}; profiles: {}; default rounding: {}",
                       names_of({"small", "large"}, [&](unsigned i) { return models.set[i]; }),
                       names_of({"base", "full"}, [&](unsigned i) { return profiles.set[i]; }),
                       names_of({"default", "zero", "near"}, [&](unsigned i) { return modes.set[i]; })));
  auto group = info<Dimensions>(isa, HSA_ISA_INFO_WORKGROUP_MAX_DIM);
  node.add(fmt::format("work-group: at most {} work-items, {} x {} x {}",
                       info<uint32_t>(isa, HSA_ISA_INFO_WORKGROUP_MAX_SIZE), group.size[0], group.size[1],
                       group.size[2]));
  auto grid = info<hsa_dim3_t>(isa, HSA_ISA_INFO_GRID_MAX_DIM);
  node.add(fmt::format("grid: at most {} work-items, {} x {} x {}",
                       info<uint64_t>(isa, HSA_ISA_INFO_GRID_MAX_SIZE), grid.x, grid.y, grid.z));
  node.add(fmt::format("fbarriers: {} per work-group", info<uint32_t>(isa, HSA_ISA_INFO_FBARRIER_MAX_SIZE)));
  node.add(fmt::format("f16: {}", info<bool>(isa, HSA_ISA_INFO_FAST_F16_OPERATION) ? "at least as fast as f32"
                                                                                   : "slower than f32"));
}

/// Adds a branch with the counters of an object, if it has any.
void add_counters(Node& node, const CounterLines& counters, hsa_ext_perf_counter_assoc_t type, uint64_t id) {
  const auto found = counters.find({type, id});
  if (found == counters.end()) return;
  Node& branch = node.add("performance counters");
  for (const std::string& line : found->second) branch.add(line);
}

void add_region(Node& agent, hsa_region_t region, const CounterLines& counters) {
  constexpr std::string_view segments[] = {"global", "readonly", "private", "group", "kernarg"};
  auto segment = info<hsa_region_segment_t>(region, HSA_REGION_INFO_SEGMENT);
  std::string title = segment <= HSA_REGION_SEGMENT_KERNARG ? std::string(segments[segment]) : "unknown";
  if (segment == HSA_REGION_SEGMENT_GLOBAL) {
    auto flags = info<uint32_t>(region, HSA_REGION_INFO_GLOBAL_FLAGS);
    auto is_set = [&](unsigned i) { return flags >> i & 1; };
    title += fmt::format(" ({})", names_of({"kernarg", "fine-grained", "coarse-grained"}, is_set));
  }
  Node& node = agent.add(fmt::format("region {}: {}", title, region_bytes(region, HSA_REGION_INFO_SIZE)));
  if (info<bool>(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED)) {
    node.add(fmt::format("hsa_memory_allocate: at most {}, in units of {}, aligned to {}",
                         region_bytes(region, HSA_REGION_INFO_ALLOC_MAX_SIZE),
                         region_bytes(region, HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE),
                         region_bytes(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT)));
    add_counters(node, counters, HSA_EXT_PERF_COUNTER_ASSOC_MEMORY_NODE, region.handle);
    return;
  }
  // These are limits for dispatches (Runtime 2.7.4.4). Agents that dispatch no kernels have 0, which is not
  // shown.
  const bool limited = info<size_t>(region, HSA_REGION_INFO_ALLOC_MAX_SIZE) != 0;
  const std::string most = region_bytes(region, HSA_REGION_INFO_ALLOC_MAX_SIZE);
  if (segment == HSA_REGION_SEGMENT_GROUP && limited) node.add("a work-group: at most " + most);
  if (segment == HSA_REGION_SEGMENT_PRIVATE) {
    if (limited) node.add("a work-item: at most " + most);
    const auto group = info<uint32_t>(region, HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE);
    node.add("all work-items of a work-group: at most " + format_bytes(group));
  }
}

void add_caches(Node& agent, hsa_agent_t handle) {
  std::vector<hsa_cache_t> caches;
  hsa_agent_iterate_caches(handle, collect<hsa_cache_t>, &caches);
  for (hsa_cache_t cache : caches) {
    std::string name(info<uint32_t>(cache, HSA_CACHE_INFO_NAME_LENGTH) + 1, '\0');
    hsa_cache_get_info(cache, HSA_CACHE_INFO_NAME, name.data());
    agent.add(fmt::format("cache {} (level {}): {}, lines of {} bytes", name.c_str(),
                          info<uint8_t>(cache, HSA_CACHE_INFO_LEVEL),
                          format_bytes(info<uint32_t>(cache, HSA_CACHE_INFO_SIZE)),
                          info<uint32_t>(cache, HSA_CACHE_INFO_CACHE_LINE_SIZE)));
  }
}

void add_agent(Node& root, hsa_agent_t agent, size_t index, const CounterLines& counters) {
  char vendor[65] = {};
  hsa_agent_get_info(agent, HSA_AGENT_INFO_VENDOR_NAME, vendor);
  Node& node =
      root.add(fmt::format("agent {}: {} ({}, {})", index, styled(1, Style::bold, agent_name(agent)), vendor,
                           device_type(info<hsa_device_type_t>(agent, HSA_AGENT_INFO_DEVICE))));
  auto features = info<uint32_t>(agent, HSA_AGENT_INFO_FEATURE);
  auto has_feature = [&](unsigned i) { return features >> i & 1; };
  node.add("features: " + names_of({"kernel dispatch", "agent dispatch"}, has_feature));
  node.add(fmt::format(
      "profile: {}; node: {}; compute units: {}; clock: {:.0f} MHz",
      info<hsa_profile_t>(agent, HSA_AGENT_INFO_PROFILE) == HSA_PROFILE_FULL ? "full" : "base",
      info<uint32_t>(agent, HSA_AGENT_INFO_NODE), info<uint32_t>(agent, HSA_AGENT_INFO_COMPUTE_UNIT_COUNT),
      static_cast<double>(info<uint64_t>(agent, HSA_AGENT_INFO_MAX_CLOCK_FREQUENCY)) * 1e-6));
  node.add("extensions: " + extension_names(info<Extensions>(agent, HSA_AGENT_INFO_EXTENSIONS).bits));
  if (features != 0) {
    node.add(fmt::format("queues: at most {}, of {} to {} packets, {}",
                         info<uint32_t>(agent, HSA_AGENT_INFO_QUEUES_MAX),
                         info<uint32_t>(agent, HSA_AGENT_INFO_QUEUE_MIN_SIZE),
                         info<uint32_t>(agent, HSA_AGENT_INFO_QUEUE_MAX_SIZE),
                         info<hsa_queue_type32_t>(agent, HSA_AGENT_INFO_QUEUE_TYPE) == HSA_QUEUE_TYPE_MULTI
                             ? "any number of producers"
                             : "one producer"));
  }
  for (hsa_isa_t isa : agent_isas(agent)) add_isa(node, isa);
  for (hsa_region_t region : agent_regions(agent)) add_region(node, region, counters);
  add_caches(node, agent);
  add_counters(node, counters, HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE, agent.handle);
}

Node machine() {
  Node root;
  root.text = fmt::format(
      "HSA {}.{} runtime: {} machine model, {}-endian, timestamps at {:g} MHz",
      system_info<uint16_t>(HSA_SYSTEM_INFO_VERSION_MAJOR),
      system_info<uint16_t>(HSA_SYSTEM_INFO_VERSION_MINOR),
      system_info<hsa_machine_model_t>(HSA_SYSTEM_INFO_MACHINE_MODEL) == HSA_MACHINE_MODEL_LARGE ? "large"
                                                                                                 : "small",
      system_info<hsa_endianness_t>(HSA_SYSTEM_INFO_ENDIANNESS) == HSA_ENDIANNESS_LITTLE ? "little" : "big",
      static_cast<double>(system_info<uint64_t>(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY)) * 1e-6);
  root.add("extensions: " + extension_names(system_info<Extensions>(HSA_SYSTEM_INFO_EXTENSIONS).bits));
  const auto cache = describe_cache();
  root.add("cache of code objects: " + (cache ? cache->text : cache.error().message));
  const CounterLines counters = list_counters();
  add_counters(root, counters, HSA_EXT_PERF_COUNTER_ASSOC_SYSTEM, 0);
  std::vector<hsa_agent_t> agents = all_agents();
  for (size_t i = 0; i < agents.size(); ++i) add_agent(root, agents[i], i, counters);
  return root;
}

int run(const Options& options) {
  setenv("HEDDLE_AGENTS", "all", 0);  // keeps the user's setting
  choose_agents(options.agent);
  auto session = Session::open();
  if (!session) {
    print_error(session.error().message);
    return exit_failure;
  }
  std::setlocale(LC_CTYPE, "");
  bool utf8 = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  Node root = machine();
  fmt::print("{}\n", root.text);
  print_children(root, utf8 ? drawn : plain, "");
  return exit_success;
}

}  // namespace

void add_info(CommandLine& heddle) {
  Command& command =
      heddle.add("info", "Show agents, instruction sets, memory, caches, limits and counters as a tree");
  auto options = std::make_shared<Options>();
  command
      .option("--agent", options->agent,
              "agents to show: cpu, cuda, interpreter, null, or all (default: HEDDLE_AGENTS, else all)")
      .one_of({"cpu", "cuda", "interpreter", "null", "all"})
      .value_name("NAME");
  command.action([options] { return run(*options); });
}

}  // namespace heddle::tools
