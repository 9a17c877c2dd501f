// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the cases of the corpus are made of: kernels, their arguments, and the results that they must have.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/device_program.h"
#include "values.h"

namespace heddle::corpus {

using testing::Array;

/// Group memory for a kernel argument in the local address space.
struct Local {
  uint32_t bytes;
};

/// Sizes of a grid or a work-group.
struct Size {
  uint64_t x, y = 1, z = 1;
  uint64_t items() const { return x * y * z; }
};

/// One kernel of a program on one agent.
class Bench {
 public:
  Bench(testing::DeviceProgram& device, std::string kernel)
      : device_(device), kernel_(std::move(kernel)), numbers_(kernel_) {}

  testing::DeviceProgram& device() { return device_; }

  /// Arguments that are the same in each run of the test, half of them special values.
  template <typename T>
  Array<T> numbers(size_t size) {
    Array<T> array(device_, size);
    for (size_t i = 0; i < size; ++i) array[i] = numbers_.next<T>();
    return array;
  }
  /// An array whose element i is function(i).
  template <typename T, typename F>
  Array<T> table(size_t size, const F& function) {
    Array<T> array(device_, size);
    for (size_t i = 0; i < size; ++i) array[i] = static_cast<T>(function(i));
    return array;
  }
  template <typename T>
  Array<T> zeros(size_t size) {
    return Array<T>(device_, size);
  }

  /// Executes the kernel: an Array is the argument of a pointer, a Local of one to local memory, and
  /// anything else is passed by value. A failure is one of the test.
  template <typename... A>
  void run(Size grid, Size group, const A&... arguments) {
    run_with_group_memory(0, grid, group, arguments...);
  }
  /// The same, with bytes of group memory that no argument names.
  template <typename... A>
  void run_with_group_memory(uint32_t unnamed, Size grid, Size group, const A&... arguments) {
    testing::Arguments bytes;
    uint32_t group_memory = group_memory_of_kernel() + unnamed, added = unnamed;
    (add(bytes, arguments, group_memory, added), ...);
    dispatch(grid, group, bytes, added);
  }

  /// Compares each element with expected(i).
  template <typename T, typename F>
  void expect(const Array<T>& results, const F& expected) {
    for (size_t i = 0; i < results.size(); ++i) {
      const T wanted = expected(i);
      if (is_same_value(results[i], wanted)) continue;
      std::ostringstream text;
      text << kernel_ << ": element " << i << " is ";
      describe(text, results[i]);
      text << " instead of ";
      describe(text, wanted);
      ADD_FAILURE() << text.str();
      return;
    }
  }

 private:
  template <typename A>
  static void add(testing::Arguments& bytes, const A& argument, uint32_t& next, uint32_t& added) {
    if constexpr (requires {
                    argument.data();
                    argument.size();
                  }) {
      bytes.add(argument.data());
    } else if constexpr (std::is_same_v<A, Local>) {
      const uint32_t begin = (next + 127) / 128 * 128;  // the alignment of the largest vector
      bytes.add(begin);
      added += begin + argument.bytes - next;
      next = begin + argument.bytes;
    } else {
      bytes.add(argument);
    }
  }
  uint32_t group_memory_of_kernel() const;
  void dispatch(Size grid, Size group, const testing::Arguments& arguments, uint32_t group_memory);

  testing::DeviceProgram& device_;
  std::string kernel_;
  Numbers numbers_;
};

/// The size of the waves that kernels of HIP need.
constexpr unsigned lanes_of_hip = 32;

/// A kernel and what is checked of it.
struct Case {
  const char* kernel;
  std::function<void(Bench&)> check;
};

/// A source file and its kernels, each of which has a case.
struct Module {
  const char* name;  ///< of the file without suffix
  std::vector<Case> cases;
  unsigned lanes = 0;  ///< of the waves that the kernels need; 0 if any do
};

std::vector<Case> joined(std::initializer_list<std::vector<Case>> parts);

/// Returns the check of a kernel (global R* out, global const A* a, ...) whose work-item i stores
/// function(a[i], ...) at out[i].
template <typename R, typename... A>
std::function<void(Bench&)> map(R (*function)(A...)) {
  return [function](Bench& bench) {
    constexpr size_t items = 250;  // with a partial work-group
    const std::tuple<Array<std::remove_cvref_t<A>>...> in{bench.numbers<std::remove_cvref_t<A>>(items)...};
    const auto out = bench.zeros<R>(items);
    std::apply([&](const auto&... array) { bench.run({items}, {64}, out, array...); }, in);
    bench.expect(out, [&](size_t i) {
      return std::apply([&](const auto&... array) { return function(array[i]...); }, in);
    });
  };
}

}  // namespace heddle::corpus
