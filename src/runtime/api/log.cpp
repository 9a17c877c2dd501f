// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logging (Runtime 3.6).
#include <hsa/hsa_ext_log.h>

#include "runtime/api/api.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/log.h"

using namespace heddle::runtime;

namespace {

/// Makes a call of the API and appends its messages to the log, whatever its status is.
template <typename Call>
hsa_status_t logged(hsa_ext_log_t handle, Call call, const char* function = __builtin_FUNCTION()) {
  return api::guard(
      [&](Runtime& runtime) {
        const std::shared_ptr<Log> log = runtime.objects().logs.get(handle.handle);
        if (log == nullptr) return HSA_EXT_STATUS_ERROR_INVALID_LOG;
        clear_diagnostics();
        const hsa_status_t status = call();
        log->append(last_diagnostics());
        return status;
      },
      function);
}

/// The functions of the finalizer take writers by value, and accept the address of a writer as well.
hsa_ext_code_object_writer_t by_value(const hsa_ext_code_object_writer_t* writer) {
  return {reinterpret_cast<uintptr_t>(writer)};
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_ext_log_create(hsa_ext_log_t* log) {
  return api::guard([&](Runtime& runtime) {
    if (log == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const uint64_t handle = runtime.objects().logs.insert(std::make_shared<Log>());
    if (handle == 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    log->handle = handle;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_log_destroy(hsa_ext_log_t log) {
  return api::guard([&](Runtime& runtime) {
    return runtime.objects().logs.erase(log.handle) == nullptr ? HSA_EXT_STATUS_ERROR_INVALID_LOG
                                                               : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_log_get(hsa_ext_log_t log, size_t* size, char* text) {
  return api::guard([&](Runtime& runtime) {
    const std::shared_ptr<Log> found = runtime.objects().logs.get(log.handle);
    if (found == nullptr) return HSA_EXT_STATUS_ERROR_INVALID_LOG;
    if (size == nullptr || text == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *size = found->take({text, *size});
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_log_program_code_object_finalize(hsa_ext_program_t program, const char* options,
                                                      hsa_ext_code_object_writer_t* code_object_writer,
                                                      hsa_ext_log_t log) {
  return logged(log, [&] {
    return functions::hsa_ext_program_code_object_finalize(program, options, by_value(code_object_writer));
  });
}

hsa_status_t hsa_ext_log_agent_code_object_finalize(hsa_ext_program_t program, hsa_isa_t isa,
                                                    const char* options,
                                                    hsa_ext_code_object_writer_t* code_object_writer,
                                                    hsa_ext_log_t log) {
  return logged(log, [&] {
    return functions::hsa_ext_agent_code_object_finalize(program, isa, options, by_value(code_object_writer));
  });
}

hsa_status_t hsa_ext_log_load_program_code_object(hsa_executable_t executable,
                                                  hsa_code_object_reader_t code_object_reader,
                                                  const char* options,
                                                  hsa_loaded_code_object_t* loaded_code_object,
                                                  hsa_ext_log_t log) {
  return logged(log, [&] {
    return functions::hsa_executable_load_program_code_object(executable, code_object_reader, options,
                                                              loaded_code_object);
  });
}

hsa_status_t hsa_ext_log_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                hsa_code_object_reader_t code_object_reader,
                                                const char* options,
                                                hsa_loaded_code_object_t* loaded_code_object,
                                                hsa_ext_log_t log) {
  return logged(log, [&] {
    return functions::hsa_executable_load_agent_code_object(executable, agent, code_object_reader, options,
                                                            loaded_code_object);
  });
}

}  // namespace heddle::runtime::functions
