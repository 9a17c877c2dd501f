// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench.h"

namespace heddle::corpus {

uint32_t Bench::group_memory_of_kernel() const {
  if (!device_.is_loaded()) return 0;  // which the test has reported
  const auto info = device_.loaded().kernel(kernel_);
  return info ? info->group_size : 0;
}

void Bench::dispatch(Size grid, Size group, const testing::Arguments& arguments, uint32_t group_memory) {
  const auto extent = [](Size size) {
    tools::Extent extent;
    extent.size[0] = static_cast<uint32_t>(size.x);
    extent.size[1] = static_cast<uint32_t>(size.y);
    extent.size[2] = static_cast<uint32_t>(size.z);
    extent.dimensions = 3;
    return extent;
  };
  EXPECT_TRUE(device_.run(kernel_, arguments, extent(grid), extent(group), group_memory)) << kernel_;
}

std::vector<Case> joined(std::initializer_list<std::vector<Case>> parts) {
  std::vector<Case> all;
  for (const std::vector<Case>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace heddle::corpus
