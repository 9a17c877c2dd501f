// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/program.h"

#include <algorithm>
#include <cstdint>

namespace heddle::runtime {

Program::Program(const FinalizerFunctions& functions, hsail_program_t program, hsa_machine_model_t model,
                 hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding)
    : functions_(functions), program_(program), model_(model), profile_(profile), rounding_(rounding) {}

std::shared_ptr<Program> Program::create(const FinalizerFunctions& functions, hsa_machine_model_t model,
                                         hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding) {
  hsail_program_t program = nullptr;
  if (functions.program_create(model, profile, rounding, &program) != HSAIL_OK) return nullptr;
  return std::shared_ptr<Program>(new Program(functions, program, model, profile, rounding));
}

Program::~Program() { functions_.program_destroy(program_); }

hsa_status_t Program::add_module(hsa_ext_module_t module) {
  std::lock_guard lock(mutex_);
  if (std::find(modules_.begin(), modules_.end(), module) != modules_.end())
    return HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED;
  modules_.reserve(modules_.size() + 1);
  // The API gives an address only: the module's header says how long it is.
  const hsail_status status =
      functions_.program_add_module(program_, module, SIZE_MAX, report_finalizer_text, nullptr);
  if (status == HSAIL_OK) modules_.push_back(module);
  return to_hsa_status(status);
}

std::vector<hsa_ext_module_t> Program::modules() const {
  std::lock_guard lock(mutex_);
  return modules_;
}

hsa_status_t Program::finalize(hsail_code_object_kind kind, const Isa* isa, const char* options,
                               const hsail_control_directives* directives, FinalizedCode& code) {
  std::lock_guard lock(mutex_);
  return to_hsa_status(functions_.program_finalize(program_, kind,
                                                   isa == nullptr ? nullptr : isa->name.c_str(), options,
                                                   directives, code.blob(), report_finalizer_text, nullptr));
}

hsail_control_directives to_hsail(const hsa_ext_control_directives_t& from) {
  hsail_control_directives to{};
  to.mask = from.control_directives_mask;
  to.break_exceptions_mask = from.break_exceptions_mask;
  to.detect_exceptions_mask = from.detect_exceptions_mask;
  to.max_dynamic_group_size = from.max_dynamic_group_size;
  to.max_flat_grid_size = from.max_flat_grid_size;
  to.max_flat_workgroup_size = from.max_flat_workgroup_size;
  std::copy_n(from.required_grid_size, 3, to.required_grid_size);
  to.required_workgroup_size[0] = from.required_workgroup_size.x;
  to.required_workgroup_size[1] = from.required_workgroup_size.y;
  to.required_workgroup_size[2] = from.required_workgroup_size.z;
  to.required_dim = from.required_dim;
  return to;
}

}  // namespace heddle::runtime
