// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and samplers as initial values of variables (PRM 7.1.7, 7.1.8), used by kernels on every kernel
// agent that executes.
#include <hsa/hsa_ext_image.h>

#include "kernels.h"

namespace heddle::runtime::test {
namespace {

class ImageKernels : public OnAgent {};
INSTANTIATE_TEST_SUITE_P(Agents, ImageKernels, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

const std::string header = "module &m:1:2:$full:$large:$near;\nextension \"IMAGE\";\n";

/// A value that is stored to one of two equal images is read back from that image only.
TEST_P(ImageKernels, EachPlaceHasAnImageOfItsOwn) {
  const Kernels kernels(agent_, header + R"(
alloc(agent) global_rwimg &images[2] = rwimg[](
    rwimg(geometry=2d, width=4, height=2, channel_order=rg, channel_type=unsigned_int16),
    rwimg(geometry=2d, width=4, height=2, channel_order=rg, channel_type=unsigned_int16));
prog kernel &k(kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemabsid_u32 $s0, 0;
  shl_u32 $s1, $s0, 3;
  cvt_u64_u32 $d1, $s1;
  add_u64 $d0, $d0, $d1;
  and_b32 $s2, $s0, 3;
  shr_u32 $s3, $s0, 2;
  add_u32 $s4, $s0, 100;
  add_u32 $s5, $s0, 200;
  ld_global_rwimg $d2, [&images];
  ld_global_rwimg $d3, [&images][8];
  stimage_v4_2d_u32_rwimg_u32 ($s4, $s4, $s4, $s4), $d2, ($s2, $s3);
  stimage_v4_2d_u32_rwimg_u32 ($s5, $s5, $s5, $s5), $d3, ($s2, $s3);
  imagefence;
  ldimage_v4_2d_u32_rwimg_u32 ($s6, $s7, $s8, $s9), $d2, ($s2, $s3);
  st_global_align(4)_u32 $s6, [$d0];
  ldimage_v4_2d_u32_rwimg_u32 ($s6, $s7, $s8, $s9), $d3, ($s2, $s3);
  st_global_align(4)_u32 $s7, [$d0 + 4];
};)");
  uint32_t out[16] = {};
  ASSERT_TRUE(run(kernels, "&k", 8, 8, {address_of(out)}));
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(out[2 * i], 100 + i);
    EXPECT_EQ(out[2 * i + 1], 200 + i);
  }
}

/// The images are in the readonly segment, at module scope and in a code block.
TEST_P(ImageKernels, PropertiesAreThoseOfTheInitializer) {
  const Kernels kernels(agent_, header + R"(
readonly_roimg &image = roimg(geometry=2da, width=17, height=9, array=3, channel_order=bgra,
                              channel_type=unorm_int8);
prog kernel &k(kernarg_u64 %out) {
  readonly_samp %sampler = samp(coord=normalized, filter=linear, addressing=mirrored_repeat);
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_readonly_roimg $d1, [&image];
  ld_readonly_samp $d2, [%sampler];
  queryimage_2da_width_u32_roimg $s0, $d1;
  st_global_align(4)_u32 $s0, [$d0];
  queryimage_2da_height_u32_roimg $s0, $d1;
  st_global_align(4)_u32 $s0, [$d0 + 4];
  queryimage_2da_array_u32_roimg $s0, $d1;
  st_global_align(4)_u32 $s0, [$d0 + 8];
  queryimage_2da_channelorder_u32_roimg $s0, $d1;
  st_global_align(4)_u32 $s0, [$d0 + 12];
  queryimage_2da_channeltype_u32_roimg $s0, $d1;
  st_global_align(4)_u32 $s0, [$d0 + 16];
  querysampler_coord_u32 $s0, $d2;
  st_global_align(4)_u32 $s0, [$d0 + 20];
  querysampler_filter_u32 $s0, $d2;
  st_global_align(4)_u32 $s0, [$d0 + 24];
  querysampler_addressing_u32 $s0, $d2;
  st_global_align(4)_u32 $s0, [$d0 + 28];
};)");
  uint32_t out[8] = {};
  ASSERT_TRUE(run(kernels, "&k", 1, 1, {address_of(out)}));
  const uint32_t expected[8] = {17,
                                9,
                                3,
                                HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA,
                                HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
                                HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT};
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

/// Handles of an executable count against the agent's limit while the executable lives, and no longer.
TEST_P(ImageKernels, HandlesGoWithTheExecutable) {
  const std::string text = header + R"(
readonly_samp &samplers[2] = samp[](samp(coord=normalized, filter=linear, addressing=repeat),
                                    samp(coord=normalized, filter=linear, addressing=repeat));
prog kernel &k() {};)";
  const auto most = agent_info<uint32_t>(agent_, HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS);
  const hsa_ext_sampler_descriptor_t descriptor{HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                                HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                                HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT};
  const auto available = [&] {
    std::vector<hsa_ext_sampler_t> made;
    hsa_ext_sampler_t sampler{};
    while (made.size() <= most && hsa_ext_sampler_create(agent_, &descriptor, &sampler) == HSA_STATUS_SUCCESS)
      made.push_back(sampler);
    for (const hsa_ext_sampler_t each : made) EXPECT_SUCCESS(hsa_ext_sampler_destroy(agent_, each));
    return made.size();
  };
  {
    const Kernels kernels(agent_, text);
    EXPECT_EQ(available(), most - 2);
  }
  EXPECT_EQ(available(), most);
}

/// A freeze that fails reports the reason, and leaves no handle behind.
TEST_P(ImageKernels, WhatTheAgentCannotMakeFailsTheFreeze) {
  auto module = assemble(header + R"(
readonly_roimg &image = roimg(geometry=1d, width=1000000, channel_order=r, channel_type=float);
prog kernel &k() {};)");
  hsa_ext_program_t program{};
  ASSERT_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                        HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program));
  ASSERT_SUCCESS(hsa_ext_program_add_module(program, module_of(module)));
  hsa_code_object_t code{};
  ASSERT_SUCCESS(hsa_ext_program_finalize(program, agent_info<hsa_isa_t>(agent_, HSA_AGENT_INFO_ISA), 0, {},
                                          nullptr, HSA_CODE_OBJECT_TYPE_PROGRAM, &code));
  hsa_executable_t executable{};
  ASSERT_SUCCESS(
      hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &executable));
  ASSERT_SUCCESS(hsa_executable_load_code_object(executable, agent_, code, nullptr));
  EXPECT_EQ(hsa_executable_freeze(executable, nullptr), HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
  EXPECT_SUCCESS(hsa_executable_destroy(executable));
  EXPECT_SUCCESS(hsa_code_object_destroy(code));
  EXPECT_SUCCESS(hsa_ext_program_destroy(program));
}

}  // namespace
}  // namespace heddle::runtime::test
