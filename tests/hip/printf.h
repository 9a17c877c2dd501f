// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of printf.hip print; all memory is that of the device. The functions return the result of the
// last call of HIP.
#pragma once

#include <hip/hip_runtime_api.h>

#include <climits>
#include <cmath>

// Calls of printf with constant formats: CALL(format, arguments...). `text` is a string that the compiler
// does not know, `nothing` a null pointer, and `small` and `width` are numbers.
#define FOR_PRINTF_CALLS(CALL)                                                                             \
  CALL("plain\n")                                                                                          \
  CALL("100%%\n")                                                                                          \
  CALL("%d|%i|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d\n", 0, -1, 42, 42, -42, 42, 42, 7, -7)                      \
  CALL("%d %d %+.0d|%.0d|%.*d\n", INT_MIN, INT_MAX, 0, 0, -3, 0)                                           \
  CALL("%hhd %hd %ld %lld %hhu %hu\n", 511, 65537, LONG_MIN, 1LL << 62, 511, 65537)                        \
  CALL("%zu %td %jd\n", sizeof(int), nothing - nothing, static_cast<long>(small))                          \
  CALL("%u %lu %10u|%-10u|%010u\n", UINT_MAX, ULONG_MAX, 1U, 1U, 1U)                                       \
  CALL("%o %#o %#o %#.0o %.0o|%#.5o %lo\n", 64U, 64U, 0U, 0U, 0U, 8U, ULONG_MAX)                           \
  CALL("%x %X %#x %#X %#x %#.0x|%08x %lx %#018lx\n", 255U, 255U, 255U, 255U, 0U, 0U, 255U, ULONG_MAX, 1UL) \
  CALL("%c%3c%-3c|\n", 'a', 'b', 'c')                                                                      \
  CALL("%s|%10s|%-10s|%.2s|%.0s|%*.*s\n", "literal", "right", "left", "precise", "none", 6, 3, "starred")  \
  CALL("%s|%10s|%.3s|%.10s\n", text, text, text, text)                                                     \
  CALL("%s%s\n", "", "1234567")                                                                            \
  CALL("%p %20p %-20p|\n", static_cast<const void*>(nothing), static_cast<const void*>(nothing), nothing)  \
  CALL("%*d|%-*d|%0*d|%*d\n", width, 1, width, 2, width, 3, -width, 4)                                     \
  CALL("%f %.0f %.3f %10.2f|%-10.2f|%+f % f %#.0f\n", 0.5, 2.5, 9.9995, 1.005, -1.005, 1.0, 1.0, 3.0)      \
  CALL("%e %.0e %#.0e %.17e %E\n", 9.9999995, 9.5, 9.5, 0.1, 1e-310)                                       \
  CALL("%g %g %g %g %g %#g %.0g %#.3g %#g %G\n", 0.0001, 0.00001, 100000.0, 1e6, 999999.5, 1.0, 95.0, 0.0, \
       1e-9, 1e-7)                                                                                         \
  CALL("%a %A %.0a %.3a %a %a\n", 1.0, 0.1, 1.5, -1.999999, 0.0, 5e-324)                                   \
  CALL("%f %e %g %a %F %5.1f|%-6f|\n", INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, INFINITY,       \
       -INFINITY)                                                                                          \
  CALL("%d %s %f %s %ld %c\n", small, text, 1e22, "mixed", 1L << 40, 'z')

constexpr const char* printf_text = "a text that the compiler does not know";
constexpr int printf_small = -17, printf_width = 9;

extern "C" {
/// Makes each of these calls, and stores their results.
hipError_t run_printf_calls(int* results, const char* text);
/// Prints each of the numbers by each of the formats, which are strings one behind the other, and stores the
/// results: those of the first format first.
hipError_t run_printf_formats(int* results, const char* formats, int format_count, const double* numbers,
                              int number_count);
/// The odd work-items of a group print as many digits as their number; `results` of others is not changed.
hipError_t run_printf_apart(int* results, int count);
/// Prints by calls for a host that answers (`__ockl_printf_begin` and its kin), with constant and other
/// strings.
hipError_t run_printf_of_parts(int* results, const char* text);
}
