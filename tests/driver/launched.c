/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that an agent launches in the client's process. Its initializer is its entry point. */
#include <stdlib.h>

__attribute__((constructor)) static void begin(void) { setenv("HEDDLE_TEST_LAUNCHED", "yes", 1); }
