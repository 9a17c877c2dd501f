// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

#include "agents/common/description.h"
#include "agents/common/executor.h"
#include "agents/common/kernel_objects.h"

namespace heddle::cpu {

/// Executes compiled code on the host's processors.
class CpuExecutor final : public agents::Executor {
 public:
  CpuExecutor(int host_level, uint32_t compute_units, const agents::SegmentSizes& limits)
      : host_level_(host_level), compute_units_(compute_units), limits_(limits) {}

  std::unique_ptr<agents::ExecutorThread> make_thread() override;
  Result<std::unique_ptr<agents::Task>, agents::Failure> prepare(
      const agents::KernelDispatch& dispatch) override;
  Result<std::shared_ptr<agents::LoadedCode>, Error> load(
      std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables) override;

  /// The kernel objects of this agent. Code that does not come from a code object adds its Kernel here.
  agents::KernelObjects& kernels() { return kernels_; }

 private:
  const int host_level_;
  const uint32_t compute_units_;
  const agents::SegmentSizes limits_;
  agents::KernelObjects kernels_;
};

}  // namespace heddle::cpu
