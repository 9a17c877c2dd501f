// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, calls, barriers, forward progress (PRM chapters 8 to 10, 2.13).
#include <numeric>

#include "harness.h"
#include "hsail/print/source_lines.h"

namespace heddle::testing {
namespace {

std::string with_header(std::string_view text) { return std::string(module_header) + std::string(text); }

TEST(Control, LoopSumsOneToN) {
  LoadedProgram program(with_header(R"(
    prog kernel &sum(kernarg_u64 %out, kernarg_u64 %n) {
      ld_kernarg_u64 $d0, [%n];
      mov_b64 $d1, 0;
    @again:
      cmp_eq_b1_u64 $c0, $d0, 0;
      cbr_b1 $c0, @done;
      add_u64 $d1, $d1, $d0;
      sub_u64 $d0, $d0, 1;
      br @again;
    @done:
      ld_kernarg_u64 $d2, [%out];
      st_global_u64 $d1, [$d2];
    };
  )"));
  uint64_t result = 0;
  EXPECT_EQ(id(program.run("&sum", {address(&result), 100000})), "none");
  EXPECT_EQ(result, 5000050000u);
}

TEST(Control, SwitchBranch) {
  LoadedProgram program(with_header(R"(
    prog kernel &pick(kernarg_u64 %out, kernarg_u64 %index) {
      ld_kernarg_u64 $d0, [%index];
      cvt_u32_u64 $s0, $d0;
      ld_kernarg_u64 $d1, [%out];
      sbr_u32 $s0 [@a, @b, @a];
    @a:
      st_global_u32 10, [$d1];
      br @end;
    @b:
      st_global_u32 20, [$d1];
    @end:
      ret;
    };
  )"));
  const uint32_t expected[] = {10, 20, 10};
  for (uint64_t i = 0; i < 3; ++i) {
    uint32_t result = 0;
    EXPECT_EQ(id(program.run("&pick", {address(&result), i})), "none");
    EXPECT_EQ(result, expected[i]);
  }
  uint32_t result = 0;
  EXPECT_EQ(id(program.run("&pick", {address(&result), 3})), "INTERPRETER-switch-out-of-range");
}

constexpr std::string_view fibonacci = R"(
  prog function &fib(arg_u32 %r)(arg_u32 %n) {
    private_u32 %saved;
    ld_arg_u32 $s0, [%n];
    cmp_lt_b1_u32 $c0, $s0, 2;
    cbr_b1 $c0, @small;
    {
      arg_u32 %a; arg_u32 %x;
      sub_u32 $s1, $s0, 1;
      st_arg_u32 $s1, [%a];
      call &fib(%x)(%a);
      ld_arg_u32 $s2, [%x];
    }
    st_private_u32 $s2, [%saved];
    {
      arg_u32 %a; arg_u32 %x;
      sub_u32 $s1, $s0, 2;
      st_arg_u32 $s1, [%a];
      call &fib(%x)(%a);
      ld_arg_u32 $s2, [%x];
    }
    ld_private_u32 $s3, [%saved];
    add_u32 $s2, $s2, $s3;
    st_arg_u32 $s2, [%r];
    ret;
  @small:
    st_arg_u32 $s0, [%r];
  };
  prog kernel &main(kernarg_u64 %out, kernarg_u64 %n) {
    ld_kernarg_u64 $d0, [%n];
    cvt_u32_u64 $s0, $d0;
    workitemabsid_u32 $s3, 0;
    add_u32 $s0, $s0, $s3;
    {
      arg_u32 %a; arg_u32 %x;
      st_arg_u32 $s0, [%a];
      call &fib(%x)(%a);
      ld_arg_u32 $s1, [%x];
    }
    cvt_u64_u32 $d1, $s3;
    shl_u64 $d1, $d1, 2;
    ld_kernarg_u64 $d2, [%out];
    add_u64 $d1, $d1, $d2;
    st_global_u32 $s1, [$d1];
  };
)";

TEST(Call, RecursionKeepsRegistersAndPrivateVariablesByActivation) {
  LoadedProgram program(with_header(fibonacci));
  std::vector<uint32_t> result(8);
  EXPECT_EQ(id(program.run("&main", {address(result.data()), 5}, 8, 4)), "none");
  EXPECT_EQ(result, (std::vector<uint32_t>{5, 8, 13, 21, 34, 55, 89, 144}));
  EXPECT_TRUE(program.kernel("&main")->dynamic_call_stack);
}

TEST(Call, AKernelSaysHowMuchPrivateMemoryItsCallsTake) {
  LoadedProgram program(with_header(R"(
    private_u32 &shared[3];
    function &inner(arg_u32 %r)(arg_u32 %x) {
      align(64) private_u32 %room[10];
      ld_arg_u32 $s0, [%x]; st_private_u32 $s0, [%room][36]; st_private_u32 $s0, [&shared];
      ld_private_u32 $s0, [%room][36]; st_arg_u32 $s0, [%r];
    };
    function &outer(arg_u32 %r)(arg_u32 %x) {
      spill_u64 %room[20];
      st_spill_u64 1, [%room][152];
      { arg_u32 %a; arg_u32 %b; ld_arg_u32 $s0, [%x]; st_arg_u32 $s0, [%b];
        call &inner(%a)(%b); ld_arg_u32 $s0, [%a]; }
      st_arg_u32 $s0, [%r];
    };
    prog kernel &main(kernarg_u64 %out) {
      private_u8 %byte;
      ld_kernarg_u64 $d0, [%out];
      st_private_u8 1, [%byte];
      { arg_u32 %a; arg_u32 %b; st_arg_u32 42, [%b]; call &outer(%a)(%b); ld_arg_u32 $s0, [%a]; }
      st_global_u32 $s0, [$d0];
    };
  )"));
  const interpreter::Kernel& kernel = *program.kernel("&main");
  EXPECT_FALSE(kernel.dynamic_call_stack);
  // Module scope has 12 bytes; the frames of &main, &outer and &inner begin at 12, 24 and 192.
  EXPECT_EQ(kernel.private_size, 232u);
  uint32_t out = 0;
  interpreter::RunnerOptions options;
  options.private_size = kernel.private_size;
  EXPECT_EQ(id(program.run("&main", {address(&out)}, 1, 1, options)), "none");
  EXPECT_EQ(out, 42u);
  --options.private_size;
  const auto fault = program.run("&main", {address(&out)}, 1, 1, options);
  EXPECT_EQ(id(fault), "INTERPRETER-stack-exhausted");
  EXPECT_NE(message(fault).find("of &inner, needs a private segment of 232 bytes, but the work-item has 231"),
            std::string::npos)
      << message(fault);
}

TEST(Call, EndlessRecursionIsAFault) {
  LoadedProgram program(with_header(R"(
    function &down()() { private_u64 %x[16]; { call &down()(); } };
    prog kernel &main() { { call &down()(); } };
  )"));
  EXPECT_EQ(id(program.run("&main", {})), "INTERPRETER-stack-exhausted");
}

TEST(Call, SwitchCallAndIndirectCall) {
  LoadedProgram program(with_header(R"(
    prog indirect function &twice(arg_u32 %r)(arg_u32 %x) {
      ld_arg_u32 $s0, [%x]; add_u32 $s0, $s0, $s0; st_arg_u32 $s0, [%r];
    };
    prog indirect function &square(arg_u32 %r)(arg_u32 %x) {
      ld_arg_u32 $s0, [%x]; mul_u32 $s0, $s0, $s0; st_arg_u32 $s0, [%r];
    };
    function &negate(arg_u32 %r)(arg_u32 %x) {
      ld_arg_s32 $s0, [%x]; neg_s32 $s0, $s0; st_arg_s32 $s0, [%r];
    };
    signature &unary(arg_u32)(arg_u32);
    alloc(agent) global_u64 &table[2] = u64[](addr(&twice), addr(&square));
    prog kernel &main(kernarg_u64 %out, kernarg_u64 %n) {
      ld_kernarg_u64 $d0, [%n];
      cvt_u32_u64 $s0, $d0;
      ld_kernarg_u64 $d1, [%out];
      { arg_u32 %a; arg_u32 %x;
        st_arg_u32 7, [%a];
        scall_u32 $s0(%x)(%a) [&negate, &twice, &square];
        ld_arg_u32 $s1, [%x];
      }
      st_global_u32 $s1, [$d1];
      ld_global_u64 $d2, [&table][8];
      { arg_u32 %a; arg_u32 %x;
        st_arg_u32 9, [%a];
        icall_u64 $d2(%x)(%a) &unary;
        ld_arg_u32 $s1, [%x];
      }
      st_global_u32 $s1, [$d1+4];
      mov_u64 $d2, addr(&twice);
      { arg_u32 %a; arg_u32 %x;
        st_arg_u32 9, [%a];
        icall_u64 $d2(%x)(%a) &unary;
        ld_arg_u32 $s1, [%x];
      }
      st_global_u32 $s1, [$d1+8];
    };
    prog kernel &bad() {
      mov_u64 $d2, 4096;
      { arg_u32 %a; arg_u32 %x; icall_u64 $d2(%x)(%a) &unary; }
    };
    signature &procedure()();
    prog kernel &other() {
      mov_u64 $d2, addr(&twice);
      { icall_u64 $d2()() &procedure; }
    };
  )"));
  uint32_t result[3] = {};
  EXPECT_EQ(id(program.run("&main", {address(result), 0})), "none");
  EXPECT_EQ(result[0], 0xfffffff9u);
  EXPECT_EQ(result[1], 81u);
  EXPECT_EQ(result[2], 18u);
  EXPECT_EQ(id(program.run("&main", {address(result), 2})), "none");
  EXPECT_EQ(result[0], 49u);
  EXPECT_EQ(id(program.run("&bad", {})), "INTERPRETER-invalid-function-handle");
  EXPECT_EQ(id(program.run("&other", {})), "INTERPRETER-signature-mismatch");
}

TEST(Call, ArraysGoByValueAndMayBeVariadic) {
  LoadedProgram program(with_header(R"(
    function &sum(arg_u32 %r)(arg_u32 %count, arg_u32 %values[]) {
      ld_arg_u32 $s0, [%count];
      mov_b32 $s1, 0; mov_b32 $s2, 0;
    @again:
      cmp_eq_b1_u32 $c0, $s0, 0;
      cbr_b1 $c0, @done;
      ld_arg_u32 $s3, [%values][$s2];
      add_u32 $s1, $s1, $s3;
      add_u32 $s2, $s2, 4;
      sub_u32 $s0, $s0, 1;
      br @again;
    @done:
      st_arg_u32 $s1, [%r];
    };
    prog kernel &main(kernarg_u64 %out, kernarg_u64 %n) {
      ld_kernarg_u64 $d1, [%out];
      ld_kernarg_u64 $d0, [%n];
      cvt_u32_u64 $s0, $d0;
      { arg_u32 %c; arg_u32 %v[3]; arg_u32 %x;
        st_arg_u32 $s0, [%c];
        st_arg_u32 1, [%v]; st_arg_u32 20, [%v][4]; st_arg_u32 300, [%v][8];
        call &sum(%x)(%c, %v);
        ld_arg_u32 $s1, [%x];
      }
      st_global_u32 $s1, [$d1];
    };
  )"));
  uint32_t result = 0;
  EXPECT_EQ(id(program.run("&main", {address(&result), 3})), "none");
  EXPECT_EQ(result, 321u);
  // The count is one more than the number of elements that the caller passes.
  EXPECT_EQ(id(program.run("&main", {address(&result), 4})), "INTERPRETER-out-of-bounds");
}

constexpr std::string_view reverse = R"(
  prog kernel &reverse(kernarg_u64 %data) {
    group_u32 %tile[64];
    workitemid_u32 $s0, 0;
    workitemabsid_u32 $s1, 0;
    workgroupsize_u32 $s2, 0;
    cvt_u64_u32 $d0, $s1;
    shl_u64 $d0, $d0, 2;
    ld_kernarg_u64 $d1, [%data];
    add_u64 $d1, $d1, $d0;
    ld_global_u32 $s3, [$d1];
    shl_u32 $s4, $s0, 2;
    st_group_u32 $s3, [%tile][$s4];
    barrier;
    sub_u32 $s4, $s2, $s0;
    shl_u32 $s4, $s4, 2;
    ld_group_u32 $s3, [%tile][$s4-4];
    st_global_u32 $s3, [$d1];
  };
)";

TEST(Barrier, ReversesTiles) {
  LoadedProgram program(with_header(reverse));
  std::vector<uint32_t> data(128);
  std::iota(data.begin(), data.end(), 0);
  EXPECT_EQ(id(program.run("&reverse", {address(data.data())}, 128, 64)), "none");
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(data[i], i / 64 * 64 + 63 - i % 64);
}

TEST(Barrier, InsideAFunctionAndALoop) {
  LoadedProgram program(with_header(R"(
    function &meet()() { barrier; };
    prog kernel &turns(kernarg_u64 %out) {
      // Each round one work-item adds its number to what the one before it left.
      group_u32 %value;
      workitemid_u32 $s0, 0;
      workgroupsize_u32 $s1, 0;
      mov_b32 $s2, 0;
    @round:
      cmp_ne_b1_u32 $c0, $s2, $s0;
      cbr_b1 $c0, @wait;
      ld_group_u32 $s3, [%value];
      mul_u32 $s3, $s3, 3;
      add_u32 $s3, $s3, $s0;
      st_group_u32 $s3, [%value];
    @wait:
      { call &meet()(); }
      add_u32 $s2, $s2, 1;
      cmp_lt_b1_u32 $c0, $s2, $s1;
      cbr_b1 $c0, @round;
      ld_group_u32 $s3, [%value];
      ld_kernarg_u64 $d0, [%out];
      st_global_u32 $s3, [$d0];
    };
  )"));
  uint32_t result = 0;
  EXPECT_EQ(id(program.run("&turns", {address(&result)}, 5, 5)), "none");
  EXPECT_EQ(result, ((1 * 3 + 2) * 3 + 3) * 3 + 4u);
}

TEST(Barrier, DeadlocksAreReported) {
  LoadedProgram program(with_header(R"(
    prog kernel &some() {
      workitemid_u32 $s0, 0;
      cmp_eq_b1_u32 $c0, $s0, 0;
      cbr_b1 $c0, @end;
      barrier;
    @end:
      ret;
    };
    prog kernel &two() {
      workitemid_u32 $s0, 0;
      cmp_eq_b1_u32 $c0, $s0, 0;
      cbr_b1 $c0, @other;
      barrier;
      br @end;
    @other:
      barrier;
    @end:
      ret;
    };
  )"));
  const auto some = program.run("&some", {}, 4, 4);
  EXPECT_EQ(id(some), "INTERPRETER-barrier-deadlock");
  EXPECT_NE(message(some).find("work-item (0, 0, 0) has ended"), std::string::npos) << message(some);
  EXPECT_EQ(id(program.run("&two", {}, 4, 4)), "INTERPRETER-barrier-deadlock");
}

TEST(Fbarrier, ProducersAndConsumersTakeTurns) {
  // Work-items 0 to 3 produce, 4 to 7 consume, in 5 rounds, through two fbarriers; 8 takes no part.
  LoadedProgram program(with_header(R"(
    prog kernel &main(kernarg_u64 %out) {
      fbarrier %full; fbarrier %empty;
      group_u32 %slots[4]; group_u32 %sum;
      workitemid_u32 $s0, 0;
      cmp_ne_b1_u32 $c0, $s0, 0;
      cbr_b1 $c0, @ready;
      initfbar %full; initfbar %empty;
    @ready:
      barrier;
      cmp_eq_b1_u32 $c1, $s0, 8;
      cbr_b1 $c1, @joined;
      joinfbar %full; joinfbar %empty;
    @joined:
      barrier;
      cbr_b1 $c1, @end;
      and_b32 $s1, $s0, 3; shl_u32 $s1, $s1, 2;
      mov_b32 $s2, 0;
      cmp_ge_b1_u32 $c2, $s0, 4;
      ldf_u32 $s9, %full;
      cbr_b1 $c2, @consume;
    @produce:
      add_u32 $s3, $s0, $s2;
      st_group_u32 $s3, [%slots][$s1];
      arrivefbar $s9;
      waitfbar %empty;
      add_u32 $s2, $s2, 10;
      cmp_lt_b1_u32 $c3, $s2, 50;
      cbr_b1 $c3, @produce;
      br @leave;
    @consume:
      waitfbar %full;
      ld_group_u32 $s3, [%slots][$s1];
      atomicnoret_add_group_rlx_wg_u32 [%sum], $s3;
      waitfbar %empty;
      add_u32 $s2, $s2, 10;
      cmp_lt_b1_u32 $c3, $s2, 50;
      cbr_b1 $c3, @consume;
    @leave:
      leavefbar %full; leavefbar %empty;
    @end:
      barrier;
      cbr_b1 $c0, @exit;
      releasefbar %full; releasefbar %empty;
      ld_group_u32 $s4, [%sum];
      ld_kernarg_u64 $d0, [%out];
      st_global_u32 $s4, [$d0];
    @exit:
      ret;
    };
  )"));
  uint32_t out = 0;
  const auto fault = program.run("&main", {address(&out)}, 9, 9);
  EXPECT_EQ(id(fault), "none") << message(fault);
  EXPECT_EQ(out, 5 * (0 + 1 + 2 + 3) + 4 * (0 + 10 + 20 + 30 + 40u));
}

TEST(Fbarrier, MisuseIsAFault) {
  const char* wrong[] = {"joinfbar %f;",
                         "initfbar %f; initfbar %f;",
                         "initfbar %f; waitfbar %f;",
                         "initfbar %f; joinfbar %f;",
                         "initfbar %f;",
                         "initfbar %f; joinfbar %f; joinfbar %f;",
                         "initfbar %f; joinfbar %f; releasefbar %f;"};
  for (const char* code : wrong) {
    LoadedProgram program(with_header(std::string("prog kernel &k() { fbarrier %f; ") + code + " };"));
    EXPECT_EQ(id(program.run("&k", {})), "INTERPRETER-fbarrier-misuse") << code;
  }
  LoadedProgram deadlock(with_header(R"(
    prog kernel &k() {
      fbarrier %f;
      workitemid_u32 $s0, 0;
      cmp_ne_b1_u32 $c0, $s0, 0;
      cbr_b1 $c0, @a;
      initfbar %f;
    @a:
      barrier; joinfbar %f; barrier;
      cbr_b1 $c0, @b;
      waitfbar %f;
    @b:
      barrier;
    };
  )"));
  EXPECT_EQ(id(deadlock.run("&k", {}, 2, 2)), "INTERPRETER-barrier-deadlock");
}

constexpr std::string_view relay = R"(
  // Work-item i waits until the flag is i, then makes it i + 1.
  prog kernel &relay(kernarg_u64 %flag, kernarg_u64 %backwards) {
    ld_kernarg_u64 $d0, [%flag];
    workitemabsid_u32 $s0, 0;
    ld_kernarg_u64 $d1, [%backwards];
    cmp_eq_b1_u64 $c0, $d1, 0;
    gridsize_u32 $s1, 0;
    sub_u32 $s1, $s1, $s0;
    sub_u32 $s1, $s1, 1;
    cmov_b32 $s0, $c0, $s0, $s1;
  @spin:
    atomic_ld_global_scacq_system_b32 $s2, [$d0];
    cmp_ne_b1_u32 $c0, $s2, $s0;
    cbr_b1 $c0, @spin;
    add_u32 $s2, $s2, 1;
    atomicnoret_st_global_screl_system_b32 [$d0], $s2;
  };
)";

TEST(Progress, WorkItemsOfAGroupAndEarlierGroupsMayBeWaitedFor) {
  LoadedProgram program(with_header(relay));
  uint32_t flag = 0;
  EXPECT_EQ(id(program.run("&relay", {address(&flag), 0}, 32, 4)), "none");
  EXPECT_EQ(flag, 32u);
  // Backwards, the last work-item goes first. Every group must get its turn, however few are in flight at
  // once.
  for (uint32_t in_flight : {8, 4, 1}) {
    flag = 0;
    interpreter::RunnerOptions options;
    options.groups_in_flight = in_flight;
    EXPECT_EQ(id(program.run("&relay", {address(&flag), 1}, 32, 4, options)), "none");
  }
  EXPECT_EQ(flag, 32u);
}

TEST(Progress, CanBeCancelled) {
  LoadedProgram program(with_header(relay));
  uint32_t flag = 1000;
  uint64_t kernarg[2] = {address(&flag), 0};
  interpreter::Dispatch dispatch;
  dispatch.kernel = program.kernel("&relay");
  dispatch.kernarg = kernarg;
  interpreter::Runner runner(dispatch);
  class StopLater final : public interpreter::GroupSource {
   public:
    bool take(uint64_t& group) override { return group = 0, taken_++ == 0; }
    bool stopped() override { return looks_++ > 100; }
    int taken_ = 0, looks_ = 0;
  } source;
  EXPECT_EQ(runner.run(source), interpreter::Runner::Outcome::stopped);
}

TEST(Fault, AnExceptionUnderBreakEndsTheDispatch) {
  LoadedProgram program(with_header(R"(
    prog kernel &k(kernarg_u64 %out) {
      enablebreakexceptions 2;
      ld_kernarg_align(8)_u64 $d0, [%out];
      ld_global_f32 $s0, [$d0];
      div_f32 $s0, 1.0f, $s0;
      st_global_f32 $s0, [$d0];
    };
  )"));
  float value = 3;  // inexact, which is not enabled
  EXPECT_EQ(id(program.run("&k", {address(&value)}, 1, 1)), "none");
  value = 0;
  const auto fault = program.run("&k", {address(&value)}, 1, 1);
  EXPECT_EQ(id(fault), "INTERPRETER-exception");
  EXPECT_NE(message(fault).find("divide by zero"), std::string::npos) << message(fault);
  EXPECT_EQ(value, 0.0f);
}

TEST(Fault, NamesPlaceAndWorkItem) {
  LoadedProgram program(with_header(R"(
    prog kernel &bad() {
      group_u32 %x;
      loc 17 1 "source.c";
      workitemid_u32 $s0, 0;
      shl_u32 $s0, $s0, 2;
      loc 18;
      st_group_u32 1, [%x][$s0];
    };
  )"));
  const auto fault = program.run("&bad", {}, 4, 2);
  EXPECT_EQ(id(fault), "INTERPRETER-out-of-bounds");
  EXPECT_NE(message(fault).find("work-item (1, 0, 0) of work-group (0, 0, 0)"), std::string::npos)
      << message(fault);
  EXPECT_NE(message(fault).find("&bad"), std::string::npos) << message(fault);
  EXPECT_NE(message(fault).find("st at offset"), std::string::npos) << message(fault);
  ASSERT_NE(fault->module, nullptr);
  const print::SourceLines lines(*fault->module);  // the position below refers to it
  const auto line = lines.at(fault->instruction);
  EXPECT_EQ(line.file, "source.c");
  EXPECT_EQ(line.line, 18u);
}

TEST(Fault, MemoryThatCannotBeHad) {
  LoadedProgram program(with_header("prog kernel &k() { nop; };"));
  interpreter::RunnerOptions options;
  options.private_size = 0xffffff00;
  // 2^31 work-items with 4 GiB each.
  const auto fault = program.run("&k", {}, 1u << 31, 1u << 31, options);
  EXPECT_EQ(id(fault), "INTERPRETER-out-of-memory");
}

TEST(Fault, OthersStopTheDispatchToo) {
  LoadedProgram program("module &m:1:0:$full:$large:$default;\nextension \"IMAGE\";\n" + std::string(R"(
    prog kernel &null() { mov_b64 $d0, 8; ld_global_u32 $s0, [$d0]; };
    prog kernel &wild() { mov_b64 $d0, 0x7ffffffff000; st_global_u32 1, [$d0]; };
    prog kernel &strange() { mov_b64 $d0, 0xdead000000000000; atomicnoret_add_global_rlx_system_u32 [$d0], 1; };
    prog kernel &trap() { debugtrap_u32 7; };
    prog kernel &odd(kernarg_u64 %p) {
      ld_kernarg_u64 $d0, [%p];
      atomicnoret_add_global_rlx_system_u32 [$d0+2], 1;
    };
    prog kernel &queue(kernarg_u64 %p) {
      ld_kernarg_u64 $d0, [%p];
      ldqueuewriteindex_rlx_u64 $d1, [$d0];
    };
    prog kernel &image(kernarg_roimg %p) {
      ld_kernarg_roimg $d0, [%p];
      imagefence;
      queryimage_1d_width_u32_roimg $s0, $d0;
    };
  )"));
  uint64_t memory[2] = {};
  EXPECT_EQ(id(program.run("&null", {})), "INTERPRETER-memory-fault");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(id(program.run("&wild", {}, 64, 64)), "INTERPRETER-memory-fault");
  EXPECT_EQ(id(program.run("&strange", {})), "INTERPRETER-memory-fault");
  EXPECT_EQ(id(program.run("&trap", {})), "INTERPRETER-debugtrap");
  EXPECT_EQ(id(program.run("&odd", {address(memory)})), "INTERPRETER-unaligned-atomic");
  EXPECT_EQ(id(program.run("&queue", {address(memory)})), "INTERPRETER-invalid-queue");
  const uint64_t no_image[8] = {};
  const auto fault = program.run("&image", {address(no_image)});
  EXPECT_EQ(id(fault), "INTERPRETER-image-handle");
  EXPECT_NE(message(fault).find("queryimage"), std::string::npos) << message(fault);
}

}  // namespace
}  // namespace heddle::testing
