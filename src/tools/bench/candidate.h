// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `heddle bench` compares: one kernel on each agent, finalized for each ISA of the agent.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../job.h"
#include "../kernel_code.h"
#include "../session.h"
#include "report.h"
#include "support/result.h"

namespace heddle::tools {

/// Returns a copy of the agent for every ISA to be compared; `isa` and `isa_name` of the copy are this one.
/// `wanted` has names or parts of names (names_isa); without any, all ISAs of all agents are chosen. The
/// order is that of `wanted`, then that of the agents, then that in which an agent lists its ISAs. It is an
/// error if something wanted is no ISA of these agents. A code object is compared on all agents in its ISA.
Result<std::vector<KernelAgent>> choose_targets(const std::vector<KernelAgent>& agents,
                                                const std::vector<std::string>& wanted,
                                                const KernelFile& file);

/// A kernel that is ready to be launched with the buffers of its agent. `job` must outlive it.
struct Candidate {
  CandidateName name;
  KernelCode code;
  KernelInfo kernel;
  const Job* job;  ///< has the buffers, which all candidates of an agent share
  Memory kernarg;
  std::unique_ptr<Dispatcher> dispatcher;
};
/// Makes a candidate from loaded code. An error means that the kernel or its arguments are not what the
/// command line says, so that all other candidates would have the same error.
Result<Candidate> make_candidate(const KernelFile& file, KernelCode code, const KernelAgent& agent,
                                 const std::string& kernel, const Job& job);

}  // namespace heddle::tools
