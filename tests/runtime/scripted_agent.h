// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An agent that a test registers before it starts the runtime, and that answers as the test tells it.
#pragma once

#include <hsam/hsam.h>

namespace heddle::runtime::test {

template <typename... Arguments>
HSAM_Error done(Arguments...) {
  return HSAM_Done;
}

template <typename... Arguments>
HSAM_Error refuse(Arguments...) {
  return HSAM_OutOfResources;
}

/// A DSP with one queue, four compute units and an ISA, which accepts everything that an agent must be able
/// to do, but loads no code. A test changes what it wants to be different. Must live as long as the process.
struct ScriptedAgent {
  hsam_isa_description isa{};
  hsa_agent_driver_config config{};
  hsa_agent_driver_interface interface{};
  const hsa_generic_driver_interface* driver = nullptr;  ///< from enlist() on

  explicit ScriptedAgent(const char* name) {
    isa.name = "test:isa";
    isa.wavefront_size = 1;
    config.major = HSAM_VERSION_MAJOR;
    config.minor = HSAM_VERSION_MINOR;
    config.name = name;
    config.vendor_name = "test";
    config.tail_size = sizeof config;
    config.device = HSA_DEVICE_TYPE_DSP;
    config.features = HSA_AGENT_FEATURE_KERNEL_DISPATCH;
    config.queues_max = 1;
    config.queue_min_size = 4;
    config.queue_max_size = 64;
    config.queue_type = HSA_QUEUE_TYPE_MULTI;
    config.compute_unit_count = 4;
    config.isas = &isa;
    config.isa_count = 1;
    interface.tail_size = sizeof interface;
    interface.client_new = done;
    interface.client_remove = done;
    interface.queue_new = done;
    interface.queue_inactivate = done;
    interface.queue_remove = done;
    // An agent that dispatches kernels has to have these.
    interface.code_load = refuse;
    interface.code_unload = refuse;
    interface.code_kernel = refuse;
  }
  ScriptedAgent(const ScriptedAgent&) = delete;
  ScriptedAgent& operator=(const ScriptedAgent&) = delete;

  /// Returns whether the runtime takes the agent.
  bool enlist() {
    hsa_generic_driver_config answer{};
    driver = hsa_register_agent(&interface, &config, &answer);
    return driver != nullptr;
  }
};

}  // namespace heddle::runtime::test
