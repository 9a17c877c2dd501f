/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool that tells its test what happens to it (tool.h). It is compiled several times under different names.
 */
#include "tool.h"

#include <string.h>

__attribute__((visibility("default"))) struct tool_state tool_state;

#ifdef TOOL_PRIORITY
extern const uint32_t HSA_AMD_TOOL_PRIORITY;
__attribute__((visibility("default"))) const uint32_t HSA_AMD_TOOL_PRIORITY = TOOL_PRIORITY;
#endif

static CoreApiTable core;

static void note(struct tool_journal* journal, const char* what) {
  if (journal == NULL || journal->length + strlen(what) >= sizeof(journal->text)) return;
  memcpy(journal->text + journal->length, what, strlen(what));
  journal->length += strlen(what);
}

static hsa_status_t get_info(hsa_system_info_t attribute, void* value) {
  note(tool_state.journal, TOOL_NAME "(");
  const hsa_status_t status = core.hsa_system_get_info_fn(attribute, value);
  note(tool_state.journal, ")");
  return status;
}

static hsa_status_t shut_down(void) {
  note(tool_state.journal, TOOL_NAME "-down;");
  return core.hsa_shut_down_fn();
}

__attribute__((visibility("default"))) void HeddleOnLoad(HeddleApiTable* table) { tool_state.heddle = table; }

__attribute__((visibility("default"))) bool OnLoad(HsaApiTable* table, uint64_t runtime_version,
                                                   uint64_t failed_tool_count,
                                                   const char* const* failed_tool_names) {
  tool_state.table = table;
  tool_state.runtime_version = runtime_version;
  tool_state.failed_tool_count = failed_tool_count;
  tool_state.last_failed[0] = '\0';
  if (failed_tool_count != 0)
    strncpy(tool_state.last_failed, failed_tool_names[failed_tool_count - 1],
            sizeof(tool_state.last_failed) - 1);
  core = *table->core_;
  table->core_->hsa_system_get_info_fn = get_info;
  table->core_->hsa_shut_down_fn = shut_down;
  note(tool_state.journal, TOOL_NAME "-load;");
  return tool_state.on_load == NULL || tool_state.on_load();
}

__attribute__((visibility("default"))) void OnUnload(void) {
  note(tool_state.journal, TOOL_NAME "-unload;");
  if (tool_state.on_unload != NULL) tool_state.on_unload();
}
