// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Start, devices, contexts and texts of errors.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "state.h"

namespace heddle::cuda::fake {

namespace {

/// The number in a variable of the environment; -1 if it is not set.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? static_cast<int>(std::strtol(text, nullptr, 10)) : -1;
}

/// Programs that cannot call the fake, and those with the fake in another process, say in the environment
/// what it is to do: the number of its GPUs, of which CUDA_VISIBLE_DEVICES may show one, after how many
/// kernels one is to fault, whether kernels, or one of them, are to run for ever, whatever they are asked
/// for, whether they have no access to each other's memory, and whether the driver has no compiler of PTX or
/// no linker.
Control& new_control() {
  auto& made = *new Control;
  if (const int gpus = number_in("HEDDLE_FAKE_GPUS"); gpus >= 0) {
    made.machine.gpus = gpus;
    if (const int only = number_in("CUDA_VISIBLE_DEVICES"); only >= 0) {
      made.machine.first = only;
      made.machine.gpus = only < gpus ? 1 : 0;
    }
  }
  made.kernels_until_fault = number_in("HEDDLE_FAKE_FAULT_AFTER");
  made.deaf = number_in("HEDDLE_FAKE_DEAF") > 0;
  if (const char* const kernel = std::getenv("HEDDLE_FAKE_DEAF_KERNEL")) made.deaf_kernel = kernel;
  made.machine.has_peers = number_in("HEDDLE_FAKE_PEERS") != 0;
  if (number_in("HEDDLE_FAKE_COMPILER") == 0) {
    made.module_status = Status::invalid_ptx;
    made.module_log = "there is no compiler";
  }
  if (number_in("HEDDLE_FAKE_LINKER") == 0)
    made.before = [](std::string_view function) {
      return function == "cuLinkCreate_v2" ? Status::not_supported : Status::success;
    };
  return made;
}

}  // namespace

Control& control() {
  static Control& made = new_control();
  return made;
}

DeviceNumber& current_device() {
  thread_local DeviceNumber device = 0;
  return device;
}

std::atomic<Status>& sticky() {
  static std::atomic<Status> status{Status::success};
  return status;
}

namespace {

std::atomic<bool> started{false};
std::atomic<int> contexts{0};

bool is_device(DeviceNumber device) { return device >= 0 && device < control().machine.gpus; }

/// The properties of every GPU but for those that Machine says.
const std::map<DeviceAttribute, int>& attributes() {
  using enum DeviceAttribute;
  static const auto& table = *new std::map<DeviceAttribute, int>{
      {max_threads_per_block, 1024},
      {max_block_dim_x, 1024},
      {max_block_dim_y, 1024},
      {max_block_dim_z, 64},
      {max_grid_dim_x, 0x7fffffff},
      {max_grid_dim_y, 65535},
      {max_grid_dim_z, 65535},
      {warp_size, 32},
      {max_registers_per_block, 65536},
      {clock_rate, 1980000},
      {multiprocessor_count, 4},
      {compute_mode, 0},
      {pci_bus_id, 3},
      {pci_device_id, 0},
      {pci_domain_id, 0},
      {l2_cache_size, 50 << 20},
      {max_threads_per_multiprocessor, 2048},
      {unified_addressing, 1},
      {max_shared_memory_per_multiprocessor, 233472},
      {can_use_host_pointer_for_registered_memory, 1},
      {max_shared_memory_per_block_opt_in, 232448},
  };
  return table;
}

struct StatusText {
  Status status;
  const char *name, *text;
};
constexpr StatusText texts[] = {
    {Status::success, "CUDA_SUCCESS", "fake: no error"},
    {Status::invalid_value, "CUDA_ERROR_INVALID_VALUE", "fake: invalid argument"},
    {Status::out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY", "fake: out of memory"},
    {Status::no_device, "CUDA_ERROR_NO_DEVICE", "fake: no device"},
    {Status::invalid_ptx, "CUDA_ERROR_INVALID_PTX", "fake: the PTX does not compile"},
    {Status::illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS", "fake: an illegal address was accessed"},
    {Status::unknown, "CUDA_ERROR_UNKNOWN", "fake: unknown error"},
};

const StatusText* text_of(Status status) {
  const auto* found = std::ranges::find(texts, status, &StatusText::status);
  return found == std::end(texts) ? nullptr : found;
}

}  // namespace
}  // namespace heddle::cuda::fake

using namespace heddle::cuda;
using namespace heddle::cuda::fake;

HEDDLE_FAKE Control* heddle_fake_cuda_control() { return &control(); }

HEDDLE_FAKE Status cuInit(unsigned) {
  if (const Status status = control().status_before("cuInit"); status != Status::success) return status;
  if (control().machine.start != Status::success) return control().machine.start;
  started = true;
  return control().machine.gpus == 0 ? Status::no_device : Status::success;
}
HEDDLE_FAKE Status cuDriverGetVersion(int* version) {
  *version = control().machine.driver_version;
  return Status::success;
}
HEDDLE_FAKE Status cuGetErrorName(Status status, const char** name) {
  const StatusText* found = text_of(status);
  if (found) *name = found->name;
  return found ? Status::success : Status::invalid_value;
}
HEDDLE_FAKE Status cuGetErrorString(Status status, const char** text) {
  const StatusText* found = text_of(status);
  if (found) *text = found->text;
  return found ? Status::success : Status::invalid_value;
}
HEDDLE_FAKE Status cuDeviceGetCount(int* count) {
  if (!started) return Status::not_initialized;
  *count = control().machine.gpus;
  return Status::success;
}
HEDDLE_FAKE Status cuDeviceGet(DeviceNumber* device, int ordinal) {
  *device = ordinal;
  return is_device(ordinal) ? Status::success : Status::invalid_device;
}
HEDDLE_FAKE Status cuDeviceGetName(char* name, int size, DeviceNumber device) {
  if (!is_device(device)) return Status::invalid_device;
  std::snprintf(name, static_cast<size_t>(size), "Fake GPU %d", control().machine.first + device);
  return Status::success;
}
HEDDLE_FAKE Status cuDeviceGetUuid_v2(DeviceUuid* uuid, DeviceNumber device) {
  if (!is_device(device)) return Status::invalid_device;
  *uuid = {};
  uuid->bytes[0] = static_cast<unsigned char>(control().machine.first + device + 1);
  return Status::success;
}
HEDDLE_FAKE Status cuDeviceTotalMem_v2(size_t* size, DeviceNumber device) {
  if (!is_device(device)) return Status::invalid_device;
  *size = control().machine.memory;
  return Status::success;
}
HEDDLE_FAKE Status cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceNumber device) {
  if (!is_device(device)) return Status::invalid_device;
  const int capability = static_cast<int>(control().machine.capability);
  if (attribute == DeviceAttribute::compute_capability_major)
    return *value = capability / 10, Status::success;
  if (attribute == DeviceAttribute::compute_capability_minor)
    return *value = capability % 10, Status::success;
  if (attribute == DeviceAttribute::virtual_memory_management)
    return *value = control().machine.has_virtual_memory, Status::success;
  const auto found = attributes().find(attribute);
  if (found == attributes().end()) return Status::invalid_value;
  *value = found->second;
  return Status::success;
}

HEDDLE_FAKE Status cuDeviceCanAccessPeer(int* can, DeviceNumber device, DeviceNumber peer) {
  if (!is_device(device) || !is_device(peer)) return Status::invalid_device;
  *can = device != peer && control().machine.has_peers;
  return Status::success;
}
HEDDLE_FAKE Status cuDeviceGetP2PAttribute(int* value, PeerAttribute attribute, DeviceNumber device,
                                           DeviceNumber peer) {
  if (!is_device(device) || !is_device(peer) || device == peer) return Status::invalid_device;
  if (attribute != PeerAttribute::native_atomics) return Status::invalid_value;
  *value = control().machine.has_peers && control().machine.has_peer_atomics;
  return Status::success;
}

HEDDLE_FAKE Status cuDevicePrimaryCtxSetFlags_v2(DeviceNumber device, unsigned) {
  return is_device(device) ? state_of_context() : Status::invalid_device;
}
HEDDLE_FAKE Status cuDevicePrimaryCtxRetain(Context* context, DeviceNumber device) {
  if (!is_device(device)) return Status::invalid_device;
  ++contexts;
  *context = reinterpret_cast<Context>(static_cast<uintptr_t>(device) + 1);
  return state_of_context();
}
HEDDLE_FAKE Status cuDevicePrimaryCtxRelease_v2(DeviceNumber) {
  --contexts;
  return state_of_context();
}
HEDDLE_FAKE Status cuCtxSetCurrent(Context context) {
  const auto number = reinterpret_cast<uintptr_t>(context);
  if (number == static_cast<uintptr_t>(control().lost_gpu) + 1) return Status::illegal_address;
  current_device() = static_cast<DeviceNumber>(number) - 1;
  return number <= static_cast<uintptr_t>(control().machine.gpus) ? state_of_context()
                                                                  : Status::invalid_context;
}
HEDDLE_FAKE Status cuCtxGetLimit(size_t* value, Limit) {
  *value = control().stack_size;
  return state_of_context();
}
/// What the stack is after a refusal is not documented, so here it is something else than before.
HEDDLE_FAKE Status cuCtxSetLimit(Limit, size_t value) {
  control().stack_size = 0;
  if (const Status status = control().status_before("cuCtxSetLimit"); status != Status::success)
    return status;
  control().stack_size = value;
  return state_of_context();
}
HEDDLE_FAKE Status cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return state_of_context();
}
