// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/lazy_code.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "runtime/core/diagnostics.h"

namespace heddle::runtime {

LazyCode::LazyCode(FinalizerLibrary& library, std::shared_ptr<const CodeImage> image)
    : library_(library), image_(std::move(image)) {
  assert(image_->object.lazy && "other code objects have their code");
}

hsa_status_t LazyCode::link(std::shared_ptr<Program>& program) {
  const std::scoped_lock lock(mutex_);
  if (program_ == nullptr) {
    const FinalizerFunctions* const functions = library_.open();
    if (functions == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    const codeobject::CodeObject& object = image_->object;
    auto made = Program::create(*functions, static_cast<hsa_machine_model_t>(object.machine_model),
                                static_cast<hsa_profile_t>(object.profile),
                                static_cast<hsa_default_float_rounding_mode_t>(object.rounding));
    if (made == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    for (const std::vector<std::byte>& module : object.brig) {
      // The interface does not take modules that are const, but it only reads them.
      auto* const brig = const_cast<std::byte*>(module.data());
      const hsa_status_t status = made->add_module(reinterpret_cast<hsa_ext_module_t>(brig), module.size());
      if (status != HSA_STATUS_SUCCESS) return status;
    }
    program_ = std::move(made);
  }
  program = program_;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t LazyCode::finalize(const Isa& isa, const std::string& kernel,
                                std::shared_ptr<const CodeImage>& code) {
  std::shared_ptr<Program> program;
  hsa_status_t status = link(program);
  if (status != HSA_STATUS_SUCCESS) return status;
  const std::string options = image_->object.lazy_options + " -kernel=" + kernel;
  FinalizedCode finalized(program->functions());
  status = program->finalize(HSAIL_CODE_OBJECT_AGENT, &isa, options.c_str(), nullptr, finalized);
  if (status != HSA_STATUS_SUCCESS) return status;
  auto made = parse_code_image(finalized.bytes());
  if (made == nullptr) return HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED;
  if (!std::ranges::equal(made->object.program_digest, image_->object.program_digest)) {
    report(HSAM_LOG_ERROR, "loader", "the modules of a lazy code object are not those that it was made from");
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  }
  code = std::move(made);
  return HSA_STATUS_SUCCESS;
}

}  // namespace heddle::runtime
