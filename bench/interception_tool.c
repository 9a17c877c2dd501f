/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool that lets the benchmark (interception.cpp) see the tables. */
#include <hsa/hsa_api_trace.h>

__attribute__((visibility("default"))) HsaApiTable* bench_table;

__attribute__((visibility("default"))) bool OnLoad(HsaApiTable* table, uint64_t runtime_version,
                                                   uint64_t failed_tool_count,
                                                   const char* const* failed_tool_names) {
  (void)runtime_version;
  (void)failed_tool_count;
  (void)failed_tool_names;
  bench_table = table;
  return true;
}
