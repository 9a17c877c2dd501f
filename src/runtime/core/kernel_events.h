// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The metadata of profile events that kernels trigger (Runtime 3.5.5).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "driver/activity.h"
#include "runtime/core/event_definition.h"

namespace heddle::runtime {

/// Returns the values of an event as the structure that its definition describes. Returns nothing if their
/// number, or the size or kind of one of them, is not that of the fields: numbers of 32 and 64 bits are
/// distinguished, but not what is encoded in them. Strings are still those of the kernel.
std::optional<std::vector<std::byte>> kernel_metadata(const EventDefinition& definition,
                                                      const driver::Activity& activity);

}  // namespace heddle::runtime
