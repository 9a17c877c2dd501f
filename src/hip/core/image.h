// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code, and what is made of it for each device.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "hip/core/program.h"

namespace heddle::hip {

/// A kernel on one device, as launches take it.
struct Function {
  Device& device;
  const Kernel& kernel;
  const Program& program;
};

/// Device code, which is finalized for a device when something of it is first used there. All functions are
/// thread safe.
class Image {
 public:
  /// Called for each program after it is loaded, before any kernel of it can run.
  using Loaded = std::function<void(Program&)>;

  /// Reads a bundle or a module, of which a copy is kept. Throws Failure (InvalidImage, NoBinaryForGpu).
  explicit Image(std::span<const std::byte> bytes, Loaded loaded = {});

  /// Returns the program for a device. Throws Failure.
  Program& program(Device& device);
  /// Returns the kernel for a device; null if there is none with this name. It lives as long as the image.
  const Function* function(Device& device, const std::string& name);
  /// Reports whether function() has returned this address.
  bool has_given(const void* function);
  /// Destroys what was made for a device, which must not be in use.
  void unload(Device& device);

 private:
  struct OnDevice {
    std::unique_ptr<Program> program;
    std::map<std::string, Function> functions;
  };
  OnDevice& on_device(Device& device);

  std::vector<std::byte> bytes_;
  Modules modules_;
  Loaded loaded_;
  std::mutex mutex_;
  std::map<int, OnDevice> devices_;
};

}  // namespace heddle::hip
