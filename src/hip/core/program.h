// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code that is finalized and loaded for one device.
#pragma once

#include <hsa/hsa.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brigfile/signature.h"
#include "hip/core/device.h"

namespace heddle::hip {

/// Where an argument of a kernel lies among its arguments.
struct KernelArgument {
  size_t offset;
  size_t size;
};

/// What is known of a kernel only when it is finalized.
struct KernelCode {
  uint64_t object;        ///< as packets take it
  uint32_t private_size;  ///< bytes of each work-item
};

/// A kernel on one device.
struct Kernel {
  std::string name;  ///< as clang mangles it
  hsa_executable_symbol_t symbol{};
  uint32_t arguments_size = 0;  ///< bytes, of the kernarg segment
  uint32_t group_size = 0;      ///< bytes of group memory that the code declares
  bool recursive = false;       ///< KernelCode::private_size holds one activation of each function only
  uint32_t largest_group = 0;   ///< work-items, from __launch_bounds__; 0 if it says nothing
  std::vector<KernelArgument> arguments;

  // The code, for Program::code_of(): the size is stored before the object, which is 0 until then.
  mutable std::atomic<uint64_t> object{0};
  mutable std::atomic<uint32_t> private_size{0};
};

/// A variable on one device.
struct Variable {
  std::byte* address;
  size_t size;
};

using Modules = std::vector<std::span<const std::byte>>;

/// All functions are thread safe.
class Program {
 public:
  /// Finalizes and loads modules. Throws Failure.
  Program(Device& device, const Modules& modules);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Device& device() const { return device_; }
  /// Returns the kernel, or null if there is none. Kernels live as long as the program.
  const Kernel* kernel(const std::string& name) const;
  /// Returns the code of a kernel of this program, which is finalized by the first call for it. Throws
  /// Failure; the next call then tries again.
  KernelCode code_of(const Kernel& kernel) const;
  std::optional<Variable> variable(const std::string& name) const;
  const std::map<std::string, Variable>& variables() const { return variables_; }
  /// Whether the buffer for what kernels print is filled by more than half.
  bool output_is_pressing() const;

 private:
  void finalize(const Modules& modules);
  void load();
  void read_symbols();
  void register_variables();
  void describe_kernels(const Modules& modules);
  void attach_output();
  void announce_launch_records();
  void set_clock();
  void fetch_code(const Kernel& kernel) const;
  static hsa_status_t note_symbol(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* self);
  void destroy() noexcept;

  Device& device_;
  hsa_executable_t executable_{};
  std::vector<hsa_code_object_reader_t> readers_;
  std::vector<std::vector<char>> code_objects_;
  std::map<std::string, Kernel> kernels_;
  std::map<std::string, Variable> variables_;
  mutable std::mutex code_mutex_;         // held while a kernel is finalized
  std::unique_ptr<KernelOutput> output_;  // null if no kernel prints
};

}  // namespace heddle::hip
