// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::cuda {

/// Whether the kernel driver of NVIDIA shows a GPU. To look at a folder takes microseconds; to open and start
/// libcuda.so.1 takes a tenth of a second, which machines without a GPU need not spend. `root` is the folder
/// in which /proc and /dev are looked for.
bool kernel_driver_shows_gpu(const std::string& root = "/");

}  // namespace heddle::cuda
