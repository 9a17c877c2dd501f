// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The finalizer extension (Runtime 3.2), except for linker names.
#include <hsa/hsa_ext_finalize.h>

#include "runtime/api/deprecated_code_object.h"
#include "runtime/api/isa_attributes.h"
#include "runtime/core/code_object_writer.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/float_rounding.h"
#include "runtime/core/program.h"
#include "runtime/core/safe_read.h"

using namespace heddle::runtime;

namespace {

/// Returns the finalizer's ISA with this index, or null past the last one.
const Isa* isa_at(Runtime& runtime, const FinalizerFunctions& functions, uint32_t index) {
  hsail_isa_info info{};
  if (functions.isa_at(index, &info) == 0) return nullptr;
  return runtime.topology().intern_isa(info.name, info.wavefront_size);
}

}  // namespace

const Isa* api::find_finalizer_isa(Runtime& runtime, std::string_view name) {
  const FinalizerFunctions* functions = runtime.finalizer().open();
  if (functions == nullptr) return nullptr;
  for (uint32_t i = 0;; ++i) {
    const Isa* isa = isa_at(runtime, *functions, i);
    if (isa == nullptr || isa->name == name) return isa;
  }
}

namespace {

/// Returns the writer of a handle, or null. The specification passes writers by value in one place and by
/// address in another, so the address of a writer is accepted, too (docs/spec-decisions.md). safe_read()
/// reads it, because the handle may be no valid address.
std::shared_ptr<CodeObjectWriter> find_writer(Runtime& runtime, hsa_ext_code_object_writer_t writer) {
  if (auto found = runtime.objects().writers.get(writer.handle)) return found;
  hsa_ext_code_object_writer_t pointed{};
  if (!safe_read(writer.handle, &pointed, sizeof(pointed))) return nullptr;
  return runtime.objects().writers.get(pointed.handle);
}

hsa_status_t publish_writer(Runtime& runtime, std::shared_ptr<CodeObjectWriter> writer,
                            hsa_ext_code_object_writer_t* handle) {
  handle->handle = runtime.objects().writers.insert(std::move(writer));
  return handle->handle == 0 ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
}

/// Finalizes a program and writes the result; `isa` is null for the program code object.
hsa_status_t finalize_to_writer(hsa_ext_program_t program, const hsa_isa_t* isa, const char* options,
                                hsa_ext_code_object_writer_t code_object_writer,
                                const char* function = __builtin_FUNCTION()) {
  return api::guard(
      [&](Runtime& runtime) {
        clear_diagnostics();
        auto found = runtime.objects().programs.get(program.handle);
        if (found == nullptr) return HSA_EXT_STATUS_ERROR_INVALID_PROGRAM;
        const Isa* target = isa == nullptr ? nullptr : runtime.topology().isa(*isa);
        if (isa != nullptr && target == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
        auto writer = find_writer(runtime, code_object_writer);
        if (writer == nullptr) return HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER;
        FinalizedCode code(found->functions());
        const auto kind = isa == nullptr ? HSAIL_CODE_OBJECT_PROGRAM : HSAIL_CODE_OBJECT_AGENT;
        const hsa_status_t status = found->finalize(kind, target, options, nullptr, code);
        return status == HSA_STATUS_SUCCESS ? writer->write(code.bytes()) : status;
      },
      function);
}

bool is_machine_model(hsa_machine_model_t model) {
  return model == HSA_MACHINE_MODEL_SMALL || model == HSA_MACHINE_MODEL_LARGE;
}

bool is_rounding_mode(hsa_default_float_rounding_mode_t mode) {
  return static_cast<uint32_t>(mode) <= HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
}

using P = const Program&;
using V = api::Value;

constexpr api::Attribute<Program> program_attributes[] = {
    {HSA_EXT_PROGRAM_INFO_MACHINE_MODEL,
     [](P program, V value) { value.put<hsa_machine_model_t>(program.machine_model()); }},
    {HSA_EXT_PROGRAM_INFO_PROFILE, [](P program, V value) { value.put<hsa_profile_t>(program.profile()); }},
    {HSA_EXT_PROGRAM_INFO_DEFAULT_FLOAT_ROUNDING_MODE,
     [](P program, V value) { value.put<hsa_default_float_rounding_mode_t>(program.rounding()); }},
};

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_ext_finalizer_iterate_isa(hsa_status_t (*callback)(hsa_isa_t isa, void* data), void* data) {
  return api::guard([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const FinalizerFunctions* functions = runtime.finalizer().open();
    if (functions == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    for (uint32_t i = 0;; ++i) {
      const Isa* isa = isa_at(runtime, *functions, i);
      if (isa == nullptr) return HSA_STATUS_SUCCESS;
      const hsa_status_t status = callback(isa->handle, data);
      if (status != HSA_STATUS_SUCCESS) return status;
    }
  });
}

hsa_status_t hsa_ext_isa_from_name(const char* name, hsa_isa_t* isa) {
  return api::guard([&](Runtime& runtime) {
    if (name == nullptr || isa == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime.finalizer().open() == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    const Isa* found = api::find_finalizer_isa(runtime, name);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ISA_NAME;
    *isa = found->handle;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void* value) {
  return functions::hsa_isa_get_info(isa, attribute, index, value);
}

hsa_status_t hsa_ext_code_object_writer_create_from_file(hsa_file_t file,
                                                         hsa_ext_code_object_writer_t* code_object_writer) {
  return api::guard([&](Runtime& runtime) {
    if (code_object_writer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::shared_ptr<CodeObjectWriter> writer;
    const hsa_status_t status = CodeObjectWriter::to_file(file, writer);
    if (status != HSA_STATUS_SUCCESS) return status;
    return publish_writer(runtime, std::move(writer), code_object_writer);
  });
}

hsa_status_t hsa_ext_code_object_writer_create_from_memory(
    hsa_status_t (*memory_allocate)(size_t size, size_t align, void** ptr, void* data), void* data,
    hsa_ext_code_object_writer_t* code_object_writer) {
  return api::guard([&](Runtime& runtime) {
    if (memory_allocate == nullptr || code_object_writer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return publish_writer(runtime, CodeObjectWriter::to_memory(memory_allocate, data), code_object_writer);
  });
}

hsa_status_t hsa_ext_code_object_writer_destroy(hsa_ext_code_object_writer_t code_object_writer) {
  return api::guard([&](Runtime& runtime) {
    return runtime.objects().writers.erase(code_object_writer.handle) == nullptr
               ? HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER
               : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_program_create(hsa_machine_model_t machine_model, hsa_profile_t profile,
                                    hsa_default_float_rounding_mode_t default_float_rounding_mode,
                                    const char* options, hsa_ext_program_t* program) {
  (void)options;  // no options are defined, and unknown ones are ignored
  return api::guard([&](Runtime& runtime) {
    if (!is_machine_model(machine_model) || !api::is_profile(profile) ||
        !is_rounding_mode(default_float_rounding_mode) || program == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const FinalizerFunctions* functions = runtime.finalizer().open();
    if (functions == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    auto created =
        Program::create(*functions, machine_model, profile, effective_rounding(default_float_rounding_mode));
    if (created == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    program->handle = runtime.objects().programs.insert(std::move(created));
    return program->handle == 0 ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_program_destroy(hsa_ext_program_t program) {
  return api::guard([&](Runtime& runtime) {
    return runtime.objects().programs.erase(program.handle) == nullptr ? HSA_EXT_STATUS_ERROR_INVALID_PROGRAM
                                                                       : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_program_add_module(hsa_ext_program_t program, hsa_ext_module_t module) {
  return api::guard([&](Runtime& runtime) {
    clear_diagnostics();
    auto found = runtime.objects().programs.get(program.handle);
    if (found == nullptr) return HSA_EXT_STATUS_ERROR_INVALID_PROGRAM;
    return module == nullptr ? HSA_EXT_STATUS_ERROR_INVALID_MODULE : found->add_module(module);
  });
}

hsa_status_t hsa_ext_program_iterate_modules(hsa_ext_program_t program,
                                             hsa_status_t (*callback)(hsa_ext_program_t program,
                                                                      hsa_ext_module_t module, void* data),
                                             void* data) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().programs.get(program.handle);
    if (found == nullptr) return HSA_EXT_STATUS_ERROR_INVALID_PROGRAM;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->modules(),
                        [&](hsa_ext_module_t module) { return callback(program, module, data); });
  });
}

hsa_status_t hsa_ext_program_get_info(hsa_ext_program_t program, hsa_ext_program_info_t attribute,
                                      void* value) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().programs.get(program.handle);
    if (found == nullptr) return HSA_EXT_STATUS_ERROR_INVALID_PROGRAM;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::get_attribute(program_attributes, static_cast<uint32_t>(attribute), value, *found);
  });
}

hsa_status_t hsa_ext_program_code_object_finalize(hsa_ext_program_t program, const char* options,
                                                  hsa_ext_code_object_writer_t code_object_writer) {
  return finalize_to_writer(program, nullptr, options, code_object_writer);
}

hsa_status_t hsa_ext_agent_code_object_finalize(hsa_ext_program_t program, hsa_isa_t isa, const char* options,
                                                hsa_ext_code_object_writer_t code_object_writer) {
  return finalize_to_writer(program, &isa, options, code_object_writer);
}

hsa_status_t hsa_ext_program_finalize(hsa_ext_program_t program, hsa_isa_t isa, int32_t call_convention,
                                      hsa_ext_control_directives_t control_directives, const char* options,
                                      hsa_code_object_type_t code_object_type,
                                      hsa_code_object_t* code_object) {
  return api::guard([&](Runtime& runtime) {
    clear_diagnostics();
    auto found = runtime.objects().programs.get(program.handle);
    if (found == nullptr) return HSA_EXT_STATUS_ERROR_INVALID_PROGRAM;
    const Isa* target = runtime.topology().isa(isa);
    if (target == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    constexpr int32_t call_convention_count = 1;
    if (call_convention < HSA_EXT_FINALIZER_CALL_CONVENTION_AUTO ||
        call_convention >= call_convention_count || code_object_type != HSA_CODE_OBJECT_TYPE_PROGRAM ||
        code_object == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const hsail_control_directives directives = to_hsail(control_directives);
    FinalizedCode code(found->functions());
    const hsa_status_t status = found->finalize(HSAIL_CODE_OBJECT_BOTH, target, options, &directives, code);
    // All other arguments have been checked, so only the directives can be invalid.
    if (status == HSA_STATUS_ERROR_INVALID_ARGUMENT) return HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH;
    if (status != HSA_STATUS_SUCCESS) return status;
    auto image = parse_code_image(code.bytes());
    if (image == nullptr) return HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED;
    return api::publish_code_object(runtime, std::move(image), code_object);
  });
}

}  // namespace heddle::runtime::functions
