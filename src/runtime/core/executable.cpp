// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/executable.h"

#include <cassert>

#include "runtime/core/diagnostics.h"
#include "runtime/core/linker_name.h"

namespace heddle::runtime {

Executable::Executable(driver::Client& client, const Topology& topology, Objects& objects, Images& images,
                       FinalizerLibrary& finalizer, hsa_profile_t profile,
                       std::optional<hsa_default_float_rounding_mode_t> rounding)
    : client_(client),
      topology_(topology),
      objects_(objects),
      images_(images),
      finalizer_(finalizer),
      profile_(profile),
      rounding_(rounding) {}

Executable::~Executable() {
  for (const auto& loaded : loaded_) {
    assert((!loaded->code.has_value() || loaded->agent != nullptr) && "only agents run code");
    if (loaded->code.has_value()) (void)client_.unload_code(*loaded->agent->driver, *loaded->code);
    objects_.loaded_code_objects.erase(loaded->handle);
  }
  for (const auto& [agent, handle] : image_handles_) (void)images_.remove(*agent, handle);
  for (const auto& [agent, handle] : sampler_handles_) (void)images_.remove(*agent, handle);
  for (const Allocation& block : blocks_) (void)client_.free(block.address);
  for (const auto& symbol : symbols_) objects_.executable_symbols.erase(symbol->handle.handle);
}

hsa_executable_state_t Executable::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

hsa_default_float_rounding_mode_t Executable::rounding() const {
  std::lock_guard lock(mutex_);
  return rounding_.value_or(HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
}

/// Reports whether a load in this form adds the definition of the variable to the executable.
bool Executable::defines(LoadForm form, const codeobject::CodeObject& object,
                         const codeobject::Variable& variable) {
  if (!variable.defined) return false;
  return variable.allocation == codeobject::Allocation::program
             ? object.has_program_part && form != LoadForm::agent
             : object.has_agent_part && form != LoadForm::program;
}

/// Reports whether a load in this form uses the variable at all.
bool Executable::concerns(LoadForm form, const codeobject::Variable& variable) {
  return form != LoadForm::program || variable.allocation == codeobject::Allocation::program;
}

Executable::InstanceKey Executable::key_of(const Agent* agent, const codeobject::Variable& variable) {
  return {variable.allocation == codeobject::Allocation::program ? nullptr : agent, variable.linker_name};
}

const Executable::Instance* Executable::find_instance(const InstanceKey& key) const {
  const auto number =
      instance_index_.find(key.hash(), [&](uint32_t other) { return instances_[other].key == key; });
  return number.has_value() ? &instances_[*number] : nullptr;
}

Executable::ExternalKey Executable::external_key(const Agent* agent, std::string_view name) {
  return {agent, std::string(bare_name(name))};
}

hsa_status_t Executable::define(const Agent* agent, codeobject::Segment segment, std::string_view name,
                                void* address) {
  if (bare_name(name).empty()) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  std::lock_guard lock(mutex_);
  if (state_ == HSA_EXECUTABLE_STATE_FROZEN) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  if (is_loaded_definition(agent, name)) return HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
  const bool fresh = externals_.emplace(external_key(agent, name), External{segment, address}).second;
  return fresh ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
}

std::shared_ptr<ExecutableSymbol> Executable::find(const Agent* agent, const char* module,
                                                   std::string_view name) const {
  std::lock_guard lock(mutex_);
  for (const auto& symbol : symbols_)
    if ((symbol->agent == nullptr || symbol->agent == agent) && symbol->description.matches(module, name))
      return symbol;
  return nullptr;
}

std::shared_ptr<ExecutableSymbol> Executable::find_linker_name(const Agent* agent,
                                                               std::string_view name) const {
  std::lock_guard lock(mutex_);
  for (const auto& symbol : symbols_)
    if (symbol->agent == agent && symbol->description.matches(name)) return symbol;
  return nullptr;
}

std::vector<std::shared_ptr<ExecutableSymbol>> Executable::symbols() const {
  std::lock_guard lock(mutex_);
  return symbols_;
}

uint32_t Executable::validate() const {
  std::lock_guard lock(mutex_);
  uint32_t findings = 0;
  const auto finding = [&](std::string_view text) {
    report(HSAM_LOG_WARNING, "loader", text);
    ++findings;
  };
  if (state_ != HSA_EXECUTABLE_STATE_FROZEN) finding("the executable is not frozen");
  const codeobject::CodeObject* first = nullptr;
  for (const auto& loaded : loaded_) {
    const codeobject::CodeObject& object = loaded->object();
    if (first == nullptr) first = &object;
    if (object.machine_model != first->machine_model) finding("the machine models of code objects differ");
    if (object.profile != first->profile) finding("the profiles of code objects differ");
    if (object.rounding != first->rounding) finding("the default rounding modes of code objects differ");
    for (const codeobject::Variable& variable : object.variables)
      if (concerns(loaded->form, variable)) findings += validate_variable(*loaded, variable);
  }
  return findings;
}

/// Checks that the code object's declaration of a variable agrees with the definition (PRM 4.12). Returns the
/// number of contradictions.
uint32_t Executable::validate_variable(const LoadedCodeObject& loaded,
                                       const codeobject::Variable& variable) const {
  const Instance* instance = find_instance(key_of(loaded.agent, variable));
  if (instance == nullptr || (instance->holder == nullptr && instance->external == nullptr)) {
    report_error("loader", "variable {} is declared but not defined", variable.linker_name);
    return 1;
  }
  if (instance->holder == nullptr) return 0;
  const codeobject::Variable& definition = instance->definition();
  // An array may be declared without its size (size 0).
  const bool fits = variable.segment == definition.segment && variable.is_const == definition.is_const &&
                    (variable.size == 0 || variable.size == definition.size) &&
                    variable.align <= definition.align;
  if (!fits) report_error("loader", "declaration and definition of {} differ", variable.linker_name);
  return fits ? 0 : 1;
}

}  // namespace heddle::runtime
