// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/guard.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace heddle::finalizer {
namespace {

struct Guard : ::testing::Test {
  template <typename Run>
  hsail_status call(Run run) {
    said.clear();
    const auto keep = [](const char* text, size_t length, void* data) {
      static_cast<std::string*>(data)->append(text, length);
    };
    return guarded(keep, &said, run);
  }
  const std::string id = "FINALIZER-internal";
  std::string said;
};

TEST_F(Guard, AStatusPassesWithoutAWord) {
  EXPECT_EQ(call([] { return HSAIL_INVALID_MODULE; }), HSAIL_INVALID_MODULE);
  EXPECT_EQ(said, "");
}

TEST_F(Guard, WantOfMemoryIsAStatus) {
  EXPECT_EQ(call([]() -> hsail_status { throw std::bad_alloc(); }), HSAIL_OUT_OF_RESOURCES);
  EXPECT_EQ(call([]() -> hsail_status { throw std::bad_array_new_length(); }), HSAIL_OUT_OF_RESOURCES);
  EXPECT_EQ(said, "");
}

TEST_F(Guard, AnyOtherExceptionIsSaid) {
  EXPECT_EQ(call([]() -> hsail_status { throw std::logic_error("seven of nine"); }),
            HSAIL_FINALIZATION_FAILED);
  EXPECT_NE(said.find(id), std::string::npos) << said;
  EXPECT_NE(said.find("seven of nine"), std::string::npos) << said;
  EXPECT_EQ(call([]() -> hsail_status { throw 7; }), HSAIL_FINALIZATION_FAILED);
  EXPECT_NE(said.find(id), std::string::npos) << said;
  EXPECT_EQ(guarded(nullptr, nullptr, []() -> hsail_status { throw 7; }), HSAIL_FINALIZATION_FAILED);
}

}  // namespace
}  // namespace heddle::finalizer
