// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that make the workloads, for the list of them all.
#pragma once

#include "workload.h"

namespace bench {

// vectors.cpp
Workload vector_add(Size);
Workload triad(Size);
Workload saxpy(Size);
Workload black_scholes(Size);
Workload kmeans(Size);
// matrices.cpp
Workload sgemm_naive(Size);
Workload matmul(Size);
Workload dgemm(Size);
Workload transpose(Size);
Workload spmv(Size);
// pictures.cpp
Workload mandelbrot(Size);
Workload gaussian_blur(Size);
Workload sobel(Size);
Workload raycast(Size);
// simulations.cpp
Workload nbody(Size);
Workload stencil_2d(Size);
Workload stencil_3d(Size);
Workload life(Size);
// collectives.cpp
Workload histogram(Size);
Workload reduction(Size);
Workload scan(Size);
Workload bitonic_sort(Size);
// signals.cpp
Workload fft(Size);
// bits.cpp
Workload sha256(Size);
Workload string_search(Size);

}  // namespace bench
