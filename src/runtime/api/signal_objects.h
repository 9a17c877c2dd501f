// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions of the core API and of the AMD extension need to create and to recognise signals.
#pragma once

#include <hsa/hsa.h>
#include <hsam/hsam.h>

namespace heddle::runtime {

class Runtime;

/// Returns the block of a live signal, or null for anything else, including handle 0. Dereferences nothing.
hsam_signal* live_signal(hsa_signal_t signal);

/// Implements hsa_signal_create. A shared signal can be attached by other processes.
hsa_status_t create_signal(Runtime& runtime, hsa_signal_value_t value, uint32_t num_consumers,
                           const hsa_agent_t* consumers, bool shared, hsa_signal_t* signal);

}  // namespace heddle::runtime
