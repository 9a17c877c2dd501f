// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/environment.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace heddle::hip {
namespace {

Environment read_environment() noexcept {
  constexpr uint32_t most = 0xFFFFFFFF;
  Environment read{};
  read.log_level = number_from_environment("AMD_LOG_LEVEL", 0, 0, 4);
  read.log_mask = number_from_environment("AMD_LOG_MASK", most, 0, most);
  read.serialize_kernel = number_from_environment("AMD_SERIALIZE_KERNEL", serialize_none, 0, 3);
  read.serialize_copy = number_from_environment("AMD_SERIALIZE_COPY", serialize_none, 0, 3);
  if (number_from_environment("HIP_LAUNCH_BLOCKING", 0, 0, 1) != 0) read.serialize_kernel |= serialize_after;
  read.deferred_loading = number_from_environment("HIP_ENABLE_DEFERRED_LOADING", 1, 0, 1);
  read.hardware_queues = number_from_environment("GPU_MAX_HW_QUEUES", 4, 1, 64);
  return read;
}

}  // namespace

// Reading it allocates nothing and throws nothing.
const Environment environment = read_environment();

uint32_t number_from_environment(const char* variable, uint32_t otherwise, uint32_t least,
                                 uint32_t most) noexcept {
  const char* const text = secure_getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text, &end, 0);
  const bool is_number = std::isdigit(static_cast<unsigned char>(*text)) != 0 && *end == '\0' && errno == 0;
  if (is_number && value >= least && value <= most) return static_cast<uint32_t>(value);
  std::fprintf(stderr, "hip:W: %s=%s is not a number from %u to %u and is ignored\n", variable, text, least,
               most);
  return otherwise;
}

}  // namespace heddle::hip
