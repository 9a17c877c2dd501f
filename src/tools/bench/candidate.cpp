// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "candidate.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa_names.h"

namespace heddle::tools {
namespace {

/// Returns a copy of the agent for each of its ISAs.
std::vector<KernelAgent> all_targets(const std::vector<KernelAgent>& agents) {
  std::vector<KernelAgent> targets;
  for (const KernelAgent& agent : agents) {
    for (hsa_isa_t isa : agent_isas(agent.handle)) {
      KernelAgent target = agent;
      target.isa = isa;
      target.isa_name = isa_name(isa);
      targets.push_back(std::move(target));
    }
  }
  return targets;
}

Error unknown_isa(const std::string& wanted, const std::vector<KernelAgent>& targets) {
  std::string list;
  for (const KernelAgent& target : targets) list += fmt::format("\n  {} ({})", target.isa_name, target.name);
  const auto isas = finalizable_isas();
  const bool known = std::any_of(isas.begin(), isas.end(),
                                 [&](const hsail_isa_info& isa) { return names_isa(wanted, isa.name); });
  return {fmt::format("--isa: {} '{}'; there are{}",
                      known ? "no agent chosen here executes" : "no ISA is called", wanted, list)};
}

Result<std::vector<KernelAgent>> targets_of_code_object(const std::vector<KernelAgent>& agents,
                                                        const std::vector<std::string>& wanted,
                                                        const KernelFile& file) {
  auto isa = isa_of_code_object(file.code_object);
  if (!isa) return isa.error();
  for (const std::string& name : wanted) {
    if (!names_isa(name, *isa)) return Error{fmt::format("--isa: the file is code for {}", *isa)};
  }
  std::vector<KernelAgent> targets = agents;
  for (KernelAgent& target : targets) target.isa_name = *isa;
  return targets;
}

}  // namespace

Result<std::vector<KernelAgent>> choose_targets(const std::vector<KernelAgent>& agents,
                                                const std::vector<std::string>& wanted,
                                                const KernelFile& file) {
  if (!file.module) return targets_of_code_object(agents, wanted, file);
  const std::vector<KernelAgent> all = all_targets(agents);
  if (wanted.empty()) return all;
  std::vector<KernelAgent> targets;
  for (const std::string& name : wanted) {
    bool found = false;
    for (const KernelAgent& target : all) {
      if (!names_isa(name, target.isa_name)) continue;
      found = true;
      const bool chosen = std::any_of(targets.begin(), targets.end(), [&](const KernelAgent& other) {
        return other.handle.handle == target.handle.handle && other.isa.handle == target.isa.handle;
      });
      if (!chosen) targets.push_back(target);
    }
    if (!found) return unknown_isa(name, all);
  }
  return targets;
}

Result<Candidate> make_candidate(const KernelFile& file, KernelCode code, const KernelAgent& agent,
                                 const std::string& kernel, const Job& job) {
  auto info = code.loaded->kernel(kernel);
  if (!info) return info.error();
  auto kernarg = make_kernarg(job, agent, *info, kernel_formals(file.brig(), info->name));
  if (!kernarg) return kernarg.error();
  auto dispatcher = Dispatcher::create(agent);
  if (!dispatcher) return dispatcher.error();
  return Candidate{{agent.name, agent.isa_name}, std::move(code),       std::move(*info), &job,
                   std::move(*kernarg),          std::move(*dispatcher)};
}

}  // namespace heddle::tools
