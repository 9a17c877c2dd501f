// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items that use barriers, wait for each other, or never end (PRM 2.13, 6.8, 9.2, 11.3), on every kernel
// agent that executes. Those that wait for each other are in different waves, because work-items of one wave
// may execute in lockstep (PRM 2.12, 6.8.1).
#include <algorithm>
#include <optional>
#include <thread>

#include "kernels.h"

namespace heddle::runtime::test {
namespace {

const std::string header = "module &m:1:2:$full:$large:$near;\n";

class Progress : public OnAgent {
 protected:
  uint32_t wave_size() const { return agent_info<uint32_t>(agent_, HSA_AGENT_INFO_WAVEFRONT_SIZE); }
  /// Runs a kernel in groups of whole waves, as OnAgent::run does.
  bool run_waves(const Kernels& kernels, const char* name, uint32_t waves, uint32_t waves_in_group,
                 const std::vector<uint64_t>& arguments, hsa_status_t* error = nullptr) {
    return run(kernels, name, waves * wave_size(), static_cast<uint16_t>(waves_in_group * wave_size()),
               arguments, error);
  }
};
INSTANTIATE_TEST_SUITE_P(Agents, Progress, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

// ---- fbarriers

/// The first half of the group produces and the second half consumes, in rounds, through one word for each
/// pair. The function gets the fbarrier's handle as an argument. `waitfbar` orders the store before the load
/// only together with fences.
TEST_P(Progress, FbarriersSeparateProducersAndConsumers) {
  const Kernels kernels(agent_, header + R"(
function &meet(arg_u64 %unused)(arg_u32 %bar) {
  ld_arg_u32 $s0, [%bar];
  memfence_screl_wg;
  waitfbar $s0;
  memfence_scacq_wg;
  st_arg_u64 0, [%unused];
};
prog kernel &k(kernarg_u64 %out) {
  fbarrier %full;
  fbarrier %empty;
  group_u32 %box[32];
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemid_u32 $s0, 0;
  and_b32 $s1, $s0, 31;
  shl_u32 $s2, $s1, 2;
  ldf_u32 $s3, %full;
  ldf_u32 $s4, %empty;
  cmp_ne_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @ready;
  initfbar %full;
  initfbar $s4;
@ready:
  barrier;
  joinfbar %full;
  joinfbar %empty;
  barrier;
  mov_b32 $s5, 0;
  mov_b32 $s6, 0;
  cmp_ge_b1_u32 $c1, $s0, 32;
@round:
  cbr_b1 $c1, @consume;
  mul_u32 $s7, $s5, 100;
  add_u32 $s7, $s7, $s1;
  st_group_u32 $s7, [%box][$s2];
  { arg_u64 %unused; arg_u32 %bar; st_arg_u32 $s3, [%bar]; call &meet(%unused)(%bar); }
  waitfbar %empty;
  br @next;
@consume:
  { arg_u64 %unused; arg_u32 %bar; st_arg_u32 $s3, [%bar]; call &meet(%unused)(%bar); }
  ld_group_u32 $s7, [%box][$s2];
  add_u32 $s6, $s6, $s7;
  memfence_screl_wg;
  waitfbar %empty;
@next:
  memfence_scacq_wg;
  add_u32 $s5, $s5, 1;
  cmp_lt_b1_u32 $c0, $s5, 10;
  cbr_b1 $c0, @round;
  leavefbar %full;
  leavefbar $s4;
  barrier;
  cmp_ne_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @released;
  releasefbar %full;
  releasefbar %empty;
@released:
  workitemabsid_u32 $s8, 0;
  cvt_u64_u32 $d1, $s8;
  shl_u64 $d1, $d1, 2;
  add_u64 $d0, $d0, $d1;
  st_global_u32 $s6, [$d0];
};
)");
  std::vector<uint32_t> out(3 * 64, 1);
  ASSERT_TRUE(run(kernels, "&k", 3 * 64, 64, {address_of(out.data())}));
  for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % 64 < 32 ? 0 : 4500 + 10 * (i % 32)) << i;
}

/// Arriving does not block. The last wave that leaves opens the fbarrier.
TEST_P(Progress, ArriveAndLeaveOpenAnFbarrier) {
  const Kernels kernels(agent_, header + R"(
prog kernel &k(kernarg_u64 %out) {
  fbarrier %bar;
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemid_u32 $s2, 0;
  div_u32 $s0, $s2, WAVESIZE;
  cmp_ne_b1_u32 $c0, $s2, 0;
  cbr_b1 $c0, @ready;
  initfbar %bar;
@ready:
  barrier;
  joinfbar %bar;
  barrier;
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @wait;
  cmp_eq_b1_u32 $c0, $s0, 1;
  cbr_b1 $c0, @arrive;
  atomicnoret_add_global_screl_wg_u32 [$d0], 1;
  leavefbar %bar;
  br @end;
@arrive:
  atomicnoret_add_global_screl_wg_u32 [$d0], 1;
  arrivefbar %bar;
  br @end;
@wait:
  waitfbar %bar;
  atomic_ld_global_scacq_wg_b32 $s1, [$d0];
  st_global_u32 $s1, [$d0+4];
@end:
  barrier;
  cmp_gt_b1_u32 $c0, $s0, 1;
  cbr_b1 $c0, @out;
  leavefbar %bar;
@out:
  barrier;
  cmp_ne_b1_u32 $c0, $s2, 0;
  cbr_b1 $c0, @done;
  releasefbar %bar;
@done:
};
)");
  uint32_t out[2] = {0, 0};
  ASSERT_TRUE(run_waves(kernels, "&k", 16, 16, {address_of(out)}));
  EXPECT_EQ(out[0], 15 * wave_size());
  EXPECT_EQ(out[1], 15 * wave_size());
}

/// PRM 9.2.3 leaves each of these undefined. Here each is an error and never a hang.
TEST_P(Progress, MisuseOfFbarriersIsAnError) {
  const char* bodies[] = {
      "waitfbar %bar;",                                           // not initialized
      "initfbar %bar; initfbar %bar;",                            // twice
      "initfbar %bar; joinfbar %bar; joinfbar %bar;",             // joined twice
      "initfbar %bar; arrivefbar %bar;",                          // no member
      "initfbar %bar; joinfbar %bar; releasefbar %bar;",          // has members
      "initfbar %bar; joinfbar %bar;",                            // ends as a member
      "initfbar %bar;",                                           // not released
      "ldf_u32 $s0, %bar; add_u32 $s0, $s0, 400; joinfbar $s0;",  // no fbarrier at all
  };
  for (const char* body : bodies) {
    const Kernels kernels(agent_, header + "prog kernel &k() { fbarrier %bar; " + body + " };\n");
    hsa_status_t error = HSA_STATUS_SUCCESS;
    EXPECT_FALSE(run(kernels, "&k", 1, 1, {}, &error)) << body;
    EXPECT_EQ(error, HSA_STATUS_ERROR) << body;
  }
}

/// Every wave of a group is blocked, which is an error and not a hang.
TEST_P(Progress, WavesThatAllWaitAreAnError) {
  const Kernels kernels(agent_, header + R"(
prog kernel &k() {
  fbarrier %bar;
  workitemid_u32 $s0, 0;
  cmp_ne_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @ready;
  initfbar %bar;
@ready:
  barrier;
  joinfbar %bar;
  barrier;
  cmp_ge_b1_u32 $c0, $s0, WAVESIZE;
  cbr_b1 $c0, @other;
  waitfbar %bar;
  br @end;
@other:
  barrier;
@end:
  leavefbar %bar;
};
prog kernel &half() {
  workitemid_u32 $s0, 0;
  cmp_ge_b1_u32 $c0, $s0, WAVESIZE;
  cbr_b1 $c0, @end;
  barrier;
@end:
};
)");
  for (const char* name : {"&k", "&half"}) {
    hsa_status_t error = HSA_STATUS_SUCCESS;
    EXPECT_FALSE(run_waves(kernels, name, 8, 8, {}, &error)) << name;
    EXPECT_EQ(error, HSA_STATUS_ERROR) << name;
  }
}

// ---- signals

TEST_P(Progress, SignalOperations) {
  struct Operation {
    const char* text;  // an operation on signal $d1 with operand 5 (and 6)
    int64_t before, after;
    bool returns = true;
  };
  const Operation operations[] = {
      {"signal_ld_scacq_b64_sig64 $d2, $d1;", 9, 9},
      {"signal_exch_scar_b64_sig64 $d2, $d1, 5;", 9, 5},
      {"signal_add_scar_s64_sig64 $d2, $d1, 5;", 9, 14},
      {"signal_add_rlx_u64_sig64 $d2, $d1, 5;", -5, 0},
      {"signal_sub_screl_s64_sig64 $d2, $d1, 5;", 2, -3},
      {"signal_and_scar_b64_sig64 $d2, $d1, 5;", 12, 4},
      {"signal_or_scacq_b64_sig64 $d2, $d1, 5;", 12, 13},
      {"signal_xor_scar_b64_sig64 $d2, $d1, 5;", 12, 9},
      {"signal_cas_scar_b64_sig64 $d2, $d1, 5, 6;", 5, 6},
      {"signal_cas_scar_b64_sig64 $d2, $d1, 5, 6;", 4, 4},
      {"signalnoret_st_screl_b64_sig64 $d1, 5;", 9, 5, false},
      {"signalnoret_add_scar_s64_sig64 $d1, 5;", 9, 14, false},
      {"signalnoret_sub_scar_s64_sig64 $d1, 5;", 9, 4, false},
      {"signalnoret_and_scar_b64_sig64 $d1, 5;", 12, 4, false},
      {"signalnoret_or_scar_b64_sig64 $d1, 5;", 12, 13, false},
      {"signalnoret_xor_scar_b64_sig64 $d1, 5;", 12, 9, false},
      // Waits whose condition already holds.
      {"signal_wait_eq_scacq_s64_sig64 $d2, $d1, 5;", 5, 5},
      {"signal_wait_ne_scacq_s64_sig64 $d2, $d1, 5;", -1, -1},
      {"signal_wait_lt_rlx_s64_sig64 $d2, $d1, 5;", -7, -7},
      {"signal_wait_gte_scacq_s64_sig64 $d2, $d1, 5;", 5, 5},
      // Timeouts, at once and after a while. The result is the value that was read.
      {"signal_waittimeout_eq_scacq_s64_sig64 $d2, $d1, 5, 0;", 6, 6},
      {"signal_waittimeout_ne_scacq_s64_sig64 $d2, $d1, 5, 1000;", 5, 5},
      {"signal_waittimeout_lt_scacq_s64_sig64 $d2, $d1, 5, 100000;", 5, 5},
      {"signal_waittimeout_gte_rlx_s64_sig64 $d2, $d1, 5, 0xffffffffffffffff;", 8, 8},
  };
  std::string text = header;
  for (size_t i = 0; i < std::size(operations); ++i)
    text += "prog kernel &k" + std::to_string(i) + R"((kernarg_sig64 %signal, kernarg_u64 %out) {
  ld_kernarg_align(8)_sig64 $d1, [%signal];
  ld_kernarg_align(8)_u64 $d0, [%out];
  )" + operations[i].text +
            "\n" + (operations[i].returns ? "  st_global_u64 $d2, [$d0];\n" : "") + "};\n";
  const Kernels kernels(agent_, text);
  for (size_t i = 0; i < std::size(operations); ++i) {
    const Operation& operation = operations[i];
    const hsa_signal_t object = signal(operation.before);
    int64_t out = 77;
    const std::string name = "&k" + std::to_string(i);
    EXPECT_TRUE(run(kernels, name.c_str(), 1, 1, {object.handle, address_of(&out)})) << operation.text;
    EXPECT_EQ(hsa_signal_load_relaxed(object), operation.after) << operation.text;
    EXPECT_EQ(out, operation.returns ? operation.before : 77) << operation.text;
    EXPECT_SUCCESS(hsa_signal_destroy(object));
  }
}

/// Invalid handles make the queue fail, while the process lives on.
TEST_P(Progress, WhatIsNoSignalIsAnError) {
  const Kernels kernels(agent_, header + R"(
prog kernel &send(kernarg_sig64 %signal) {
  ld_kernarg_align(8)_sig64 $d1, [%signal];
  signalnoret_add_scar_s64_sig64 $d1, 5;
};
prog kernel &wait(kernarg_sig64 %signal) {
  ld_kernarg_align(8)_sig64 $d1, [%signal];
  signal_wait_eq_scacq_s64_sig64 $d2, $d1, 5;
};
prog kernel &queue(kernarg_u64 %queue) {
  ld_kernarg_align(8)_u64 $d1, [%queue];
  addqueuewriteindex_global_scar_u64 $d2, [$d1], 1;
};
)");
  for (const char* name : {"&send", "&wait", "&queue"}) {
    for (uint64_t handle : {uint64_t{0}, uint64_t{1}, uint64_t{0x1000}, uint64_t{0xdeadbeefdeadbe00}}) {
      // A handle that could be an address is read, and the read faults.
      const hsa_status_t destroyed = handle < 0x1000 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_FATAL;
      hsa_status_t error = HSA_STATUS_SUCCESS;
      EXPECT_FALSE(run(kernels, name, 1, 1, {handle}, &error, destroyed)) << name << " " << handle;
      EXPECT_EQ(error, HSA_STATUS_ERROR) << name << " " << handle;
    }
  }
}

/// The waits are between waves of a group, between groups, and for the host.
TEST_P(Progress, WaitsForSignalsLetOthersAdvance) {
  const Kernels kernels(agent_, header + R"(
prog kernel &chain(kernarg_u64 %signals) {
  ld_kernarg_align(8)_u64 $d0, [%signals];
  workitemabsid_u32 $s0, 0;
  div_u32 $s0, $s0, WAVESIZE;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 3;
  add_u64 $d0, $d0, $d1;
  ld_global_sig64 $d2, [$d0+8];  // of the wave behind; the host's, for the last one
  signal_wait_gte_scacq_s64_sig64 $d3, $d2, 1;
  add_u64 $d3, $d3, 1;
  ld_global_sig64 $d2, [$d0];
  signalnoret_st_screl_b64_sig64 $d2, $d3;
};
)");
  constexpr uint32_t waves = 4 * 8;
  std::vector<hsa_signal_t> signals;
  for (uint32_t i = 0; i <= waves; ++i) signals.push_back(signal(0));
  std::thread host([&] {
    timespec time = {0, 20'000'000};
    nanosleep(&time, nullptr);
    hsa_signal_store_screlease(signals[waves], 1);
  });
  EXPECT_TRUE(run_waves(kernels, "&chain", waves, 8, {address_of(signals.data())}));
  host.join();
  for (uint32_t i = 0; i <= waves; ++i) {
    EXPECT_EQ(hsa_signal_load_relaxed(signals[i]), 1 + waves - i);
    EXPECT_SUCCESS(hsa_signal_destroy(signals[i]));
  }
}

/// A condition that holds only for a moment, while the wave waits, ends the wait.
TEST_P(Progress, AMomentIsEnoughForAWait) {
  const Kernels kernels(agent_, header + R"(
prog kernel &k(kernarg_sig64 %signal, kernarg_u64 %out) {
  ld_kernarg_align(8)_sig64 $d1, [%signal];
  ld_kernarg_align(8)_u64 $d0, [%out];
  atomicnoret_st_global_screl_system_b64 [$d0], 1;
  signal_wait_eq_scacq_s64_sig64 $d2, $d1, 5;
  atomicnoret_st_global_screl_system_b64 [$d0], $d2;
};
)");
  const hsa_signal_t object = signal(0);
  uint64_t out = 0;
  std::thread host([&] {
    eventually([&] { return __atomic_load_n(&out, __ATOMIC_ACQUIRE) == 1; });
    timespec time = {0, 20'000'000};
    nanosleep(&time, nullptr);
    hsa_signal_store_screlease(object, 5);
    hsa_signal_store_screlease(object, 0);
  });
  EXPECT_TRUE(run(kernels, "&k", 1, 1, {object.handle, address_of(&out)}));
  host.join();
  EXPECT_EQ(out, 5u);
  EXPECT_SUCCESS(hsa_signal_destroy(object));
}

/// Kernels in which each work-item waits for a signal of its own: `wait` waits for signal $d5 to be $d6, of
/// which there is one for each ID $d2, with the result $d7. Then each stores this result and the number of
/// the wave's work-items that have come as far.
std::string waiting_apart(const std::string& wait) {
  return header + R"(
prog kernel &k(kernarg_u64 %signals, kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%signals];
  ld_kernarg_align(8)_u64 $d1, [%out];
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d2, $s0;
  shl_u64 $d3, $d2, 3;
  add_u64 $d4, $d0, $d3;
  ld_global_sig64 $d5, [$d4];
  add_u64 $d6, $d2, 5;
  atomicnoret_add_global_screl_system_u64 [$d1], 1;
)" + wait +
         R"(
  activelanecount_u32_b1 $s1, 1;
  cvt_u64_u32 $d8, $s1;
  mad_u64 $d7, $d8, 1000, $d7;
  add_u64 $d4, $d1, $d3;
  st_global_u64 $d7, [$d4+8];
};
)";
}

class WaitingApart : public Progress {
 protected:
  void SetUp() override {
    Progress::SetUp();
    items_ = 2 * wave_size();
    for (uint32_t i = 0; i < items_; ++i) signals_.push_back(signal(0));
    out_.assign(1 + items_, 0);
  }
  void TearDown() override {
    for (const hsa_signal_t object : signals_) EXPECT_SUCCESS(hsa_signal_destroy(object));
    Progress::TearDown();
  }
  /// Runs &k in one group of two waves. Meanwhile, when all work-items wait, calls send(i) for each, the last
  /// first.
  void run_and_send(const Kernels& kernels, const std::function<void(uint32_t)>& send) {
    std::thread host([&] {
      eventually([&] { return __atomic_load_n(&out_[0], __ATOMIC_ACQUIRE) == items_; });
      timespec time = {0, 20'000'000};
      nanosleep(&time, nullptr);
      for (uint32_t i = items_; i-- > 0;) send(i);
    });
    EXPECT_TRUE(run_waves(kernels, "&k", 2, 2, {address_of(signals_.data()), address_of(out_.data())}));
    host.join();
  }
  uint64_t result(uint32_t item) const { return out_[1 + item]; }

  uint32_t items_ = 0;
  std::vector<hsa_signal_t> signals_;
  std::vector<uint64_t> out_;
};
INSTANTIATE_TEST_SUITE_P(Agents, WaitingApart, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

/// If the work-items of a wave waited one after the other, the first would miss nothing, but the others
/// would: each signal has its value only for a moment, that of the last work-item first.
TEST_P(WaitingApart, AllWorkItemsOfAWaveWaitAtTheSameTime) {
  const Kernels kernels(agent_, waiting_apart("signal_wait_eq_scacq_s64_sig64 $d7, $d5, $d6;"));
  run_and_send(kernels, [&](uint32_t i) {
    hsa_signal_store_screlease(signals_[i], i + 5);
    hsa_signal_store_screlease(signals_[i], 0);
  });
  for (uint32_t i = 0; i < items_; ++i) EXPECT_EQ(result(i), 1000 * wave_size() + i + 5) << i;
}

/// Work-items with even IDs give up at once or after a moment, those with odd IDs never.
TEST_P(WaitingApart, EachWorkItemHasItsOwnTimeout) {
  const Kernels kernels(agent_, waiting_apart(R"(
  and_b64 $d9, $d2, 2;
  mul_u64 $d9, $d9, 1000;
  and_b64 $d10, $d2, 1;
  cmp_eq_b1_u64 $c0, $d10, 1;
  cmov_b64 $d9, $c0, -1, $d9;
  signal_waittimeout_eq_scacq_s64_sig64 $d7, $d5, $d6, $d9;)"));
  run_and_send(kernels, [&](uint32_t i) {
    if (i % 2 != 0) hsa_signal_store_screlease(signals_[i], i + 5);
  });
  for (uint32_t i = 0; i < items_; ++i)
    EXPECT_EQ(result(i), 1000 * wave_size() + (i % 2 == 0 ? 0 : i + 5)) << i;
}

/// Only some work-items of a wave wait. The others wait for them behind the branch.
TEST_P(WaitingApart, TheOthersOfTheWaveMeetThoseThatHaveWaited) {
  const Kernels kernels(agent_, waiting_apart(R"(
  mov_b64 $d7, 0;
  and_b64 $d9, $d2, 3;
  cmp_eq_b1_u64 $c0, $d9, 3;
  cbr_b1 $c0, @end;
  signal_wait_gte_scacq_s64_sig64 $d7, $d5, $d6;
@end:)"));
  run_and_send(kernels, [&](uint32_t i) { hsa_signal_store_screlease(signals_[i], i + 7); });
  for (uint32_t i = 0; i < items_; ++i)
    EXPECT_EQ(result(i), 1000 * wave_size() + (i % 4 == 3 ? 0 : i + 7)) << i;
}

/// The work-items of the first wave wait for signals that other waves send.
TEST_P(WaitingApart, OtherWavesSend) {
  const Kernels kernels(agent_, waiting_apart(R"(
  mov_b64 $d7, 0;
  cmp_lt_b1_u32 $c0, $s0, WAVESIZE;
  cbr_b1 $c0, @wait;
  mul_u64 $d9, 8, WAVESIZE;
  sub_u64 $d4, $d4, $d9;
  ld_global_sig64 $d5, [$d4];
  signalnoret_st_screl_b64_sig64 $d5, $d6;
  br @end;
@wait:
  add_u64 $d6, $d6, WAVESIZE;
  signal_wait_eq_scacq_s64_sig64 $d7, $d5, $d6;
@end:)"));
  run_and_send(kernels, [](uint32_t) {});
  const uint32_t wave = wave_size();
  for (uint32_t i = 0; i < items_; ++i)
    EXPECT_EQ(result(i), 1000 * wave + (i < wave ? i + wave + 5 : 0)) << i;
}

/// One work-item has something else instead of a signal.
TEST_P(WaitingApart, WhatIsNoSignalIsAnError) {
  const Kernels kernels(agent_, waiting_apart("signal_wait_eq_scacq_s64_sig64 $d7, $d5, $d6;"));
  auto handles = signals_;
  for (const uint64_t handle : {uint64_t{0}, uint64_t{1}, uint64_t{0xdeadbeefdeadbe00}}) {
    handles.back().handle = handle;
    const hsa_status_t destroyed = handle < 0x1000 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_FATAL;
    hsa_status_t error = HSA_STATUS_SUCCESS;
    EXPECT_FALSE(run(kernels, "&k", items_, static_cast<uint16_t>(items_),
                     {address_of(handles.data()), address_of(out_.data())}, &error, destroyed))
        << handle;
    EXPECT_EQ(error, HSA_STATUS_ERROR) << handle;
  }
}

// ---- the cost of waiting

uint64_t nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}
constexpr uint64_t millisecond = 1'000'000;

void pause_for(uint64_t time) {
  const timespec duration = {static_cast<time_t>(time / 1'000'000'000),
                             static_cast<long>(time % 1'000'000'000)};
  nanosleep(&duration, nullptr);
}

/// Returns the processor time of the whole process while this thread sleeps.
uint64_t processor_time_during(uint64_t time) {
  const uint64_t before = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  pause_for(time);
  return nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - before;
}

/// Returns the time from a send to the answer of a sleeping host thread, as eventually() sees it. This is the
/// best of several attempts.
uint64_t host_wake_time() {
  uint64_t best = ~uint64_t{0};
  for (int i = 0; i < 12; ++i) {
    hsa_signal_t asked{}, answered{};
    EXPECT_SUCCESS(hsa_signal_create(0, 0, nullptr, &asked));
    EXPECT_SUCCESS(hsa_signal_create(0, 0, nullptr, &answered));
    std::thread sleeper([&] {
      while (hsa_signal_wait_scacquire(asked, HSA_SIGNAL_CONDITION_NE, 0, UINT64_MAX,
                                       HSA_WAIT_STATE_BLOCKED) == 0) {
      }
      hsa_signal_store_screlease(answered, 1);
    });
    pause_for(20 * millisecond);  // until the thread sleeps
    const uint64_t start = nanoseconds(CLOCK_MONOTONIC);
    hsa_signal_store_screlease(asked, 1);
    EXPECT_TRUE(eventually([&] { return hsa_signal_load_scacquire(answered) == 1; }));
    best = std::min(best, nanoseconds(CLOCK_MONOTONIC) - start);
    sleeper.join();
    EXPECT_SUCCESS(hsa_signal_destroy(asked));
    EXPECT_SUCCESS(hsa_signal_destroy(answered));
  }
  return best;
}

/// Kernels whose work-items count themselves in word 0 of %out, wait for signals, and then count themselves
/// in word 1. Each wave has a signal, as its work-items wait together.
class WaitingKernel : public Progress {
 protected:
  static constexpr uint32_t waves = 12;
  void SetUp() override {
    Progress::SetUp();
    kernels_.emplace(agent_, header + R"(
prog kernel &each(kernarg_u64 %out, kernarg_u64 %signals) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d1, [%signals];
  workitemabsid_u32 $s0, 0;
  div_u32 $s0, $s0, WAVESIZE;
  cvt_u64_u32 $d2, $s0;
  shl_u64 $d2, $d2, 3;
  add_u64 $d1, $d1, $d2;
  ld_global_sig64 $d3, [$d1];
  atomicnoret_add_global_scar_system_u64 [$d0], 1;
  signal_wait_ne_scacq_s64_sig64 $d4, $d3, 0;
  atomicnoret_add_global_scar_system_u64 [$d0+8], 1;
};
prog kernel &for_a_time(kernarg_u64 %out, kernarg_u64 %signals, kernarg_u64 %ticks) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d1, [%signals];
  ld_kernarg_align(8)_u64 $d2, [%ticks];
  ld_global_sig64 $d3, [$d1];
  atomicnoret_add_global_scar_system_u64 [$d0], 1;
  clock_u64 $d4;
  signal_waittimeout_ne_scacq_s64_sig64 $d5, $d3, 0, $d2;
  clock_u64 $d6;
  sub_u64 $d6, $d6, $d4;
  atomicnoret_min_global_scar_system_u64 [$d0+16], $d6;
  atomicnoret_add_global_scar_system_u64 [$d0+8], 1;
};
prog kernel &send(kernarg_u64 %out, kernarg_u64 %signals) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d1, [%signals];
  workitemabsid_u32 $s0, 0;
  div_u32 $s0, $s0, WAVESIZE;
  cvt_u64_u32 $d2, $s0;
  shl_u64 $d2, $d2, 3;
  add_u64 $d1, $d1, $d2;
  ld_global_sig64 $d3, [$d1];
  signalnoret_st_screl_b64_sig64 $d3, 1;
};
prog kernel &one_faults(kernarg_u64 %out, kernarg_u64 %signals) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d1, [%signals];
  workitemabsid_u32 $s0, 0;
  div_u32 $s0, $s0, WAVESIZE;
  cvt_u64_u32 $d2, $s0;
  shl_u64 $d2, $d2, 3;
  add_u64 $d1, $d1, $d2;
  ld_global_sig64 $d3, [$d1];
  atomicnoret_add_global_scar_system_u64 [$d0], 1;
  signal_wait_ne_scacq_s64_sig64 $d4, $d3, 0;
  st_global_u32 1, [8];
};
)");
    for (uint32_t i = 0; i < waves; ++i) signals_.push_back(signal(0));
  }
  void TearDown() override {
    for (const hsa_signal_t object : signals_) EXPECT_SUCCESS(hsa_signal_destroy(object));
    kernels_.reset();
    Progress::TearDown();
  }

  /// Submits a dispatch of all waves, four in a group.
  void submit(TestQueue& queue, const char* name, hsa_signal_t done = {0}) {
    auto packet = kernels_->packet(name, waves * wave_size(), static_cast<uint16_t>(4 * wave_size()));
    packet.kernarg_address = arguments_;
    packet.completion_signal = done;
    queue.submit(packet);
  }
  bool all_wait() {
    if (!eventually([&] { return word(0) == waves * wave_size(); })) return false;
    pause_for(20 * millisecond);  // until they sleep
    return true;
  }
  uint64_t word(size_t i) const { return __atomic_load_n(&out_[i], __ATOMIC_ACQUIRE); }

  std::optional<Kernels> kernels_;
  std::vector<hsa_signal_t> signals_;
  uint64_t out_[3] = {0, 0, ~uint64_t{0}};
  uint64_t arguments_[3] = {address_of(out_), 0, 0};
};
INSTANTIATE_TEST_SUITE_P(Agents, WaitingKernel, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

/// Waves of several groups wait for several signals. Their threads sleep until a signal changes.
TEST_P(WaitingKernel, SleepsAndWakes) {
  arguments_[1] = address_of(signals_.data());
  TestQueue queue(agent_);
  const hsa_signal_t done = signal(1);
  submit(queue, "&each", done);
  ASSERT_TRUE(all_wait());
  EXPECT_LT(processor_time_during(200 * millisecond), 20 * millisecond);
  uint64_t best = ~uint64_t{0};
  for (uint32_t i = 0; i < waves; ++i) {
    const uint64_t start = nanoseconds(CLOCK_MONOTONIC);
    hsa_signal_store_screlease(signals_[waves - 1 - i], 1);
    ASSERT_TRUE(eventually([&] { return word(1) == (i + 1) * wave_size(); }));
    best = std::min(best, nanoseconds(CLOCK_MONOTONIC) - start);
    pause_for(2 * millisecond);
  }
  EXPECT_LT(best, 20 * host_wake_time()) << "a send wakes at once, as on the host";
  EXPECT_TRUE(becomes(done, 0));
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

TEST_P(WaitingKernel, SleepsUntilTheTimeout) {
  arguments_[1] = address_of(signals_.data());
  constexpr uint64_t ticks_of_a_millisecond = 100'000;
  uint64_t frequency = 0;
  ASSERT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  ASSERT_EQ(frequency, ticks_of_a_millisecond * 1000);
  arguments_[2] = 300 * ticks_of_a_millisecond;
  TestQueue queue(agent_);
  const hsa_signal_t done = signal(1);
  submit(queue, "&for_a_time", done);
  ASSERT_TRUE(all_wait());
  EXPECT_LT(processor_time_during(200 * millisecond), 20 * millisecond);
  EXPECT_TRUE(becomes(done, 0));
  EXPECT_EQ(word(1), waves * wave_size());
  EXPECT_GE(word(2), arguments_[2]);
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

/// The thread that sleeps is the queue's own, but later packets are launched nevertheless.
TEST_P(WaitingKernel, LaterPacketsOfTheQueueAreLaunched) {
  arguments_[1] = address_of(signals_.data());
  TestQueue queue(agent_);
  const hsa_signal_t done = signal(2);
  submit(queue, "&each", done);
  ASSERT_TRUE(all_wait());
  submit(queue, "&send", done);
  EXPECT_TRUE(becomes(done, 0));
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

TEST_P(WaitingKernel, SleepersLeaveAQueueThatIsInactivated) {
  arguments_[1] = address_of(signals_.data());
  TestQueue queue(agent_);
  submit(queue, "&each");
  ASSERT_TRUE(all_wait());
  EXPECT_SUCCESS(hsa_queue_inactivate(queue.get()));  // waits for the kernel to end
  EXPECT_EQ(word(1), 0u);
}

/// A failure in one group ends the dispatch, including the waves that sleep in other groups.
TEST_P(WaitingKernel, SleepersLeaveADispatchThatFails) {
  arguments_[1] = address_of(signals_.data());
  TestQueue queue(agent_);
  submit(queue, "&one_faults");
  ASSERT_TRUE(all_wait());
  hsa_signal_store_screlease(signals_[5], 1);
  EXPECT_TRUE(eventually([&] { return queue.error() != HSA_STATUS_SUCCESS; }));
  queue.destroy(HSA_STATUS_ERROR_FATAL);
}

// ---- user mode queues

TEST_P(Progress, QueueIndices) {
  const Kernels kernels(agent_, header + R"(
prog kernel &k(kernarg_u64 %queue, kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d1, [%queue];
  ld_kernarg_align(8)_u64 $d0, [%out];
  ldqueuewriteindex_global_rlx_u64 $d2, [$d1];
  st_global_u64 $d2, [$d0];
  addqueuewriteindex_scar_u64 $d2, [$d1], 3;
  st_global_u64 $d2, [$d0+8];
  casqueuewriteindex_global_scar_u64 $d2, [$d1], 3, 10;
  st_global_u64 $d2, [$d0+16];
  casqueuewriteindex_global_rlx_u64 $d2, [$d1], 3, 20;
  st_global_u64 $d2, [$d0+24];
  stqueuereadindex_global_screl_u64 [$d1], 4;
  ldqueuereadindex_scacq_u64 $d2, [$d1];
  st_global_u64 $d2, [$d0+32];
  stqueuewriteindex_global_rlx_u64 [$d1], 12;
};
)");
  // No agent processes a soft queue.
  const hsa_signal_t doorbell = signal(0);
  std::vector<hsa_region_t> regions;
  ASSERT_SUCCESS(hsa_agent_iterate_regions(agent_, collect<hsa_region_t>, &regions));
  hsa_region_t global{};
  for (hsa_region_t region : regions)
    if (region_info<hsa_region_segment_t>(region, HSA_REGION_INFO_SEGMENT) == HSA_REGION_SEGMENT_GLOBAL)
      global = region;
  hsa_queue_t* queue = nullptr;
  ASSERT_SUCCESS(hsa_soft_queue_create(global, 16, HSA_QUEUE_TYPE_MULTI, HSA_QUEUE_FEATURE_AGENT_DISPATCH,
                                       doorbell, &queue));
  uint64_t out[5] = {99, 99, 99, 99, 99};
  ASSERT_TRUE(run(kernels, "&k", 1, 1, {address_of(queue), address_of(out)}));
  const uint64_t expected[5] = {0, 0, 3, 10, 4};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(out[i], expected[i]) << i;
  EXPECT_EQ(hsa_queue_load_write_index_relaxed(queue), 12u);
  EXPECT_EQ(hsa_queue_load_read_index_relaxed(queue), 4u);
  EXPECT_SUCCESS(hsa_queue_destroy(queue));
  EXPECT_SUCCESS(hsa_signal_destroy(doorbell));
}

/// A kernel puts a packet into its own queue, and waits until that packet is complete.
TEST_P(Progress, AKernelEnqueuesToItsOwnQueue) {
  const Kernels kernels(agent_, header + R"(
prog kernel &child(kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  atomicnoret_add_global_screl_system_u64 [$d0], 1;
};
prog kernel &parent(kernarg_u64 %queue, kernarg_u64 %packet, kernarg_sig64 %done) {
  ld_kernarg_align(8)_u64 $d1, [%queue];
  ld_kernarg_align(8)_u64 $d2, [%packet];
  addqueuewriteindex_global_scar_u64 $d3, [$d1], 1;
  ld_global_u32 $s0, [$d1+24];          // size
  sub_u32 $s0, $s0, 1;
  cvt_u64_u32 $d4, $s0;
  and_b64 $d4, $d4, $d3;
  shl_u64 $d4, $d4, 6;
  ld_global_u64 $d5, [$d1+8];           // base_address
  add_u64 $d4, $d4, $d5;
  mov_b64 $d6, 8;
@copy:
  add_u64 $d7, $d2, $d6;
  ld_global_u64 $d8, [$d7];
  add_u64 $d7, $d4, $d6;
  st_global_u64 $d8, [$d7];
  add_u64 $d6, $d6, 8;
  cmp_lt_b1_u64 $c0, $d6, 64;
  cbr_b1 $c0, @copy;
  ld_global_u32 $s1, [$d2+4];
  st_global_u32 $s1, [$d4+4];
  ld_global_u32 $s1, [$d2];
  atomicnoret_st_global_screl_system_b32 [$d4], $s1;
  ld_global_sig64 $d9, [$d1+16];        // doorbell_signal
  signalnoret_st_screl_b64_sig64 $d9, $d3;
  ld_kernarg_align(8)_sig64 $d9, [%done];
  signal_wait_lt_scacq_s64_sig64 $d10, $d9, 1;
};
)");
  TestQueue queue(agent_);
  const hsa_signal_t child_done = signal(1), done = signal(1);
  uint64_t count = 0;
  uint64_t child_arguments[1] = {address_of(&count)};
  auto child = kernels.packet("&child", 10, 1);
  child.kernarg_address = child_arguments;
  child.completion_signal = child_done;
  uint64_t arguments[3] = {address_of(queue.get()), address_of(&child), child_done.handle};
  auto parent = kernels.packet("&parent", 1, 1);
  parent.kernarg_address = arguments;
  parent.completion_signal = done;
  queue.submit(parent);
  EXPECT_TRUE(becomes(done, 0)) << "error " << queue.error();
  EXPECT_EQ(count, 10u);
  queue.destroy();
  EXPECT_SUCCESS(hsa_signal_destroy(child_done));
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

// ---- memory

/// Each wave waits for the next one, which may be in a later group. `look` is how it reads the word.
TEST_P(Progress, WorkItemsThatSpinOnMemoryAdvance) {
  struct Loop {
    const char* what;
    const char* look;  // $s1 = word at $d1
  };
  const Loop loops[] = {
      {"atomic load", "atomic_ld_global_scacq_agent_b32 $s1, [$d1];"},
      {"plain load", "ld_global_u32 $s1, [$d1]; memfence_scacq_agent;"},
      {"fence first", "memfence_scacq_agent; ld_global_u32 $s1, [$d1];"},
      {"two elements", "memfence_scacq_agent; ld_v2_global_u32 ($s3, $s1), [$d1-4];"},
      {"add nothing", "atomic_add_global_scar_agent_u32 $s1, [$d1], 0;"},
      {"or nothing", "atomic_or_global_scacq_agent_b32 $s1, [$d1], 0;"},
      {"max", "atomic_max_global_scar_agent_u32 $s1, [$d1], 0;"},
      {"compare and swap", "atomic_cas_global_scar_agent_b32 $s1, [$d1], 0, 0;"},
      {"flat", "memfence_scacq_agent; ld_u32 $s1, [$d1];"},
      {"function",
       "{ arg_u32 %r; arg_u64 %a; st_arg_u64 $d1, [%a]; call &look(%r)(%a); ld_arg_u32 $s1, [%r]; }"},
  };
  std::string text = header + R"(
function &look(arg_u32 %r)(arg_u64 %a) {
  ld_arg_u64 $d0, [%a];
  memfence_scacq_agent;
  ld_global_u32 $s0, [$d0];
  st_arg_u32 $s0, [%r];
};
)";
  for (size_t i = 0; i < std::size(loops); ++i)
    text += "prog kernel &k" + std::to_string(i) + R"((kernarg_u64 %words) {
  ld_kernarg_align(8)_u64 $d0, [%words];
  workitemabsid_u32 $s0, 0;
  div_u32 $s0, $s0, WAVESIZE;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 2;
  add_u64 $d0, $d0, $d1;
  add_u64 $d1, $d0, 4;
@spin:
  )" + std::string(loops[i].look) +
            R"(
  cmp_eq_b1_u32 $c0, $s1, 0;
  cbr_b1 $c0, @spin;
  add_u32 $s1, $s1, 1;
  memfence_screl_agent;
  atomicnoret_st_global_screl_agent_b32 [$d0], $s1;
};
)";
  const Kernels kernels(agent_, text);
  constexpr uint32_t waves = 4 * 16;
  for (size_t i = 0; i < std::size(loops); ++i) {
    std::vector<uint32_t> words(waves + 1);
    words[waves] = 1;
    const std::string name = "&k" + std::to_string(i);
    EXPECT_TRUE(run_waves(kernels, name.c_str(), waves, 16, {address_of(words.data())})) << loops[i].what;
    for (uint32_t n = 0; n <= waves; ++n) ASSERT_EQ(words[n], 1 + waves - n) << loops[i].what << " " << n;
  }
}

/// Without fences and atomics, each wave waits for the next one's plain store, in global and in group memory.
TEST_P(Progress, WorkItemsThatSpinOnPlainLoadsAdvance) {
  const Kernels kernels(agent_, header + R"(
prog kernel &k(kernarg_u64 %out) {
  group_u32 %flags[33];
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemid_u32 $s0, 0;
  div_u32 $s0, $s0, WAVESIZE;
  shl_u32 $s1, $s0, 2;
  cvt_u64_u32 $d1, $s1;
  add_u64 $d0, $d0, $d1;
  st_group_u32 0, [%flags][$s1];
  barrier;
  cmp_eq_b1_u32 $c0, $s0, 31;
  cbr_b1 $c0, @free;
@global:
  ld_global_u32 $s2, [$d0+4];
  cmp_eq_b1_u32 $c0, $s2, 0;
  cbr_b1 $c0, @global;
@group:
  ld_group_u32 $s3, [%flags][$s1+4];
  cmp_eq_b1_u32 $c0, $s3, 0;
  cbr_b1 $c0, @group;
@free:
  add_u32 $s2, $s0, 1;
  st_group_u32 $s2, [%flags][$s1];
  st_global_u32 $s2, [$d0];
};
)");
  std::vector<uint32_t> out(33, 0);
  ASSERT_TRUE(run_waves(kernels, "&k", 32, 32, {address_of(out.data())}));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i + 1);
}

/// The wait is in a function that uses the private segment, but not for any of its registers.
TEST_P(Progress, WorkItemsThatSpinInFunctionsWithPrivateMemoryAdvance) {
  const Kernels kernels(agent_, header + R"(
function &wait(arg_u32 %r)(arg_u64 %flag) {
  align(16) private_u32 %unused[4];
  lda_private_u32 $s2, [%unused];
  ld_arg_u64 $d0, [%flag];
@again:
  atomic_ld_global_scacq_agent_b32 $s0, [$d0];
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @again;
  st_arg_u32 $s0, [%r];
};
prog kernel &k(kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemid_u32 $s0, 0;
  cmp_ge_b1_u32 $c0, $s0, WAVESIZE;
  cbr_b1 $c0, @free;
  {
    arg_u64 %flag;
    arg_u32 %r;
    st_arg_u64 $d0, [%flag];
    call &wait(%r)(%flag);
    ld_arg_u32 $s1, [%r];
  }
  st_global_align(4)_u32 $s1, [$d0+4];
  ret;
@free:
  atomicnoret_st_global_screl_agent_b32 [$d0], 7;
};
)");
  uint32_t out[2] = {0, 0};
  ASSERT_TRUE(run_waves(kernels, "&k", 2, 2, {address_of(out)}));
  EXPECT_EQ(out[1], 7u);
}

/// What an indirect function does is not known where it is called, because it may be finalized later.
TEST_P(Progress, WorkItemsThatPollThroughIndirectCallsAdvance) {
  const Kernels kernels(agent_, header + R"(
indirect function &look(arg_u32 %r)(arg_u64 %flag) {
  ld_arg_u64 $d0, [%flag];
  atomic_ld_global_scacq_agent_b32 $s0, [$d0];
  st_arg_u32 $s0, [%r];
};
signature &looking(arg_u32)(arg_u64);
prog kernel &k(kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemid_u32 $s0, 0;
  cmp_ge_b1_u32 $c0, $s0, WAVESIZE;
  cbr_b1 $c0, @free;
  mov_b64 $d1, addr(&look);
@again:
  {
    arg_u64 %flag;
    arg_u32 %r;
    st_arg_u64 $d0, [%flag];
    icall_u64 $d1(%r)(%flag) &looking;
    ld_arg_u32 $s1, [%r];
  }
  cmp_eq_b1_u32 $c0, $s1, 0;
  cbr_b1 $c0, @again;
  st_global_align(4)_u32 $s1, [$d0+4];
  ret;
@free:
  atomicnoret_st_global_screl_agent_b32 [$d0], 7;
};
)");
  uint32_t out[2] = {0, 0};
  ASSERT_TRUE(run_waves(kernels, "&k", 2, 2, {address_of(out)}));
  EXPECT_EQ(out[1], 7u);
}

/// These loops also wait for plain stores, but would give up after some time. They test the word and the
/// limit separately or together.
TEST_P(Progress, WorkItemsThatSpinOnPlainLoadsToALimitAdvance) {
  const Kernels kernels(agent_, header + R"(
prog kernel &k(kernarg_u64 %out, kernarg_u64 %more) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d2, [%more];
  workitemid_u32 $s0, 0;
  div_u32 $s0, $s0, WAVESIZE;
  shl_u32 $s1, $s0, 2;
  cvt_u64_u32 $d1, $s1;
  add_u64 $d0, $d0, $d1;
  add_u64 $d2, $d2, $d1;
  mov_b32 $s4, 0;
  cmp_eq_b1_u32 $c0, $s0, 31;
  cbr_b1 $c0, @free;
@apart:
  ld_global_u32 $s2, [$d0+4];
  cmp_ne_b1_u32 $c0, $s2, 0;
  cbr_b1 $c0, @first;
  add_u32 $s4, $s4, 1;
  cmp_lt_b1_u32 $c0, $s4, 200000000;
  cbr_b1 $c0, @apart;
  ret;
@first:
  mov_b32 $s4, 0;
@together:
  ld_global_u32 $s2, [$d2+4];
  add_u32 $s4, $s4, 1;
  cmp_eq_b1_u32 $c0, $s2, 0;
  cmp_lt_b1_u32 $c1, $s4, 200000000;
  and_b1 $c1, $c0, $c1;
  cbr_b1 $c1, @together;
  cbr_b1 $c0, @end;
@free:
  add_u32 $s2, $s0, 1;
  st_global_u32 $s2, [$d0];
  st_global_u32 $s2, [$d2];
@end:
  ret;
};
)");
  std::vector<uint32_t> out(33, 0), more(33, 0);
  ASSERT_TRUE(run_waves(kernels, "&k", 32, 32, {address_of(out.data()), address_of(more.data())}));
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i + 1);
    EXPECT_EQ(more[i], i + 1);
  }
}

/// Each wave waits for the next one, and notes in a register whether it has to look again. Both branches
/// store, so that nothing but the branch before them tells what the register depends on.
TEST_P(Progress, WorkItemsThatDecideInBranchesToLookAgainAdvance) {
  const Kernels kernels(agent_, header + R"(
prog kernel &k(kernarg_u64 %out, kernarg_u64 %seen) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d2, [%seen];
  workitemabsid_u32 $s0, 0;
  div_u32 $s0, $s0, WAVESIZE;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 2;
  add_u64 $d0, $d0, $d1;
  add_u64 $d2, $d2, $d1;
  mov_b32 $s2, 0;
@again:
  atomic_ld_global_rlx_agent_b32 $s1, [$d0+4];
  cmp_ne_b1_u32 $c0, $s1, 0;
  cbr_b1 $c0, @ready;
  add_u32 $s2, $s2, 1;
  st_global_u32 $s2, [$d2];
  mov_b1 $c1, 1;
  br @next;
@ready:
  add_u32 $s1, $s1, 1;
  atomicnoret_st_global_rlx_agent_b32 [$d0], $s1;
  mov_b1 $c1, 0;
@next:
  cbr_b1 $c1, @again;
};
)");
  constexpr uint32_t waves = 4 * 4;
  std::vector<uint32_t> out(waves + 1, 0), seen(waves, 0);
  out[waves] = 1;
  ASSERT_TRUE(run_waves(kernels, "&k", waves, 4, {address_of(out.data()), address_of(seen.data())}));
  for (uint32_t i = 0; i <= waves; ++i) EXPECT_EQ(out[i], 1 + waves - i) << i;
}

/// The first work-items of waves take a lock by setting a bit, and access shared memory while they hold it.
TEST_P(Progress, ASpinLockAdmitsEverybody) {
  const Kernels kernels(agent_, header + R"(
prog kernel &k(kernarg_u64 %data) {
  ld_kernarg_align(8)_u64 $d0, [%data];
  laneid_u32 $s0;
  cmp_ne_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @end;
@lock:
  atomic_or_global_scacq_agent_b32 $s0, [$d0], 1;
  cmp_ne_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @lock;
  ld_global_u32 $s1, [$d0+4];
  add_u32 $s1, $s1, 1;
  st_global_u32 $s1, [$d0+4];
  atomicnoret_and_global_screl_agent_b32 [$d0], 0;
@end:
  ret;
};
)");
  uint32_t data[2] = {0, 0};
  EXPECT_TRUE(run_waves(kernels, "&k", 2000, 25, {address_of(data)}));
  EXPECT_EQ(data[1], 2000u);
}

// ---- kernels that do not end

TEST_P(Progress, RunawayKernelsAreStopped) {
  const Kernels kernels(agent_, header + R"(
prog kernel &empty(kernarg_u64 %started) {
  ld_kernarg_align(8)_u64 $d0, [%started];
  atomicnoret_st_global_screl_system_b32 [$d0], 1;
@again:
  br @again;
};
prog kernel &memory(kernarg_u64 %started) {
  ld_kernarg_align(8)_u64 $d0, [%started];
  atomicnoret_st_global_screl_system_b32 [$d0], 1;
@again:
  ld_global_u32 $s0, [$d0+4];
  add_u32 $s0, $s0, 1;
  st_global_u32 $s0, [$d0+4];
  br @again;
};
prog kernel &atomics(kernarg_u64 %started) {
  ld_kernarg_align(8)_u64 $d0, [%started];
  atomicnoret_st_global_screl_system_b32 [$d0], 1;
@again:
  atomicnoret_add_global_scar_system_u32 [$d0+4], 1;
  br @again;
};
prog kernel &meeting(kernarg_u64 %started) {
  ld_kernarg_align(8)_u64 $d0, [%started];
  atomicnoret_st_global_screl_system_b32 [$d0], 1;
@again:
  barrier;
  br @again;
};
prog kernel &waiting(kernarg_u64 %started) {
  ld_kernarg_align(8)_u64 $d0, [%started];
  atomicnoret_st_global_screl_system_b32 [$d0], 1;
  packetcompletionsig_sig64 $d1;
  signal_wait_eq_scacq_s64_sig64 $d2, $d1, 0;
};
prog kernel &signals(kernarg_u64 %started) {
  ld_kernarg_align(8)_u64 $d0, [%started];
  atomicnoret_st_global_screl_system_b32 [$d0], 1;
  packetcompletionsig_sig64 $d1;
@again:
  signalnoret_or_scar_b64_sig64 $d1, 1;
  br @again;
};
)");
  for (const char* name : {"&empty", "&memory", "&atomics", "&meeting", "&waiting", "&signals"}) {
    for (const bool inactivate : {true, false}) {
      uint32_t words[2] = {0, 0};
      uint64_t arguments[1] = {address_of(words)};
      TestQueue queue(agent_);
      const hsa_signal_t done = signal(1);
      auto packet = kernels.packet(name, 64, 8);
      packet.kernarg_address = arguments;
      packet.completion_signal = done;
      queue.submit(packet);
      ASSERT_TRUE(eventually([&] { return __atomic_load_n(&words[0], __ATOMIC_ACQUIRE) == 1; })) << name;
      if (inactivate) {
        EXPECT_SUCCESS(hsa_queue_inactivate(queue.get()));
      }
      queue.destroy();  // waits for the kernel
      EXPECT_EQ(hsa_signal_load_relaxed(done), 1) << name << ": it did not complete";
      EXPECT_EQ(queue.error(), HSA_STATUS_SUCCESS) << name << ": nobody wants to know";
      EXPECT_SUCCESS(hsa_signal_destroy(done));
    }
  }
}

/// A queue whose kernel runs for ever does not hold up other queues, however few threads there are.
TEST_P(Progress, QueuesAdvanceBesideARunawayKernel) {
  const Kernels kernels(agent_, header + R"(
prog kernel &endless(kernarg_u64 %started) {
  ld_kernarg_align(8)_u64 $d0, [%started];
  atomicnoret_add_global_screl_system_u32 [$d0], 1;
@again:
  br @again;
};
prog kernel &short(kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  atomicnoret_add_global_screl_system_u32 [$d0], 1;
};
)");
  uint32_t started = 0, out = 0;
  uint64_t arguments[1] = {address_of(&started)};
  std::vector<std::unique_ptr<TestQueue>> queues;
  for (int i = 0; i < 4; ++i) {
    auto packet = kernels.packet("&endless", 256, 1);
    packet.kernarg_address = arguments;
    queues.push_back(std::make_unique<TestQueue>(agent_));
    queues.back()->submit(packet);
  }
  ASSERT_TRUE(eventually([&] { return __atomic_load_n(&started, __ATOMIC_ACQUIRE) >= 4; }));
  EXPECT_TRUE(run(kernels, "&short", 100, 10, {address_of(&out)}));
  EXPECT_EQ(out, 100u);
}

}  // namespace
}  // namespace heddle::runtime::test
