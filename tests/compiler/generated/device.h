// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated programs, compiled by heddle and executed on its agents.
#pragma once

#include <memory>
#include <string>

#include "buffers.h"
#include "tools/fuzz/execute.h"

namespace heddle::tests {

/// Compiles a source to BRIG at a level such as "-O2". The error has the first message.
Result<tools::Module> compile_for_device(const std::string& source, const std::string& level);

/// A module that is finalized for an engine and loaded.
class DeviceModule {
 public:
  static Result<DeviceModule> load(const tools::Module& module, const tools::fuzz::Engine& engine);
  Result<Buffers> run(const std::string& kernel, const tools::fuzz::Launch& launch);

 private:
  explicit DeviceModule(const tools::fuzz::Engine& engine) : engine_(&engine) {}
  const tools::fuzz::Engine* engine_;
  std::unique_ptr<tools::Blob> program_code_ = std::make_unique<tools::Blob>();
  std::unique_ptr<tools::Blob> agent_code_ = std::make_unique<tools::Blob>();
  std::unique_ptr<tools::LoadedProgram> program_;
};

}  // namespace heddle::tests
