// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "agents/common/registered_code.h"
#include "agents/cuda/gpu_device.h"

namespace heddle::cuda {

/// The agent part of a code object, compiled by the driver and loaded. Its kernel objects are valid while it
/// exists.
class LoadedGpuCode final : public agents::RegisteredCode {
 public:
  /// The error is a message for the log.
  static Result<std::shared_ptr<LoadedGpuCode>, Error> load(GpuDevice& device,
                                                            std::span<const std::byte> bytes,
                                                            std::span<const hsam_variable_address> variables);
  /// What the compiler of the driver has said, although it accepted the code.
  const std::string& warnings() const { return warnings_; }

 private:
  explicit LoadedGpuCode(agents::KernelObjects& registry) : RegisteredCode(registry) {}

  std::string warnings_;
};

}  // namespace heddle::cuda
