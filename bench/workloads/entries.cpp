// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "entries.h"

namespace bench {

std::span<const Entry> workloads() {
  static constexpr Entry all[] = {
      {"vector_add", vector_add},
      {"triad", triad},
      {"saxpy", saxpy},
      {"sgemm_naive", sgemm_naive},
      {"matmul", matmul},
      {"dgemm", dgemm},
      {"transpose", transpose},
      {"spmv", spmv},
      {"mandelbrot", mandelbrot},
      {"gaussian_blur", gaussian_blur},
      {"sobel", sobel},
      {"raycast", raycast},
      {"nbody", nbody},
      {"stencil_2d", stencil_2d},
      {"stencil_3d", stencil_3d},
      {"life", life},
      {"histogram", histogram},
      {"reduction", reduction},
      {"scan", scan},
      {"bitonic_sort", bitonic_sort},
      {"black_scholes", black_scholes},
      {"kmeans", kmeans},
      {"fft", fft},
      {"sha256", sha256},
      {"string_search", string_search},
  };
  return all;
}

}  // namespace bench
