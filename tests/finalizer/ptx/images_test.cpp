// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions in PTX: all of them are assembled, and kernels contain nothing of what they do not use.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "codeobject/ptx_kernel.h"
#include "ptxas.h"

namespace heddle::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* header = "module &m:1:2:$full:$large:$near;\nextension \"IMAGE\";\n";

struct Geometry {
  const char* name;
  unsigned coordinates;
  bool is_depth, is_sampled;
};
const Geometry geometries[] = {{"1d", 1, false, true},     {"2d", 2, false, true},
                               {"3d", 3, false, true},     {"1da", 2, false, true},
                               {"2da", 3, false, true},    {"1db", 1, false, false},
                               {"2ddepth", 2, true, true}, {"2dadepth", 3, true, true}};
std::ostream& operator<<(std::ostream& out, const Geometry& geometry) { return out << geometry.name; }

/// Returns a kernel around a body that finds coordinates in $s0..., the image in $d1 and the sampler in $d2,
/// and leaves a result in $s4.
std::string kernel(const char* name, const char* image, const std::string& body) {
  return fmt::format(
      "prog kernel &{0}(kernarg_u64 %data, kernarg_{1} %image, kernarg_samp %sampler) {{\n"
      "  ld_kernarg_align(8)_u64 $d0, [%data]; ld_kernarg_{1} $d1, [%image]; ld_kernarg_samp $d2, "
      "[%sampler];\n"
      "  ld_v4_global_align(4)_u32 ($s0, $s1, $s2, $s3), [$d0]; ld_v4_global_align(4)_u32 ($s4, $s5, $s6, "
      "$s7), "
      "[$d0+16];\n"
      "{2}  st_v4_global_align(4)_u32 ($s4, $s5, $s6, $s7), [$d0+32];\n}};\n",
      name, image, body);
}

std::string coordinates(const Geometry& geometry) {
  constexpr const char* texts[] = {"$s0", "($s0, $s1)", "($s0, $s1, $s2)"};
  return texts[geometry.coordinates - 1];
}
std::string access(const char* name, const Geometry& geometry, const std::string& types,
                   const char* handles) {
  return fmt::format("  {}_{}{}_{} {}, {}, {};\n", name, geometry.is_depth ? "" : "v4_", geometry.name, types,
                     geometry.is_depth ? "$s4" : "($s4, $s5, $s6, $s7)", handles, coordinates(geometry));
}

/// Returns a module in which each image instruction of a geometry stands once.
std::string module_of(const Geometry& geometry) {
  std::string reads, loads, stores;
  for (const char* type : {"u32", "s32", "f16", "f32"}) {
    if (geometry.is_depth && type[0] != 'f') continue;
    for (const char* at : {"s32", "f32"})
      reads += access("rdimage", geometry, fmt::format("{}_roimg_{}", type, at), "$d1, $d2");
    loads += access("ldimage", geometry, fmt::format("{}_rwimg_u32", type), "$d1");
    stores += access("stimage", geometry, fmt::format("{}_rwimg_u32", type), "$d1") + "  imagefence;\n";
  }
  for (const char* property : {"width", "channelorder", "channeltype"})
    loads += fmt::format("  queryimage_{}_{}_u32_rwimg $s4, $d1;\n", geometry.name, property);
  std::string text = header;
  if (geometry.is_sampled) text += kernel("read", "roimg", reads + "  querysampler_filter_u32 $s4, $d2;\n");
  return text + kernel("load", "rwimg", loads) + kernel("store", "rwimg", stores);
}

class PtxImages : public ::testing::TestWithParam<Geometry> {};

TEST_P(PtxImages, AreAssembled) {
  for (const PtxIsa& isa : ptx_isas)
    for (const char* options : {"-O0", "-O2"}) {
      SCOPED_TRACE(fmt::format("{} {}", isa.isa, options));
      const PtxProgram program = finalize_ptx(module_of(GetParam()), "images.hsail", isa.isa, options);
      ASSERT_TRUE(program.object) << program.diagnostics;
      if (has_ptxas()) EXPECT_EQ(run_ptxas(program.ptx, isa.assembled_for), "");
    }
}

INSTANTIATE_TEST_SUITE_P(All, PtxImages, ::testing::ValuesIn(geometries),
                         [](const auto& info) { return std::string("of_") + info.param.name; });

std::string ptx_of(const std::string& text) {
  const PtxProgram program = finalize_ptx(text, "images.hsail", "heddle:nvptx-sm_90");
  EXPECT_TRUE(program.object) << program.diagnostics;
  return program.ptx;
}

constexpr const char* library = "heddle5image";  // in the names of what comes from the image library
constexpr const char* plain_body = "  add_u32 $s4, $s0, $s1;\n";

/// Returns the PTX of all entries of the kernel with this number.
std::string entries_of(const std::string& ptx, size_t number) {
  std::string text;
  for (const std::string& name :
       {ptx_kernel::native_entry_name(number), ptx_kernel::linear_entry_name(number)}) {
    const size_t begin = ptx.find(".entry " + name + "(");
    if (begin == std::string::npos)
      ADD_FAILURE() << name;
    else
      text += ptx.substr(begin, ptx.find("\n}\n", begin) - begin);
  }
  return text;
}

/// Also not if they have images among their arguments, or stand beside kernels that use some.
TEST(PtxImageCode, IsNotInKernelsWithoutImages) {
  const std::string plain = ptx_of(header + kernel("plain", "roimg", plain_body));
  EXPECT_THAT(plain, Not(HasSubstr(library)));
  EXPECT_THAT(plain, Not(HasSubstr(".func")));
  const std::string beside =
      ptx_of(header + kernel("plain", "roimg", plain_body) +
             kernel("reads", "roimg", access("rdimage", geometries[1], "f32_roimg_f32", "$d1, $d2")));
  EXPECT_THAT(beside, HasSubstr(library));
  // Labels count over the whole module.
  EXPECT_EQ(entries_of(plain, 0), entries_of(beside, 0));
}

/// A table that only conversions between colours use, and what filters, is not in kernels without.
TEST(PtxImageCode, IsThatOfTheInstructionsThatAKernelHas) {
  const auto code = [](const std::string& body) { return ptx_of(header + kernel("k", "rwimg", body)); };
  const std::string query = code("  queryimage_2d_width_u32_rwimg $s4, $d1;\n");
  const std::string load = code(access("ldimage", geometries[1], "f32_rwimg_u32", "$d1"));
  const std::string store = code(access("stimage", geometries[1], "f32_rwimg_u32", "$d1"));
  const std::string read =
      ptx_of(header + kernel("k", "roimg", access("rdimage", geometries[1], "f32_roimg_f32", "$d1, $d2")));
  EXPECT_THAT(query, Not(HasSubstr(library)));
  EXPECT_THAT(load, HasSubstr("6decode"));
  EXPECT_THAT(load, HasSubstr("6linear"));
  EXPECT_THAT(load, Not(HasSubstr("6encode")));
  EXPECT_THAT(load, Not(HasSubstr("index_outside")));
  EXPECT_THAT(store, HasSubstr("6encode"));
  EXPECT_THAT(store, Not(HasSubstr("6decode")));
  EXPECT_THAT(store, Not(HasSubstr("6linear")));
  EXPECT_THAT(read, HasSubstr("index_outside"));
  EXPECT_THAT(read, Not(HasSubstr("6encode")));
}

/// Instructions of one kind share the code that is long.
TEST(PtxImageCode, GrowsLittleWithTheNumberOfInstructions) {
  std::string body;
  const auto size = [&] { return ptx_of(header + kernel("k", "rwimg", body)).size(); };
  const size_t none = size();
  body = access("ldimage", geometries[1], "f32_rwimg_u32", "$d1");
  const size_t one = size() - none;
  for (unsigned i = 0; i < 7; ++i) body += access("ldimage", geometries[1], "f32_rwimg_u32", "$d1");
  EXPECT_LT(size() - none, 4 * one);
}

}  // namespace
}  // namespace heddle::testing
