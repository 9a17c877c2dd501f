// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of language.hip calculate with the functions of heddle's headers of HIP. Each function starts
// one kernel, waits for it and returns the result of the last call of HIP; all memory is that of the device.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>

extern "C" {
/// For each of `count` pairs of words, 16 words: what functions for integers make of them, in the order of
/// integer_functions.
hipError_t run_integers(uint32_t* to, const uint32_t* pairs, int count);
/// For each of `count` doubles, 16 words: what conversions to integers and to float make of it.
hipError_t run_conversions(uint64_t* to, const double* from, int count);
/// For each of `count` long integers, 8 words: the bits of what conversions to floating-point numbers make of
/// it.
hipError_t run_real_conversions(uint64_t* to, const int64_t* from, int count);
/// For each of `count` pairs of bits of halves, 10 results' bits: + - * /, fma(a, b, a), min, max, sqrt, and
/// the comparison < and >=.
hipError_t run_halves(uint16_t* to, const uint16_t* pairs, int count);
/// For each of `count` floats: the bits of halves nearest, towards 0, up and down, then of bfloat16 the same.
hipError_t run_half_conversions(uint16_t* to, const float* from, int count);
/// One work-group of 64: for each work-item, 8 numbers that shuffles and votes give.
hipError_t run_warps(int* to);
/// One work-group of 64: for each work-item, 10 numbers of cooperative groups.
hipError_t run_groups(int* to);
/// 256 work-items change 9 counters: added, subtracted, minimum, maximum, and, or, xor, wrapped, float sum.
hipError_t run_atomics(int* counters);
/// 256 work-items add (1, 2) to a pair of halves and (1, 0.5) to one of bfloat16; their bits.
hipError_t run_pair_atomics(uint16_t* to);
/// For each of `count` work-items: where it is, and the sizes, of a grid in three dimensions.
hipError_t run_ids(unsigned* to, dim3 grid, dim3 block);
/// What __syncthreads_count, _and and _or give for work-items whose number is below `limit`.
hipError_t run_reductions(int* to, int limit);
/// Six clocks that follow each other: wall_clock64(), clock64(), wall_clock64(), and after a thousand ticks
/// of wall_clock64() again, in the other order of the outer two: wall_clock64(), clock64(), wall_clock64().
hipError_t run_clocks(long long* to);
/// Vectors: 12 floats of expressions with operators.
hipError_t run_vectors(float* to);
}
