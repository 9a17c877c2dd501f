// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code object readers and executables (Runtime 2.8.1.17 to 2.8.1.36).
#include "runtime/core/executable.h"

#include "driver/log.h"
#include "runtime/api/api.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/float_rounding.h"

using namespace heddle::runtime;

namespace {

namespace codeobject = heddle::codeobject;

template <typename Table, typename Handle, typename Object>
hsa_status_t publish(Table& table, std::shared_ptr<Object> object, Handle* handle) {
  const uint64_t number = table.insert(std::move(object));
  if (number == 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  handle->handle = number;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t create(Runtime& runtime, hsa_profile_t profile,
                    std::optional<hsa_default_float_rounding_mode_t> rounding, hsa_executable_state_t state,
                    hsa_executable_t* executable) {
  auto created = std::make_shared<Executable>(runtime.client(), runtime.topology(), runtime.objects(),
                                              runtime.images(), runtime.finalizer(), profile, rounding);
  if (state == HSA_EXECUTABLE_STATE_FROZEN) {
    const hsa_status_t status = created->freeze();
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return publish(runtime.objects().executables, std::move(created), executable);
}

using E = const Executable&;
using V = api::Value;

constexpr api::Attribute<Executable> executable_attributes[] = {
    {HSA_EXECUTABLE_INFO_PROFILE,
     [](E executable, V value) { value.put<hsa_profile_t>(executable.profile()); }},
    {HSA_EXECUTABLE_INFO_STATE,
     [](E executable, V value) { value.put<hsa_executable_state_t>(executable.state()); }},
    {HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE,
     [](E executable, V value) { value.put<hsa_default_float_rounding_mode_t>(executable.rounding()); }},
};

/// Implements the three functions that define external variables; `agent` is null for program allocation.
hsa_status_t define(hsa_executable_t executable, const hsa_agent_t* agent, codeobject::Segment segment,
                    const char* variable_name, void* address, const char* function = __builtin_FUNCTION()) {
  return api::guard(
      [&](Runtime& runtime) {
        auto found = runtime.objects().executables.get(executable.handle);
        if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
        const Agent* owner = agent == nullptr ? nullptr : runtime.topology().agent(*agent);
        if (agent != nullptr && owner == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
        if (variable_name == nullptr || address == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        return found->define(owner, segment, variable_name, address);
      },
      function);
}

/// Implements the two functions that load from a reader; `agent` is null for program code objects.
hsa_status_t load(hsa_executable_t executable, const hsa_agent_t* agent,
                  hsa_code_object_reader_t code_object_reader, hsa_loaded_code_object_t* loaded_code_object,
                  const char* function = __builtin_FUNCTION()) {
  return api::guard(
      [&](Runtime& runtime) {
        clear_diagnostics();
        auto found = runtime.objects().executables.get(executable.handle);
        if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
        if (found->state() == HSA_EXECUTABLE_STATE_FROZEN) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
        const Agent* owner = agent == nullptr ? nullptr : runtime.topology().agent(*agent);
        if (agent != nullptr && owner == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
        auto reader = runtime.objects().readers.get(code_object_reader.handle);
        if (reader == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
        auto image = parse_code_image(reader->bytes());
        if (image == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
        return found->load(agent == nullptr ? LoadForm::program : LoadForm::agent, owner, std::move(image),
                           loaded_code_object);
      },
      function);
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file,
                                                     hsa_code_object_reader_t* code_object_reader) {
  return api::guard([&](Runtime& runtime) {
    if (code_object_reader == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::shared_ptr<CodeObjectReader> reader;
    const hsa_status_t status = CodeObjectReader::from_file(file, reader);
    if (status != HSA_STATUS_SUCCESS) return status;
    return publish(runtime.objects().readers, std::move(reader), code_object_reader);
  });
}

hsa_status_t hsa_code_object_reader_create_from_memory(const void* code_object, size_t size,
                                                       hsa_code_object_reader_t* code_object_reader) {
  return api::guard([&](Runtime& runtime) {
    if (code_object == nullptr || size == 0 || code_object_reader == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return publish(runtime.objects().readers, CodeObjectReader::from_memory(code_object, size),
                   code_object_reader);
  });
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t code_object_reader) {
  return api::guard([&](Runtime& runtime) {
    return runtime.objects().readers.erase(code_object_reader.handle) == nullptr
               ? HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER
               : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t executable_state,
                                   const char* options, hsa_executable_t* executable) {
  (void)options;  // no options are defined, and unknown ones are ignored
  return api::guard([&](Runtime& runtime) {
    const bool is_state =
        executable_state == HSA_EXECUTABLE_STATE_UNFROZEN || executable_state == HSA_EXECUTABLE_STATE_FROZEN;
    if (!api::is_profile(profile) || !is_state || executable == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return create(runtime, profile, std::nullopt, executable_state, executable);
  });
}

hsa_status_t hsa_executable_create_alt(hsa_profile_t profile,
                                       hsa_default_float_rounding_mode_t default_float_rounding_mode,
                                       const char* options, hsa_executable_t* executable) {
  (void)options;
  return api::guard([&](Runtime& runtime) {
    // Programs for ROCm pass DEFAULT, which is no mode of an executable; HEDDLE_FLOAT_ROUNDING helps them.
    const bool is_known =
        static_cast<uint32_t>(default_float_rounding_mode) <= HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
    const hsa_default_float_rounding_mode_t mode = effective_rounding(default_float_rounding_mode);
    if (!api::is_profile(profile) || !is_known || executable == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (mode == HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT) {
      heddle::driver::log_error(
          "an executable needs a rounding mode, near or zero; HEDDLE_FLOAT_ROUNDING sets it for programs "
          "that do "
          "not say any");
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return create(runtime, profile, mode, HSA_EXECUTABLE_STATE_UNFROZEN, executable);
  });
}

hsa_status_t hsa_executable_destroy(hsa_executable_t executable) {
  return api::guard([&](Runtime& runtime) {
    return runtime.objects().executables.erase(executable.handle) == nullptr
               ? HSA_STATUS_ERROR_INVALID_EXECUTABLE
               : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_executable_load_program_code_object(hsa_executable_t executable,
                                                     hsa_code_object_reader_t code_object_reader,
                                                     const char* options,
                                                     hsa_loaded_code_object_t* loaded_code_object) {
  (void)options;
  return load(executable, nullptr, code_object_reader, loaded_code_object);
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t code_object_reader,
                                                   const char* options,
                                                   hsa_loaded_code_object_t* loaded_code_object) {
  (void)options;
  return load(executable, &agent, code_object_reader, loaded_code_object);
}

hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char* options) {
  (void)options;
  return api::guard([&](Runtime& runtime) {
    clear_diagnostics();
    auto found = runtime.objects().executables.get(executable.handle);
    return found == nullptr ? HSA_STATUS_ERROR_INVALID_EXECUTABLE : found->freeze();
  });
}

hsa_status_t hsa_executable_get_info(hsa_executable_t executable, hsa_executable_info_t attribute,
                                     void* value) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().executables.get(executable.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::get_attribute(executable_attributes, static_cast<uint32_t>(attribute), value, *found);
  });
}

hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable, const char* variable_name,
                                                   void* address) {
  return define(executable, nullptr, codeobject::Segment::global, variable_name, address);
}

hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                         const char* variable_name, void* address) {
  return define(executable, &agent, codeobject::Segment::global, variable_name, address);
}

hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                     const char* variable_name, void* address) {
  return define(executable, &agent, codeobject::Segment::readonly, variable_name, address);
}

hsa_status_t hsa_executable_validate(hsa_executable_t executable, uint32_t* result) {
  return functions::hsa_executable_validate_alt(executable, nullptr, result);
}

hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable, const char* options, uint32_t* result) {
  (void)options;
  return api::guard([&](Runtime& runtime) {
    clear_diagnostics();
    auto found = runtime.objects().executables.get(executable.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = found->validate();
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
