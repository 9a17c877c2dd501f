// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::hip {

/// Returns which of `count` agents are devices, in their order: those that HIP_VISIBLE_DEVICES, or
/// CUDA_VISIBLE_DEVICES without it, lists by numbers, up to the first that there is not or that comes twice.
/// Without either variable, all. CUDA_VISIBLE_DEVICES counts only if `means_hip`: the driver of NVIDIA's GPUs
/// has obeyed it before, so that where there are any, its numbers are none of these.
std::vector<size_t> visible_devices(size_t count, bool means_hip);

}  // namespace heddle::hip
