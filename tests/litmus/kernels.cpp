// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers of the kernels: $d0 = &x[i], $d1 = &y[i] in global memory; $s10 and $s11 are their addresses in
// the group segment, $d10 and $d11 their flat addresses; $d3 = start; $s0 and $s1 are results; $s12 to $s15
// are used for pauses.
#include "kernels.h"

#include <fmt/format.h>

namespace heddle::testing {
namespace {

/// How one thread's accesses are ordered: by the memory orders of the accesses themselves, or by fences
/// between them.
struct Ordering {
  std::string name;
  std::string store;         ///< order of stores that publish
  std::string load;          ///< order of loads that observe
  std::string before_store;  ///< fence
  std::string after_load;    ///< fence
  std::string between;       ///< fence between any two accesses, for tests that need a total order
  bool read_modify_write;    ///< stores are exchanges, and loads are additions of 0
  std::string scope;
};

/// A location, as an operand.
struct Place {
  const char* segment;
  const char* address;
};

constexpr Place places[2][3] = {{{"_global", "$d0"}, {"_group", "$s10"}, {"", "$d10"}},
                                {{"_global", "$d1"}, {"_group", "$s11"}, {"", "$d11"}}};

std::vector<Ordering> orderings(const Setting& setting) {
  std::vector<const char*> scopes;
  const bool between_groups = setting.players == Players::work_groups;
  if (setting.players == Players::lanes) scopes.push_back("wave");
  if (!between_groups) scopes.push_back("wg");
  if (setting.x != Access::group && setting.y != Access::group) {
    scopes.push_back("agent");
    scopes.push_back("system");
  }
  std::vector<Ordering> result;
  for (const char* scope : scopes) {
    const auto fence = [&](const char* order) { return fmt::format("  memfence_{}_{};\n", order, scope); };
    result.push_back({"atomics", "screl", "scacq", "", "", "", false, scope});
    result.push_back({"exchanges", "scar", "scar", "", "", "", true, scope});
    result.push_back({"fences", "rlx", "rlx", fence("screl"), fence("scacq"), fence("scar"), false, scope});
    result.push_back(
        {"full_fences", "rlx", "rlx", fence("scar"), fence("scar"), fence("scar"), false, scope});
    // A release fence and an acquire fence in a row order as much as one fence of both kinds.
    result.push_back({"fence_pairs", "rlx", "rlx", fence("screl"), fence("scacq"),
                      fence("screl") + fence("scacq"), false, scope});
    for (size_t i = result.size() - 5; i < result.size(); ++i) result[i].name += std::string("_") + scope;
  }
  return result;
}

/// Writes the bodies of one setting. Work-groups run on different processors, so their accesses interleave
/// without help. The waves of a group may share a processor, so each access is preceded by 0 to 3 turns in
/// which other waves may run; the bits of $s14 give these numbers for each round.
class Writer {
 public:
  explicit Writer(const Setting& setting)
      : x_(places[0][static_cast<int>(setting.x)]),
        y_(places[1][static_cast<int>(setting.y)]),
        pauses_(setting.players != Players::work_groups) {}

  const Place& x() const { return x_; }
  const Place& y() const { return y_; }

  std::string store(const Place& to, const std::string& order, const Ordering& how,
                    const std::string& value = "1") {
    if (how.read_modify_write && order != "rlx") {
      return pause() + fmt::format("  atomic_exch{}_{}_{}_b32 $s12, [{}], {};\n", to.segment, order,
                                   how.scope, to.address, value);
    }
    return pause() + fmt::format("  atomicnoret_st{}_{}_{}_b32 [{}], {};\n", to.segment, order, how.scope,
                                 to.address, value);
  }
  std::string load(const char* to, const Place& from, const std::string& order, const Ordering& how) {
    if (how.read_modify_write && order != "rlx") {
      return pause() + fmt::format("  atomic_add{}_{}_{}_u32 {}, [{}], 0;\n", from.segment, order, how.scope,
                                   to, from.address);
    }
    return pause() + fmt::format("  atomic_ld{}_{}_{}_b32 {}, [{}];\n", from.segment, order, how.scope, to,
                                 from.address);
  }
  std::string plain_store(const Place& to) {
    return pause() + fmt::format("  st{}_u32 1, [{}];\n", to.segment, to.address);
  }
  std::string plain_load(const char* to, const Place& from) {
    return pause() + fmt::format("  ld{}_u32 {}, [{}];\n", from.segment, to, from.address);
  }
  std::string modify(const std::string& operation) { return pause() + operation; }

 private:
  std::string pause() {
    if (!pauses_) return {};
    const unsigned n = pauses_written_++;
    return fmt::format(
        "  and_b32 $s13, $s14, 3; shr_u32 $s14, $s14, 2;\n"
        "@pause{0}:\n  cmp_eq_b1_u32 $c0, $s13, 0; cbr_b1 $c0, @go{0};\n"
        "  atomic_ld_global_rlx_system_b32 $s15, [$d3]; cmp_eq_b1_u32 $c0, $s15, 0; cbr_b1 $c0, @go{0};\n"
        "  sub_u32 $s13, $s13, 1; br @pause{0};\n@go{0}:\n",
        n);
  }

  Place x_, y_;
  bool pauses_;
  unsigned pauses_written_ = 0;
};

/// A thread that sees the flag also sees the data, which is not accessed atomically.
Litmus message_passing(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  return {"message_passing_" + how.name,
          {w.plain_store(w.x()) + how.before_store + w.store(w.y(), how.store, how),
           w.load("$s0", w.y(), how.load, how) + how.after_load + w.plain_load("$s1", w.x())},
          [](const uint32_t (*r)[2]) { return r[1][0] == 1 && r[1][1] == 0; }};
}

/// The flag is set by a read-modify-write, and read by one.
Litmus message_passing_exchange(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  const auto order = [&](const char* own) { return how.before_store.empty() ? own : "rlx"; };
  return {"message_passing_exchange_" + how.name,
          {w.plain_store(w.x()) + how.before_store +
               w.modify(fmt::format("  atomic_exch{}_{}_{}_b32 $s0, [{}], 1;\n", w.y().segment,
                                    order("screl"), how.scope, w.y().address)),
           w.modify(fmt::format("  atomic_cas{}_{}_{}_b32 $s0, [{}], 1, 1;\n", w.y().segment, order("scacq"),
                                how.scope, w.y().address)) +
               how.after_load + w.plain_load("$s1", w.x())},
          [](const uint32_t (*r)[2]) { return r[1][0] == 1 && r[1][1] == 0; }};
}

/// At least one thread must see the other's store, because synchronising operations are sequentially
/// consistent.
Litmus store_buffering(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  return {"store_buffering_" + how.name,
          {w.store(w.x(), how.store, how) + how.between + w.load("$s0", w.y(), how.load, how),
           w.store(w.y(), how.store, how) + how.between + w.load("$s0", w.x(), how.load, how)},
          [](const uint32_t (*r)[2]) { return r[0][0] == 0 && r[1][0] == 0; }};
}

/// Neither load may see a store that comes after the other thread's load.
Litmus load_buffering(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  return {"load_buffering_" + how.name,
          {w.load("$s0", w.x(), how.load, how) + how.between + w.store(w.y(), how.store, how),
           w.load("$s0", w.y(), how.load, how) + how.between + w.store(w.x(), how.store, how)},
          [](const uint32_t (*r)[2]) { return r[0][0] == 1 && r[1][0] == 1; }};
}

/// Two readers agree on the order of two independent writes.
Litmus independent_reads(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  return {
      "iriw_" + how.name,
      {w.store(w.x(), how.store, how), w.store(w.y(), how.store, how),
       w.load("$s0", w.x(), how.load, how) + how.between + w.load("$s1", w.y(), how.load, how),
       w.load("$s0", w.y(), how.load, how) + how.between + w.load("$s1", w.x(), how.load, how)},
      [](const uint32_t (*r)[2]) { return r[2][0] == 1 && r[2][1] == 0 && r[3][0] == 1 && r[3][1] == 0; }};
}

/// If a thread sees a store and then publishes, a third thread that sees the publication also sees the store
/// (cumulativity).
Litmus write_to_read_causality(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  return {"wrc_" + how.name,
          {w.store(w.x(), "rlx", how),
           w.load("$s0", w.x(), how.load, how) + how.after_load + how.before_store +
               w.store(w.y(), how.store, how, "$s0"),
           w.load("$s0", w.y(), how.load, how) + how.after_load + w.load("$s1", w.x(), "rlx", how)},
          [](const uint32_t (*r)[2]) { return r[1][0] == 1 && r[2][0] == 1 && r[2][1] == 0; }};
}

/// A thread sees the later of two ordered writes and then writes to the location of the earlier one. Its own
/// write must be the last in that location.
Litmus write_after_read(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  return {"s_" + how.name,
          {w.store(w.x(), "rlx", how, "2") + how.before_store + w.store(w.y(), how.store, how),
           w.load("$s0", w.y(), how.load, how) + how.after_load + w.store(w.x(), "rlx", how, "1") +
               w.load("$s1", w.x(), "rlx", how)},
          [](const uint32_t (*r)[2]) { return r[1][0] == 1 && r[1][1] == 2; }};
}

// Coherence does not depend on memory orders.

/// A location never goes back to an older value.
Litmus coherent_reads(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  return {"coherence_read_read_" + how.scope,
          {w.store(w.x(), "rlx", how), w.load("$s0", w.x(), "rlx", how) + w.load("$s1", w.x(), "rlx", how)},
          [](const uint32_t (*r)[2]) { return r[1][0] == 1 && r[1][1] == 0; }};
}

/// Other threads see two writes by one thread to one location in their order.
Litmus coherent_writes(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  return {"coherence_write_write_" + how.scope,
          {w.store(w.x(), "rlx", how, "1") + w.store(w.x(), "rlx", how, "2"),
           w.load("$s0", w.x(), "rlx", how) + w.load("$s1", w.x(), "rlx", how)},
          [](const uint32_t (*r)[2]) { return r[1][0] == 2 && r[1][1] != 2; }};
}

/// Only one of two writes is the last, so the two threads cannot each see the other's write after their own.
Litmus coherent_write_read(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  return {"coherence_write_read_" + how.scope,
          {w.store(w.x(), "rlx", how, "1") + w.load("$s0", w.x(), "rlx", how),
           w.store(w.x(), "rlx", how, "2") + w.load("$s0", w.x(), "rlx", how)},
          [](const uint32_t (*r)[2]) { return r[0][0] == 2 && r[1][0] == 1; }};
}

/// All threads see the writes to one location in the same order.
Litmus coherent_order(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  const std::string reads = w.load("$s0", w.x(), "rlx", how) + w.load("$s1", w.x(), "rlx", how);
  return {
      "coherence_order_" + how.scope,
      {w.store(w.x(), "rlx", how, "1"), w.store(w.x(), "rlx", how, "2"), reads,
       w.load("$s0", w.x(), "rlx", how) + w.load("$s1", w.x(), "rlx", how)},
      [](const uint32_t (*r)[2]) { return r[2][0] == 1 && r[2][1] == 2 && r[3][0] == 2 && r[3][1] == 1; }};
}

/// Two read-modify-writes never read the same value.
Litmus atomicity(const Setting& setting, const Ordering& how) {
  Writer w(setting);
  const auto body = [&] {
    return w.modify(fmt::format("  atomic_add{}_rlx_{}_u32 $s0, [{}], 1;\n", w.x().segment, how.scope,
                                w.x().address)) +
           w.modify(fmt::format("  atomic_wrapinc{}_rlx_{}_u32 $s1, [{}], 100;\n", w.x().segment, how.scope,
                                w.x().address));
  };
  const std::string first = body();
  return {"atomicity_" + how.scope, {first, body()}, [](const uint32_t (*r)[2]) {
            return r[0][0] == r[1][0] || r[0][0] == r[1][1] || r[0][1] == r[1][0] || r[0][1] == r[1][1] ||
                   r[0][1] <= r[0][0] || r[1][1] <= r[1][0];
          }};
}

/// Writes code that sets $s7 to the work-item's role. A work-item without a role goes to the end.
std::string find_role(const Setting& setting) {
  switch (setting.players) {
    case Players::work_groups:
      return "  workgroupid_u32 $s4, 0;\n  add_u32 $s7, $s7, $s4;\n";
    case Players::waves:
      return "  workitemflatid_u32 $s4;\n  div_u32 $s7, $s4, WAVESIZE;\n  rem_u32 $s4, $s4, WAVESIZE;\n"
             "  cmp_ne_b1_u32 $c0, $s4, 0;\n  cbr_b1 $c0, @end;\n";
    default:
      return "  laneid_u32 $s7;\n";
  }
}

/// Writes code that clears the locations in the group segment.
std::string clear_group() {
  return R"(  ld_kernarg_u32 $s15, [%rounds];
  shl_u32 $s15, $s15, 3;
  workitemflatid_u32 $s12;
  workgroupsize_u32 $s13, 0;
  shl_u32 $s12, $s12, 3;
  shl_u32 $s13, $s13, 3;
@clear:
  cmp_ge_b1_u32 $c0, $s12, $s15;
  cbr_b1 $c0, @cleared;
  st_group_u64 0, [%locations][$s12];
  add_u32 $s12, $s12, $s13;
  br @clear;
@cleared:
  memfence_screl_wg;
  barrier;
  memfence_scacq_wg;
  lda_group_u32 $s10, [%locations];
  add_u32 $s11, $s10, 4;
  stof_group_u64_u32 $d10, $s10;
  stof_group_u64_u32 $d11, $s11;
)";
}

}  // namespace

std::string Setting::name() const {
  static constexpr const char* who[] = {"work_groups", "waves", "lanes"};
  static constexpr const char* where[] = {"global", "group", "flat"};
  return fmt::format("{}, x {}, y {}", who[static_cast<int>(players)], where[static_cast<int>(x)],
                     where[static_cast<int>(y)]);
}

std::vector<Setting> settings(Players players) {
  using enum Access;
  if (players == Players::work_groups) return {{players, global, global}};
  return {{players, global, global},
          {players, group, group},
          {players, flat, flat},
          {players, global, group},
          {players, group, global}};
}

std::vector<Litmus> litmus_tests(const Setting& setting) {
  std::vector<Litmus> tests;
  std::string last_scope;
  for (const Ordering& how : orderings(setting)) {
    for (auto make : {message_passing, message_passing_exchange, store_buffering, load_buffering,
                      independent_reads, write_to_read_causality, write_after_read}) {
      tests.push_back(make(setting, how));
    }
    if (how.scope == last_scope || how.read_modify_write) continue;
    last_scope = how.scope;
    for (auto make : {coherent_reads, coherent_writes, coherent_write_read, coherent_order, atomicity})
      tests.push_back(make(setting, how));
  }
  return tests;
}

std::string litmus_kernel(const Litmus& test, const Setting& setting) {
  std::string roles, labels;
  for (size_t role = 0; role < test.bodies.size(); ++role) {
    labels += fmt::format("{}@role{}", role ? ", " : "", role);
    roles += fmt::format("@role{}:\n{}  br @next;\n", role, test.bodies[role]);
  }
  const bool group = setting.x != Access::global || setting.y != Access::global;
  // No role begins before all roles are present, and each round waits a little for the others. Otherwise the
  // roles would seldom run the same round at the same time.
  return fmt::format(
      R"(module &litmus:1:0:$full:$large:$default;
prog kernel &k(kernarg_u64 %x, kernarg_u64 %y, kernarg_u64 %results, kernarg_u64 %start,
               kernarg_u32 %players, kernarg_u32 %rounds, kernarg_u32 %first) {{
{}{}  ld_kernarg_u64 $d0, [%x];
  ld_kernarg_u64 $d1, [%y];
  ld_kernarg_u64 $d2, [%results];
  ld_kernarg_u64 $d3, [%start];
  ld_kernarg_u32 $s5, [%players];
  ld_kernarg_u32 $s6, [%rounds];
  ld_kernarg_u32 $s7, [%first];
{}  mul_u32 $s4, $s7, $s6;
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
  mad_u32 $s14, $s6, 0x9e3779b1, $s7;
  mul_u32 $s14, $s14, 0x85ebca6b;
  shr_u32 $s14, $s14, 8;
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
{}  sub_u32 $s6, $s6, 1;
  cmp_ne_b1_u32 $c0, $s6, 0;
  cbr_b1 $c0, @round;
@end:
  ret;
}};
)",
      group ? fmt::format("  align(8) group_u32 %locations[{}];\n", 2 * rounds_max) : "",
      group ? clear_group() : "", find_role(setting), labels, roles,
      group ? "  add_u32 $s10, $s10, 8;\n  add_u32 $s11, $s11, 8;\n  add_u64 $d10, $d10, 8;\n"
              "  add_u64 $d11, $d11, 8;\n"
            : "");
}

}  // namespace heddle::testing
