// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's images as used by an agent driver that is written in C and knows nothing but include/hsam
// (image_agent.c). The agent loads what clients create and import, and clients export what the agent stores.
#include <gtest/gtest.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_image.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "image_agent.h"

namespace heddle::conformance {
namespace {

struct Client {
  Client() {
    setenv("HEDDLE_AGENT_PATH", HEDDLE_AGENT_FOLDER, 1);  // the host agent comes from the standard folder
    setenv("HEDDLE_AGENTS", "cpu,image", 1);
    EXPECT_EQ(hsa_init(), HSA_STATUS_SUCCESS);
    const auto find = [](hsa_agent_t agent, void* result) {
      char name[64] = {};
      hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
      if (std::strcmp(name, IMAGE_AGENT_NAME) != 0) return HSA_STATUS_SUCCESS;
      *static_cast<hsa_agent_t*>(result) = agent;
      return HSA_STATUS_INFO_BREAK;
    };
    EXPECT_EQ(hsa_iterate_agents(find, &agent), HSA_STATUS_INFO_BREAK) << "the agent driver was not opened";
  }
  ~Client() { EXPECT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS); }
  hsa_agent_t agent = {};
};

struct Components {
  uint32_t bits[4];
  friend bool operator==(const Components&, const Components&) = default;
};

/// Runs instructions on the agent, one after the other.
class Instructions {
 public:
  explicit Instructions(hsa_agent_t agent) {
    const auto on_error = [](hsa_status_t status, hsa_queue_t*, void* data) {
      static_cast<std::atomic<hsa_status_t>*>(data)->store(status);
    };
    EXPECT_EQ(hsa_queue_create(agent, 16, HSA_QUEUE_TYPE_SINGLE, on_error, &error_, UINT32_MAX, UINT32_MAX,
                               &queue_),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_signal_create(0, 0, nullptr, &done_), HSA_STATUS_SUCCESS);
  }
  ~Instructions() {
    EXPECT_EQ(hsa_queue_destroy(queue_), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_signal_destroy(done_), HSA_STATUS_SUCCESS);
  }

  /// Runs one instruction. Returns success, or the error that the queue's callback received.
  hsa_status_t run(uint16_t type, uint64_t image, uint64_t sampler, const uint32_t (&at)[3],
                   Components& components) {
    hsa_signal_store_relaxed(done_, 1);
    const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
    auto& packet = static_cast<hsa_agent_dispatch_packet_t*>(queue_->base_address)[index % queue_->size];
    packet.type = type;
    packet.return_address = &components;
    packet.arg[0] = image;
    packet.arg[1] = sampler;
    packet.arg[2] = at[0] | uint64_t{at[1]} << 32;
    packet.arg[3] = at[2];
    packet.completion_signal = done_;
    __atomic_store_n(&packet.header,
                     static_cast<uint16_t>(HSA_PACKET_TYPE_AGENT_DISPATCH << HSA_PACKET_HEADER_TYPE |
                                           HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                           HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE),
                     __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
    while (hsa_signal_wait_scacquire(done_, HSA_SIGNAL_CONDITION_EQ, 0, 1000000, HSA_WAIT_STATE_BLOCKED) != 0)
      if (error_.load() != HSA_STATUS_SUCCESS) return error_.load();
    return HSA_STATUS_SUCCESS;
  }

 private:
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t done_ = {};
  std::atomic<hsa_status_t> error_ = HSA_STATUS_SUCCESS;
};

class ImageAgent : public ::testing::Test {
 protected:
  /// An image whose elements have the bytes 1, 2, 3, ..., and whose memory has gaps between rows and slices.
  struct Picture {
    hsa_ext_image_t handle = {};
    hsa_ext_image_region_t all = {};
    std::vector<std::byte> elements;  ///< without the gaps
    alignas(16) std::byte data[4096] = {};
  };

  void create(Picture& picture, const hsa_ext_image_descriptor_t& descriptor, size_t element_size,
              hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_RW) {
    const size_t row = (descriptor.width + 2) * element_size;
    const size_t rows = std::max<size_t>(descriptor.height, 1);
    const size_t slices = std::max<size_t>({descriptor.depth, descriptor.array_size, 1});
    const bool sliced = descriptor.depth != 0 || descriptor.array_size != 0;
    ASSERT_LE(row * (rows + 1) * slices, sizeof picture.data);
    ASSERT_EQ(hsa_ext_image_create_with_layout(client.agent, &descriptor, picture.data, permission,
                                               HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, row,
                                               sliced ? row * (rows + 1) : 0, &picture.handle),
              HSA_STATUS_SUCCESS);
    const auto number = [](size_t size) { return static_cast<uint32_t>(size); };
    const bool layers_are_y = descriptor.geometry == HSA_EXT_IMAGE_GEOMETRY_1DA;
    picture.all.range = {number(descriptor.width), layers_are_y ? number(slices) : number(rows),
                         layers_are_y ? 1 : number(slices)};
    picture.elements.resize(descriptor.width * rows * slices * element_size);
    for (size_t i = 0; i < picture.elements.size(); ++i) picture.elements[i] = std::byte(i + 1);
    ASSERT_EQ(hsa_ext_image_import(client.agent, picture.elements.data(), 0, 0, picture.handle, &picture.all),
              HSA_STATUS_SUCCESS);
  }
  void destroy(Picture& picture) {
    EXPECT_EQ(hsa_ext_image_destroy(client.agent, picture.handle), HSA_STATUS_SUCCESS);
  }

  Client client;
  Instructions instructions{client.agent};
};

struct Shape {
  hsa_ext_image_geometry_t geometry;
  size_t width, height, depth, layers;
  bool layer_is_second;
};

TEST_F(ImageAgent, FindsTheElementsOfEveryGeometry) {
  const Shape shapes[] = {
      {HSA_EXT_IMAGE_GEOMETRY_1D, 7, 0, 0, 0, false},  {HSA_EXT_IMAGE_GEOMETRY_2D, 5, 3, 0, 0, false},
      {HSA_EXT_IMAGE_GEOMETRY_3D, 4, 3, 5, 0, false},  {HSA_EXT_IMAGE_GEOMETRY_1DA, 6, 0, 0, 4, true},
      {HSA_EXT_IMAGE_GEOMETRY_2DA, 3, 4, 0, 5, false}, {HSA_EXT_IMAGE_GEOMETRY_1DB, 9, 0, 0, 0, false}};
  for (const Shape& s : shapes) {
    SCOPED_TRACE(s.geometry);
    Picture picture;
    const hsa_ext_image_descriptor_t descriptor = {
        s.geometry, s.width,  s.height,
        s.depth,    s.layers, {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16, HSA_EXT_IMAGE_CHANNEL_ORDER_RG}};
    create(picture, descriptor, 4);
    if (HasFatalFailure()) return;
    const size_t rows = std::max<size_t>(s.height, 1), slices = std::max<size_t>({s.depth, s.layers, 1});
    std::vector<std::byte> expected = picture.elements;
    uint32_t element = 0;
    for (uint32_t z = 0; z < slices; ++z) {
      for (uint32_t y = 0; y < rows; ++y) {
        for (uint32_t x = 0; x < s.width; ++x, ++element) {
          const uint32_t at[3] = {x, s.layer_is_second ? z : y, s.layer_is_second ? 0 : z};
          uint16_t stored[2];
          std::memcpy(stored, &expected[4 * size_t{element}], 4);
          Components got = {};
          ASSERT_EQ(instructions.run(IMAGE_AGENT_LOAD, picture.handle.handle, 0, at, got),
                    HSA_STATUS_SUCCESS);
          EXPECT_EQ(got, (Components{{stored[0], stored[1], 0, 1}})) << x << ' ' << y << ' ' << z;
          Components changed = {{element, 70000, 0, 0}};  // the second is too large and is clamped
          ASSERT_EQ(instructions.run(IMAGE_AGENT_STORE, picture.handle.handle, 0, at, changed),
                    HSA_STATUS_SUCCESS);
          const uint16_t kept[2] = {static_cast<uint16_t>(element), 0xffff};
          std::memcpy(&expected[4 * size_t{element}], kept, 4);
        }
      }
    }
    std::vector<std::byte> exported(expected.size());
    EXPECT_EQ(hsa_ext_image_export(client.agent, picture.handle, exported.data(), 0, 0, &picture.all),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(exported, expected);
    destroy(picture);
  }
}

TEST_F(ImageAgent, KnowsTheFormatAndTheSizes) {
  Picture picture;
  create(picture,
         {HSA_EXT_IMAGE_GEOMETRY_2D,
          3,
          2,
          0,
          0,
          {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA}},
         4);
  if (HasFatalFailure()) return;
  const auto unorm = [](int byte) { return std::bit_cast<uint32_t>(static_cast<float>(byte) / 255.0f); };
  Components got = {};
  ASSERT_EQ(instructions.run(IMAGE_AGENT_LOAD, picture.handle.handle, 0, {2, 1, 0}, got), HSA_STATUS_SUCCESS);
  EXPECT_EQ(got, (Components{{unorm(23), unorm(22), unorm(21), unorm(24)}}));
  constexpr uint32_t outsides[][3] = {{3, 0, 0}, {0, 2, 0}, {UINT32_MAX, 0, 0}};
  for (const auto& outside : outsides) {
    ASSERT_EQ(instructions.run(IMAGE_AGENT_LOAD, picture.handle.handle, 0, outside, got), HSA_STATUS_SUCCESS);
    EXPECT_EQ(got, (Components{})) << "the border colour";
  }
  destroy(picture);
}

TEST_F(ImageAgent, KnowsTheSampler) {
  Picture picture;
  create(picture,
         {HSA_EXT_IMAGE_GEOMETRY_2D,
          4,
          2,
          0,
          0,
          {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32, HSA_EXT_IMAGE_CHANNEL_ORDER_R}},
         4);
  if (HasFatalFailure()) return;
  const auto element = [&](size_t index) {
    uint32_t value;
    std::memcpy(&value, &picture.elements[4 * index], 4);
    return value;
  };
  const struct {
    hsa_ext_sampler_descriptor_t sampler;
    float x, y;
    uint32_t expected;
  } cases[] = {
      {{HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED, HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
        HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE},
       2.75f,
       1.5f,
       element(6)},
      {{HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED, HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
        HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE},
       9.0f,
       -3.0f,
       element(3)},
      {{HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED, HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
        HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE},
       0.5f,
       0.75f,
       element(6)},
      {{HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED, HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
        HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER},
       9.0f,
       0.0f,
       0},
  };
  for (const auto& c : cases) {
    hsa_ext_sampler_t sampler = {};
    ASSERT_EQ(hsa_ext_sampler_create(client.agent, &c.sampler, &sampler), HSA_STATUS_SUCCESS);
    Components got = {};
    const uint32_t at[3] = {std::bit_cast<uint32_t>(c.x), std::bit_cast<uint32_t>(c.y), 0};
    ASSERT_EQ(instructions.run(IMAGE_AGENT_READ, picture.handle.handle, sampler.handle, at, got),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(got.bits[0], c.expected) << c.x << ' ' << c.y;
    EXPECT_EQ(hsa_ext_sampler_destroy(client.agent, sampler), HSA_STATUS_SUCCESS);
  }
  destroy(picture);
}

TEST_F(ImageAgent, TellsImagesFromSamplersAndFromGarbage) {
  hsa_ext_sampler_t sampler = {};
  const hsa_ext_sampler_descriptor_t descriptor = {HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
                                                   HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
                                                   HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE};
  ASSERT_EQ(hsa_ext_sampler_create(client.agent, &descriptor, &sampler), HSA_STATUS_SUCCESS);
  const uint64_t no_image[16] = {};
  for (const uint64_t handle :
       {sampler.handle, uint64_t{0}, uint64_t{3}, std::bit_cast<uint64_t>(&no_image)}) {
    Instructions fresh(client.agent);
    Components got = {};
    EXPECT_EQ(fresh.run(IMAGE_AGENT_LOAD, handle, 0, {0, 0, 0}, got), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  }
  Picture picture;
  create(picture,
         {HSA_EXT_IMAGE_GEOMETRY_1D,
          4,
          0,
          0,
          0,
          {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32, HSA_EXT_IMAGE_CHANNEL_ORDER_R}},
         4, HSA_ACCESS_PERMISSION_RO);
  if (HasFatalFailure()) return;
  Components got = {};
  EXPECT_EQ(instructions.run(IMAGE_AGENT_STORE, picture.handle.handle, 0, {0, 0, 0}, got),
            HSA_STATUS_ERROR_INVALID_PACKET_FORMAT)
      << "the permission says that it is read-only";
  destroy(picture);
  EXPECT_EQ(hsa_ext_sampler_destroy(client.agent, sampler), HSA_STATUS_SUCCESS);
}

}  // namespace
}  // namespace heddle::conformance
