// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interception/loaded_tools.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <map>
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

}  // namespace

std::vector<std::string> loaded_tools() {
  Names names;
  dl_iterate_phdr(add_name, &names);
  if (!names.complete) throw std::bad_alloc();
  std::multimap<uint32_t, std::string> by_priority;  // keeps the order of those with the same
  for (const std::string& name : names.found)
    if (const auto priority = priority_of(name)) by_priority.emplace(*priority, name);
  std::vector<std::string> sorted;
  sorted.reserve(by_priority.size());
  for (const auto& [priority, name] : by_priority) sorted.push_back(name);
  return sorted;
}

}  // namespace heddle::runtime
