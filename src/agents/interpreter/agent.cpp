// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin: one kernel agent that executes BRIG without compiling it. The oracle for compiled code, and the
// agent for machines that have no code generator.
#include <hsam/hsam.h>

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

hsam_isa_description isa_description() {
  hsam_isa_description isa = agents::host_isa(isa_name, interpreter::wave_size);
  // DETECT is done for both profiles, BREAK for none.
  isa.exception_policies[HSA_PROFILE_BASE] = isa.exception_policies[HSA_PROFILE_FULL] =
      HSA_EXCEPTION_POLICY_DETECT;
  return isa;
}

/// Registration keeps pointers to these for the life of the process.
struct Description {
  std::vector<hsam_region_description> regions = agents::kernel_agent_regions(segment_sizes);
  std::vector<hsam_isa_description> isas = {isa_description()};

  hsa_agent_driver_config config() const {
    return agents::kernel_agent_config("heddle HSAIL interpreter", "heddle", regions, isas);
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
                                                   agents::limits_of(description.isas.front()));
  return agents::HostAgentMessages<InterpreterTag>::register_agent(*host, description.config(),
                                                                   std::move(agent))
             ? 0
             : 1;
}
