// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/float_rounding.h"

#include <cstdlib>
#include <string_view>

#include "driver/log.h"

namespace heddle::runtime {

hsa_default_float_rounding_mode_t effective_rounding(hsa_default_float_rounding_mode_t given) {
  const char* setting = secure_getenv("HEDDLE_FLOAT_ROUNDING");
  const std::string_view name = setting == nullptr ? "" : setting;
  if (name.empty()) return given;
  if (name == "near") return HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  if (name == "zero") return HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO;
  driver::log_warning("HEDDLE_FLOAT_ROUNDING is '{}', neither near nor zero: ignored", name);
  return given;
}

}  // namespace heddle::runtime
