// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "workload.h"

#include <cassert>
#include <cmath>
#include <cstdio>
#include <utility>

namespace bench {
namespace {

uint32_t up(uint32_t n, uint32_t multiple) { return (n + multiple - 1) / multiple * multiple; }

template <typename T>
bool close(T found, T expected, Tolerance tolerance) {
  if (tolerance.relative == 0 && tolerance.absolute == 0)
    return std::memcmp(&found, &expected, sizeof(T)) == 0;
  const auto a = static_cast<double>(found), b = static_cast<double>(expected);
  if (std::isnan(b)) return std::isnan(a);
  if (std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance.absolute + tolerance.relative * std::abs(b);
}

template <typename T>
std::string difference_of(const Bytes& expected, std::span<const std::byte> found, Tolerance tolerance) {
  size_t wrong = 0;
  std::string first;
  for (size_t at = 0; at < expected.size(); at += sizeof(T)) {
    T e, f;
    std::memcpy(&e, expected.data() + at, sizeof(T));
    std::memcpy(&f, found.data() + at, sizeof(T));
    if (close(f, e, tolerance)) continue;
    if (wrong++ > 0) continue;
    char text[160];
    std::snprintf(text, sizeof text, "[%zu] is %.9g, not %.9g", at / sizeof(T), static_cast<double>(f),
                  static_cast<double>(e));
    first = text;
  }
  if (wrong == 0) return {};
  return std::to_string(wrong) + " of " + std::to_string(expected.size() / sizeof(T)) +
         " elements are wrong; " + first;
}

}  // namespace

Grid Grid::cover(uint32_t x, uint16_t group_x) { return cover(x, 1, 1, group_x, 1, 1); }

Grid Grid::cover(uint32_t x, uint32_t y, uint16_t group_x, uint16_t group_y) {
  return cover(x, y, 1, group_x, group_y, 1);
}

Grid Grid::cover(uint32_t x, uint32_t y, uint32_t z, uint16_t group_x, uint16_t group_y, uint16_t group_z) {
  return {{up(x, group_x), up(y, group_y), up(z, group_z)}, {group_x, group_y, group_z}};
}

uint32_t Grid::groups() const {
  uint32_t count = 1;
  for (int i = 0; i < 3; ++i) count *= size[i] / group[i];
  return count;
}

Workload::Workload(std::string name_, std::string problem_)
    : name(std::move(name_)), problem(std::move(problem_)), hsail("bench/kernels/" + name + ".hsail") {}

Workload& Workload::is_example() {
  hsail = "examples/kernels/" + name + ".hsail";
  return *this;
}

Workload& Workload::launch(const std::string& kernel, const Grid& grid,
                           const std::vector<Argument>& arguments) {
  launches.push_back({kernel, grid, arguments});
  return *this;
}

BufferArgument Workload::add(Buffer buffer) {
  buffers.push_back(std::move(buffer));
  return {buffers.size() - 1};
}

std::string difference(const Buffer& buffer, std::span<const std::byte> found) {
  const Bytes expected = buffer.expected();
  assert(expected.size() == buffer.initial.size());
  if (found.size() != expected.size()) return "the size is wrong";
  switch (buffer.element) {
    case Element::u8:
      return difference_of<uint8_t>(expected, found, buffer.tolerance);
    case Element::u32:
      return difference_of<uint32_t>(expected, found, buffer.tolerance);
    case Element::f32:
      return difference_of<float>(expected, found, buffer.tolerance);
    case Element::f64:
      return difference_of<double>(expected, found, buffer.tolerance);
  }
  return "the type is unknown";
}

}  // namespace bench
