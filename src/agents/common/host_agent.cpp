// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/host_agent.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "agents/common/packet_processor.h"

namespace heddle::agents {
namespace {

PacketProcessor* processor_of(int64_t handle) { return reinterpret_cast<PacketProcessor*>(handle); }

/// What a code handle at the agent points to.
using Code = std::shared_ptr<LoadedCode>;
Code& code_of(int64_t handle) { return *reinterpret_cast<Code*>(handle); }

}  // namespace

DispatchLimits limits_of(const hsam_isa_description& isa) {
  DispatchLimits limits;
  std::copy(std::begin(isa.workgroup_max_dim), std::end(isa.workgroup_max_dim), limits.group_max_dim);
  limits.group_max_size = isa.workgroup_max_size;
  const uint64_t grid[3] = {isa.grid_max_dim.x, isa.grid_max_dim.y, isa.grid_max_dim.z};
  std::copy(std::begin(grid), std::end(grid), limits.grid_max_dim);
  limits.grid_max_size = isa.grid_max_size;
  return limits;
}

HostAgent::HostAgent(const hsam_host& host, const char* log_source, std::unique_ptr<Executor> executor,
                     uint32_t threads, const DispatchLimits& limits)
    : host_(host),
      log_source_(log_source),
      executor_(std::move(executor)),
      loader_(executor_.get()),
      limits_(limits),
      serial_(executor_ ? SerialMode::from_setting(host, log_source) : SerialMode{}) {
  if (executor_) pool_ = std::make_unique<WorkerPool>(*executor_, threads);
}

HostAgent::HostAgent(const hsam_host& host, const char* log_source, std::unique_ptr<Device> device,
                     const DispatchLimits& limits)
    : host_(host),
      log_source_(log_source),
      device_(std::move(device)),
      loader_(device_.get()),
      limits_(limits),
      serial_(SerialMode::from_setting(host, log_source)) {}

/// The way of a new queue to the device; null if the agent has none.
Result<std::unique_ptr<Launcher>, Error> HostAgent::make_launcher(int64_t client) {
  if (!device_) return std::unique_ptr<Launcher>();
  return device_->make_launcher({driver_, client});
}

void HostAgent::log(hsam_log_level level, const std::string& message) const {
  if (host_.log) host_.log(level, log_source_, message.c_str());
}

HSAM_Error HostAgent::queue_new(int64_t client, int64_t doorbell, int64_t queue,
                                const HSAM_queue_info_str& info, int64_t* out) noexcept try {
  if (!loader_) return HSAM_Not_Supported;
  if (info.size == 0 || (info.size & (info.size - 1)) != 0) return HSAM_Invalid;
  QueueSettings settings;
  settings.driver = driver_;
  settings.executor = executor_.get();
  settings.pool = pool_.get();
  settings.limits = limits_;
  settings.client = client;
  settings.queue = queue;
  settings.info = info;
  settings.doorbell = reinterpret_cast<hsam_signal*>(doorbell);
  settings.log = PacketLog(&host_, log_source_, info.queue_header_user_addr->queue.id);
  settings.serial = serial_;
  settings.turn = &turn_;
  auto launcher = make_launcher(client);
  if (!launcher) {
    log(HSAM_LOG_ERROR, launcher.error().message);
    return HSAM_OutOfResources;
  }
  auto processor = PacketProcessor::create(settings, std::move(*launcher));
  if (!processor) {
    log(HSAM_LOG_ERROR, processor.error().message);
    return HSAM_OutOfResources;
  }
  if (hsam_is_logged(&host_, HSAM_LOG_DEBUG, HSAM_LOG_RESOURCE) != 0)
    host_.log_about(
        HSAM_LOG_DEBUG, HSAM_LOG_RESOURCE, log_source_,
        fmt::format("the thread of queue {} starts", info.queue_header_user_addr->queue.id).c_str());
  *out = reinterpret_cast<int64_t>(processor->release());
  return HSAM_Done;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

HSAM_Error HostAgent::queue_remove(int64_t queue_at_agent) {
  if (!loader_) return HSAM_Not_Supported;
  delete processor_of(queue_at_agent);
  return HSAM_Done;
}

HSAM_Error HostAgent::queue_inactivate(int64_t queue_at_agent) {
  if (!loader_) return HSAM_Not_Supported;
  processor_of(queue_at_agent)->inactivate();
  return HSAM_Done;
}

HSAM_Error HostAgent::queue_set_priority(int64_t queue_at_agent, hsam_queue_priority priority) {
  if (!loader_) return HSAM_Not_Supported;
  processor_of(queue_at_agent)->set_priority(priority);
  return HSAM_Done;
}

HSAM_Error HostAgent::queue_set_compute_units(int64_t queue_at_agent, std::span<const uint32_t> mask) noexcept
    try {
  if (!pool_) return HSAM_Not_Supported;
  auto units = std::make_shared<const ComputeUnits>(mask, pool_->size());
  if (units->count() == 0) return HSAM_Invalid;
  processor_of(queue_at_agent)->set_compute_units(std::move(units));
  return HSAM_Done;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

HSAM_Error HostAgent::code_load(const void* code_object, size_t size, const hsam_variable_address* variables,
                                uint32_t count, int64_t* out) noexcept try {
  if (!loader_) return HSAM_Not_Supported;
  auto code = loader_->load({static_cast<const std::byte*>(code_object), size}, {variables, count});
  if (!code) {
    log(HSAM_LOG_ERROR, code.error().message);
    return HSAM_Invalid;
  }
  *out = reinterpret_cast<int64_t>(new Code(std::move(*code)));
  return HSAM_Done;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

HSAM_Error HostAgent::code_unload(int64_t code_at_agent) {
  if (!loader_) return HSAM_Not_Supported;
  delete &code_of(code_at_agent);
  return HSAM_Done;
}

HSAM_Error HostAgent::code_kernel(int64_t code_at_agent, uint32_t kernel, uint64_t* kernel_object) {
  if (!loader_) return HSAM_Not_Supported;
  const uint64_t object = code_of(code_at_agent)->kernel_object(kernel);
  if (object == 0) return HSAM_Invalid;
  *kernel_object = object;
  return HSAM_Done;
}

HSAM_Error HostAgent::code_function(int64_t code_at_agent, uint32_t function, uint64_t* function_handle) {
  if (!loader_) return HSAM_Not_Supported;
  const uint64_t handle = code_of(code_at_agent)->function_handle(function);
  if (handle == 0) return HSAM_Invalid;
  *function_handle = handle;
  return HSAM_Done;
}

HSAM_Error HostAgent::code_extent(int64_t code_at_agent, uint64_t* base, uint64_t* size) {
  if (!loader_) return HSAM_Not_Supported;
  const std::span<const std::byte> extent = code_of(code_at_agent)->extent();
  *base = reinterpret_cast<uint64_t>(extent.data());
  *size = extent.size();
  return HSAM_Done;
}

}  // namespace heddle::agents
