// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "agents/common/registered_code.h"
#include "agents/cpu/kernel.h"
#include "agents/cpu/mapped_code.h"

namespace heddle::cpu {

/// The agent part of a code object, mapped and relocated. Its kernel objects are valid while it exists; a
/// kernel in use keeps the memory mapped beyond that.
class LoadedCpuCode final : public agents::RegisteredCode {
 public:
  /// `host_level` is the newest x86-64 level that this machine executes. The error is a message for the log.
  static Result<std::shared_ptr<agents::LoadedCode>, Error> load(
      std::span<const std::byte> bytes, std::span<const hsam_variable_address> variables, int host_level,
      agents::KernelObjects& registry);

  std::span<const std::byte> extent() const override { return mapped_->extent(); }

 private:
  LoadedCpuCode(agents::KernelObjects& registry, std::shared_ptr<MappedCode> mapped)
      : RegisteredCode(registry), mapped_(std::move(mapped)) {}
  Result<void, Error> relocate(const codeobject::CodeObject& object,
                               std::span<const hsam_variable_address> variables);
  void add_kernels(const codeobject::CodeObject& object, uint32_t wave_size);

  std::shared_ptr<MappedCode> mapped_;
};

}  // namespace heddle::cpu
