// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of the generic HSA driver to the runtime: agents, and a client with its signals, queues,
// memory and code. All communication with agents goes through include/hsam; the driver has no knowledge of
// particular agents.
//
// Thread safety: every function may be called from any thread, even while other threads use the same object,
// unless its comment says otherwise. Errors are those hsa_status_t values that the corresponding API function
// returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hsa/hsa.h>
#include <hsam/hsam.h>

#include "support/result.h"

namespace heddle::driver {

template <typename T>
using StatusOr = Result<T, hsa_status_t>;

class Agent;
class StartedCopy;

/// A region of memory that one or more agents can access (Runtime 2.7). Lives as long as the process.
struct Region {
  hsam_region_description description;
  std::vector<const Agent*> agents;  ///< those that list it, in the order of Client::agents()
  uint32_t index;                    ///< position in Client::regions()
};

/// A registered agent (MVA 2.5). Lives as long as the process.
class Agent {
 public:
  /// The configuration as registered. Members that the agent's driver is too old to know are 0.
  const hsa_agent_driver_config& config() const { return config_; }
  /// Name of the plugin: "cpu" for libheddle-agent-cpu.so; empty for agents that the application registers.
  std::string_view driver_name() const { return driver_name_; }
  uint16_t device_driver_id() const { return device_driver_id_; }
  /// Position in Client::agents(); the host agent has 0.
  uint32_t index() const { return index_; }
  bool dispatches_kernels() const { return (config_.features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) != 0; }
  /// The name of the only ISA that clients are to see; empty if they see those of the configuration.
  const std::string& shown_isa() const { return shown_isa_; }
  /// The regions in the order in which the agent lists them.
  std::span<const Region* const> regions() const { return regions_; }

 private:
  friend class Registry;
  friend class Requests;
  hsa_agent_driver_config config_{};
  hsa_agent_driver_interface interface_{};
  hsa_generic_driver_config generic_config_{};
  std::string driver_name_;
  std::string shown_isa_;
  uint16_t device_driver_id_ = 0;
  uint32_t index_ = 0;
  std::vector<const Region*> regions_;
};

/// An access of a kernel that failed.
struct MemoryFault {
  uint64_t address = 0;
  uint32_t causes = 0;  ///< mask of hsam_fault_cause
};

/// The application's function that is told of the error of a queue.
using QueueCallback = void(hsa_status_t status, hsa_queue_t* source, void* data);

/// The arguments of hsa_queue_create.
struct QueueRequest {
  const Agent* agent = nullptr;
  uint32_t size = 0;
  hsa_queue_type32_t type = HSA_QUEUE_TYPE_MULTI;
  /// Called at most once, on a thread of the driver, if the queue has an error. May be null.
  QueueCallback* callback = nullptr;
  /// Makes the call of the callback, or drops it if the application must not be called any more. Null stands
  /// for a direct call.
  void (*invoke)(QueueCallback* callback, hsa_status_t status, hsa_queue_t* source, void* data) = nullptr;
  void* data = nullptr;
  /// Called before the callback, on the same thread, if the error is a memory fault of known address. May be
  /// null.
  void (*on_memory_fault)(const Agent& agent, const MemoryFault& fault) = nullptr;
  uint32_t private_segment_size = UINT32_MAX;
  uint32_t group_segment_size = UINT32_MAX;
};

/// Shareable allocations of whole blocks share them with no other allocation.
inline constexpr size_t shareable_block_size = size_t{2} << 20;

/// What is behind an allocation.
enum class Backing : uint8_t {
  automatic,  ///< what is fastest
  shareable,  ///< whole pages that other processes can map, if the region's memory is the host's
};

/// By which a process finds a shareable allocation of another one. Programs pass the bytes on.
struct SharedName {
  uint32_t process;  ///< its number
  uint32_t file;     ///< the number of the file there
  uint64_t slot;     ///< where in the file the allocation is described
  uint64_t key;      ///< tells the allocation from others that are described there before or later
  uint64_t size;     ///< bytes, rounded up to pages
};
static_assert(sizeof(SharedName) == 32);

/// Where a shareable allocation lies.
struct SharedPlace {
  int file;  ///< descriptor, which the driver owns
  uint64_t offset;
};

/// Describes the allocation or registration that contains an address.
struct MemoryInfo {
  enum class Kind : uint8_t { allocated, registered };
  Kind kind = Kind::allocated;
  void* base = nullptr;
  size_t size = 0;                 ///< as requested, not rounded
  const Region* region = nullptr;  ///< null for registered memory
  const Agent* owner = nullptr;    ///< of coarse-grained memory; null: not assigned yet
  bool is_shareable = false;       ///< see Backing
};

/// Names a signal of this process to other processes. It holds no addresses, and other processes check it.
struct SharedSignalHandle {
  uint32_t magic;
  uint32_t process;
  uint32_t file;   ///< descriptor of that process
  uint32_t slot;   ///< of the signal in the file
  uint32_t flags;  ///< of the signal, with its generation
  uint32_t reserved;
  uint64_t identity;  ///< of the file
};

/// The signals of a group. A thread that holds this can wait for them even when the group, its signals and
/// the client have been destroyed, because the memory of signals stays readable for the life of the process.
using SignalsOfGroup = std::shared_ptr<const std::vector<hsam_signal*>>;

/// One use of the driver by a process, from the first hsa_init to the last hsa_shut_down.
class Client {
 public:
  /// Finds and opens the agent drivers if this is the first client of the process. OUT_OF_RESOURCES if there
  /// is no host agent.
  static StatusOr<std::unique_ptr<Client>> open();

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  /// Destroys all remaining queues, code, signals and memory, tells all agents, and waits for their replies.
  /// The caller makes sure that no other call is in progress.
  ~Client();

  /// Returns the visible agents: the host agent, then the others in the order of registration. All clients
  /// see the same agents.
  std::span<const Agent* const> agents() const;
  std::span<const Region* const> regions() const;

  // ---- signals (Runtime 2.4); hsam/signal.h defines the operations ----

  /// Creates a signal. Without consumers, all agents may consume it. INVALID_ARGUMENT if a consumer is named
  /// twice; OUT_OF_RESOURCES.
  StatusOr<hsa_signal_t> create_signal(int64_t initial_value, std::span<const Agent* const> consumers);
  /// Creates a signal that other processes can attach. Errors are those of create_signal.
  StatusOr<hsa_signal_t> create_shared_signal(int64_t initial_value, std::span<const Agent* const> consumers);
  /// Gives the handle by which other processes attach a signal. INVALID_ARGUMENT unless the signal is shared.
  static StatusOr<SharedSignalHandle> share_signal(hsa_signal_t signal);
  /// Attaches a signal of another process, or of this one, to be destroyed as often as it was attached. All
  /// agents may consume it. INVALID_ARGUMENT, OUT_OF_RESOURCES.
  StatusOr<hsa_signal_t> attach_signal(const SharedSignalHandle& handle);
  /// Destroys a signal. INVALID_ARGUMENT for handle 0; INVALID_SIGNAL for anything but a live signal from
  /// the functions above.
  hsa_status_t destroy_signal(hsa_signal_t signal);
  /// Reports whether destroy_signal() would end the life of a live signal, and not only one of several uses
  /// by this process.
  static bool is_last_use(hsa_signal_t signal);
  /// Reports whether the handle is a live signal, doorbells included. Takes no lock.
  static bool is_signal(uint64_t handle);

  /// Creates a signal group. INVALID_ARGUMENT if there are no signals or no consumers, if either has
  /// duplicates, if a signal is not live, or if a consumer is not a consumer of every signal.
  StatusOr<hsa_signal_group_t> create_signal_group(std::span<const hsa_signal_t> signals,
                                                   std::span<const Agent* const> consumers);
  /// Destroys a signal group. INVALID_SIGNAL_GROUP.
  hsa_status_t destroy_signal_group(hsa_signal_group_t group);
  /// Returns the signals of a group. INVALID_SIGNAL_GROUP.
  StatusOr<SignalsOfGroup> signals_of(hsa_signal_group_t group) const;
  /// Waits until one of the signals meets the condition with its index. INVALID_ARGUMENT for an unknown
  /// condition, OUT_OF_RESOURCES.
  static hsa_status_t wait_any(const SignalsOfGroup& signals, const hsa_signal_condition_t* conditions,
                               const int64_t* compares, hsa_wait_state_t hint, hsa_signal_t* signal,
                               int64_t* value);

  // ---- queues (Runtime 2.5) ----

  /// Creates a queue. INVALID_ARGUMENT, INVALID_QUEUE_CREATION, OUT_OF_RESOURCES.
  StatusOr<hsa_queue_t*> create_queue(const QueueRequest& request);
  /// Creates a soft queue. INVALID_ARGUMENT (also for a region that clients cannot allocate from, or a dead
  /// doorbell), OUT_OF_RESOURCES.
  StatusOr<hsa_queue_t*> create_soft_queue(const Region& region, uint32_t size, hsa_queue_type32_t type,
                                           uint32_t features, hsa_signal_t doorbell);
  /// Inactivates a queue. INVALID_ARGUMENT for null, INVALID_QUEUE.
  hsa_status_t inactivate_queue(hsa_queue_t* queue);
  /// Destroys the queue. Errors are those of inactivate_queue, and FATAL if the queue had an error that may
  /// have damaged the process; the queue is destroyed nevertheless. A call from the queue's own callback
  /// returns HSA_STATUS_ERROR, since it would deadlock.
  hsa_status_t destroy_queue(hsa_queue_t* queue);
  /// Sets the priority of a queue. INVALID_QUEUE (also for soft queues); HSA_STATUS_ERROR if the agent has no
  /// priorities.
  hsa_status_t set_queue_priority(const hsa_queue_t* queue, hsam_queue_priority priority);
  /// Restricts a queue to these compute units; empty: all. CU_MASK_REDUCED: not to those that HSA_CU_MASK
  /// excludes. INVALID_QUEUE (also: soft queue), INVALID_ARGUMENT (none left), ERROR (the agent cannot).
  hsa_status_t set_queue_compute_units(const hsa_queue_t* queue, std::span<const uint32_t> mask);
  /// Returns that mask, with a bit for each unit of the agent. INVALID_QUEUE.
  StatusOr<std::vector<uint32_t>> queue_compute_units(const hsa_queue_t* queue) const;
  bool is_queue(const hsa_queue_t* queue) const;
  /// Returns the agent of a queue; null for soft queues and for anything that is not a queue.
  const Agent* queue_agent(const hsa_queue_t* queue) const;
  /// Returns the id of a live queue; INVALID_QUEUE for anything else.
  StatusOr<uint64_t> queue_id(const hsa_queue_t* queue) const;
  /// Returns the ids of the agent's live queues, oldest first.
  std::vector<uint64_t> queue_ids(const Agent& agent) const;
  /// Returns how many packets of the agent's queues have been claimed by producers and not been taken yet.
  uint64_t waiting_packets(const Agent& agent) const;

  /// Return the indices of a live queue. They lie before its header, so their addresses do not depend on
  /// contents that user code can overwrite.
  static uint64_t* write_index(const hsa_queue_t* queue) {
    return reinterpret_cast<uint64_t*>(reinterpret_cast<uintptr_t>(queue) - 128);
  }
  static uint64_t* read_index(const hsa_queue_t* queue) {
    return reinterpret_cast<uint64_t*>(reinterpret_cast<uintptr_t>(queue) - 64);
  }

  // ---- memory (Runtime 2.7) ----

  /// Allocates from any region, even from those that clients may not allocate from (readonly variables). The
  /// size is rounded up to the granule; the alignment is the region's or `alignment`, whichever is greater.
  /// INVALID_ALLOCATION above the region's maximum; INVALID_ARGUMENT for size 0; OUT_OF_RESOURCES.
  StatusOr<void*> allocate(const Region& region, size_t size, size_t alignment = 1,
                           Backing backing = Backing::automatic);
  /// Frees an allocation; null is ignored. INVALID_ARGUMENT for anything but the base of an allocation.
  hsa_status_t free(void* base);
  /// Finds the allocation or registration that contains the address.
  std::optional<MemoryInfo> find(const void* address) const;
  /// Names the shareable allocation that begins at `base`, for other processes (driver/shared_import.h). Its
  /// memory is not used again before they have let go of it. INVALID_ARGUMENT; OUT_OF_RESOURCES.
  StatusOr<SharedName> share(const void* base);
  /// Returns the place of the shareable allocation that begins at `base`, for somebody who keeps its pages
  /// when it is freed: they are not used again. INVALID_ARGUMENT.
  StatusOr<SharedPlace> detachable_place_of(const void* base);
  /// Registers memory. INVALID_ARGUMENT; OUT_OF_RESOURCES if an agent refused, in which case nothing is
  /// registered.
  hsa_status_t register_memory(void* base, size_t size);
  hsa_status_t deregister_memory(void* base, size_t size);
  /// Assigns a coarse-grained allocation to a new owner. Fine-grained memory has no owner, and the call does
  /// nothing. INVALID_ARGUMENT, OUT_OF_RESOURCES.
  hsa_status_t assign_agent(void* base, const Agent& agent, hsa_access_permission_t access);
  /// Copies what the owners of coarse-grained buffers see (MVA 5.4.7). INVALID_ARGUMENT, OUT_OF_RESOURCES.
  hsa_status_t copy(void* destination, const void* source, size_t size);
  /// Begins a copy if an agent can make it without a thread that waits, and returns true if one does. Then
  /// `started` is told of the end or the error exactly once, on any thread and possibly before this returns,
  /// and must stay in place until then. Returns false if no agent can make the copy; nothing has been copied
  /// then, and the caller may call copy() for each row. Waits for no copy, but an agent may open its device
  /// first.
  bool start_copy(const hsam_copy& copy, StartedCopy& started) noexcept;
  /// Whether kernels of an agent can use memory of a region that another agent provides, after allow_peer().
  bool can_reach(const Agent& agent, const Region& region);
  /// Lets kernels of an agent for which can_reach() holds use all memory of the region. OUT_OF_RESOURCES,
  /// INVALID_ARGUMENT.
  hsa_status_t allow_peer(const Agent& agent, const Region& region);

  // ---- code (hsam.h, code_load) ----

  /// Loads a code object into the agent, which keeps no reference to the bytes. INVALID_CODE_OBJECT,
  /// OUT_OF_RESOURCES.
  StatusOr<int64_t> load_code(const Agent& agent, std::span<const std::byte> code_object,
                              std::span<const hsam_variable_address> variables);
  hsa_status_t unload_code(const Agent& agent, int64_t code);
  /// Returns the value for kernel_object in a dispatch packet; never 0.
  StatusOr<uint64_t> kernel_object(const Agent& agent, int64_t code, uint32_t kernel);
  StatusOr<uint64_t> function_handle(const Agent& agent, int64_t code, uint32_t function);
  /// Returns the memory that the agent has loaded the code into; empty if the agent does not say.
  std::span<const std::byte> code_extent(const Agent& agent, int64_t code);

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns the system timestamp in ticks of timestamp_frequency().
uint64_t timestamp();
uint64_t timestamp_frequency();

}  // namespace heddle::driver
