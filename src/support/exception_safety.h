// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it takes to leave things as they were when memory runs out half way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace heddle {

/// Does something at the end of a block, however it is left. It must not throw.
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

/// Room for one element more, so that the next push_back cannot fail: asked for before what the element
/// stands for is made.
template <typename Vector>
void make_room(Vector& vector) {
  if (vector.size() == vector.capacity()) vector.reserve(std::max<size_t>(8, 2 * vector.size()));
}

}  // namespace heddle
