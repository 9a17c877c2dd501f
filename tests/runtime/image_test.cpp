// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the images extension (Runtime 3.3). tests/image covers the values of elements.
#include <hsa/hsa_ext_image.h>

#include <cstring>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

constexpr hsa_ext_image_format_t rgba8{HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
                                       HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
constexpr hsa_ext_image_descriptor_t square{HSA_EXT_IMAGE_GEOMETRY_2D, 4, 4, 0, 0, rgba8};

class ImageTest : public Runtime {
 protected:
  hsa_ext_image_t image(hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_RW) {
    hsa_ext_image_t made{};
    EXPECT_SUCCESS(hsa_ext_image_create(kernel_agent_, &square, data_, permission, &made));
    return made;
  }
  alignas(64) uint32_t data_[16] = {};
};

TEST_F(ImageTest, IsAnExtensionWithATable) {
  bool supported = false;
  EXPECT_SUCCESS(hsa_system_extension_supported(HSA_EXTENSION_IMAGES, 1, 0, &supported));
  EXPECT_TRUE(supported);
  EXPECT_SUCCESS(hsa_agent_extension_supported(HSA_EXTENSION_IMAGES, kernel_agent_, 1, 0, &supported));
  EXPECT_TRUE(supported);
  EXPECT_SUCCESS(hsa_agent_extension_supported(HSA_EXTENSION_IMAGES, host_, 1, 0, &supported));
  EXPECT_FALSE(supported);
  hsa_ext_images_1_00_pfn_t old{};
  EXPECT_SUCCESS(hsa_system_get_extension_table(HSA_EXTENSION_IMAGES, 1, 0, &old));
  EXPECT_NE(old.hsa_ext_sampler_destroy, nullptr);
  hsa_ext_images_1_pfn_t table{};
  EXPECT_SUCCESS(hsa_system_get_major_extension_table(HSA_EXTENSION_IMAGES, 1, sizeof table, &table));
  EXPECT_EQ(table.hsa_ext_image_create_with_layout, &hsa_ext_image_create_with_layout);
}

TEST_F(ImageTest, LimitsReachTheManualsMinimums) {
  EXPECT_GE(agent_info<uint32_t>(kernel_agent_, HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES), 128u);
  EXPECT_GE(agent_info<uint32_t>(kernel_agent_, HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES), 64u);
  EXPECT_GE(agent_info<uint32_t>(kernel_agent_, HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS), 16u);
  EXPECT_EQ(agent_info<uint32_t>(host_, HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS), 0u);
}

TEST_F(ImageTest, CapabilityFollowsTheTableOfFormats) {
  uint32_t mask = 0;
  EXPECT_SUCCESS(hsa_ext_image_get_capability(kernel_agent_, HSA_EXT_IMAGE_GEOMETRY_2D, &rgba8, &mask));
  EXPECT_TRUE(mask & HSA_EXT_IMAGE_CAPABILITY_READ_WRITE);
  const hsa_ext_image_format_t depth{HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH};
  EXPECT_SUCCESS(hsa_ext_image_get_capability(kernel_agent_, HSA_EXT_IMAGE_GEOMETRY_2D, &depth, &mask));
  EXPECT_EQ(mask, 0u);
  EXPECT_SUCCESS(hsa_ext_image_get_capability(host_, HSA_EXT_IMAGE_GEOMETRY_2D, &rgba8, &mask));
  EXPECT_EQ(mask, 0u);
  EXPECT_EQ(hsa_ext_image_get_capability_with_layout(kernel_agent_, HSA_EXT_IMAGE_GEOMETRY_2D, &rgba8,
                                                     HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE, &mask),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_image_get_capability({77}, HSA_EXT_IMAGE_GEOMETRY_2D, &rgba8, &mask),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_ext_image_get_capability(kernel_agent_, HSA_EXT_IMAGE_GEOMETRY_2D, nullptr, &mask),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(ImageTest, DataInfoSaysSizeAndAlignment) {
  hsa_ext_image_data_info_t info{};
  EXPECT_SUCCESS(hsa_ext_image_data_get_info(kernel_agent_, &square, HSA_ACCESS_PERMISSION_RO, &info));
  EXPECT_EQ(info.size, 64u);
  EXPECT_SUCCESS(hsa_ext_image_data_get_info_with_layout(&square, HSA_ACCESS_PERMISSION_RO,
                                                         HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, 32, 0, &info));
  EXPECT_EQ(info.size, 128u);
  EXPECT_EQ(hsa_ext_image_data_get_info_with_layout(&square, HSA_ACCESS_PERMISSION_RO,
                                                    HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, 12, 0, &info),
            HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
  EXPECT_EQ(
      hsa_ext_image_data_get_info(kernel_agent_, &square, static_cast<hsa_access_permission_t>(0), &info),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(ImageTest, CreateChecksItsArguments) {
  hsa_ext_image_t made{};
  EXPECT_EQ(hsa_ext_image_create(kernel_agent_, &square, nullptr, HSA_ACCESS_PERMISSION_RO, &made),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_image_create(kernel_agent_, &square, reinterpret_cast<char*>(data_) + 1,
                                 HSA_ACCESS_PERMISSION_RO, &made),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_image_create(host_, &square, data_, HSA_ACCESS_PERMISSION_RO, &made),
            HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
  auto huge = square;
  huge.width = 1 << 20;
  EXPECT_EQ(hsa_ext_image_create(kernel_agent_, &huge, data_, HSA_ACCESS_PERMISSION_RO, &made),
            HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
}

TEST_F(ImageTest, HandlesRunOut) {
  const auto most = agent_info<uint32_t>(kernel_agent_, HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES);
  std::vector<hsa_ext_image_t> images;
  for (uint32_t i = 0; i < most; ++i) images.push_back(image(HSA_ACCESS_PERMISSION_RO));
  hsa_ext_image_t made{};
  EXPECT_EQ(hsa_ext_image_create(kernel_agent_, &square, data_, HSA_ACCESS_PERMISSION_RO, &made),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  for (hsa_ext_image_t each : images) EXPECT_SUCCESS(hsa_ext_image_destroy(kernel_agent_, each));
  EXPECT_SUCCESS(hsa_ext_image_destroy(kernel_agent_, image(HSA_ACCESS_PERMISSION_RO)));
}

TEST_F(ImageTest, GarbageHandlesAreRefused) {
  const hsa_ext_image_region_t all{{0, 0, 0}, {4, 4, 1}};
  uint32_t memory[16] = {};
  for (uint64_t garbage : garbage_handles) {
    EXPECT_EQ(hsa_ext_image_destroy(kernel_agent_, {garbage}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_ext_sampler_destroy(kernel_agent_, {garbage}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_ext_image_export(kernel_agent_, {garbage}, memory, 0, 0, &all),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  const hsa_ext_image_t stale = image();
  EXPECT_EQ(hsa_ext_image_destroy(host_, stale), HSA_STATUS_ERROR_INVALID_ARGUMENT) << "another agent's";
  EXPECT_SUCCESS(hsa_ext_image_destroy(kernel_agent_, stale));
  EXPECT_EQ(hsa_ext_image_destroy(kernel_agent_, stale), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(ImageTest, MovesElements) {
  const hsa_ext_image_t first = image();
  const hsa_ext_image_region_t all{{0, 0, 0}, {4, 4, 1}}, outside{{1, 0, 0}, {4, 4, 1}};
  const float red[] = {1, 0, 0, 1};
  EXPECT_SUCCESS(hsa_ext_image_clear(kernel_agent_, first, red, &all));
  EXPECT_EQ(data_[15], 0xff0000ffu);
  EXPECT_EQ(hsa_ext_image_clear(kernel_agent_, first, red, &outside), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_image_clear(kernel_agent_, first, nullptr, &all), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  alignas(64) uint32_t other[16] = {};
  hsa_ext_image_t second{};
  ASSERT_SUCCESS(hsa_ext_image_create_with_layout(kernel_agent_, &square, other, HSA_ACCESS_PERMISSION_RO,
                                                  HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, 0, 0, &second));
  const hsa_dim3_t origin{0, 0, 0}, two{2, 2, 1};
  EXPECT_EQ(hsa_ext_image_copy(kernel_agent_, first, &origin, second, &two, &two),
            HSA_STATUS_ERROR_INVALID_ARGUMENT)
      << "one slice down there is nothing";
  const hsa_dim3_t corner{2, 2, 0};
  EXPECT_SUCCESS(hsa_ext_image_copy(kernel_agent_, first, &origin, second, &corner, &two));
  EXPECT_EQ(other[10], 0xff0000ffu);
  EXPECT_EQ(other[0], 0u);
  uint32_t memory[16] = {};
  EXPECT_SUCCESS(hsa_ext_image_export(kernel_agent_, second, memory, 0, 0, &all));
  EXPECT_EQ(std::memcmp(memory, other, sizeof other), 0);
  memory[0] = 7;
  EXPECT_SUCCESS(hsa_ext_image_import(kernel_agent_, memory, 0, 0, second, &all));
  EXPECT_EQ(other[0], 7u);
  EXPECT_SUCCESS(hsa_ext_image_destroy(kernel_agent_, first));
  EXPECT_SUCCESS(hsa_ext_image_destroy(kernel_agent_, second));
}

TEST_F(ImageTest, Samplers) {
  hsa_ext_sampler_t sampler{};
  const hsa_ext_sampler_descriptor_t good{HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                          HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                          HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT};
  auto bad = good;
  bad.coordinate_mode = HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED;
  EXPECT_SUCCESS(hsa_ext_sampler_create(kernel_agent_, &good, &sampler));
  EXPECT_SUCCESS(hsa_ext_sampler_destroy(kernel_agent_, sampler));
  EXPECT_EQ(hsa_ext_sampler_create(kernel_agent_, &bad, &sampler),
            HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED);
  EXPECT_EQ(hsa_ext_sampler_create(kernel_agent_, nullptr, &sampler), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace heddle::runtime::test
