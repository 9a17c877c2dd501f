// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver with an agent for each NVIDIA GPU; without a GPU or its driver, with none.
#include <hsam/hsam.h>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "agents/cuda/discovery.h"
#include "agents/cuda/messages.h"

namespace heddle::cuda {
namespace {

/// The path of another library than libcuda.so.1; null if none is wanted.
const char* other_library(const hsam_host& host) {
  const char* value = host.setting ? host.setting("CUDA_LIBRARY") : nullptr;
  return value && *value ? value : nullptr;
}

/// The value of a setting; empty if it has none.
std::string_view setting(const hsam_host& host, const char* name) {
  const char* value = host.setting ? host.setting(name) : nullptr;
  return value ? value : std::string_view();
}

bool is_on(std::string_view value) { return !value.empty() && value != "0"; }

/// The path of heddle-cuda-host, which is beside this library; empty if it is not there.
std::string program_of_processes() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&is_on), &info) == 0 || !info.dli_fname) return {};
  std::string path = info.dli_fname;
  path.resize(path.find_last_of('/') + 1);
  path += "heddle-cuda-host";
  return access(path.c_str(), X_OK) == 0 ? path : std::string();
}

void log(const hsam_host& host, hsam_log_level level, const std::string& message) {
  if (host.log) host.log(level, log_source, message.c_str());
}

/// Where the driver is to be. Debuggers want it to stay in this process.
DriverPlace wanted_place(const hsam_host& host) {
  const bool stays = is_on(setting(host, "CUDA_INPROCESS")), is_apart = is_on(setting(host, "CUDA_HELPER"));
  if (stays && is_apart)
    log(host, HSAM_LOG_WARNING, "HEDDLE_CUDA_HELPER has no effect, because HEDDLE_CUDA_INPROCESS is set");
  if (stays) return DriverPlace::here;
  return is_apart ? DriverPlace::elsewhere : DriverPlace::here_until_fault;
}

/// The driver that `library` names, or else that of the machine, with what has been remembered of its GPUs. A
/// driver that somebody names may be any, so nothing is remembered of it.
std::unique_ptr<LazyDriver> make_driver(const char* library, DriverPlace place, const std::string& program) {
  std::optional<GpuMemo> memo;
  std::string folder = library ? std::string() : memo_folder(), machine = describe_machine();
  if (!folder.empty() && !machine.empty()) memo.emplace(std::move(folder), std::move(machine));
  const std::string name = library ? library : "libcuda.so.1";
  return std::make_unique<LazyDriver>(name, std::move(memo), place, program);
}

/// Registers the agents; false if the generic driver refuses one. Whoever names a library wants to know why
/// it is not used.
bool register_agents(const hsam_host& host, const char* library) {
  DriverPlace place = wanted_place(host);
  const std::string program = place == DriverPlace::here ? std::string() : program_of_processes();
  if (place == DriverPlace::elsewhere && program.empty()) {
    log(host, HSAM_LOG_ERROR,
        "heddle-cuda-host is not beside the agent, so that HEDDLE_CUDA_HELPER cannot be met");
    return true;
  }
  if (place == DriverPlace::here_until_fault && program.empty()) {
    log(host, HSAM_LOG_WARNING,
        "heddle-cuda-host is not beside the agent, so that no GPU can be used after a fault of a kernel");
    place = DriverPlace::here;
  }
  static LazyDriver& driver =
      *make_driver(library, place, program).release();  // lives as long as the process
  const auto gpus = driver.gpus();
  if (!gpus) {
    const hsam_log_level level = driver.is_open() ? HSAM_LOG_WARNING
                                 : library        ? HSAM_LOG_ERROR
                                                  : HSAM_LOG_INFO;
    log(host, level, gpus.error().message);
    return true;
  }
  const auto count = static_cast<uint32_t>(std::min<size_t>(gpus->size(), agents_max));
  for (uint32_t i = 0; i < count; ++i)
    if (!register_agent(host, std::make_unique<GpuAgent>(host, driver, (*gpus)[i], i))) return false;
  return true;
}

}  // namespace
}  // namespace heddle::cuda

extern "C" __attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* host) {
  using namespace heddle::cuda;
  if (!host || host->size < sizeof(hsam_host) || !host->register_agent) return 1;
  return heddle::agents::driver_main([&] {
    const char* library = other_library(*host);
    return (!library && !kernel_driver_shows_gpu()) || register_agents(*host, library);
  });
}
