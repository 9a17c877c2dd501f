// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

#include "agents/common/description.h"
#include "agents/common/executor.h"
#include "agents/common/kernel_objects.h"

namespace heddle::interpreter_agent {

/// Executes BRIG with the reference interpreter.
class InterpreterExecutor final : public agents::Executor {
 public:
  InterpreterExecutor(uint32_t compute_units, const agents::SegmentSizes& limits)
      : compute_units_(compute_units), limits_(limits) {}

  std::unique_ptr<agents::ExecutorThread> make_thread() override;
  Result<std::unique_ptr<agents::Task>, agents::Failure> prepare(
      const agents::KernelDispatch& dispatch) override;
  Result<std::shared_ptr<agents::LoadedCode>, Error> load(
      std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables) override;

 private:
  const uint32_t compute_units_;
  const agents::SegmentSizes limits_;
  std::atomic<uint32_t> next_unit_{0};
  agents::KernelObjects kernels_;
};

}  // namespace heddle::interpreter_agent
