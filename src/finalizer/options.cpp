// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/options.h"

#include <cstdlib>
#include <sstream>
#include <string_view>

namespace heddle::finalizer {

bool environment_says_yes(const char* name) {
  const char* value = secure_getenv(name);
  return value && *value && std::string_view(value) != "0";
}

FinalizeOptions parse_options(const char* text) {
  FinalizeOptions options;
  options.debug = environment_says_yes("HEDDLE_DEBUG");
  options.check_addresses = environment_says_yes("HEDDLE_CHECK_ADDRESSES");
  std::istringstream words{std::string(text ? text : "")};
  words.exceptions(std::ios::badbit);  // without memory, throw instead of losing an option
  constexpr std::string_view dump = "-dump=";
  constexpr std::string_view kernel = "-kernel=";
  bool has_opt_level = false;
  for (std::string word; words >> word;) {
    if (word.size() == 3 && word.starts_with("-O") && word[2] >= '0' && word[2] <= '3') {
      options.opt_level = static_cast<unsigned>(word[2] - '0');
      has_opt_level = true;
    }
    if (word == "-g") options.debug = true;
    if (word == "-v") options.verbose = true;
    if (word == "-no-row-bodies") options.row_bodies = false;
    if (word == "-check-addresses") options.check_addresses = true;
    if (word == "-lazy") options.lazy = true;
    if (word.starts_with(kernel)) options.kernel = word.substr(kernel.size());
    if (word.starts_with(dump)) options.dump_folder = word.substr(dump.size());
  }
  if (options.debug && !has_opt_level) options.opt_level = 0;
  return options;
}

std::string text_of(const FinalizeOptions& options) {
  std::string text = "-O" + std::to_string(options.opt_level);
  if (options.debug) text += " -g";
  if (options.verbose) text += " -v";
  if (!options.row_bodies) text += " -no-row-bodies";
  if (options.check_addresses) text += " -check-addresses";
  return text;
}

}  // namespace heddle::finalizer
