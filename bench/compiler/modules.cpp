// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "modules.h"

#include <fmt/format.h>

#include <iterator>

namespace bench {
namespace {

constexpr const char* head = "target triple = \"amdgcn-amd-amdhsa\"\n";

std::string begin_of(size_t number) {
  return fmt::format("define amdgpu_kernel void @kernel{}(ptr addrspace(1) %p, i32 %n) {{\n", number);
}

// Loads, sums and stores, four instructions each. The next value depends on the one before.
std::string chain(size_t instructions) {
  std::string text = "  %v0 = add i32 %n, 1\n";
  auto out = std::back_inserter(text);
  for (size_t i = 0; i + 4 <= instructions; i += 4) {
    const size_t k = i / 4;
    fmt::format_to(out,
                   "  %a{0} = getelementptr i32, ptr addrspace(1) %p, i64 {1}\n  %l{0} = load i32, ptr "
                   "addrspace(1) %a{0}\n"
                   "  %v{2} = mul i32 %v{0}, %l{0}\n  store i32 %v{2}, ptr addrspace(1) %a{0}\n",
                   k, (k * 7) % 1024, k + 1);
  }
  return text;
}

std::string one_line(size_t instructions) {
  return head + begin_of(0) + chain(instructions) + "  ret void\n}\n";
}

std::string many_functions(size_t instructions) {
  std::string text = head;
  for (size_t i = 0; i < instructions / 100; ++i) text += begin_of(i) + chain(100) + "  ret void\n}\n";
  return text;
}

// Each block ends with a comparison, and adds to a value in one of two ways.
std::string many_blocks(size_t instructions) {
  std::string text = head + begin_of(0) + "  br label %b0\n";
  auto out = std::back_inserter(text);
  const size_t count = instructions / 8;
  for (size_t i = 0; i < count; ++i) {
    const std::string value = i == 0 ? "%n" : fmt::format("%v{}", i - 1);
    fmt::format_to(
        out,
        "b{0}:\n  %a{0} = getelementptr i32, ptr addrspace(1) %p, i64 {0}\n"
        "  %l{0} = load volatile i32, ptr addrspace(1) %a{0}\n  %c{0} = icmp ult i32 %l{0}, {1}\n"
        "  br i1 %c{0}, label %t{0}, label %j{0}\nt{0}:\n  store volatile i32 {1}, ptr addrspace(1) %a{0}\n"
        "  br label %j{0}\nj{0}:\n  %v{0} = phi i32 [{1}, %b{0}], [%l{0}, %t{0}]\n  br label %b{2}\n",
        i, value, i + 1);
  }
  fmt::format_to(out, "b{}:\n  ret void\n}}\n", count);
  return text;
}

// All values are loaded before the first is stored.
std::string many_live(size_t instructions) {
  std::string text = head + begin_of(0);
  auto out = std::back_inserter(text);
  const size_t count = instructions / 4;
  for (size_t i = 0; i < count; ++i) {
    fmt::format_to(out,
                   "  %a{0} = getelementptr i32, ptr addrspace(1) %p, i64 {0}\n"
                   "  %l{0} = load volatile i32, ptr addrspace(1) %a{0}\n",
                   i);
  }
  for (size_t i = 0; i < count; ++i) {
    fmt::format_to(out, "  %s{0} = add i32 %l{0}, {0}\n  store volatile i32 %s{0}, ptr addrspace(1) %a{1}\n",
                   i, count - 1 - i);
  }
  return text + "  ret void\n}\n";
}

// Cases that are dense (factor 1) or far apart, each with a store of its own.
std::string switch_of(size_t instructions, size_t factor) {
  const size_t count = instructions / 2;
  std::string text = head + begin_of(0) + "  switch i32 %n, label %end [\n";
  auto out = std::back_inserter(text);
  for (size_t i = 0; i < count; ++i) fmt::format_to(out, "    i32 {}, label %c{}\n", i * factor, i);
  text += "  ]\n";
  for (size_t i = 0; i < count; ++i) {
    fmt::format_to(out, "c{0}:\n  store volatile i32 {1}, ptr addrspace(1) %p\n  br label %end\n", i, i * 3);
  }
  return text + "end:\n  ret void\n}\n";
}
std::string dense_switch(size_t instructions) { return switch_of(instructions, 1); }
std::string sparse_switch(size_t instructions) { return switch_of(instructions, 1000); }

// Loops behind each other, in each of which eight values change places.
std::string deep_phis(size_t instructions) {
  constexpr size_t width = 8;
  const size_t count = instructions / (width + 4);
  std::string text = head + begin_of(0) + "  br label %b0\n";
  auto out = std::back_inserter(text);
  for (size_t i = 0; i < count; ++i) {
    fmt::format_to(out, "b{}:\n", i);
    for (size_t k = 0; k < width; ++k) {
      const std::string first = i == 0 ? std::to_string(k) : fmt::format("%x{}.{}", i - 1, k);
      const std::string before = i == 0 ? "%0" : fmt::format("%b{}", i - 1);
      fmt::format_to(out, "  %x{0}.{1} = phi i32 [{2}, {3}], [%x{0}.{4}, %b{0}]\n", i, k, first, before,
                     (k + 1) % width);
    }
    fmt::format_to(out,
                   "  store volatile i32 %x{0}.0, ptr addrspace(1) %p\n  %l{0} = load volatile i32, ptr "
                   "addrspace(1) %p\n"
                   "  %c{0} = icmp ult i32 %l{0}, %n\n  br i1 %c{0}, label %b{0}, label %b{1}\n",
                   i, i + 1);
  }
  fmt::format_to(out, "b{}:\n  ret void\n}}\n", count);
  return text;
}

}  // namespace

std::span<const Shape> shapes() {
  static const Shape all[] = {
      {"line", "one block", one_line},
      {"functions", "kernels of 100 instructions", many_functions},
      {"blocks", "blocks with a branch each", many_blocks},
      {"live", "values that are live at the same time", many_live},
      {"dense switch", "one switch over successive numbers", dense_switch},
      {"sparse switch", "one switch over numbers far apart", sparse_switch},
      {"phis", "loops with eight values that change places", deep_phis},
  };
  return all;
}

}  // namespace bench
