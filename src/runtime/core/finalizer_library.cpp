// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/finalizer_library.h"

#include <dlfcn.h>
#include <unistd.h>
#include <cstdlib>
#include <new>

#include "runtime/core/diagnostics.h"
#include "runtime/core/library_folder.h"

namespace heddle::runtime {

namespace {

/// The name has the version of the interface, so that libraries of several versions can lie in one folder.
std::string default_path() {
  return library_folder() + "/libheddle-finalizer.so." + std::to_string(HSAIL_API_VERSION);
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) report_error("finalizer", "{} is missing", name);
  return function != nullptr;
}

}  // namespace

FinalizerLibrary::FinalizerLibrary() {
  const char* setting = secure_getenv("HEDDLE_FINALIZER");
  path_ = setting != nullptr && *setting != '\0' ? setting : default_path();
  available_ = access(path_.c_str(), R_OK) == 0;
}

bool FinalizerLibrary::load() {
  // RTLD_LOCAL keeps the LLVM in this library apart from another one that the process may have loaded.
  void* library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    report_error("finalizer", "cannot open {}: {}", path_, dlerror());
    return false;
  }
  if (!find(library, "hsail_api_version", functions_.api_version)) return false;
  if (functions_.api_version() != HSAIL_API_VERSION) {
    report_error("finalizer", "{} has interface version {}, not {}", path_, functions_.api_version(),
                 HSAIL_API_VERSION);
    return false;
  }
  return find(library, "hsail_blob_free", functions_.blob_free) &&
         find(library, "hsail_program_create", functions_.program_create) &&
         find(library, "hsail_program_destroy", functions_.program_destroy) &&
         find(library, "hsail_program_add_module", functions_.program_add_module) &&
         find(library, "hsail_program_finalize", functions_.program_finalize) &&
         find(library, "hsail_isa_at", functions_.isa_at);
}

const FinalizerFunctions* FinalizerLibrary::open() {
  std::call_once(once_, [this] {
    loaded_ = load();
    available_ = loaded_;
  });
  return loaded_ ? &functions_ : nullptr;
}

hsa_status_t to_hsa_status(hsail_status status) {
  switch (status) {
    case HSAIL_OK:
      return HSA_STATUS_SUCCESS;
    case HSAIL_INVALID_ARGUMENT:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    case HSAIL_INVALID_PROGRAM:
      return HSA_EXT_STATUS_ERROR_INVALID_PROGRAM;
    case HSAIL_INVALID_MODULE:
      return HSA_EXT_STATUS_ERROR_INVALID_MODULE;
    case HSAIL_INCOMPATIBLE_MODULE:
      return HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE;
    case HSAIL_MODULE_ALREADY_INCLUDED:
      return HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED;
    case HSAIL_SYMBOL_MISMATCH:
      return HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH;
    case HSAIL_INVALID_ISA:
      return HSA_STATUS_ERROR_INVALID_ISA;
    case HSAIL_DIRECTIVE_MISMATCH:
      return HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH;
    case HSAIL_FINALIZATION_FAILED:
      return HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED;
    case HSAIL_OUT_OF_RESOURCES:
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    case HSAIL_SYNTAX_ERROR:
      return HSA_EXT_STATUS_ERROR_INVALID_MODULE;
  }
  return HSA_STATUS_ERROR;
}

void FinalizerText::keep(const char* text, size_t length, void* data) {
  auto& kept = static_cast<FinalizerText*>(data)->text_;
  try {
    kept.append(text, length);
  } catch (const std::bad_alloc&) {
    kept.clear();  // an incomplete text misleads; the status says what matters
  }
}

void FinalizerText::report(hsail_status status) {
  if (text_.empty()) return;
  try {
    runtime::report(status == HSAIL_OK ? HSAM_LOG_WARNING : HSAM_LOG_ERROR, "finalizer", text_);
  } catch (const std::bad_alloc&) {
    clear_diagnostics();
  }
}

}  // namespace heddle::runtime
