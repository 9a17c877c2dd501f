// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/program.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_entries.h>

#include "driver/log.h"
#include "driver/logged_lock.h"
#include "runtime/core/safe_read.h"

namespace heddle::runtime {

Program::Program(const FinalizerFunctions& functions, hsa_machine_model_t model, hsa_profile_t profile,
                 hsa_default_float_rounding_mode_t rounding)
    : functions_(functions), model_(model), profile_(profile), rounding_(rounding) {}

std::shared_ptr<Program> Program::create(const FinalizerFunctions& functions, hsa_machine_model_t model,
                                         hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding) {
  // The object comes first, so that it owns the finalizer's program from the beginning.
  std::shared_ptr<Program> created(new Program(functions, model, profile, rounding));
  if (functions.program_create(model, profile, rounding, &created->program_) != HSAIL_OK) return nullptr;
  return created;
}

Program::~Program() {
  if (program_ != nullptr) functions_.program_destroy(program_);
}

namespace {

/// Reports whether a module begins at the address. Some clients pass uninitialised variables.
bool is_module_address(hsa_ext_module_t module) {
  hsa_brig_module_header_t header;
  constexpr char identification[] = {'H', 'S', 'A', ' ', 'B', 'R', 'I', 'G'};
  static_assert(sizeof(identification) == sizeof(header.identification));
  return safe_read(reinterpret_cast<uint64_t>(module), &header, sizeof(header)) &&
         std::memcmp(header.identification, identification, sizeof(identification)) == 0;
}

}  // namespace

hsa_status_t Program::add_module(hsa_ext_module_t module, size_t size) {
  std::lock_guard lock(mutex_);
  if (std::find(modules_.begin(), modules_.end(), module) != modules_.end())
    return HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED;
  if (!is_module_address(module)) return HSA_EXT_STATUS_ERROR_INVALID_MODULE;
  modules_.reserve(modules_.size() + 1);
  FinalizerText text;
  const hsail_status status =
      functions_.program_add_module(program_, module, size, FinalizerText::keep, &text);
  if (status == HSAIL_OK) modules_.push_back(module);
  text.report(status);
  return to_hsa_status(status);
}

std::vector<hsa_ext_module_t> Program::modules() const {
  std::lock_guard lock(mutex_);
  return modules_;
}

hsa_status_t Program::finalize(hsail_code_object_kind kind, const Isa* isa, const char* options,
                               const hsail_control_directives* directives, FinalizedCode& code) {
  const auto lock = driver::lock_logged(mutex_, "a program");
  const uint64_t begin = driver::timestamp();
  FinalizerText text;
  const hsail_status status =
      functions_.program_finalize(program_, kind, isa == nullptr ? nullptr : isa->name.c_str(), options,
                                  directives, code.blob(), FinalizerText::keep, &text);
  driver::log_info(HSAM_LOG_CODE, "a program of {} modules is finalized for {} in {:.1f} ms: status {}",
                   modules_.size(), isa == nullptr ? "all ISAs" : isa->name.c_str(),
                   static_cast<double>(driver::timestamp() - begin) * 1000 /
                       static_cast<double>(driver::timestamp_frequency()),
                   static_cast<int>(status));
  text.report(status);
  return to_hsa_status(status);
}

hsail_control_directives to_hsail(const hsa_ext_control_directives_t& from) {
  const auto enabled = [&](hsa_brig_control_directive_t directive) {
    return (from.control_directives_mask >> directive & 1) != 0;
  };
  hsail_control_directives to{};
  to.mask = from.control_directives_mask;
  // Fields of directives that are not enabled have no meaning. They should be 0, but some clients leave them
  // uninitialised.
  if (enabled(HSA_BRIG_CONTROL_DIRECTIVE_ENABLEBREAKEXCEPTIONS))
    to.break_exceptions_mask = from.break_exceptions_mask;
  if (enabled(HSA_BRIG_CONTROL_DIRECTIVE_ENABLEDETECTEXCEPTIONS))
    to.detect_exceptions_mask = from.detect_exceptions_mask;
  if (enabled(HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE))
    to.max_dynamic_group_size = from.max_dynamic_group_size;
  if (enabled(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE)) to.max_flat_grid_size = from.max_flat_grid_size;
  if (enabled(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE))
    to.max_flat_workgroup_size = from.max_flat_workgroup_size;
  if (enabled(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE))
    std::copy_n(from.required_grid_size, 3, to.required_grid_size);
  if (enabled(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE)) {
    to.required_workgroup_size[0] = from.required_workgroup_size.x;
    to.required_workgroup_size[1] = from.required_workgroup_size.y;
    to.required_workgroup_size[2] = from.required_workgroup_size.z;
  }
  if (enabled(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM)) to.required_dim = from.required_dim;
  return to;
}

}  // namespace heddle::runtime
