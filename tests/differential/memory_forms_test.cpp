// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every form of ld, st, atomic and atomicnoret that the instruction tables allow, in kernels with many of
// them: interpreter against compiled code.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>

#include "../finalizer/jit_runner.h"
#include "both.h"
#include "coverage.h"
#include "enumerate.h"
#include "harness.h"
#include "hsail/isa/types.h"
#include "instruction_kernel.h"

namespace heddle::testing {
namespace {

using isa::Field;

constexpr uint32_t items = 2;
constexpr size_t forms_in_kernel = 32;
constexpr size_t kernels_in_module = 16;
constexpr unsigned place = 256;  ///< bytes for each form: also the largest alignment
constexpr unsigned item_bytes = place * (1 + forms_in_kernel);  ///< sources, then a place for each form

struct Form {
  std::string text;
  isa::Mnemonic mnemonic;

  isa::Type type() const { return mnemonic.fields.type(); }
  char letter() const { return isa::register_letter(*isa::register_kind(type())); }
  unsigned count() const { return std::max<unsigned>(mnemonic.fields[Field::vector], 1); }
  unsigned bytes() const { return isa::bit_size(type()) / 8; }
};

/// Returns the form's register operand: $s, $d or $q registers from number 10 on.
std::string registers(const Form& form) {
  std::string list;
  for (unsigned i = 0; i < form.count(); ++i)
    list += fmt::format("{}${}{}", i ? ", " : "", form.letter(), 10 + i);
  return form.count() == 1 ? list : "(" + list + ")";
}

std::string load_registers(const Form& form) {
  std::string text;
  for (unsigned i = 0; i < form.count(); ++i) {
    const char* type = form.letter() == 's' ? "u32" : form.letter() == 'd' ? "u64" : "b128";
    text += fmt::format("  ld_global_{} ${}{}, [$d0+{}];\n", type, form.letter(), 10 + i, 16 * i);
  }
  return text;
}

/// Returns stores of the form's registers. Only 16 bits of an f16 are stored, because the bits above it are
/// undefined.
std::string store_registers(const Form& form, unsigned to) {
  std::string text;
  for (unsigned i = 0; i < form.count(); ++i) {
    const char* type = form.type() == HSA_BRIG_TYPE_F16 ? "u16"
                       : form.letter() == 's'           ? "u32"
                       : form.letter() == 'd'           ? "u64"
                                                        : "b128";
    text += fmt::format("  st_global_{} ${}{}, [$d0+{}];\n", type, form.letter(), 10 + i, to + 16 * i);
  }
  return text;
}

/// Returns code that copies what a form stored in memory of a segment to offset `to` of the data.
std::string copy_back(const Form& form, const std::string& segment, const std::string& name, unsigned from,
                      unsigned to) {
  std::string text;
  const unsigned step = std::min(form.bytes(), 8u), all = form.bytes() * form.count();
  for (unsigned at = 0; at < all; at += step) {
    const char reg = step == 8 ? 'd' : 's';
    text += fmt::format("  ld_{0}_u{1} ${2}4, [{3}][{4}];\n  st_global_u{1} ${2}4, [$d0+{5}];\n", segment,
                        8 * step, reg, name, from + at, to + at);
  }
  return text;
}

constexpr const char* prologue = R"(
  ld_kernarg_u64 $d0, [%data];
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d1, $s0;
  mul_u64 $d1, $d1, {};
  add_u64 $d0, $d0, $d1;
)";

struct Kernel {
  std::string name, segment;  ///< "" is flat
  std::vector<Form> forms;

  bool in_data() const { return segment.empty() || segment == "global"; }
  std::string opcode() const { return forms[0].text.substr(0, 2); }
  static unsigned result(size_t k) { return place * static_cast<unsigned>(1 + k); }

  std::string text() const {
    const std::string formals =
        segment == "kernarg" ? "kernarg_u64 %data, align(256) kernarg_u8 %v[64]" : "kernarg_u64 %data";
    const std::string start = fmt::format(fmt::runtime(prologue), item_bytes);
    if (segment == "arg") return in_function(formals, start);
    std::string variables;
    if (segment == "group" || segment == "private" || segment == "spill")
      variables = fmt::format("  align(256) {}_u8 %v[{}];\n", segment, place * forms.size());
    return fmt::format("prog kernel {}({}) {{\n{}{}{}}};\n", name, formals, variables, start, body());
  }

 private:
  std::string body() const {
    return base_address() + (opcode() == "ld" ? loads() : opcode() == "st" ? stores() : atomics());
  }

  /// Returns the register with the base address of the variable where that address can be taken, else the
  /// variable's name. An access by name may have an opaque type only if the variable has that type.
  std::string variable() const {
    if (segment == "group" || segment == "private") return "$s2";
    if (segment == "readonly" || segment == "kernarg") return "$d2";
    return "%v";
  }
  std::string in_variable(size_t offset) const {
    return variable()[0] == '$' ? fmt::format("[{}+{}]", variable(), offset)
                                : fmt::format("[%v][{}]", offset);
  }
  std::string base_address() const {
    if (variable()[0] != '$') return {};
    return fmt::format("  lda_{}_{} {}, [{}];\n", segment, variable()[1] == 's' ? "u32" : "u64", variable(),
                       segment == "readonly" ? "&longs" : "%v");
  }

  std::string loads() const {
    std::string text;
    if (segment == "group" || segment == "private" || segment == "spill") {
      for (unsigned at = 0; at < 64; at += 8)
        text += fmt::format("  ld_global_u64 $d4, [$d0+{0}];\n  st_{1}_u64 $d4, [%v][{0}];\n", at, segment);
    }
    const std::string from = in_data() ? "[$d0]" : in_variable(0);
    for (size_t k = 0; k < forms.size(); ++k)
      text += fmt::format("  {} {}, {};\n", forms[k].text, registers(forms[k]), from) +
              store_registers(forms[k], result(k));
    return text;
  }

  std::string stores() const {
    std::string text;
    for (size_t k = 0; k < forms.size(); ++k) {
      const Form& form = forms[k];
      const std::string to = in_data() ? fmt::format("[$d0+{}]", result(k)) : in_variable(place * k);
      text += load_registers(form) + fmt::format("  {} {}, {};\n", form.text, registers(form), to);
    }
    for (size_t k = 0; k < forms.size() && !in_data() && segment != "arg"; ++k)
      text += copy_back(forms[k], segment, "%v", place * static_cast<unsigned>(k), result(k));
    return text;
  }

  std::string atomics() const {
    std::string text;
    for (size_t k = 0; k < forms.size(); ++k) {
      const Form& form = forms[k];
      const char reg = form.letter();
      const std::string whole = reg == 'd' ? "u64" : "u32", token = in_data() ? "global" : segment;
      const std::string at = in_data() ? fmt::format("[$d0+{}]", result(k)) : in_variable(place * k);
      std::string operands;
      bool returns = false;
      unsigned sources = 0;
      for (const isa::Operand& operand : isa::operands(*form.mnemonic.variant)) {
        if (!operands.empty()) operands += ", ";
        if (operand.kind == isa::OperandKind::destination) {
          returns = true;
          operands += fmt::format("${}9", reg);
        } else if (operand.kind == isa::OperandKind::address) {
          operands += at;
        } else {
          operands += fmt::format("${}{}", reg, 10 + ++sources);
        }
      }
      text += fmt::format(
          "  ld_global_{0} ${1}10, [$d0]; ld_global_{0} ${1}11, [$d0+8];\n"
          "  ld_global_{0} ${1}12, [$d0+16]; st_{2}_{0} ${1}10, {3};\n  {4} {5};\n"
          "  ld_{2}_{0} ${1}8, {3};\n  st_global_{0} ${1}8, [$d0+{6}];\n",
          whole, reg, token, at, form.text, operands, result(k) + 16);
      if (returns) text += fmt::format("  st_global_{} ${}9, [$d0+{}];\n", whole, reg, result(k) + 32);
    }
    return text;
  }

  /// Returns a kernel and a function that loads from a formal argument, or stores to one of its results.
  std::string in_function(const std::string& formals, const std::string& start) const {
    const std::string function = "&f" + name.substr(1);
    if (opcode() == "ld") {
      std::string give;
      for (unsigned at = 0; at < 64; at += 8)
        give += fmt::format("    ld_global_u64 $d4, [$d0+{0}];\n    st_arg_u64 $d4, [%a][{0}];\n", at);
      return fmt::format(
          "function {0}()(align(256) arg_u8 %v[64], arg_u64 %p) {{\n  ld_arg_u64 $d0, [%p];\n{1}}};\n"
          "prog kernel {2}({3}) {{\n{4}  {{ align(256) arg_u8 %a[64]; arg_u64 %q;\n{5}"
          "    st_arg_u64 $d0, [%q];\n    call {0}()(%a, %q);\n  }}\n}};\n",
          function, loads(), name, formals, start, give);
    }
    std::string take;
    for (size_t k = 0; k < forms.size(); ++k)
      take += copy_back(forms[k], "arg", "%a", place * static_cast<unsigned>(k), result(k));
    return fmt::format(
        "function {0}(align(256) arg_u8 %v[{1}])(arg_u64 %p) {{\n  ld_arg_u64 $d0, [%p];\n{2}}};\n"
        "prog kernel {3}({4}) {{\n{5}  {{ align(256) arg_u8 %a[{1}]; arg_u64 %q;\n"
        "    st_arg_u64 $d0, [%q];\n    call {0}(%a)(%q);\n{6}  }}\n}};\n",
        function, place * forms.size(), stores(), name, formals, start, take);
  }
};

std::string segment_of(const Form& form) {
  switch (form.mnemonic.fields[Field::segment]) {
    case HSA_BRIG_SEGMENT_GLOBAL:
      return "global";
    case HSA_BRIG_SEGMENT_READONLY:
      return "readonly";
    case HSA_BRIG_SEGMENT_KERNARG:
      return "kernarg";
    case HSA_BRIG_SEGMENT_GROUP:
      return "group";
    case HSA_BRIG_SEGMENT_PRIVATE:
      return "private";
    case HSA_BRIG_SEGMENT_SPILL:
      return "spill";
    case HSA_BRIG_SEGMENT_ARG:
      return "arg";
    default:
      return "";
  }
}

std::vector<Kernel> kernels_of(std::string_view opcode) {
  std::vector<Kernel> kernels;
  std::map<std::string, size_t> open;
  for_each_mnemonic(*isa::instruction(opcode), [&](const std::string& text, const isa::Mnemonic& mnemonic) {
    if (is_out_of_reach(mnemonic.fields)) return;
    Form form{text, mnemonic};
    const std::string segment = segment_of(form);
    auto [at, fresh] = open.emplace(segment, kernels.size());
    if (fresh || kernels[at->second].forms.size() == forms_in_kernel) {
      at->second = kernels.size();
      kernels.push_back({fmt::format("&k{}", kernels.size()), segment, {}});
    }
    kernels[at->second].forms.push_back(std::move(form));
  });
  return kernels;
}

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Data = std::unique_ptr<std::byte, Free>;

Data random_data(uint64_t seed) {
  Data data(static_cast<std::byte*>(std::aligned_alloc(place, items * item_bytes)));
  std::mt19937_64 random(seed);
  auto* words = reinterpret_cast<uint64_t*>(data.get());
  for (size_t i = 0; i < items * item_bytes / 8; ++i) words[i] = random();
  words[item_bytes / 8 + 1] = words[item_bytes / 8];  // the second work-item's cas finds what it expects
  return data;
}

struct Kernarg {
  alignas(256) uint64_t words[64] = {};
};

void compare(const Kernel& kernel, const LoadedProgram& interpreted, LoadedCode& compiled, uint64_t seed) {
  Data expected = random_data(seed);
  const GuardedCopy<std::byte> got(std::span(expected.get(), items * item_bytes), guard_of_turn(seed));
  Kernarg kernarg;
  for (unsigned i = 32; i < 40; ++i) kernarg.words[i] = seed * 0x9e3779b97f4a7c15 * i;
  kernarg.words[0] = address(expected.get());
  const auto fault = interpreted.run(kernel.name, {kernarg.words, kernarg.words + 64}, items, 1);
  ASSERT_EQ(id(fault), "none") << message(fault) << "\n" << kernel.text();
  kernarg.words[0] = address(got.data());
  const Trap trap = compiled.run(kernel.name, kernarg.words, {{items, 1, 1}, {1, 1, 1}, 1});
  ASSERT_FALSE(trap.taken) << kernel.text();
  for (size_t k = 0; k < kernel.forms.size(); ++k) {
    bool same = true, changed = false;
    const Data before = random_data(seed);
    for (uint32_t item = 0; item < items; ++item) {
      const size_t at = item * item_bytes + Kernel::result(k);
      same = same && std::equal(expected.get() + at, expected.get() + at + place, got.data() + at);
      changed = changed || !std::equal(expected.get() + at, expected.get() + at + place, before.get() + at);
    }
    EXPECT_TRUE(same) << kernel.forms[k].text;
    EXPECT_TRUE(changed) << kernel.forms[k].text << " leaves no trace";
    if (same && changed) record_form(kernel.forms[k].text);
  }
}

class MemoryForms : public ::testing::TestWithParam<const char*> {};

TEST_P(MemoryForms, InterpreterAndCompiledCodeAgree) {
  const std::vector<Kernel> kernels = kernels_of(GetParam());
  for (size_t first = 0; first < kernels.size(); first += kernels_in_module) {
    const size_t last = std::min(kernels.size(), first + kernels_in_module);
    std::string text =
        std::string(instruction_module) +
        "extension \"IMAGE\";\nalign(256) readonly_u64 &longs[8] = u64[](0x0123456789abcdef, "
        "0xfedcba9876543210, 0x8000000000000001, 0x7fff8000ff7f0180, 3, 5, 7, 0xa5a5a5a5a5a5a5a5);\n";
    for (size_t k = first; k < last; ++k) text += kernels[k].text();
    std::string why;
    auto object = compile(text, why);
    ASSERT_TRUE(object) << why << text.substr(0, 4000);
    LoadedProgram interpreted(text);
    ASSERT_TRUE(interpreted.good());
    LoadedCode compiled(std::move(*object));
    for (size_t k = first; k < last; ++k) compare(kernels[k], interpreted, compiled, k + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, MemoryForms, ::testing::Values("ld", "st", "atomic", "atomicnoret"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace heddle::testing
