// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests tell the fake of libcuda.so.1, and what it tells them. The fake is a library that exports the
// functions of the driver that the agent calls. Its GPUs are threads that run kernels in the interpreter.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agents/cuda/driver_types.h"
#include "codeobject/ptx_dispatch.h"

namespace heddle::cuda::fake {

/// What the GPUs are. To be set before the function of the driver that reads it is called.
struct Machine {
  int gpus = 1;
  int first = 0;  ///< of the GPUs of the machine that are shown
  uint32_t capability = 90;
  int driver_version = 13000;
  uint64_t memory = uint64_t{1} << 30;
  bool has_virtual_memory = true;
  bool has_early_kernels = true;   ///< the driver lets kernels of a graph begin early
  bool has_peers = true;           ///< the GPUs can access each other's memory
  bool has_peer_atomics = true;    ///< and do so atomically
  Status start = Status::success;  ///< what cuInit returns
};

/// Errors to come, and what has been done.
struct Control {
  Machine machine;

  /// After so many more kernels the next one makes an access to an illegal address; less than 0: never.
  std::atomic<int64_t> kernels_until_fault{-1};
  /// PTX is refused with this status, if it is not success, and this text in the log of errors.
  Status module_status = Status::success;
  std::string module_log;
  /// What the compiler writes into the log of information.
  std::string compiler_info;
  /// Kernels do not end before their stop word is set.
  std::atomic<bool> endless{false};
  /// Kernels never end: all, or those of this name.
  std::atomic<bool> deaf{false};
  std::string deaf_kernel;
  /// What kernels do instead of what their code says, if it is not empty.
  std::function<void(const ptx_kernel::Hidden&)> instead;
  /// Called with the names of functions that tests make fail, before they do anything. If it returns another
  /// status than success, they do nothing and return that. It may also throw.
  std::function<Status(std::string_view function)> before;
  Status status_before(std::string_view function) const {
    return before ? before(function) : Status::success;
  }
  /// What the driver says of every stream that it is asked about, if it is not success.
  std::atomic<Status> query_status{Status::success};
  /// Copies do not begin before this is false.
  std::atomic<bool> copies_wait{false};
  /// They do when the driver is asked about a stream.
  std::atomic<bool> query_ends_wait{false};
  /// The GPU whose context is lost while those of others are not; less than 0: none.
  std::atomic<int> lost_gpu{-1};
  /// The threads of a block that kernels can have at most, less if the compiler is given no limit of
  /// registers.
  std::atomic<int> block_max{1024};

  std::atomic<uint64_t> kernels{0};           ///< that have been launched
  std::atomic<uint64_t> native_kernels{0};    ///< of these, through the native entry
  std::atomic<uint64_t> linear_kernels{0};    ///< through the linear one
  std::atomic<uint64_t> single_kernels{0};    ///< and through that for a single work-group
  std::atomic<uint64_t> early_kernels{0};     ///< of all, those that may begin before the one ahead has ended
  std::atomic<uint64_t> lowered_kernels{0};   ///< of all, those that ran lowered code
  std::atomic<uint64_t> functions_found{0};   ///< looked up in modules
  std::atomic<uint64_t> graphs_made{0};       ///< instantiated
  std::atomic<uint64_t> synchronizations{0};  ///< waits of the driver for a stream
  std::atomic<uint64_t> mapped_bytes{0};      ///< of device memory
  std::atomic<uint64_t> registered_bytes{0};  ///< of host memory
  std::atomic<uint64_t> copies{0};            ///< that were submitted
  std::atomic<uint64_t> peer_copies{0};       ///< of these, with the memory of another GPU
  std::atomic<uint64_t> modules{0};           ///< loaded and not unloaded
  std::atomic<uint64_t> compilations{0};      ///< of PTX, by the loader or by the linker
  std::atomic<uint64_t> links{0};             ///< of these, by the linker
  std::atomic<uint64_t> open_links{0};        ///< created and not destroyed
  std::atomic<size_t> frame_size{0};          ///< bytes of the frame of every kernel
  std::atomic<size_t> stack_size{1024};       ///< bytes of stack of a thread
  std::atomic<bool> optimises{true};          ///< with which the last module was compiled
  ptx_kernel::AddressChecks checks = {};      ///< that the last kernel was told
  std::atomic<int> register_limit{0};         ///< that the last module was compiled with; 0: none

  /// Rules of the driver or of the interface to kernels that the agent has broken. They are also printed, for
  /// programs that do not ask for them.
  void complain(std::string complaint) {
    std::lock_guard lock(mutex);
    std::fprintf(stderr, "fake driver: %s\n", complaint.c_str());
    complaints.push_back(std::move(complaint));
  }
  std::vector<std::string> taken_complaints() {
    std::lock_guard lock(mutex);
    return std::move(complaints);
  }
  std::mutex mutex;
  std::vector<std::string> complaints;
};

/// The function of the fake that returns its Control.
inline constexpr char control_symbol[] = "heddle_fake_cuda_control";
using ControlFunction = Control* (*)();

}  // namespace heddle::cuda::fake
