// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions of every geometry, access type, coordinate type and sampler on the agents themselves.
// All results have to be equal, bit by bit, to those of direct calls of the image library: the tests check
// how operands reach the library and how results come back. tests/image checks the library.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <hsa/hsa_ext_image.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <tuple>

#include "../finalizer/compile.h"
#include "agents.h"
#include "image/image.h"

namespace heddle::testing {
namespace {

using image::AccessType;
using image::CoordinateType;

struct Geometry {
  const char* name;
  hsa_ext_image_geometry_t number;
  bool sampled;
};
const Geometry geometries[] = {
    {"1d", HSA_EXT_IMAGE_GEOMETRY_1D, true},           {"2d", HSA_EXT_IMAGE_GEOMETRY_2D, true},
    {"3d", HSA_EXT_IMAGE_GEOMETRY_3D, true},           {"1da", HSA_EXT_IMAGE_GEOMETRY_1DA, true},
    {"2da", HSA_EXT_IMAGE_GEOMETRY_2DA, true},         {"1db", HSA_EXT_IMAGE_GEOMETRY_1DB, false},
    {"2ddepth", HSA_EXT_IMAGE_GEOMETRY_2DDEPTH, true}, {"2dadepth", HSA_EXT_IMAGE_GEOMETRY_2DADEPTH, true},
};
std::ostream& operator<<(std::ostream& out, const Geometry& geometry) { return out << geometry.name; }

struct Access {
  const char* name;
  AccessType type;
  unsigned bits;
  hsa_ext_image_channel_order_t order;
  hsa_ext_image_channel_type_t channel;
  hsa_ext_image_channel_type_t depth_channel;  ///< for depth geometries, whose access types are f32 and f16
                                               ///< only
  bool floating;
};
const Access accesses[] = {
    {"u32", AccessType::u32, 32, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8,
     HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, false},
    {"s32", AccessType::s32, 32, HSA_EXT_IMAGE_CHANNEL_ORDER_RG, HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16,
     HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, false},
    {"f16", AccessType::f16, 16, HSA_EXT_IMAGE_CHANNEL_ORDER_RA, HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT,
     HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16, true},
    {"f32", AccessType::f32, 32, HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA, HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8,
     HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24, true},
};

constexpr size_t width = 7, height = 5, depth = 3, layers = 4;

/// A geometry with an access type: its image, and the text of its kernels.
class Case {
 public:
  Case(const Geometry& geometry, const Access& access)
      : geometry_(geometry), access_(access), shape_(*image::shape_of(geometry.number)) {
    const bool is_depth = has_depth();
    descriptor = {geometry.number,
                  width,
                  shape_.dimensions > 1 ? height : 0,
                  shape_.dimensions > 2 ? depth : 0,
                  shape_.layers ? layers : 0,
                  {static_cast<uint32_t>(is_depth ? access.depth_channel : access.channel),
                   static_cast<uint32_t>(is_depth ? HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH : access.order)}};
    EXPECT_EQ(image::plan_layout(descriptor, 0, 0, layout), HSA_STATUS_SUCCESS);
    bytes.resize(layout.size / sizeof(max_align_t) + 1);
    for (size_t i = 0; i < layout.size; ++i) data()[i] = static_cast<std::byte>(i * 73 + i / 7);
  }

  static bool exists(const Geometry& geometry, const Access& access) {
    return access.floating || !has_depth(geometry);
  }
  unsigned coordinates() const { return shape_.dimensions + (shape_.layers ? 1u : 0u); }
  unsigned components() const { return has_depth() ? 1 : 4; }
  std::byte* data() { return reinterpret_cast<std::byte*>(bytes.data()); }
  image::Image direct() { return image::make_image(descriptor, HSA_ACCESS_PERMISSION_RW, layout, data()); }
  const Access& access() const { return access_; }

  /// Returns a kernel that flushes subnormal numbers throughout, unlike the image operations in it, around
  /// `body`, which finds its coordinates in $s0..., components in $s4..., the image
  /// in $d2 and the sampler in $d3. Each work-item has 4 words of coordinates, 4 of components, and 4 of
  /// results.
  std::string kernel(const char* image_type, const std::string& body) const {
    std::string text = fmt::format(
        "prog kernel &k(kernarg_u64 %out, kernarg_u64 %at, kernarg_u64 %in, kernarg_{} %image,\n"
        "               kernarg_samp %sampler) {{\n"
        "  ld_kernarg_align(8)_u64 $d0, [%out]; ld_kernarg_align(8)_u64 $d1, [%at];\n"
        "  ld_kernarg_align(8)_u64 $d4, [%in];\n"
        "  ld_kernarg_{} $d2, [%image]; ld_kernarg_samp $d3, [%sampler];\n"
        "  workitemflatabsid_u32 $s8; shl_u32 $s8, $s8, 4; cvt_u64_u32 $d5, $s8;\n"
        "  add_u64 $d0, $d0, $d5; add_u64 $d1, $d1, $d5; add_u64 $d4, $d4, $d5;\n"
        "  ld_v4_global_u32 ($s0, $s1, $s2, $s3), [$d1];\n"
        "  add_ftz_f32 $s9, $s0, $s1;\n",
        image_type, image_type);
    for (unsigned i = 0; i < components(); ++i)
      text += fmt::format("  ld_global_{} $s{}, [$d4+{}];\n", memory_type(), 4 + i, 4 * i);
    text += body;
    for (unsigned i = 0; i < components(); ++i)
      text += fmt::format("  st_global_{} $s{}, [$d0+{}];\n", memory_type(), 4 + i, 4 * i);
    return "module &m:1:2:$full:$large:$near;\nextension \"IMAGE\";\n" + text + "};\n";
  }
  /// Returns an instruction such as `rdimage_v4_2d_f32_roimg_f32 ($s4, $s5, $s6, $s7), $d2, $d3, ($s0,
  /// $s1);`.
  std::string instruction(const char* name, const char* image_type, const char* coordinate_type,
                          const char* handles) const {
    return fmt::format("  {}_{}{}_{}_{}_{} {}, {}, {};\n", name, components() == 4 ? "v4_" : "",
                       geometry_.name, access_.name, image_type, coordinate_type, list(4, components()),
                       handles, list(0, coordinates()));
  }

  hsa_ext_image_descriptor_t descriptor{};
  image::Layout layout{};
  SharedVector<max_align_t> bytes;

 private:
  static bool has_depth(const Geometry& geometry) {
    return geometry.number == HSA_EXT_IMAGE_GEOMETRY_2DDEPTH ||
           geometry.number == HSA_EXT_IMAGE_GEOMETRY_2DADEPTH;
  }
  bool has_depth() const { return has_depth(geometry_); }
  const char* memory_type() const { return access_.bits == 16 ? "f16" : "u32"; }
  static std::string list(unsigned first, unsigned count) {
    if (count == 1) return fmt::format("$s{}", first);
    std::string text = "(";
    for (unsigned i = 0; i < count; ++i) text += fmt::format("{}$s{}", i == 0 ? "" : ", ", first + i);
    return text + ")";
  }

  const Geometry& geometry_;
  const Access& access_;
  const image::GeometryShape shape_;
};

using Words = std::vector<std::array<uint32_t, 4>>;
using SharedWords = SharedVector<std::array<uint32_t, 4>>;

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

/// Returns rows of coordinates in which each coordinate takes every edge value, beside various others.
Words spread(const std::vector<uint32_t>& edges) {
  Words rows;
  const size_t n = edges.size();
  for (size_t i = 0; i < 3 * n; ++i)
    rows.push_back({edges[i % n], edges[(i * 7 + i / n) % n], edges[(i * 11 + 5 + i / n) % n], 0});
  return rows;
}
std::vector<uint32_t> float_edges() {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<uint32_t> edges;
  for (const float value :
       {0.0f,  -0.0f,  1e-45f, -1e-45f, 1.1e-38f, -1.1e-38f, 0.1f,  -0.1f, 0.25f,   0.4999f,  0.5f,  -0.5f,
        0.75f, 0.999f, 1.0f,   -1.0f,   1.25f,    -1.25f,    1.5f,  -1.5f, 2.5f,    2.75f,    -2.5f, 3.0f,
        4.5f,  4.999f, 5.0f,   6.5f,    6.999f,   7.0f,      -7.0f, 8.25f, 1000.5f, -1000.5f, 1e9f,  -1e9f,
        3e9f,  -3e9f,  1e20f,  -1e20f,  3.4e38f,  -3.4e38f,  inf,   -inf,  nan,     -nan})
    edges.push_back(bits(value));
  edges.push_back(0x7f800001);  // a signalling NaN
  return edges;
}
std::vector<uint32_t> integer_edges() {
  return {0,   1,          2,          3,          4,          5,          6,          7,        8,
          100, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xfffffff9, 16777217, 0x10000000};
}

/// An image and a sampler of an agent, which live as long as this object.
class Handles {
 public:
  Handles(const Agent& agent, Case& c, hsa_access_permission_t permission,
          const hsa_ext_sampler_descriptor_t& descriptor)
      : agent_(agent.handle) {
    EXPECT_EQ(hsa_ext_image_create(agent_, &c.descriptor, c.data(), permission, &image_), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_ext_sampler_create(agent_, &descriptor, &sampler_), HSA_STATUS_SUCCESS);
  }
  ~Handles() {
    EXPECT_EQ(hsa_ext_image_destroy(agent_, image_), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_ext_sampler_destroy(agent_, sampler_), HSA_STATUS_SUCCESS);
  }
  Handles(const Handles&) = delete;
  uint64_t image() const { return image_.handle; }
  uint64_t sampler() const { return sampler_.handle; }

 private:
  hsa_agent_t agent_;
  hsa_ext_image_t image_{};
  hsa_ext_sampler_t sampler_{};
};

constexpr hsa_ext_sampler_descriptor_t plain_sampler = {HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
                                                        HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
                                                        HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE};

class Dispatch {
 public:
  Dispatch(const Agent& agent, const std::string& text) : agent_(agent) {
    const Compiled compiled = compile(text, agent.isa.c_str());
    EXPECT_TRUE(compiled) << agent.isa << "\n" << compiled.diagnostics << text;
    if (compiled) code_.emplace(agent, compiled.object, compiled.modules, compiled.lowered);
  }
  /// Returns the results of one work-item for each row.
  Words run(const Handles& handles, const Words& at, const Words& in) {
    if (!code_ || !code_->good()) return Words(at.size());
    const SharedWords out(at.size()), shared_at(at.begin(), at.end()), shared_in(in.begin(), in.end());
    EXPECT_EQ(code_->run("&k",
                         {address_of(out), address_of(shared_at), address_of(shared_in), handles.image(),
                          handles.sampler()},
                         line(static_cast<uint32_t>(at.size()), 16)),
              HSA_STATUS_SUCCESS)
        << agent_.isa;
    return {out.begin(), out.end()};
  }

 private:
  const Agent& agent_;
  std::optional<AgentCode> code_;
};

void expect_equal(const Case& c, const Words& got, const std::vector<image::Texel>& wanted, const Words& at,
                  const std::string& what) {
  const uint32_t mask = c.access().bits == 16 ? 0xffff : 0xffffffff;
  for (size_t i = 0; i < got.size(); ++i) {
    for (unsigned n = 0; n < c.components(); ++n)
      ASSERT_EQ(got[i][n] & mask, wanted[i].component[n] & mask)
          << what << fmt::format(": component {} at {:x} {:x} {:x}", n, at[i][0], at[i][1], at[i][2]);
  }
}

using Combination = std::tuple<Geometry, Access>;

/// Returns the combinations to test. Depth images have floating-point access types only, and 1db images no
/// samplers.
std::vector<Combination> combinations(bool sampled) {
  std::vector<Combination> all;
  for (const Geometry& geometry : geometries)
    for (const Access& access : accesses)
      if (Case::exists(geometry, access) && (!sampled || geometry.sampled))
        all.emplace_back(geometry, access);
  return all;
}
std::string name_of(const ::testing::TestParamInfo<Combination>& info) {
  return fmt::format("of_{}_{}", std::get<0>(info.param).name, std::get<1>(info.param).name);
}

class Images : public ::testing::TestWithParam<Combination> {
 protected:
  Case case_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};
class SampledImages : public Images {};
INSTANTIATE_TEST_SUITE_P(All, Images, ::testing::ValuesIn(combinations(false)), name_of);
INSTANTIATE_TEST_SUITE_P(All, SampledImages, ::testing::ValuesIn(combinations(true)), name_of);

std::vector<hsa_ext_sampler_descriptor_t> samplers(bool floating, bool integer_coordinates) {
  std::vector<hsa_ext_sampler_descriptor_t> all;
  for (const uint32_t coordinate : {0u, 1u}) {
    for (const uint32_t filter : {0u, 1u}) {
      for (uint32_t mode = 0; mode <= HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT; ++mode) {
        const hsa_ext_sampler_descriptor_t descriptor{coordinate, filter, mode};
        image::Sampler sampler{};
        if (image::make_sampler(descriptor, sampler) != HSA_STATUS_SUCCESS) continue;
        if ((filter == 1 && !floating) || (integer_coordinates && (coordinate == 1 || filter == 1))) continue;
        all.push_back(descriptor);
      }
    }
  }
  return all;
}

/// PRM Table 7-6: every combination of coordinate type and sampler, at every edge.
TEST_P(SampledImages, AreRead) {
  for (const bool integer_coordinates : {true, false}) {
    const Words at = spread(integer_coordinates ? integer_edges() : float_edges()), none(at.size());
    const std::string text = case_.kernel(
        "roimg", case_.instruction("rdimage", "roimg", integer_coordinates ? "s32" : "f32", "$d2, $d3"));
    for (const Agent& agent : executing_agents()) {
      Dispatch dispatch(agent, text);
      for (const auto& descriptor : samplers(std::get<1>(GetParam()).floating, integer_coordinates)) {
        image::Sampler sampler{};
        ASSERT_EQ(image::make_sampler(descriptor, sampler), HSA_STATUS_SUCCESS);
        std::vector<image::Texel> wanted;
        for (const auto& row : at)
          wanted.push_back(image::read(case_.direct(), sampler, case_.access().type,
                                       integer_coordinates ? CoordinateType::s32 : CoordinateType::f32,
                                       row.data()));
        const Handles handles(agent, case_, HSA_ACCESS_PERMISSION_RO, descriptor);
        expect_equal(case_, dispatch.run(handles, at, none), wanted, at,
                     fmt::format("{} {} {} {}", agent.isa, descriptor.coordinate_mode, descriptor.filter_mode,
                                 descriptor.address_mode));
      }
    }
  }
}

TEST_P(Images, AreLoaded) {
  const Words at = spread(integer_edges()), none(at.size());
  std::vector<image::Texel> wanted;
  for (const auto& row : at) wanted.push_back(image::load(case_.direct(), case_.access().type, row.data()));
  for (const char* type : {"roimg", "rwimg"}) {
    const std::string text = case_.kernel(type, case_.instruction("ldimage", type, "u32", "$d2"));
    for (const Agent& agent : executing_agents()) {
      const Handles handles(
          agent, case_, type[1] == 'o' ? HSA_ACCESS_PERMISSION_RO : HSA_ACCESS_PERMISSION_RW, plain_sampler);
      expect_equal(case_, Dispatch(agent, text).run(handles, at, none), wanted, at, agent.isa);
    }
  }
}

/// Stores an edge value to every element, and loads it again after an image fence.
TEST_P(Images, AreStored) {
  Words at, in;
  const std::vector<uint32_t> values = [&] {
    std::vector<uint32_t> edges = case_.access().floating ? float_edges() : integer_edges();
    if (case_.access().bits == 16)
      edges = {0,      0x8000, 1,      0x03ff, 0x0400, 0x3bff, 0x3c00, 0x3c01,
               0xbc00, 0xbc01, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x3800};
    return edges;
  }();
  const image::Image shape = case_.direct();
  for (uint32_t z = 0; z < shape.depth * shape.layers; ++z) {
    for (uint32_t y = 0; y < shape.height; ++y) {
      for (uint32_t x = 0; x < shape.width; ++x) {
        const size_t i = at.size();
        // The layer of 1da is the second coordinate.
        at.push_back(case_.coordinates() == 2 && shape.layers > 1 ? std::array<uint32_t, 4>{x, z, 0, 0}
                                                                  : std::array<uint32_t, 4>{x, y, z, 0});
        in.push_back({values[i % values.size()], values[(i * 3 + 1) % values.size()],
                      values[(i * 5 + 2) % values.size()], values[(i * 7 + 3) % values.size()]});
      }
    }
  }
  // Stores outside of the image change nothing.
  for (const uint32_t outside : {7u, 0x80000000u, 0xffffffffu}) {
    at.push_back({outside, 0, 0, 0});
    in.push_back({1, 1, 1, 1});
  }
  Case reference(std::get<0>(GetParam()), std::get<1>(GetParam()));
  for (size_t i = 0; i < at.size(); ++i)
    image::store(reference.direct(), case_.access().type, at[i].data(),
                 {{in[i][0], in[i][1], in[i][2], in[i][3]}});
  std::vector<image::Texel> wanted;
  for (const auto& row : at)
    wanted.push_back(image::load(reference.direct(), case_.access().type, row.data()));
  const std::string text =
      case_.kernel("rwimg", case_.instruction("stimage", "rwimg", "u32", "$d2") + "  imagefence;\n" +
                                case_.instruction("ldimage", "rwimg", "u32", "$d2"));
  for (const Agent& agent : executing_agents()) {
    Case c(std::get<0>(GetParam()), std::get<1>(GetParam()));
    ASSERT_NE(std::memcmp(c.data(), reference.data(), c.layout.size), 0) << "nothing to see";
    const Handles handles(agent, c, HSA_ACCESS_PERMISSION_RW, plain_sampler);
    expect_equal(c, Dispatch(agent, text).run(handles, at, in), wanted, at, agent.isa);
    EXPECT_EQ(std::memcmp(c.data(), reference.data(), c.layout.size), 0) << agent.isa;
  }
}

/// PRM 7.1.4.2: conversions raise no exception, even if they round, clamp or read a signalling NaN.
TEST(ImageExceptions, AreNotDetected) {
  Case c(geometries[1], accesses[3]);
  std::string text =
      c.kernel("rwimg", c.instruction("stimage", "rwimg", "u32", "$d2") + "  imagefence;\n" +
                            c.instruction("ldimage", "rwimg", "u32", "$d2") + "  getdetectexcept_u32 $s4;\n");
  const std::string brace = ") {\n";
  text.insert(text.find(brace) + brace.size(), "  enabledetectexceptions 31;\n");
  // With an addition the same kernel does detect an exception, which shows that its detection works.
  std::string loud = text;
  const std::string fence = "  imagefence;\n";
  loud.insert(loud.find(fence), "  add_f32 $s3, $s4, 1.0e-20f;\n");
  const std::vector<uint32_t> values = {bits(0.3f),   bits(-0.7f), bits(9.0f), bits(-9.0f),
                                        bits(1e-40f), 0x7f800001,  0x7f800000, 0x7fc00000};
  Words at, in;
  for (uint32_t i = 0; i < values.size(); ++i) {
    at.push_back({i % 7, i / 7, 0, 0});
    in.push_back({values[i], values[(i + 1) % 8], values[(i + 2) % 8], values[(i + 3) % 8]});
  }
  for (const Agent& agent : executing_agents()) {
    const Handles handles(agent, c, HSA_ACCESS_PERMISSION_RW, plain_sampler);
    for (const auto& row : Dispatch(agent, text).run(handles, at, in)) EXPECT_EQ(row[0], 0u) << agent.isa;
    EXPECT_NE(Dispatch(agent, loud).run(handles, at, in)[0][0], 0u) << agent.isa;
  }
}

class Queries : public ::testing::TestWithParam<Geometry> {};
INSTANTIATE_TEST_SUITE_P(All, Queries, ::testing::ValuesIn(geometries),
                         [](const auto& info) { return std::string("of_") + info.param.name; });

TEST_P(Queries, SayWhatTheDescriptorsSaid) {
  Case c(GetParam(), accesses[3]);
  const hsa_ext_sampler_descriptor_t sampler = {HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                                HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                                HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT};
  struct Property {
    const char* name;
    uint64_t value;
  };
  std::vector<Property> properties = {{"width", width},
                                      {"channelorder", c.descriptor.format.channel_order},
                                      {"channeltype", c.descriptor.format.channel_type}};
  if (c.descriptor.height != 0) properties.push_back({"height", height});
  if (c.descriptor.depth != 0) properties.push_back({"depth", depth});
  if (c.descriptor.array_size != 0) properties.push_back({"array", layers});
  std::string body = "  mov_b32 $s4, 0;\n";
  // All properties are mixed into one number, which also depends on their order.
  const auto mix = [&] { body += "  mad_u32 $s4, $s4, 31, $s0;\n"; };
  uint32_t wanted = 0;
  for (const Property& property : properties) {
    body += fmt::format("  queryimage_{}_{}_u32_roimg $s0, $d2;\n", GetParam().name, property.name);
    mix();
    wanted = wanted * 31 + static_cast<uint32_t>(property.value);
  }
  for (const Property& property : {Property{"coord", sampler.coordinate_mode},
                                   {"filter", sampler.filter_mode},
                                   {"addressing", sampler.address_mode}}) {
    body += fmt::format("  querysampler_{}_u32 $s0, $d3;\n", property.name);
    mix();
    wanted = wanted * 31 + static_cast<uint32_t>(property.value);
  }
  const Words at(1);
  for (const Agent& agent : executing_agents()) {
    const Handles handles(agent, c, HSA_ACCESS_PERMISSION_RO, sampler);
    EXPECT_EQ(Dispatch(agent, c.kernel("roimg", body)).run(handles, at, at)[0][0], wanted) << agent.isa;
  }
}

/// Images and samplers that variables start with (PRM 7.1.7, 7.1.8): each place has one of its own, and a
/// value that is stored to an image is read from that image only.
TEST(ImageVariables, AreThoseOfTheAgent) {
  const std::string text = R"(module &m:1:2:$full:$large:$near;
extension "IMAGE";
alloc(agent) global_rwimg &images[2] = rwimg[](
    rwimg(geometry=2d, width=4, height=2, channel_order=rg, channel_type=unsigned_int16),
    rwimg(geometry=2d, width=4, height=2, channel_order=rg, channel_type=unsigned_int16));
readonly_samp &sampler = samp(coord=normalized, filter=linear, addressing=mirrored_repeat);
prog kernel &k(kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemabsid_u32 $s0, 0;
  shl_u32 $s1, $s0, 4;
  cvt_u64_u32 $d1, $s1;
  add_u64 $d0, $d0, $d1;
  and_b32 $s2, $s0, 3;
  shr_u32 $s3, $s0, 2;
  add_u32 $s4, $s0, 100;
  add_u32 $s5, $s0, 200;
  ld_global_rwimg $d2, [&images];
  ld_global_rwimg $d3, [&images][8];
  ld_readonly_samp $d4, [&sampler];
  stimage_v4_2d_u32_rwimg_u32 ($s4, $s4, $s4, $s4), $d2, ($s2, $s3);
  stimage_v4_2d_u32_rwimg_u32 ($s5, $s5, $s5, $s5), $d3, ($s2, $s3);
  imagefence;
  ldimage_v4_2d_u32_rwimg_u32 ($s6, $s7, $s8, $s9), $d2, ($s2, $s3);
  st_global_align(4)_u32 $s6, [$d0];
  ldimage_v4_2d_u32_rwimg_u32 ($s6, $s7, $s8, $s9), $d3, ($s2, $s3);
  st_global_align(4)_u32 $s7, [$d0 + 4];
  querysampler_addressing_u32 $s6, $d4;
  st_global_align(4)_u32 $s6, [$d0 + 8];
  queryimage_2d_width_u32_rwimg $s6, $d3;
  st_global_align(4)_u32 $s6, [$d0 + 12];
};
)";
  for (const Agent& agent : executing_agents()) {
    const Compiled compiled = compile(text, agent.isa.c_str());
    ASSERT_TRUE(compiled) << agent.isa << compiled.diagnostics;
    AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
    ASSERT_TRUE(code.good());
    const SharedWords out(8);
    EXPECT_EQ(code.run("&k", {address_of(out)}, line(8, 8)), HSA_STATUS_SUCCESS) << agent.isa;
    for (uint32_t i = 0; i < 8; ++i)
      EXPECT_EQ(out[i], (std::array<uint32_t, 4>{100 + i, 200 + i,
                                                 HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT, 4}))
          << agent.isa;
  }
}

/// What a kernel takes for a handle may be anything. The queue of the dispatch fails, and no other.
TEST(ImageHandles, OfSomethingElseFailTheDispatch) {
  const SharedVector<uint64_t> nothing(64);
  for (const char* body : {"queryimage_2d_width_u32_roimg $s0, $d1;", "querysampler_filter_u32 $s0, $d1;",
                           "ldimage_v4_1d_u32_roimg_u32 ($s0, $s1, $s2, $s3), $d1, $s0;"}) {
    const std::string text = fmt::format(
        "module &m:1:2:$full:$large:$near;\nextension \"IMAGE\";\n"
        "prog kernel &k(kernarg_u64 %out, kernarg_{0} %handle) {{\n"
        "  mov_b32 $s0, 0; ld_kernarg_{0} $d1, [%handle];\n  {1}\n"
        "  ld_kernarg_align(8)_u64 $d0, [%out]; st_global_align(4)_u32 1, [$d0];\n}};\n",
        std::strstr(body, "sampler") ? "samp" : "roimg", body);
    for (const Agent& agent : executing_agents()) {
      const Compiled compiled = compile(text, agent.isa.c_str());
      ASSERT_TRUE(compiled) << agent.isa << compiled.diagnostics;
      AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
      ASSERT_TRUE(code.good());
      const SharedVector<uint32_t> out(1);
      for (const uint64_t handle : {address_of(nothing), uint64_t{0}, address_of(nothing) + 4})
        EXPECT_EQ(code.run("&k", {address_of(out), handle}, line(1, 1)), HSA_STATUS_ERROR)
            << agent.isa << body;
      EXPECT_EQ(out[0], 0U) << agent.isa;
    }
  }
}

}  // namespace
}  // namespace heddle::testing
