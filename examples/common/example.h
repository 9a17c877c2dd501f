// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The input of an example and its report.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "hsa_session.h"

// Compiles a host reference twice where possible: for the baseline, where std::fma is a library call, and for
// processors with FMA. The results are the same. Such functions must not use library templates, because clang
// may not emit the instantiations that the clones need. Sanitized builds have no clones, because the choice
// between them is made before the sanitizers are ready.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(HEDDLE_SANITIZED)
#define EXAMPLES_HOST_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define EXAMPLES_HOST_CLONES
#endif

namespace examples {

struct Context {
  const Agent& agent;
  bool small;           ///< problem sizes for agents that are not fast
  int repeats;          ///< dispatches to measure; the median counts
  std::string kernels;  ///< folder of the BRIG modules
  std::string data;     ///< folder of the photograph
  std::string out;      ///< folder for pictures; empty: none
  std::string label;    ///< of this run in the names of pictures; may be empty

  std::string module(const char* name) const { return kernels + "/" + name + ".brig"; }
  /// Returns a path such as "out/mandelbrot-cpu.png".
  std::string picture(const std::string& name) const {
    return out + "/" + name + (label.empty() ? "" : "-" + label) + ".png";
  }
  size_t size(size_t full, size_t reduced) const { return small ? reduced : full; }
};

struct Outcome {
  std::string problem;  ///< size in words
  std::string mistake;  ///< empty if the result is right
  double finalize_ms = 0;
  double kernel_ms = 0;   ///< from submission to completion observed; median
  double work = 0;        ///< per run, in units of `unit` * 1e-9 s, e.g. bytes or floating-point operations
  const char* unit = "";  ///< "GB/s", "GFLOP/s", ...
};

struct Example {
  const char* name;
  const char* what;
  Outcome (*run)(const Context& context);
};

Outcome vector_add(const Context& context);
Outcome matmul(const Context& context);
Outcome mandelbrot(const Context& context);
Outcome gaussian_blur(const Context& context);
Outcome sobel(const Context& context);
Outcome histogram(const Context& context);
Outcome reduction(const Context& context);
Outcome nbody(const Context& context);
Outcome quicksort(const Context& context);

/**
 * Returns the median of the times in milliseconds that `run` returns. The first run warms up and does not
 * count. There are fewer than `repeats` runs if they would take longer than ten seconds.
 */
inline double median_of(int repeats, const std::function<double()>& run) {
  double spent = run();
  std::vector<double> times;
  while (times.empty() || (static_cast<int>(times.size()) < repeats && spent < 10'000)) {
    times.push_back(run());
    spent += times.back();
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

/** Describes the first difference. Returns an empty text if there is none. */
template <typename T, typename U>
std::string compare(const T& result, const U& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (result[i] != expected[i]) {
      return "element " + std::to_string(i) + " is " + std::to_string(result[i]) + ", not " +
             std::to_string(expected[i]);
    }
  }
  return {};
}

/** Fills with the same numbers on every machine, which std::uniform_real_distribution does not promise. */
template <typename T>
void fill_random(T& values, float low, float high, uint32_t seed = 1) {
  std::mt19937 bits(seed);
  for (auto& value : values) value = low + (high - low) * static_cast<float>(bits() >> 8) * 0x1p-24f;
}

}  // namespace examples
