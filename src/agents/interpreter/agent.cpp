// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver of one kernel agent, which executes BRIG without compiling it. It is the oracle for compiled code,
// and the agent for machines that have no code generator.
#include <hsam/hsam.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <string>
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

/// Code for any of the ISAs executes on all of them, which differ only in the wave size that instructions
/// see.
constexpr auto executed_isas = [] {
  std::array<const char*, isa_count + 1> names{};  // null-terminated
  std::copy(std::begin(isa_names), std::end(isa_names), names.begin());
  return names;
}();

hsam_isa_description isa_description(uint32_t index) {
  hsam_isa_description isa = agents::host_isa(isa_names[index], wave_size_of(index));
  isa.also_executes = executed_isas.data();
  // The base profile has no exception policies (PRM 16.2.1).
  isa.exception_policies[HSA_PROFILE_FULL] = HSA_EXCEPTION_POLICY_DETECT | HSA_EXCEPTION_POLICY_BREAK;
  return isa;
}

/// The ISA that HEDDLE_WAVESIZE asks for; isa_count if there is no such wave size.
uint32_t preferred_isa(const hsam_host& host) {
  const char* setting = host.setting == nullptr ? nullptr : host.setting("WAVESIZE");
  if (setting == nullptr || *setting == 0) return 0;
  for (uint32_t i = 0; i < isa_count; ++i) {
    if (std::to_string(wave_size_of(i)) == setting) return i;
  }
  if (host.log != nullptr) {
    host.log(HSAM_LOG_ERROR, log_source, "HEDDLE_WAVESIZE is not a power of two from 1 to 256");
  }
  return isa_count;
}

/// The instructions of a turn that HEDDLE_TURN asks for; 0 means the default.
uint32_t wanted_turn(const hsam_host& host) {
  const char* setting = host.setting == nullptr ? nullptr : host.setting("TURN");
  if (setting == nullptr || *setting == 0) return 0;
  const char* end = setting + std::strlen(setting);
  uint32_t turn = 0;
  const auto [at, error] = std::from_chars(setting, end, turn);
  if (error == std::errc() && at == end && turn >= 1 && turn <= 1000000) return turn;
  if (host.log != nullptr)
    host.log(HSAM_LOG_WARNING, log_source, "HEDDLE_TURN is not a number from 1 to 1000000; it is ignored");
  return 0;
}

/// The debugger that HEDDLE_DEBUGGER asks for; null if it is unset. Commands come from the file that it
/// names, or from standard input for "-". With HEDDLE_DEBUGGER_BATCH a wrong command ends the dispatch.
std::shared_ptr<Debugger> wanted_debugger(const hsam_host& host) {
  const char* setting = host.setting == nullptr ? nullptr : host.setting("DEBUGGER");
  if (setting == nullptr || *setting == 0) return nullptr;
  std::FILE* script = nullptr;
  if (std::string_view(setting) != "-") {
    script = std::fopen(setting, "re");
    if (script == nullptr && host.log != nullptr)
      host.log(HSAM_LOG_ERROR, log_source, "HEDDLE_DEBUGGER names a file that cannot be read; not debugging");
    if (script == nullptr) return nullptr;
  }
  const char* batch_setting = host.setting("DEBUGGER_BATCH");
  const bool batch =
      batch_setting != nullptr && *batch_setting != 0 && std::string_view(batch_setting) != "0";
  return std::make_shared<Debugger>(std::make_unique<CommandInput>(script, batch), stdout);
}

/// Registration keeps pointers to these for the life of the process.
struct Description {
  explicit Description(uint32_t preferred) {
    isas.push_back(isa_description(preferred));
    for (uint32_t i = 0; i < isa_count; ++i) {
      if (i != preferred) isas.push_back(isa_description(i));
    }
  }

  std::vector<hsam_region_description> regions = agents::kernel_agent_regions(segment_sizes);
  std::vector<hsam_isa_description> isas;  ///< the preferred one first, as clients take that

  hsa_agent_driver_config config(uint32_t compute_units) const {
    auto config = agents::kernel_agent_config("heddle HSAIL interpreter", "heddle", regions, isas);
    config.compute_unit_count = compute_units;
    config.cooperative_queues = 1;
    return config;
  }
};

struct InterpreterTag;

}  // namespace
}  // namespace heddle::interpreter_agent

extern "C" __attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* host) {
  using namespace heddle;
  using namespace heddle::interpreter_agent;
  if (!host || host->size < sizeof(hsam_host) || !host->register_agent) return 1;
  return agents::driver_main([&] {
    const uint32_t isa = preferred_isa(*host);
    if (isa == isa_count) return false;
    static const Description& description = *new Description(isa);
    auto debugger = wanted_debugger(*host);
    const uint32_t threads = debugger ? 1 : agents::host_description().processors;
    auto executor = std::make_unique<InterpreterExecutor>(threads, segment_sizes, std::move(debugger),
                                                          wanted_turn(*host));
    auto agent = std::make_unique<agents::HostAgent>(*host, log_source, std::move(executor), threads,
                                                     agents::limits_of(description.isas.front()));
    return agents::HostAgentMessages<InterpreterTag>::register_agent(*host, description.config(threads),
                                                                     std::move(agent));
  });
}
