// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/debug/graph.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hsail/assemble/assemble.h"

namespace heddle::debug {
namespace {

struct Read {
  brig::Module module;
  Diagnostics diagnostics;
  std::unique_ptr<DebugGraph> graph;

  size_t warnings(std::string_view id) const {
    const auto& all = diagnostics.all();
    return static_cast<size_t>(std::count_if(all.begin(), all.end(), [&](const Diagnostic& diagnostic) {
      return diagnostic.id == id && diagnostic.severity == Severity::warning &&
             diagnostic.location.has_binary();
    }));
  }
  std::string warnings() const { return diagnostics.print(); }
};

/// `src` has the operands of hsa.tools.debug.src pragmas, without the pragma's name.
std::unique_ptr<Read> read(const std::vector<std::string>& src, std::string_view rest = "") {
  auto result = std::make_unique<Read>();
  std::string text = "module &m:1:2:$full:$large:$default;\n";
  for (const std::string& operands : src)
    text += fmt::format("pragma \"hsa.tools.debug.src\", {};\n", operands);
  text += rest;
  std::vector<std::byte> bytes;
  EXPECT_TRUE(assemble::assemble(text, "file.hsail", bytes, result->diagnostics)) << result->warnings();
  result->module = brig::Module::open(bytes, result->diagnostics);
  EXPECT_TRUE(result->module) << result->warnings();
  result->graph = std::make_unique<DebugGraph>(result->module, result->diagnostics);
  return result;
}

const std::string integer = R"(1, "BasicType", 0, 32, 32, "int", "Signed")";
const std::string variable = R"(2, "LocalVariable", 0, 0, 1, "x", 0)";

TEST(DebugGraph, FieldsAndLists) {
  const auto r = read({integer, variable, R"(3, "Subrange", 0, 4, 1)", R"(4, "List", 3, 3)",
                       R"(5, "IndexableType", 0, 128, 32, 0, 1, 4, "Array")"});
  EXPECT_EQ(r->warnings(), "");
  const DebugEntity* type = r->graph->find(1);
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->tag, DebugTag::basic_type);
  EXPECT_EQ(type->number(DebugField::size), 32u);
  EXPECT_EQ(type->text(DebugField::name), "int");
  EXPECT_EQ(type->text(DebugField::tag), "Signed");
  EXPECT_EQ(r->graph->find(2)->number(DebugField::type), 1u);
  EXPECT_EQ(r->graph->find(5)->elements(DebugField::elements).size(), 2u);
  EXPECT_EQ(r->graph->find(5)->text(DebugField::folder), "");
  EXPECT_EQ(r->graph->find(0), nullptr);
  EXPECT_EQ(r->graph->find(6), nullptr);
}

TEST(DebugGraph, UnknownNamesAndTagsSayNothing) {
  const auto r = read({R"(1, "Lambda", 7)", integer}, R"(pragma "hsa.tools.debug.new", 1;
pragma "hsa.tools.debug.ref", "Elsewhere", 9;
pragma "hsa.tools.debug.expr", 3, 0, "Multiply", 9;
pragma "vendor.debug", 1, "List";
)");
  EXPECT_EQ(r->warnings(), "");
  EXPECT_EQ(r->graph->find(1)->tag, DebugTag::basic_type);
}

TEST(DebugGraph, MalformedPragmasAreIgnored) {
  const auto r = read({R"(0, "List")", R"("List", 1)", R"(1, 2, 3)",
                       R"(3, "BasicType", 0, 32, 32, 7, "Signed")", R"(4, "BasicType", 0, 32)",
                       R"(5, "Subrange", 0, "4", 0)", R"(6, "List", 0, "a")", R"(7, "Subrange", 0, 1.5, 0)"});
  EXPECT_EQ(r->warnings("HSAIL-13.4.2.2-operand"), 8u) << r->warnings();
  EXPECT_EQ(r->graph->entities().size(), 1u);
}

TEST(DebugGraph, NumbersAreUnique) {
  const auto r = read({integer, R"(1, "BasicType", 0, 8, 8, "char", "SignedChar")"},
                      R"(pragma "hsa.tools.debug.expr", 1, 0, "Constu", 9;)");
  EXPECT_EQ(r->warnings("HSAIL-13.4.2.2-number"), 2u) << r->warnings();
  EXPECT_EQ(r->graph->find(1)->text(DebugField::name), "int");
}

TEST(DebugGraph, ReferencesToNothingAndToOtherKinds) {
  const auto r =
      read({integer, R"(2, "LocalVariable", 0, 0, 99, "x", 0)", R"(3, "LocalVariable", 0, 1, 1, "y", 0)",
            R"(4, "IndexableType", 0, 0, 0, 0, 1, 1, "Array")", R"(5, "List", 1, 77, 2)",
            R"(6, "CompositeType", 0, 32, 32, 0, 5, "Structure")"});
  // Entity 99 does not exist, 1 is no Location, 1 is no List, and 77 does not exist.
  EXPECT_EQ(r->warnings("HSAIL-13.4.2.2-reference"), 4u) << r->warnings();
  EXPECT_EQ(r->graph->find(2)->number(DebugField::type), 0u);
  EXPECT_EQ(r->graph->find(3)->number(DebugField::location), 0u);
  EXPECT_EQ(r->graph->find(3)->number(DebugField::type), 1u);
  EXPECT_EQ(r->graph->find(6)->elements(DebugField::elements).size(), 2u);
}

TEST(DebugGraph, CirclesAreCut) {
  const auto r =
      read({R"(1, "Namespace", 2, 0, "a")", R"(2, "Namespace", 1, 0, "b")",
            R"(3, "DerivedType", 0, 0, 0, 4, "Const", 0)", R"(4, "DerivedType", 0, 0, 0, 3, "Pointer", 0)",
            R"(5, "DerivedType", 0, 0, 0, 5, "Volatile", 0)"});
  EXPECT_EQ(r->warnings("HSAIL-13.4.2.2-cycle"), 3u) << r->warnings();
  EXPECT_EQ(r->graph->find(1)->number(DebugField::scope) * r->graph->find(2)->number(DebugField::scope), 0u);
  EXPECT_EQ(r->graph->find(3)->number(DebugField::type) * r->graph->find(4)->number(DebugField::type), 0u);
  EXPECT_EQ(r->graph->find(5)->number(DebugField::type), 0u);
}

TEST(DebugGraph, StructuresPointToThemselvesButDoNotContainThemselves) {
  const auto r =
      read({R"(1, "List", 2, 4)", R"(2, "DerivedType", 0, 0, 0, 3, "Member", 0)",
            R"(3, "DerivedType", 0, 64, 64, 9, "Pointer", 0)", R"(4, "DerivedType", 0, 0, 0, 9, "Member", 0)",
            R"(9, "CompositeType", 0, 64, 64, 0, 1, "Structure")"});
  EXPECT_EQ(r->warnings("HSAIL-13.4.2.2-cycle"), 1u) << r->warnings();
  EXPECT_EQ(r->graph->find(3)->number(DebugField::type), 9u);
  EXPECT_EQ(r->graph->find(2)->number(DebugField::type), 3u);
}

TEST(DebugGraph, LongChainsAreCut) {
  std::vector<std::string> chain;
  for (unsigned i = 1; i < 5000; ++i)
    chain.push_back(fmt::format(R"({}, "DerivedType", 0, 0, 0, {}, "Const", 0)", i, i + 1));
  chain.push_back(R"(5000, "BasicType", 0, 32, 32, "int", "Signed")");
  const auto r = read(chain);
  EXPECT_GE(r->warnings("HSAIL-13.4.2.2-cycle"), 2u);
  EXPECT_LE(r->diagnostics.all().size(), DebugGraph::most_warnings);
  for (uint64_t from = 1; from < 5000; ++from) {
    unsigned steps = 0;
    for (uint64_t at = from; at != 0; at = r->graph->find(at)->number(DebugField::type)) ++steps;
    ASSERT_LE(steps, DebugGraph::most_depth + 1);
  }
}

TEST(DebugGraph, OnlySoManyTypes) {
  std::vector<std::string> many;
  for (size_t i = 1; i <= DebugGraph::most_types + 5; ++i)
    many.push_back(fmt::format(R"({}, "BasicType", 0, 32, 32, "int", "Signed")", i));
  const auto r = read(many);
  EXPECT_EQ(r->warnings("HSAIL-13.4.2.2-types"), 1u);
  EXPECT_EQ(r->graph->entities().size(), DebugGraph::most_types);
}

TEST(DebugGraph, OtherMajorVersionsAreIgnored) {
  const auto r = read({integer}, "pragma \"hsa.tools.debug.version\", 2, 0;\n");
  EXPECT_EQ(r->warnings("HSAIL-13.4.2.2-version"), 1u);
  EXPECT_TRUE(r->graph->empty());
  EXPECT_FALSE(read({integer}, "pragma \"hsa.tools.debug.version\", 1, 9;\n")->graph->empty());
}

/// Returns a kernel with a private variable and a register, to be placed after the pragmas.
std::string kernel(std::string_view inside) {
  return fmt::format("global_u32 &g;\nkernel &k()\n{{\n  private_u32 %p[4];\n  mov_b32 $s1, 0;\n  {}\n}};\n",
                     inside);
}
std::string reference(std::string_view operands) {
  return fmt::format("pragma \"hsa.tools.debug.ref\", {};\n", operands);
}
std::string expression(std::string_view operands) {
  return fmt::format("pragma \"hsa.tools.debug.expr\", {};\n", operands);
}

TEST(DebugGraph, LocalReferences) {
  const auto r =
      read({integer, variable},
           expression(R"(10, 11, "PlusUconst", 4)") + expression(R"(11, 12, "Dereference", "group")") +
               expression(R"(12, 0, "Fragment", 8, 16)") + expression(R"(13, 0, "Constu", 7)") +
               kernel(reference(R"("LocalAddr", 2, %p, 10)") + reference(R"("LocalRegister", 2, $s1, 12)") +
                      reference(R"("LocalImplicit", 2, 13)") + reference(R"("LocalImplicit", 2, 0)")));
  EXPECT_EQ(r->warnings(), "");
  const auto all = r->graph->references();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].kind, DebugReference::Kind::local_addr);
  EXPECT_EQ(r->module.name(all[0].target), "%p");
  const std::vector<DebugExpression::Step> steps = {{std::nullopt, 4}, {HSA_BRIG_SEGMENT_GROUP, 0}};
  EXPECT_EQ(all[0].expression.steps, steps);
  EXPECT_EQ(all[0].expression.piece, (DebugExpression::Piece{8, 16}));
  EXPECT_EQ(all[1].reg, (brig::Register{HSA_BRIG_REGISTER_KIND_SINGLE, 1}));
  EXPECT_EQ(all[2].expression.constant, 7u);
  EXPECT_EQ(all[3].expression.constant, std::nullopt);
}

TEST(DebugGraph, ModuleReferences) {
  const auto r = read(
      {integer, R"(2, "GlobalVariable", 0, 0, 1, "v", "", "")", R"(3, "Subprogram", 0, 0, 0, "f", "", 0)"},
      expression(R"(13, 0, "Constu", 7)") + kernel("") + reference(R"("Subprogram", 3, &k)") +
          reference(R"("GlobalAddr", 2, &g, 0)") + reference(R"("GlobalImplicit", 2, 13)"));
  EXPECT_EQ(r->warnings(), "");
  EXPECT_EQ(r->graph->references().size(), 2u);
  brig::Offset executable = 0;
  r->module.for_each_in_module_scope([&](brig::Offset at) {
    if (r->module.is_executable(at)) executable = at;
  });
  EXPECT_EQ(r->graph->subprogram_of(executable), 3u);
  EXPECT_TRUE(r->graph->references_in(executable).empty());
}

TEST(DebugGraph, MalformedReferencesAreIgnored) {
  const std::vector<std::string> local = {
      R"("LocalRegister", 9, $s1, 0)",   // no such variable
      R"("LocalRegister", 1, $s1, 0)",   // a type
      R"("LocalRegister", 2, %p, 0)",    // no register
      R"("LocalAddr", 2, $s1, 0)",       // no identifier
      R"("LocalAddr", 2, &k, 0)",        // no variable
      R"("LocalAddr", 2, %p)",           // no expression
      R"("LocalAddr", 2, %p, 2)",        // no expression
      R"("LocalAddr", 2, %p, 13)",       // leaves a value
      R"("LocalAddr", 2, %p, 15)",       // segment
      R"("LocalRegister", 2, $s1, 10)",  // calculates
      R"("LocalImplicit", 2, 10)",       // no address on the stack
      R"("LocalAddr", 2, %p, 16)",       // Fragment not last
      R"("LocalAddr", 2, %p, 17)",       // empty Fragment
      R"("GlobalAddr", 5, &g, 0)",       // not in a kernel
  };
  std::string inside;
  for (const std::string& operands : local) inside += reference(operands);
  const auto r = read(
      {integer, variable, R"(3, "Subprogram", 0, 0, 0, "f", "", 0)",
       R"(5, "GlobalVariable", 0, 0, 1, "v", "", "")"},
      expression(R"(10, 0, "PlusUconst", 4)") + expression(R"(13, 0, "Constu", 7)") +
          expression(R"(15, 0, "Dereference", "spill")") + expression(R"(16, 10, "Fragment", 0, 8)") +
          expression(R"(17, 0, "Fragment", 0, 0)") + kernel(inside) + reference(R"("Subprogram", 3, &g)") +
          reference(R"("GlobalImplicit", 5, 0)") + reference(R"("LocalImplicit", 5, 13)") +
          reference(R"("Subprogram", 3, &k)") + reference(R"("Subprogram", 3, &k)"));
  EXPECT_EQ(r->warnings("HSAIL-13.4.2.2-reference"), local.size() + 4) << r->warnings();
  EXPECT_TRUE(r->graph->references().empty());
}

TEST(DebugGraph, ExpressionsInCirclesEnd) {
  const auto r = read({integer, variable}, expression(R"(10, 11, "PlusUconst", 4)") +
                                               expression(R"(11, 10, "PlusUconst", 4)") +
                                               kernel(reference(R"("LocalAddr", 2, %p, 10)")));
  EXPECT_EQ(r->warnings("HSAIL-13.4.2.2-cycle"), 1u) << r->warnings();
  EXPECT_EQ(r->graph->references().size(), 1u);
}

}  // namespace
}  // namespace heddle::debug
