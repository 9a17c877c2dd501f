// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the comparison of heddle, PoCL and ispc runs: the kernels of bench/kernels, each with its data, its
// launches and the results that it must give. The programs of all three read this description, so that they
// do the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace bench {

using Bytes = std::vector<std::byte>;

/// Which problem a workload is made for: one whose times are measured, or a small one for tests, whose grid
/// is not a multiple of the work-groups if the kernel allows this. Problems for GPUs are so large that a GPU
/// is busy with them and their data does not fit its caches; only workloads of bench/cuda have such.
enum class Size { measured, small, gpu };

template <typename T>
T by_size(Size size, T small, T measured, T gpu) {
  return size == Size::small ? small : size == Size::measured ? measured : gpu;
}

enum class Element { u8, u32, f32, f64 };

/// How far a result may be from the reference: |result - reference| <= absolute + relative * |reference|.
/// Without either, results must have the same bits.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

struct Buffer {
  Element element;
  Bytes initial;  ///< what a kernel finds before the first launch; also says the size
  /// Computes what the first run leaves in the buffer; empty if the buffer is not a result.
  std::function<Bytes()> expected;
  Tolerance tolerance;
};

/// Names a buffer of a workload by its index.
struct BufferArgument {
  size_t index;
};
using Argument = std::variant<BufferArgument, uint32_t, int32_t, float>;

/// Sizes in work-items. Grids consist of whole work-groups, because OpenCL 1.2 has no others.
struct Grid {
  uint32_t size[3] = {1, 1, 1};
  uint16_t group[3] = {1, 1, 1};

  /// Returns the smallest grid of whole work-groups that has at least these work-items.
  static Grid cover(uint32_t x, uint16_t group_x);
  static Grid cover(uint32_t x, uint32_t y, uint16_t group_x, uint16_t group_y);
  static Grid cover(uint32_t x, uint32_t y, uint32_t z, uint16_t group_x, uint16_t group_y, uint16_t group_z);

  uint32_t groups() const;
};

/// One dispatch. The kernel has this name and these arguments in all three languages, without HSAIL's '&'.
struct Launch {
  std::string kernel;
  Grid grid;
  std::vector<Argument> arguments;
};

/// A run of a workload is all of its launches, one after the other. Runs may be repeated without initializing
/// the buffers again: the time of a launch does not depend on what a run leaves there.
struct Workload {
  std::string name;     ///< also the name of the files bench/kernels/NAME.{hsail,cl,ispc}
  std::string problem;  ///< for people: "4 Mi f32"; of small ones, it may be that of the measured one
  /// The HSAIL text, relative to the repository. Kernels that are examples are not repeated in bench/kernels.
  std::string hsail;
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;

  Workload(std::string name_, std::string problem_);

  /// Says that the kernel is one of examples/kernels. Returns *this.
  Workload& is_example();

  template <typename T>
  BufferArgument input(const std::vector<T>& values) {
    return add(buffer_of(values));
  }
  /// A buffer of zeros that a launch writes and a later one reads.
  template <typename T>
  BufferArgument between(size_t size) {
    return add(buffer_of(std::vector<T>(size)));
  }
  /// A buffer whose values are checked after the first run. `expected` returns a std::vector<T>.
  template <typename T, typename Expected>
  BufferArgument result(const std::vector<T>& initial, Expected expected, Tolerance tolerance = {}) {
    Buffer buffer = buffer_of(initial);
    buffer.expected = [expected] { return bytes_of(std::vector<T>(expected())); };
    buffer.tolerance = tolerance;
    return add(std::move(buffer));
  }
  /// Adds a launch. Returns *this.
  Workload& launch(const std::string& kernel, const Grid& grid, const std::vector<Argument>& arguments);

 private:
  template <typename T>
  static Bytes bytes_of(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  template <typename T>
  static Buffer buffer_of(const std::vector<T>& values);
  BufferArgument add(Buffer buffer);
};

template <typename T>
Buffer Workload::buffer_of(const std::vector<T>& values) {
  Buffer buffer{};
  if constexpr (std::is_same_v<T, uint8_t>)
    buffer.element = Element::u8;
  else if constexpr (std::is_same_v<T, uint32_t>)
    buffer.element = Element::u32;
  else if constexpr (std::is_same_v<T, float>)
    buffer.element = Element::f32;
  else {
    static_assert(std::is_same_v<T, double>);
    buffer.element = Element::f64;
  }
  buffer.initial = bytes_of(values);
  return buffer;
}

/// A workload that is made when it is needed, because its data may be large.
struct Entry {
  const char* name;
  Workload (*make)(Size);
};

/// All workloads, in the order of the reports.
std::span<const Entry> workloads();

/// Compares what a run has left in a buffer with the reference. Returns an empty string if it is right, and
/// otherwise says how many elements are wrong and what the first of them is. A NaN is right only where one is
/// expected.
std::string difference(const Buffer& buffer, std::span<const std::byte> found);

}  // namespace bench
