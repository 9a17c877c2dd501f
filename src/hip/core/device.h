// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device of HIP: a kernel agent of HSA with its memory, queues and streams.
#pragma once

#include <hip/runtime/types.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "hip/core/graph_memory.h"
#include "hip/core/listing.h"
#include "hip/core/log.h"
#include "hip/core/queue.h"

namespace heddle::hip {

class KernelOutput;
class MeetingPoint;
class MemoryPool;
class Stream;

/// Work-items of a wave: what HIP programs for gfx1030 expect.
inline constexpr uint32_t wave_size = 32;

/// The largest images of an agent, in elements; 0 if it has none.
struct ImageLimits {
  uint32_t width_1d = 0, width_linear = 0;
  std::array<uint32_t, 2> size_2d{};
  std::array<uint32_t, 3> size_3d{};
  uint32_t layers = 0;
};

/// What the library asks an agent for, once.
struct AgentProperties {
  std::string name;
  std::string isa_name;
  hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
  hsa_profile_t profile = HSA_PROFILE_FULL;       ///< says which memory kernels may access
  hsa_profile_t code_profile = HSA_PROFILE_FULL;  ///< of the modules that the ISA executes
  hsa_default_float_rounding_mode_t rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  uint32_t cooperative_units = 0;  ///< compute units for cooperative launches
  hsa_isa_t isa{};                 ///< has waves of 32 work-items
  uint32_t largest_queue = 0;
  uint32_t compute_units = 1;
  uint32_t clock_mhz = 0, memory_clock_mhz = 0, memory_width = 0;
  uint32_t bdf = 0, domain = 0, revision = 0;
  uint32_t waves_of_unit = 0;  ///< of 32 work-items
  uint32_t l2_cache_size = 0;
  uint32_t largest_group = 1024;  ///< work-items of a work-group
  std::array<uint16_t, 3> group_limits{};
  std::array<uint32_t, 3> grid_limits{};
  size_t memory_size = 0;
  size_t group_memory_size = 0;  ///< of a work-group
  ImageLimits images;
  bool cooperative = false;          ///< whether there are cooperative launches
  bool host_reaches_memory = false;  ///< whether host threads may access the device's memory
  std::string uuid;
};

/// The devices whose memory a device accesses. All functions are thread safe.
class PeerAccess {
 public:
  /// Returns false if access was enabled already.
  bool enable(int peer);
  /// Returns false if access was not enabled.
  bool disable(int peer);
  bool enabled(int peer) const;

 private:
  mutable std::mutex mutex_;
  std::set<int> enabled_;
};

/// Reads the properties of an agent. Throws Failure (NoDevice) if it has no ISA with waves of 32 work-items.
AgentProperties properties_of(hsa_agent_t agent);

class Device {
 public:
  /// Queries the agent. `kernarg_pool` is the host's pool for arguments.
  Device(int number, hsa_agent_t agent, hsa_agent_t host, hsa_amd_memory_pool_t kernarg_pool);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int number() const { return number_; }
  hsa_agent_t agent() const { return agent_; }
  hsa_agent_t host() const { return host_; }
  const AgentProperties& properties() const { return properties_; }
  hsa_amd_memory_pool_t pool() const { return pool_; }
  hsa_amd_memory_pool_t fine_pool() const { return fine_pool_; }
  /// Allocates memory for kernel arguments, or for what host and kernels share. Throws Failure.
  void* allocate_arguments(size_t size);

  // ---- streams: all but failure() and the default stream's existence are guarded by lock() ----

  std::unique_lock<std::recursive_mutex> lock() {
    std::unique_lock held(mutex_);
    if (logs(LogLevel::debug, log_lock)) log(LogLevel::debug, log_lock, "took the lock of a device");
    return held;
  }
  Stream& default_stream() { return *default_stream_; }
  /// Makes the default stream, when the device is first used. Throws Failure.
  void start();
  /// Whether start() was called.
  bool started() {
    const auto held = lock();
    return default_stream_ != nullptr;
  }
  std::shared_ptr<Queue> queue_for(QueuePriority priority);
  /// Returns the queue of all cooperative launches, made when it is first needed. Throws Failure.
  Queue& cooperative_queue();
  /// Returns a non-blocking stream that runs a branch of the graphs that are launched; made when it is first
  /// needed. Branch 0 is for graphs that are launched in streams of other devices.
  Stream& branch_stream(size_t number);
  void add_stream(Stream& stream);
  void remove_stream(Stream& stream);
  const std::vector<Stream*>& streams() const { return streams_; }
  /// Waits for all work of the device, and prints what kernels have printed. Throws Failure if it failed.
  void synchronize();
  /// Waits for all work. If the device has failed, replaces its queues and forgets the failure; other threads
  /// may wait for its streams meanwhile.
  void reset();

  Listing<Marker>& markers() { return markers_; }
  Listing<Queue>& queues() { return queue_list_; }
  Listing<KernelOutput>& outputs() { return outputs_; }
  /// Where kernels of this device and of others wait for each other.
  Listing<MeetingPoint>& meeting_points() { return meeting_points_; }
  Listing<MemoryPool>& pools() { return pools_; }
  Listing<GraphMemory>& graph_memories() { return graph_memories_; }
  GraphMemoryUsage& graph_memory_usage() { return graph_memory_usage_; }
  /// Lets pools and graphs give back memory that is not used, because work was waited for.
  void trim_pools();
  /// The pool that the device has from the beginning, null until it is used, and the one that the program
  /// chose in its place, null if it has not. Guarded by lock().
  struct PoolChoice {
    std::shared_ptr<MemoryPool> own, chosen;
  };
  PoolChoice& pool_choice() { return pool_choice_; }
  /// Prints what kernels have printed, if no work of the device is under way; otherwise does nothing.
  void print_output();
  /// What went wrong on the device, hipSuccess if nothing; the device is of no use until it is reset.
  hipError_t failure() const { return failure_.load(std::memory_order_acquire); }
  /// Notes what has gone wrong; the first reason counts.
  void note_failure(hipError_t code) noexcept;
  /// Notes that a queue of the device has stopped. Called on any thread.
  void fail(hsa_status_t status) noexcept;

  // ---- settings ----
  struct Settings {
    std::atomic<unsigned> flags{hipDeviceScheduleAuto};
    std::atomic<int> cache_config{hipFuncCachePreferNone};
    std::atomic<int> shared_config{hipSharedMemBankSizeFourByte};
    std::atomic<size_t> stack_size{16384};
    std::atomic<size_t> printf_size{size_t{4} << 20};
    std::atomic<size_t> heap_size{size_t{8} << 20};

    /// Gives everything the value that it has in the beginning.
    void reset() {
      const Settings initial;
      flags = initial.flags.load();
      cache_config = initial.cache_config.load();
      shared_config = initial.shared_config.load();
      stack_size = initial.stack_size.load();
      printf_size = initial.printf_size.load();
      heap_size = initial.heap_size.load();
    }
  };
  Settings& settings() { return settings_; }
  PeerAccess& peers() { return peers_; }

 private:
  void find_pools();
  const std::shared_ptr<Queue>& least_used_queue();
  void finish_streams();

  int number_;
  std::atomic<bool> started_{
      false};  // whether the default stream exists, so that calls need no lock to see it
  hsa_agent_t agent_;
  hsa_agent_t host_;
  hsa_amd_memory_pool_t kernarg_pool_;
  hsa_amd_memory_pool_t pool_{}, fine_pool_{};
  AgentProperties properties_;
  Settings settings_;
  PeerAccess peers_;

  Listing<Marker> markers_;
  Listing<Queue> queue_list_;
  Listing<KernelOutput> outputs_;
  Listing<MeetingPoint> meeting_points_;
  Listing<MemoryPool> pools_;
  Listing<GraphMemory> graph_memories_;
  GraphMemoryUsage graph_memory_usage_;
  std::recursive_mutex mutex_;
  std::vector<std::shared_ptr<Queue>> queues_;  // of normal priority, which streams share
  std::shared_ptr<Queue> high_queue_, low_queue_;
  std::shared_ptr<Stream> default_stream_;
  std::vector<std::shared_ptr<Stream>> branch_streams_;
  std::vector<Stream*> streams_;
  PoolChoice pool_choice_;
  std::atomic<hipError_t> failure_{hipSuccess};
  std::mutex failing_;  // held while the waits of the device are ended
  std::unique_ptr<Queue> cooperative_queue_;
};

}  // namespace heddle::hip
