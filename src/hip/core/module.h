// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module that the program has loaded.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "hip/core/image.h"

namespace heddle::hip {

/// Device code on the device that was current when it was loaded.
class Module {
 public:
  /// Finalizes and loads the code. Throws Failure.
  Module(Device& device, std::span<const std::byte> bytes);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Device& device() const { return device_; }
  /// Returns the kernel, or null. It lives as long as the module.
  const Function* function(const std::string& name) { return image_.function(device_, name); }
  /// Reports whether function() has returned this address.
  bool has_given(const void* function) { return image_.has_given(function); }
  Program& program() { return image_.program(device_); }
  /// Returns a variable of the code, of a managed one its memory; nullopt if there is none.
  std::optional<Variable> variable(const std::string& name);
  /// Returns the reference for a texture of the code, always the same one, which lives as long as the module;
  /// null if there is no such texture.
  textureReference* texture_reference(const std::string& name);

 private:
  void make_managed(Program& program);
  void free_managed() noexcept;

  Device& device_;
  std::map<std::string, Variable> managed_;  // variables in memory that the host reaches, too
  Image image_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<textureReference>> texture_references_;
};

}  // namespace heddle::hip
