// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "agents/cuda/gpu_agent.h"

namespace heddle::cuda {

/// The most GPUs that become agents.
inline constexpr uint32_t agents_max = 64;

/// Registers an agent; false if the generic driver refuses. The number of the agent is that of its
/// description. An agent of the same number from an earlier attempt, which the generic driver has forgotten,
/// is destroyed.
bool register_agent(const hsam_host& host, std::unique_ptr<GpuAgent> agent);

}  // namespace heddle::cuda
