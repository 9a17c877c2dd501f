// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::hip {

/// Returns which of `count` agents are devices, in their order: those that HIP_VISIBLE_DEVICES, or
/// CUDA_VISIBLE_DEVICES without it, lists by numbers, up to the first that there is not or that comes twice.
/// Without either variable, all.
std::vector<size_t> visible_devices(size_t count);

}  // namespace heddle::hip
