// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays, and copies to and from them.
#include <algorithm>
#include <numeric>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

constexpr hipChannelFormatDesc floats{32, 0, 0, 0, hipChannelFormatKindFloat};
constexpr hipChannelFormatDesc bytes4{8, 8, 8, 8, hipChannelFormatKindUnsigned};

/// An array, which is freed with the object.
class OwnArray {
 public:
  OwnArray(const hipChannelFormatDesc& desc, hipExtent extent, unsigned flags = hipArrayDefault) {
    EXPECT_EQ(hipMalloc3DArray(&array_, &desc, extent, flags), hipSuccess);
  }
  ~OwnArray() { EXPECT_EQ(hipFreeArray(array_), hipSuccess); }
  OwnArray(const OwnArray&) = delete;
  OwnArray& operator=(const OwnArray&) = delete;
  operator hipArray_t() const { return array_; }

 private:
  hipArray_t array_ = nullptr;
};

std::vector<char> counted(size_t count) {
  std::vector<char> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Array, TellsWhatItIs) {
  const OwnArray array(bytes4, {7, 5, 3}, hipArrayLayered | hipArraySurfaceLoadStore);
  hipChannelFormatDesc desc{};
  hipExtent extent{};
  unsigned flags = 0;
  HIP_OK(hipArrayGetInfo(&desc, &extent, &flags, array));
  EXPECT_EQ(desc.x + desc.y + desc.z + desc.w, 32);
  EXPECT_EQ(desc.f, hipChannelFormatKindUnsigned);
  EXPECT_EQ(extent.width * 100 + extent.height * 10 + extent.depth, 753U);
  EXPECT_EQ(flags, static_cast<unsigned>(hipArrayLayered | hipArraySurfaceLoadStore));
  HIP_OK(hipArrayGetInfo(nullptr, nullptr, nullptr, array));
  HIP_ARRAY3D_DESCRIPTOR three{0, 0, 0, HIP_AD_FORMAT_FLOAT, 0, 0};
  HIP_OK(hipArray3DGetDescriptor(&three, array));
  EXPECT_EQ(three.Format, HIP_AD_FORMAT_UNSIGNED_INT8);
  EXPECT_EQ(three.NumChannels, 4U);
  EXPECT_EQ(three.Depth, 3U);
  HIP_ARRAY_DESCRIPTOR two{0, 0, HIP_AD_FORMAT_FLOAT, 0};
  HIP_OK(hipArrayGetDescriptor(&two, array));
  EXPECT_EQ(two.Width * 10 + two.Height, 75U);
  HIP_OK(hipGetChannelDesc(&desc, array));
  EXPECT_EQ(desc.w, 8);
  EXPECT_EQ(hipGetChannelDesc(nullptr, array), hipErrorInvalidValue);
  EXPECT_EQ(hipGetChannelDesc(&desc, nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(hipArrayGetInfo(&desc, &extent, &flags, nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(hipArrayGetDescriptor(nullptr, array), hipErrorInvalidValue);
  EXPECT_EQ(hipArray3DGetDescriptor(nullptr, array), hipErrorInvalidValue);
}

TEST(Array, ChecksItsArguments) {
  hipArray_t array = nullptr;
  EXPECT_EQ(hipMallocArray(nullptr, &floats, 4, 4, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocArray(&array, nullptr, 4, 4, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocArray(&array, &floats, 0, 4, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocArray(&array, &floats, 4, 4, hipArrayLayered), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocArray(&array, &floats, 4, 0, hipArrayTextureGather), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocArray(&array, &floats, size_t{1} << 20, 1, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocArray(&array, &floats, SIZE_MAX, SIZE_MAX, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc3DArray(&array, &floats, {4, 0, 4}, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc3DArray(&array, &floats, {4, 4, 0}, hipArrayLayered), hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc3DArray(&array, &floats, {4, 4, 4}, 0x100), hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc3DArray(&array, &floats, {4, 5, 6}, hipArrayCubemap), hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc3DArray(&array, &floats, {4, 4, 12}, hipArrayCubemap), hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc3DArray(&array, &floats, {4, 4, 13}, hipArrayCubemap | hipArrayLayered),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc3DArray(&array, &floats, {0, 0, 6}, hipArrayCubemap), hipErrorInvalidValue);
  const hipChannelFormatDesc wrong[] = {
      {8, 8, 8, 0, hipChannelFormatKindUnsigned}, {8, 16, 0, 0, hipChannelFormatKindUnsigned},
      {8, 0, 0, 0, hipChannelFormatKindFloat},    {32, 0, 0, 0, hipChannelFormatKindNone},
      {8, 0, 8, 0, hipChannelFormatKindSigned},   {0, 0, 0, 0, hipChannelFormatKindSigned},
      {64, 0, 0, 0, hipChannelFormatKindFloat}};
  for (const auto& desc : wrong) EXPECT_EQ(hipMallocArray(&array, &desc, 4, 4, 0), hipErrorInvalidValue);
  HIP_ARRAY_DESCRIPTOR two{4, 4, HIP_AD_FORMAT_HALF, 3};
  EXPECT_EQ(hipArrayCreate(&array, &two), hipErrorInvalidValue);
  two.NumChannels = 2;
  two.Format = static_cast<hipArray_Format>(7);
  EXPECT_EQ(hipArrayCreate(&array, &two), hipErrorInvalidValue);
  EXPECT_EQ(hipArrayCreate(&array, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipArray3DCreate(nullptr, nullptr), hipErrorInvalidValue);
}

TEST(Array, IsFreedOnce) {
  hipArray_t array = nullptr;
  HIP_OK(hipMallocArray(&array, &floats, 4, 0, 0));
  HIP_OK(hipFreeArray(array));
  EXPECT_EQ(hipFreeArray(array), hipErrorContextIsDestroyed);
  EXPECT_EQ(hipFreeArray(nullptr), hipErrorInvalidValue);
  const HIP_ARRAY3D_DESCRIPTOR three{4, 4, 4, HIP_AD_FORMAT_SIGNED_INT16, 2, 0};
  HIP_OK(hipArray3DCreate(&array, &three));
  HIP_OK(hipArrayDestroy(array));
  EXPECT_EQ(hipArrayDestroy(array), hipErrorContextIsDestroyed);
  EXPECT_EQ(hipArrayDestroy(nullptr), hipErrorInvalidValue);
}

TEST(Array, IsCopiedInRows) {
  constexpr size_t width = 10, height = 6;
  const OwnArray array(floats, {width, height, 0});
  const auto from = counted(width * 4 * height);
  HIP_OK(hipMemcpy2DToArray(array, 0, 0, from.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
  std::vector<char> part(12 * 3);
  HIP_OK(hipMemcpy2DFromArray(part.data(), 12, array, 8, 2, 12, 3, hipMemcpyDeviceToHost));
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 12; ++x) ASSERT_EQ(part[y * 12 + x], from[(y + 2) * width * 4 + 8 + x]);
  const auto to_array = [&](size_t x, size_t y, size_t pitch, size_t w, size_t h, hipMemcpyKind kind) {
    return hipMemcpy2DToArray(array, x, y, from.data(), pitch, w, h, kind);
  };
  EXPECT_EQ(to_array(4, 0, 40, 40, 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(to_array(0, 5, 40, 40, 2, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(to_array(SIZE_MAX, 0, 40, 40, 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(to_array(0, 0, 39, 40, 1, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  EXPECT_EQ(to_array(0, 0, 40, 40, 1, hipMemcpyDeviceToHost), hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(to_array(0, 0, 40, 40, 1, static_cast<hipMemcpyKind>(9)), hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(to_array(0, 0, 40, 0, 0, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(hipMemcpy2DToArray(nullptr, 0, 0, from.data(), 40, 40, 1, hipMemcpyDefault),
            hipErrorInvalidHandle);
  EXPECT_EQ(hipMemcpy2DToArray(array, 0, 0, nullptr, 40, 40, 1, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy2DFromArray(part.data(), 12, array, 0, 0, 12, 1, hipMemcpyHostToDevice),
            hipErrorInvalidMemcpyDirection);
}

TEST(Array, IsCopiedInBytesThatCrossRows) {
  constexpr size_t width = 5, height = 4;
  const OwnArray array(bytes4, {width, height, 0});
  const auto from = counted(width * 4 * height);
  HIP_OK(hipMemcpyToArray(array, 0, 0, from.data(), from.size(), hipMemcpyHostToDevice));
  std::vector<char> part(50);
  HIP_OK(hipMemcpyFromArray(part.data(), array, 15, 0, part.size(), hipMemcpyDeviceToHost));
  EXPECT_TRUE(std::equal(part.begin(), part.end(), from.begin() + 15));
  HIP_OK(hipMemcpyAtoH(part.data(), array, 27, 30));
  EXPECT_TRUE(std::equal(part.begin(), part.begin() + 30, from.begin() + 27));
  HIP_OK(hipMemcpyHtoA(array, 70, from.data(), 10));
  HIP_OK(hipMemcpyAtoH(part.data(), array, 70, 10));
  EXPECT_TRUE(std::equal(part.begin(), part.begin() + 10, from.begin()));
  EXPECT_EQ(hipMemcpyHtoA(array, 71, from.data(), 10), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyHtoA(nullptr, 0, from.data(), 10), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyHtoA(array, 0, nullptr, 10), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAtoH(part.data(), array, 0, 81), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyToArray(array, 20, 0, from.data(), 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyToArray(array, 0, 4, from.data(), 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyToArray(array, 0, 0, from.data(), 1, hipMemcpyDeviceToHost),
            hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipMemcpyFromArray(part.data(), array, 0, 0, 1, hipMemcpyHostToDevice),
            hipErrorInvalidMemcpyDirection);
}

TEST(Array, IsCopiedInBytesToDevicesAndArrays) {
  const OwnArray first(bytes4, {5, 4, 0}), second(bytes4, {7, 3, 0});
  const OwnStream stream;
  const auto from = counted(80);
  const DeviceMemory<char> device(std::vector<char>(from.begin(), from.end()));
  std::vector<char> to(80);
  const auto expect = [&](size_t at, size_t count, size_t of) {
    EXPECT_TRUE(std::equal(to.begin(), to.begin() + static_cast<ptrdiff_t>(count),
                           from.begin() + static_cast<ptrdiff_t>(of)))
        << at;
  };
  HIP_OK(hipMemcpyDtoA(first, 0, device.data(), 80));
  HIP_OK(hipMemcpyAtoA(second, 3, first, 18, 50));  // crosses rows of both
  HIP_OK(hipMemcpyAtoHAsync(to.data(), second, 3, 50, stream));
  HIP_OK(hipStreamSynchronize(stream));
  expect(3, 50, 18);
  HIP_OK(hipMemcpyHtoAAsync(second, 10, from.data(), 60, stream));
  HIP_OK(hipStreamSynchronize(stream));
  HIP_OK(hipMemcpyAtoD(device.data(), second, 15, 40));
  const auto copied = device.values();
  EXPECT_TRUE(std::equal(copied.begin(), copied.begin() + 40, from.begin() + 5));
  EXPECT_EQ(hipMemcpyAtoA(second, 0, first, 31, 50), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAtoA(second, 35, first, 0, 50), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAtoA(nullptr, 0, first, 0, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAtoA(first, 0, nullptr, 0, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAtoD(device.data(), first, 80, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAtoD(nullptr, first, 0, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyDtoA(first, SIZE_MAX, device.data(), 2), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAtoHAsync(nullptr, first, 0, 1, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyHtoAAsync(first, 0, nullptr, 1, stream), hipErrorInvalidValue);
}

TEST(Array, IsCopiedInBlocks) {
  const OwnArray first(floats, {6, 5, 4}), second(floats, {6, 5, 4});
  std::vector<float> from(size_t{6} * 5 * 4), to(from.size(), -1);
  std::iota(from.begin(), from.end(), 0.0F);
  hipMemcpy3DParms copy{};
  copy.srcPtr = {from.data(), 24, 24, 5};
  copy.dstArray = first;
  copy.extent = {6, 5, 4};
  copy.kind = hipMemcpyHostToDevice;
  HIP_OK(hipMemcpy3D(&copy));
  hipMemcpy3DParms across{};
  across.srcArray = first;
  across.srcPos = {1, 2, 3};
  across.dstArray = second;
  across.dstPos = {2, 1, 0};
  across.extent = {4, 3, 1};
  across.kind = hipMemcpyDeviceToDevice;
  HIP_OK(hipMemcpy3D(&across));
  hipMemcpy3DParms back{};
  back.srcArray = second;
  back.srcPos = {2, 1, 0};
  back.dstPtr = {to.data(), 16, 16, 3};
  back.extent = {4, 3, 1};
  back.kind = hipMemcpyDeviceToHost;
  HIP_OK(hipMemcpy3D(&back));
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 4; ++x) ASSERT_EQ(to[y * 4 + x], from[(3 * 5 + y + 2) * 6 + x + 1]);
  across.extent = {6, 3, 1};
  EXPECT_EQ(hipMemcpy3D(&across), hipErrorInvalidValue);
  copy.dstPtr = {to.data(), 16, 16, 3};
  EXPECT_EQ(hipMemcpy3D(&copy), hipErrorInvalidValue);
  const OwnArray other(bytes4, {6, 5, 4}), narrow({8, 0, 0, 0, hipChannelFormatKindSigned}, {6, 5, 4});
  across.extent = {1, 1, 1};
  across.dstArray = other;
  HIP_OK(hipMemcpy3D(&across));
  across.dstArray = narrow;
  EXPECT_EQ(hipMemcpy3D(&across), hipErrorInvalidValue);
}

TEST(Array, IsCopiedByDescription) {
  const OwnArray array(bytes4, {8, 4, 2}, hipArrayLayered);
  const auto from = counted(32 * 4);
  HIP_MEMCPY3D up{};
  up.srcMemoryType = hipMemoryTypeHost;
  up.srcHost = from.data();
  up.srcPitch = 32;
  up.srcHeight = 4;
  up.dstMemoryType = hipMemoryTypeArray;
  up.dstArray = array;
  up.dstZ = 1;
  up.WidthInBytes = 32;
  up.Height = 4;
  up.Depth = 1;
  HIP_OK(hipDrvMemcpy3D(&up));
  up.dstZ = 2;
  EXPECT_EQ(hipDrvMemcpy3D(&up), hipErrorInvalidValue);
  up.dstArray = nullptr;
  EXPECT_EQ(hipDrvMemcpy3D(&up), hipErrorInvalidValue);
  std::vector<char> to(from.size());
  HIP_MEMCPY3D down{};
  down.srcMemoryType = hipMemoryTypeArray;
  down.srcArray = array;
  down.srcZ = 1;
  down.dstMemoryType = hipMemoryTypeHost;
  down.dstHost = to.data();
  down.dstPitch = 32;
  down.dstHeight = 4;
  down.WidthInBytes = 32;
  down.Height = 4;
  down.Depth = 1;
  HIP_OK(hipDrvMemcpy3D(&down));
  EXPECT_EQ(to, from);

  const OwnArray flat(bytes4, {8, 4, 0});
  hip_Memcpy2D rows{};
  rows.srcMemoryType = hipMemoryTypeHost;
  rows.srcHost = from.data();
  rows.srcPitch = 32;
  rows.dstMemoryType = hipMemoryTypeArray;
  rows.dstArray = flat;
  rows.WidthInBytes = 32;
  rows.Height = 4;
  HIP_OK(hipMemcpyParam2D(&rows));
  std::ranges::fill(to, 0);
  HIP_OK(hipMemcpyAtoH(to.data(), flat, 0, to.size()));
  EXPECT_EQ(to, from);
  rows.dstY = 1;
  EXPECT_EQ(hipMemcpyParam2D(&rows), hipErrorInvalidValue);
}

TEST(Array, IsCopiedInTheOrderOfAStream) {
  const OwnArray array(floats, {4, 0, 0});
  const OwnStream stream;
  HostNumber flag;
  const DeviceMemory<float> from(std::vector<float>{1, 2, 3, 4}), to(4);
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, stream, flag.address()));
  HIP_OK(hipMemcpy2DToArrayAsync(array, 0, 0, from.data(), 16, 16, 1, hipMemcpyDeviceToDevice, stream));
  HIP_OK(hipMemcpy2DFromArrayAsync(to.data(), 16, array, 0, 0, 16, 1, hipMemcpyDeviceToDevice, stream));
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(to.values(), (std::vector<float>{1, 2, 3, 4}));
}

TEST(Array, IsMadeAndCopiedByManyThreads) {
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      for (int round = 0; round < 20; ++round) {
        const OwnArray array(floats, {16, 2, 0});
        const std::vector<float> from(32, static_cast<float>(t));
        std::vector<float> to(32);
        EXPECT_EQ(hipMemcpyToArray(array, 0, 0, from.data(), 128, hipMemcpyHostToDevice), hipSuccess);
        EXPECT_EQ(hipMemcpyFromArray(to.data(), array, 0, 0, 128, hipMemcpyDeviceToHost), hipSuccess);
        EXPECT_EQ(to, from);
      }
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace heddle::hip_tests
