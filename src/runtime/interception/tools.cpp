// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interception/tools.h"

#include <dlfcn.h>
#include <algorithm>
#include <cstdlib>
#include <new>

#include "driver/log.h"
#include "runtime/core/library_folder.h"
#include "runtime/interception/api_tables.h"
#include "runtime/interception/loaded_tools.h"

namespace heddle::runtime {

namespace {

using OnLoad = bool(HsaApiTable* table, uint64_t runtime_version, uint64_t failed_tool_count,
                    const char* const* failed_tool_names);
using OnUnload = void();
using HeddleOnLoad = void(HeddleApiTable* table);

template <typename Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

bool failures_are_reported() {
  const char* setting = secure_getenv("HSA_TOOLS_REPORT_LOAD_FAILURE");
  return setting == nullptr || std::string_view(setting) != "0";
}

/// Says whether a variable asks for something: neither missing nor empty nor 0.
bool is_on(const char* variable) {
  const char* setting = secure_getenv(variable);
  return setting != nullptr && *setting != '\0' && std::string_view(setting) != "0";
}

template <typename... Args>
void report_failure(fmt::format_string<Args...> format, Args&&... args) {
  if (failures_are_reported()) driver::log_error(format, std::forward<Args>(args)...);
}

}  // namespace

std::vector<std::string> tool_names(std::string_view text) {
  std::vector<std::string> names;
  std::string name;
  const auto end_name = [&] {
    if (!name.empty()) names.push_back(std::move(name));
    name.clear();
  };
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      name += text[++i];
    } else if (c == '"') {
      if (quoted) end_name();
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      end_name();
    } else {
      name += c;
    }
  }
  end_name();
  return names;
}

/// Opens a library, or finds it among those that are open. Returns null, and reports it, if that fails.
void* Tools::open(const std::string& name) {
  const auto known = std::ranges::find(libraries_, name, &Library::name);
  if (known != libraries_.end()) return known->handle;
  libraries_.reserve(libraries_.size() + 1);  // what is open must be in the list
  std::string kept = name;
  void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr)
    report_failure("cannot load the tool {}: {}", name, dlerror());
  else
    libraries_.push_back({std::move(kept), handle});
  return handle;
}

/// Loads one tool. Returns false, with the tables as they were, if that fails.
bool Tools::start(const std::string& name) {
  void* library = open(name);
  if (library == nullptr) return false;
  if (std::ranges::find(loaded_, library) != loaded_.end()) return true;  // named twice
  auto* on_load = find<OnLoad>(library, "OnLoad");
  if (on_load == nullptr) {
    report_failure("the tool {} has no function OnLoad", name);
    return false;
  }
  loaded_.reserve(loaded_.size() + 1);
  std::vector<const char*> failed;
  failed.reserve(failed_.size());
  for (const std::string& failure : failed_) failed.push_back(failure.c_str());
  const ApiTables before = copy_of_live_tables();
  if (auto* heddle_on_load = find<HeddleOnLoad>(library, "HeddleOnLoad")) heddle_on_load(&live_tables.heddle);
  if (!on_load(&live_tables.root, HSA_API_TABLE_MAJOR_VERSION, failed.size(), failed.data())) {
    assign_live_tables(before);
    report_failure("OnLoad of the tool {} has failed", name);
    return false;
  }
  loaded_.push_back(library);
  return true;
}

void Tools::load() {
  failed_.clear();
  const char* setting = secure_getenv("HSA_TOOLS_LIB");
  for (const std::string& name : tool_names(setting != nullptr ? setting : ""))
    if (!start(name)) failed_.push_back(name);
  for (const std::string& name : loaded_tools())
    if (!start(name)) failed_.push_back(name);
  // The last one is the first to see a call: the check layer checks what the program calls, and not what
  // tools make of it.
  if (is_on("HEDDLE_CHECK") && !start(library_folder() + "/heddle/layers/libheddle-check.so"))
    driver::log_error("HEDDLE_CHECK is set, but the check layer has not been loaded, so nothing is checked");
}

void Tools::unload() {
  while (!loaded_.empty()) {
    void* library = loaded_.back();
    loaded_.pop_back();
    if (auto* on_unload = find<OnUnload>(library, "OnUnload")) on_unload();
  }
  reset_live_tables();
}

void Tools::forget() noexcept {
  loaded_.clear();
  reset_live_tables();
}

}  // namespace heddle::runtime
