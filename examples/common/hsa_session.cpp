// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsa_session.h"

#include <chrono>
#include <fstream>
#include <iterator>

namespace examples {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/** Takes the first fine-grained region for memory and the first kernarg region, perhaps the same one. */
hsa_status_t choose_region(hsa_region_t region, void* data) {
  auto& agent = *static_cast<Agent*>(data);
  hsa_region_segment_t segment{};
  hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
  if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  uint32_t flags = 0;
  hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
  bool allowed = false;
  hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
  if (!allowed) return HSA_STATUS_SUCCESS;
  if ((flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED) && agent.memory.handle == 0) agent.memory = region;
  if ((flags & HSA_REGION_GLOBAL_FLAG_KERNARG) && agent.kernarg.handle == 0) agent.kernarg = region;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t first_isa(hsa_isa_t isa, void* data) {
  static_cast<Agent*>(data)->isa = isa;
  return HSA_STATUS_INFO_BREAK;
}

/** Returns the profile that modules must have: full, unless the ISA has only the base profile. An agent whose
 * memory is that of the base profile may well have an ISA that executes modules of the full profile. */
hsa_profile_t profile_of_code(hsa_isa_t isa) {
  bool supported[2] = {};  // by hsa_profile_t
  check(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_PROFILES, supported), "profiles of an ISA");
  return supported[HSA_PROFILE_FULL] ? HSA_PROFILE_FULL : HSA_PROFILE_BASE;
}

hsa_status_t add_kernel_agent(hsa_agent_t handle, void* data) {
  uint32_t features = 0;
  hsa_status_t status = hsa_agent_get_info(handle, HSA_AGENT_INFO_FEATURE, &features);
  if (status != HSA_STATUS_SUCCESS) return status;
  if (!(features & HSA_AGENT_FEATURE_KERNEL_DISPATCH)) return HSA_STATUS_SUCCESS;

  Agent agent{};
  agent.handle = handle;
  char name[64] = {};
  check(hsa_agent_get_info(handle, HSA_AGENT_INFO_NAME, name), "name of an agent");
  agent.name.assign(name, strnlen(name, sizeof name));
  check(hsa_agent_get_info(handle, HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE, &agent.rounding),
        "rounding mode");
  check(hsa_agent_get_info(handle, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &agent.queue_size),
        "queue size of an agent");
  status = hsa_agent_iterate_isas(handle, first_isa, &agent);
  if (status != HSA_STATUS_INFO_BREAK) check(status, "hsa_agent_iterate_isas");
  agent.profile = profile_of_code(agent.isa);
  check(hsa_agent_iterate_regions(handle, choose_region, &agent), "hsa_agent_iterate_regions");
  if (agent.memory.handle == 0 || agent.kernarg.handle == 0) {
    throw Error(agent.name + " has no memory that it shares with the host");
  }
  static_cast<std::vector<Agent>*>(data)->push_back(agent);
  return HSA_STATUS_SUCCESS;
}

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/** Provides memory for the bytes of a code object writer in the vector that `data` points to. */
hsa_status_t allocate_code_object(size_t size, size_t align, void** address, void* data) {
  auto& bytes = *static_cast<std::vector<char>*>(data);
  bytes.resize(size);
  *address = bytes.data();
  return HSA_STATUS_SUCCESS;
}

struct Writer {
  explicit Writer(std::vector<char>& bytes) {
    check(hsa_ext_code_object_writer_create_from_memory(allocate_code_object, &bytes, &handle),
          "hsa_ext_code_object_writer_create_from_memory");
  }
  ~Writer() { hsa_ext_code_object_writer_destroy(handle); }
  hsa_ext_code_object_writer_t handle{};
};

/** Returns the header of a packet that waits for all before it and lets the whole system see what is written.
 */
uint16_t header_of(hsa_packet_type_t type) {
  return static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

struct Program {
  explicit Program(const Agent& agent) {
    check(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, agent.profile, agent.rounding, nullptr, &handle),
          "hsa_ext_program_create");
  }
  ~Program() { hsa_ext_program_destroy(handle); }
  hsa_ext_program_t handle{};
};

template <typename T>
T symbol_info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute) {
  T value{};
  check(hsa_executable_symbol_get_info(symbol, attribute, &value), "hsa_executable_symbol_get_info");
  return value;
}

}  // namespace

void check(hsa_status_t status, const char* what) {
  if (status == HSA_STATUS_SUCCESS) return;
  const char* text = nullptr;
  if (hsa_status_string(status, &text) != HSA_STATUS_SUCCESS || text == nullptr) text = "unknown status";
  throw Error(std::string(what) + ": " + text);
}

std::vector<Agent> kernel_agents() {
  std::vector<Agent> agents;
  check(hsa_iterate_agents(add_kernel_agent, &agents), "hsa_iterate_agents");
  return agents;
}

// ---- code: BRIG -> program -> code objects -> executable -> kernels ----

Executable::Executable(const Agent& agent, const std::string& brig_file)
    : Executable(agent, read_file(brig_file)) {}

Executable::Executable(const Agent& agent, std::vector<char> brig) : agent_(agent.handle) {
  auto start = Clock::now();
  Program program(agent);
  check(hsa_ext_program_add_module(program.handle, reinterpret_cast<hsa_ext_module_t>(brig.data())),
        "hsa_ext_program_add_module");
  // One code object has the variables that all agents share, the other the code and variables of one agent.
  code_objects_.resize(2);
  {
    Writer writer(code_objects_[0]);
    check(hsa_ext_program_code_object_finalize(program.handle, nullptr, writer.handle),
          "hsa_ext_program_code_object_finalize");
  }
  {
    Writer writer(code_objects_[1]);
    check(hsa_ext_agent_code_object_finalize(program.handle, agent.isa, nullptr, writer.handle),
          "hsa_ext_agent_code_object_finalize");
  }
  finalize_milliseconds_ = milliseconds_since(start);
  load(agent, code_objects_);
}

void Executable::load(const Agent& agent, const std::vector<std::vector<char>>& code_objects) {
  check(hsa_executable_create_alt(agent.profile, agent.rounding, nullptr, &executable_),
        "hsa_executable_create_alt");
  for (const auto& bytes : code_objects) {
    hsa_code_object_reader_t reader{};
    check(hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader),
          "hsa_code_object_reader_create_from_memory");
    readers_.push_back(reader);
  }
  check(hsa_executable_load_program_code_object(executable_, readers_[0], nullptr, nullptr),
        "hsa_executable_load_program_code_object");
  check(hsa_executable_load_agent_code_object(executable_, agent.handle, readers_[1], nullptr, nullptr),
        "hsa_executable_load_agent_code_object");
  check(hsa_executable_freeze(executable_, nullptr), "hsa_executable_freeze");
}

Executable::~Executable() {
  hsa_executable_destroy(executable_);
  for (auto reader : readers_) hsa_code_object_reader_destroy(reader);
}

Kernel Executable::kernel(const char* name) const {
  hsa_executable_symbol_t symbol{};
  check(hsa_executable_get_symbol_by_linker_name(executable_, name, &agent_, &symbol), name);
  Kernel kernel{};
  kernel.object = symbol_info<uint64_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
  kernel.kernarg_size = symbol_info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE);
  kernel.group_size = symbol_info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE);
  kernel.private_size = symbol_info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE);
  // The private size covers one activation of each function. Only the program knows how deep its recursion
  // is.
  constexpr uint32_t stack_of_recursion = 16384;
  if (symbol_info<bool>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK)) {
    kernel.private_size += stack_of_recursion;
  }
  return kernel;
}

// ---- arguments ----

Arguments::Arguments(const Agent& agent, uint32_t size) : capacity_(size) {
  void* address = nullptr;
  check(hsa_memory_allocate(agent.kernarg, size == 0 ? 16 : size, &address), "memory for kernel arguments");
  data_ = static_cast<char*>(address);
  std::memset(data_, 0, size);
}

void Arguments::append(const void* value, size_t size) {
  used_ = (used_ + size - 1) / size * size;
  if (used_ + size > capacity_) throw Error("the kernel takes fewer arguments");
  std::memcpy(data_ + used_, value, size);
  used_ += size;
}

// ---- queues and packets ----

Queue::Queue(const Agent& agent) {
  uint32_t size = agent.queue_size < 256 ? agent.queue_size : 256;
  check(hsa_queue_create(agent.handle, size, HSA_QUEUE_TYPE_SINGLE, on_error, this, UINT32_MAX, UINT32_MAX,
                         &queue_),
        "hsa_queue_create");
}

Queue::~Queue() { hsa_queue_destroy(queue_); }

void Queue::on_error(hsa_status_t status, hsa_queue_t*, void* self) {
  static_cast<Queue*>(self)->error_.store(status);
}

/** Copies a packet, whose header and the 16 bits behind it are set, into the next slot of the queue. */
template <typename Packet>
void Queue::write(Packet packet) {
  static_assert(sizeof packet == 64);
  uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue_) >= queue_->size) {
    if (error_.load() != HSA_STATUS_SUCCESS) break;  // finish() says why
  }
  char* slot = static_cast<char*>(queue_->base_address) + index % queue_->size * sizeof packet;
  uint32_t first_word = 0;
  std::memcpy(&first_word, &packet, sizeof first_word);
  std::memcpy(slot + sizeof first_word, reinterpret_cast<char*>(&packet) + sizeof first_word,
              sizeof packet - sizeof first_word);
  // The header makes the packet valid and so comes last; with what follows it is one 32-bit word.
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), first_word, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

void Queue::enqueue(const Kernel& kernel, const Grid& grid, const Arguments& arguments) {
  hsa_signal_add_relaxed(completed_.handle(), 1);
  enqueue(kernel, grid, arguments, completed_);
}

void Queue::enqueue(const Kernel& kernel, const Grid& grid, const Arguments& arguments,
                    const Signal& completed) {
  const uint16_t dimensions = grid.z > 1 ? 3 : grid.y > 1 ? 2 : 1;
  hsa_kernel_dispatch_packet_t packet{};
  packet.header = header_of(HSA_PACKET_TYPE_KERNEL_DISPATCH);
  packet.setup = static_cast<uint16_t>(dimensions << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS);
  packet.workgroup_size_x = grid.group_x;
  packet.workgroup_size_y = grid.group_y;
  packet.workgroup_size_z = grid.group_z;
  packet.grid_size_x = grid.x;
  packet.grid_size_y = grid.y;
  packet.grid_size_z = grid.z;
  packet.private_segment_size = kernel.private_size;
  packet.group_segment_size = kernel.group_size;
  packet.kernel_object = kernel.object;
  packet.kernarg_address = arguments.data();
  packet.completion_signal = completed.handle();
  write(packet);
}

void Queue::wait_for(const Signal& first, const Signal& second) {
  hsa_barrier_and_packet_t packet{};
  packet.header = header_of(HSA_PACKET_TYPE_BARRIER_AND);
  packet.dep_signal[0] = first.handle();
  packet.dep_signal[1] = second.handle();
  write(packet);
}

void Queue::finish(const Signal& signal) {
  uint64_t ticks_per_second = 0;
  check(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &ticks_per_second), "timestamp frequency");
  // A queue in the error state completes nothing more, so the error is looked at every tenth of a second.
  while (hsa_signal_wait_scacquire(signal.handle(), HSA_SIGNAL_CONDITION_EQ, 0, ticks_per_second / 10,
                                   HSA_WAIT_STATE_BLOCKED) != 0) {
    check(error_.load(), "the queue stopped");
  }
}

double Queue::run(const Kernel& kernel, const Grid& grid, const Arguments& arguments) {
  auto start = Clock::now();
  enqueue(kernel, grid, arguments);
  finish();
  return milliseconds_since(start);
}

}  // namespace examples
