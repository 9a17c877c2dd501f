// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/shown_gpu.h"

#include <array>
#include <cstdlib>

#include "driver/log.h"
#include "support/printable.h"

namespace heddle::driver {

namespace {

constexpr std::string_view target_prefix = "gfx";
constexpr std::string_view isa_prefix = "amdgcn-amd-amdhsa--";
constexpr std::array<std::string_view, 2> features = {":sramecc", ":xnack"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_stepping(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

/// Whether the text is the number of a chip: a major version of one or two digits, a minor version of one,
/// and a stepping, which is a hexadecimal digit.
bool is_chip(std::string_view text) {
  if (text.size() != 3 && text.size() != 4) return false;
  for (size_t i = 0; i + 1 < text.size(); ++i)
    if (!is_digit(text[i])) return false;
  return text.front() != '0' && is_stepping(text.back());
}

/// Whether the text is a list of features, each with a sign behind it.
bool is_feature_list(std::string_view text) {
  for (const std::string_view feature : features) {
    if (!text.starts_with(feature)) continue;
    text.remove_prefix(feature.size());
    if (!text.starts_with('+') && !text.starts_with('-')) return false;
    text.remove_prefix(1);
  }
  return text.empty();
}

}  // namespace

std::optional<std::string> amd_isa_of(std::string_view target) {
  if (!target.starts_with(target_prefix)) return std::nullopt;
  const std::string_view chip = target.substr(0, target.find(':')).substr(target_prefix.size());
  if (!is_chip(chip) || !is_feature_list(target.substr(target_prefix.size() + chip.size())))
    return std::nullopt;
  return std::string(isa_prefix).append(target);
}

ShownGpu shown_gpu_of_environment() {
  const char* setting = secure_getenv("HEDDLE_CPU_AS_GPU");
  const std::string_view text = setting == nullptr ? "" : setting;
  if (text.empty() || text == "0") return {};
  if (auto isa = amd_isa_of(text)) return {.is_on = true, .isa = std::move(*isa)};
  if (text.starts_with(target_prefix))
    log_warning(
        "HEDDLE_CPU_AS_GPU means 1: '{}' is no target of AMD's, such as gfx906 or gfx90a:sramecc+:xnack-",
        printable(text));
  return {.is_on = true, .isa = {}};
}

}  // namespace heddle::driver
