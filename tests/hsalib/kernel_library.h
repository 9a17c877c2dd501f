// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel_agents.h"
#include "tools/toolchain.h"

namespace heddle::testing {

/// Returns the module in a shared library, between the symbols __brig_start and __brig_end, as offload
/// plugins read it. A failure is a failure of the test.
tools::Module library_module(const std::string& path);

/// A text, linked with libhsastd and libhsamath, and loaded on one agent.
class LinkedKernels {
 public:
  LinkedKernels(const tools::KernelAgent& agent, const std::string& text);

  /// Runs a kernel whose arguments are addresses. Returns whether it ended without an error.
  bool run(const std::string& kernel, const std::vector<const void*>& arguments, uint32_t items);

 private:
  void link(const std::string& text);

  const tools::KernelAgent& agent_;
  tools::Blob code_;
  std::unique_ptr<tools::LoadedProgram> program_;
};

}  // namespace heddle::testing
