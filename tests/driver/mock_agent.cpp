// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mock_agent.h"

#include <chrono>
#include <cstddef>
#include <cstring>

namespace heddle::driver::test {
namespace {

/// The mock that chooses the addresses of its memory itself.
constexpr int choosing_agent = 4;

template <int N>
MockAgent& mock() {
  static MockAgent& agent = *new MockAgent;
  return agent;
}

/// The messages of mock N.
template <int N>
hsa_agent_driver_interface make_interface() {
  hsa_agent_driver_interface t = {};
  t.client_new = [](int64_t client, void*, void* cookie, int64_t* out) {
    return mock<N>().answer_with_handle({.message = "client_new", .client = client}, cookie, out);
  };
  t.client_remove = [](int64_t client, void* cookie) {
    return mock<N>().answer({.message = "client_remove", .client = client}, cookie);
  };
  t.signal_new = [](int64_t client, int64_t signal, hsa_signal_object* object, hsa_root_dest_node* root,
                    void* cookie, int64_t* out) {
    mock<N>().last_root = root;
    return mock<N>().answer_with_handle({.message = "signal_new", .client = client, .object = signal}, cookie,
                                        out);
  };
  t.signal_remove = [](int64_t client, int64_t signal, void* cookie) {
    return mock<N>().answer({.message = "signal_remove", .client = client, .object = signal}, cookie);
  };
  t.unblock_destination = [](int64_t client, int64_t signal) {
    (void)mock<N>().answer({.message = "unblock_destination", .client = client, .object = signal}, nullptr);
  };
  t.signal_group_new = [](int64_t client, int64_t group, int32_t count, const int64_t* signals,
                          hsa_signal_group_object*, hsa_signal_group_destination*, void* cookie,
                          int64_t* out) {
    Call call{.message = "signal_group_new", .client = client, .object = group};
    call.list.assign(signals, signals + count);
    return mock<N>().answer_with_handle(call, cookie, out);
  };
  t.signal_group_remove = [](int64_t client, int64_t group, void* cookie) {
    return mock<N>().answer({.message = "signal_group_remove", .client = client, .object = group}, cookie);
  };
  t.queue_new = [](int64_t client, int64_t doorbell, int64_t queue, HSAM_queue_info_str info, void* cookie,
                   int64_t* out) {
    mock<N>().last_queue = info;
    return mock<N>().answer_with_handle(
        {.message = "queue_new", .client = client, .object = queue, .second = doorbell}, cookie, out);
  };
  t.queue_remove = [](int64_t client, int64_t queue, void* cookie) {
    return mock<N>().answer({.message = "queue_remove", .client = client, .object = queue}, cookie);
  };
  t.memory_allocation = [](int64_t client, void* address, int32_t size, hsam_segment segment, int32_t flags,
                           void* cookie) {
    return mock<N>().answer({.message = "memory_allocation",
                             .client = client,
                             .second = flags,
                             .address = address,
                             .size = size,
                             .detail = segment},
                            cookie);
  };
  t.memory_free = [](int64_t client, void* address, void* cookie) {
    return mock<N>().answer({.message = "memory_free", .client = client, .address = address}, cookie);
  };
  t.memory_acquire = [](int64_t client, void* address, hsam_access_permission permission, void* cookie) {
    return mock<N>().answer(
        {.message = "memory_acquire", .client = client, .address = address, .detail = permission}, cookie);
  };
  t.memory_release = [](int64_t client, void* address, void* cookie) {
    return mock<N>().answer({.message = "memory_release", .client = client, .address = address}, cookie);
  };
  t.memory_copy = [](int64_t client, void* to, const void* from, int32_t size, void* cookie) {
    std::memcpy(to, from, static_cast<size_t>(size));
    return mock<N>().answer(
        {.message = "memory_copy", .client = client, .address = to, .from = from, .size = size}, cookie);
  };
  t.tail_size = sizeof t;
  t.queue_inactivate = [](int64_t client, int64_t queue, void* cookie) {
    return mock<N>().answer({.message = "queue_inactivate", .client = client, .object = queue}, cookie);
  };
  t.code_load = [](int64_t client, const void*, size_t size, const hsam_variable_address*, uint32_t,
                   void* cookie, int64_t* out) {
    return mock<N>().answer_with_handle(
        {.message = "code_load", .client = client, .size = static_cast<int64_t>(size)}, cookie, out);
  };
  t.code_unload = [](int64_t client, int64_t code, void* cookie) {
    return mock<N>().answer({.message = "code_unload", .client = client, .object = code}, cookie);
  };
  t.code_kernel = [](int64_t, int64_t code, uint32_t kernel, uint64_t* out) {
    *out = static_cast<uint64_t>(code) * 256 + kernel;
    return HSAM_Done;
  };
  t.memory_copy_start = [](int64_t client, const hsam_copy* copy, void* cookie) {
    auto* const to = static_cast<char*>(copy->to);
    const auto* const from = static_cast<const char*>(copy->from);
    for (uint64_t layer = 0; layer < copy->layers; ++layer)
      for (uint64_t row = 0; row < copy->rows; ++row)
        std::memcpy(to + layer * copy->to_slice + row * copy->to_pitch,
                    from + layer * copy->from_slice + row * copy->from_pitch, copy->row);
    return mock<N>().answer({.message = "memory_copy_start",
                             .client = client,
                             .address = to,
                             .from = from,
                             .size = static_cast<int64_t>(copy->row)},
                            cookie);
  };
  t.peer_access = [](int64_t, uint16_t device_driver_id, uint32_t* access) {
    *access = device_driver_id == mock<N>().peer ? mock<N>().access_to_peer : 0;
    return HSAM_Done;
  };
  t.peer_allow = [](int64_t client, uint16_t device_driver_id, void* cookie) {
    return mock<N>().answer({.message = "peer_allow", .client = client, .object = device_driver_id}, cookie);
  };
  if (N == 0) t.code_load = nullptr;  // the host agent dispatches no kernels
  if (N != choosing_agent) return t;
  // This one was built before there were the members behind region_free.
  t.tail_size = offsetof(hsa_agent_driver_interface, memory_copy_start);
  t.region_allocate = [](int64_t client, uint64_t memory_id, uint64_t size, uint64_t alignment, void* cookie,
                         void** out) {
    *out = reinterpret_cast<void*>(mock<N>().chosen_address);
    return mock<N>().answer({.message = "region_allocate",
                             .client = client,
                             .object = static_cast<int64_t>(memory_id),
                             .size = static_cast<int64_t>(size),
                             .detail = static_cast<int64_t>(alignment)},
                            cookie);
  };
  t.region_free = [](int64_t client, void* address, void* cookie) {
    return mock<N>().answer({.message = "region_free", .client = client, .address = address}, cookie);
  };
  return t;
}

hsam_region_description region(uint64_t memory_id, uint32_t flags) {
  hsam_region_description r = {};
  r.segment = HSAM_SEGMENT_GLOBAL;
  r.global_flags = flags;
  r.size = r.alloc_max_size = uint64_t{8} << 30;
  r.runtime_alloc_allowed = 1;
  r.alloc_granule = r.alloc_alignment = 64;
  r.memory_id = memory_id;
  return r;
}

const hsam_region_description host_regions[] = {
    region(HSAM_MEMORY_HOST_KERNARG, HSAM_GLOBAL_FLAG_KERNARG | HSAM_GLOBAL_FLAG_FINE_GRAINED),
    region(HSAM_MEMORY_HOST_FINE, HSAM_GLOBAL_FLAG_FINE_GRAINED),
    region(HSAM_MEMORY_HOST_COARSE, HSAM_GLOBAL_FLAG_COARSE_GRAINED)};
const hsam_region_description first_regions[] = {
    host_regions[0], host_regions[1], host_regions[2],
    region(HSAM_MEMORY_AGENT_FIRST, HSAM_GLOBAL_FLAG_COARSE_GRAINED)};
const hsam_region_description third_regions[] = {
    host_regions[0], host_regions[1], host_regions[2],
    region(HSAM_MEMORY_AGENT_FIRST + 2, HSAM_GLOBAL_FLAG_COARSE_GRAINED)};
const hsam_region_description second_regions[] = {
    host_regions[0], host_regions[1], host_regions[2],
    region(HSAM_MEMORY_AGENT_FIRST + 1, HSAM_GLOBAL_FLAG_COARSE_GRAINED)};

hsam_isa_description make_isa() {
  hsam_isa_description isa = {};
  isa.name = "mock:isa";
  isa.wavefront_size = 1;
  return isa;
}
const hsam_isa_description isa = make_isa();

template <int N>
const hsa_agent_driver_interface& interface_of() {
  static const hsa_agent_driver_interface interface = make_interface<N>();
  return interface;
}

template <int N>
void add(hsa_agent_driver_config config) {
  MockAgent& agent = mock<N>();
  config.agent_id = N;
  agent.driver = hsa_register_agent(&interface_of<N>(), &config, &agent.driver_config);
}

}  // namespace

MockAgent& host_mock() { return mock<0>(); }
MockAgent& first_mock() { return mock<1>(); }
MockAgent& second_mock() { return mock<2>(); }
MockAgent& third_mock() { return mock<choosing_agent>(); }
const hsa_agent_driver_interface& sound_interface() { return interface_of<3>(); }

hsa_agent_driver_config sound_config() {
  hsa_agent_driver_config config = {};
  config.major = HSAM_VERSION_MAJOR;
  config.minor = HSAM_VERSION_MINOR;
  config.name = "mock";
  config.tail_size = sizeof config;
  config.agent_id = 99;
  config.vendor_name = "test";
  config.device = HSA_DEVICE_TYPE_GPU;
  config.features = HSA_AGENT_FEATURE_KERNEL_DISPATCH;
  config.queues_max = 4;
  config.queue_min_size = 4;
  config.queue_max_size = 1024;
  config.queue_type = HSA_QUEUE_TYPE_MULTI;
  config.regions = first_regions;
  config.region_count = 4;
  config.isas = &isa;
  config.isa_count = 1;
  return config;
}

void register_mocks(bool wants_memory_files) {
  hsa_agent_driver_config config = sound_config();
  config.name = "first";
  config.destination_private_size = 24;
  config.wants_signal_messages = config.wants_memory_messages = 1;
  config.wants_memory_files = wants_memory_files;
  add<1>(config);
  config = sound_config();
  config.name = "second";
  config.queue_type = HSA_QUEUE_TYPE_SINGLE;
  config.regions = second_regions;
  add<2>(config);
  config.name = "third";
  config.regions = third_regions;
  add<choosing_agent>(config);
  // The host agent is registered last, but clients see it first.
  config = sound_config();
  config.name = "host";
  config.device = HSA_DEVICE_TYPE_CPU;
  config.features = 0;
  config.queues_max = config.queue_max_size = config.queue_min_size = 0;
  config.regions = host_regions;
  config.region_count = 3;
  config.isas = nullptr;
  config.isa_count = 0;
  add<0>(config);
}

HSAM_Error MockAgent::answer(const Call& call, void* cookie) {
  std::unique_lock lock(mutex_);
  calls_.push_back(call);
  last_cookie = cookie;
  auto found = script_.find(call.message);
  Behaviour behaviour = found == script_.end() ? Behaviour{} : found->second;
  switch (behaviour.reply) {
    case Reply::at_once:
      return behaviour.answer;
    case Reply::before_return:
      lock.unlock();
      driver->agent_reply(behaviour.answer, cookie);
      return HSAM_Async;
    case Reply::from_thread:
      threads_.emplace_back([this, behaviour, cookie] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        driver->agent_reply(HSAM_Async, cookie);  // not a valid reply, must be ignored
        driver->agent_reply(behaviour.answer, cookie);
      });
      return HSAM_Async;
    case Reply::twice:
      lock.unlock();
      driver->agent_reply(behaviour.answer, cookie);
      driver->agent_reply(HSAM_OutOfResources, cookie);
      return HSAM_Async;
    case Reply::at_once_and_again:
      lock.unlock();
      driver->agent_reply(HSAM_OutOfResources, cookie);
      return behaviour.answer;
    case Reply::never:
      return HSAM_Async;
  }
  return HSAM_Not_Supported;
}

HSAM_Error MockAgent::answer_with_handle(const Call& call, void* cookie, int64_t* out) {
  {
    std::lock_guard lock(mutex_);
    *out = ++next_handle_;
  }
  return answer(call, cookie);
}

}  // namespace heddle::driver::test
