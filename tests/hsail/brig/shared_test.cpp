// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening modules whose entries share long lists and names takes no longer than their size explains.
#include <chrono>
#include <stdexcept>
#include <string>

#include "hsail/brig/operands.h"
#include "sample.h"

namespace heddle::brig::test {
namespace {

constexpr size_t elements = 300'000;
constexpr size_t entries = 40'000;
// Walking a shared list again for each entry takes at least ten times as long.
constexpr std::chrono::seconds patience{6};

constexpr std::string_view header = "module &m:1:2:$full:$large:$default;\n";

std::string repeated(std::string_view text, size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

/// The bytes of a module, which tests change, and the module before the changes.
struct Changing {
  explicit Changing(const std::string& text) : bytes(assemble(text)) {
    Diagnostics diagnostics;
    before = Module::open(bytes, diagnostics);
    if (!before) throw std::invalid_argument(diagnostics.print());
  }
  template <typename T>
  T& code_as(Offset at) {
    return *reinterpret_cast<T*>(bytes.data() + (before.code().data() - before.bytes().data()) + at);
  }
  template <typename T>
  T& operand_as(Offset at) {
    return *reinterpret_cast<T*>(bytes.data() + (before.operands().data() - before.bytes().data()) + at);
  }
  template <typename Visit>
  void for_each_code(unsigned kind, Visit visit) {
    for (Offset at = before.code_begin(); at < before.code_end(); at = before.next_code(at))
      if (before.code_kind(at) == kind) visit(at);
  }
  template <typename Visit>
  void for_each_operand(unsigned kind, Visit visit) {
    for (Offset at = before.operands_begin(); at < before.operands_end();
         at += before.operand_entry(at).byte_count)
      if (before.operand_entry(at).kind == kind) visit(at);
  }
  /// Returns the longest entry of hsa_data.
  Offset longest_data() const {
    Offset longest = before.data_begin();
    for (Offset at = before.data_begin(); at < before.data().size();) {
      const size_t size = before.data_bytes(at).size();
      if (size > before.data_bytes(longest).size()) longest = at;
      at += static_cast<Offset>((sizeof(uint32_t) + size + 3) / 4 * 4);
    }
    return longest;
  }
  void expect_to_open_soon() const {
    const auto start = std::chrono::steady_clock::now();
    Diagnostics diagnostics;
    EXPECT_TRUE(Module::open(bytes, diagnostics)) << diagnostics.print();
    EXPECT_LT(std::chrono::steady_clock::now() - start, patience);
  }

  std::vector<std::byte> bytes;
  Module before;
};

TEST(SharedLists, Pragmas) {
  std::string text(header);
  text += "pragma \"long\"" + repeated(", 1", elements) + ";\n" + repeated("pragma \"short\";\n", entries);
  for (size_t i = 0; i < entries; ++i)
    text += "prog kernel &k" + std::to_string(i) + "() { pragma \"short\"; };\n";
  Changing module(text);
  const Offset list = module.longest_data();
  module.for_each_code(HSA_BRIG_KIND_DIRECTIVE_PRAGMA,
                       [&](Offset at) { module.code_as<hsa_brig_directive_pragma_t>(at).operands = list; });
  module.expect_to_open_soon();
}

TEST(SharedLists, Labels) {
  std::string text(header);
  text += "prog kernel &k() {\n@a:\n@b:\n";
  // All lists differ, because equal lists would be one operand.
  for (size_t i = 0; i < entries; ++i) {
    text += "sbr_u32 $s0 [";
    for (size_t bit = 1; bit <= entries; bit *= 2) text += i & bit ? "@a, " : "@b, ";
    text += "@a];\n";
  }
  text += "sbr_u32 $s0 [@a" + repeated(", @b", elements) + "];\n};\n";
  Changing module(text);
  const Offset list = module.longest_data();
  module.for_each_operand(HSA_BRIG_KIND_OPERAND_CODE_LIST, [&](Offset at) {
    module.operand_as<hsa_brig_operand_code_list_t>(at).elements = list;
  });
  module.expect_to_open_soon();
}

TEST(SharedLists, InitialValues) {
  std::string text(header);
  for (size_t i = 0; i < entries; ++i) {
    const std::string n = std::to_string(i);
    text += "prog global_b8 &v" + n + "[8] = {u32(" + n + "), u32(7)};\n";
  }
  text += "prog global_b8 &all[" + std::to_string(4 * (elements + 1)) + "] = {u32(1)" +
          repeated(", u32(2)", elements) + "};\n";
  Changing module(text);
  const Offset list = module.longest_data();
  module.for_each_operand(HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST, [&](Offset at) {
    module.operand_as<hsa_brig_operand_constant_operand_list_t>(at).elements = list;
  });
  module.for_each_code(HSA_BRIG_KIND_DIRECTIVE_VARIABLE, [&](Offset at) {
    module.code_as<hsa_brig_directive_variable_t>(at).dim.lo = 4 * (elements + 1);
  });
  module.expect_to_open_soon();
}

TEST(SharedLists, AggregatesInPragmas) {
  std::string text(header);
  for (size_t i = 0; i < entries; ++i) text += "pragma \"p\", {u32(" + std::to_string(i) + "), u32(7)};\n";
  text += "pragma \"p\", {u32(1)" + repeated(", u32(2)", elements) + "};\n";
  Changing module(text);
  const Offset list = module.longest_data();
  module.for_each_operand(HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST, [&](Offset at) {
    module.operand_as<hsa_brig_operand_constant_operand_list_t>(at).elements = list;
  });
  module.expect_to_open_soon();
}

/// The pragmas are in places where the name of a variable is hidden. Each of them names another variable many
/// times.
TEST(SharedLists, PragmasWhereNamesAreHidden) {
  std::string text(header);
  text +=
      "function &f()(arg_u32 %x) { };\nkernel &k() {\nprivate_u32 %hidden;\nprivate_u32 %named;\npragma "
      "\"long\"" +
      repeated(", %named", elements) + ";\n" +
      repeated("{ arg_u32 %a; pragma \"short\"; call &f () (%a); }\n", entries) + "};\n";
  Changing module(text);
  const Offset list = module.longest_data();
  module.for_each_code(HSA_BRIG_KIND_DIRECTIVE_PRAGMA,
                       [&](Offset at) { module.code_as<hsa_brig_directive_pragma_t>(at).operands = list; });
  Offset name = 0;
  module.for_each_code(HSA_BRIG_KIND_DIRECTIVE_VARIABLE, [&](Offset at) {
    if (module.before.name(at) == "%hidden")
      name = module.before.code_as<hsa_brig_directive_variable_t>(at).name;
    if (module.before.name(at) == "%a") module.code_as<hsa_brig_directive_variable_t>(at).name = name;
  });
  module.expect_to_open_soon();
}

TEST(SharedNames, OfLabelsAndDeclarations) {
  std::string text(header);
  text += "decl prog global_u32 &" + std::string(elements, 'x') + ";\n" +
          repeated("decl prog global_u32 &y;\n", entries) + "prog kernel &k() {\n@" +
          std::string(elements, 'z') + ":\n};\n";
  for (size_t i = 0; i < entries; ++i) text += "prog kernel &k" + std::to_string(i) + "() { @l: };\n";
  Changing module(text);
  for (const unsigned kind : {HSA_BRIG_KIND_DIRECTIVE_VARIABLE, HSA_BRIG_KIND_DIRECTIVE_LABEL}) {
    Offset name = 0;  // of the first
    module.for_each_code(kind, [&](Offset at) {
      auto& entry = module.code_as<hsa_brig_directive_label_t>(at);
      if (name == 0) name = entry.name;
      entry.name = name;
    });
  }
  module.expect_to_open_soon();
}

/// A list that is valid for one entry is still checked for the other entries that share it.
TEST(SharedLists, AreStillCheckedForEachPlace) {
  std::string text(header);
  text += "prog kernel &k() {\n@a:\nsbr_u32 $s0 [@a" + repeated(", @a", 100) +
          "];\n};\nprog kernel &l() {\n@a:\nsbr_u32 $s0 [@a, @a];\npragma \"x\"" + repeated(", @a", 100) +
          ";\n};\nprog kernel &n() {\npragma \"x\";\n};\n";
  Changing module(text);
  Offset longest = 0, longest_pragma = 0;
  module.for_each_operand(HSA_BRIG_KIND_OPERAND_CODE_LIST, [&](Offset at) {
    auto& entry = module.operand_as<hsa_brig_operand_code_list_t>(at);
    if (longest == 0) longest = entry.elements;
    entry.elements = longest;
  });
  module.for_each_code(HSA_BRIG_KIND_DIRECTIVE_PRAGMA, [&](Offset at) {
    auto& entry = module.code_as<hsa_brig_directive_pragma_t>(at);
    if (longest_pragma == 0) longest_pragma = entry.operands;
    entry.operands = longest_pragma;
  });
  Diagnostics diagnostics;
  EXPECT_FALSE(Module::open(module.bytes, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1u) << diagnostics.print();
  EXPECT_EQ(diagnostics.all()[0].id, "BRIG-13.4-scope");
  // Without the bad pragma, the errors of the labels appear.
  module.for_each_code(HSA_BRIG_KIND_DIRECTIVE_PRAGMA, [&](Offset at) {
    module.code_as<hsa_brig_directive_pragma_t>(at).operands =
        module.before.code_as<hsa_brig_directive_pragma_t>(at).operands;
  });
  Diagnostics again;
  EXPECT_FALSE(Module::open(module.bytes, again));
  ASSERT_EQ(again.all().size(), 1u) << again.print();
  EXPECT_EQ(again.all()[0].id, "BRIG-18.6.5-label");
}

}  // namespace
}  // namespace heddle::brig::test
