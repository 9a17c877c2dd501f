// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "agents/common/executor.h"
#include "agents/common/kernel_objects.h"
#include "agents/cpu/image.h"
#include "agents/cpu/kernel.h"

namespace heddle::cpu {

/// The agent part of a code object, mapped and relocated. Its kernel objects are live while it exists;
/// kernels in use keep the image.
class LoadedCpuCode final : public agents::LoadedCode {
 public:
  /// `host_level`: the newest x86-64 level that this machine executes. The error is for the log.
  static Result<std::shared_ptr<agents::LoadedCode>, Error> load(
      std::span<const std::byte> bytes, std::span<const hsam_variable_address> variables, int host_level,
      agents::KernelObjects& registry);
  ~LoadedCpuCode() override;

  uint64_t kernel_object(uint32_t kernel) const override;
  uint64_t function_handle(uint32_t function) const override;

 private:
  LoadedCpuCode(agents::KernelObjects& registry, std::shared_ptr<Image> image)
      : registry_(registry), image_(std::move(image)) {}
  Result<void, Error> relocate(const codeobject::CodeObject& object,
                               std::span<const hsam_variable_address> variables);
  void add_kernels(const codeobject::CodeObject& object, uint32_t wave_size);

  agents::KernelObjects& registry_;
  std::shared_ptr<Image> image_;
  std::vector<uint64_t> kernels_;
  std::vector<uint64_t> functions_;
};

}  // namespace heddle::cpu
