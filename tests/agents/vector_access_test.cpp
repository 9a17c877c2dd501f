// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lane of a wave a fault of memory is attributed to.
#include "agents/cpu/vector_access.h"

#include <gtest/gtest.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <csetjmp>
#include <csignal>
#include <vector>

#include "agents/cpu/faulting_lanes.h"

namespace heddle::cpu::test {
namespace {

using codeobject::AccessedLanes;

constexpr uint64_t page = 4096;

/// rax is 0x100, rcx 0x200, and so on, in the order of the registers' numbers.
mcontext_t numbered_registers() {
  static constexpr int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  mcontext_t registers = {};
  for (int i = 0; i < 16; ++i) registers.gregs[order[i]] = 0x100 * (i + 1);
  return registers;
}

TEST(VectorAccess, DecodesAddresses) {
  const struct {
    const char* text;
    std::vector<uint8_t> code;
    uint64_t address;
    uint32_t bytes;
  } cases[] = {
      {"vmovups 16(%rdi,%rax,4), %ymm0", {0xc5, 0xfc, 0x10, 0x44, 0x87, 0x10}, 0x800 + 0x400 + 16, 32},
      {"vmovdqu %xmm9, -8(%r13,%r14,2)", {0xc4, 0x01, 0x7a, 0x7f, 0x4c, 0x75, 0xf8}, 0xe00 + 0x1e00 - 8, 16},
      {"vmovaps %ymm1, (%r12)", {0xc4, 0xc1, 0x7c, 0x29, 0x0c, 0x24}, 0xd00, 32},
      {"vfmadd231ps 1024(%r8), %ymm2, %ymm3",
       {0xc4, 0xc2, 0x6d, 0xb8, 0x98, 0x00, 0x04, 0x00, 0x00},
       0x900 + 1024,
       32},
      {"vaddps (,%rax,8), %ymm2, %ymm3", {0xc5, 0xec, 0x58, 0x1c, 0xc5, 0, 0, 0, 0}, 0x800, 32},
      {"vmovups 64(%rsi), %zmm20", {0x62, 0xe1, 0x7c, 0x48, 0x10, 0x66, 0x01}, 0x700 + 64, 64},
      {"vmovdqu64 %ymm17, 32(%rsi,%r9)",
       {0x62, 0xa1, 0xfe, 0x28, 0x7f, 0x4c, 0x0e, 0x01},
       0x700 + 0xa00 + 32,
       32},
  };
  for (const auto& example : cases) {
    const auto access = decode_access(example.code, numbered_registers());
    ASSERT_TRUE(access) << example.text;
    EXPECT_EQ(access->address, example.address) << example.text;
    EXPECT_EQ(access->bytes, example.bytes) << example.text;
    EXPECT_FALSE(access->is_masked) << example.text;
  }
}

TEST(VectorAccess, LeavesOtherInstructionsAlone) {
  const struct {
    const char* text;
    std::vector<uint8_t> code;
  } cases[] = {
      {"vaddps (%rsi){1to16}, %zmm1, %zmm2", {0x62, 0xf1, 0x74, 0x58, 0x58, 0x16}},
      {"vpmovzxbd (%rsi), %ymm1", {0xc4, 0xe2, 0x7d, 0x31, 0x0e}},
      {"movups (%rsi), %xmm1", {0x0f, 0x10, 0x0e}},
      {"vmovups 4(%rip), %ymm1", {0xc5, 0xfc, 0x10, 0x0d, 4, 0, 0, 0}},
      {"vmovaps %ymm1, %ymm2", {0xc5, 0xfc, 0x28, 0xd1}},
      {"vmovss (%rsi), %xmm1", {0xc5, 0xfa, 0x10, 0x0e}},
      {"nothing", {}},
  };
  for (const auto& example : cases)
    EXPECT_FALSE(decode_access(example.code, numbered_registers())) << example.text;
}

TEST(VectorAccess, ReadsNoFurtherThanTheCode) {
  const std::vector<uint8_t> code = {0xc4, 0xc2, 0x6d, 0xb8, 0x98, 0x00, 0x04, 0x00, 0x00};
  for (size_t size = 0; size < code.size(); ++size) {
    const std::vector<uint8_t> part(code.begin(), code.begin() + static_cast<ptrdiff_t>(size));
    decode_access(part, numbered_registers());  // AddressSanitizer tells
  }
}

// ---- faults

sigjmp_buf after_fault;
Fault last_fault;

void on_fault(int signal, siginfo_t* info, void* context) {
  const mcontext_t& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
  const auto* code = reinterpret_cast<const uint8_t*>(registers.gregs[REG_RIP]);
  last_fault = {signal, info->si_code, reinterpret_cast<uint64_t>(info->si_addr),
                reinterpret_cast<uint64_t>(code), decode_access({code, 15}, registers)};
  siglongjmp(after_fault, 1);
}

/// Two pages of memory, of which the second one cannot be accessed.
class VectorFault : public ::testing::Test {
 protected:
  VectorFault() {
    memory_ = static_cast<char*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + page, page, PROT_NONE);
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before_);
  }
  ~VectorFault() override {
    sigaction(SIGSEGV, &before_, nullptr);
    munmap(memory_, 2 * page);
  }
  void SetUp() override {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  }

  /// Returns the address so many bytes in front of the inaccessible page.
  char* before_end(size_t bytes) const { return memory_ + page - bytes; }

  /// Executes what faults, and expects this lane, or so many from it on.
  template <typename Run>
  static void expect_lane(uint32_t lane, const AccessedLanes& lanes, Run&& run, uint32_t count = 1) {
    if (sigsetjmp(after_fault, 1) == 0) {
      run();
      FAIL() << "no fault";
    }
    ASSERT_TRUE(last_fault.access);
    const auto range = faulting_lanes(last_fault, lanes);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->count, count);
    EXPECT_EQ(range->first, lane);
  }

 private:
  char* memory_;
  struct sigaction before_ = {};
};

AccessedLanes consecutive(uint8_t first, uint8_t count, uint8_t lane_bytes, bool descending = false) {
  return {AccessedLanes::Form::consecutive, descending, first, count, lane_bytes};
}

AccessedLanes elements(uint8_t first, uint8_t count) {
  return {AccessedLanes::Form::elements, false, first, count, 0};
}

__attribute__((target("avx2"))) void load(const char* from) {
  asm volatile("vmovups (%0), %%ymm0" : : "r"(from) : "xmm0", "memory");
}

__attribute__((target("avx2"))) void masked_store(char* to, unsigned active) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i mask =
      _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(active)), bits), bits);
  asm volatile("vpmaskmovd %1, %1, (%0)" : : "r"(to), "x"(mask) : "memory");
}

__attribute__((target("avx2"))) void masked_load_of_long(const char* from, unsigned active) {
  const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
  const __m256i mask = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(active), bits), bits);
  asm volatile("vmaskmovpd (%0), %1, %%ymm0" : : "r"(from), "x"(mask) : "xmm0", "memory");
}

/// Element i is loaded `distance` * i bytes behind the address.
__attribute__((target("avx2"))) void gather(const char* from, int distance, unsigned active) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i index = _mm256_mullo_epi32(lane, _mm256_set1_epi32(distance));
  const __m256i bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), lane);
  __m256i mask =
      _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(active)), bits), bits);
  __m256i result = _mm256_setzero_si256();
  asm volatile("vpgatherdd %1, (%2,%3), %0" : "+x"(result), "+x"(mask) : "r"(from), "x"(index) : "memory");
}

TEST_F(VectorFault, NamesTheFirstLaneInThePage) {
  for (const uint32_t lane : {0u, 1u, 5u, 7u})
    expect_lane(8 + lane, consecutive(8, 8, 4), [&] { load(before_end(size_t{lane} * 4)); });
  // Lane 5 begins in front of the page and ends behind it.
  expect_lane(5, consecutive(0, 8, 4), [&] { load(before_end(22)); });
  expect_lane(15 - 3, consecutive(15, 8, 4, true), [&] { load(before_end(12)); });
  expect_lane(2, consecutive(0, 4, 8), [&] { load(before_end(16)); });
}

TEST_F(VectorFault, NamesALaneOfTheMask) {
  expect_lane(6, consecutive(0, 8, 4), [&] { masked_store(before_end(4), 0b11000001); });
  expect_lane(3, consecutive(0, 8, 4), [&] { masked_store(before_end(0), 0b00101000); });
  expect_lane(24 + 3, consecutive(24, 4, 8), [&] { masked_load_of_long(before_end(16), 0b1001); });
}

TEST_F(VectorFault, NamesTheFirstLaneThatAGatherHasNotCompleted) {
  for (const uint32_t lane : {0u, 3u, 7u})
    expect_lane(16 + lane, elements(16, 8), [&] { gather(before_end(size_t{lane} * 64), 64, 0xff); });
  expect_lane(4, elements(0, 8), [&] { gather(before_end(128), 64, 0b00010010); });
  // One of two gathers that the code generator made of one: the lanes of which half are not known.
  expect_lane(0, elements(0, 16), [&] { gather(before_end(128), 64, 0b00010010); }, 16);
}

TEST_F(VectorFault, NamesALaneAtAnAddressThatIsNotCanonical) {
  auto* nowhere = reinterpret_cast<char*>(0xdead000000000000);
  expect_lane(0, consecutive(0, 8, 4), [&] { load(nowhere); });
  expect_lane(2, consecutive(0, 8, 4), [&] { masked_store(nowhere, 0b1100); });
  expect_lane(2, elements(0, 8), [&] { gather(nowhere, 4, 0b1100); });
}

__attribute__((target("avx512f"))) void masked_store_512(char* to, unsigned active) {
  asm volatile("kmovw %1, %%k3\n vmovups %%zmm0, (%0)%{%%k3%}" : : "r"(to), "r"(active) : "k3", "memory");
}

__attribute__((target("avx512f"))) void scatter_512(char* to, unsigned active) {
  const __m512i index =
      _mm512_setr_epi32(0, 64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 768, 832, 896, 960);
  asm volatile("kmovw %1, %%k3\n vpscatterdd %%zmm0, (%0,%2)%{%%k3%}"
               :
               : "r"(to), "r"(active), "v"(index)
               : "k3", "memory");
}

TEST_F(VectorFault, NamesALaneOfAMaskRegister) {
  if (!__builtin_cpu_supports("avx512f")) GTEST_SKIP() << "this CPU has no AVX-512";
  expect_lane(10, consecutive(0, 16, 4), [&] { masked_store_512(before_end(16), 0b0000010000000001); });
  expect_lane(12, elements(0, 16), [&] { scatter_512(before_end(640), 0b0101000000000101); });
}

// ---- what is not known

TEST(FaultingLanes, AreNotMadeUp) {
  const Fault fault = {SIGSEGV, SEGV_MAPERR, 0x5000, 0x1000, VectorAccess{0x4ff0, 32, false, 0, 0}};
  EXPECT_FALSE(faulting_lanes(fault, AccessedLanes()));
  // The vector of the part is longer than what the instruction accesses.
  const auto several = faulting_lanes(fault, consecutive(8, 8, 8));
  ASSERT_TRUE(several);
  EXPECT_EQ(several->first, 8u);
  EXPECT_EQ(several->count, 8u);
  const auto backwards = faulting_lanes(fault, consecutive(15, 8, 8, true));
  ASSERT_TRUE(backwards);
  EXPECT_EQ(backwards->first, 8u);
  EXPECT_EQ(backwards->count, 8u);
  Fault undecoded = fault;
  undecoded.access.reset();
  EXPECT_EQ(faulting_lanes(undecoded, elements(4, 4))->count, 4u);
  EXPECT_EQ(faulting_lanes(undecoded, consecutive(5, 1, 0))->first, 5u);
  Fault division = fault;
  division.signal = SIGFPE;
  EXPECT_FALSE(faulting_lanes(division, consecutive(8, 8, 4)));
}

TEST(FaultingLanes, SurviveTheLineTable) {
  for (const AccessedLanes& lanes : {consecutive(63, 64, 255, true), consecutive(0, 1, 0), elements(17, 8)}) {
    const AccessedLanes read = AccessedLanes::from_word(lanes.word());
    EXPECT_EQ(read.form, lanes.form);
    EXPECT_EQ(read.descending, lanes.descending);
    EXPECT_EQ(read.first, lanes.first);
    EXPECT_EQ(read.count, lanes.count);
    EXPECT_EQ(read.lane_bytes, lanes.lane_bytes);
  }
  EXPECT_EQ(AccessedLanes().word(), 0u);
  EXPECT_EQ(AccessedLanes::from_word(3).form, AccessedLanes::Form::unknown);
}

}  // namespace
}  // namespace heddle::cpu::test
