// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/kernel_objects.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle::agents {
namespace {

TEST(KernelObjects, GarbageIsNoKernel) {
  KernelObjects objects;
  const uint64_t handle = objects.add(std::make_shared<int>(5));
  for (uint64_t garbage : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, handle + 1, handle + 256, handle - 256})
    EXPECT_EQ(objects.find(garbage), nullptr) << garbage;
  EXPECT_EQ(*std::static_pointer_cast<int>(objects.find(handle)), 5);
}

TEST(KernelObjects, HandlesAreReadableBlocks) {
  KernelObjects objects;
  const uint64_t handle = objects.add(std::make_shared<int>());
  EXPECT_EQ(handle % 256, 0u);
  volatile const uint8_t* bytes = reinterpret_cast<const uint8_t*>(handle);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(bytes[i], 0);
}

TEST(KernelObjects, ARemovedHandleIsStaleForLong) {
  KernelObjects objects;
  const uint64_t stale = objects.add(std::make_shared<int>());
  objects.remove(stale);
  EXPECT_EQ(objects.find(stale), nullptr);
  objects.remove(stale);  // removing a stale handle again has no effect
  std::set<uint64_t> handles;
  for (int i = 0; i < 100; ++i) handles.insert(objects.add(std::make_shared<int>()));
  EXPECT_EQ(handles.size(), 100u);
  EXPECT_EQ(handles.count(stale), 0u);
  for (int i = 0; i < 1000; ++i) handles.insert(objects.add(std::make_shared<int>()));
  EXPECT_EQ(handles.size(), 1100u) << "a handle was given out twice";
}

TEST(KernelObjects, TheKernelLivesAsLongAsItIsUsed) {
  KernelObjects objects;
  auto kernel = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = kernel;
  const uint64_t handle = objects.add(std::move(kernel));
  {
    const auto used = objects.find(handle);
    objects.remove(handle);
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace heddle::agents
