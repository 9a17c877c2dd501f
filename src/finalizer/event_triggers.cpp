// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/event_triggers.h"

#include <hsa/hsa_brig_directives.h>

#include "hsail/brig/event_trigger.h"

namespace heddle::finalizer {

void check_event_triggers(const link::Program& program, Diagnostics& diagnostics) {
  for (const brig::Module& module : program.modules()) {
    brig::Offset block_end = 0;  // of the last code block that has begun
    for (brig::Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
      if (module.is_executable(at))
        block_end = module.code_as<hsa_brig_directive_executable_t>(at).next_module_entry;
      if (!brig::is_event_trigger(module, at)) continue;
      const auto warn = [&](std::string why) {
        diagnostics.warning("FINALIZER-event-trigger", Location::binary("hsa_code", at), std::move(why));
      };
      if (at >= block_end)
        warn("an event trigger outside of kernels and functions");
      else if (const auto trigger = brig::event_trigger(module, at); !trigger)
        warn(trigger.error().message);
    }
  }
}

}  // namespace heddle::finalizer
