// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores and atomics in every segment, type and vector size, aligned and unaligned: interpreter
// against compiled code.
#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

#include "both.h"
#include "instruction_kernel.h"

namespace heddle::testing {
namespace {

constexpr unsigned item_words =
    96;  // of data for each work-item: 16 words of input, 16 to copy to, then results
constexpr uint32_t items = 16;

std::vector<uint64_t> random_words(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> result(item_words * items);
  for (uint64_t& word : result) word = random();
  return result;
}

/// The start of every kernel. It sets $d0 to the address of the work-item's data.
const std::string prologue = fmt::format(R"(
  ld_kernarg_u64 $d0, [%data];
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d1, $s0;
  mul_u64 $d1, $d1, {};
  add_u64 $d0, $d0, $d1;
)",
                                         8 * item_words);

struct Type {
  const char* name;
  char reg;
  unsigned size;
};
/// f16 is left out, because the bits above an f16 in its register are undefined.
constexpr Type types[] = {{"u8", 's', 1},  {"s8", 's', 1},  {"u16", 's', 2},  {"s16", 's', 2},
                          {"u32", 's', 4}, {"s32", 's', 4}, {"f32", 's', 4},  {"u64", 'd', 8},
                          {"s64", 'd', 8}, {"f64", 'd', 8}, {"b128", 'q', 16}};

std::string registers(char reg, unsigned first, unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i) list += fmt::format("{}${}{}", i ? ", " : "", reg, first + i);
  return count == 1 ? list : "(" + list + ")";
}

/// Returns a kernel that copies data through a variable of the segment and back, in all vector sizes and at
/// several offsets. It stores the whole registers, so that the extension of narrow types shows.
std::string copy_kernel(const Type& type, const std::string& segment) {
  const bool flat = segment == "flat", in_data = flat || segment == "global";
  const std::string token = flat ? "" : "_" + segment;
  std::string text = fmt::format("prog kernel &copy_{}(kernarg_u64 %data) {{\n", type.name);
  if (!in_data) text += fmt::format("  align(16) {}_u8 %v[80];\n", segment);
  text += prologue;
  unsigned result = 256;
  for (unsigned count : {1u, 2u, 3u, 4u}) {
    for (unsigned offset : {0u, 1u, 16u - type.size}) {
      if (offset + type.size * count > 64) continue;
      const std::string vector = count == 1 ? "" : fmt::format("_v{}", count);
      const std::string in = registers(type.reg, 10, count), out = registers(type.reg, 20, count);
      const std::string place =
          in_data ? fmt::format("[$d0+{}]", 128 + offset) : fmt::format("[%v][{}]", offset);
      text += fmt::format("  ld{}_global_{} {}, [$d0+{}];\n", vector, type.name, in, offset);
      text += fmt::format("  st{}{}_{} {}, {};\n", vector, token, type.name, in, place);
      text += fmt::format("  ld{}{}_{} {}, {};\n", vector, token, type.name, out, place);
      if (type.reg == 'q') {
        text += fmt::format("  st_global_b128 $q{}, [$d0+{}];\n", 20 + count - 1, result);
        result += 16;
        continue;
      }
      for (unsigned i = 0; i < count; ++i) {
        text += fmt::format("  st_global_{} ${}{}, [$d0+{}];\n", type.reg == 's' ? "u32" : "u64", type.reg,
                            20 + i, result);
        result += 8;
      }
    }
  }
  return text + "};\n";
}

TEST(MemoryDifferential, LoadsAndStores) {
  for (const char* segment : {"global", "flat", "group", "private", "spill"}) {
    std::string text(instruction_module);
    std::vector<std::string> kernels;
    for (const Type& type : types) {
      kernels.push_back(fmt::format("&copy_{}", type.name));
      text += copy_kernel(type, segment);
    }
    expect_same(text, kernels, random_words(segment[1]), items, 4);
  }
}

TEST(MemoryDifferential, AddressesOfPrivateAndGroupVariables) {
  // Work-items of one group would race for the group variable.
  expect_same(std::string(instruction_module) +
                  "prog kernel &k(kernarg_u64 %data) {\n"
                  "  private_u32 %p[4]; group_u32 %g[4]; spill_u64 %s;\n" +
                  prologue + R"(
    ld_v2_global_u32 ($s1, $s2), [$d0];
    st_private_u32 $s1, [%p][4];
    lda_private_u32 $s3, [%p];
    stof_private_u64_u32 $d2, $s3;
    ld_u32 $s4, [$d2+4];
    st_global_u32 $s4, [$d0+128];
    st_u32 $s2, [$d2+8];
    ld_private_u32 $s4, [$s3+8];
    st_global_u32 $s4, [$d0+136];
    st_group_u32 $s1, [%g][12];
    lda_group_u32 $s5, [%g][12];
    stof_group_u64_u32 $d3, $s5;
    ld_u32 $s4, [$d3];
    st_global_u32 $s4, [$d0+144];
    ftos_group_u32_u64 $s6, $d3;
    cmp_eq_u32_u32 $s6, $s6, $s5;
    st_global_u32 $s6, [$d0+152];
    segmentp_private_b1_u64 $c0, $d2; segmentp_group_b1_u64 $c1, $d2; segmentp_global_b1_u64 $c2, $d2;
    cvt_u32_b1 $s7, $c0; cvt_u32_b1 $s8, $c1; cvt_u32_b1 $s9, $c2;
    st_v3_global_u32 ($s7, $s8, $s9), [$d0+160];
    segmentp_private_b1_u64 $c0, $d0; segmentp_group_b1_u64 $c1, $d3; segmentp_global_b1_u64 $c2, $d0;
    cvt_u32_b1 $s7, $c0; cvt_u32_b1 $s8, $c1; cvt_u32_b1 $s9, $c2;
    st_v3_global_u32 ($s7, $s8, $s9), [$d0+176];
    nullptr_private_u32 $s7; stof_private_u64_u32 $d4, $s7; nullptr_u64 $d5; ftos_group_u32_u64 $s8, $d5;
    st_v2_global_u64 ($d4, $d5), [$d0+192];
    st_global_u32 $s8, [$d0+208];
  };)",
              {"&k"}, random_words(1), items, 1);
}

struct Operation {
  const char* name;
  const char* types[4];
  unsigned operands;
  bool returns, plain;  ///< whether it exists as atomic, and as atomicnoret
};
constexpr Operation operations[] = {
    {"ld", {"b32", "b64"}, 0, true, false},
    {"st", {"b32", "b64"}, 1, false, true},
    {"and", {"b32", "b64"}, 1, true, true},
    {"or", {"b32", "b64"}, 1, true, true},
    {"xor", {"b32", "b64"}, 1, true, true},
    {"exch", {"b32", "b64"}, 1, true, false},
    {"add", {"u32", "s32", "u64", "s64"}, 1, true, true},
    {"sub", {"u32", "s32", "u64", "s64"}, 1, true, true},
    {"max", {"u32", "s32", "u64", "s64"}, 1, true, true},
    {"min", {"u32", "s32", "u64", "s64"}, 1, true, true},
    {"wrapinc", {"u32", "u64"}, 1, true, true},
    {"wrapdec", {"u32", "u64"}, 1, true, true},
    {"cas", {"b32", "b64"}, 2, true, false},
};

/// Returns a kernel with all memory orders, with and without result, one after the other on a cell that
/// starts with the same value each time.
std::string atomic_kernel(const Operation& operation, const std::string& type, const std::string& segment) {
  const bool wide = type.find('6') != std::string::npos;
  const char reg = wide ? 'd' : 's';
  const std::string whole = wide ? "u64" : "u32";
  const std::string token = segment == "flat" ? "" : "_" + segment;
  const std::string place = segment == "group" ? "[%v]" : "[$d0+128]";
  const std::string name = operation.name;
  std::string text =
      fmt::format("prog kernel &{}_{}(kernarg_u64 %data) {{\n  group_u64 %v;\n", name, type) + prologue;
  text += fmt::format(
      "  ld_global_{0} ${1}10, [$d0]; ld_global_{0} ${1}11, [$d0+8]; ld_global_{0} ${1}12, [$d0+16];\n",
      whole, reg);
  unsigned result = 256;
  for (bool returns : {true, false}) {
    if (returns ? !operation.returns : !operation.plain) continue;
    for (const std::string order : {"rlx", "scacq", "screl", "scar"}) {
      if (name == "ld" && order != "rlx" && order != "scacq") continue;
      if (name == "st" && order != "rlx" && order != "screl") continue;
      text += fmt::format("  st{}_{} ${}10, {};\n", token, whole, reg, place);
      std::string operands = returns ? fmt::format("${}13, {}", reg, place) : place;
      for (unsigned i = 0; i < operation.operands; ++i) operands += fmt::format(", ${}{}", reg, 11 + i);
      text += fmt::format("  {}_{}{}_{}_wg_{} {};\n", returns ? "atomic" : "atomicnoret", name, token, order,
                          type, operands);
      if (returns) text += fmt::format("  st_global_{} ${}13, [$d0+{}];\n", whole, reg, result);
      text += fmt::format("  ld{}_{} ${}14, {};\n  st_global_{} ${}14, [$d0+{}];\n", token, whole, reg, place,
                          whole, reg, result + 8);
      result += 16;
    }
  }
  return text + "};\n";
}

TEST(MemoryDifferential, Atomics) {
  for (const char* segment : {"global", "flat", "group"}) {
    std::string text(instruction_module);
    std::vector<std::string> kernels;
    for (const Operation& operation : operations) {
      for (const char* type : operation.types) {
        if (type == nullptr) continue;
        kernels.push_back(fmt::format("&{}_{}", operation.name, type));
        text += atomic_kernel(operation, type, segment);
      }
    }
    // Random operands, and operands near the value in memory.
    std::vector<uint64_t> data = random_words(segment[1]);
    for (uint32_t i = 0; i < items; i += 2) data[i * item_words + 1] = data[i * item_words] + i % 5 - 2;
    expect_same(text, kernels, data, items, 1);
  }
}

}  // namespace
}  // namespace heddle::testing
