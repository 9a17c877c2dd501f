// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers: $s0-7, $d0-3 and $c0-3 hold the program's values. $s20-21, $d21-22 and $c4-5 are temporaries
// within a statement, and $s45-47 within a walk. $s22 and up count the rounds of loops, by nesting depth, and
// $s30 those of recursion.
// $d20 points to the work-item's record, $d23 to the shared area. $s32-42, $d24-31 and $q20-22 are reserved
// for the statements of lanes.cpp, waves.cpp and packed_float.cpp.
#include "generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "lanes.h"
#include "operations.h"
#include "ordered_text.h"
#include "packed_float.h"
#include "waves.h"

namespace heddle::tools::fuzz {
namespace {

constexpr unsigned s_registers = 8, d_registers = 4, c_registers = 4;
constexpr unsigned plain_functions = 3;  // &f0..&f2; &f3 calls itself
constexpr unsigned functions = 4;
constexpr const char* arguments = "(arg_u32 %r)(arg_u32 %a, arg_u64 %b, arg_u64 %rec, arg_u64 %all)";

/// The work-items that certainly execute a statement together.
enum class Together : uint8_t { none, wave, group };

/// The position of a statement.
struct Place {
  unsigned depth;     ///< levels that may still be nested
  Together together;  ///< all of the wave, or of the group
  unsigned callable;  ///< functions below this number may be called
  bool kernel;
  bool top;              ///< not nested, so executed at most once in an activation
  bool group_variables;  ///< false in functions that indirect functions reach (PRM 10.8)
  uint32_t repeats = 1;  ///< executions in one activation of the routine, at most
  /// Lanes that go different ways to the statement have met before. Compiled waves do not keep such lanes
  /// apart yet (docs/status.md), so that waves are not observed elsewhere.
  bool met = true;

  bool uniform() const { return together == Together::group; }
};

class Generator {
 public:
  /// Loops make fewer rounds if they would otherwise execute a statement more than `repeats` times.
  Generator(uint64_t seed, Contents contents, uint32_t repeats)
      : random_(seed),
        basic_(contents == Contents::basic),
        walks_(contents == Contents::walks),
        waves_(contents == Contents::waves),
        detects_(waves_ && pick(8) == 0),
        repeats_(repeats) {
    for (const Operation& operation : operations()) {
      if (!basic_ || operation.basic) operations_.push_back(&operation);
    }
  }

  Program program() {
    Program program;
    program.observes_waves = waves_;
    program.detects_exceptions = detects_;
    program.launch = launch();
    program.declarations = declarations();
    for (unsigned i = 0; i < functions; ++i) program.functions.push_back(function(i));
    program.kernel = kernel();
    return program;
  }

 private:
  // ---- choices ----
  unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }
  std::string s() { return fmt::format("$s{}", pick(s_registers)); }
  std::string d() { return fmt::format("$d{}", pick(d_registers)); }
  std::string c() { return fmt::format("$c{}", pick(c_registers)); }
  uint64_t bits(unsigned width) {
    uint64_t value = random_() >> (64 - width) >> pick(width);
    if (pick(4) == 0) value = ~value;
    return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
  }
  std::string label() { return fmt::format("@l{}", labels_++); }
  static Statement leaf(std::string text) { return Statement{{std::move(text)}, {}}; }

  Launch launch() {
    // Around the sizes of waves, whole rows of them, and rows that waves are not cut from.
    static constexpr uint32_t groups[][3] = {
        {1, 1, 1},  {3, 1, 1},  {5, 1, 1},  {7, 1, 1},  {8, 1, 1},  {9, 1, 1},  {15, 1, 1}, {16, 1, 1},
        {17, 1, 1}, {31, 1, 1}, {32, 1, 1}, {33, 1, 1}, {63, 1, 1}, {64, 1, 1}, {65, 1, 1}, {256, 1, 1},
        {8, 8, 1},  {1, 64, 1}, {16, 3, 1}, {32, 2, 1}, {33, 2, 1}, {5, 7, 1},  {3, 16, 1}, {1, 256, 1},
        {4, 4, 4},  {3, 5, 2},  {8, 3, 2},  {32, 1, 2}, {1, 1, 33}, {1, 9, 4},  {2, 2, 9},  {16, 2, 2}};
    const auto& group = groups[pick(std::size(groups))];
    Launch launch;
    const unsigned least = group[2] > 1 ? 3 : group[1] > 1 ? 2 : 1;
    launch.dimensions = least + pick(4 - least);
    const bool has_partial_groups = pick(2) != 0;
    uint32_t left = layout::most_items;
    for (unsigned i = 0; i < launch.dimensions; ++i) {
      const uint32_t most = std::min(left / group[i], launch.dimensions == 1 ? 4u : 2u);
      launch.group[i] = group[i];
      launch.grid[i] = has_partial_groups ? 1 + pick(group[i] * most) : group[i] * (1 + pick(most));
      left /= (launch.grid[i] + group[i] - 1) / group[i] * group[i];
    }
    launch.data_seed = random_();
    return launch;
  }

  std::string declarations() {
    std::string table, bytes;
    for (unsigned i = 0; i < 8; ++i) table += fmt::format("{}0x{:x}", i ? ", " : "", bits(32));
    for (unsigned i = 0; i < 8; ++i) bytes += fmt::format("{}0x{:x}", i ? ", " : "", bits(64));
    return fmt::format(
        "module &fuzz:1:{}:$full:$large:$default;\n"
        "signature &any{};\n"
        "prog alloc(agent) global_u32 &words[8] = u32[]({});\n"
        "readonly_u64 &longs[8] = u64[]({});\n"
        "group_u32 &slots[256];\n"
        "group_u32 &counters[8];\n",
        basic_ ? 0 : 2, arguments, table, bytes);
  }

  // ---- routines ----
  Routine kernel() {
    Routine routine{"&k", {}, {}, {}};
    routine.head = "prog kernel &k(kernarg_u64 %data, kernarg_u32 %word) {\n" + detection() +
                   "  private_u32 %memory[16];\n  spill_u64 %spilled;\n  group_u32 %mine[256];\n" +
                   std::string(basic_ ? "" : "  fbarrier %gate;\n  align(16) group_u32 %met[4];\n") +
                   "  ld_kernarg_u64 $d23, [%data];\n"
                   "  workitemflatabsid_u64 $d20;\n"
                   "  mul_u64 $d20, $d20, 512;\n  add_u64 $d20, $d20, $d23;\n"
                   "  gridsize_u32 $s20, 0;\n  gridsize_u32 $s21, 1;\n  mul_u32 $s20, $s20, $s21;\n"
                   "  gridsize_u32 $s21, 2;\n  mul_u32 $s20, $s20, $s21;\n"
                   "  cvt_u64_u32 $d21, $s20;\n  mul_u64 $d21, $d21, 512;\n  add_u64 $d23, $d23, $d21;\n"
                   "  workitemflatid_u32 $s20;\n  mul_u32 $s21, $s20, 4;\n"
                   "  st_group_u32 $s20, [&slots][$s21];\n  st_group_u32 $s20, [%mine][$s21];\n"
                   "  cmp_ne_b1_u32 $c4, $s20, 0;\n  cbr_b1 $c4, @started;\n";
    for (unsigned i = 0; i < 8; ++i) {
      routine.head +=
          fmt::format("  st_group_u32 {}, [&counters][{}];\n", i == 2 || i == 5 ? "0xffffffff" : "0", 4 * i);
    }
    routine.head += "@started:\n  barrier;\n  st_spill_u64 0x1234567890abcdef, [%spilled];\n";
    for (unsigned i = 0; i < 16; ++i)
      routine.head += fmt::format("  st_private_u32 {}, [%memory][{}];\n", i * 3, 4 * i);
    for (unsigned i = 0; i < s_registers; ++i)
      routine.head += fmt::format("  ld_global_u32 $s{}, [$d20+{}];\n", i, layout::in_s + 8 * i);
    for (unsigned i = 0; i < d_registers; ++i)
      routine.head += fmt::format("  ld_global_u64 $d{}, [$d20+{}];\n", i, layout::in_d + 8 * i);
    for (unsigned i = 0; i < c_registers; ++i)
      routine.head += fmt::format("  cmp_lt_b1_s32 $c{0}, $s{0}, 0;\n", i);

    // Small programs find most faults, and many of them run in the time of a large one.
    const unsigned depth = 1 + (pick(2) ? 0 : pick(2) + (pick(6) ? 0 : 1 + pick(2)));
    routine.body = block(Place{depth, Together::group, functions, true, true, true}, 2 + 3 * depth + pick(6));

    for (unsigned i = 0; i < s_registers; ++i)
      routine.tail += fmt::format("  st_global_u32 $s{}, [$d20+{}];\n", i, layout::out_s + 8 * i);
    for (unsigned i = 0; i < d_registers; ++i)
      routine.tail += fmt::format("  st_global_u64 $d{}, [$d20+{}];\n", i, layout::out_d + 8 * i);
    for (unsigned i = 0; i < c_registers; ++i)
      routine.tail +=
          fmt::format("  cvt_u32_b1 $s20, $c{}; st_global_u32 $s20, [$d20+{}];\n", i, layout::out_c + 8 * i);
    routine.tail +=
        "  barrier;\n  workitemflatid_u32 $s20;\n  cmp_ne_b1_u32 $c4, $s20, 0;\n  cbr_b1 $c4, @end;\n"
        "  workgroupid_u32 $s20, 2;\n  gridgroups_u32 $s21, 1;\n  mul_u32 $s20, $s20, $s21;\n"
        "  workgroupid_u32 $s21, 1;\n  add_u32 $s20, $s20, $s21;\n  gridgroups_u32 $s21, 0;\n"
        "  mul_u32 $s20, $s20, $s21;\n  workgroupid_u32 $s21, 0;\n  add_u32 $s20, $s20, $s21;\n"
        "  cvt_u64_u32 $d21, $s20;\n  shl_u64 $d21, $d21, 6;\n  add_u64 $d21, $d21, $d23;\n";
    for (unsigned i = 0; i < 8; ++i) {
      routine.tail += fmt::format("  ld_group_u32 $s20, [&counters][{}];\n  st_global_u32 $s20, [$d21+{}];\n",
                                  4 * i, layout::shared_size + layout::columns_size + 4 * i);
    }
    routine.tail += "@end:\n  ret;\n};\n";
    return routine;
  }

  Routine function(unsigned number) {
    Routine routine{fmt::format("&f{}", number), {}, {}, {}};
    routine.head = fmt::format(
        "{}function &f{}{} {{\n{}  private_u32 %memory[16];\n  spill_u64 %spilled;\n"
        "  ld_arg_u32 $s0, [%a];\n  ld_arg_u64 $d0, [%b];\n  ld_arg_u64 $d20, [%rec];\n  ld_arg_u64 $d23, "
        "[%all];\n"
        "  st_spill_u64 0x1234567890abcdef, [%spilled];\n",
        number == 1 && !basic_ ? "indirect " : "", number, arguments, detection());
    for (unsigned i = 0; i < 16; ++i)
      routine.head += fmt::format("  st_private_u32 {}, [%memory][{}];\n", i * 5, 4 * i);
    for (unsigned i = 1; i < s_registers; ++i)
      routine.head += fmt::format("  add_u32 $s{}, $s0, {};\n", i, i * 77);
    for (unsigned i = 1; i < d_registers; ++i)
      routine.head += fmt::format("  xor_b64 $d{}, $d0, {};\n", i, i * 1234567);
    for (unsigned i = 0; i < c_registers; ++i)
      routine.head += fmt::format("  cmp_gt_b1_u32 $c{0}, $s{0}, 1000;\n", i);
    if (number == plain_functions) routine.head += "  and_b32 $s30, $s0, 7;\n";
    const Place place{2,     Together::none, number < plain_functions ? number : plain_functions,
                      false, true,           number > 1};
    routine.body = block(place, 2 + pick(5));
    if (number == plain_functions) {  // calls itself with a smaller count in the low bits
      routine.tail = fmt::format(
          "  cmp_eq_b1_u32 $c4, $s30, 0;\n  cbr_b1 $c4, @bottom;\n  sub_u32 $s30, $s30, 1;\n"
          "  {{ arg_u32 %r2; arg_u32 %a2; arg_u64 %b2; arg_u64 %rec2; arg_u64 %all2;\n"
          "    st_arg_u32 $s30, [%a2]; st_arg_u64 $d1, [%b2]; st_arg_u64 $d20, [%rec2]; st_arg_u64 $d23, "
          "[%all2];\n"
          "    call &f{}(%r2)(%a2, %b2, %rec2, %all2);\n    ld_arg_u32 $s20, [%r2];\n  }}\n"
          "  xor_b32 $s1, $s1, $s20;\n@bottom:\n",
          number);
      routine.activations = 8;
    }
    routine.tail += fmt::format("  st_arg_u32 $s{}, [%r];\n  ret;\n}};\n",
                                number == plain_functions ? 1 : pick(s_registers));
    return routine;
  }

  Block block(Place place, unsigned statements) {
    Block block;
    for (unsigned i = 0; i < statements; ++i) block.push_back(statement(place));
    return block;
  }
  Block inner(Place place, Together together, uint32_t rounds = 1) {
    place.depth -= 1;
    place.repeats *= rounds;
    place.top = false;
    place.together = std::min(place.together, together);
    return block(place, 1 + pick(3));
  }

  Statement statement(const Place& place) {
    const unsigned kinds = place.depth > 0 ? 30 : 20;
    if (waves_ && place.met && pick(4) == 0) return observation(place);
    if (walks_ && pick(4) == 0) return walk(place);
    const unsigned kind = pick(kinds);
    if (!basic_ && kind < 3)
      return kind == 0 && !walks_ ? leaf(cross_lane(pick_, place.uniform())) : leaf(packed_float(pick_));
    if (kind < 12) return operation();
    if (kind < 15) return memory(place);
    if (kind == 15) return atomic(place);
    if (kind == 16) return special(place);
    if (kind == 17 || kind == 18) return call(place);
    if (kind == 19)
      return place.uniform() ? convergent(place) : place.kernel || pick(2) ? fence() : early_return(place);
    if (kind < 24) return branch(place);
    if (kind < 26) return loop(place);
    if (kind == 26) return place.uniform() ? uniform_loop(place) : loop(place);
    if (kind == 27) return switch_branch(place);
    return graph(place);
  }

  // ---- what programs see of their waves ----
  std::string detection() const { return detects_ ? "  enabledetectexceptions 31;\n" : ""; }

  Statement observation(const Place& place) {
    if (place.together != Together::none && pick(8) == 0) return leaf("  wavebarrier;\n");
    if (detects_ && pick(3) == 0) return leaf(detected(pick_, [this] { return operation().pieces[0]; }));
    return leaf(wave_value(pick_));
  }

  // ---- straight-line statements ----
  Statement operation() {
    const Operation& operation = *operations_[pick(static_cast<unsigned>(operations_.size()))];
    std::string text = "  ";
    for (const char* at = operation.pattern; *at != '\0'; ++at) {
      if (*at != '%') {
        text += *at;
        continue;
      }
      ++at;
      switch (*at) {
        case 's':
          text += s();
          break;
        case 'd':
          text += d();
          break;
        case 'c':
          text += c();
          break;
        case 'S':
          text += pick(4) ? s() : fmt::format("0x{:x}", bits(32));
          break;
        case 'D':
          text += pick(4) ? d() : fmt::format("0x{:x}", bits(64));
          break;
        case 'R':
          text += rounding();
          break;
        case '4':
          text += fmt::format("{}", pick(16));
          break;
        case '5':
          text += fmt::format("{}", pick(32));
          break;
        case '8':
          text += fmt::format("0x{:x}", bits(32));
          break;
        case 'p':
          text += packing();
          break;
        case 'L':
          text += relation();
          break;
        default:
          text += *at;
      }
    }
    return leaf(text + "\n");
  }
  const char* rounding() {
    static constexpr const char* names[] = {"", "_up", "_down", "_zero", "_near"};
    return names[pick(5)];
  }
  const char* relation() {
    static constexpr const char* names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    return names[pick(6)];
  }
  const char* packing() {
    static constexpr const char* names[] = {"pp", "ps", "sp", "ss"};
    return names[pick(4)];
  }

  Statement memory(const Place& place) {
    static constexpr const char* narrow[] = {"u8", "s8", "u16", "s16", "u32", "s32"};
    if (!basic_ && pick(4) == 0) return pick(4) ? column() : uniform_load();
    switch (pick(place.kernel ? 10 : 8)) {
      case 0:
        return leaf(
            OrderedText{"  and_b32 $s20, {}, 60;\n  st_private_u32 {}, [%memory][$s20];\n", s(), s()}.text);
      case 1:
        return leaf(
            OrderedText{"  and_b32 $s20, {}, 63;\n  ld_private_{} {}, [%memory][$s20];\n", s(), "u8", s()}
                .text);
      case 2: {  // any byte of the record's scratch, aligned or not
        const char* type = narrow[pick(6)];
        return leaf(OrderedText{
            "  and_b32 $s20, {}, 0x{:x};\n  cvt_u64_u32 $d21, $s20;\n  add_u64 $d21, $d21, $d20;\n"
            "  st_global_{} {}, [$d21+{}];\n  ld_global_{} {}, [$d21+{}];\n",
            s(), pick(2) ? 0xf8 : 0xf7, type, s(), layout::scratch, narrow[pick(6)], s(), layout::scratch + 1}
                        .text);
      }
      case 3: {
        const unsigned first = pick(s_registers - 3);
        const char* verb = pick(2) ? "ld" : "st";
        return leaf(fmt::format("  {}_v4_global_u32 ($s{}, $s{}, $s{}, $s{}), [$d20+{}];\n", verb, first,
                                first + 1, first + 2, first + 3, layout::scratch + 4 * pick(60)));
      }
      case 4: {  // the same memory through a flat address
        const std::string flat =
            OrderedText{
                "  lda_private_u32 $s20, [%memory];\n  stof_private_u64_u32 $d21, $s20;\n"
                "  {}_u32 {}, [$d21+{}];\n",
                pick(2) ? "ld" : "st", s(), 4 * pick(16)}
                .text;
        if (basic_ || pick(2)) return leaf(flat);
        return leaf(flat +
                    OrderedText{"  segmentp_private_b1_u64 {}, $d21;\n  ftos_private_u32_u64 $s20, $d21;\n"
                                "  ld_private_u32 {}, [$s20+{}];\n",
                                c(), s(), 4 * pick(16)}
                        .text);
      }
      case 5:
        return leaf(pick(2) ? fmt::format("  st_spill_u64 {}, [%spilled];\n", d())
                            : fmt::format("  ld_spill_u64 {}, [%spilled];\n", d()));
      case 6:
        return leaf(OrderedText{
            "  and_b32 $s20, {}, 28;\n  cvt_u64_u32 $d21, $s20;\n  ld_global_u32 {}, [&words][$d21];\n", s(),
            s()}
                        .text);
      case 7:
        return leaf(OrderedText{
            "  and_b32 $s20, {}, 56;\n  cvt_u64_u32 $d21, $s20;\n  ld_readonly_u64 {}, [&longs][$d21];\n",
            s(), d()}
                        .text);
      case 8:
        if (!basic_ && pick(2))
          return leaf(fmt::format("  kernargbaseptr_u64 $d21;\n  ld_kernarg_u32 {}, [$d21+8];\n", s()));
        return leaf(fmt::format("  ld_kernarg_u32 {}, [%word];\n", s()));
      default:  // the work-item's own group slot
        return leaf(OrderedText{
            "  workitemflatid_u32 $s20;\n  mul_u32 $s20, $s20, 4;\n  {}_group_{} {}, [%mine][$s20];\n",
            pick(2) ? "ld" : "st", narrow[pick(6)], s()}
                        .text);
    }
  }

  /// Neighbours access neighbouring elements.
  Statement column() {
    static constexpr const char* types[] = {"u8", "s8", "u16", "s16", "u32", "f32"};
    const char* verb = pick(2) ? "ld" : "st";
    const unsigned first = pick(s_registers - 3);
    const auto access = [&](unsigned size, uint32_t at, const std::string& rest) {
      return leaf(fmt::format(
          "  workitemflatabsid_u64 $d21;\n  mul_u64 $d21, $d21, {};\n  add_u64 $d21, $d21, $d23;\n"
          "  {}_{}, [$d21+{}];\n",
          size, verb, rest, layout::shared_size + at));
    };
    switch (pick(6)) {
      case 0:
        return access(1, layout::column_1, OrderedText{"global_{} {}", types[pick(2)], s()}.text);
      case 1:
        return access(2, layout::column_2, OrderedText{"global_{} {}", types[2 + pick(2)], s()}.text);
      case 2:
        return access(8, layout::column_8, fmt::format("global_u64 {}", d()));
      case 3:
        return access(16, layout::column_16,
                      fmt::format("v4_global_u32 ($s{0}, $s{1}, $s{2}, $s{3})", first, first + 1, first + 2,
                                  first + 3));
      default:
        return access(4, layout::column_4, OrderedText{"global_{} {}", types[4 + pick(2)], s()}.text);
    }
  }

  /// All work-items of the group load from one address.
  Statement uniform_load() {
    static constexpr const char* widths[] = {"", "_width(all)", "_width(WAVESIZE)", "_width(4)"};
    return leaf(
        OrderedText{"  workgroupid_u32 $s20, {};\n  and_b32 $s20, $s20, 7;\n  shl_u32 $s20, $s20, 2;\n"
                    "  cvt_u64_u32 $d21, $s20;\n  ld_global{}_u32 {}, [&words][$d21];\n",
                    pick(3), widths[pick(4)], s()}
            .text);
  }

  /// Each counter has its own operation, so that the order of the work-items has no effect.
  Statement atomic(const Place& place) {
    static constexpr const char* names[] = {"add_{}u32", "xor_{}b32", "and_{}b32", "or_{}b32",
                                            "max_{}s32", "min_{}u32", "sub_{}u32", "max_{}u32"};
    static constexpr const char* orders[] = {"rlx", "scacq", "screl", "scar"};
    const unsigned counter = pick(8);
    const std::string name = names[counter];
    const std::string operation = name.substr(0, name.find('{')), type = name.substr(name.find('}') + 1);
    if (place.group_variables && pick(2)) {
      return leaf(OrderedText{"  atomicnoret_{}group_{}_wg_{} [&counters][{}], {};\n", operation,
                              orders[pick(4)], type, 4 * counter, s()}
                      .text);
    }
    return leaf(OrderedText{"  atomicnoret_{}global_{}_{}_{} [$d23+{}], {};\n", operation, orders[pick(4)],
                            pick(2) ? "agent" : "system", type, 8 * counter, s()}
                    .text);
  }

  Statement special(const Place& place) {
    static constexpr const char* texts[] = {
        "  workitemabsid_u32 {0}, {1};\n", "  workitemid_u32 {0}, {1};\n", "  workgroupid_u32 {0}, {1};\n",
        "  currentworkgroupsize_u32 {0}, {1};\n", "  gridgroups_u32 {0}, {1};\n",
        "  workitemflatid_u32 {0};\n", "  currentworkitemflatid_u32 {0};\n", "  gridsize_u32 {0}, {1};\n",
        "  workgroupsize_u32 {0}, {1};\n", "  dim_u32 {0};\n", "  workitemflatabsid_u32 {0};\n",
        // Tools of HSA 1.0 do not know these instructions, or return other values.
        "  groupbaseptr_u32 {0};\n", "  groupstaticsize_u32 {0};\n", "  grouptotalsize_u32 {0};\n",
        "  nullptr_group_u32 {0};\n"};
    if (place.top && pick(4) == 0) {
      return leaf(OrderedText{
          "  alloca_u32 $s20, 16;\n  st_private_u32 {0}, [$s20+4];\n  ld_private_u16 {1}, [$s20+5];\n", s(),
          s()}
                      .text);
    }
    return leaf(OrderedText{fmt::runtime(texts[pick(basic_ ? 11 : 15)]), s(), pick(3)}.text);
  }

  /// A fence may stand anywhere, because a single work-item cannot observe the order that it establishes.
  Statement fence() {
    if (basic_) return operation();
    static constexpr const char* orders[] = {"scacq", "screl", "scar"};
    static constexpr const char* scopes[] = {"wave", "wg", "agent", "system"};
    return leaf(OrderedText{"  memfence_{}_{};\n", orders[pick(3)], scopes[pick(4)]}.text);
  }

  /// Returns a statement that the whole work-group executes together.
  Statement convergent(const Place& place) {
    if (basic_) return exchange();
    switch (pick(10)) {
      case 0:
        return fence();
      case 1:
        return leaf("  wavebarrier;\n");
      case 2:
      case 3:
        return gate();
      case 4:
      case 5:
        return partial_gate(
            pick_, [this] { return label(); }, place.depth > 0 ? inner(place, Together::wave) : Block{});
      default:
        return exchange();
    }
  }

  /// Returns early from a function in those work-items whose $c register is false.
  Statement early_return(const Place& place) {
    if (basic_ || (waves_ && !place.top)) return operation();  // the other lanes would meet only at the end
    const std::string on = label();
    return leaf(
        OrderedText{"  cbr_b1 {}, {};\n  st_arg_u32 {}, [%r];\n  ret;\n{}:\n", c(), on, s(), on}.text);
  }

  /// All work-items wait at an fbarrier and then see the sum of the values that they added. Its members are
  /// whole waves (PRM 9.2.3), whose size is unknown here.
  Statement gate() {
    const std::string initialised = label(), end = label();
    const char* gate = pick(2) ? "$s21" : "%gate";  // by its handle, or by its name
    const std::string again = pick(2) ? fmt::format("  waitfbar {};\n", gate) : "";
    return leaf(
        OrderedText{"  ldf_u32 $s21, %gate;\n"
                    "  workitemflatid_u32 $s20;\n  cmp_ne_b1_u32 $c4, $s20, 0;\n  cbr_b1 $c4, {0};\n"
                    "  initfbar {5};\n  st_group_u32 0, [%met];\n{0}:\n  barrier;\n"
                    "  joinfbar {5};\n  barrier;\n"
                    "  atomicnoret_add_group_scar_wg_u32 [%met], {2};\n  waitfbar {5};\n"
                    "  atomic_ld_group_scacq_wg_b32 {3}, [%met];\n{4}  leavefbar {5};\n"
                    "  barrier;\n  cbr_b1 $c4, {1};\n  releasefbar {5};\n{1}:\n",
                    initialised, end, s(), s(), again, gate}
            .text);
  }

  /// Each work-item stores one value and loads that of another.
  Statement exchange() {
    return leaf(OrderedText{
        "  workitemflatid_u32 $s20;\n  mul_u32 $s21, $s20, 4;\n  st_group_u32 {}, [&slots][$s21];\n  "
        "barrier;\n"
        "  xor_b32 $s20, $s20, {};\n  and_b32 $s20, $s20, 255;\n"
        "  currentworkgroupsize_u32 $s21, 0;\n  min_u32 $s20, $s20, $s21;\n  sub_u32 $s21, $s21, 1;\n"
        "  min_u32 $s20, $s20, $s21;\n  mul_u32 $s20, $s20, 4;\n  ld_group_u32 {}, [&slots][$s20];\n  "
        "barrier;\n",
        s(), pick(256), s()}
                    .text);
  }

  Statement call(const Place& place) {
    if (place.callable == 0) return operation();
    const std::string result = s();
    std::string text = "  { arg_u32 %r1; arg_u32 %a1; arg_u64 %b1; arg_u64 %rec1; arg_u64 %all1;\n" +
                       OrderedText{
                           "    st_arg_u32 {}, [%a1]; st_arg_u64 {}, [%b1]; st_arg_u64 $d20, [%rec1]; "
                           "st_arg_u64 $d23, [%all1];\n",
                           s(), d()}
                           .text;
    if (place.callable >= 3 && !basic_ && pick(3) == 0) {
      text += fmt::format(
          "    and_b32 $s20, {}, 1;\n    scall_u32 $s20(%r1)(%a1, %b1, %rec1, %all1) [&f0, &f2];\n", s());
    } else if (place.callable >= 2 && !basic_ && pick(3) == 0) {
      text += "    mov_u64 $d21, addr(&f1);\n    icall_u64 $d21(%r1)(%a1, %b1, %rec1, %all1) &any;\n";
    } else {
      text += fmt::format("    call &f{}(%r1)(%a1, %b1, %rec1, %all1);\n", pick(place.callable));
    }
    return leaf(text + fmt::format("    ld_arg_u32 {}, [%r1];\n  }}\n", result));
  }

  // ---- control flow ----
  Statement branch(const Place& place) {
    const std::string otherwise = label(), end = label();
    const auto [test, together] = this->test(place, otherwise);
    if (pick(2)) return Statement{{test, otherwise + ":\n"}, {inner(place, together)}};
    return Statement{{test, fmt::format("  br {};\n{}:\n", end, otherwise), end + ":\n"},
                     {inner(place, together), inner(place, together)},
                     1,
                     true};
  }

  /// Returns a conditional branch to `target`, and which work-items agree on it.
  std::pair<std::string, Together> test(const Place& place, const std::string& target) {
    if (place.uniform() && pick(2)) {
      return {OrderedText{"  workgroupid_u32 $s20, {};\n  and_b32 $s20, $s20, {};\n"
                          "  cmp_eq_b1_u32 $c4, $s20, 0;\n  cbr{}_b1 $c4, {};\n",
                          pick(3), 1 + pick(3), basic_ || pick(2) ? "" : "_width(all)", target}
                  .text,
              Together::group};
    }
    if (waves_ && pick(3) == 0) return wave_test(target);
    if (!basic_ && pick(8) == 0) {  // work-items that follow each other agree
      const unsigned bits = 1 + pick(5);
      return {fmt::format("  workitemflatid_u32 $s20;\n  shr_u32 $s20, $s20, {0};\n  and_b32 $s20, $s20, 1;\n"
                          "  cmp_eq_b1_u32 $c4, $s20, 0;\n  cbr_width({1})_b1 $c4, {2};\n",
                          bits, 1u << bits, target),
              Together::none};
    }
    return {fmt::format("  cbr_b1 {}, {};\n", c(), target), Together::none};
  }

  /// Waves or lanes go different ways.
  std::pair<std::string, Together> wave_test(const std::string& target) {
    if (pick(2)) {
      return {fmt::format("  laneid_u32 $s20;\n  and_b32 $s20, $s20, {};\n  cmp_eq_b1_u32 $c4, $s20, 0;\n"
                          "  cbr_b1 $c4, {};\n",
                          1 + pick(31), target),
              Together::none};
    }
    return {OrderedText{
                "  currentworkitemflatid_u32 $s20;\n  mov_b32 $s21, WAVESIZE;\n  div_u32 $s20, $s20, $s21;\n"
                "  and_b32 $s20, $s20, {};\n  cmp_eq_b1_u32 $c4, $s20, 0;\n  cbr{}_b1 $c4, {};\n",
                1 + pick(3), pick(2) ? "" : "_width(WAVESIZE)", target}
                .text,
            Together::wave};
  }

  /// Returns `wanted`, a power of two, halved until the loop stays within repeats_.
  uint32_t allowed_rounds(const Place& place, uint32_t wanted) const {
    while (wanted > 1 && place.repeats * wanted > repeats_) wanted /= 2;
    return wanted;
  }

  /// A loop of 1 to 8 rounds, depending on the work-item's data, with an exit in the middle.
  Statement loop(const Place& place) {
    const std::string again = label(), out = label();
    const unsigned counter = 22 + place.depth;
    const uint32_t rounds = allowed_rounds(place, 8);
    return Statement{
        {fmt::format("  and_b32 $s{}, {}, {};\n{}:\n", counter, s(), rounds - 1, again),
         fmt::format("  cbr_b1 {}, {};\n", c(), out),
         fmt::format("  cmp_eq_b1_u32 $c4, $s{0}, 0;\n  cbr_b1 $c4, {1};\n  sub_u32 $s{0}, $s{0}, 1;\n"
                     "  br {2};\n{1}:\n",
                     counter, out, again)},
        {inner(place, Together::none, rounds), inner(place, Together::none, rounds)},
        rounds};
  }

  Statement uniform_loop(const Place& place) {
    const std::string again = label();
    const unsigned counter = 22 + place.depth;
    const uint32_t rounds = std::min(1 + pick(4), allowed_rounds(place, 4));
    return Statement{
        {fmt::format("  mov_b32 $s{}, {};\n{}:\n", counter, rounds, again),
         fmt::format("  sub_u32 $s{0}, $s{0}, 1;\n  cmp_ne_b1_u32 $c4, $s{0}, 0;\n  cbr_b1 $c4, {1};\n",
                     counter, again)},
        {inner(place, Together::group, rounds)},
        rounds};
  }

  /// A strided loop whose bounds are unknown at compile time, like that of a work-item that handles more than
  /// one element. The index goes up, or down until it wraps.
  Statement walk(const Place& place) {
    const std::string again = label(), index = "$s45", step = "$s46", bound = "$s47", hash = s();
    const uint32_t rounds = allowed_rounds(place, 64);
    const bool down = pick(4) == 0, is_signed = !down && pick(3) == 0,
               counts = place.group_variables && pick(2) != 0;
    // The compiler cannot predict what an atomic load returns.
    std::string head = fmt::format(
        "  atomicnoret_st_global_rlx_agent_b32 [$d20+{0}], {1};\n  atomic_ld_global_rlx_agent_b32 $s21, "
        "[$d20+{0}];\n",
        layout::scratch, rounds - 1);
    for (const std::string& value : {index, step, bound}) {
      const std::string from = s();
      head += fmt::format("  and_b32 {}, {}, $s21;\n", value, from);
    }
    head += fmt::format("  add_u32 {0}, {0}, 1;\n{1}{2}:\n", step,
                        down ? fmt::format("  neg_s32 {0}, {0};\n", step) : "", again);
    // What the last round begins with is seen behind the loop.
    const std::string last_hash = s(), last_index = s();
    std::string body =
        fmt::format("  mov_b32 {}, {};\n  mov_b32 {}, {};\n", last_hash, hash, last_index, index);
    body += fmt::format(
        "  and_b32 $s20, {0}, 7;\n  shl_u32 $s20, $s20, 2;\n  cvt_u64_u32 $d21, $s20;\n"
        "  ld_global_align(4)_u32 $s21, [&words][$d21];\n  mul_u32 {1}, {1}, 31;\n  add_u32 {1}, {1}, "
        "$s21;\n",
        index, hash);
    if (counts) body += "  atomicnoret_add_group_rlx_wg_u32 [&counters][0], $s21;\n";
    const std::string tail =
        fmt::format("  add_u32 {0}, {0}, {1};\n  cmp_lt_b1_{2}32 $c4, {0}, {3};\n  cbr_b1 $c4, {4};\n", index,
                    step, is_signed ? 's' : 'u', bound, again);
    return Statement{{head + body + tail}, {}, rounds};
  }

  /// The place of statements to which lanes may go different ways that meet only behind them.
  Place apart(Place place) const {
    if (!waves_) return place;
    place.met = false;
    place.callable = 0;  // functions observe waves
    return place;
  }

  /// A switch whose cases fall through.
  Statement switch_branch(const Place& place) {
    const std::string a = label(), b = label(), e = label();
    return Statement{
        {fmt::format("  and_b32 $s20, {}, 3;\n  sbr_u32 $s20 [{}, {}, {}, {}];\n{}:\n", s(), a, b, e, a, a),
         b + ":\n", e + ":\n"},
        {inner(place, Together::none), inner(apart(place), Together::none)}};
  }

  /// A control flow graph, usually irreducible, whose blocks branch to each other until the fuel is used up.
  Statement graph(const Place& place) {
    const unsigned blocks = 2 + pick(4), fuel = 22 + place.depth;
    const uint32_t rounds = allowed_rounds(place, 16);
    const std::string out = label();
    std::vector<std::string> heads;
    heads.reserve(blocks);
    for (unsigned i = 0; i < blocks; ++i) heads.push_back(label());
    Statement statement;
    statement.rounds = rounds;
    statement.one_body_a_round = true;
    statement.pieces.push_back(OrderedText{"  and_b32 $s{}, {}, {};\n  cbr_b1 {}, {};\n  br {};\n{}:\n", fuel,
                                           s(), rounds - 1, c(), heads[pick(blocks)], heads[pick(blocks)],
                                           heads[0]}
                                   .text);
    for (unsigned i = 0; i < blocks; ++i) {
      statement.bodies.push_back(inner(apart(place), Together::none, rounds));
      const std::string next = i + 1 < blocks ? heads[i + 1] : out;
      statement.pieces.push_back(
          OrderedText{"  cmp_eq_b1_u32 $c4, $s{0}, 0;\n  cbr_b1 $c4, {1};\n  sub_u32 $s{0}, $s{0}, 1;\n  "
                      "cbr_b1 {2}, {3};\n"
                      "  br {4};\n{5}:\n",
                      fuel, out, c(), heads[pick(blocks)], pick(5) ? heads[pick(blocks)] : out, next}
              .text);
    }
    return statement;
  }

  std::mt19937_64 random_;
  const Pick pick_ = [this](unsigned count) { return pick(count); };
  const bool basic_;
  const bool walks_;
  const bool waves_;
  const bool detects_;  ///< records exceptions (DETECT)
  const uint32_t repeats_;
  std::vector<const Operation*> operations_;
  unsigned labels_ = 0;
};

}  // namespace

Program generate(uint64_t seed, Contents contents) {
  // The same choices are repeated with shorter loops until the program is within the budget. It always is
  // without loops.
  for (uint32_t repeats = 1u << 16;; repeats /= 4) {
    Program program = Generator(seed, contents, repeats).program();
    if (repeats == 1 || program.instructions() <= instruction_budget) return program;
  }
}

}  // namespace heddle::tools::fuzz
