// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the constructors that clang puts into each translation unit register: device code, and the kernels and
// variables in it by the addresses that host code has for them.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "hip/core/image.h"

namespace heddle::hip {

/// A variable of device code that the host can name.
struct RegisteredVariable {
  std::string name;
  size_t size = 0;
  std::byte* managed = nullptr;  ///< its memory, if it is managed
};

/// The device code of one translation unit.
class FatBinary {
 public:
  /// `data` is the address in clang's wrapper, which is looked at when the code is first used.
  explicit FatBinary(const void* data) : data_(data) {}

  /// Reads the code. Throws Failure.
  Image& image();
  void add_managed(const RegisteredVariable& variable);
  /// Reports whether image().function() has returned this address.
  bool has_given(const void* function);
  /// Destroys what was made for a device, which must not be in use.
  void unload(Device& device);

 private:
  void store_managed(Program& program);

  const void* data_;
  std::mutex mutex_;
  std::unique_ptr<Image> image_;
  std::vector<RegisteredVariable> managed_;
};

/// All functions are thread safe.
class Registry {
 public:
  static Registry& get();

  FatBinary& add(const void* data);
  /// Forgets the code with its kernels and variables.
  void remove(FatBinary& binary);
  void add_function(FatBinary& binary, const void* host, std::string name);
  void add_variable(FatBinary& binary, const void* host, RegisteredVariable variable);

  /// Returns the kernel for the address that host code has for it; null if none was registered for it. Throws
  /// Failure if its code cannot be made for the device.
  const Function* function(const void* host, Device& device);
  /// Reports whether function() has returned this address.
  bool has_given(const void* function) const;
  /// The same as function() for a variable, on the device.
  std::optional<Variable> variable(const void* host, Device& device);
  /// Returns the name of a kernel, or null.
  const char* name_of_function(const void* host) const;
  /// Destroys what was made for a device, which must not be in use.
  void unload(Device& device);

 private:
  struct Entry {
    FatBinary* binary;
    std::string name;
    /// The kernel on each device, once it was asked for; devices beyond the end are looked up each time.
    std::array<std::atomic<const Function*>, 8> resolved{};
  };
  struct VariableEntry {
    FatBinary* binary;
    RegisteredVariable variable;
  };

  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<FatBinary>> binaries_;
  std::unordered_map<const void*, std::unique_ptr<Entry>> functions_;
  std::unordered_map<const void*, VariableEntry> variables_;
};

/// Returns the variable for the address that host code has for it. Throws Failure (InvalidSymbol) if it is
/// none.
Variable find_variable(const void* symbol, Device& device);

/// Returns the address of a part of a variable. Throws Failure, also InvalidValue if the part is not inside.
std::byte* part_of_variable(const void* symbol, Device& device, size_t size, size_t offset);

}  // namespace heddle::hip
