// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions under the policies DETECT and BREAK (PRM 11.2, 12.2, 12.3), on every kernel agent that executes.
#include <bit>
#include <random>

#include "kernels.h"

namespace heddle::runtime::test {
namespace {

const std::string header = "module &m:1:2:$full:$large:$near;\n";

class Exceptions : public OnAgent {};
INSTANTIATE_TEST_SUITE_P(Agents, Exceptions, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

enum : uint32_t { none = 0, invalid = 1, division = 2, overflow = 4, underflow = 8, inexact = 16 };

constexpr uint64_t f(float value) { return std::bit_cast<uint32_t>(value); }
constexpr uint64_t d(double value) { return std::bit_cast<uint64_t>(value); }
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr uint64_t quiet = 0x7fc00000, signaling = 0x7f800001;
constexpr uint64_t tiny = 1, largest = 0x7f7fffff, least_normal = 0x00800000;

/// An instruction on $s1, $s2, $s3 or $d1, $d2, $d3, whose values are a, b and c.
struct Case {
  const char* text;
  uint64_t a, b, c;
  uint32_t raised;
};

const Case cases[] = {
    {"add_f32 $s0, $s1, $s2;", f(1), f(2), 0, none},
    {"add_f32 $s0, $s1, $s2;", f(1), f(1e-30f), 0, inexact},
    {"add_f32 $s0, $s1, $s2;", largest, largest, 0, overflow | inexact},
    {"add_f32 $s0, $s1, $s2;", f(infinity), f(-infinity), 0, invalid},
    {"add_f32 $s0, $s1, $s2;", quiet, f(1), 0, none},
    {"add_f32 $s0, $s1, $s2;", f(1), signaling, 0, invalid},
    {"sub_f32 $s0, $s1, $s2;", f(infinity), f(infinity), 0, invalid},
    {"mul_f32 $s0, $s1, $s2;", f(0), f(infinity), 0, invalid},
    {"mul_f32 $s0, $s1, $s2;", least_normal, f(0.5f), 0, none},  // subnormal, but exact
    {"mul_f32 $s0, $s1, $s2;", least_normal, f(0.3f), 0, underflow | inexact},
    {"mul_f32 $s0, $s1, 3.0f;", f(1.0f / 3), 0, 0, inexact},
    {"div_f32 $s0, $s1, $s2;", f(1), f(0), 0, division},
    {"div_f32 $s0, $s1, $s2;", f(0), f(0), 0, invalid},
    {"div_f32 $s0, $s1, $s2;", f(infinity), f(0), 0, none},
    {"div_f32 $s0, $s1, $s2;", f(1), f(3), 0, inexact},
    {"div_f64 $d0, $d1, $d2;", d(1), d(0), 0, division},
    {"div_f64 $d0, $d1, $d2;", d(1e-300), d(1e300), 0, underflow | inexact},
    {"sqrt_f32 $s0, $s1;", f(-1), 0, 0, invalid},
    {"sqrt_f32 $s0, $s1;", f(2), 0, 0, inexact},
    {"sqrt_f64 $d0, $d1;", d(4), 0, 0, none},
    {"fma_f32 $s0, $s1, $s2, $s3;", f(0), f(infinity), f(1), invalid},
    {"fma_f64 $d0, $d1, $d2, $d3;", d(1e200), d(1e200), d(1), overflow | inexact},
    {"fma_f32 $s0, $s1, $s2, $s3;", f(2), f(3), f(4), none},
    // The compiler folds operations on constants.
    {"div_f32 $s0, 1.0f, 0.0f;", 0, 0, 0, division},
    {"add_f64 $d0, 1.0d, 1.0e-30d;", 0, 0, 0, inexact},
    // The result is never used.
    {"div_f32 $s20, $s1, $s2;", f(1), f(0), 0, division},
    // Comparisons: for quiet NaNs only the signalling ones raise an exception.
    {"cmp_lt_b1_f32 $c0, $s1, $s2;", quiet, f(1), 0, none},
    {"cmp_slt_b1_f32 $c0, $s1, $s2;", quiet, f(1), 0, invalid},
    {"cmp_snum_b1_f32 $c0, $s1, $s2;", f(0), quiet, 0, invalid},
    {"cmp_eq_b1_f32 $c0, $s1, $s2;", signaling, f(1), 0, invalid},
    {"max_f32 $s0, $s1, $s2;", signaling, f(1), 0, invalid},
    {"min_f32 $s0, $s1, $s2;", quiet, f(1), 0, none},
    // Conversions.
    {"cvt_zeroi_s32_f32 $s0, $s1;", f(1.5f), 0, 0, none},
    {"cvt_szeroi_s32_f32 $s0, $s1;", f(1.5f), 0, 0, inexact},
    {"cvt_zeroi_s32_f32 $s0, $s1;", f(3e9f), 0, 0, invalid},
    {"cvt_zeroi_u32_f32 $s0, $s1;", f(3e9f), 0, 0, none},
    {"cvt_zeroi_u32_f32 $s0, $s1;", quiet, 0, 0, invalid},
    {"cvt_zeroi_sat_u32_f32 $s0, $s1;", f(-5), 0, 0, none},
    {"cvt_zeroi_sat_u32_f32 $s0, $s1;", signaling, 0, 0, invalid},
    {"cvt_upi_u8_f32 $s0, $s1;", f(255.5f), 0, 0, invalid},
    {"cvt_downi_u8_f32 $s0, $s1;", f(255.5f), 0, 0, none},
    {"cvt_f32_s32 $s0, $s1;", 0x7fffffff, 0, 0, inexact},
    {"cvt_f32_s32 $s0, $s1;", 0xffffffff, 0, 0, none},
    {"cvt_f64_s64 $d0, $d1;", 0x7fffffffffffffff, 0, 0, inexact},
    {"cvt_f32_f64 $s0, $d1;", d(1e300), 0, 0, overflow | inexact},
    {"cvt_f32_f64 $s0, $d1;", d(1e-300), 0, 0, underflow | inexact},
    {"cvt_f64_f32 $d0, $s1;", signaling, 0, 0, invalid},
    {"cvt_f16_f32 $s0, $s1;", f(1e6f), 0, 0, overflow | inexact},
    // Rounding to integral values does not raise inexact.
    {"rint_f32 $s0, $s1;", f(1.5f), 0, 0, none},
    {"floor_f32 $s0, $s1;", signaling, 0, 0, invalid},
    // Bit operations raise nothing.
    {"neg_f32 $s0, $s1;", signaling, 0, 0, none},
    {"abs_f32 $s0, $s1;", signaling, 0, 0, none},
    {"class_b1_f32 $c0, $s1, $s2;", signaling, 3, 0, none},
    {"mov_b32 $s0, $s1;", signaling, 0, 0, none},
    // f16, and packed values, which raise the union over their elements.
    {"add_f16 $s0, $s1, $s2;", 0x7bff, 0x7bff, 0, overflow | inexact},
    {"mul_pp_f16x2 $s0, $s1, $s2;", 0x7c003c00, 0x00003c00, 0, invalid},
    {"add_pp_f16x2 $s0, $s1, $s2;", 0x7bff3c00, 0x7bff0001, 0, overflow | inexact},
    // Rounding and flushing.
    {"add_up_f32 $s0, $s1, $s2;", largest, f(1), 0, overflow | inexact},
    {"add_zero_f32 $s0, $s1, $s2;", largest, f(1), 0, inexact},
    {"add_ftz_f32 $s0, $s1, $s2;", tiny, 0, 0, none},
    // Integer division (PRM 12.2 leaves this to the implementation).
    {"div_s32 $s0, $s1, $s2;", 5, 0, 0, division},
    {"rem_u64 $d0, $d1, $d2;", 5, 0, 0, division},
    {"div_u32 $s0, $s1, $s2;", 5, 2, 0, none},
};

std::string kernel(const std::string& name, const std::string& directive, const std::string& body) {
  return "prog kernel " + name + "(kernarg_u64 %data) {\n  " + directive + R"(
  ld_kernarg_align(8)_u64 $d9, [%data];
  ld_global_u64 $d1, [$d9];
  ld_global_u64 $d2, [$d9+8];
  ld_global_u64 $d3, [$d9+16];
  cvt_u32_u64 $s1, $d1;
  cvt_u32_u64 $s2, $d2;
  cvt_u32_u64 $s3, $d3;
)" + body +
         "};\n";
}

constexpr const char* detect_all = "enabledetectexceptions 31;";

TEST_P(Exceptions, DetectSaysWhatWasRaised) {
  std::string text = header;
  for (size_t i = 0; i < std::size(cases); ++i)
    text += kernel("&k" + std::to_string(i), detect_all,
                   "  " + std::string(cases[i].text) +
                       "\n  getdetectexcept_u32 $s10;\n  st_global_u32 $s10, [$d9+24];\n");
  const Kernels kernels(agent_, text);
  for (size_t i = 0; i < std::size(cases); ++i) {
    const Case& c = cases[i];
    uint64_t data[4] = {c.a, c.b, c.c, 0xff};
    const std::string name = "&k" + std::to_string(i);
    ASSERT_TRUE(run(kernels, name.c_str(), 1, 1, {address_of(data)})) << c.text;
    EXPECT_EQ(data[3], c.raised) << c.text << " " << std::hex << c.a << " " << c.b << " " << c.c;
  }
}

TEST_P(Exceptions, BreakEndsTheDispatch) {
  const char* store = "  st_global_u32 1, [$d9+24];\n";
  const Kernels kernels(
      agent_,
      header +
          "function &quotient(arg_f32 %q)(arg_f32 %a, arg_f32 %b) {\n"
          "  ld_arg_f32 $s0, [%a]; ld_arg_f32 $s1, [%b];\n"
          "  div_f32 $s0, $s0, $s1; st_arg_f32 $s0, [%q];\n};\n" +
          kernel("&division", "enablebreakexceptions 2;", "  div_f32 $s0, $s1, $s2;\n" + std::string(store)) +
          kernel("&meeting", "enablebreakexceptions 2;",
                 "  barrier;\n  div_f32 $s0, $s1, $s2;\n" + std::string(store)) +
          kernel("&called", "enablebreakexceptions 2;",
                 "  { arg_f32 %q; arg_f32 %a; arg_f32 %b; st_arg_f32 $s1, [%a]; st_arg_f32 $s2, [%b];"
                 " call &quotient(%q)(%a, %b); }\n" +
                     std::string(store)) +
          kernel("&other", "enablebreakexceptions 4;", "  div_f32 $s0, $s1, $s2;\n" + std::string(store)));
  struct {
    const char* name;
    float b;  // 3: inexact, which is not enabled
    bool ends;
  } const runs[] = {{"&division", 0, true}, {"&division", 3, false}, {"&meeting", 0, true},
                    {"&meeting", 3, false}, {"&called", 0, true},    {"&called", 3, false},
                    {"&other", 0, false}};
  for (const auto& one : runs) {
    uint64_t data[4] = {f(1), f(one.b), 0, 0};
    hsa_status_t error = HSA_STATUS_SUCCESS;
    EXPECT_EQ(run(kernels, one.name, 4, 4, {address_of(data)}, &error), !one.ends) << one.name;
    EXPECT_EQ(error, one.ends ? HSA_STATUS_ERROR_EXCEPTION : HSA_STATUS_SUCCESS) << one.name;
    EXPECT_EQ(data[3], one.ends ? 0u : 1u) << one.name;
  }
}

TEST_P(Exceptions, FlagsAreOfTheWaveAndCanBeChanged) {
  const Kernels kernels(agent_, header + R"(
function &divide(arg_f32 %q)(arg_f32 %a, arg_f32 %b) {
  ld_arg_f32 $s0, [%a];
  ld_arg_f32 $s1, [%b];
  div_f32 $s0, $s0, $s1;
  st_arg_f32 $s0, [%q];
};
prog kernel &k(kernarg_u64 %out) {
  enabledetectexceptions 3;
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 4;
  add_u64 $d0, $d0, $d1;
  and_b32 $s1, $s0, 1;
  cvt_f32_u32 $s2, $s1;
  { arg_f32 %q; arg_f32 %a; arg_f32 %b; st_arg_f32 0f3f800000, [%a]; st_arg_f32 $s2, [%b];
    call &divide(%q)(%a, %b); }
  getdetectexcept_u32 $s3;
  st_global_u32 $s3, [$d0];             // division in even work-items
  setdetectexcept_u32 1;
  setdetectexcept_u32 16;               // not enabled
  getdetectexcept_u32 $s3;
  st_global_u32 $s3, [$d0+4];
  cleardetectexcept_u32 2;
  getdetectexcept_u32 $s3;
  st_global_u32 $s3, [$d0+8];
  add_f32 $s4, 0f3f800000, 0f00000001;  // inexact, which is not enabled
  cleardetectexcept_u32 31;
  getdetectexcept_u32 $s3;
  st_global_u32 $s3, [$d0+12];
};
prog kernel &plain(kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  { arg_f32 %q; arg_f32 %a; arg_f32 %b; st_arg_f32 0f3f800000, [%a]; st_arg_f32 0f00000000, [%b];
    call &divide(%q)(%a, %b); }
  getdetectexcept_u32 $s3;
  st_global_u32 $s3, [$d0];
};
)");
  std::vector<uint32_t> out(4 * 20, 99);
  ASSERT_TRUE(run(kernels, "&k", 20, 4, {address_of(out.data())}));
  for (uint32_t i = 0; i < 20; ++i) {
    // The flags are those of a wave. With waves of more than one work-item, each has one that divides.
    const bool divides = i % 2 == 0 || agent_info<uint32_t>(agent_, HSA_AGENT_INFO_WAVEFRONT_SIZE) > 1;
    const uint32_t divided = divides ? division : none;
    EXPECT_EQ(out[4 * i], divided) << i;
    EXPECT_EQ(out[4 * i + 1], divided | invalid) << i;
    EXPECT_EQ(out[4 * i + 2], invalid) << i;
    EXPECT_EQ(out[4 * i + 3], none) << i;
  }
  ASSERT_TRUE(run(kernels, "&plain", 1, 1, {address_of(out.data())}));
  EXPECT_EQ(out[0], none) << "the kernel enables nothing";
}

}  // namespace
}  // namespace heddle::runtime::test
