// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/heddle_side.h"

#include <hsa/hsa_ext_amd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

namespace bench {
namespace {

using examples::check;
using examples::Error;
using examples::Kernel;

std::vector<char> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<examples::Agent> gpus() {
  std::vector<examples::Agent> found = examples::kernel_agents();
  std::erase_if(found, [](const examples::Agent& agent) {
    hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
    hsa_agent_get_info(agent.handle, HSA_AGENT_INFO_DEVICE, &type);
    return type != HSA_DEVICE_TYPE_GPU;
  });
  return found;
}

examples::Agent gpu_number(unsigned number) {
  const auto all = gpus();
  if (number >= all.size()) throw Error("the runtime has no GPU agent number " + std::to_string(number));
  return all[number];
}

hsa_status_t take_device_memory(hsa_region_t region, void* found) {
  hsa_region_segment_t segment{};
  uint32_t flags = 0;
  hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
  if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
  if ((flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED) == 0) return HSA_STATUS_SUCCESS;
  *static_cast<hsa_region_t*>(found) = region;
  return HSA_STATUS_INFO_BREAK;
}

void* allocated(hsa_region_t region, size_t size) {
  void* memory = nullptr;
  check(hsa_memory_allocate(region, size, &memory), "hsa_memory_allocate");
  return memory;
}

/// Kernels that the runtime's finalizer compiles now.
class Finalized final : public HeddleKernels {
 public:
  Finalized(const examples::Agent& agent, std::vector<char> brig) : executable_(agent, std::move(brig)) {}
  Kernel kernel(const std::string& name) const override { return executable_.kernel(name.c_str()); }

 private:
  examples::Executable executable_;
};

/// Kernels of a code object that `heddle finalize` has made, so that no finalizer is needed here.
class FromCodeObject final : public HeddleKernels {
 public:
  FromCodeObject(const examples::Agent& agent, std::vector<char> code)
      : agent_(agent.handle), code_(std::move(code)) {
    check(hsa_code_object_reader_create_from_memory(code_.data(), code_.size(), &reader_),
          "hsa_code_object_reader_create_from_memory");
    check(hsa_executable_create_alt(agent.profile, agent.rounding, nullptr, &executable_),
          "hsa_executable_create_alt");
    check(hsa_executable_load_program_code_object(executable_, reader_, nullptr, nullptr),
          "hsa_executable_load_program_code_object");
    check(hsa_executable_load_agent_code_object(executable_, agent_, reader_, nullptr, nullptr),
          "hsa_executable_load_agent_code_object");
    check(hsa_executable_freeze(executable_, nullptr), "hsa_executable_freeze");
  }
  ~FromCodeObject() override {
    hsa_executable_destroy(executable_);
    hsa_code_object_reader_destroy(reader_);
  }
  FromCodeObject(const FromCodeObject&) = delete;
  FromCodeObject& operator=(const FromCodeObject&) = delete;

  Kernel kernel(const std::string& name) const override {
    hsa_executable_symbol_t symbol{};
    check(hsa_executable_get_symbol_by_linker_name(executable_, name.c_str(), &agent_, &symbol),
          name.c_str());
    Kernel found{};
    const auto get = [&](hsa_executable_symbol_info_t attribute, void* value) {
      check(hsa_executable_symbol_get_info(symbol, attribute, value), "hsa_executable_symbol_get_info");
    };
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &found.object);
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &found.kernarg_size);
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &found.group_size);
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &found.private_size);
    return found;
  }

 private:
  hsa_agent_t agent_;
  std::vector<char> code_;
  hsa_code_object_reader_t reader_{};
  hsa_executable_t executable_{};
};

/// The names of the agent's ISAs, without "heddle:".
std::vector<std::string> isas_of(hsa_agent_t agent) {
  std::vector<std::string> names;
  hsa_agent_iterate_isas(
      agent,
      [](hsa_isa_t isa, void* to) {
        uint32_t length = 0;
        hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
        std::string name(length, '\0');
        hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name.data());
        name = name.c_str();
        static_cast<std::vector<std::string>*>(to)->push_back(name.substr(name.find(':') + 1));
        return HSA_STATUS_SUCCESS;
      },
      &names);
  return names;
}

/// Tells whoever watches the queue why it stopped; the signal would never change.
void end_with_error(hsa_status_t status, hsa_queue_t*, void*) {
  const char* text = nullptr;
  hsa_status_string(status, &text);
  std::fprintf(stderr, "bench-cuda: the queue has failed: %s\n", text ? text : "unknown status");
  std::_Exit(1);
}

constexpr uint32_t queue_packets = 1024;

}  // namespace

unsigned gpu_count() { return static_cast<unsigned>(gpus().size()); }

HeddleSide::HeddleSide(unsigned gpu, std::string folder)
    : agent_(gpu_number(gpu)), folder_(std::move(folder)) {
  hsa_agent_iterate_regions(agent_.handle, take_device_memory, &device_memory_);
  if (device_memory_.handle == 0) throw Error(agent_.name + " has no memory of its own");
  check(hsa_queue_create(agent_.handle, std::min(queue_packets, agent_.queue_size), HSA_QUEUE_TYPE_SINGLE,
                         end_with_error, nullptr, UINT32_MAX, UINT32_MAX, &queue_),
        "hsa_queue_create");
  check(hsa_signal_create(0, 0, nullptr, &done_), "hsa_signal_create");
}

HeddleSide::~HeddleSide() {
  hsa_queue_destroy(queue_);
  hsa_signal_destroy(done_);
}

void* HeddleSide::allocate(size_t size) const { return allocated(device_memory_, size); }
void* HeddleSide::allocate_host(size_t size) const { return allocated(agent_.memory, size); }

void HeddleSide::copy(void* to, const void* from, size_t size) {
  check(hsa_memory_copy(to, from, size), "hsa_memory_copy");
}

void HeddleSide::copy_async(void* to, const void* from, size_t size) const {
  hsa_signal_store_relaxed(done_, 1);
  check(hsa_amd_memory_async_copy(to, agent_.handle, from, agent_.handle, size, 0, nullptr, done_),
        "hsa_amd_memory_async_copy");
  finish();
}

std::unique_ptr<HeddleKernels> HeddleSide::load(const std::string& name) const {
  const std::string path = folder_ + "/" + name;
  for (const std::string& isa : isas_of(agent_.handle))
    if (auto code = contents(std::string(path).append(".").append(isa).append(".hco")); !code.empty())
      return std::make_unique<FromCodeObject>(agent_, std::move(code));
  auto brig = contents(path + ".brig");
  if (brig.empty()) throw Error("neither " + path + ".brig nor a code object for the GPU can be read");
  return std::make_unique<Finalized>(agent_, std::move(brig));
}

void HeddleSide::enqueue(const Kernel& kernel, const Grid& grid, const void* arguments, bool last) {
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue_) >= queue_->size) std::this_thread::yield();
  auto* const packet =
      static_cast<hsa_kernel_dispatch_packet_t*>(queue_->base_address) + index % queue_->size;
  std::memset(reinterpret_cast<char*>(packet) + 4, 0, sizeof *packet - 4);
  packet->workgroup_size_x = grid.group[0];
  packet->workgroup_size_y = grid.group[1];
  packet->workgroup_size_z = grid.group[2];
  packet->grid_size_x = grid.size[0];
  packet->grid_size_y = grid.size[1];
  packet->grid_size_z = grid.size[2];
  packet->private_segment_size = kernel.private_size;
  packet->group_segment_size = kernel.group_size;
  packet->kernel_object = kernel.object;
  packet->kernarg_address = const_cast<void*>(arguments);
  if (last) {
    hsa_signal_store_relaxed(done_, 1);
    packet->completion_signal = done_;
  }
  constexpr uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                              1 << HSA_PACKET_HEADER_BARRIER |
                              HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                              HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  const uint32_t dimensions = grid.size[2] > 1 ? 3 : grid.size[1] > 1 ? 2 : 1;
  const uint32_t setup = dimensions << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  __atomic_store_n(reinterpret_cast<uint32_t*>(packet), header | setup << 16, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

void HeddleSide::finish() const {
  while (hsa_signal_wait_scacquire(done_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_ACTIVE) >
         0) {
  }
}

}  // namespace bench
