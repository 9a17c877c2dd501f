// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Textures that are variables of programs and of modules.
#include <algorithm>
#include <numeric>

#include "hip_test.h"
#include "textures.h"

namespace heddle::hip_tests {
namespace {

constexpr hipChannelFormatDesc floats{32, 0, 0, 0, hipChannelFormatKindFloat};

class TextureReference : public testing::Test {
 protected:
  void SetUp() override { static_cast<void>(hipGetLastError()); }
};

/// A reference that no device code has.
textureReference own_reference() {
  return {0, hipReadModeElementType, hipFilterModePoint, {}, {}, 0, 0, hipFilterModePoint, 0, 0, 0, nullptr,
          1, HIP_AD_FORMAT_FLOAT};
}

std::vector<float> counted(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

TEST_F(TextureReference, IsBoundToLinearMemory) {
  const auto from = counted(256);
  const DeviceMemory<float> memory(from), to(100);
  const textureReference* reference = nullptr;
  HIP_OK(hipGetTextureReference(&reference, linear_reference()));
  EXPECT_EQ(reference, linear_reference());
  size_t offset = 9;
  HIP_OK(hipBindTexture(&offset, reference, memory.data(), &floats, 256 * sizeof(float)));
  const size_t first = offset / sizeof(float);
  HIP_OK(run_linear_reference(to.data(), 100));
  for (size_t i = first; i < 100; ++i) ASSERT_EQ(to.values()[i], from[i - first]);
  HIP_OK(hipGetTextureAlignmentOffset(&offset, reference));
  void* address = nullptr;
  HIP_OK(hipTexRefGetAddress(&address, reference));
  EXPECT_EQ(address, memory.data());
  // What is bound later counts, also with the rest of the memory as its size.
  HIP_OK(hipBindTexture(&offset, reference, memory.data() + 1, nullptr, UINT32_MAX));
  HIP_OK(run_linear_reference(to.data(), 100));
  EXPECT_EQ(to.values()[offset / sizeof(float)], 2.0F);
  EXPECT_EQ(hipBindTexture(nullptr, reference, memory.data() + 1, &floats, 16), hipErrorInvalidValue);
  EXPECT_EQ(hipBindTexture(&offset, reference, nullptr, &floats, 16), hipErrorInvalidValue);
  EXPECT_EQ(hipBindTexture(&offset, nullptr, memory.data(), &floats, 16), hipErrorInvalidValue);
  HIP_OK(hipUnbindTexture(reference));
  HIP_OK(hipUnbindTexture(reference));
  EXPECT_EQ(hipGetTextureAlignmentOffset(&offset, reference), hipErrorInvalidValue);
  EXPECT_EQ(hipTexRefGetAddress(&address, reference), hipErrorInvalidValue);
}

TEST_F(TextureReference, IsBoundToAnArray) {
  const hipChannelFormatDesc bytes{8, 0, 0, 0, hipChannelFormatKindUnsigned};
  hipArray_t array = nullptr;
  HIP_OK(hipMallocArray(&array, &bytes, 4, 2, 0));
  const unsigned char from[8] = {0, 51, 102, 153, 204, 255, 0, 51};
  HIP_OK(hipMemcpyToArray(array, 0, 0, from, 8, hipMemcpyHostToDevice));
  textureReference* const reference = array_reference();
  HIP_OK(hipTexRefSetFilterMode(reference, hipFilterModeLinear));
  HIP_OK(hipTexRefSetAddressMode(reference, 0, hipAddressModeClamp));
  HIP_OK(hipTexRefSetAddressMode(reference, 1, hipAddressModeClamp));
  HIP_OK(hipBindTextureToArray(reference, array, &bytes));
  const DeviceMemory<float> at(std::vector<float>{1, 0.5F, 1.5F, 1.5F}), to(2);
  HIP_OK(run_array_reference(to.data(), at.data(), 2));
  EXPECT_NEAR(to.values()[0], 0.1F, 1e-3F);
  EXPECT_NEAR(to.values()[1], 1.0F, 1e-3F);
  EXPECT_EQ(hipBindTextureToArray(reference, array, &floats), hipErrorInvalidValue);
  EXPECT_EQ(hipBindTextureToArray(reference, nullptr, &bytes), hipErrorInvalidValue);
  const textureReference own = own_reference();
  EXPECT_EQ(hipBindTextureToArray(&own, array, &bytes), hipErrorInvalidSymbol);
  const textureReference* found = nullptr;
  EXPECT_EQ(hipGetTextureReference(&found, &own), hipErrorInvalidSymbol);
  EXPECT_EQ(hipGetTextureReference(nullptr, reference), hipErrorInvalidValue);
  void* address = nullptr;
  EXPECT_EQ(hipTexRefGetAddress(&address, reference), hipErrorInvalidValue);
  HIP_OK(hipUnbindTexture(reference));
  HIP_OK(hipTexRefSetFilterMode(reference, hipFilterModePoint));
  HIP_OK(hipFreeArray(array));
}

TEST_F(TextureReference, HasFields) {
  textureReference own = own_reference();
  HIP_OK(hipTexRefSetFlags(&own, HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB));
  EXPECT_EQ(own.readMode, hipReadModeNormalizedFloat);
  unsigned flags = 0;
  HIP_OK(hipTexRefGetFlags(&flags, &own));
  EXPECT_EQ(flags, static_cast<unsigned>(HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB));
  EXPECT_EQ(hipTexRefSetFlags(&own, 0x100), hipErrorInvalidValue);
  HIP_OK(hipTexRefSetFormat(&own, HIP_AD_FORMAT_HALF, 2));
  auto format = HIP_AD_FORMAT_FLOAT;
  int count = 0;
  HIP_OK(hipTexRefGetFormat(&format, &count, &own));
  EXPECT_EQ(format, HIP_AD_FORMAT_HALF);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(hipTexRefSetFormat(&own, HIP_AD_FORMAT_HALF, 3), hipErrorInvalidValue);
  HIP_OK(hipTexRefSetAddressMode(&own, 2, hipAddressModeBorder));
  auto mode = hipAddressModeWrap;
  HIP_OK(hipTexRefGetAddressMode(&mode, &own, 2));
  EXPECT_EQ(mode, hipAddressModeBorder);
  EXPECT_EQ(hipTexRefSetAddressMode(&own, 3, hipAddressModeWrap), hipErrorInvalidValue);
  EXPECT_EQ(hipTexRefGetAddressMode(&mode, &own, -1), hipErrorInvalidValue);
  HIP_OK(hipTexRefSetFilterMode(&own, hipFilterModeLinear));
  HIP_OK(hipTexRefSetMipmapFilterMode(&own, hipFilterModeLinear));
  auto filter = hipFilterModePoint;
  HIP_OK(hipTexRefGetFilterMode(&filter, &own));
  EXPECT_EQ(filter, hipFilterModeLinear);
  filter = hipFilterModePoint;
  HIP_OK(hipTexRefGetMipmapFilterMode(&filter, &own));
  EXPECT_EQ(filter, hipFilterModeLinear);
  EXPECT_EQ(hipTexRefSetFilterMode(&own, static_cast<hipTextureFilterMode>(7)), hipErrorInvalidValue);
  HIP_OK(hipTexRefSetMipmapLevelBias(&own, 2));
  HIP_OK(hipTexRefSetMipmapLevelClamp(&own, 3, 4));
  HIP_OK(hipTexRefSetMaxAnisotropy(&own, 5));
  float bias = 0, least = 0, most = 0;
  int anisotropy = 0;
  HIP_OK(hipTexRefGetMipmapLevelBias(&bias, &own));
  HIP_OK(hipTexRefGetMipmapLevelClamp(&least, &most, &own));
  HIP_OK(hipTexRefGetMaxAnisotropy(&anisotropy, &own));
  EXPECT_EQ(bias * 1000 + least * 100 + most * 10 + static_cast<float>(anisotropy), 2345.0F);
  EXPECT_EQ(hipTexRefSetMaxAnisotropy(nullptr, 5), hipErrorInvalidValue);
  EXPECT_EQ(hipTexRefGetFlags(nullptr, &own), hipErrorInvalidValue);
  float black[4] = {}, red[4] = {1, 0, 0, 0};
  HIP_OK(hipTexRefSetBorderColor(&own, black));
  EXPECT_EQ(hipTexRefSetBorderColor(&own, red), hipErrorNotSupported);
  EXPECT_EQ(hipTexRefSetBorderColor(nullptr, black), hipErrorInvalidValue);
  EXPECT_EQ(hipTexRefSetBorderColor(&own, nullptr), hipErrorInvalidValue);
}

TEST_F(TextureReference, OfAModuleIsBound) {
  hipModule_t module = nullptr;
  HIP_OK(hipModuleLoad(&module, TEXTURE_MODULE_FILE));
  textureReference *reference = nullptr, *again = nullptr;
  HIP_OK(hipModuleGetTexRef(&reference, module, "linear_texture"));
  HIP_OK(hipModuleGetTexRef(&again, module, "linear_texture"));
  EXPECT_EQ(reference, again);
  EXPECT_EQ(hipModuleGetTexRef(&again, module, "none"), hipErrorNotFound);
  EXPECT_EQ(hipModuleGetTexRef(&again, module, ""), hipErrorInvalidValue);
  EXPECT_EQ(hipModuleGetTexRef(nullptr, module, "linear_texture"), hipErrorInvalidValue);
  EXPECT_EQ(hipModuleGetTexRef(&again, nullptr, "linear_texture"), hipErrorInvalidHandle);
  const auto from = counted(64);
  const DeviceMemory<float> memory(from), to(64);
  HIP_OK(hipTexRefSetFormat(reference, HIP_AD_FORMAT_FLOAT, 1));
  size_t offset = 0;
  HIP_OK(hipTexRefSetAddress(&offset, reference, memory.data(), 64 * sizeof(float)));
  hipFunction_t function = nullptr;
  HIP_OK(hipModuleGetFunction(&function, module, "read_linear_texture"));
  float* address = to.data();
  int count = 64;
  void* arguments[] = {static_cast<void*>(&address), &count};
  HIP_OK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  HIP_OK(hipDeviceSynchronize());
  const auto values = to.values();
  const size_t first = offset / sizeof(float);
  for (size_t i = first; i < 64; ++i) ASSERT_EQ(values[i], from[i - first]);
  hipArray_t array = nullptr;
  HIP_OK(hipMallocArray(&array, &floats, 4, 0, 0));
  HIP_OK(hipTexRefSetArray(reference, array, HIP_TRSA_OVERRIDE_FORMAT));
  EXPECT_EQ(hipTexRefSetArray(reference, array, 0), hipErrorInvalidValue);
  const HIP_ARRAY_DESCRIPTOR rows{8, 2, HIP_AD_FORMAT_FLOAT, 1};
  // A pitch is a multiple of elements; the memory begins where textures may begin, or the call is refused.
  const hipError_t expected =
      reinterpret_cast<uintptr_t>(memory.data()) % 256 == 0 ? hipSuccess : hipErrorInvalidValue;
  EXPECT_EQ(hipTexRefSetAddress2D(reference, &rows, memory.data(), 32), expected);
  EXPECT_EQ(hipTexRefSetAddress2D(reference, nullptr, memory.data(), 32), hipErrorInvalidValue);
  HIP_OK(hipModuleUnload(module));
  HIP_OK(hipFreeArray(array));
}

}  // namespace
}  // namespace heddle::hip_tests
