// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "../agents/cuda/fake/comments.h"

namespace heddle::testing {
namespace {

/// Limit for the time that a kernel runs; a kernel that takes longer hangs.
constexpr uint64_t patience = 600;  // seconds: more than any machine takes

#define CHECKED(call)                             \
  do {                                            \
    EXPECT_EQ(call, HSA_STATUS_SUCCESS) << #call; \
  } while (false)

std::vector<Agent> find_agents() {
  const char* wanted = std::getenv("HEDDLE_TEST_AGENT");
  const std::string compiled = wanted != nullptr && *wanted != '\0' ? wanted : "cpu";
  setenv("HEDDLE_AGENTS", (compiled + ",interpreter").c_str(), 1);
  std::vector<Agent> found;
  CHECKED(hsa_init());
  CHECKED(hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        uint32_t features = 0;
        CHECKED(hsa_agent_get_info(agent, HSA_AGENT_INFO_FEATURE, &features));
        if ((features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) == 0) return HSA_STATUS_SUCCESS;
        hsa_isa_t isa{};
        CHECKED(hsa_agent_get_info(agent, HSA_AGENT_INFO_ISA, &isa));
        uint32_t length = 0;
        CHECKED(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length));
        std::string name(length, '\0');
        CHECKED(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name.data()));
        name.resize(std::strlen(name.c_str()));
        uint32_t wave_size = 0;
        CHECKED(hsa_agent_get_info(agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wave_size));
        static_cast<std::vector<Agent>*>(data)->push_back({agent, name, wave_size});
        return HSA_STATUS_SUCCESS;
      },
      &found));
  EXPECT_GE(found.size(), 2u) << "no agent " << compiled;
  if (found.size() > 2) found.erase(found.begin() + 1, found.end() - 1);  // all GPUs but the first
  return found;
}

/// Returns the first global region of the agent with one of these flags.
hsa_region_t region_with(hsa_agent_t agent, uint32_t wanted) {
  struct Search {
    uint32_t wanted;
    hsa_region_t found;
  } search = {wanted, {}};
  hsa_agent_iterate_regions(
      agent,
      [](hsa_region_t region, void* data) {
        auto& in_search = *static_cast<Search*>(data);
        uint32_t flags = 0;
        hsa_region_segment_t segment{};
        CHECKED(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
        if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
        CHECKED(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
        if ((flags & in_search.wanted) == 0) return HSA_STATUS_SUCCESS;
        in_search.found = region;
        return HSA_STATUS_INFO_BREAK;
      },
      &search);
  return search.found;
}

uint64_t symbol_value(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute) {
  uint64_t value = 0;
  CHECKED(hsa_executable_symbol_get_info(symbol, attribute, &value));
  return value;
}

/// `header` says what that of the queue does, or did before it was overwritten.
void submit(hsa_queue_t* queue, const hsa_queue_t& header, const hsa_kernel_dispatch_packet_t& packet) {
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  auto& slot = static_cast<hsa_kernel_dispatch_packet_t*>(header.base_address)[index % header.size];
  constexpr size_t first = 4;  // header and setup go last, in one store
  std::memcpy(reinterpret_cast<char*>(&slot) + first, reinterpret_cast<const char*>(&packet) + first,
              sizeof(packet) - first);
  const uint32_t head = packet.header | uint32_t{packet.setup} << 16;
  __atomic_store_n(reinterpret_cast<uint32_t*>(&slot), head, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(header.doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

}  // namespace

const std::vector<Agent>& executing_agents() {
  static const std::vector<Agent> agents = find_agents();
  return agents;
}

AgentQueue::AgentQueue(const Agent& agent) {
  const auto failed = [](hsa_status_t status, hsa_queue_t*, void* data) {
    static_cast<AgentQueue*>(data)->error_.store(status);
  };
  CHECKED(hsa_queue_create(agent.handle, 64, HSA_QUEUE_TYPE_MULTI, failed, this, UINT32_MAX, UINT32_MAX,
                           &queue_));
}

AgentQueue::~AgentQueue() {
  if (queue_ != nullptr) CHECKED(hsa_queue_destroy(queue_));
}

// In short steps, because an error leaves the signal unchanged.
bool AgentQueue::wait(hsa_signal_t signal) const {
  uint64_t frequency = 0;
  CHECKED(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  constexpr uint64_t steps = 1000;
  for (uint64_t i = 0; i < patience * steps; ++i)
    if (hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, frequency / steps,
                                  HSA_WAIT_STATE_BLOCKED) < 1 ||
        error() != HSA_STATUS_SUCCESS)
      return true;
  return false;
}

void* allocate_shared(size_t size) {
  void* memory = nullptr;
  const hsa_region_t region =
      region_with(executing_agents().front().handle, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED);
  if (hsa_memory_allocate(region, std::max<size_t>(size, 1), &memory) != HSA_STATUS_SUCCESS)
    throw std::bad_alloc();
  return memory;
}

AgentCode::AgentCode(const Agent& agent, codeobject::CodeObject object,
                     const std::vector<std::vector<std::byte>>& modules, std::span<const std::byte> lowered)
    : agent_(agent) {
  if (object.isa.starts_with("heddle:nvptx")) cuda::fake::add_comments(object, modules, lowered);
  bytes_ = codeobject::write(object);
  load(object);
}

AgentCode::~AgentCode() {
  if (executable_.handle != 0) CHECKED(hsa_executable_destroy(executable_));
  if (reader_.handle != 0) CHECKED(hsa_code_object_reader_destroy(reader_));
}

void AgentCode::load(const codeobject::CodeObject& object) {
  ASSERT_EQ(hsa_code_object_reader_create_from_memory(bytes_.data(), bytes_.size(), &reader_),
            HSA_STATUS_SUCCESS);
  const auto profile = static_cast<hsa_profile_t>(object.profile);
  const auto rounding = static_cast<hsa_default_float_rounding_mode_t>(object.rounding);
  ASSERT_EQ(hsa_executable_create_alt(profile, rounding, nullptr, &executable_), HSA_STATUS_SUCCESS);
  if (object.has_program_part) {
    ASSERT_EQ(hsa_executable_load_program_code_object(executable_, reader_, nullptr, nullptr),
              HSA_STATUS_SUCCESS);
  }
  ASSERT_EQ(hsa_executable_load_agent_code_object(executable_, agent_.handle, reader_, nullptr, nullptr),
            HSA_STATUS_SUCCESS)
      << agent_.isa;
  ASSERT_EQ(hsa_executable_freeze(executable_, nullptr), HSA_STATUS_SUCCESS) << agent_.isa;
  good_ = true;
}

hsa_status_t AgentCode::find(const std::string& kernel, hsa_executable_symbol_t* symbol) const {
  return hsa_executable_get_symbol_by_linker_name(executable_, kernel.c_str(), &agent_.handle, symbol);
}

hsa_kernel_dispatch_packet_t AgentCode::packet(const std::string& kernel, const Extent& extent) const {
  hsa_executable_symbol_t of_kernel{};
  CHECKED(find(kernel, &of_kernel));
  hsa_kernel_dispatch_packet_t packet = {};
  packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  packet.setup = extent.dimensions;
  packet.workgroup_size_x = extent.group[0];
  packet.workgroup_size_y = extent.group[1];
  packet.workgroup_size_z = extent.group[2];
  packet.grid_size_x = extent.grid[0];
  packet.grid_size_y = extent.grid[1];
  packet.grid_size_z = extent.grid[2];
  packet.kernel_object = symbol_value(of_kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
  packet.group_segment_size =
      static_cast<uint32_t>(symbol_value(of_kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE)) +
      extent.dynamic_group;
  packet.private_segment_size =
      static_cast<uint32_t>(symbol_value(of_kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE)) +
      extent.private_bytes;
  return packet;
}

/// What a dispatch needs, until its queue can no longer use it.
class AgentCode::Needs {
 public:
  Needs(const AgentCode& code, hsa_executable_symbol_t kernel, const std::vector<uint64_t>& kernarg) {
    const size_t size = std::max<size_t>(
        kernarg.size() * sizeof(uint64_t),
        static_cast<uint32_t>(symbol_value(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE)));
    const hsa_region_t region = region_with(code.agent_.handle, HSA_REGION_GLOBAL_FLAG_KERNARG);
    if (size != 0) CHECKED(hsa_memory_allocate(region, size, &arguments));
    if (!kernarg.empty()) std::memcpy(arguments, kernarg.data(), kernarg.size() * sizeof(uint64_t));
    CHECKED(hsa_signal_create(1, 0, nullptr, &done));
  }
  ~Needs() {
    CHECKED(hsa_signal_destroy(done));
    if (arguments != nullptr) CHECKED(hsa_memory_free(arguments));
  }
  Needs(const Needs&) = delete;
  Needs& operator=(const Needs&) = delete;

  void* arguments = nullptr;
  hsa_signal_t done = {};
};

hsa_status_t AgentCode::run(const std::string& kernel, const std::vector<uint64_t>& kernarg,
                            const Extent& extent) {
  hsa_executable_symbol_t symbol{};
  if (const hsa_status_t found = find(kernel, &symbol); found != HSA_STATUS_SUCCESS) return found;
  const Needs needs(*this, symbol, kernarg);
  const AgentQueue queue(agent_);
  return run(kernel, extent, needs, queue, *queue.get());
}

hsa_status_t AgentCode::run(const std::string& kernel, const std::vector<uint64_t>& kernarg,
                            const Extent& extent, const AgentQueue& queue, const hsa_queue_t& header) {
  hsa_executable_symbol_t symbol{};
  if (const hsa_status_t found = find(kernel, &symbol); found != HSA_STATUS_SUCCESS) return found;
  return run(kernel, extent, Needs(*this, symbol, kernarg), queue, header);
}

hsa_status_t AgentCode::run(const std::string& kernel, const Extent& extent, const Needs& needs,
                            const AgentQueue& queue, const hsa_queue_t& header) const {
  hsa_kernel_dispatch_packet_t dispatch = packet(kernel, extent);
  dispatch.kernarg_address = needs.arguments;
  dispatch.completion_signal = needs.done;
  submit(queue.get(), header, dispatch);
  EXPECT_TRUE(queue.wait(needs.done)) << kernel << " hangs on " << agent_.isa;
  return queue.error();
}

}  // namespace heddle::testing
