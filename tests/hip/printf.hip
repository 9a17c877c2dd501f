// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that look at the result of printf.
#include "printf.h"

#include <hip/hip_runtime.h>

#include <cstdint>

namespace {

__global__ void make_calls(int* results, const char* text, int small, int width, const char* nothing) {
#define CALL(...) *results++ = printf(__VA_ARGS__);
  FOR_PRINTF_CALLS(CALL)
#undef CALL
}

__device__ const char* behind(const char* text) {
  while (*text != 0) ++text;
  return text + 1;
}

__global__ void print_numbers(int* results, const char* format, int format_count, const double* numbers,
                              int number_count) {
  for (int i = 0; i < format_count; ++i, format = behind(format))
    for (int j = static_cast<int>(threadIdx.x); j < number_count; j += static_cast<int>(blockDim.x))
      results[i * number_count + j] = printf(format, numbers[j]);
}

__global__ void print_apart(int* results) {
  const int item = static_cast<int>(threadIdx.x);
  if (item % 2 != 0) results[item] = printf("%0*d\n", item, 0);
}

extern "C" __device__ uint64_t __ockl_printf_begin(uint64_t version);
extern "C" __device__ uint64_t __ockl_printf_append_string_n(uint64_t message, const char* text, uint64_t length,
                                                             uint32_t is_last);
extern "C" __device__ uint64_t __ockl_printf_append_args(uint64_t message, uint32_t count, uint64_t a0, uint64_t a1,
                                                         uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                                                         uint64_t a6, uint32_t is_last);

__global__ void print_parts(int* results, const char* text) {
  constexpr char plain[] = "plain", numbers[] = "%d %5.1f\n", string[] = "%s\n";
  uint64_t message = __ockl_printf_append_string_n(__ockl_printf_begin(0), plain, sizeof plain, 1);
  results[0] = static_cast<int>(message);
  message = __ockl_printf_append_string_n(__ockl_printf_begin(0), numbers, sizeof numbers, 0);
  const uint64_t half = static_cast<uint64_t>(__double_as_longlong(0.5));
  results[1] = static_cast<int>(__ockl_printf_append_args(message, 2, 123, half, 0, 0, 0, 0, 0, 1));
  message = __ockl_printf_append_string_n(__ockl_printf_begin(0), string, sizeof string, 0);
  const uint64_t length = static_cast<uint64_t>(behind(text) - text);
  results[2] = static_cast<int>(__ockl_printf_append_string_n(message, text, length, 1));
}

}  // namespace

extern "C" {

/// In a module of its own: prints until there is no room, and stores the last result and the number of the others.
__global__ void print_until_full(int* results) {
  int count = 0, last = 0;
  while (count < 10000 && (last = printf("%d", count % 10)) >= 0) ++count;
  results[0] = last;
  results[1] = count;
}

hipError_t run_printf_calls(int* results, const char* text) {
  make_calls<<<1, 1>>>(results, text, printf_small, printf_width, nullptr);
  return hipGetLastError();
}
hipError_t run_printf_formats(int* results, const char* formats, int format_count, const double* numbers,
                              int number_count) {
  print_numbers<<<1, 64>>>(results, formats, format_count, numbers, number_count);
  return hipGetLastError();
}
hipError_t run_printf_apart(int* results, int count) {
  print_apart<<<1, static_cast<unsigned>(count)>>>(results);
  return hipGetLastError();
}
hipError_t run_printf_of_parts(int* results, const char* text) {
  print_parts<<<1, 1>>>(results, text);
  return hipGetLastError();
}
}
