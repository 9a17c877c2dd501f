// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose waves are sorted into simple ones and others.
#include <numeric>

#include <fmt/format.h>

#include "compile.h"
#include "jit_runner.h"

namespace heddle::testing {
namespace {

constexpr const char* wave_isas[] = {"heddle:x86-64-v3:w4", "heddle:x86-64-v3:w8", "heddle:x86-64-v3:w32",
                                     "heddle:x86-64-v4:w16", "heddle:x86-64-v4:w32"};

class WaveKernels : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << GetParam();
  }
  LoadedCode load(const std::string& text) {
    Compiled compiled = compile(module_header + text, GetParam(), nullptr);
    EXPECT_TRUE(compiled) << compiled.diagnostics;
    return LoadedCode(std::move(compiled.object));
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, WaveKernels, ::testing::ValuesIn(wave_isas));

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

}  // namespace
}  // namespace heddle::testing
