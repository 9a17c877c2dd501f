// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel needs of a device, and how many work-groups of it a compute unit holds at once.
#pragma once

#include <hip/runtime/types.h>

#include <optional>

#include "hip/core/image.h"

namespace heddle::hip {

hipFuncAttributes attributes_of(const Function& function);
/// Returns one of them; nullopt for a number that is no attribute.
std::optional<int> attribute_of(const Function& function, hipFunction_attribute attribute);

/// Returns 0 if the device cannot have such work-groups. HSA tells no registers: waves and group memory
/// limit.
int groups_of_unit(const Function& function, uint32_t group, size_t dynamic_group_size);

struct PreferredShape {
  uint32_t groups;
  uint32_t group;
};
/// Returns the size of work-groups, at most `limit` unless that is 0, with which most work-items are on the
/// device at once, and how many of them that are.
PreferredShape preferred_shape(const Function& function, size_t dynamic_group_size, uint32_t limit);

}  // namespace heddle::hip
