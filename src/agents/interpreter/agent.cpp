// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin: one kernel agent that executes BRIG without compiling it. The oracle for compiled code, and the
// agent for machines that have no code generator.
#include <hsam/hsam.h>

#include <algorithm>
#include <vector>

#include "agents/common/description.h"
#include "agents/common/host_agent.h"
#include "agents/interpreter/executor.h"
#include "agents/interpreter/loader.h"

namespace heddle::interpreter_agent {
namespace {

constexpr const char* log_source = "agent-interpreter";

constexpr agents::SegmentSizes segment_sizes = {
    .group = 256 * 1024, .private_work_item = 16 * 1024 * 1024, .private_group = uint64_t{1} << 30};

constexpr uint16_t group_max_dim = 1024;
constexpr uint32_t group_max_size = 1024;
constexpr uint32_t fbarriers = 1024;

hsam_isa_description isa_description() {
  hsam_isa_description isa = {};
  isa.name = isa_name;
  isa.wavefront_size = interpreter::wave_size;
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
  isa.fbarrier_max_size = 1024;
  isa.fbarrier_max_size = fbarriers;
  // DETECT is done for both profiles, BREAK for none.
  isa.exception_policies[HSA_PROFILE_BASE] = isa.exception_policies[HSA_PROFILE_FULL] =
      HSA_EXCEPTION_POLICY_DETECT;
  return isa;
}

/// Registration keeps pointers to these for the life of the process.
struct Description {
  std::vector<hsam_region_description> regions = agents::kernel_agent_regions(segment_sizes);
  hsam_isa_description isa = isa_description();

  hsa_agent_driver_config config() const {
    const agents::HostDescription& host = agents::host_description();
    hsa_agent_driver_config c = {};
    c.major = HSAM_VERSION_MAJOR;
    c.minor = HSAM_VERSION_MINOR;
    c.name = "heddle HSAIL interpreter";
    c.profile = HSA_PROFILE_FULL;
    c.safe_own_payload = c.safe_all_payload = c.safe_all_headers = c.safe_all_memory = 1;
    c.page_faults = 1;
    c.tail_size = sizeof c;
    c.vendor_name = "heddle";
    c.device = HSA_DEVICE_TYPE_CPU;
    c.features = HSA_AGENT_FEATURE_KERNEL_DISPATCH;
    c.default_float_rounding_mode = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
    c.queues_max = 128;
    c.queue_min_size = 64;
    c.queue_max_size = 131072;
    c.queue_type = HSA_QUEUE_TYPE_MULTI;
    c.compute_unit_count = host.processors;
    c.max_clock_frequency = host.clock_frequency;
    c.group_segment_type = HSA_AGENT_GROUP_SEGMENT_INFO_CACHED_GLOBAL;
    c.regions = regions.data();
    c.region_count = static_cast<uint32_t>(regions.size());
    c.isas = &isa;
    c.isa_count = 1;
    return c;
  }
};

struct InterpreterTag;

}  // namespace
}  // namespace heddle::interpreter_agent

extern "C" __attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* host) {
  using namespace heddle;
  using namespace heddle::interpreter_agent;
  if (!host || host->size < sizeof(hsam_host) || !host->register_agent) return 1;
  static const Description& description = *new Description;
  const uint32_t threads = agents::host_description().processors;
  auto executor = std::make_unique<InterpreterExecutor>(threads, segment_sizes);
  auto agent = std::make_unique<agents::HostAgent>(*host, log_source, std::move(executor), threads,
                                                   agents::limits_of(description.isa));
  return agents::HostAgentMessages<InterpreterTag>::register_agent(*host, description.config(),
                                                                   std::move(agent))
             ? 0
             : 1;
}
