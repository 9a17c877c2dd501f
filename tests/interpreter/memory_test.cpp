// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments, loads, stores, atomics and identification instructions (PRM chapters 2, 6, 11).
#include <cstring>

#include <hsa/hsa_brig_modifiers.h>

#include "harness.h"

namespace heddle::testing {
namespace {

std::string with_header(std::string_view text) { return std::string(module_header) + std::string(text); }

TEST(Memory, LoadsExtendByTypeAndStoresCut) {
  LoadedProgram program(with_header(R"(
    prog kernel &main(kernarg_u64 %in, kernarg_u64 %out) {
      ld_kernarg_u64 $d0, [%in];
      ld_kernarg_u64 $d1, [%out];
      ld_global_u8 $s0, [$d0];   st_global_u32 $s0, [$d1];
      ld_global_s8 $s0, [$d0];   st_global_u32 $s0, [$d1+4];
      ld_global_u16 $s0, [$d0];  st_global_u32 $s0, [$d1+8];
      ld_global_s16 $s0, [$d0];  st_global_u32 $s0, [$d1+12];
      // Not aligned: must work all the same.
      ld_global_u64 $d2, [$d0+1]; st_global_u64 $d2, [$d1+17];
      st_global_u8 0x1234, [$d1+26];
      ld_v4_global_u32 ($s0, $s1, $s2, $s3), [$d0];
      st_v2_global_u32 ($s3, $s0), [$d1+32];
      ld_v3_u16 ($s0, $s1, $s2), [$d0];
      st_v3_u32 ($s0, $s1, $s2), [$d1+40];
    };
  )"));
  uint8_t in[16], out[64] = {};
  for (int i = 0; i < 16; ++i) in[i] = static_cast<uint8_t>(0x80 + i);
  EXPECT_EQ(id(program.run("&main", {address(in), address(out)})), "none");
  uint32_t words[16];
  std::memcpy(words, out, sizeof words);
  EXPECT_EQ(words[0], 0x80u);
  EXPECT_EQ(words[1], 0xffffff80u);
  EXPECT_EQ(words[2], 0x8180u);
  EXPECT_EQ(words[3], 0xffff8180u);
  EXPECT_EQ(std::memcmp(out + 17, in + 1, 8), 0);
  EXPECT_EQ(out[26], 0x34);
  EXPECT_EQ(out[27], 0);
  EXPECT_EQ(words[8], 0x8f8e8d8cu);
  EXPECT_EQ(words[9], 0x83828180u);
  EXPECT_EQ(words[10], 0x8180u);
  EXPECT_EQ(words[12], 0x8584u);
}

TEST(Memory, VectorLoadMayOverwriteItsAddress) {
  LoadedProgram program(with_header(R"(
    prog kernel &main(kernarg_u64 %p) {
      ld_kernarg_u64 $d0, [%p];
      mov_b64 $d3, $d0;
      ld_v2_global_u64 ($d0, $d1), [$d0];
      add_u64 $d0, $d0, $d1;
      st_global_u64 $d0, [$d3];
    };
  )"));
  uint64_t data[2] = {40, 2};
  EXPECT_EQ(id(program.run("&main", {address(data)})), "none");
  EXPECT_EQ(data[0], 42u);
}

TEST(Memory, VariablesAndInitializers) {
  LoadedProgram program(with_header(R"(
    prog global_u32 &counter = 5;
    readonly_u16 &small[3] = u16[](1, 2, 0xffff);
    prog global_u64 &self = addr(&counter + 0);
    prog global_b8 &mixed[16] = {u8(1), align(4), u32(0x01020304), zero(2), u8x4(1, 2, 3, 4), align(16)};
    prog kernel &main(kernarg_u64 %out) {
      global_u32 %mine = 7;
      ld_kernarg_u64 $d0, [%out];
      ld_global_u32 $s0, [&counter];
      st_global_u32 $s0, [$d0];
      ld_readonly_s16 $s0, [&small][4];
      st_global_u32 $s0, [$d0+4];
      ld_global_u64 $d1, [&self];
      st_global_u32 77, [$d1];
      lda_global_u64 $d2, [&counter];
      sub_u64 $d2, $d2, $d1;
      st_global_u64 $d2, [$d0+8];
      ld_global_u32 $s0, [%mine];
      st_global_u32 $s0, [$d0+16];
    };
  )"));
  uint32_t out[5] = {};
  EXPECT_EQ(id(program.run("&main", {address(out)})), "none");
  EXPECT_EQ(out[0], 5u);
  EXPECT_EQ(out[1], 0xffffffffu);
  EXPECT_EQ(out[2] | out[3], 0u);
  EXPECT_EQ(out[4], 7u);
  uint32_t counter = 0;
  std::memcpy(&counter, program.variable("&counter"), 4);
  EXPECT_EQ(counter, 77u);
  const uint8_t mixed[16] = {1, 0, 0, 0, 4, 3, 2, 1, 0, 0, 4, 3, 2, 1, 0, 0};
  EXPECT_EQ(std::memcmp(program.variable("&mixed"), mixed, sizeof mixed), 0);
}

TEST(Memory, SegmentsAndFlatAddresses) {
  LoadedProgram program(with_header(R"(
    prog kernel &main(kernarg_u64 %out) {
      group_u32 %g[4];
      private_u32 %p[4];
      spill_u32 %s;
      ld_kernarg_u64 $d0, [%out];
      st_spill_u32 3, [%s];
      st_group_u32 1, [%g][8];
      st_private_u32 2, [%p][8];
      lda_group_u32 $s0, [%g][8];
      stof_group_u64_u32 $d1, $s0;
      ld_u32 $s1, [$d1];
      st_global_u32 $s1, [$d0];
      lda_private_u32 $s2, [%p][8];
      stof_private_u64_u32 $d2, $s2;
      ld_u32 $s1, [$d2];
      st_global_u32 $s1, [$d0+4];
      ftos_group_u32_u64 $s3, $d1;
      sub_u32 $s3, $s3, $s0;
      st_global_u32 $s3, [$d0+8];
      // Which segment: bits in order group, private, global of each address.
      segmentp_group_b1_u64 $c0, $d1;    segmentp_private_b1_u64 $c1, $d1;   segmentp_global_b1_u64 $c2, $d1;
      segmentp_group_b1_u64 $c3, $d0;    segmentp_private_b1_u64 $c4, $d2;   segmentp_global_b1_u64 $c5, $d0;
      cvt_u32_b1 $s4, $c0;
      cvt_u32_b1 $s5, $c1; shl_u32 $s5, $s5, 1; or_b32 $s4, $s4, $s5;
      cvt_u32_b1 $s5, $c2; shl_u32 $s5, $s5, 2; or_b32 $s4, $s4, $s5;
      cvt_u32_b1 $s5, $c3; shl_u32 $s5, $s5, 3; or_b32 $s4, $s4, $s5;
      cvt_u32_b1 $s5, $c4; shl_u32 $s5, $s5, 4; or_b32 $s4, $s4, $s5;
      cvt_u32_b1 $s5, $c5; shl_u32 $s5, $s5, 5; or_b32 $s4, $s4, $s5;
      st_global_u32 $s4, [$d0+12];
      // Null to null, both ways.
      nullptr_group_u32 $s6;
      stof_group_u64_u32 $d3, $s6;
      nullptr_u64 $d4;
      ftos_private_u32_u64 $s7, $d4;
      nullptr_private_u32 $s8;
      cmp_eq_b1_u64 $c0, $d3, $d4;
      cmp_eq_b1_u32 $c1, $s7, $s8;
      and_b1 $c0, $c0, $c1;
      segmentp_group_b1_u64 $c1, $d4;
      and_b1 $c0, $c0, $c1;
      cvt_u32_b1 $s5, $c0;
      st_global_u32 $s5, [$d0+16];
      ld_spill_u32 $s5, [%s];
      st_global_u32 $s5, [$d0+20];
    };
  )"));
  uint32_t out[6] = {};
  EXPECT_EQ(id(program.run("&main", {address(out)})), "none");
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[1], 2u);
  EXPECT_EQ(out[2], 0u);
  EXPECT_EQ(out[3], 0b110001u);
  EXPECT_EQ(out[4], 1u);
  EXPECT_EQ(out[5], 3u);
}

TEST(Memory, DynamicGroupMemoryFollowsTheStaticPart) {
  LoadedProgram program(with_header(R"(
    prog kernel &main(kernarg_u64 %out) {
      group_u32 %g[4];
      ld_kernarg_u64 $d0, [%out];
      st_group_u32 1, [%g];
      groupbaseptr_u32 $s0;
      groupstaticsize_u32 $s1;
      grouptotalsize_u32 $s2;
      st_v3_global_u32 ($s0, $s1, $s2), [$d0];
      add_u32 $s3, $s0, $s1;
      st_group_u32 9, [$s3];
      ld_group_u32 $s3, [$s3];
      st_global_u32 $s3, [$d0+12];
    };
  )"));
  uint32_t out[4] = {};
  interpreter::Dispatch dispatch;
  dispatch.kernel = program.kernel("&main");
  dispatch.dynamic_group_size = 8;
  EXPECT_EQ(id(program.run(dispatch, {address(out)})), "none");
  EXPECT_EQ(out[1], 16u);
  EXPECT_EQ(out[2], 24u);
  EXPECT_EQ(out[3], 9u);
  dispatch.dynamic_group_size = 0;
  EXPECT_EQ(id(program.run(dispatch, {address(out)})), "INTERPRETER-out-of-bounds");
}

TEST(Memory, AllocaIsFreedAtReturn) {
  LoadedProgram program(with_header(R"(
    function &use(arg_u32 %r)() {
      alloca_align(16)_u32 $s0, 4096;
      st_private_u32 1, [$s0+4092];
      st_arg_u32 $s0, [%r];
    };
    prog kernel &main(kernarg_u64 %out) {
      ld_kernarg_u64 $d0, [%out];
      mov_b32 $s1, 0;
    @again:
      { arg_u32 %r; call &use(%r)(); ld_arg_u32 $s0, [%r]; }
      add_u32 $s1, $s1, 1;
      cmp_lt_b1_u32 $c0, $s1, 1000;
      cbr_b1 $c0, @again;
      st_global_u32 $s0, [$d0];
    };
    prog kernel &much() {
    @again:
      alloca_u32 $s0, 4096;
      br @again;
    };
  )"));
  uint32_t out = 1;
  EXPECT_EQ(id(program.run("&main", {address(&out)})), "none");
  EXPECT_EQ(out % 16, 0u);
  EXPECT_EQ(id(program.run("&much", {})), "INTERPRETER-stack-exhausted");
}

TEST(Atomic, EveryOperation) {
  const struct {
    const char* operation;
    const char* type;
    uint64_t before, operand, operand2, after;
  } rows[] = {
      {"add", "u32", 0xffffffff, 2, 0, 1},
      {"sub", "u64", 1, 2, 0, ~uint64_t{0}},
      {"and", "b32", 0xff, 0x0f, 0, 0x0f},
      {"or", "b64", 0xf0, 0x0f, 0, 0xff},
      {"xor", "b32", 0xff, 0x0f, 0, 0xf0},
      {"exch", "b64", 1, 2, 0, 2},
      {"max", "s32", 0xffffffff, 1, 0, 1},
      {"max", "u32", 0xffffffff, 1, 0, 0xffffffff},
      {"min", "s64", ~uint64_t{0}, 1, 0, ~uint64_t{0}},
      {"min", "u64", ~uint64_t{0}, 1, 0, 1},
      {"wrapinc", "u32", 5, 5, 0, 0},
      {"wrapinc", "u32", 4, 5, 0, 5},
      {"wrapinc", "u64", 9, 5, 0, 0},
      {"wrapdec", "u32", 0, 5, 0, 5},
      {"wrapdec", "u32", 6, 5, 0, 5},
      {"wrapdec", "u64", 5, 5, 0, 4},
      {"cas", "b32", 3, 3, 9, 9},
      {"cas", "b64", 4, 3, 9, 4},
      {"ld", "b64", 77, 0, 0, 77},
  };
  for (const auto& row : rows) {
    const bool wide = std::strchr(row.type, '6') != nullptr;
    const std::string reg = wide ? "$d" : "$s", type = row.type, store = wide ? "u64" : "u32";
    const bool load = std::strcmp(row.operation, "ld") == 0;
    const std::string order = load ? "scacq" : "scar";
    std::string operands = ", [$d0]";
    if (!load) operands += ", " + reg + "11";
    if (std::strcmp(row.operation, "cas") == 0) operands += ", " + reg + "12";
    LoadedProgram program(
        with_header("prog kernel &main(kernarg_u64 %cell, kernarg_u64 %in, kernarg_u64 %out) {\n"
                    "ld_kernarg_u64 $d0, [%cell]; ld_kernarg_u64 $d1, [%in]; ld_kernarg_u64 $d2, [%out];\n"
                    "ld_global_" +
                    store + " " + reg + "11, [$d1]; ld_global_" + store + " " + reg +
                    "12, [$d1+8];\n"
                    "atomic_" +
                    row.operation + "_global_" + order + "_system_" + type + " " + reg + "10" + operands +
                    ";\n"
                    "st_global_" +
                    store + " " + reg + "10, [$d2]; };\n"));
    uint64_t cell = row.before, in[2] = {row.operand, row.operand2}, out = 0;
    EXPECT_EQ(id(program.run("&main", {address(&cell), address(in), address(&out)})), "none")
        << row.operation;
    EXPECT_EQ(cell, row.after) << row.operation << " " << row.type;
    EXPECT_EQ(out, row.before) << row.operation << " " << row.type;
  }
}

TEST(Atomic, WorkItemsOfAllGroupsCountOnce) {
  LoadedProgram program(with_header(R"(
    prog kernel &main(kernarg_u64 %sum) {
      group_u32 %count;
      ld_kernarg_u64 $d0, [%sum];
      atomicnoret_add_group_rlx_wg_u32 [%count], 1;
      memfence_screl_wg;
      barrier;
      memfence_scacq_wg;
      workitemid_u32 $s0, 0;
      cmp_ne_b1_u32 $c0, $s0, 0;
      cbr_b1 $c0, @end;
      ld_group_u32 $s1, [%count];
      atomicnoret_add_global_scar_agent_u32 [$d0], $s1;
    @end:
      ret;
    };
  )"));
  uint32_t sum = 0;
  EXPECT_EQ(id(program.run("&main", {address(&sum)}, 1000, 64)), "none");
  EXPECT_EQ(sum, 1000u);
}

TEST(Special, IdentificationInThreeDimensionsWithPartialGroups) {
  LoadedProgram program(with_header(R"(
    prog kernel &main(kernarg_u64 %out) {
      ld_kernarg_u64 $d0, [%out];
      workitemflatabsid_u32 $s0;
      cvt_u64_u32 $d1, $s0;
      mul_u64 $d1, $d1, 64;
      add_u64 $d0, $d0, $d1;
      workitemabsid_u32 $s0, 0; workitemabsid_u32 $s1, 1; workitemabsid_u32 $s2, 2; dim_u32 $s3;
      st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d0];
      workitemid_u32 $s0, 0; workgroupid_u32 $s1, 1; workitemflatid_u32 $s2; currentworkitemflatid_u32 $s3;
      st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d0+16];
      workgroupsize_u32 $s0, 0; currentworkgroupsize_u32 $s1, 0; gridsize_u32 $s2, 1; gridgroups_u32 $s3, 2;
      st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d0+32];
      laneid_u32 $s0; waveid_u32 $s1; and_b32 $s1, $s1, 1023; maxwaveid_u32 $s2; mov_b32 $s3, WAVESIZE;
      st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d0+48];
    };
  )"));
  interpreter::Dispatch dispatch;
  dispatch.kernel = program.kernel("&main");
  dispatch.grid_size = {5, 3, 2};
  dispatch.group_size = {3, 2, 2};
  dispatch.dimensions = 3;
  std::vector<uint32_t> out(5 * 3 * 2 * 16);
  EXPECT_EQ(id(program.run(dispatch, {address(out.data())})), "none");
  for (uint32_t z = 0; z < 2; ++z) {
    for (uint32_t y = 0; y < 3; ++y) {
      for (uint32_t x = 0; x < 5; ++x) {
        const uint32_t* item = &out[((z * 3 + y) * 5 + x) * 16];
        const uint32_t current_x = x >= 3 ? 2 : 3, current_y = y >= 2 ? 1 : 2;
        const uint32_t flat = (z * 2 + y % 2) * 3 + x % 3;
        const uint32_t current = (z * current_y + y % 2) * current_x + x % 3;
        const std::vector<uint32_t> expected{x, y,         z, 3, x % 3, y / 2,   flat,  current,
                                             3, current_x, 3, 1, 0,     current, 32767, 1};
        EXPECT_EQ(std::vector<uint32_t>(item, item + 16), expected) << x << "," << y << "," << z;
      }
    }
  }
}

TEST(Special, PacketAndCrossLane) {
  LoadedProgram program(with_header(R"(
    prog kernel &main(kernarg_u64 %out) {
      ld_kernarg_u64 $d0, [%out];
      packetid_u64 $d1;
      packetcompletionsig_sig64 $d2;
      st_v2_global_u64 ($d1, $d2), [$d0];
      kernargbaseptr_u64 $d3;
      ld_kernarg_u64 $d4, [$d3];
      st_global_u64 $d4, [$d0+16];
      activelanecount_u32_b1 $s0, 1;
      activelaneid_u32 $s1;
      st_v2_global_u32 ($s0, $s1), [$d0+24];
      activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), 1;
      st_v4_global_u64 ($d4, $d5, $d6, $d7), [$d0+32];
      mov_b32 $s2, 5;
      mov_b1 $c0, 0;
      activelanepermute_b32 $s3, $s2, 3, 9, $c0;
      mov_b1 $c0, 1;
      activelanepermute_b32 $s4, $s2, 3, 9, $c0;
      st_v2_global_u32 ($s3, $s4), [$d0+64];
    };
  )"));
  uint64_t out[9] = {};
  interpreter::Dispatch dispatch;
  dispatch.kernel = program.kernel("&main");
  dispatch.packet_id = 11;
  dispatch.completion_signal = 22;
  EXPECT_EQ(id(program.run(dispatch, {address(out)})), "none");
  EXPECT_EQ(out[0], 11u);
  EXPECT_EQ(out[1], 22u);
  EXPECT_EQ(out[2], address(out));
  EXPECT_EQ(out[3], 1u);
  EXPECT_EQ(out[4], 1u);
  EXPECT_EQ(out[5] | out[6] | out[7], 0u);
  EXPECT_EQ(out[8], (uint64_t{9} << 32) | 5);
}

TEST(Special, DetectedExceptionsStick) {
  LoadedProgram program(with_header(R"(
    prog kernel &main(kernarg_u64 %out) {
      enabledetectexceptions 0x13;
      ld_kernarg_u64 $d0, [%out];
      getdetectexcept_u32 $s0;
      div_f32 $s1, 1.0f, 0.0f;
      getdetectexcept_u32 $s1;
      add_f32 $s2, 1.0f, 0x1p-40f;
      getdetectexcept_u32 $s2;
      cleardetectexcept_u32 2;
      getdetectexcept_u32 $s3;
      st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d0];
      setdetectexcept_u32 5;   // overflow is not enabled
      getdetectexcept_u32 $s0;
      st_global_u32 $s0, [$d0+16];
    };
  )"));
  uint32_t out[5] = {};
  EXPECT_EQ(id(program.run("&main", {address(out)})), "none");
  EXPECT_EQ(out[0], 0u);
  EXPECT_EQ(out[1], 2u);
  EXPECT_EQ(out[2], 18u);
  EXPECT_EQ(out[3], 16u);
  EXPECT_EQ(out[4], 17u);
}

TEST(Signal, OperationsAndWaitsGoToTheServices) {
  LoadedProgram program(with_header(R"(
    prog kernel &main(kernarg_sig64 %signal, kernarg_u64 %out) {
      ld_kernarg_sig64 $d0, [%signal];
      ld_kernarg_u64 $d1, [%out];
      signal_add_rlx_s64_sig64 $d2, $d0, 5;
      st_global_u64 $d2, [$d1];
      signal_wait_lt_scacq_s64_sig64 $d2, $d0, 3;
      st_global_u64 $d2, [$d1+8];
      signal_waittimeout_eq_rlx_s64_sig64 $d2, $d0, 1000, 10;
      st_global_u64 $d2, [$d1+16];
      signalnoret_st_screl_b64_sig64 $d0, 99;
    };
  )"));
  struct Fake {
    int64_t value = 100;
    static bool perform(void* context, interpreter::SignalRequest& request) {
      auto& self = *static_cast<Fake*>(context);
      request.result = static_cast<uint64_t>(self.value);
      if (request.operation == HSA_BRIG_ATOMIC_OPERATION_ADD)
        self.value += static_cast<int64_t>(request.value);
      if (request.operation == HSA_BRIG_ATOMIC_OPERATION_ST) self.value = static_cast<int64_t>(request.value);
      if (request.operation == HSA_BRIG_ATOMIC_OPERATION_LD && self.value > -2) self.value -= 10;
      return request.signal == 0x1000;
    }
    static uint64_t clock(void*) {
      static uint64_t now = 0;
      return ++now;
    }
  } fake;
  interpreter::Services services;
  services.context = &fake;
  services.signal = Fake::perform;
  services.clock = Fake::clock;
  interpreter::Dispatch dispatch;
  dispatch.kernel = program.kernel("&main");
  int64_t out[3] = {};
  EXPECT_EQ(id(program.run(dispatch, {0x1000, address(out)}, {}, services)), "none");
  EXPECT_EQ(out[0], 100);
  EXPECT_EQ(out[1], -5);
  EXPECT_EQ(out[2], -5);
  EXPECT_EQ(fake.value, 99);
  EXPECT_EQ(id(program.run(dispatch, {0, address(out)}, {}, services)), "INTERPRETER-invalid-signal");
  EXPECT_EQ(id(program.run(dispatch, {0x1000, address(out)})), "INTERPRETER-no-signals");
}

}  // namespace
}  // namespace heddle::testing
