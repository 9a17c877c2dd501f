// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver of two agents. The host CPU agent owns the host's memory and dispatches nothing; the CPU kernel
// agent executes compiled code.
#include <hsam/hsam.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

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

struct HostTag;
struct KernelTag;

bool register_host_agent(const hsam_host& host) {
  static const auto* regions = new std::vector(agents::host_regions());
  hsa_agent_driver_config config = agents::host_config(*regions);
  config.agent_id = host_agent_id;
  auto agent = std::make_unique<agents::HostAgent>(host, log_source, nullptr, 0, agents::DispatchLimits{});
  return agents::HostAgentMessages<HostTag>::register_agent(host, config, std::move(agent));
}

/// The value of a setting; null if it is unset or empty.
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

/// The host agent has the processor's name; this one executes on the same processor and is another agent.
std::string kernel_agent_name(const hsam_host& host) {
  constexpr size_t longest = 63;  // of HSA_AGENT_INFO_NAME, without the zero at its end
  const char* wanted = setting(host, "CPU_NAME");
  const std::string name = wanted ? wanted : "heddle on " + agents::host_description().name;
  return name.substr(0, longest);
}

/// Moves the ISA that HEDDLE_CPU_ISA names to the front. Clients that ask an agent for its ISA get the first.
void prefer_isa(const hsam_host& host, std::vector<hsam_isa_description>& isas) {
  const char* wanted = setting(host, "CPU_ISA");
  if (!wanted) return;
  const auto found = std::ranges::find_if(
      isas, [&](const hsam_isa_description& isa) { return std::string_view(isa.name) == wanted; });
  if (found != isas.end())
    std::rotate(isas.begin(), found, found + 1);
  else if (host.log)
    host.log(HSAM_LOG_WARNING, log_source,
             "HEDDLE_CPU_ISA is not the name of an ISA that this processor executes; ignored");
}

/// The ISAs that the host executes, best first.
std::vector<hsam_isa_description> isa_descriptions(const hsam_host& host, int host_level) {
  std::vector<hsam_isa_description> isas = agents::x86_isas(host_level);
  // The base profile has no exception policies (PRM 16.2.1).
  for (hsam_isa_description& isa : isas)
    isa.exception_policies[HSA_PROFILE_FULL] = HSA_EXCEPTION_POLICY_DETECT | HSA_EXCEPTION_POLICY_BREAK;
  prefer_isa(host, isas);
  return isas;
}

bool register_kernel_agent(const hsam_host& host) {
  static const auto* regions = new std::vector(agents::kernel_agent_regions(segment_sizes));
  const int host_level = agents::host_x86_level();
  static const auto* isas = new std::vector(isa_descriptions(host, host_level));
  if (isas->empty()) {
    if (host.log)
      host.log(HSAM_LOG_WARNING, log_source, "this processor is older than x86-64-v2: no kernel agent");
    return true;
  }
  const uint32_t threads = thread_count(host);
  const agents::HostDescription& described = agents::host_description();
  static const auto* name = new std::string(kernel_agent_name(host));  // registration keeps a pointer to it
  hsa_agent_driver_config config =
      agents::kernel_agent_config(name->c_str(), described.vendor.c_str(), *regions, *isas);
  config.agent_id = kernel_agent_id;
  config.compute_unit_count = threads;
  config.cooperative_queues = 1;
  auto executor = std::make_unique<CpuExecutor>(host_level, threads, segment_sizes);
  auto agent = std::make_unique<agents::HostAgent>(host, log_source, std::move(executor), threads,
                                                   agents::limits_of(isas->front()));
  return agents::HostAgentMessages<KernelTag>::register_agent(host, config, std::move(agent));
}

}  // namespace
}  // namespace heddle::cpu

extern "C" __attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* host) {
  if (!host || host->size < sizeof(hsam_host) || !host->register_agent) return 1;
  return heddle::agents::driver_main(
      [&] { return heddle::cpu::register_host_agent(*host) && heddle::cpu::register_kernel_agent(*host); });
}
