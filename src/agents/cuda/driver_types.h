// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types and numbers of the CUDA driver API that the agent uses, so that no toolkit is needed to build it.
// Layouts and values are those of libcuda.so.1; the names are heddle's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::cuda {

/// What every function of the driver returns. Values that are not named here occur, too.
enum class Status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  invalid_ptx = 218,
  unsupported_ptx_version = 222,
  not_found = 500,
  not_ready = 600,
  ecc_uncorrectable = 214,
  nvlink_uncorrectable = 220,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  assertion = 710,
  host_memory_already_registered = 712,
  host_memory_not_registered = 713,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  not_supported = 801,
  unknown = 999,
  /// Not the driver's: the process that has the driver is gone (remote/connection.h).
  process_lost = 100'000,
  /// Likewise: it was ended, because a kernel did not end.
  process_ended = 100'001,
  /// Likewise not the driver's: the driver in this process was given up, because a kernel did not end
  /// (gpu_driver.h).
  given_up = 100'002,
};

using DeviceNumber = int;
using DeviceAddress = uint64_t;
using MemoryHandle = uint64_t;
using Context = struct ContextObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Stream = struct StreamObject*;
using Event = struct EventObject*;
using Graph = struct GraphObject*;
using GraphNode = struct GraphNodeObject*;
using GraphExec = struct GraphExecObject*;
using Link = struct LinkObject*;

/// A property of a device.
enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  max_block_dim_x = 2,
  max_block_dim_y = 3,
  max_block_dim_z = 4,
  max_grid_dim_x = 5,
  max_grid_dim_y = 6,
  max_grid_dim_z = 7,
  warp_size = 10,
  max_registers_per_block = 12,
  clock_rate = 13,  ///< kHz
  multiprocessor_count = 16,
  compute_mode = 20,
  pci_bus_id = 33,
  pci_device_id = 34,
  l2_cache_size = 38,
  max_threads_per_multiprocessor = 39,
  unified_addressing = 41,
  pci_domain_id = 50,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  max_shared_memory_per_multiprocessor = 81,
  can_use_host_pointer_for_registered_memory = 91,
  max_shared_memory_per_block_opt_in = 97,
  virtual_memory_management = 102,
};

/// DeviceAttribute::compute_mode of a device that accepts no context.
inline constexpr int compute_mode_prohibited = 2;

/// A property of the way from one device to another.
enum class PeerAttribute : int { native_atomics = 3 };

enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  static_shared_size = 1,
  local_size = 3,
  registers = 4,
  max_dynamic_shared_size = 8,
};

enum class Limit : int { stack_size = 0 };

/// An option of cuModuleLoadDataEx and cuLinkCreate. Its value is passed as a pointer.
enum class JitOption : int {
  max_registers = 0,
  info_log_buffer = 3,
  info_log_size = 4,
  error_log_buffer = 5,
  error_log_size = 6,
  optimization_level = 7,
  generate_line_info = 13,
};

/// What the linker is given.
enum class JitInput : int { cubin = 0, ptx = 1 };

inline constexpr unsigned context_schedules_blocking = 4;
inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_blocks = 1, event_without_timing = 2;
inline constexpr unsigned host_register_portable = 1, host_register_mapped = 2;

struct MemoryLocation {
  int type = 1;  ///< a device
  int device = 0;
};

/// Describes physical memory of a device, which stays where it is.
struct MemoryProperties {
  int type = 1;          ///< pinned
  int handle_types = 0;  ///< not shared with other processes
  MemoryLocation location;
  void* windows_metadata = nullptr;
  struct {
    uint8_t compression = 0, rdma = 0;
    uint16_t usage = 0;
    uint8_t reserved[4] = {};
  } flags;
};
static_assert(sizeof(MemoryProperties) == 32);

struct MemoryAccess {
  MemoryLocation location;
  int rights = 3;  ///< to read and to write
};
static_assert(sizeof(MemoryAccess) == 12);

/// The kernel of a graph's node. `arguments` has a pointer to the value of each parameter.
struct KernelNode {
  Function function = nullptr;
  unsigned grid[3] = {1, 1, 1};  ///< blocks
  unsigned block[3] = {1, 1, 1};
  unsigned shared_size = 0;  ///< bytes of dynamic shared memory
  void** arguments = nullptr;
  void** extra = nullptr;
  /// Bytes of the two arguments. The driver does not look at this; it knows.
  size_t argument_sizes[2] = {};
};
static_assert(offsetof(KernelNode, argument_sizes) == 56);

/// How one node of a graph follows another one.
struct GraphEdge {
  /// The value of both `from_port` and `type` for an edge across which the second kernel may begin once the
  /// work-groups of the first have ended. It must wait itself until what these have written is visible.
  static constexpr uint8_t programmatic = 1;

  uint8_t from_port = 0, to_port = 0, type = 0;
  uint8_t reserved[5] = {};
};
static_assert(sizeof(GraphEdge) == 8);

struct DeviceUuid {
  unsigned char bytes[16] = {};
};

}  // namespace heddle::cuda
