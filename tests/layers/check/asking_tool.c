/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool that asks for the time, by the name of the function, in each call that it sees. */
#include <hsa/hsa_api_trace.h>

static CoreApiTable core;

__attribute__((visibility("default"))) uint64_t asking_tool_calls;

static void ask(void) {
  uint64_t now = 0;
  (void)hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now);
  ++asking_tool_calls;
}

static hsa_signal_value_t load_relaxed(hsa_signal_t signal) {
  ask();
  return core.hsa_signal_load_relaxed_fn(signal);
}
static hsa_signal_value_t load_scacquire(hsa_signal_t signal) {
  ask();
  return core.hsa_signal_load_scacquire_fn(signal);
}
static hsa_status_t region_get_info(hsa_region_t region, hsa_region_info_t attribute, void* value) {
  ask();
  return core.hsa_region_get_info_fn(region, attribute, value);
}
static uint64_t load_read_index(const hsa_queue_t* queue) {
  ask();
  return core.hsa_queue_load_read_index_scacquire_fn(queue);
}

__attribute__((visibility("default"))) bool OnLoad(HsaApiTable* table, uint64_t runtime_version,
                                                   uint64_t failed_tool_count,
                                                   const char* const* failed_tool_names) {
  (void)runtime_version;
  (void)failed_tool_count;
  (void)failed_tool_names;
  core = *table->core_;
  table->core_->hsa_signal_load_relaxed_fn = load_relaxed;
  table->core_->hsa_signal_load_scacquire_fn = load_scacquire;
  table->core_->hsa_region_get_info_fn = region_get_info;
  table->core_->hsa_queue_load_read_index_scacquire_fn = load_read_index;
  return true;
}
