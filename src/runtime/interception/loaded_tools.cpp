// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interception/loaded_tools.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

namespace heddle::runtime {
namespace {

struct Closer {
  void operator()(void* library) const { dlclose(library); }
};
using OpenLibrary = std::unique_ptr<void, Closer>;

struct Names {
  std::vector<std::string> found;
  bool complete = true;
};

/// Only collects names: while the loader calls this, no library can be looked into.
int add_name(dl_phdr_info* info, size_t, void* data) {
  auto& names = *static_cast<Names*>(data);
  try {
    if (info->dlpi_name != nullptr && *info->dlpi_name != '\0') names.found.emplace_back(info->dlpi_name);
    return 0;
  } catch (const std::bad_alloc&) {
    names.complete = false;
    return 1;
  }
}

/// The priority that a library exports; nothing if it exports none, or if only a library that it needs does.
std::optional<uint32_t> priority_of(const std::string& name) {
  const OpenLibrary library(dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD));
  if (library == nullptr) return std::nullopt;
  const void* symbol = dlsym(library.get(), "HSA_AMD_TOOL_PRIORITY");
  if (symbol == nullptr) return std::nullopt;
  link_map* asked = nullptr;
  link_map* owner = nullptr;
  Dl_info info;
  if (dlinfo(library.get(), RTLD_DI_LINKMAP, static_cast<void*>(&asked)) != 0 ||
      dladdr1(symbol, &info, reinterpret_cast<void**>(&owner), RTLD_DL_LINKMAP) == 0 || owner != asked)
    return std::nullopt;
  uint32_t priority = 0;
  std::memcpy(&priority, symbol, sizeof priority);
  return priority;
}

struct Candidate {
  uint32_t priority;
  std::string name;
};

}  // namespace

std::vector<std::string> loaded_tools() {
  Names names;
  dl_iterate_phdr(add_name, &names);
  if (!names.complete) throw std::bad_alloc();
  std::vector<Candidate> candidates;
  for (const std::string& name : names.found)
    if (const auto priority = priority_of(name)) candidates.push_back({*priority, name});
  std::ranges::stable_sort(candidates, {}, &Candidate::priority);
  std::vector<std::string> sorted;
  for (Candidate& candidate : candidates) sorted.push_back(std::move(candidate.name));
  return sorted;
}

}  // namespace heddle::runtime
