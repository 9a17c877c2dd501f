// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsa/hsa.h>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codeobject/code_object.h"

/// Runs kernels on the kernel agents of this process through the runtime, as clients do.
namespace heddle::testing {

struct Agent {
  hsa_agent_t handle = {};
  std::string isa;         ///< name of the ISA that the agent prefers
  uint32_t wave_size = 0;  ///< work-items in a wavefront of that ISA
};

/// Returns the agents that execute kernels: first the one for compiled code, then the interpreter. The
/// runtime stays initialized until the process ends. HEDDLE_TEST_AGENT names another agent for compiled code
/// than that of the CPU.
const std::vector<Agent>& executing_agents();

/// Allocates memory that all agents access without copies, as those of the base profile access no other.
void* allocate_shared(size_t size);

template <typename T>
struct SharedAllocator {
  using value_type = T;
  SharedAllocator() = default;
  template <typename U>
  explicit SharedAllocator(const SharedAllocator<U>&) {}
  T* allocate(size_t count) { return static_cast<T*>(allocate_shared(count * sizeof(T))); }
  void deallocate(T* memory, size_t) { hsa_memory_free(memory); }
  friend bool operator==(const SharedAllocator&, const SharedAllocator&) { return true; }
};
template <typename T>
using SharedVector = std::vector<T, SharedAllocator<T>>;

/// The address of the first element, as kernels take it.
template <typename Vector>
uint64_t address_of(const Vector& memory) {
  return reinterpret_cast<uint64_t>(memory.data());
}

/// Sizes of a dispatch; unused dimensions are 1.
struct Extent {
  uint32_t grid[3] = {1, 1, 1};
  uint16_t group[3] = {1, 1, 1};
  uint16_t dimensions = 1;
  uint32_t dynamic_group = 0;  ///< bytes beyond the kernel's static size
  uint32_t private_bytes = 0;  ///< bytes beyond the size that the kernel's symbol reports
};
inline Extent line(uint32_t grid, uint16_t group) { return {{grid, 1, 1}, {group, 1, 1}}; }

class AgentQueue;

/// One code object, loaded on one agent. A failure to load it is a test failure.
class AgentCode {
 public:
  /// `modules` are the BRIG that the code was made from, which fakes of devices interpret instead, and
  /// `lowered` is the LLVM IR that they may execute.
  AgentCode(const Agent& agent, codeobject::CodeObject object,
            const std::vector<std::vector<std::byte>>& modules = {}, std::span<const std::byte> lowered = {});
  ~AgentCode();
  AgentCode(const AgentCode&) = delete;

  bool good() const { return good_; }
  /// Runs a kernel to its end, on a queue of its own. Returns success, or the error that the queue's callback
  /// received.
  hsa_status_t run(const std::string& kernel, const std::vector<uint64_t>& kernarg, const Extent& extent);
  /// Likewise on `queue`, a queue of the agent, whose header was `header` when it was made.
  hsa_status_t run(const std::string& kernel, const std::vector<uint64_t>& kernarg, const Extent& extent,
                   const AgentQueue& queue, const hsa_queue_t& header);
  /// Returns a dispatch of a kernel of the code, without arguments and completion signal.
  hsa_kernel_dispatch_packet_t packet(const std::string& kernel, const Extent& extent) const;

 private:
  void load(const codeobject::CodeObject& object);
  hsa_status_t find(const std::string& kernel, hsa_executable_symbol_t* symbol) const;
  class Needs;
  hsa_status_t run(const std::string& kernel, const Extent& extent, const Needs& needs,
                   const AgentQueue& queue, const hsa_queue_t& header) const;

  const Agent& agent_;
  std::vector<std::byte> bytes_;
  hsa_executable_t executable_ = {};
  hsa_code_object_reader_t reader_ = {};
  bool good_ = false;
};

/// A queue of the agent, and the first error that its callback gets.
class AgentQueue {
 public:
  explicit AgentQueue(const Agent& agent);
  ~AgentQueue();
  AgentQueue(const AgentQueue&) = delete;

  hsa_queue_t* get() const { return queue_; }
  hsa_status_t error() const { return error_.load(); }
  /// Waits until the signal is less than 1, or the queue has failed; false if that takes too long.
  bool wait(hsa_signal_t signal) const;

 private:
  hsa_queue_t* queue_ = nullptr;
  std::atomic<hsa_status_t> error_ = HSA_STATUS_SUCCESS;
};

}  // namespace heddle::testing
