// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/settings.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace heddle::cache {
namespace {

/// Returns the value of a variable; empty if it is not set.
std::string_view value_of(Environment environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string_view() : value;
}

void complain(Diagnostics& diagnostics, std::string_view name, std::string_view value,
              std::string_view what) {
  diagnostics.warning("FINALIZER-cache-setting", {}, fmt::format("{} is '{:.80}', {}", name, value, what));
}

/// Reads a number of bytes with an optional K, M or G (powers of 1024).
std::optional<uint64_t> read_size(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (unit.empty()) return number;
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  if (shift == 0 || number > std::numeric_limits<uint64_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

/// Returns the folder, or nothing if no variable names one.
std::string read_folder(Environment environment, Settings& settings, Diagnostics& diagnostics) {
  if (const std::string_view own = value_of(environment, "HEDDLE_CACHE_DIR"); !own.empty()) {
    if (own.front() == '/') return std::string(own);
    complain(diagnostics, "HEDDLE_CACHE_DIR", own, "not an absolute path: nothing is cached");
    settings.why_absent = "HEDDLE_CACHE_DIR is not an absolute path";
    return {};
  }
  // Relative paths are ignored, as the XDG Base Directory Specification wants.
  if (const std::string_view caches = value_of(environment, "XDG_CACHE_HOME"); caches.starts_with('/'))
    return std::string(caches) + "/heddle";
  if (const std::string_view home = value_of(environment, "HOME"); home.starts_with('/'))
    return std::string(home) + "/.cache/heddle";
  settings.why_absent = "neither HEDDLE_CACHE_DIR nor XDG_CACHE_HOME nor HOME names a folder";
  return {};
}

}  // namespace

Settings read_settings(Environment environment, Diagnostics& diagnostics) {
  Settings settings;
  if (value_of(environment, "HEDDLE_CACHE") == "0") {
    settings.why_absent = "HEDDLE_CACHE is 0";
    return settings;
  }
  if (const std::string_view text = value_of(environment, "HEDDLE_CACHE_SIZE"); !text.empty()) {
    if (const auto size = read_size(text))
      settings.limit = *size;
    else
      complain(diagnostics, "HEDDLE_CACHE_SIZE", text,
               fmt::format("not a number of bytes, optionally with K, M or G: {} is meant", settings.limit));
  }
  if (settings.limit == 0)
    settings.why_absent = "HEDDLE_CACHE_SIZE is 0";
  else
    settings.folder = read_folder(environment, settings, diagnostics);
  return settings;
}

}  // namespace heddle::cache
