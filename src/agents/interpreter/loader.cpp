// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/interpreter/loader.h"

#include <algorithm>

#include <fmt/format.h>

#include <hsa/hsa_brig_modifiers.h>

#include "hsail/link/program.h"

namespace heddle::interpreter_agent {
namespace {

using codeobject::CodeObject;

/// hsa_default_float_rounding_mode_t, as code objects store it.
hsa_brig_round_t rounding_of(uint8_t mode) {
  return mode == 1   ? HSA_BRIG_ROUND_FLOAT_ZERO
         : mode == 2 ? HSA_BRIG_ROUND_FLOAT_NEAR_EVEN
                     : HSA_BRIG_ROUND_FLOAT_DEFAULT;
}

/// The program that the code object was made from, linked again.
Result<std::shared_ptr<link::Program>, Error> link_program(const CodeObject& object) {
  link::Program::Options options;
  options.machine_model = static_cast<hsa_brig_machine_model_t>(object.machine_model);
  options.profile = static_cast<hsa_brig_profile_t>(object.profile);
  options.default_rounding = rounding_of(object.rounding);
  auto program = std::make_shared<link::Program>(options);
  Diagnostics diagnostics("code object");
  for (const std::vector<std::byte>& bytes : object.brig) {
    brig::Module module = brig::Module::open(bytes, diagnostics);
    if (!module || program->add(std::move(module), diagnostics) != link::Program::AddResult::ok) {
      return Error{diagnostics.print()};
    }
  }
  if (!program->resolve(diagnostics)) return Error{diagnostics.print()};
  return program;
}

}  // namespace

Result<std::shared_ptr<agents::LoadedCode>, Error> LoadedBrig::load(
    std::span<const std::byte> bytes, std::span<const hsam_variable_address> variables,
    agents::KernelObjects& registry) {
  const auto object = codeobject::read(bytes);
  if (!object) return Error{object.error().print()};
  if (!object->has_agent_part) return Error{"the code object has no code"};
  const auto isa = std::find(std::begin(isa_names), std::end(isa_names), object->isa);
  if (isa == std::end(isa_names))
    return Error{fmt::format("code for {} is none for the interpreter", object->isa)};
  const uint32_t wave_size = wave_size_of(static_cast<uint32_t>(isa - std::begin(isa_names)));
  auto program = link_program(*object);
  if (!program) return program.error();
  std::shared_ptr<LoadedBrig> code(new LoadedBrig(registry));
  code->program_ = interpreter::DecodedProgram::prepare(std::move(*program), wave_size);
  if (auto done = code->bind_variables(*object, variables); !done) return done.error();
  if (auto done = code->add_kernels(*object); !done) return done.error();
  if (auto done = code->add_functions(*object); !done) return done.error();
  return std::shared_ptr<agents::LoadedCode>(std::move(code));
}

Result<void, Error> LoadedBrig::bind_variables(const CodeObject& object,
                                               std::span<const hsam_variable_address> variables) {
  for (const hsam_variable_address& variable : variables) {
    if (variable.variable >= object.variables.size())
      return Error{"an address for a variable that is not there"};
    const int32_t symbol = program_->program().find(object.variables[variable.variable].linker_name);
    if (symbol < 0) {
      return Error{
          fmt::format("variable {} is not in the modules", object.variables[variable.variable].linker_name)};
    }
    program_->set_address(symbol, variable.address);
  }
  return {};
}

Result<void, Error> LoadedBrig::add_kernels(const CodeObject& object) {
  for (const codeobject::Kernel& info : object.kernels) {
    const int32_t symbol = program_->program().find(info.linker_name);
    const interpreter::Kernel* kernel = program_->kernel(symbol);
    if (kernel == nullptr) return Error{fmt::format("kernel {} is not in the modules", info.linker_name)};
    auto loaded = std::make_shared<LoadedKernel>(LoadedKernel{program_, kernel, info});
    program_->set_address(symbol, add_kernel(std::move(loaded)));
  }
  return {};
}

Result<void, Error> LoadedBrig::add_functions(const CodeObject& object) {
  for (const codeobject::IndirectFunction& info : object.functions) {
    const uint64_t handle = program_->function_handle(program_->program().find(info.linker_name));
    if (handle == 0)
      return Error{fmt::format("indirect function {} is not in the modules", info.linker_name)};
    add_function(handle);
  }
  return {};
}

}  // namespace heddle::interpreter_agent
