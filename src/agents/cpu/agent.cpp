// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin: two agents. The host CPU agent owns the host's memory and dispatches nothing; the CPU kernel
// agent executes compiled code.
#include <hsam/hsam.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "agents/common/description.h"
#include "agents/common/host_agent.h"
#include "agents/cpu/cpu_executor.h"

namespace heddle::cpu {
namespace {

constexpr const char* log_source = "agent-cpu";
constexpr uint32_t host_agent_id = 0;
constexpr uint32_t kernel_agent_id = 1;

constexpr agents::SegmentSizes segment_sizes = {
    .group = 256 * 1024, .private_work_item = 16 * 1024 * 1024, .private_group = uint64_t{1} << 30};

constexpr uint32_t queues_max = 128;  // programs make that many at once, in arrays on their stack
constexpr uint32_t queue_min_size = 64;
constexpr uint32_t queue_max_size = 131072;
constexpr uint16_t group_max_dim = 1024;
constexpr uint32_t group_max_size = 1024;
constexpr uint32_t fbarriers = 1024;

struct Level {
  int level;
  const char* isa;
};
constexpr Level levels[] = {
    {4, "heddle:x86-64-v4:w1"}, {3, "heddle:x86-64-v3:w1"}, {2, "heddle:x86-64-v2:w1"}};

hsam_isa_description isa_description(const char* name) {
  hsam_isa_description isa = {};
  isa.name = name;
  isa.wavefront_size = 1;
  isa.machine_models[HSA_MACHINE_MODEL_LARGE] = 1;
  isa.profiles[HSA_PROFILE_BASE] = isa.profiles[HSA_PROFILE_FULL] = 1;
  isa.default_float_rounding_modes = 1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT |
                                     1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO |
                                     1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  isa.base_profile_default_float_rounding_modes =
      1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO | 1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  isa.mad_is_fused = 1;
  std::fill(std::begin(isa.workgroup_max_dim), std::end(isa.workgroup_max_dim), group_max_dim);
  isa.workgroup_max_size = group_max_size;
  isa.grid_max_dim = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  isa.grid_max_size = UINT64_MAX;
  isa.fbarrier_max_size = fbarriers;
  return isa;
}

/// The descriptions live as long as the process (hsam.h); so these are made once and kept.
hsa_agent_driver_config common_config(uint32_t id, const std::vector<hsam_region_description>& regions) {
  const agents::HostDescription& host = agents::host_description();
  hsa_agent_driver_config config = {};
  config.major = HSAM_VERSION_MAJOR;
  config.minor = HSAM_VERSION_MINOR;
  config.agent_id = id;
  config.name = host.name.c_str();
  config.profile = HSA_PROFILE_FULL;
  config.safe_own_payload = config.safe_all_payload = config.safe_all_headers = config.safe_all_memory = 1;
  config.page_faults = 1;
  config.tail_size = sizeof config;
  config.vendor_name = host.vendor.c_str();
  config.device = HSA_DEVICE_TYPE_CPU;
  config.default_float_rounding_mode = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  config.compute_unit_count = host.processors;
  config.max_clock_frequency = host.clock_frequency;
  config.regions = regions.data();
  config.region_count = static_cast<uint32_t>(regions.size());
  config.caches = host.caches.data();
  config.cache_count = static_cast<uint32_t>(host.caches.size());
  return config;
}

struct HostTag;
struct KernelTag;

bool register_host_agent(const hsam_host& host) {
  static const auto* regions = new std::vector(agents::host_regions());
  auto agent = std::make_unique<agents::HostAgent>(host, log_source, nullptr, 0, agents::DispatchLimits{});
  return agents::HostAgentMessages<HostTag>::register_agent(host, common_config(host_agent_id, *regions),
                                                            std::move(agent));
}

/// A setting, or null if it is not there or empty.
const char* setting(const hsam_host& host, const char* name) {
  const char* value = host.setting ? host.setting(name) : nullptr;
  return value && *value ? value : nullptr;
}

uint32_t thread_count(const hsam_host& host) {
  const uint32_t processors = agents::host_description().processors;
  const char* wanted = setting(host, "CPU_THREADS");
  if (!wanted) return processors;
  char* end = nullptr;
  const unsigned long count = std::strtoul(wanted, &end, 10);
  if (*end == '\0' && count >= 1 && count <= 4096) return static_cast<uint32_t>(count);
  if (host.log)
    host.log(HSAM_LOG_WARNING, log_source, "HEDDLE_CPU_THREADS is not a number from 1 to 4096; ignored");
  return processors;
}

bool register_kernel_agent(const hsam_host& host) {
  static const auto* regions = new std::vector(agents::kernel_agent_regions(segment_sizes));
  static auto* isas = new std::vector<hsam_isa_description>;
  const int host_level = agents::host_x86_level();
  for (const Level& level : levels)
    if (level.level <= host_level) isas->push_back(isa_description(level.isa));
  if (isas->empty()) {
    if (host.log)
      host.log(HSAM_LOG_WARNING, log_source, "this processor is older than x86-64-v2: no kernel agent");
    return true;
  }
  const uint32_t threads = thread_count(host);
  hsa_agent_driver_config config = common_config(kernel_agent_id, *regions);
  config.features = HSA_AGENT_FEATURE_KERNEL_DISPATCH;
  config.queues_max = queues_max;
  config.queue_min_size = queue_min_size;
  config.queue_max_size = queue_max_size;
  config.queue_type = HSA_QUEUE_TYPE_MULTI;
  config.compute_unit_count = threads;
  config.group_segment_type = HSA_AGENT_GROUP_SEGMENT_INFO_CACHED_GLOBAL;
  config.isas = isas->data();
  config.isa_count = static_cast<uint32_t>(isas->size());
  // Programs that take nothing but a GPU can be shown one.
  if (const char* as_gpu = setting(host, "CPU_AS_GPU"); as_gpu && std::string(as_gpu) != "0")
    config.device = HSA_DEVICE_TYPE_GPU;
  if (const char* name = setting(host, "CPU_NAME")) {
    static const auto* kept = new std::string(name, std::min<size_t>(std::string(name).size(), 63));
    config.name = kept->c_str();
  }
  auto executor = std::make_unique<CpuExecutor>(host_level, threads, segment_sizes);
  auto agent = std::make_unique<agents::HostAgent>(host, log_source, std::move(executor), threads,
                                                   agents::limits_of(isas->front()));
  return agents::HostAgentMessages<KernelTag>::register_agent(host, config, std::move(agent));
}

}  // namespace
}  // namespace heddle::cpu

extern "C" __attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* host) {
  if (!host || host->size < sizeof(hsam_host) || !host->register_agent) return 1;
  return heddle::cpu::register_host_agent(*host) && heddle::cpu::register_kernel_agent(*host) ? 0 : 1;
}
