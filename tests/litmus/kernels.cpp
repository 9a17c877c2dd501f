// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

#include <fmt/format.h>

namespace heddle::testing {
namespace {

/// How one thread's accesses are ordered: text before and after plain relaxed ones, or the order of the
/// access itself.
struct Ordering {
  std::string name;
  std::string store;         ///< order of stores that publish
  std::string load;          ///< order of loads that observe
  std::string before_store;  ///< fence
  std::string after_load;    ///< fence
  std::string between;       ///< fence between any two accesses, for the tests that need all orders
  std::string scope;
};

std::vector<Ordering> orderings() {
  std::vector<Ordering> result;
  for (const char* scope : {"agent", "system"}) {
    result.push_back({fmt::format("atomics_{}", scope), "screl", "scacq", "", "", "", scope});
    const auto fence = [&](const char* order) { return fmt::format("  memfence_{}_{};\n", order, scope); };
    result.push_back({fmt::format("fences_{}", scope), "rlx", "rlx", fence("screl"), fence("scacq"),
                      fence("scar"), scope});
  }
  return result;
}

std::string store(const char* address, const std::string& order, const Ordering& how, unsigned value = 1) {
  return fmt::format("  atomicnoret_st_global_{}_{}_b32 [{}], {};\n", order, how.scope, address, value);
}
std::string load(const char* to, const char* address, const std::string& order, const Ordering& how) {
  return fmt::format("  atomic_ld_global_{}_{}_b32 {}, [{}];\n", order, how.scope, to, address);
}

constexpr const char *x = "$d0", *y = "$d1";

/// Data is seen by whoever sees the flag. The data itself is not atomic.
Litmus message_passing(const Ordering& how) {
  return {"message_passing_" + how.name,
          {"  st_global_u32 1, [$d0];\n" + how.before_store + store(y, how.store, how),
           load("$s0", y, how.load, how) + how.after_load + "  ld_global_u32 $s1, [$d0];\n"},
          [](const uint32_t (*r)[2]) { return r[1][0] == 1 && r[1][1] == 0; }};
}

/// The flag is set by a read-modify-write, and observed by one.
Litmus message_passing_exchange(const Ordering& how) {
  const bool fences = !how.before_store.empty();
  return {
      "message_passing_exchange_" + how.name,
      {"  st_global_u32 1, [$d0];\n" + how.before_store +
           fmt::format("  atomic_exch_global_{}_{}_b32 $s0, [$d1], 1;\n", fences ? "rlx" : "screl",
                       how.scope),
       fmt::format("  atomic_cas_global_{}_{}_b32 $s0, [$d1], 1, 1;\n", fences ? "rlx" : "scacq", how.scope) +
           how.after_load + "  ld_global_u32 $s1, [$d0];\n"},
      [](const uint32_t (*r)[2]) { return r[1][0] == 1 && r[1][1] == 0; }};
}

/// Somebody must see the other's store: synchronising operations are sequentially consistent.
Litmus store_buffering(const Ordering& how) {
  return {"store_buffering_" + how.name,
          {store(x, how.store, how) + how.between + load("$s0", y, how.load, how),
           store(y, how.store, how) + how.between + load("$s0", x, how.load, how)},
          [](const uint32_t (*r)[2]) { return r[0][0] == 0 && r[1][0] == 0; }};
}

/// Neither load may see a store that comes after the other thread's load.
Litmus load_buffering(const Ordering& how) {
  return {"load_buffering_" + how.name,
          {load("$s0", x, how.load, how) + how.between + store(y, how.store, how),
           load("$s0", y, how.load, how) + how.between + store(x, how.store, how)},
          [](const uint32_t (*r)[2]) { return r[0][0] == 1 && r[1][0] == 1; }};
}

/// Two readers agree on the order of two independent writes.
Litmus independent_reads(const Ordering& how) {
  return {
      "iriw_" + how.name,
      {store(x, how.store, how), store(y, how.store, how),
       load("$s0", x, how.load, how) + how.between + load("$s1", y, how.load, how),
       load("$s0", y, how.load, how) + how.between + load("$s1", x, how.load, how)},
      [](const uint32_t (*r)[2]) { return r[2][0] == 1 && r[2][1] == 0 && r[3][0] == 1 && r[3][1] == 0; }};
}

/// What a thread has seen, and what it then publishes, is seen by a third (cumulativity).
Litmus write_to_read_causality(const Ordering& how) {
  return {"wrc_" + how.name,
          {store(x, "rlx", how),
           load("$s0", x, how.load, how) + how.after_load + how.before_store +
               fmt::format("  atomicnoret_st_global_{}_{}_b32 [$d1], $s0;\n", how.store, how.scope),
           load("$s0", y, how.load, how) + how.after_load + load("$s1", x, "rlx", how)},
          [](const uint32_t (*r)[2]) { return r[1][0] == 1 && r[2][0] == 1 && r[2][1] == 0; }};
}

/// One location never goes back: coherence needs no order at all.
Litmus coherent_reads() {
  const Ordering how{"relaxed", "rlx", "rlx", "", "", "", "agent"};
  return {"coherence_read_read",
          {store(x, "rlx", how), load("$s0", x, "rlx", how) + load("$s1", x, "rlx", how)},
          [](const uint32_t (*r)[2]) { return r[1][0] == 1 && r[1][1] == 0; }};
}

/// Two writes by one thread to one location are seen in their order.
Litmus coherent_writes() {
  const Ordering how{"relaxed", "rlx", "rlx", "", "", "", "agent"};
  return {"coherence_write_write",
          {store(x, "rlx", how, 1) + store(x, "rlx", how, 2),
           load("$s0", x, "rlx", how) + load("$s1", x, "rlx", how)},
          [](const uint32_t (*r)[2]) { return r[1][0] == 2 && r[1][1] != 2; }};
}

}  // namespace

std::vector<Litmus> all_litmus_tests() {
  std::vector<Litmus> tests{coherent_reads(), coherent_writes()};
  for (const Ordering& how : orderings()) {
    for (auto make : {message_passing, message_passing_exchange, store_buffering, load_buffering,
                      independent_reads, write_to_read_causality}) {
      tests.push_back(make(how));
    }
  }
  return tests;
}

std::string litmus_kernel(const Litmus& test) {
  std::string roles, labels;
  for (size_t role = 0; role < test.bodies.size(); ++role) {
    labels += fmt::format("{}@role{}", role ? ", " : "", role);
    roles += fmt::format("@role{}:\n{}  br @next;\n", role, test.bodies[role]);
  }
  // Nobody begins before everybody is there, and each round waits a little for the others, or the roles would
  // seldom meet in the same round.
  return fmt::format(R"(module &litmus:1:0:$full:$large:$default;
prog kernel &k(kernarg_u64 %x, kernarg_u64 %y, kernarg_u64 %results, kernarg_u64 %start,
               kernarg_u32 %players, kernarg_u32 %rounds, kernarg_u32 %first) {{
  ld_kernarg_u64 $d0, [%x];
  ld_kernarg_u64 $d1, [%y];
  ld_kernarg_u64 $d2, [%results];
  ld_kernarg_u64 $d3, [%start];
  ld_kernarg_u32 $s5, [%players];
  ld_kernarg_u32 $s6, [%rounds];
  ld_kernarg_u32 $s7, [%first];
  workgroupid_u32 $s4, 0;
  add_u32 $s7, $s7, $s4;
  mul_u32 $s4, $s7, $s6;
  cvt_u64_u32 $d4, $s4;
  shl_u64 $d4, $d4, 3;
  add_u64 $d2, $d2, $d4;
  atomicnoret_add_global_rlx_system_u32 [$d3], 1;
@wait:
  atomic_ld_global_scacq_system_b32 $s4, [$d3];
  cmp_lt_b1_u32 $c0, $s4, $s5;
  cbr_b1 $c0, @wait;
  mov_b32 $s8, $s5;
@round:
  mov_b32 $s0, 0;
  mov_b32 $s1, 0;
  mov_b32 $s9, 100;
  add_u32 $s8, $s8, $s5;
  atomicnoret_add_global_rlx_system_u32 [$d3], 1;
@meet:
  atomic_ld_global_rlx_system_b32 $s4, [$d3];
  cmp_ge_b1_u32 $c0, $s4, $s8;
  cbr_b1 $c0, @together;
  sub_u32 $s9, $s9, 1;
  cmp_ne_b1_u32 $c0, $s9, 0;
  cbr_b1 $c0, @meet;
@together:
  sbr_u32 $s7 [{}];
{}@next:
  st_v2_global_u32 ($s0, $s1), [$d2];
  add_u64 $d0, $d0, 64;
  add_u64 $d1, $d1, 64;
  add_u64 $d2, $d2, 8;
  sub_u32 $s6, $s6, 1;
  cmp_ne_b1_u32 $c0, $s6, 0;
  cbr_b1 $c0, @round;
  ret;
}};
)",
                     labels, roles);
}

}  // namespace heddle::testing
