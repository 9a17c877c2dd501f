// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public headers as a C99 program includes them, by their folder, with every value, size, offset and
// prototype of data/.
#include <stdio.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ext_log.h>
#include <hsa/hsa_ext_perf_counter.h>
#include <hsa/hsa_ext_profile_event.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <hsa/hsa_ven_heddle_trace.h>

#include "checks.h"

// Declares each function again; the compiler rejects a declaration that differs from the first.
#define CHECK_PROTOTYPES
#include "headers_checks.inc"
#undef CHECK_PROTOTYPES

#define CHECK_SLOT(type, field)
static const struct check checks[] = {
#include "headers_checks.inc"
};

int run_checks(const char* language, const struct check* list, size_t count) {
  int failures = 0;
  for (size_t i = 0; i < count; ++i) {
    if (list[i].found == list[i].wanted) continue;
    printf("%s: %s is %lld, expected %lld\n", language, list[i].name, list[i].found, list[i].wanted);
    ++failures;
  }
  printf("%s: %zu checks, %d failures\n", language, count, failures);
  return failures;
}

int main(void) {
  const int failures = run_checks("C", checks, sizeof checks / sizeof checks[0]) + run_cpp_checks();
  return failures == 0 ? 0 : 1;
}
