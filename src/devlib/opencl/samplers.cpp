// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devlib/opencl/samplers.h"

namespace heddle::devlib {
namespace {

// Values of clang's header: bit 0 is the coordinates' mode, bits 1 to 3 are the addressing mode, bits 4 and 5
// the filter.
constexpr uint32_t normalized = 1;
constexpr uint32_t addressing_mask = 0xe;
constexpr uint32_t filter_mask = 0x30;
constexpr uint32_t nearest = 0x10;
constexpr uint32_t linear = 0x20;
constexpr const char* addressing_modes[] = {"undefined", "clamp_to_edge", "clamp_to_border", "repeat",
                                            "mirrored_repeat"};
constexpr uint32_t first_repeating = 3;

}  // namespace

std::optional<std::string> sampler_initializer(uint32_t value) {
  const uint32_t addressing = (value & addressing_mask) >> 1;
  const uint32_t filter = value & filter_mask;
  const bool is_normalized = (value & normalized) != 0;
  if ((value & ~(normalized | addressing_mask | filter_mask)) != 0 ||
      addressing >= std::size(addressing_modes))
    return std::nullopt;
  // Without a filter, clang accepts the value; the nearest element is the mode that has all coordinates.
  if (filter == (nearest | linear) || (addressing >= first_repeating && !is_normalized)) return std::nullopt;
  return std::string("samp(coord = ") + (is_normalized ? "normalized" : "unnormalized") +
         ", filter = " + (filter == linear ? "linear" : "nearest") +
         ", addressing = " + addressing_modes[addressing] + ")";
}

}  // namespace heddle::devlib
