// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver with an agent for each NVIDIA GPU; without a GPU or its driver, with none.
#include <hsam/hsam.h>

#include <algorithm>

#include "agents/cuda/discovery.h"
#include "agents/cuda/messages.h"

namespace heddle::cuda {
namespace {

/// The path of another library than libcuda.so.1; null if none is wanted.
const char* other_library(const hsam_host& host) {
  const char* value = host.setting ? host.setting("CUDA_LIBRARY") : nullptr;
  return value && *value ? value : nullptr;
}

void log(const hsam_host& host, hsam_log_level level, const std::string& message) {
  if (host.log) host.log(level, log_source, message.c_str());
}

/// The driver that `library` names, or else that of the machine, with what has been remembered of its GPUs. A
/// driver that somebody names may be any, so nothing is remembered of it.
std::unique_ptr<LazyDriver> make_driver(const char* library) {
  if (library) return std::make_unique<LazyDriver>(library, std::nullopt);
  std::string folder = memo_folder(), machine = describe_machine();
  std::optional<GpuMemo> memo;
  if (!folder.empty() && !machine.empty()) memo.emplace(std::move(folder), std::move(machine));
  return std::make_unique<LazyDriver>("libcuda.so.1", std::move(memo));
}

/// Registers the agents; false if the generic driver refuses one. Whoever names a library wants to know why
/// it is not used.
bool register_agents(const hsam_host& host, const char* library) {
  static LazyDriver& driver = *make_driver(library).release();  // lives as long as the process
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
