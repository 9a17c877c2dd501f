// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <vector>

#include "agents/common/executor.h"
#include "agents/common/kernel_objects.h"
#include "codeobject/code_object.h"
#include "interpreter/interpreter.h"

namespace heddle::interpreter_agent {

/// The ISA of code objects that carry BRIG.
inline constexpr const char* isa_name = "heddle:hsail:w1";

/// What a kernel object stands for. Keeps the code it belongs to.
struct LoadedKernel {
  std::shared_ptr<const interpreter::Image> image;
  const interpreter::Kernel* kernel = nullptr;
  codeobject::Kernel info;
};

/// The BRIG modules of one code object, linked, decoded and bound to the addresses of the executable's
/// variables.
class LoadedBrig final : public agents::LoadedCode {
 public:
  static Result<std::shared_ptr<agents::LoadedCode>, Error> load(
      std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables,
      agents::KernelObjects& registry);
  ~LoadedBrig() override;

  uint64_t kernel_object(uint32_t kernel) const override;
  uint64_t function_handle(uint32_t function) const override;

 private:
  explicit LoadedBrig(agents::KernelObjects& registry) : registry_(registry) {}
  Result<void, Error> bind_variables(const codeobject::CodeObject& object,
                                     std::span<const hsam_variable_address> variables);
  Result<void, Error> add_kernels(const codeobject::CodeObject& object);
  Result<void, Error> add_functions(const codeobject::CodeObject& object);

  agents::KernelObjects& registry_;
  std::shared_ptr<interpreter::Image> image_;
  std::vector<uint64_t> kernels_;
  std::vector<uint64_t> functions_;
};

}  // namespace heddle::interpreter_agent
