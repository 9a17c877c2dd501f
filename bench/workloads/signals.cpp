// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Fourier transform.
#include <cmath>
#include <complex>
#include <numbers>

#include "data.h"
#include "entries.h"

namespace bench {
namespace {

using Complex = std::complex<double>;

/// Transforms the n values at `in`, `stride` apart, by the definition for n = 1 and else by halves.
void fourier_transform(const Complex* in, Complex* out, size_t n, size_t stride) {
  if (n == 1) {
    *out = *in;
    return;
  }
  fourier_transform(in, out, n / 2, stride * 2);
  fourier_transform(in + stride, out + n / 2, n / 2, stride * 2);
  for (size_t i = 0; i < n / 2; ++i) {
    const Complex even = out[i];
    const double angle = -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    const Complex odd = std::polar(1.0, angle) * out[i + n / 2];
    out[i] = even + odd;
    out[i + n / 2] = even - odd;
  }
}

std::vector<float> transformed(const std::vector<float>& re, const std::vector<float>& im, bool want_real) {
  std::vector<Complex> in(re.size()), out(re.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = {static_cast<double>(re[i]), static_cast<double>(im[i])};
  fourier_transform(in.data(), out.data(), in.size(), 1);
  std::vector<float> part(re.size());
  for (size_t i = 0; i < in.size(); ++i)
    part[i] = static_cast<float>(want_real ? out[i].real() : out[i].imag());
  return part;
}

}  // namespace

Workload fft(Size size) {
  const uint32_t passes = size == Size::measured ? 9 : 5, n = 1u << (2 * passes);
  Workload w("fft", "256 Ki complex f32, radix 4");
  const auto re = random_reals<float>(n, -1, 1, 1), im = random_reals<float>(n, -1, 1, 2);
  std::vector<float> root_re(3 * n / 4), root_im(3 * n / 4);
  for (size_t i = 0; i < root_re.size(); ++i) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(i) / n;
    root_re[i] = static_cast<float>(std::cos(angle));
    root_im[i] = static_cast<float>(std::sin(angle));
  }
  // Results are about sqrt(n) = 512, with an error of about 2^-24 of that for each pass.
  const Tolerance tolerance{1e-5, 2e-3};
  const std::vector<float> zeros(n);
  // An odd number of passes ends in these buffers, if the first pass writes them.
  const auto out_re = w.result(zeros, [=] { return transformed(re, im, true); }, tolerance);
  const auto out_im = w.result(zeros, [=] { return transformed(re, im, false); }, tolerance);
  const auto other_re = w.between<float>(n), other_im = w.between<float>(n);
  const auto roots_re = w.input(root_re), roots_im = w.input(root_im);
  BufferArgument from_re = w.input(re), from_im = w.input(im), to_re = out_re, to_im = out_im;
  for (uint32_t stride = 1; stride < n; stride *= 4) {
    w.launch("fft_pass", Grid::cover(n / 4, 256),
             {to_re, to_im, from_re, from_im, roots_re, roots_im, n, stride});
    const bool to_out = to_re.index == out_re.index;
    from_re = to_re, from_im = to_im;
    to_re = to_out ? other_re : out_re, to_im = to_out ? other_im : out_im;
  }
  return w;
}

}  // namespace bench
