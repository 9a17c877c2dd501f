// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations generated from the enumerations: types in segments, properties of images and samplers.
#include <fmt/format.h>

#include <gtest/gtest.h>

#include "hsail/isa/names.h"
#include "hsail/isa/types.h"
#include "round_trip.h"

namespace heddle::golden {
namespace {

constexpr const char* header = "module &m:1:2:$full:$large:$default;\nextension \"IMAGE\";\n";

void expect_canonical(const std::string& text, const char* name) {
  RoundTrip trip = round_trip(text, name);
  EXPECT_TRUE(trip.printed == text) << first_difference(text, trip.printed);
}

std::vector<isa::Type> variable_types() {
  std::vector<isa::Type> types;
  for (unsigned type = 1; type < 256; ++type) {
    bool usable = isa::is_valid(static_cast<isa::Type>(type)) &&
                  !isa::is_array(static_cast<isa::Type>(type)) && type != HSA_BRIG_TYPE_B1 &&
                  type != HSA_BRIG_TYPE_SIG32;
    if (usable) types.push_back(static_cast<isa::Type>(type));
  }
  return types;
}

TEST(Declarations, EveryTypeInEverySegment) {
  std::string text = header, kernel = "kernel &k()\n{\n", formals, arguments;
  unsigned number = 0;
  std::vector<isa::Type> types = variable_types();
  ASSERT_EQ(types.size(), 23u - 2 + 24);  // base types except b1 and sig32, and packed types
  for (isa::Type type : types) {
    std::string name = isa::type_name(type);
    bool handle = isa::is_image(type) || isa::is_sampler(type);
    for (const char* segment : {"global", "readonly", "group", "private", "spill"}) {
      if (handle && segment != std::string_view("global") && segment != std::string_view("readonly"))
        continue;
      bool module_scope = segment != std::string_view("spill");
      for (const char* dimension : {"", "[3]"}) {
        if (module_scope) text += fmt::format("{}_{} &v{}{};\n", segment, name, number, dimension);
        kernel += fmt::format("    {}_{} %v{}{};\n", segment, name, number, dimension);
        ++number;
      }
    }
    for (unsigned align = isa::natural_alignment(type) * 2; align <= 256; align *= 2)
      text += fmt::format("align({}) global_{} &a{}_{};\n", align, name, number, align);
    formals += fmt::format("{}kernarg_{} %{}, kernarg_{} %{}_array[2]", formals.empty() ? "" : ", ", name,
                           name, name, name);
    text += fmt::format("signature &s_{}(arg_{})(arg_{} %a[4], arg_{}[]);\n", name, name, name, name);
    text += fmt::format("decl prog function &f_{}(arg_{} %r)(arg_{} %a[4], arg_{} %b[]);\n", name, name, name,
                        name);
    arguments += fmt::format(
        "    {{\n        arg_{} %r;\n        arg_{} %a[4];\n        arg_{} %b[1];\n"
        "        call &f_{} (%r) (%a, %b);\n    }}\n",
        name, name, name, name);
  }
  expect_canonical(text + kernel + arguments + "};\nkernel &formals(" + formals + ")\n{\n};\n", "types");
}

TEST(Declarations, EveryImage) {
  struct Geometry {
    const char* name;
    const char* sizes;
    bool deep;
  };
  static constexpr Geometry geometries[] = {{"1d", "width = 1", false},
                                            {"2d", "width = 1, height = 2", false},
                                            {"3d", "width = 1, height = 2, depth = 3", false},
                                            {"1da", "width = 1, array = 4", false},
                                            {"2da", "width = 1, height = 2, array = 4", false},
                                            {"1db", "width = 1", false},
                                            {"2ddepth", "width = 1, height = 2", true},
                                            {"2dadepth", "width = 1, height = 2, array = 4", true}};
  std::string text = header;
  unsigned orders = 0, channel_types = 0, number = 0;
  for (unsigned order = 0; order < 64; ++order) {
    std::string_view order_name = isa::name(isa::Names::channel_order, order);
    if (order_name.empty()) continue;
    ++orders;
    channel_types = 0;
    for (unsigned type = 0; type < 64; ++type) {
      std::string_view type_name = isa::name(isa::Names::channel_type, type);
      if (type_name.empty()) continue;
      ++channel_types;
      for (const Geometry& geometry : geometries) {
        if (geometry.deep != order_name.starts_with("depth")) continue;
        const char* image = number % 3 == 0 ? "roimg" : number % 3 == 1 ? "woimg" : "rwimg";
        text +=
            fmt::format("readonly_{} &i{} = {}(geometry = {}, {}, channel_type = {}, channel_order = {});\n",
                        image, number, image, geometry.name, geometry.sizes, type_name, order_name);
        ++number;
      }
    }
  }
  EXPECT_EQ(orders, 20u);
  EXPECT_EQ(channel_types, 16u);
  expect_canonical(text, "images");
}

TEST(Declarations, EverySampler) {
  std::string text = header;
  unsigned number = 0;
  for (const char* coord : {"normalized", "unnormalized"})
    for (const char* filter : {"nearest", "linear"})
      for (const char* addressing :
           {"undefined", "clamp_to_edge", "clamp_to_border", "repeat", "mirrored_repeat"}) {
        bool repeats = std::string_view(addressing).ends_with("repeat");
        if (repeats && coord == std::string_view("unnormalized")) continue;
        text += fmt::format("readonly_samp &s{} = samp(coord = {}, filter = {}, addressing = {});\n",
                            number++, coord, filter, addressing);
      }
  EXPECT_EQ(number, 16u);
  expect_canonical(text, "samplers");
}

TEST(Declarations, EveryHeader) {
  for (const char* minor : {"0", "1", "2"})
    for (const char* profile : {"full", "base"})
      for (const char* model : {"large", "small"})
        for (const char* round : {"default", "near", "zero"})
          expect_canonical(fmt::format("module &m:1:{}:${}:${}:${};\n", minor, profile, model, round),
                           "header");
}

}  // namespace
}  // namespace heddle::golden
