// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "calls.h"

#include <map>

// The headers that ispc writes.
#include "bitonic_sort.h"
#include "black_scholes.h"
#include "dgemm.h"
#include "fft.h"
#include "gaussian_blur.h"
#include "histogram.h"
#include "kmeans.h"
#include "life.h"
#include "mandelbrot.h"
#include "matmul.h"
#include "nbody.h"
#include "raycast.h"
#include "reduction.h"
#include "saxpy.h"
#include "scan.h"
#include "sgemm_naive.h"
#include "sha256.h"
#include "sobel.h"
#include "spmv.h"
#include "stencil_2d.h"
#include "stencil_3d.h"
#include "string_search.h"
#include "transpose.h"
#include "triad.h"
#include "vector_add.h"

namespace comparison {

const Call& call_of(const std::string& kernel) {
  static const std::map<std::string, Call> calls = {
      {"bitonic_step", call_of(ispc::bitonic_step)},
      {"black_scholes", call_of(ispc::black_scholes)},
      {"dgemm", call_of(ispc::dgemm)},
      {"fft_pass", call_of(ispc::fft_pass)},
      {"blur_rows", call_of(ispc::blur_rows)},
      {"blur_columns", call_of(ispc::blur_columns)},
      {"histogram", call_of(ispc::histogram)},
      {"kmeans_assign", call_of(ispc::kmeans_assign)},
      {"life", call_of(ispc::life)},
      {"mandelbrot", call_of(ispc::mandelbrot)},
      {"matmul", call_of(ispc::matmul)},
      {"nbody_step", call_of(ispc::nbody_step)},
      {"raycast", call_of(ispc::raycast)},
      {"reduce_sum", call_of(ispc::reduce_sum)},
      {"saxpy", call_of(ispc::saxpy)},
      {"scan_blocks", call_of(ispc::scan_blocks)},
      {"scan_add", call_of(ispc::scan_add)},
      {"sgemm_naive", call_of(ispc::sgemm_naive)},
      {"sha256_blocks", call_of(ispc::sha256_blocks)},
      {"sobel", call_of(ispc::sobel)},
      {"spmv", call_of(ispc::spmv)},
      {"stencil_2d", call_of(ispc::stencil_2d)},
      {"stencil_3d", call_of(ispc::stencil_3d)},
      {"string_search", call_of(ispc::string_search)},
      {"transpose", call_of(ispc::transpose)},
      {"triad", call_of(ispc::triad)},
      {"vector_add", call_of(ispc::vector_add)},
  };
  const auto found = calls.find(kernel);
  if (found == calls.end()) throw std::runtime_error("there is no ispc function " + kernel);
  return found->second;
}

}  // namespace comparison
