/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the tools of the tests (tool.c) share with the test, which finds it by the name tool_state. */
#ifndef HEDDLE_TESTS_RUNTIME_TOOL_H_
#define HEDDLE_TESTS_RUNTIME_TOOL_H_

#include <hsa/hsa_ven_heddle_trace.h>

/* What has happened, in order, of all tools that write to the same journal. */
struct tool_journal {
  size_t length;
  char text[1024];
};

struct tool_state {
  /* Set by the test. */
  struct tool_journal* journal;
  bool (*on_load)(void); /* called at the end of OnLoad; its result is that of OnLoad */
  void (*on_unload)(void);
  /* Set by the tool. */
  HsaApiTable* table;
  HeddleApiTable* heddle;
  uint64_t runtime_version;
  uint64_t failed_tool_count;
  char last_failed[256];
};

#endif
