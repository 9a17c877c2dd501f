/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool that makes a mistake of its own: it destroys each signal twice. */
#include <hsa/hsa_api_trace.h>

static hsa_status_t (*destroy)(hsa_signal_t signal);

static hsa_status_t destroy_twice(hsa_signal_t signal) {
  const hsa_status_t status = destroy(signal);
  (void)destroy(signal);
  return status;
}

__attribute__((visibility("default"))) bool OnLoad(HsaApiTable* table, uint64_t runtime_version,
                                                   uint64_t failed_tool_count,
                                                   const char* const* failed_tool_names) {
  (void)runtime_version;
  (void)failed_tool_names;
  destroy = table->core_->hsa_signal_destroy_fn;
  table->core_->hsa_signal_destroy_fn = destroy_twice;
  return failed_tool_count == 0;
}
