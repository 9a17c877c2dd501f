// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devlib/opencl/samplers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hsail/assemble/assemble.h"

namespace heddle::testing {
namespace {

TEST(Samplers, AreThoseOfHsail) {
  EXPECT_EQ(devlib::sampler_initializer(0x14),
            "samp(coord = unnormalized, filter = nearest, addressing = clamp_to_border)");
  EXPECT_EQ(devlib::sampler_initializer(0x29),
            "samp(coord = normalized, filter = linear, addressing = mirrored_repeat)");
  EXPECT_EQ(devlib::sampler_initializer(1),
            "samp(coord = normalized, filter = nearest, addressing = undefined)");
}

TEST(Samplers, ThatDoNotExistAreRefused) {
  for (const uint32_t value : {0x16U, 0x18U, 0x1aU, 0x30U, 0x40U, 0x80000001U})
    EXPECT_FALSE(devlib::sampler_initializer(value)) << value;
}

TEST(Samplers, AllAssemble) {
  std::string text = "module &m:1:2:$full:$large:$default;\nextension \"IMAGE\";\n";
  unsigned count = 0;
  for (uint32_t value = 0; value < 0x100; ++value)
    if (const auto initializer = devlib::sampler_initializer(value))
      text += "readonly_samp &sampler" + std::to_string(count++) + " = " + *initializer + ";\n";
  // Three filters, with five modes of normalised coordinates and three of others.
  EXPECT_EQ(count, 24U);
  Diagnostics diagnostics("samplers.hsail", text);
  std::vector<std::byte> brig;
  EXPECT_TRUE(assemble::assemble(text, "samplers.hsail", brig, diagnostics)) << diagnostics.print();
}

}  // namespace
}  // namespace heddle::testing
