// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heddle::cuda::fake {

/// A function that stands for an operation of the GPU, by the name of LLVM's intrinsic for it.
struct DeviceFunction {
  std::string name;
  void* address;
};
std::span<const DeviceFunction> device_functions();
bool is_device_function(std::string_view name);

}  // namespace heddle::cuda::fake
