// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle cache: shows the cache of code objects, and empties it.
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "console.h"
#include "toolchain.h"

namespace heddle::tools {
namespace {

struct Options {
  bool clear = false;
};

int run(const Options& options) {
  auto cache = options.clear ? clear_cache() : describe_cache();
  if (!cache) {
    print_error(cache.error().message);
    return exit_failure;
  }
  fmt::print("{}{}\n", options.clear && cache->enabled ? "removed from " : "", cache->text);
  return exit_success;
}

}  // namespace

void add_cache(CommandLine& heddle) {
  Command& command = heddle.add("cache", "Show the cache of code objects, or empty it");
  auto options = std::make_shared<Options>();
  command.flag("--clear", options->clear, "remove all entries of the cache");
  command.action([options] { return run(*options); });
}

}  // namespace heddle::tools
