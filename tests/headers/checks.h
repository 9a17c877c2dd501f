// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the C and C++ tests of the public headers: a check has a name, the value found and the value
// wanted.
#ifndef HEDDLE_TESTS_HEADERS_CHECKS_H_
#define HEDDLE_TESTS_HEADERS_CHECKS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct check {
  const char* name;
  long long found;
  long long wanted;
};

#define CHECK_ENUMERATOR(type, name, value) {#name, (long long)(name), (value)},
#define CHECK_SIZE(type, value) {"sizeof " #type, (long long)sizeof(type), (value)},
#define CHECK_OFFSET(type, field, value) {#type "." #field, (long long)offsetof(type, field), (value)},

/* Prints the checks that fail and returns their number. */
int run_checks(const char* language, const struct check* checks, size_t count);

/* Runs the checks with the headers compiled as C++. Returns the number of failures. */
int run_cpp_checks(void);

#ifdef __cplusplus
}
#endif

#endif
