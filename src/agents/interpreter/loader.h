// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "agents/common/registered_code.h"
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
class LoadedBrig final : public agents::RegisteredCode {
 public:
  static Result<std::shared_ptr<agents::LoadedCode>, Error> load(
      std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables,
      agents::KernelObjects& registry);

 private:
  explicit LoadedBrig(agents::KernelObjects& registry) : RegisteredCode(registry) {}
  Result<void, Error> bind_variables(const codeobject::CodeObject& object,
                                     std::span<const hsam_variable_address> variables);
  Result<void, Error> add_kernels(const codeobject::CodeObject& object);
  Result<void, Error> add_functions(const codeobject::CodeObject& object);

  std::shared_ptr<interpreter::Image> image_;
};

}  // namespace heddle::interpreter_agent
