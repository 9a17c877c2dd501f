// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The environment variables of ROCm that the library knows, but for the choice of devices. Each is read once;
// a value that is none of those allowed is a warning on standard error, and means the default.
#pragma once

#include <cstdint>

namespace heddle::hip {

/// When the host waits for a kernel or copy: bits.
enum Serialize : uint32_t { serialize_none = 0, serialize_before = 1, serialize_after = 2 };

struct Environment {
  uint32_t log_level;         ///< AMD_LOG_LEVEL
  uint32_t log_mask;          ///< AMD_LOG_MASK
  uint32_t serialize_kernel;  ///< AMD_SERIALIZE_KERNEL and HIP_LAUNCH_BLOCKING
  uint32_t serialize_copy;    ///< AMD_SERIALIZE_COPY
  uint32_t deferred_loading;  ///< HIP_ENABLE_DEFERRED_LOADING: whether kernels are finalized one by one
  uint32_t hardware_queues;   ///< GPU_MAX_HW_QUEUES: queues that streams of normal priority of a device share
};

/// Is read when the library is loaded.
extern const Environment environment;

/// Returns the whole number in a variable, also hexadecimal; `otherwise` if it is not set, or, with a
/// warning, if it is not one from `least` to `most`.
uint32_t number_from_environment(const char* variable, uint32_t otherwise, uint32_t least,
                                 uint32_t most) noexcept;

}  // namespace heddle::hip
