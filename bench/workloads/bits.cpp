// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workloads with integers and characters.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "data.h"
#include "entries.h"

namespace bench {
namespace {

/// The first 32 bits of the fractional part of the square root (2) or cube root (3) of the prime number with
/// this index. The 53 bits of a double are enough: no root of the first 64 primes has more than 5 bits before
/// the point.
uint32_t fraction_of_root(size_t index, int degree) {
  uint32_t prime = 1;
  for (size_t found = 0; found <= index;) {
    ++prime;
    bool divisible = false;
    for (uint32_t d = 2; d < prime; ++d) divisible |= prime % d == 0;
    if (!divisible) ++found;
  }
  const double root = degree == 2 ? std::sqrt(prime) : std::cbrt(prime);
  return static_cast<uint32_t>(std::ldexp(root - std::floor(root), 32));
}

/// SHA-256 of one block, as FIPS 180-4 describes it.
std::array<uint32_t, 8> sha256_of(const std::array<uint32_t, 16>& block) {
  static const auto constants = [] {
    std::array<uint32_t, 64> k{};
    for (size_t i = 0; i < 64; ++i) k[i] = fraction_of_root(i, 3);
    return k;
  }();
  std::array<uint32_t, 64> w{};
  std::copy(block.begin(), block.end(), w.begin());
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t x = w[t - 15], y = w[t - 2];
    w[t] = (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10)) + w[t - 7] +
           (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3)) + w[t - 16];
  }
  std::array<uint32_t, 8> hash{};
  for (size_t i = 0; i < 8; ++i) hash[i] = fraction_of_root(i, 2);
  auto [a, b, c, d, e, f, g, h] = hash;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                        constants[t] + w[t];
    const uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const uint32_t last[8] = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) hash[i] += last[i];
  return hash;
}

}  // namespace

Workload sha256(Size size) {
  const uint32_t n = size == Size::measured ? 32u << 10 : 300;
  Workload w("sha256", "32 Ki blocks of 64 bytes");
  auto in = random_integers<uint32_t>(16 * size_t{n}, 0, 1);
  // The first block is the message "abc", whose hash FIPS 180-4 gives as an example.
  for (size_t word = 0; word < 16; ++word) in[word * n] = word == 0 ? 0x61626380 : word == 15 ? 24 : 0;
  const auto expected = [=] {
    std::vector<uint32_t> out(8 * size_t{n});
    for (size_t i = 0; i < n; ++i) {
      std::array<uint32_t, 16> block{};
      for (size_t word = 0; word < 16; ++word) block[word] = in[word * n + i];
      const auto hash = sha256_of(block);
      for (size_t word = 0; word < 8; ++word) out[word * n + i] = hash[word];
    }
    return out;
  };
  const auto out = w.result(std::vector<uint32_t>(8 * size_t{n}), expected);
  return w.launch("sha256_blocks", Grid::cover(n, 256), {out, w.input(in), n});
}

Workload string_search(Size size) {
  const uint32_t n = size == Size::measured ? 2u << 20 : 2000, length = 12;
  Workload w("string_search", "2 Mi places, 12 of 4 letters");
  auto text = random_integers<uint8_t>(n + length - 1, 4, 1);
  const auto pattern = random_integers<uint8_t>(length, 4, 2);
  for (size_t place = 100; place + length <= text.size(); place += 997)
    std::copy(pattern.begin(), pattern.end(), text.begin() + static_cast<ptrdiff_t>(place));
  const auto expected = [=] {
    std::vector<uint8_t> found(n);
    for (size_t i = 0; i < n; ++i)
      found[i] = std::equal(pattern.begin(), pattern.end(), text.begin() + static_cast<ptrdiff_t>(i));
    return found;
  };
  const auto found = w.result(std::vector<uint8_t>(n), expected);
  return w.launch("string_search", Grid::cover(n, 256), {found, w.input(text), w.input(pattern), n, length});
}

}  // namespace bench
