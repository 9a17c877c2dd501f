// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "agents/common/executor.h"
#include "agents/common/kernel_objects.h"
#include "support/exception_safety.h"

namespace heddle::agents {

/// Loaded code whose kernels have kernel objects of the agent for as long as it exists. A loader must add
/// kernels and functions in the order of the code object.
class RegisteredCode : public LoadedCode {
 public:
  ~RegisteredCode() override {
    for (uint64_t handle : kernels_) registry_.remove(handle);
  }
  RegisteredCode(const RegisteredCode&) = delete;
  RegisteredCode& operator=(const RegisteredCode&) = delete;

  uint64_t kernel_object(uint32_t kernel) const final {
    return kernel < kernels_.size() ? kernels_[kernel] : 0;
  }
  uint64_t function_handle(uint32_t function) const final {
    return function < functions_.size() ? functions_[function] : 0;
  }

 protected:
  explicit RegisteredCode(KernelObjects& registry) : registry_(registry) {}
  /// Registers a kernel and returns its kernel object.
  uint64_t add_kernel(std::shared_ptr<void> kernel) {
    reserve_one_more(kernels_);
    return kernels_.emplace_back(registry_.add(std::move(kernel)));
  }
  void add_function(uint64_t handle) { functions_.push_back(handle); }

 private:
  KernelObjects& registry_;
  std::vector<uint64_t> kernels_, functions_;
};

}  // namespace heddle::agents
