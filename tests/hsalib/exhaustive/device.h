// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of libhsamath on the CPU agent, for many arguments at once.
#pragma once

#include <memory>
#include <string>

#include "exhaustive/unary.h"
#include "support/result.h"
#include "tools/session.h"
#include "tools/toolchain.h"

namespace heddle::testing {

/// A function, compiled for the CPU agent.
class DeviceFunction {
 public:
  /// `library` is the path of libhsamath.so.
  static Result<DeviceFunction> compile(const tools::KernelAgent& agent, const std::string& library,
                                        const UnaryFunction& function);

  /// Writes the outputs for the arguments whose bits are first, first + step, first + 2 step and so on.
  Result<void> run(uint32_t first, uint32_t step, uint32_t count, void* outputs);

 private:
  DeviceFunction(tools::Blob code, tools::LoadedProgram program, tools::KernelInfo kernel,
                 tools::Memory kernarg, std::unique_ptr<tools::Dispatcher> dispatcher);

  tools::Blob code_;  // which the program refers to
  tools::LoadedProgram program_;
  tools::KernelInfo kernel_;
  tools::Memory kernarg_;
  std::unique_ptr<tools::Dispatcher> dispatcher_;
};

}  // namespace heddle::testing
