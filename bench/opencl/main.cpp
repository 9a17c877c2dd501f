// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the example kernels in OpenCL C on the first CPU device, on the problems of examples/*.cpp, and prints
// one JSON object for each: {"example", "build_ms", "first_ms", "kernel_ms", "ok"}. Results are checked for
// simple properties only, because the examples themselves compare with full references.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include "opencl_session.h"

namespace {

using namespace comparison;
using Clock = std::chrono::steady_clock;

struct Bench {
  Device device;
  cl_program program = nullptr;
  double build_ms = 0;
  int repeats = 3;

  /// Prints the median over `repeats` runs after a first one that warms up (PoCL compiles for a work-group
  /// size at the first launch).
  void report(
      const char* example, const std::function<void()>& enqueue, const std::function<bool()>& right,
      const std::function<void()>& prepare = [] {}) {
    std::vector<double> times;
    double first = 0;
    for (int i = 0; i <= repeats; ++i) {
      prepare();
      auto start = Clock::now();
      enqueue();
      check(clFinish(device.queue), "clFinish");
      double time = milliseconds_since(start);
      if (i == 0)
        first = time;
      else
        times.push_back(time);
    }
    std::nth_element(times.begin(), times.begin() + static_cast<ptrdiff_t>(times.size() / 2), times.end());
    double median = times[times.size() / 2];
    std::printf(
        "{\"example\": \"%s\", \"build_ms\": %.3f, \"first_ms\": %.3f, \"kernel_ms\": %.4f, \"ok\": %s}\n",
        example, build_ms, first, median, right() ? "true" : "false");
    std::fflush(stdout);
  }
};

void build(Bench& bench, const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const char* source = text.c_str();
  auto start = Clock::now();
  cl_int status = 0;
  bench.program = clCreateProgramWithSource(bench.device.context, 1, &source, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  // Divisions and roots are rounded correctly, as in HSAIL's full profile.
  check(clBuildProgram(bench.program, 1, &bench.device.device, "-cl-fp32-correctly-rounded-divide-sqrt",
                       nullptr, nullptr),
        "clBuildProgram");
  bench.build_ms = milliseconds_since(start);
}

template <typename T>
void fill_random(T& values, float low, float high, uint32_t seed = 1) {
  std::mt19937 bits(seed);
  for (auto& value : values) value = low + (high - low) * static_cast<float>(bits() >> 8) * 0x1p-24f;
}

void vector_add(Bench& bench) {
  const cl_uint n = 64u << 20;
  Buffer<float> a(bench.device, n), b(bench.device, n), out(bench.device, n);
  for (cl_uint i = 0; i < n; ++i)
    a.values[i] = static_cast<float>(i % 1000) * 0.5f, b.values[i] = static_cast<float>(i % 777) * 0.25f;
  a.upload(bench.device);
  b.upload(bench.device);
  Kernel kernel(bench.program, "vector_add");
  kernel.with(out, a, b, n);
  bench.report(
      "vector_add", [&] { kernel.enqueue(bench.device, n, 1, 256, 1); },
      [&] {
        out.download(bench.device);
        for (cl_uint i = 0; i < n; ++i)
          if (out.values[i] != a.values[i] + b.values[i]) return false;
        return true;
      });
}

void matmul(Bench& bench) {
  const cl_uint n = 1024;
  Buffer<float> a(bench.device, n * n), b(bench.device, n * n), c(bench.device, n * n);
  fill_random(a.values, -1, 1, 1);
  fill_random(b.values, -1, 1, 2);
  a.upload(bench.device);
  b.upload(bench.device);
  Kernel kernel(bench.program, "matmul");
  kernel.with(c, a, b, n);
  bench.report(
      "matmul", [&] { kernel.enqueue(bench.device, n, n, 16, 16); },
      [&] {
        c.download(bench.device);
        for (cl_uint row = 0; row < n; row += 101) {
          for (cl_uint column = 0; column < n; column += 97) {
            float sum = 0;
            for (cl_uint k = 0; k < n; ++k)
              sum = std::fma(a.values[row * n + k], b.values[k * n + column], sum);
            if (c.values[row * n + column] != sum) return false;
          }
        }
        return true;
      });
}

void mandelbrot(Bench& bench) {
  const cl_uint width = 1024, height = 768, limit = 256;
  const float left = -2.3f, top = -1.2f, step = 3.2f / 1024;
  Buffer<cl_uint> out(bench.device, width * height);
  Kernel kernel(bench.program, "mandelbrot");
  kernel.with(out, width, height, left, top, step, limit);
  bench.report(
      "mandelbrot", [&] { kernel.enqueue(bench.device, width, height, 16, 16); },
      [&] {
        out.download(bench.device);
        auto inside = std::count(out.values.begin(), out.values.end(), limit);
        return out.values[0] < 5 && inside > 100000 && inside < 200000;
      });
}

void gaussian_blur(Bench& bench) {
  const int width = 600, height = 400, radius = 8;
  const size_t pixels = size_t{width} * height;
  Buffer<cl_uint> in(bench.device, pixels), out(bench.device, pixels);
  Buffer<std::array<float, 4>> between(bench.device, pixels);
  Buffer<float> weights(bench.device, 2 * radius + 1);
  std::fill(weights.values.begin(), weights.values.end(), 1.0f / static_cast<float>(2 * radius + 1));
  for (size_t i = 0; i < pixels; ++i) in.values[i] = 0x80604020;  // a flat picture stays as it is
  in.upload(bench.device);
  weights.upload(bench.device);
  Kernel rows(bench.program, "blur_rows"), columns(bench.program, "blur_columns");
  rows.with(between, in, weights, radius, width, height);
  columns.with(out, between, weights, radius, width, height);
  auto run = [&] {
    rows.enqueue(bench.device, width, height, 64, 1);
    columns.enqueue(bench.device, width, height, 64, 1);
  };
  bench.report("gaussian_blur", run, [&] {
    out.download(bench.device);
    return out.values == in.values;
  });
}

void sobel(Bench& bench) {
  const int width = 600, height = 400;
  const size_t pixels = size_t{width} * height;
  Buffer<cl_uint> in(bench.device, pixels);
  Buffer<cl_uchar> out(bench.device, pixels);
  for (size_t i = 0; i < pixels; ++i)
    in.values[i] = i % width < width / 2 ? 0xff000000 : 0xffffffff;  // one upright edge
  in.upload(bench.device);
  Kernel kernel(bench.program, "sobel");
  kernel.with(out, in, width, height);
  bench.report(
      "sobel", [&] { kernel.enqueue(bench.device, width, height, 64, 1); },
      [&] {
        out.download(bench.device);
        for (size_t i = 0; i < pixels; ++i) {
          int x = static_cast<int>(i % width);
          if (out.values[i] != (x == width / 2 - 1 || x == width / 2 ? 255 : 0)) return false;
        }
        return true;
      });
}

void histogram(Bench& bench) {
  const cl_uint n = 64u << 20;
  Buffer<cl_uchar> in(bench.device, n);
  Buffer<cl_uint> bins(bench.device, 256);
  std::mt19937 bits(5);
  std::vector<cl_uint> expected(256);
  for (auto& byte : in.values) byte = static_cast<cl_uchar>((bits() & 15) * (bits() & 15));
  for (cl_uchar byte : in.values) ++expected[byte];
  in.upload(bench.device);
  Kernel kernel(bench.program, "histogram");
  kernel.with(bins, in, n);
  bench.report(
      "histogram", [&] { kernel.enqueue(bench.device, 1024 * 256, 1, 256, 1); },
      [&] {
        bins.download(bench.device);
        return bins.values == expected;
      },
      [&] {
        std::fill(bins.values.begin(), bins.values.end(), 0);
        bins.upload(bench.device);
      });
}

void reduction(Bench& bench) {
  const cl_uint n = 64u << 20, groups = 256;
  Buffer<float> in(bench.device, n), partial(bench.device, groups), sum(bench.device, 1);
  fill_random(in.values, 0, 1);
  in.upload(bench.device);
  Kernel first(bench.program, "reduce_sum"), second(bench.program, "reduce_sum");
  first.with(partial, in, n);
  second.with(sum, partial, groups);
  auto run = [&] {
    first.enqueue(bench.device, groups * 256, 1, 256, 1);
    second.enqueue(bench.device, 256, 1, 256, 1);
  };
  bench.report("reduction", run, [&] {
    sum.download(bench.device);
    double expected = 0;
    for (float value : in.values) expected += value;
    return std::abs(sum.values[0] - expected) < 1e-4 * expected;
  });
}

void nbody(Bench& bench) {
  const cl_uint n = 8192;
  const float time_step = 0.01f, softening = 0.001f;
  using Vector = std::array<float, 4>;
  Buffer<Vector> positions(bench.device, n), velocities(bench.device, n), new_positions(bench.device, n),
      new_velocities(bench.device, n);
  std::vector<float> random(size_t{n} * 7);
  fill_random(random, -1, 1);
  for (cl_uint i = 0; i < n; ++i) {
    const float* r = &random[size_t{i} * 7];
    positions.values[i] = {r[0], r[1], r[2], 1.5f + r[3]};
    velocities.values[i] = {r[4] * 0.1f, r[5] * 0.1f, r[6] * 0.1f, 0};
  }
  positions.upload(bench.device);
  velocities.upload(bench.device);
  Kernel kernel(bench.program, "nbody_step");
  kernel.with(new_positions, new_velocities, positions, velocities, n, time_step, softening);
  bench.report(
      "nbody", [&] { kernel.enqueue(bench.device, n, 1, 64, 1); },
      [&] {
        new_positions.download(bench.device);
        for (cl_uint i = 0; i < n; ++i) {
          for (int c = 0; c < 3; ++c) {
            float moved = new_positions.values[i][c] - positions.values[i][c];
            if (!std::isfinite(moved) || moved == 0) return false;
          }
        }
        return true;
      });
}

constexpr struct {
  const char* name;
  void (*run)(Bench&);
} benches[] = {{"vector_add", vector_add},       {"matmul", matmul}, {"mandelbrot", mandelbrot},
               {"gaussian_blur", gaussian_blur}, {"sobel", sobel},   {"histogram", histogram},
               {"reduction", reduction},         {"nbody", nbody}};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench-opencl KERNELS.cl REPEATS [example...]\n");
    return 2;
  }
  try {
    Bench bench;
    bench.repeats = std::max(1, std::atoi(argv[2]));
    std::fprintf(stderr, "%s\n", bench.device.name().c_str());
    build(bench, argv[1]);
    for (const auto& entry : benches) {
      bool wanted = argc == 3 || std::any_of(argv + 3, argv + argc, [&](const char* name) {
                      return std::strcmp(name, entry.name) == 0;
                    });
      if (wanted) entry.run(bench);
    }
    clReleaseProgram(bench.program);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-opencl: %s\n", error.what());
    return 1;
  }
  return 0;
}
