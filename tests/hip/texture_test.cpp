// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texture objects and surfaces, against what the host computes.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "hip_test.h"
#include "textures.h"

namespace heddle::hip_tests {
namespace {

constexpr hipChannelFormatDesc floats{32, 0, 0, 0, hipChannelFormatKindFloat};
constexpr hipChannelFormatDesc integers{32, 0, 0, 0, hipChannelFormatKindSigned};
constexpr hipChannelFormatDesc bytes4{8, 8, 8, 8, hipChannelFormatKindUnsigned};

/// An array with the numbers 0, 1, 2, ... of a type in its elements, of which each has one channel.
class CountedArray {
 public:
  CountedArray(hipExtent extent, unsigned flags = hipArrayDefault,
               const hipChannelFormatDesc& desc = floats) {
    EXPECT_EQ(hipMalloc3DArray(&array_, &desc, extent, flags), hipSuccess);
    const hipExtent all{extent.width, std::max<size_t>(extent.height, 1), std::max<size_t>(extent.depth, 1)};
    values_.resize(all.width * all.height * all.depth);
    std::iota(values_.begin(), values_.end(), 0.0F);
    std::vector<int> numbers(values_.begin(), values_.end());
    void* const from = desc.f == hipChannelFormatKindFloat ? static_cast<void*>(values_.data())
                                                           : static_cast<void*>(numbers.data());
    hipMemcpy3DParms copy{};
    copy.srcPtr = {from, all.width * 4, all.width * 4, all.height};
    copy.dstArray = array_;
    copy.extent = all;
    copy.kind = hipMemcpyHostToDevice;
    EXPECT_EQ(hipMemcpy3D(&copy), hipSuccess);
  }
  ~CountedArray() { EXPECT_EQ(hipFreeArray(array_), hipSuccess); }
  CountedArray(const CountedArray&) = delete;
  CountedArray& operator=(const CountedArray&) = delete;
  operator hipArray_t() const { return array_; }
  hipResourceDesc resource() const {
    hipResourceDesc resource{};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array_;
    return resource;
  }

 private:
  hipArray_t array_ = nullptr;
  std::vector<float> values_;
};

hipTextureDesc reading(hipTextureAddressMode address = hipAddressModeClamp,
                       hipTextureFilterMode filter = hipFilterModePoint, bool normalized = false) {
  hipTextureDesc d{};
  std::fill(std::begin(d.addressMode), std::end(d.addressMode), address);
  d.filterMode = filter;
  d.normalizedCoords = normalized ? 1 : 0;
  return d;
}

class OwnTexture {
 public:
  OwnTexture(const hipResourceDesc& resource, const hipTextureDesc& reading,
             const hipResourceViewDesc* view = nullptr) {
    EXPECT_EQ(hipCreateTextureObject(&object_, &resource, &reading, view), hipSuccess);
  }
  ~OwnTexture() { EXPECT_EQ(hipDestroyTextureObject(object_), hipSuccess); }
  OwnTexture(const OwnTexture&) = delete;
  OwnTexture& operator=(const OwnTexture&) = delete;
  operator hipTextureObject_t() const { return object_; }

 private:
  hipTextureObject_t object_ = nullptr;
};

using Run = hipError_t (*)(float*, hipTextureObject_t, const float*, int);

/// Reads a texture at places of `dimensions` coordinates.
std::vector<float> read_at(Run run, hipTextureObject_t texture, const std::vector<float>& at,
                           size_t dimensions) {
  static_cast<void>(hipGetLastError());
  const size_t count = at.size() / dimensions;
  const DeviceMemory<float> places(at), to(count);
  EXPECT_EQ(run(to.data(), texture, places.data(), static_cast<int>(count)), hipSuccess);
  return to.values();
}

TEST(Texture, OfOneDimensionIsReadByEachAddressMode) {
  const CountedArray array({8, 0, 0});
  const std::vector<float> at = {-1.5F, 0, 0.99F, 1, 3.5F, 7.9F, 8, 20};
  const OwnTexture clamp(array.resource(), reading());
  EXPECT_EQ(read_at(run_tex1d, clamp, at, 1), (std::vector<float>{0, 0, 0, 1, 3, 7, 7, 7}));
  const OwnTexture border(array.resource(), reading(hipAddressModeBorder));
  EXPECT_EQ(read_at(run_tex1d, border, at, 1), (std::vector<float>{0, 0, 0, 1, 3, 7, 0, 0}));
  // Coordinates that are not normalized are clamped in all other modes.
  const OwnTexture wrap(array.resource(), reading(hipAddressModeWrap));
  EXPECT_EQ(read_at(run_tex1d, wrap, at, 1), (std::vector<float>{0, 0, 0, 1, 3, 7, 7, 7}));
  const std::vector<float> normalized = {-0.125F, 0.0625F, 1.0625F, 1.9375F, 2.1875F};
  const OwnTexture repeat(array.resource(), reading(hipAddressModeWrap, hipFilterModePoint, true));
  EXPECT_EQ(read_at(run_tex1d, repeat, normalized, 1), (std::vector<float>{7, 0, 0, 7, 1}));
  const OwnTexture mirror(array.resource(), reading(hipAddressModeMirror, hipFilterModePoint, true));
  EXPECT_EQ(read_at(run_tex1d, mirror, normalized, 1), (std::vector<float>{0, 0, 7, 0, 1}));
}

TEST(Texture, OfTwoDimensionsIsFiltered) {
  const CountedArray array({4, 4, 0});
  const std::vector<float> at = {0.5F, 0.5F, 1, 0.5F, 1.5F, 2, 2, 2, 3.9F, 3.9F, -5, 1.5F};
  const OwnTexture linear(array.resource(), reading(hipAddressModeClamp, hipFilterModeLinear));
  const auto values = read_at(run_tex2d, linear, at, 2);
  const std::vector<float> expected = {0, 0.5F, 1 + 1.5F * 4, 1.5F + 1.5F * 4, 15, 4};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-4F) << i;
  const OwnTexture point(array.resource(), reading(hipAddressModeClamp, hipFilterModePoint, true));
  EXPECT_EQ(read_at(run_tex2d, point, {0.3F, 0.6F, 0.99F, 0.99F}, 2), (std::vector<float>{9, 15}));
}

TEST(Texture, OfThreeDimensionsAndOfLayers) {
  const CountedArray block({3, 4, 5});
  const OwnTexture three(block.resource(), reading());
  EXPECT_EQ(read_at(run_tex3d, three, {1.5F, 2.5F, 3.5F, 9, 9, 9}, 3), (std::vector<float>{43, 59}));
  const CountedArray rows({6, 0, 3}, hipArrayLayered);
  const OwnTexture one(rows.resource(), reading());
  EXPECT_EQ(read_at(run_tex1d_layered, one, {2.5F, 0, 2.5F, 2}, 2), (std::vector<float>{2, 14}));
  const CountedArray planes({4, 2, 3}, hipArrayLayered);
  const OwnTexture two(planes.resource(), reading());
  EXPECT_EQ(read_at(run_tex2d_layered, two, {1.5F, 1.5F, 2, 1.5F, 0.5F, 0}, 3), (std::vector<float>{21, 1}));
  // A view of the last two layers.
  hipResourceViewDesc view{};
  view.format = hipResViewFormatFloat1;
  view.width = 4;
  view.height = 2;
  view.depth = 2;
  view.firstLayer = 1;
  view.lastLayer = 2;
  const OwnTexture part(planes.resource(), reading(), &view);
  EXPECT_EQ(read_at(run_tex2d_layered, part, {1.5F, 1.5F, 1, 1.5F, 0.5F, 0}, 3), (std::vector<float>{21, 9}));
  hipResourceViewDesc told{};
  HIP_OK(hipGetTextureObjectResourceViewDesc(&told, part));
  EXPECT_EQ(told.firstLayer, 1U);
  EXPECT_EQ(hipGetTextureObjectResourceViewDesc(&told, two), hipErrorInvalidValue);
}

/// A texture of 2 x 1 elements of four bytes.
struct Bytes {
  Bytes() {
    EXPECT_EQ(hipMallocArray(&array, &bytes4, 2, 1, 0), hipSuccess);
    const unsigned char from[8] = {0, 51, 102, 255, 255, 188, 128, 64};
    EXPECT_EQ(hipMemcpyToArray(array, 0, 0, from, 8, hipMemcpyHostToDevice), hipSuccess);
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
  }
  ~Bytes() { EXPECT_EQ(hipFreeArray(array), hipSuccess); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  hipArray_t array = nullptr;
  hipResourceDesc resource{};
};

TEST(Texture, OfIntegersIsReadAsSuchOrNormalized) {
  static_cast<void>(hipGetLastError());
  const Bytes bytes;
  const DeviceMemory<float> at(std::vector<float>{0.5F, 0.5F, 1.5F, 0.5F}), to(8);
  const DeviceMemory<unsigned char> integer(8);
  const OwnTexture plain(bytes.resource, reading());
  HIP_OK(run_tex2d_uchar4(integer.data(), plain, at.data(), 2));
  EXPECT_EQ(integer.values(), (std::vector<unsigned char>{0, 51, 102, 255, 255, 188, 128, 64}));
  hipTextureDesc normalized = reading();
  normalized.readMode = hipReadModeNormalizedFloat;
  const OwnTexture real(bytes.resource, normalized);
  HIP_OK(run_tex2d_float4(to.data(), real, at.data(), 2));
  auto values = to.values();
  EXPECT_NEAR(values[1], 0.2F, 1e-6F);
  EXPECT_NEAR(values[4], 1.0F, 1e-6F);
  normalized.sRGB = 1;
  const OwnTexture colours(bytes.resource, normalized);
  HIP_OK(run_tex2d_float4(to.data(), colours, at.data(), 2));
  values = to.values();
  EXPECT_NEAR(values[5], std::pow((188 / 255.0 + 0.055) / 1.055, 2.4), 1e-3);
  EXPECT_NEAR(values[7], 64 / 255.0, 1e-3);  // alpha is linear
}

TEST(Texture, OfShortIntegersIsReadFromRows) {
  static_cast<void>(hipGetLastError());
  constexpr size_t pitch = 256;
  std::vector<short> from(pitch / 2 * 3);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<short>(i * 7 - 300);
  const DeviceMemory<short> memory(from);
  hipResourceDesc resource{};
  resource.resType = hipResourceTypePitch2D;
  resource.res.pitch2D = {memory.data(), {16, 16, 0, 0, hipChannelFormatKindSigned}, 5, 3, pitch};
  const OwnTexture texture(resource, reading());
  const DeviceMemory<float> at(std::vector<float>{0.5F, 0.5F, 4.5F, 2.5F, 9, 9});
  const DeviceMemory<short> to(6);
  HIP_OK(run_tex2d_short2(to.data(), texture, at.data(), 3));
  const size_t last = 2 * (pitch / 2) + 8;
  EXPECT_EQ(to.values(),
            (std::vector<short>{from[0], from[1], from[last], from[last + 1], from[last], from[last + 1]}));
}

TEST(Texture, OfLinearMemoryIsFetched) {
  static_cast<void>(hipGetLastError());
  constexpr int count = 200000;
  std::vector<int> from(count);
  std::iota(from.begin(), from.end(), -100);
  const DeviceMemory<int> memory(from), to(count + 2);
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear = {memory.data(), integers, count * sizeof(int)};
  const OwnTexture texture(resource, hipTextureDesc{});
  HIP_OK(run_fetch_int(to.data(), texture, count + 2));
  from.insert(from.end(), {0, 0});  // outside there is 0
  EXPECT_EQ(to.values(), from);
}

TEST(Texture, TellsWhatItIsMadeOf) {
  const CountedArray array({4, 4, 0});
  const OwnTexture texture(array.resource(), reading(hipAddressModeMirror, hipFilterModeLinear, true));
  hipResourceDesc resource{};
  HIP_OK(hipGetTextureObjectResourceDesc(&resource, texture));
  EXPECT_EQ(resource.res.array.array, static_cast<hipArray_t>(array));
  hipTextureDesc d{};
  HIP_OK(hipGetTextureObjectTextureDesc(&d, texture));
  EXPECT_EQ(d.addressMode[1], hipAddressModeMirror);
  HIP_TEXTURE_DESC driver{};
  HIP_OK(hipTexObjectGetTextureDesc(&driver, texture));
  EXPECT_EQ(driver.flags, static_cast<unsigned>(HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES));
  HIP_RESOURCE_DESC memory{};
  HIP_OK(hipTexObjectGetResourceDesc(&memory, texture));
  EXPECT_EQ(memory.res.array.hArray, static_cast<hipArray_t>(array));
  EXPECT_EQ(hipGetTextureObjectResourceDesc(nullptr, texture), hipErrorInvalidValue);
  EXPECT_EQ(hipGetTextureObjectTextureDesc(&d, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipTexObjectGetResourceDesc(nullptr, texture), hipErrorInvalidValue);
}

TEST(Texture, IsMadeByTheDescriptionsOfModules) {
  static_cast<void>(hipGetLastError());
  const Bytes bytes;
  HIP_RESOURCE_DESC resource{};
  resource.resType = HIP_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = bytes.array;
  HIP_TEXTURE_DESC d{};
  std::fill(std::begin(d.addressMode), std::end(d.addressMode), HIP_TR_ADDRESS_MODE_CLAMP);
  hipTextureObject_t texture = nullptr;
  HIP_OK(hipTexObjectCreate(&texture, &resource, &d, nullptr));
  const DeviceMemory<float> at(std::vector<float>{0.5F, 0.5F}), to(4);
  HIP_OK(run_tex2d_float4(to.data(), texture, at.data(), 1));
  EXPECT_NEAR(to.values()[1], 0.2F, 1e-6F);
  HIP_OK(hipTexObjectDestroy(texture));
  EXPECT_EQ(hipTexObjectDestroy(texture), hipErrorInvalidValue);
  resource.resType = HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  EXPECT_EQ(hipTexObjectCreate(&texture, &resource, &d, nullptr), hipErrorInvalidValue);
  resource.resType = HIP_RESOURCE_TYPE_LINEAR;
  EXPECT_EQ(hipTexObjectCreate(&texture, &resource, &d, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipTexObjectCreate(&texture, nullptr, &d, nullptr), hipErrorInvalidValue);
}

TEST(Texture, ChecksItsDescriptions) {
  const CountedArray array({4, 4, 0}), numbers({4, 4, 0}, 0, integers);
  hipTextureObject_t object = nullptr;
  const auto create = [&](const hipResourceDesc& resource, const hipTextureDesc& d,
                          const hipResourceViewDesc* view = nullptr) {
    return hipCreateTextureObject(&object, &resource, &d, view);
  };
  const auto with = [](auto change) {
    hipTextureDesc d = reading();
    change(d);
    return d;
  };
  const hipResourceDesc good = array.resource();
  EXPECT_EQ(hipCreateTextureObject(nullptr, &good, nullptr, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(create(good, with([](auto& d) { d.addressMode[1] = static_cast<hipTextureAddressMode>(4); })),
            hipErrorInvalidValue);
  EXPECT_EQ(create(good, with([](auto& d) { d.sRGB = 1; })), hipErrorNotSupported);
  EXPECT_EQ(create(numbers.resource(), reading(hipAddressModeClamp, hipFilterModeLinear)),
            hipErrorInvalidValue);
  EXPECT_EQ(create(numbers.resource(), with([](auto& d) {
                     d.readMode = hipReadModeNormalizedFloat;
                     d.filterMode = hipFilterModeLinear;
                   })),
            hipErrorInvalidValue);
  hipResourceDesc wrong{};
  EXPECT_EQ(create(wrong, reading()), hipErrorInvalidValue);
  wrong.resType = hipResourceTypeMipmappedArray;
  EXPECT_EQ(create(wrong, reading()), hipErrorInvalidValue);
  const DeviceMemory<float> memory(64);
  wrong.resType = hipResourceTypeLinear;
  wrong.res.linear = {memory.data(), floats, 65 * sizeof(float)};
  EXPECT_EQ(create(wrong, reading()), hipErrorInvalidValue);
  wrong.res.linear = {nullptr, floats, 64};
  EXPECT_EQ(create(wrong, reading()), hipErrorInvalidValue);
  wrong.resType = hipResourceTypePitch2D;
  wrong.res.pitch2D = {memory.data(), floats, 8, 2, 16};
  EXPECT_EQ(create(wrong, reading()), hipErrorInvalidValue);
  wrong.res.pitch2D = {memory.data(), floats, 8, 9, 32};
  EXPECT_EQ(create(wrong, reading()), hipErrorInvalidValue);
  hipResourceViewDesc view{};
  view.width = view.height = 4;
  EXPECT_EQ(create(wrong, reading(), &view), hipErrorInvalidValue);
  view.format = hipResViewFormatUnsignedChar1;
  EXPECT_EQ(create(good, reading(), &view), hipErrorInvalidValue);
  view.format = hipResViewFormatUnsignedBlockCompressed1;
  EXPECT_EQ(create(good, reading(), &view), hipErrorNotSupported);
  view.format = hipResViewFormatNone;
  view.lastLayer = 1;
  EXPECT_EQ(create(good, reading(), &view), hipErrorInvalidValue);
  HIP_OK(hipDestroyTextureObject(nullptr));
  int own = 0;
  EXPECT_EQ(hipDestroyTextureObject(reinterpret_cast<hipTextureObject_t>(&own)), hipErrorInvalidValue);
}

/// A mipmapped array whose elements are 100 * level + their number in the level, and its texture.
class Levels {
 public:
  Levels(hipExtent extent, unsigned levels, unsigned flags = 0, const hipChannelFormatDesc& desc = floats) {
    EXPECT_EQ(hipMallocMipmappedArray(&array_, &desc, extent, levels, flags), hipSuccess);
    for (unsigned i = 0; i < levels; ++i) fill(i, desc.f == hipChannelFormatKindFloat);
  }
  ~Levels() { EXPECT_EQ(hipFreeMipmappedArray(array_), hipSuccess); }
  Levels(const Levels&) = delete;
  Levels& operator=(const Levels&) = delete;
  operator hipMipmappedArray_t() const { return array_; }
  hipResourceDesc resource() const {
    hipResourceDesc resource{};
    resource.resType = hipResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array_;
    return resource;
  }

 private:
  void fill(unsigned number, bool real) {
    hipArray_t level = nullptr;
    hipExtent extent{};
    EXPECT_EQ(hipGetMipmappedArrayLevel(&level, array_, number), hipSuccess);
    EXPECT_EQ(hipArrayGetInfo(nullptr, &extent, nullptr, level), hipSuccess);
    extent.height = std::max<size_t>(extent.height, 1);
    extent.depth = std::max<size_t>(extent.depth, 1);
    std::vector<float> values(extent.width * extent.height * extent.depth);
    std::iota(values.begin(), values.end(), 100.0F * static_cast<float>(number));
    std::vector<int> numbers(values.begin(), values.end());
    void* const from = real ? static_cast<void*>(values.data()) : static_cast<void*>(numbers.data());
    hipMemcpy3DParms copy{};
    copy.srcPtr = {from, extent.width * 4, extent.width * 4, extent.height};
    copy.dstArray = level;
    copy.extent = extent;
    copy.kind = hipMemcpyHostToDevice;
    EXPECT_EQ(hipMemcpy3D(&copy), hipSuccess);
    EXPECT_EQ(hipFreeArray(level), hipSuccess);
  }
  hipMipmappedArray_t array_ = nullptr;
};

hipTextureDesc level_reading(float greatest, hipTextureFilterMode between = hipFilterModePoint) {
  hipTextureDesc d = reading(hipAddressModeClamp, hipFilterModePoint, true);
  d.maxMipmapLevelClamp = greatest;
  d.mipmapFilterMode = between;
  return d;
}

TEST(MipmappedTexture, ReadsTheLevelThatIsAskedFor) {
  const Levels plane({8, 4, 0}, 4), row({8, 0, 0}, 4), block({4, 4, 4}, 3);
  const OwnTexture nearest(plane.resource(), level_reading(3));
  EXPECT_EQ(read_at(run_tex2d_level, nearest,
                    {0.99F, 0.99F, 0, 0.99F, 0.99F, 1, 0.99F, 0.99F, 2.4F, 0.99F, 0.99F, 2.5F}, 3),
            (std::vector<float>{31, 107, 201, 300}));
  // Levels outside are clamped; a NaN is level 0. tex2D reads the first level.
  EXPECT_EQ(read_at(run_tex2d_level, nearest, {0, 0, -5, 0, 0, 99, 0, 0, NAN}, 3),
            (std::vector<float>{0, 300, 0}));
  EXPECT_EQ(read_at(run_tex2d, nearest, {0.99F, 0.99F}, 2), (std::vector<float>{31}));
  const OwnTexture one(row.resource(), level_reading(3));
  EXPECT_EQ(read_at(run_tex1d_level, one, {0.99F, 0, 0.99F, 1, 0.99F, 3}, 2),
            (std::vector<float>{7, 103, 300}));
  const OwnTexture three(block.resource(), level_reading(2));
  EXPECT_EQ(read_at(run_tex3d_level, three, {0.99F, 0.99F, 0.99F, 0, 0.99F, 0.99F, 0.99F, 1, 0, 0, 0, 2}, 4),
            (std::vector<float>{63, 107, 200}));
  const Levels layers({4, 4, 3}, 2, hipArrayLayered);
  const OwnTexture layered(layers.resource(), level_reading(1));
  EXPECT_EQ(read_at(run_tex2d_layered_level, layered, {0, 0, 2, 0, 0, 0, 2, 1}, 4),
            (std::vector<float>{32, 108}));
}

TEST(MipmappedTexture, FiltersWithinLevelsAndBetweenThem) {
  const Levels plane({8, 4, 0}, 4);
  const OwnTexture between(plane.resource(), level_reading(3, hipFilterModeLinear));
  EXPECT_EQ(read_at(run_tex2d_level, between, {0, 0, 0.25F, 0, 0, 2.5F, 0, 0, 3}, 3),
            (std::vector<float>{25, 250, 300}));
  hipTextureDesc d = level_reading(3, hipFilterModeLinear);
  d.filterMode = hipFilterModeLinear;
  const OwnTexture everywhere(plane.resource(), d);
  // The middle of level 0 is 15.5, that of level 1 is 103.5.
  EXPECT_EQ(read_at(run_tex2d_level, everywhere, {0.5F, 0.5F, 0.5F}, 3),
            (std::vector<float>{(15.5F + 103.5F) / 2}));
  d = level_reading(2.25F, hipFilterModeLinear);
  d.minMipmapLevelClamp = 0.5F;
  d.mipmapLevelBias = 1;
  const OwnTexture limited(plane.resource(), d);
  EXPECT_EQ(read_at(run_tex2d_level, limited, {0, 0, -9, 0, 0, 0.5F, 0, 0, 9}, 3),
            (std::vector<float>{50, 150, 225}));
}

TEST(MipmappedTexture, ReadsIntegersAndViews) {
  const Levels plane({8, 4, 0}, 4, 0, integers);
  const OwnTexture numbers(plane.resource(), level_reading(3, hipFilterModeLinear));
  EXPECT_EQ(read_at(run_tex2d_level_int, numbers, {0, 0, 0.4F, 0, 0, 1.6F}, 3), (std::vector<float>{0, 200}));
  const Levels reals({8, 4, 0}, 4);
  hipResourceViewDesc view{hipResViewFormatFloat1, 8, 4, 0, 1, 2, 0, 0};
  const OwnTexture part(reals.resource(), level_reading(3), &view);
  EXPECT_EQ(read_at(run_tex2d_level, part, {0, 0, 0, 0, 0, 1, 0, 0, 2}, 3),
            (std::vector<float>{100, 200, 200}));
  view.lastMipmapLevel = 4;
  hipTextureObject_t object = nullptr;
  const hipResourceDesc resource = reals.resource();
  const hipTextureDesc d = level_reading(3);
  EXPECT_EQ(hipCreateTextureObject(&object, &resource, &d, &view), hipErrorInvalidValue);
}

TEST(MipmappedTexture, FindsLevelsByGradients) {
  const Levels plane({8, 4, 0}, 4), row({8, 0, 0}, 4);
  const OwnTexture two(plane.resource(), level_reading(3)), one(row.resource(), level_reading(3));
  // Steps of 1, 2, 4 and 8 elements of level 0; the larger of both directions counts.
  EXPECT_EQ(read_at(run_tex2d_gradients, two, {0, 0, 0.125F, 0, 0, 0, 0, 0, 0.25F, 0, 0, 0.25F, 0, 0, 0,
                                               0, 0, 1,      0, 0, 1, 0, 0, 0,     0, 0, 0,     0, 0, 0},
                    6),
            (std::vector<float>{0, 100, 200, 300, 0}));
  EXPECT_EQ(read_at(run_tex1d_gradients, one, {0, 0.25F, 0, 0, 0, 0.5F}, 3), (std::vector<float>{100, 200}));
  // An array without levels has one.
  const CountedArray array({8, 4, 0});
  const OwnTexture ordinary(array.resource(), reading(hipAddressModeClamp, hipFilterModePoint, true));
  EXPECT_EQ(read_at(run_tex2d_gradients, ordinary, {0.99F, 0, 1, 0, 0, 0}, 6), (std::vector<float>{7}));
  EXPECT_EQ(read_at(run_tex2d_level, ordinary, {0.99F, 0, 2}, 3), (std::vector<float>{7}));
}

TEST(MipmappedTexture, OfASingleRowIsReadInOneDimensionAndInTwo) {
  const Levels row({8, 1, 0}, 4);
  const OwnTexture nearest(row.resource(), level_reading(3));
  EXPECT_EQ(read_at(run_tex1d_level, nearest, {0.99F, 0, 0.99F, 1, 0.99F, 2, 0.99F, 3}, 2),
            (std::vector<float>{7, 103, 201, 300}));
  EXPECT_EQ(read_at(run_tex1d_gradients, nearest, {0.99F, 0.25F, 0, 0.99F, 0, 0.5F}, 3),
            (std::vector<float>{103, 201}));
  EXPECT_EQ(read_at(run_tex2d_level, nearest, {0.99F, 0, 1, 0.99F, 0.9F, 2}, 3),
            (std::vector<float>{103, 201}));
  // A border that no sampler has.
  hipTextureDesc d = level_reading(3);
  d.addressMode[0] = hipAddressModeBorder;
  d.borderColor[0] = 5;
  const OwnTexture bordered(row.resource(), d);
  EXPECT_EQ(read_at(run_tex1d_level, bordered, {0.99F, 1, 1.5F, 1}, 2), (std::vector<float>{103, 5}));
}

TEST(MipmappedArray, ChecksWhatItIsAskedFor) {
  hipMipmappedArray_t array = nullptr;
  hipArray_t level = nullptr;
  EXPECT_EQ(hipMallocMipmappedArray(nullptr, &floats, {4, 4, 0}, 2, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocMipmappedArray(&array, nullptr, {4, 4, 0}, 2, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocMipmappedArray(&array, &floats, {0, 0, 0}, 2, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocMipmappedArray(&array, &floats, {4, 4, 0}, 2, 1U << 31), hipErrorInvalidValue);
  EXPECT_EQ(hipFreeMipmappedArray(nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGetMipmappedArrayLevel(&level, nullptr, 0), hipErrorInvalidHandle);
  // There are no more levels than down to one element.
  HIP_ARRAY3D_DESCRIPTOR d{6, 2, 0, HIP_AD_FORMAT_FLOAT, 1, 0};
  HIP_OK(hipMipmappedArrayCreate(&array, &d, 99));
  HIP_OK(hipMipmappedArrayGetLevel(&level, array, 2));
  hipExtent extent{};
  HIP_OK(hipArrayGetInfo(nullptr, &extent, nullptr, level));
  EXPECT_EQ(extent.width, 1U);
  EXPECT_EQ(extent.height, 1U);
  EXPECT_EQ(hipGetMipmappedArrayLevel(&level, array, 3), hipErrorInvalidValue);
  EXPECT_EQ(hipGetMipmappedArrayLevel(nullptr, array, 0), hipErrorInvalidValue);
  HIP_OK(hipMipmappedArrayDestroy(array));
  EXPECT_EQ(hipFreeMipmappedArray(array), hipErrorContextIsDestroyed);
  // Handles of levels went with the array.
  EXPECT_EQ(hipArrayGetInfo(nullptr, &extent, nullptr, level), hipErrorInvalidHandle);
  static_cast<void>(hipGetLastError());
}

TEST(Texture, HasAnAddressModeForEachDimension) {
  const CountedArray plane({4, 4, 0}), block({2, 2, 2}), layers({4, 2, 2}, hipArrayLayered);
  hipTextureDesc d = reading(hipAddressModeWrap, hipFilterModePoint, true);
  d.addressMode[1] = hipAddressModeMirror;
  const OwnTexture points(plane.resource(), d);
  EXPECT_EQ(read_at(run_tex2d, points, {1.125F, 1.125F, -0.125F, -0.125F, 2.3F, 0.6F, 0.1F, 2.1F}, 2),
            (std::vector<float>{12, 3, 9, 0}));
  d.filterMode = hipFilterModeLinear;
  const OwnTexture linear(plane.resource(), d);
  // Left of the first column is the last one; above the first row is the first one.
  EXPECT_EQ(read_at(run_tex2d, linear, {0, 0, 0.5F, 0.5F}, 2), (std::vector<float>{1.5F, 7.5F}));
  d = reading(hipAddressModeClamp);
  d.addressMode[2] = hipAddressModeBorder;
  const OwnTexture three(block.resource(), d);
  EXPECT_EQ(read_at(run_tex3d, three, {9, 9, 1, 9, 9, 2, 0, 0, -1}, 3), (std::vector<float>{7, 0, 0}));
  d = reading(hipAddressModeBorder);
  d.addressMode[1] = hipAddressModeClamp;
  const OwnTexture two(layers.resource(), d);
  EXPECT_EQ(read_at(run_tex2d_layered, two, {1, 9, 1, -1, 0, 1, 1, 1, 9}, 3),
            (std::vector<float>{13, 0, 13}));
}

TEST(Texture, HasBordersOfAColour) {
  const CountedArray plane({4, 4, 0}), numbers({4, 4, 0}, 0, integers);
  hipTextureDesc d = reading(hipAddressModeBorder);
  d.borderColor[0] = 40;
  const OwnTexture points(plane.resource(), d);
  EXPECT_EQ(read_at(run_tex2d, points, {-1, 1, 1, 1, 4, 0}, 2), (std::vector<float>{40, 5, 40}));
  d.filterMode = hipFilterModeLinear;
  const OwnTexture linear(plane.resource(), d);
  EXPECT_EQ(read_at(run_tex2d, linear, {0, 0.5F, 0, 0}, 2), (std::vector<float>{20, 30}));
  d.filterMode = hipFilterModePoint;
  const OwnTexture whole(numbers.resource(), d);
  EXPECT_EQ(read_at(run_tex2d_level_int, whole, {-1, 0, 0, 1, 1, 0}, 3), (std::vector<float>{40, 5}));
  // Without a border there is nothing to be coloured, and one row can be read as one dimension.
  const CountedArray row({4, 1, 0});
  const OwnTexture clamp(row.resource(), reading());
  EXPECT_EQ(read_at(run_tex1d, clamp, {2.5F, 9}, 1), (std::vector<float>{2, 3}));
}

TEST(Texture, IgnoresAnisotropyAndNormalizationOfWideIntegers) {
  const CountedArray numbers({4, 4, 0}, 0, integers);
  hipTextureDesc d = reading();
  d.readMode = hipReadModeNormalizedFloat;
  d.maxAnisotropy = 4;
  d.mipmapLevelBias = 1;
  const OwnTexture texture(numbers.resource(), d);
  EXPECT_EQ(read_at(run_tex2d_level_int, texture, {1, 1, 0}, 3), (std::vector<float>{5}));
}

TEST(Texture, GathersFourElements) {
  const CountedArray plane({4, 4, 0});
  const OwnTexture clamp(plane.resource(), reading());
  const auto gathered = [&](hipTextureObject_t texture, float x, float y) {
    const DeviceMemory<float> at(std::vector<float>{x, y, 0}), to(4);
    EXPECT_EQ(run_gather(to.data(), texture, at.data(), 1), hipSuccess);
    return to.values();
  };
  EXPECT_EQ(gathered(clamp, 2, 2), (std::vector<float>{9, 10, 6, 5}));
  EXPECT_EQ(gathered(clamp, 0, 0), (std::vector<float>{0, 0, 0, 0}));
  hipTextureDesc d = reading(hipAddressModeWrap, hipFilterModeLinear, true);
  const OwnTexture wrap(plane.resource(), d);
  EXPECT_EQ(gathered(wrap, 0, 0), (std::vector<float>{3, 0, 12, 15}));
  d = reading(hipAddressModeBorder);
  d.borderColor[0] = 40;
  const OwnTexture border(plane.resource(), d);
  EXPECT_EQ(gathered(border, 0, 1), (std::vector<float>{40, 4, 0, 40}));
}

TEST(CubeTexture, ReadsTheFaceOfADirection) {
  const CountedArray cube({2, 2, 6}, hipArrayCubemap);
  // Address modes and coordinates that are not normalized mean nothing for cubes.
  const OwnTexture texture(cube.resource(), reading(hipAddressModeWrap));
  const std::vector<float> at = {1,    0.1F, 0.1F, -1,   0.1F, 0.1F, 0.1F, 1,    0.1F,
                                 0.1F, -1,   0.1F, 0.1F, 0.1F, 1,    0.1F, 0.1F, -1};
  // x: rows go along -y, columns along -z of face 0, and so on.
  EXPECT_EQ(read_at(run_cube, texture, at, 3), (std::vector<float>{0, 5, 11, 13, 17, 20}));
  EXPECT_EQ(read_at(run_cube, texture, {3, -1.5F, -1.5F, 30, -15, -15}, 3), (std::vector<float>{3, 3}));
  const CountedArray cubes({1, 1, 12}, hipArrayCubemap | hipArrayLayered);
  const OwnTexture several(cubes.resource(), reading());
  EXPECT_EQ(read_at(run_cubes_level, several, {1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, -1, 1, 3}, 5),
            (std::vector<float>{0, 6, 11}));
}

TEST(CubeTexture, HasLevels) {
  const Levels cube({4, 4, 6}, 3, hipArrayCubemap);
  const OwnTexture texture(cube.resource(), level_reading(2));
  EXPECT_EQ(read_at(run_cubes_level, texture, {0, 0, -1, 0, 0, 0, 0, -1, 0, 2}, 5),
            (std::vector<float>{90, 205}));
  // A change of 0.5 in the direction is a quarter of a face, or one element of level 0.
  EXPECT_EQ(read_at(run_cube_gradients, texture,
                    {1, 0.5F, 0.5F, 0, 0.5F, 0, 0, 0, 0, 1, 0.5F, 0.5F, 0, 0, 0, 0, 0, 1}, 9),
            (std::vector<float>{5, 100}));
}

TEST(CubeTexture, IsWrittenAsASurface) {
  const CountedArray cube({4, 4, 6}, hipArrayCubemap, integers);
  const hipResourceDesc resource = cube.resource();
  hipSurfaceObject_t surface = nullptr;
  HIP_OK(hipCreateSurfaceObject(&surface, &resource));
  static_cast<void>(hipGetLastError());
  HIP_OK(run_cube_surface(surface, 4));
  HIP_OK(hipDestroySurfaceObject(surface));
  const OwnTexture texture(resource, reading());
  std::vector<int> values(4 * 4 * 6);
  hipMemcpy3DParms copy{};
  copy.dstPtr = {values.data(), 16, 16, 4};
  copy.srcArray = cube;
  copy.extent = {4, 4, 6};
  copy.kind = hipMemcpyDeviceToHost;
  HIP_OK(hipMemcpy3D(&copy));
  for (int i = 0; i < 96; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], i + 1000 * (i / 16)) << i;
}

TEST(Texture, KeepsTheMemoryOfItsArray) {
  hipArray_t array = nullptr;
  HIP_OK(hipMallocArray(&array, &floats, 2, 0, 0));
  const float from[2] = {3, 4};
  HIP_OK(hipMemcpyHtoA(array, 0, from, sizeof from));
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  const OwnTexture texture(resource, reading());
  HIP_OK(hipFreeArray(array));
  EXPECT_EQ(read_at(run_tex1d, texture, {1.5F}, 1), (std::vector<float>{4}));
}

TEST(Texture, LimitsAreThoseOfTheDevice) {
  hipDeviceProp_t properties{};
  HIP_OK(hipGetDeviceProperties(&properties, 0));
  int value = 0;
  HIP_OK(hipDeviceGetAttribute(&value, hipDeviceAttributeImageSupport, 0));
  EXPECT_EQ(value, 1);
  hipArray_t array = nullptr;
  const auto width = static_cast<size_t>(properties.maxTexture1D);
  HIP_OK(hipMallocArray(&array, &floats, width, 0, 0));
  HIP_OK(hipFreeArray(array));
  EXPECT_EQ(hipMallocArray(&array, &floats, width + 1, 0, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocArray(&array, &floats, 1, static_cast<size_t>(properties.maxTexture2D[1]) + 1, 0),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc3DArray(&array, &floats, {1, 1, static_cast<size_t>(properties.maxTexture3D[2]) + 1}, 0),
            hipErrorInvalidValue);
}

TEST(Texture, IsMadeAndReadByManyThreads) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int round = 0; round < 10; ++round) {
        const CountedArray array({8, 0, 0});
        const OwnTexture texture(array.resource(), reading());
        EXPECT_EQ(read_at(run_tex1d, texture, {3.5F, 5.5F}, 1), (std::vector<float>{3, 5}));
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST(Surface, IsReadAndWritten) {
  static_cast<void>(hipGetLastError());
  const CountedArray array({5, 4, 0}, hipArraySurfaceLoadStore, integers);
  const hipResourceDesc resource = array.resource();
  hipSurfaceObject_t surface = nullptr;
  HIP_OK(hipCreateSurfaceObject(&surface, &resource));
  HIP_OK(run_surface2d(surface, 5, 4));
  int values[20] = {};
  HIP_OK(hipMemcpyFromArray(values, array, 0, 0, sizeof values, hipMemcpyDeviceToHost));
  for (int i = 0; i < 20; ++i) ASSERT_EQ(values[i], i + i % 5 + 10 * (i / 5));
  HIP_OK(hipDestroySurfaceObject(surface));
  EXPECT_EQ(hipDestroySurfaceObject(surface), hipErrorInvalidValue);
  HIP_OK(hipDestroySurfaceObject(nullptr));
  static_cast<void>(hipGetLastError());

  const CountedArray block({3, 2, 2}, hipArraySurfaceLoadStore, integers);
  const hipResourceDesc whole = block.resource();
  HIP_OK(hipCreateSurfaceObject(&surface, &whole));
  HIP_OK(run_surface3d(surface, 3, 2, 2));
  HIP_OK(hipDestroySurfaceObject(surface));
  hipMemcpy3DParms copy{};
  copy.srcArray = block;
  copy.dstPtr = {values, 12, 12, 2};
  copy.extent = {3, 2, 2};
  copy.kind = hipMemcpyDeviceToHost;
  HIP_OK(hipMemcpy3D(&copy));
  for (int i = 0; i < 12; ++i) ASSERT_EQ(values[i], i + i % 3 + 10 * (i / 3 % 2) + 100 * (i / 6));

  hipResourceDesc wrong{};
  EXPECT_EQ(hipCreateSurfaceObject(&surface, &wrong), hipErrorInvalidValue);
  wrong.resType = hipResourceTypeLinear;
  EXPECT_EQ(hipCreateSurfaceObject(&surface, &wrong), hipErrorInvalidValue);
  EXPECT_EQ(hipCreateSurfaceObject(nullptr, &resource), hipErrorInvalidValue);
}

}  // namespace
}  // namespace heddle::hip_tests
