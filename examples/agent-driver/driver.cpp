// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The agent driver of the tiny DSP: its description, and its answers to the generic driver's messages.
#include <functional>
#include <string>

#include "queue.h"

namespace tiny_dsp {
namespace {

const hsam_host* host;
const hsa_generic_driver_interface* driver;

/// Answers a request later, from a thread of the driver (MVA 2.2).
HSAM_Error later(void* cookie, std::function<HSAM_Error()> work) {
  const auto attempt = [](const auto& action) {
    try {
      return action();
    } catch (const std::exception&) {
      return HSAM_OutOfResources;  // memory or threads have run out
    }
  };
  return attempt([=] {
    std::thread([=] { driver->agent_reply(attempt(work), cookie); }).detach();
    return HSAM_Async;
  });
}

/// The DSP's handle of an object is its address.
template <typename T>
T& object(int64_t handle) {
  return *reinterpret_cast<T*>(handle);
}
template <typename T>
HSAM_Error give(T* made, int64_t* handle) {
  *handle = reinterpret_cast<int64_t>(made);
  return HSAM_Done;
}
template <typename T>
HSAM_Error remove(int64_t, int64_t handle, void*) {
  delete &object<T>(handle);
  return HSAM_Done;
}

HSAM_Error client_new(int64_t client, void*, void*, int64_t* handle) {
  return give(new Client{client, {*driver, client}}, handle);
}
HSAM_Error client_remove(int64_t client, void* cookie) { return remove<Client>(0, client, cookie); }

HSAM_Error signal_new(int64_t, int64_t signal, hsa_signal_object*, hsa_root_dest_node* root, void*,
                      int64_t* handle) {
  return give(new Signal{reinterpret_cast<hsam_signal*>(signal), root}, handle);
}
void unblock_destination(int64_t, int64_t signal) { hsam_waiter_kick(&object<Signal>(signal).waiter); }

HSAM_Error queue_new(int64_t client, int64_t doorbell, int64_t queue, HSAM_queue_info_str info, void* cookie,
                     int64_t* handle) {
  return later(cookie, [=] {
    auto made =
        std::make_unique<Queue>(*driver, object<Client>(client), object<Signal>(doorbell), queue, info);
    made->start();
    return give(made.release(), handle);
  });
}
HSAM_Error queue_inactivate(int64_t, int64_t queue, void*) {
  object<Queue>(queue).inactivate();
  return HSAM_Done;
}

HSAM_Error memory_allocation(int64_t client, void* address, int32_t size, hsam_segment, int32_t flags,
                             void*) {
  return object<Client>(client).memory.map(address, size, (flags & HSAM_GLOBAL_FLAG_OWN_REGION) != 0);
}
HSAM_Error memory_free(int64_t client, void* address, void*) {
  return object<Client>(client).memory.unmap(address);
}
// The DSP has one copy of everything, so that a new owner finds it without being told.
HSAM_Error memory_acquire(int64_t, void*, hsam_access_permission, void*) { return HSAM_Done; }
HSAM_Error memory_release(int64_t, void*, void*) { return HSAM_Done; }
HSAM_Error memory_copy(int64_t client, void* to, const void* from, int32_t size, void* cookie) {
  return later(cookie, [=] {
    object<Client>(client).memory.copy(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from),
                                       static_cast<size_t>(size));
    return HSAM_Done;
  });
}

HSAM_Error code_load(int64_t client, const void* code_object, size_t size, const hsam_variable_address*,
                     uint32_t, void* cookie, int64_t* handle) {
  // The bytes need not outlive this call.
  std::vector<char> bytes(static_cast<const char*>(code_object),
                          static_cast<const char*>(code_object) + size);
  return later(cookie, [=] {
    auto code = std::make_unique<Kernels>();
    if (const char* problem = read_kernels(bytes, *code)) {
      host->log(HSAM_LOG_ERROR, TINY_DSP_NAME, (std::string("a code object is refused: ") + problem).c_str());
      return HSAM_Invalid;
    }
    std::lock_guard lock(object<Client>(client).mutex);
    for (const auto& kernel : *code)
      object<Client>(client).kernels[reinterpret_cast<uint64_t>(kernel.get())] = kernel;
    return give(code.release(), handle);
  });
}
HSAM_Error code_unload(int64_t client, int64_t code, void*) {
  const std::unique_ptr<Kernels> unloaded(&object<Kernels>(code));
  std::lock_guard lock(object<Client>(client).mutex);
  for (const auto& kernel : *unloaded)
    object<Client>(client).kernels.erase(reinterpret_cast<uint64_t>(kernel.get()));
  return HSAM_Done;
}
HSAM_Error code_kernel(int64_t, int64_t code, uint32_t kernel, uint64_t* kernel_object) {
  const Kernels& kernels = object<Kernels>(code);
  if (kernel >= kernels.size()) return HSAM_Invalid;
  *kernel_object = reinterpret_cast<uint64_t>(kernels[kernel].get());
  return HSAM_Done;
}

constexpr uint64_t host_size = uint64_t{16} << 30, local_size = uint64_t{4} << 30;
constexpr hsam_region_description regions[] = {
    {HSAM_SEGMENT_GLOBAL, HSAM_GLOBAL_FLAG_KERNARG | HSAM_GLOBAL_FLAG_FINE_GRAINED, host_size, host_size, 0,
     1, 64, 64, HSAM_MEMORY_HOST_KERNARG},
    {HSAM_SEGMENT_GLOBAL, HSAM_GLOBAL_FLAG_COARSE_GRAINED, local_size, local_size, 0, 1, 4096, 4096,
     HSAM_MEMORY_AGENT_FIRST},
    {HSAM_SEGMENT_GLOBAL, HSAM_GLOBAL_FLAG_FINE_GRAINED, host_size, host_size, 0, 1, 64, 64,
     HSAM_MEMORY_HOST_FINE}};

constexpr hsam_isa_description isa = {
    .name = TINY_DSP_ISA,
    .wavefront_size = 1,
    .machine_models = {0, 1},
    .profiles = {1, 0},
    .default_float_rounding_modes = 1 << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
    .base_profile_default_float_rounding_modes = 1 << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
    .workgroup_max_dim = {work_group_max, work_group_max, work_group_max},
    .workgroup_max_size = work_group_max,
    .grid_max_dim = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
    .grid_max_size = UINT32_MAX,
    .fbarrier_max_size = 32};

constexpr hsa_agent_driver_config config = {
    .major = HSAM_VERSION_MAJOR,
    .minor = HSAM_VERSION_MINOR,
    .agent_id = 1,
    .name = TINY_DSP_NAME,
    .profile = HSA_PROFILE_BASE,
    .tail_size = sizeof(config),
    .vendor_name = "example",
    .device = HSA_DEVICE_TYPE_DSP,
    .features = HSA_AGENT_FEATURE_KERNEL_DISPATCH | HSA_AGENT_FEATURE_AGENT_DISPATCH,
    .default_float_rounding_mode = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
    .queues_max = 16,
    .queue_min_size = 8,
    .queue_max_size = 4096,
    .queue_type = HSA_QUEUE_TYPE_MULTI,
    .compute_unit_count = 1,
    .regions = regions,
    .region_count = std::size(regions),
    .isas = &isa,
    .isa_count = 1,
    .wants_signal_messages = 1,
    .wants_memory_messages = 1};

constexpr hsa_agent_driver_interface messages = {.client_new = client_new,
                                                 .client_remove = client_remove,
                                                 .signal_new = signal_new,
                                                 .signal_remove = remove<Signal>,
                                                 .unblock_destination = unblock_destination,
                                                 .queue_new = queue_new,
                                                 .queue_remove = remove<Queue>,
                                                 .memory_allocation = memory_allocation,
                                                 .memory_free = memory_free,
                                                 .memory_acquire = memory_acquire,
                                                 .memory_release = memory_release,
                                                 .memory_copy = memory_copy,
                                                 .tail_size = sizeof(messages),
                                                 .queue_inactivate = queue_inactivate,
                                                 .code_load = code_load,
                                                 .code_unload = code_unload,
                                                 .code_kernel = code_kernel};

}  // namespace
}  // namespace tiny_dsp

extern "C" __attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* from) {
  using namespace tiny_dsp;
  hsa_generic_driver_config generic;
  host = from;
  driver = host->register_agent(&messages, &config, &generic);
  return driver == nullptr ? 1 : 0;
}
