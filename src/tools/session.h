// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owning classes for the HSA runtime, for the commands that use it.
#pragma once

#include <hsa/hsa.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "argument.h"
#include "support/result.h"

namespace heddle::tools {

/// Owns an HSA handle and destroys it.
template <typename Handle, hsa_status_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  ~Owned() { reset(); }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Handle get() const { return handle_; }
  Handle* out() {
    reset();
    return &handle_;
  }

 private:
  void reset() {
    if (handle_.handle != 0) destroy(handle_);
    handle_ = {};
  }
  Handle handle_{};
};
using OwnedExecutable = Owned<hsa_executable_t, hsa_executable_destroy>;
using OwnedReader = Owned<hsa_code_object_reader_t, hsa_code_object_reader_destroy>;
using OwnedCodeObject = Owned<hsa_code_object_t, hsa_code_object_destroy>;
using OwnedSignal = Owned<hsa_signal_t, hsa_signal_destroy>;

/// Returns success, or an Error with `what` and the runtime's text for the status.
Result<void> checked(hsa_status_t status, std::string_view what);

/// Selects the visible agents by setting HEDDLE_AGENTS, which the runtime reads in hsa_init. `name` is the
/// name of a plugin ("cpu", "cuda", "interpreter", "null", "all"), or several separated by commas, or part of
/// an agent's name; in that case all plugins are opened unless HEDDLE_AGENTS is set. "" changes nothing.
void choose_agents(const std::string& name);

/// Keeps the runtime initialised from open() to the destructor.
class Session {
 public:
  static Result<std::unique_ptr<Session>> open();
  ~Session() { hsa_shut_down(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  Session() = default;
};

std::vector<hsa_agent_t> all_agents();
std::string agent_name(hsa_agent_t agent);
std::vector<hsa_isa_t> agent_isas(hsa_agent_t agent);
std::string isa_name(hsa_isa_t isa);
std::vector<hsa_region_t> agent_regions(hsa_agent_t agent);

/// A kernel agent and the regions that dispatches need.
struct KernelAgent {
  hsa_agent_t handle;
  std::string name;
  hsa_isa_t isa;
  std::string isa_name;
  hsa_region_t memory;  ///< fine-grained
  hsa_region_t kernarg;
};
/// Returns the kernel agents that have an ISA and share memory with the host.
std::vector<KernelAgent> kernel_agents();
/// Returns all kernel agents. If `name` is not empty and no name of plugins, returns those whose name
/// contains it, ignoring case. It is an error if there is none, or if one of them has no ISA or no memory.
Result<std::vector<KernelAgent>> find_kernel_agents(const std::string& name);
/// Returns the first of these agents.
Result<KernelAgent> find_kernel_agent(const std::string& name);

/// Memory that the host and an agent share.
class Memory {
 public:
  static Result<Memory> allocate(hsa_region_t region, size_t size);
  std::span<std::byte> bytes() const { return {address_.get(), size_}; }
  void* address() const { return address_.get(); }

 private:
  struct Free {
    void operator()(std::byte* address) const { hsa_memory_free(address); }
  };
  Memory(std::byte* address, size_t size) : address_(address), size_(size) {}
  std::unique_ptr<std::byte, Free> address_;
  size_t size_ = 0;
};

/// Bytes of call stack that packets ask for by default for each work-item of a recursive kernel, or of one
/// with indirect calls. A GPU has them for each work-item that it can hold: some 6 GB on an H200, and 20 GB
/// if it were four times as much.
inline constexpr uint32_t default_call_stack = 16384;

/// The properties of a kernel that dispatch packets need.
struct KernelInfo {
  std::string name;
  uint64_t object;
  uint32_t kernarg_size, kernarg_alignment, group_size, private_size;
  bool dynamic_stack;
};

/// A variable in global memory that every agent shares with the host.
struct VariableInfo {
  uint64_t address;
  uint32_t size;  ///< bytes
};

/// The code of one program, loaded for one agent.
class LoadedProgram {
 public:
  /// Loads code objects from `finalize`: program and agent code separately, or one code object with both. The
  /// bytes must outlive the result.
  static Result<LoadedProgram> load(const KernelAgent& agent, uint32_t profile,
                                    std::span<const std::byte> program,
                                    std::span<const std::byte> agent_code);
  static Result<LoadedProgram> load(const KernelAgent& agent, std::span<const std::byte> code_object);
  LoadedProgram(LoadedProgram&&) = default;
  LoadedProgram& operator=(LoadedProgram&&) = default;

  std::vector<std::string> kernels() const;
  /// Finds a kernel by its name with or without "&"; "" finds the only kernel.
  Result<KernelInfo> kernel(std::string name) const;
  /// Finds the variables of the agent with this name, which has an "&"; each module may have one.
  std::vector<VariableInfo> variables(std::string_view name) const;

 private:
  LoadedProgram() = default;
  hsa_agent_t agent_{};
  OwnedReader program_reader_, agent_reader_;
  OwnedCodeObject code_object_;
  OwnedExecutable executable_;
};

/// Returns the name of the ISA that a code object with both program and agent code is for.
Result<std::string> isa_of_code_object(std::span<const std::byte> code_object);

struct DispatchTimes {
  double submit;   ///< seconds to write the packet
  double execute;  ///< seconds from ringing the doorbell until the completion is observed
};

/// A queue of an agent and a completion signal.
class Dispatcher {
 public:
  static Result<std::unique_ptr<Dispatcher>> create(const KernelAgent& agent);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Runs a kernel and waits for it for at most `timeout` seconds (0: without limit).
  Result<DispatchTimes> run(const KernelInfo& kernel, const Extent& grid, const Extent& group,
                            uint32_t dynamic_group, uint32_t stack, void* kernarg, double timeout);
  /// Reports whether the last run failed because of its timeout.
  bool timed_out() const { return timed_out_; }

 private:
  Dispatcher() = default;
  Result<void> wait(double timeout);

  hsa_queue_t* queue_ = nullptr;
  OwnedSignal completed_;
  std::atomic<hsa_status_t> error_{HSA_STATUS_SUCCESS};
  bool timed_out_ = false;
};

}  // namespace heddle::tools
