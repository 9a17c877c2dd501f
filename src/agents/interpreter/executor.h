// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

#include "agents/common/description.h"
#include "agents/common/executor.h"
#include "agents/common/kernel_objects.h"
#include "agents/interpreter/debugger.h"

namespace heddle::interpreter_agent {

/// Executes BRIG with the reference interpreter.
class InterpreterExecutor final : public agents::Executor {
 public:
  /// Every dispatch runs under `debugger`, unless that is null. `turn` is the number of instructions that a
  /// wave executes before it is the turn of the next wave; 0 means the interpreter's default.
  InterpreterExecutor(uint32_t compute_units, const agents::SegmentSizes& limits,
                      std::shared_ptr<Debugger> debugger = nullptr, uint32_t turn = 0)
      : compute_units_(compute_units), limits_(limits), debugger_(std::move(debugger)), turn_(turn) {}

  std::unique_ptr<agents::ExecutorThread> make_thread() override;
  Result<std::unique_ptr<agents::Task>, agents::Failure> prepare(
      const agents::KernelDispatch& dispatch) override;
  Result<std::shared_ptr<agents::LoadedCode>, Error> load(
      std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables) override;

 private:
  const uint32_t compute_units_;
  const agents::SegmentSizes limits_;
  const std::shared_ptr<Debugger> debugger_;
  const uint32_t turn_;
  agents::KernelObjects kernels_;
};

}  // namespace heddle::interpreter_agent
