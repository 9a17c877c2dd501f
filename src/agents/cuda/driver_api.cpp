// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/driver_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "agents/cuda/linker.h"

namespace heddle::cuda {
namespace {

/// Whether the agent works without the function, which older drivers lack.
bool is_optional(std::string_view name) { return name == "cuGraphAddDependencies_v2"; }  // since 12.3

/// Finds the address of a function; false if the library has none of this name.
template <typename... Parameters>
bool find(void* library, DriverFunction<Parameters...>& function) {
  function.target = dlsym(library, function.name);
  if (!function.target) {
    function.invoke = [](void*, Parameters...) { return Status::not_supported; };
    return is_optional(function.name);
  }
  function.invoke = [](void* target, Parameters... arguments) {
    return reinterpret_cast<Status (*)(Parameters...)>(target)(arguments...);
  };
  return true;
}

}  // namespace

bool is_lost(Status status) {
  constexpr Status refusals[] = {Status::invalid_value, Status::out_of_memory,
                                 Status::host_memory_already_registered, Status::not_supported};
  return std::ranges::find(refusals, status) == std::end(refusals);
}

Result<std::unique_ptr<const DriverApi>, Error> DriverApi::open(const char* library) {
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!opened) return Error{fmt::format("the CUDA driver cannot be opened: {}", dlerror())};
  std::unique_ptr<DriverApi> api(new DriverApi);
  const char* missing = nullptr;
#define HEDDLE_CUDA_FIND(member, exported, ...) \
  if (!find(opened, api->member)) missing = exported;
  HEDDLE_CUDA_FUNCTIONS(HEDDLE_CUDA_FIND)
#undef HEDDLE_CUDA_FIND
  set_operations(*api);
  if (!missing) return std::unique_ptr<const DriverApi>(std::move(api));
  dlclose(opened);
  return Error{
      fmt::format("{} has no {}; the agent needs a driver of version 525 or newer", library, missing)};
}

DriverError DriverApi::error_of(const char* function, Status status) const {
  const char *name = nullptr, *text = nullptr;
  if (error_name(status, &name) != Status::success || !name) name = "unknown error";
  if (error_text(status, &text) != Status::success || !text) text = "no description";
  return {status, fmt::format("{}: {} ({}, {})", function, text, name, static_cast<int>(status))};
}

}  // namespace heddle::cuda
