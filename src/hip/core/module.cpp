// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/module.h"

namespace heddle::hip {

Module::Module(Device& device, std::span<const std::byte> bytes) : device_(device), image_(bytes) {
  image_.program(device);
}

Module::~Module() = default;

}  // namespace heddle::hip
