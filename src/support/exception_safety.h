// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers that leave objects unchanged when memory runs out in the middle of a change.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace heddle {

/// Calls a function at the end of a block, however the block is left. The function must not throw.
template <typename F>
class Finally {
 public:
  explicit Finally(F f) : f_(std::move(f)) {}
  Finally(const Finally&) = delete;
  Finally& operator=(const Finally&) = delete;
  ~Finally() { f_(); }

 private:
  F f_;
};

/// Reserves capacity for one more element, so that the next push_back cannot fail. To be called before the
/// object that the element refers to is created.
template <typename Vector>
void reserve_one_more(Vector& vector) {
  if (vector.size() == vector.capacity()) vector.reserve(std::max<size_t>(8, 2 * vector.size()));
}

}  // namespace heddle
