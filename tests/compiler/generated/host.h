// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated programs, compiled by clang for the host and executed one work-item after the other.
#pragma once

#include <memory>
#include <string>

#include "buffers.h"
#include "support/result.h"

namespace heddle::tests {

/// A source that is compiled for the host and loaded.
class HostModule {
 public:
  /// Makes the folder for what clang writes, which the process that calls this removes when it exits;
  /// processes that it forks use the folder. Returns whether there is one.
  static bool prepare();
  /// Runs clang. The error has what clang said.
  static Result<HostModule> compile(const std::string& source);
  HostModule(HostModule&&) = default;
  HostModule& operator=(HostModule&&) = default;

  /// Executes a kernel for the whole grid. A work-item runs until it ends or comes to a barrier.
  Result<Buffers> run(const std::string& kernel, const tools::fuzz::Launch& launch) const;

 private:
  struct Close {
    void operator()(void* library) const;
  };
  explicit HostModule(void* library) : library_(library) {}
  std::unique_ptr<void, Close> library_;
};

}  // namespace heddle::tests
