// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose waves are sorted into simple ones and others.
#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "compile.h"
#include "jit_runner.h"
#include "machine_code.h"

namespace heddle::testing {
namespace {

constexpr const char* isas[] = {"heddle:x86-64-v3:w1",  "heddle:x86-64-v3:w4",  "heddle:x86-64-v3:w8",
                                "heddle:x86-64-v3:w32", "heddle:x86-64-v4:w16", "heddle:x86-64-v4:w32"};

class WaveKernels : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << GetParam();
  }
  /// Bodies that a verifier has refused would be missing with no more than a warning.
  LoadedCode load(const std::string& text) {
    Compiled compiled = compile(module_header + text, GetParam(), nullptr);
    EXPECT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_EQ(compiled.diagnostics, "");
    return LoadedCode(std::move(compiled.object));
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, WaveKernels, ::testing::ValuesIn(isas));

/// 4 GiB of which the first and the last page can be accessed, and nothing beside them.
class BothEnds {
 public:
  BothEnds() {
    void* memory =
        ::mmap(nullptr, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    data_ = static_cast<uint8_t*>(memory) + page;
    for (uint8_t* end : {data_, data_ + size - page})
      if (::mprotect(end, page, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect");
  }
  BothEnds(const BothEnds&) = delete;
  ~BothEnds() { ::munmap(data_ - page, size + 2 * page); }

  uint8_t* data() const { return data_; }

 private:
  static constexpr uint64_t page = 4096, size = uint64_t{1} << 32;
  uint8_t* data_ = nullptr;
};

/// Waves have a body although there is no way to the end of the kernel.
TEST_P(WaveKernels, LoopsWithoutEnd) {
  for (const char* before : {"", "cmp_eq_b1_u32 $c0, $s0, 5; cbr_b1 $c0, @end;"}) {
    const Compiled compiled = compile(fmt::format(R"({}
prog kernel &endless(kernarg_u64 %started)
{{
  ld_kernarg_align(8)_u64 $d0, [%started];
  workitemabsid_u32 $s0, 0;
  {}
  atomicnoret_st_global_screl_system_b32 [$d0], 1;
@again:
  br @again;
@end:
  ret;
}};
)",
                                                  module_header, before),
                                      GetParam(), nullptr);
    EXPECT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_EQ(compiled.diagnostics.find("FINALIZER-spmd"), std::string::npos) << compiled.diagnostics;
  }
}

/// Each work-item reads and writes the byte with the index `id + shift`, which wraps around.
TEST_P(WaveKernels, IndicesThatWrapAround) {
  for (const char* end : {"", "barrier;"}) {
    LoadedCode code = load(fmt::format(R"(
prog kernel &copy(kernarg_u64 %out, kernarg_u64 %in, kernarg_u32 %shift)
{{
  workitemabsid_u32 $s0, 0;
  ld_kernarg_align(4)_width(all)_u32 $s1, [%shift];
  ld_kernarg_align(8)_width(all)_u64 $d0, [%in];
  ld_kernarg_align(8)_width(all)_u64 $d1, [%out];
  add_u32 $s0, $s0, $s1;
  cvt_u64_u32 $d2, $s0;
  add_u64 $d0, $d0, $d2;
  add_u64 $d1, $d1, $d2;
  ld_global_u8 $s2, [$d0];
  st_global_u8 $s2, [$d1];
  {}
}};
)",
                                       end));
    BothEnds in, out;
    constexpr uint32_t n = 150;
    for (const uint32_t shift : {0u, 1u, ~0u, 0u - 3, 0u - 8, 0u - 60, 0u - 64, 0u - 100, 0u - 200}) {
      for (uint32_t id = 0; id < n; ++id) {
        in.data()[id + shift] = static_cast<uint8_t>(id + 1);
        out.data()[id + shift] = 0;
      }
      struct {
        uint8_t *out, *in;
        uint32_t shift;
      } const kernarg = {out.data(), in.data(), shift};
      EXPECT_FALSE(code.run("&copy", &kernarg, {{n, 1, 1}, {64, 1, 1}, 1}).taken);
      for (uint32_t id = 0; id < n; ++id) {
        ASSERT_EQ(out.data()[id + shift], static_cast<uint8_t>(id + 1)) << id << " + " << shift;
        out.data()[id + shift] = 0;
      }
    }
  }
}

/// Lanes on both sides of a bound that indices are clamped with, in a loop that may be unrolled or not.
TEST_P(WaveKernels, ClampedIndices) {
  for (const auto& [type, count] :
       {std::pair<std::string, std::string>("u32", "3"), {"s32", "3"}, {"u32", "$s8"}, {"s32", "$s8"}}) {
    LoadedCode code = load(fmt::format(R"(
prog kernel &sum(kernarg_u64 %out, kernarg_u64 %in, kernarg_u32 %shift, kernarg_u32 %least, kernarg_u32 %most, kernarg_u32 %count)
{{
  workitemabsid_u32 $s0, 0;
  ld_kernarg_align(4)_width(all)_u32 $s1, [%shift];
  ld_kernarg_align(4)_width(all)_u32 $s2, [%least];
  ld_kernarg_align(4)_width(all)_u32 $s3, [%most];
  ld_kernarg_align(8)_width(all)_u64 $d0, [%in];
  mov_b32 $s4, 0;
  mov_b32 $s5, 0;
  ld_kernarg_align(4)_width(all)_u32 $s8, [%count];
@next:
  add_u32 $s6, $s0, $s1;
  add_u32 $s6, $s6, $s4;
  max_{0} $s6, $s6, $s2;
  min_{0} $s6, $s6, $s3;
  cvt_u64_u32 $d1, $s6;
  shl_u64 $d1, $d1, 1;
  add_u64 $d1, $d0, $d1;
  ld_global_u16 $s7, [$d1];
  mad_u32 $s5, $s5, 3, $s7;
  add_u32 $s4, $s4, 1;
  cmp_lt_b1_u32 $c0, $s4, {1};
  cbr_width(all)_b1 $c0, @next;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 2;
  ld_kernarg_align(8)_width(all)_u64 $d2, [%out];
  add_u64 $d1, $d2, $d1;
  st_global_u32 $s5, [$d1];
}};
)",
                                       type, count));
    constexpr uint32_t n = 150, size = 100;
    std::vector<uint16_t> in(size);
    for (uint32_t i = 0; i < size; ++i) in[i] = static_cast<uint16_t>(i * i + 7);
    const bool is_unsigned = type == "u32";
    const auto clamped = [&](uint32_t index, uint32_t least, uint32_t most) {
      if (is_unsigned) return std::min(std::max(index, least), most);
      const auto low = static_cast<int32_t>(least), high = static_cast<int32_t>(most);
      return static_cast<uint32_t>(std::min(std::max(static_cast<int32_t>(index), low), high));
    };
    for (const uint32_t shift :
         {0u, 1u, 30u, ~0u, 0u - 3, 0u - 40, 0u - 100, 0x7fffffe0u, 0x80000000u - 70}) {
      for (const auto [least, most] : {std::pair(0u, size - 1), std::pair(7u, 80u), std::pair(20u, 21u)}) {
        std::vector<uint32_t> out(n);
        struct {
          uint32_t* out;
          const uint16_t* in;
          uint32_t shift, least, most, count;
        } const kernarg = {out.data(), in.data(), shift, least, most, 3};
        EXPECT_FALSE(code.run("&sum", &kernarg, {{n, 1, 1}, {64, 1, 1}, 1}).taken);
        for (uint32_t id = 0; id < n; ++id) {
          uint32_t expected = 0;
          for (uint32_t k = 0; k < 3; ++k) expected = expected * 3 + in[clamped(id + shift + k, least, most)];
          ASSERT_EQ(out[id], expected)
              << type << " " << id << " + " << shift << ", " << least << ", " << most;
        }
      }
    }
  }
}

/// Each work-item takes the bits of its ID apart at a distance that may be less than a wave, and groups may
/// begin anywhere.
TEST_P(WaveKernels, IndicesThatAreTakenApart) {
  LoadedCode code = load(R"(
prog kernel &apart(kernarg_u64 %pairs, kernarg_u64 %high, kernarg_u64 %in, kernarg_u32 %distance)
{
  workitemabsid_u32 $s0, 0;
  ld_kernarg_align(4)_width(all)_u32 $s1, [%distance];
  sub_u32 $s2, $s1, 1;
  and_b32 $s3, $s0, $s2;
  sub_u32 $s4, $s0, $s3;
  shl_u32 $s5, $s4, 1;
  or_b32 $s5, $s5, $s3;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%in];
  cvt_u64_u32 $d1, $s4;
  add_u64 $d1, $d0, $d1;
  ld_global_u8 $s6, [$d1];
  cvt_u64_u32 $d1, $s0;
  ld_kernarg_align(8)_width(all)_u64 $d2, [%high];
  add_u64 $d1, $d1, $d2;
  st_global_u8 $s6, [$d1];
  cvt_u64_u32 $d1, $s5;
  shl_u64 $d1, $d1, 2;
  ld_kernarg_align(8)_width(all)_u64 $d2, [%pairs];
  add_u64 $d1, $d1, $d2;
  ld_global_u32 $s7, [$d1];
  add_u32 $s7, $s7, $s0;
  st_global_u32 $s7, [$d1];
};
)");
  for (const uint16_t group : {64, 12, 40}) {
    for (const uint32_t distance : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 1024u, 12u, 24u, 0u}) {
      constexpr uint32_t n = 240;
      std::vector<uint32_t> pairs(2 * n + 2048), expected(pairs.size());
      std::vector<uint8_t> high(n), in(n);
      for (uint32_t i = 0; i < pairs.size(); ++i) expected[i] = pairs[i] = i * i;
      for (uint32_t i = 0; i < n; ++i) in[i] = static_cast<uint8_t>(i * 7);
      for (uint32_t id = 0; id < n; ++id) {
        const uint32_t low = id & (distance - 1);
        expected[((id - low) << 1) | low] += id;
      }
      struct {
        uint32_t* pairs;
        uint8_t *high, *in;
        uint32_t distance;
      } const kernarg = {pairs.data(), high.data(), in.data(), distance};
      EXPECT_FALSE(code.run("&apart", &kernarg, {{n, 1, 1}, {group, 1, 1}, 1}).taken);
      for (uint32_t id = 0; id < n; ++id)
        ASSERT_EQ(high[id], in[id - (id & (distance - 1))]) << id << " of " << group << " at " << distance;
      // Distances that are no powers of two let several work-items have the same pair.
      if ((distance & (distance - 1)) == 0) ASSERT_EQ(pairs, expected) << group << " at " << distance;
    }
  }
}

template <typename T>
bool compare(const std::string& how, T a, T b) {
  if (how == "lt") return a < b;
  if (how == "le") return a <= b;
  if (how == "gt") return a > b;
  if (how == "ge") return a >= b;
  return (how == "eq") == (a == b);
}

/// Work-items of one wave on both sides of a bound, which is where numbers wrap around, too.
TEST_P(WaveKernels, BoundsWithinWaves) {
  constexpr uint32_t n = 150;
  const uint32_t biases[] = {0, 0u - 3, 0u - 70, 0x7ffffff0, 0x7fffffff, 0x80000000};
  for (const std::string type : {"u32", "s32"}) {
    for (const std::string how : {"lt", "le", "gt", "ge", "eq", "ne"}) {
      LoadedCode code = load(fmt::format(R"(
prog kernel &sort(kernarg_u64 %out, kernarg_u32 %bias, kernarg_u32 %bound)
{{
  workitemabsid_u32 $s0, 0;
  ld_kernarg_align(4)_width(all)_u32 $s1, [%bias];
  ld_kernarg_align(4)_width(all)_u32 $s2, [%bound];
  add_u32 $s3, $s0, $s1;
  ld_kernarg_align(8)_width(all)_u64 $d1, [%out];
  cvt_u64_u32 $d2, $s0;
  add_u64 $d1, $d1, $d2;
  cmp_{}_b1_{} $c0, $s3, $s2;
  cbr_b1 $c0, @yes;
  st_global_u8 1, [$d1];
  br @done;
@yes:
  st_global_u8 2, [$d1];
@done:
  ret;
}};
)",
                                         how, type));
      for (const uint32_t bias : biases) {
        for (const uint32_t item : {0u, 1u, 7u, 8u, 31u, 77u, 149u, 150u, 200u}) {
          std::vector<uint8_t> out(n + 1);
          struct {
            uint8_t* out;
            uint32_t bias, bound;
          } const kernarg = {out.data(), bias, item + bias};
          EXPECT_FALSE(code.run("&sort", &kernarg, {{n, 1, 1}, {64, 1, 1}, 1}).taken);
          EXPECT_EQ(out[n], 0);
          for (uint32_t id = 0; id < n; ++id) {
            const uint32_t a = id + bias, b = kernarg.bound;
            const bool yes = type == "u32" ? compare(how, a, b)
                                           : compare(how, static_cast<int32_t>(a), static_cast<int32_t>(b));
            ASSERT_EQ(out[id], yes ? 2 : 1) << id << " + " << bias << " " << how << " " << b << " " << type;
          }
        }
      }
    }
  }
}

/// Nothing can be tested where the kernel begins, because the bound is not known yet.
TEST_P(WaveKernels, BoundsInMemory) {
  constexpr uint32_t n = 150;
  LoadedCode code = load(R"(
prog kernel &mark(kernarg_u64 %out, kernarg_u64 %bound)
{
  workitemabsid_u32 $s0, 0;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%bound];
  ld_global_align(4)_width(all)_u32 $s1, [$d0];
  cmp_ge_b1_u32 $c0, $s0, $s1;
  cbr_b1 $c0, @done;
  ld_kernarg_align(8)_width(all)_u64 $d1, [%out];
  cvt_u64_u32 $d2, $s0;
  add_u64 $d1, $d1, $d2;
  st_global_u8 1, [$d1];
@done:
  ret;
};
)");
  for (const uint32_t bound : {0u, 1u, 7u, 8u, 31u, 64u, 77u, 149u, 150u, 200u}) {
    std::vector<uint8_t> out(n + 1);
    struct {
      uint8_t* out;
      const uint32_t* bound;
    } const kernarg = {out.data(), &bound};
    EXPECT_FALSE(code.run("&mark", &kernarg, {{n, 1, 1}, {64, 1, 1}, 1}).taken);
    for (uint32_t id = 0; id <= n; ++id) ASSERT_EQ(out[id], id < std::min(bound, n) ? 1 : 0) << id;
  }
}

/// Functions that are not inlined because they call themselves ask for the IDs of all lanes, which the entry
/// has told the context.
TEST_P(WaveKernels, IdsInFunctions) {
  LoadedCode code = load(R"(
decl function &id(arg_u32 %r)(arg_u32 %n);
function &id(arg_u32 %r)(arg_u32 %n)
{
  ld_arg_u32 $s0, [%n];
  workitemabsid_u32 $s1, 0;
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @end;
  sub_u32 $s0, $s0, 1;
  {
    arg_u32 %m;
    arg_u32 %s;
    st_arg_u32 $s0, [%m];
    call &id(%s)(%m);
    ld_arg_u32 $s2, [%s];
  }
  add_u32 $s1, $s1, $s2;
@end:
  st_arg_u32 $s1, [%r];
};
prog kernel &k(kernarg_u64 %out)
{
  workitemabsid_u32 $s0, 0;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  {
    arg_u32 %m;
    arg_u32 %s;
    st_arg_u32 2, [%m];
    call &id(%s)(%m);
    ld_arg_u32 $s1, [%s];
  }
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 2;
  add_u64 $d1, $d0, $d1;
  st_global_u32 $s1, [$d1];
};
)");
  constexpr uint32_t n = 200;
  std::vector<uint32_t> out(n);
  const void* kernarg[] = {out.data()};
  EXPECT_FALSE(code.run("&k", kernarg, {{n, 1, 1}, {96, 1, 1}, 1}).taken);
  for (uint32_t id = 0; id < n; ++id) ASSERT_EQ(out[id], 3 * id);
}

/// Counts in each work-item's element how often it was executed, and adds to it what the kernel computes.
std::string count_work_items(const std::string& extra) {
  return R"(
prog kernel &count(kernarg_u64 %out)
{
  workitemflatabsid_u64 $d1;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  shl_u64 $d1, $d1, 2;
  add_u64 $d0, $d0, $d1;
  mov_b32 $s0, 1;
)" + extra +
         R"(
  atomicnoret_add_global_rlx_agent_u32 [$d0], $s0;
  ret;
};
)";
}

/// Where code executes several groups as one, kernels cannot tell, and each work-item is executed once.
TEST_P(WaveKernels, GroupsThatAreMerged) {
  const struct {
    std::string extra;
    uint32_t (*expected)(const Shape& shape, uint32_t x, uint32_t y);
  } kernels[] = {
      {"", [](const Shape&, uint32_t, uint32_t) { return 1u; }},
      {"workitemabsid_u32 $s1, 0; mad_u32 $s0, $s1, 16, $s0;",
       [](const Shape&, uint32_t x, uint32_t) { return 1 + 16 * x; }},
      {"workitemid_u32 $s1, 0; mad_u32 $s0, $s1, 16, $s0;",
       [](const Shape& shape, uint32_t x, uint32_t) { return 1 + 16 * (x % shape.group[0]); }},
      {"workgroupid_u32 $s1, 0; mad_u32 $s0, $s1, 16, $s0;",
       [](const Shape& shape, uint32_t x, uint32_t) { return 1 + 16 * (x / shape.group[0]); }},
      {"workitemabsid_u32 $s1, 0; workitemid_u32 $s2, 0; mad_u32 $s1, $s2, 3, $s1; mad_u32 $s0, $s1, 16, "
       "$s0;",
       [](const Shape& shape, uint32_t x, uint32_t) { return 1 + 16 * (x + 3 * (x % shape.group[0])); }},
      {"workitemid_u32 $s1, 1; workgroupid_u32 $s2, 1; mad_u32 $s1, $s2, 100, $s1; mad_u32 $s0, $s1, 16, "
       "$s0;",
       [](const Shape& shape, uint32_t, uint32_t y) {
         return 1 + 16 * (y % shape.group[1] + 100 * (y / shape.group[1]));
       }},
      {"currentworkgroupsize_u32 $s1, 0; mad_u32 $s0, $s1, 16, $s0;",
       [](const Shape& shape, uint32_t x, uint32_t) {
         return 1 + 16 * std::min(shape.group[0], shape.grid[0] - x / shape.group[0] * shape.group[0]);
       }},
  };
  const Shape shapes[] = {{{300, 1, 1}, {64, 1, 1}, 1}, {{70001, 1, 1}, {7, 1, 1}, 1},
                          {{45, 7, 1}, {8, 4, 1}, 2},   {{37, 7, 5}, {5, 3, 2}, 3},
                          {{100, 4, 1}, {1, 4, 1}, 2},  {{129, 3, 2}, {33, 2, 2}, 3}};
  for (const auto& kernel : kernels) {
    LoadedCode code = load(count_work_items(kernel.extra));
    for (const Shape& shape : shapes) {
      std::vector<uint32_t> out(size_t{shape.grid[0]} * shape.grid[1] * shape.grid[2]);
      const void* kernarg[] = {out.data()};
      EXPECT_FALSE(code.run("&count", kernarg, shape).taken);
      for (uint32_t i = 0; i < out.size(); ++i) {
        const uint32_t x = i % shape.grid[0], y = i / shape.grid[0] % shape.grid[1];
        ASSERT_EQ(out[i], kernel.expected(shape, x, y))
            << kernel.extra << " " << i << " of " << shape.grid[0];
      }
    }
  }
}

/// Returns WAVESIZE of an ISA by its name.
uint32_t wavesize_of(const std::string& isa) {
  return static_cast<uint32_t>(std::stoul(isa.substr(isa.rfind(":w") + 2)));
}

/// Each slice of `n` work-items loads one number and takes one branch.
std::string kernel_with_slices(const std::string& width) {
  return fmt::format(R"(
prog kernel &slices(kernarg_u64 %out, kernarg_u64 %in, kernarg_u32 %n)
{{
  workitemflatid_u32 $s0;
  workitemflatabsid_u32 $s1;
  workgroupid_u32 $s2, 0;
  workgroupid_u32 $s3, 1;
  gridgroups_u32 $s4, 0;
  mad_u32 $s2, $s3, $s4, $s2;
  shl_u32 $s2, $s2, 10;
  ld_kernarg_align(4)_width(all)_u32 $s6, [%n];
  div_u32 $s7, $s0, $s6;
  mad_u32 $s2, $s7, $s6, $s2;
  cvt_u64_u32 $d1, $s2;
  shl_u64 $d1, $d1, 2;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%in];
  add_u64 $d1, $d0, $d1;
  ld_global_width({0})_u32 $s5, [$d1];
  and_b32 $s3, $s7, 1;
  cmp_eq_b1_u32 $c0, $s3, 0;
  cbr_width({0})_b1 $c0, @even;
  mul_u32 $s5, $s5, 3;
@even:
  cvt_u64_u32 $d1, $s1;
  shl_u64 $d1, $d1, 2;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  add_u64 $d1, $d0, $d1;
  st_global_u32 $s5, [$d1];
}};
)",
                     width);
}

/// Slices are those of full groups, also in partial ones, where waves may have parts of several.
TEST_P(WaveKernels, PromisesForSlices) {
  constexpr struct {
    uint32_t grid[2], group[2];
  } shapes[] = {{{300, 1}, {256, 1}}, {{96, 7}, {32, 5}},  {{64, 8}, {8, 8}},
                {{70, 6}, {32, 4}},   {{100, 9}, {33, 9}}, {{48, 5}, {24, 5}}};
  std::vector<uint32_t> in(64 * 1024);
  std::iota(in.begin(), in.end(), 1);
  for (const auto& [width, n] : {std::pair<std::string, uint32_t>("4", 4),
                                 {"8", 8},
                                 {"32", 32},
                                 {"64", 64},
                                 {"WAVESIZE", wavesize_of(GetParam())}}) {
    LoadedCode code = load(kernel_with_slices(width));
    for (const auto& [grid, group] : shapes) {
      std::vector<uint32_t> out(size_t{grid[0]} * grid[1]);
      const struct {
        uint32_t* out;
        const uint32_t* in;
        uint32_t n;
      } kernarg = {out.data(), in.data(), n};
      EXPECT_FALSE(code.run("&slices", &kernarg, {{grid[0], grid[1], 1}, {group[0], group[1], 1}, 2}).taken);
      const uint32_t groups = (grid[0] + group[0] - 1) / group[0];
      for (uint32_t id = 0; id < out.size(); ++id) {
        const uint32_t x = id % grid[0], y = id / grid[0];
        const uint32_t flat = x % group[0] + y % group[1] * group[0];
        const uint32_t loaded = in[(x / group[0] + y / group[1] * groups) * 1024 + flat / n * n];
        ASSERT_EQ(out[id], flat / n % 2 == 0 ? loaded : 3 * loaded)
            << "width " << width << ", grid " << grid[0] << ", group " << group[0] << ", at " << id;
      }
    }
  }
}

/// What all work-items of a group agree on differs between groups that are executed as one.
TEST_P(WaveKernels, PromisesForMergedGroups) {
  LoadedCode code = load(R"(
prog kernel &groups(kernarg_u64 %out, kernarg_u64 %in)
{
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d2, $s0;
  shl_u64 $d2, $d2, 2;
  and_b64 $d3, $d2, -16;
  ld_kernarg_align(8)_width(all)_u64 $d1, [%in];
  add_u64 $d1, $d1, $d3;
  ld_global_width(all)_u32 $s1, [$d1];
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  add_u64 $d0, $d0, $d2;
  st_global_u32 $s1, [$d0];
};
)");
  std::vector<uint32_t> in(100), out(100);
  std::iota(in.begin(), in.end(), 1);
  const struct {
    uint32_t* out;
    const uint32_t* in;
  } kernarg = {out.data(), in.data()};
  EXPECT_FALSE(code.run("&groups", &kernarg, {{100, 1, 1}, {4, 1, 1}, 1}).taken);
  for (uint32_t id = 0; id < 100; ++id) ASSERT_EQ(out[id], in[id / 4 * 4]) << id;
}

/// Copies elements with or without hints, to buffers that are aligned for stores past the caches or not.
std::string copying(const std::string& type, const std::string& extra) {
  const uint32_t shift = type == "u32" ? 2 : 3;
  return fmt::format(R"(
prog kernel &copy(kernarg_u64 %out, kernarg_u64 %in)
{{
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d2, $s0;
  shl_u64 $d2, $d2, {1};
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  ld_kernarg_align(8)_width(all)_u64 $d1, [%in];
  add_u64 $d0, $d0, $d2;
  add_u64 $d1, $d1, $d2;
  ld_global_align(4)_nt_{0} ${2}, [$d1];
  st_global_align(4)_nt_{0} ${2}, [$d0];
  {3}
}};
)",
                     type, shift, type == "u32" ? "s3" : "d3", extra);
}

TEST_P(WaveKernels, StoresPastTheCaches) {
  for (const std::string type : {"u32", "u64"}) {
    LoadedCode code = load(copying(type, ""));
    constexpr uint32_t n = 301, words = 2 * n + 64;
    const uint32_t used = type == "u32" ? n : 2 * n;
    std::vector<uint32_t> in(used);
    std::iota(in.begin(), in.end(), 1);
    alignas(64) static std::array<uint32_t, words> out;
    for (const uint32_t shift : {0u, 1u, 4u, 8u, 16u}) {
      out.fill(0);
      const struct {
        uint32_t* out;
        const uint32_t* in;
      } kernarg = {out.data() + shift, in.data()};
      EXPECT_FALSE(code.run("&copy", &kernarg, {{n, 1, 1}, {64, 1, 1}, 1}).taken);
      for (uint32_t i = 0; i < words; ++i)
        ASSERT_EQ(out[i], i >= shift && i - shift < used ? i - shift + 1 : 0)
            << type << " " << shift << " " << i;
    }
  }
}

/// Stores past the caches are for whole vectors in kernels that tell nobody of them. They need a fence.
TEST_P(WaveKernels, ChoosesStoresPastTheCaches) {
  const auto has = [](const Compiled& compiled, const char* mnemonic) {
    EXPECT_TRUE(compiled) << compiled.diagnostics;
    const auto code = disassemble(compiled.object.text);
    return std::ranges::any_of(code,
                               [&](const auto& line) { return line.find(mnemonic) != std::string::npos; });
  };
  const auto made = [&](const std::string& extra) {
    return compile(module_header + copying("u32", extra), GetParam(), nullptr);
  };
  const uint32_t lanes = wavesize_of(GetParam());
  const Compiled streaming = made("");
  EXPECT_EQ(has(streaming, "movnt"), lanes >= 8);
  EXPECT_EQ(has(streaming, "sfence"), lanes >= 8);
  EXPECT_FALSE(has(streaming, "movnti"));
  for (const char* extra :
       {"barrier;", "memfence_screl_system;", "atomicnoret_add_global_rlx_system_u32 [$d1], 1;"})
    EXPECT_FALSE(has(made(extra), "movnt")) << extra;
}

}  // namespace
}  // namespace heddle::testing
