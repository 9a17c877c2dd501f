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

/// Opens the driver of the machine. Whoever names a library wants to know why it is not used.
const DriverApi* open_driver(const hsam_host& host) {
  const char* other = other_library(host);
  if (!other && !kernel_driver_shows_gpu()) return nullptr;
  auto api = DriverApi::open(other ? other : "libcuda.so.1");
  if (!api) {
    log(host, other ? HSAM_LOG_ERROR : HSAM_LOG_INFO, api.error().message);
    return nullptr;
  }
  return api->release();  // it lives as long as the process
}

/// Registers the agents; false if the generic driver refuses one.
bool register_agents(const hsam_host& host, const DriverApi& api) {
  const auto gpus = find_gpus(api);
  if (!gpus) {
    log(host, HSAM_LOG_WARNING, gpus.error().message);
    return true;
  }
  const auto count = static_cast<uint32_t>(std::min<size_t>(gpus->size(), agents_max));
  for (uint32_t i = 0; i < count; ++i)
    if (!register_agent(host, std::make_unique<GpuAgent>(host, api, (*gpus)[i], i))) return false;
  return true;
}

}  // namespace
}  // namespace heddle::cuda

extern "C" __attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* host) {
  using namespace heddle::cuda;
  if (!host || host->size < sizeof(hsam_host) || !host->register_agent) return 1;
  return heddle::agents::driver_main([&] {
    static const DriverApi* const api = open_driver(*host);
    return !api || register_agents(*host, *api);
  });
}
