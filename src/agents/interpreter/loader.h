// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <iterator>
#include <memory>

#include "agents/common/registered_code.h"
#include "codeobject/code_object.h"
#include "interpreter/interpreter.h"

namespace heddle::interpreter_agent {

/// The ISAs of code objects that carry BRIG, by wave size: 1, 2, 4 to 256.
inline constexpr const char* isa_names[] = {"heddle:hsail:w1",  "heddle:hsail:w2",   "heddle:hsail:w4",
                                            "heddle:hsail:w8",  "heddle:hsail:w16",  "heddle:hsail:w32",
                                            "heddle:hsail:w64", "heddle:hsail:w128", "heddle:hsail:w256"};
inline constexpr uint32_t isa_count = std::size(isa_names);
constexpr uint32_t wave_size_of(uint32_t isa) { return 1u << isa; }
static_assert(wave_size_of(isa_count - 1) == interpreter::max_wave_size);

/// What a kernel object refers to. It keeps the code that the kernel belongs to.
struct LoadedKernel {
  std::shared_ptr<const interpreter::DecodedProgram> program;
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

  std::shared_ptr<interpreter::DecodedProgram> program_;
};

}  // namespace heddle::interpreter_agent
