// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// include/hsail/hsail.hpp: ownership, results and diagnostics. Tests of the libraries below cover what the
// calls compute.
#include <gtest/gtest.h>
#include <hsail/hsail.hpp>

#include <type_traits>

namespace {

constexpr std::string_view good = R"(module &m:1:0:$full:$large:$default;
prog global_u32 &total = 3;
prog kernel &k(kernarg_u64 %out) { ret; };
)";

std::vector<std::byte> copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

hsail::Blob brig_of(std::string_view text) {
  auto brig = hsail::assemble(text, "test.hsail");
  EXPECT_TRUE(brig) << brig.diagnostics();
  return brig ? std::move(*brig) : hsail::Blob();
}

hsail::Program program() {
  auto made = hsail::Program::create();
  EXPECT_TRUE(made);
  return std::move(made).value();
}

template <typename T>
constexpr bool owns = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
                      !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(owns<hsail::Blob> && owns<hsail::Program>);

TEST(CppInterface, TextAndBinaryForm) {
  const hsail::Blob brig = brig_of(good);
  EXPECT_EQ(brig.text().substr(0, 8), "HSA BRIG");
  EXPECT_TRUE(hsail::check(brig.bytes()));
  const auto text = hsail::disassemble(brig.bytes());
  ASSERT_TRUE(text) << text.diagnostics();
  EXPECT_NE(text->text().find("kernel &k"), std::string_view::npos);
  EXPECT_EQ(copy(brig_of(text->text()).bytes()), copy(brig.bytes()));
}

TEST(CppInterface, DiagnosticsAreValues) {
  const auto brig = hsail::assemble(
      "module &m:1:0:$full:$large:$default;\nkernel &k() { nosuch_u32 $s0; };\n", "bad.hsail");
  EXPECT_FALSE(brig);
  EXPECT_FALSE(brig.has_value());
  EXPECT_EQ(brig.status(), hsail::Status::syntax_error);
  EXPECT_NE(brig.diagnostics().find("bad.hsail:2:"), std::string::npos) << brig.diagnostics();
  EXPECT_NE(brig.diagnostics().find("nosuch"), std::string::npos) << brig.diagnostics();
  // Empty text is text, too, but it contains no module.
  EXPECT_EQ(hsail::assemble({}).status(), hsail::Status::syntax_error);
}

TEST(CppInterface, BytesThatAreNoModule) {
  const std::vector<std::byte> bytes(200);
  const hsail::Outcome checked = hsail::check(bytes);
  EXPECT_EQ(checked.status(), hsail::Status::invalid_module);
  EXPECT_FALSE(checked.diagnostics().empty());
  EXPECT_EQ(hsail::disassemble(bytes).status(), hsail::Status::invalid_module);
  EXPECT_EQ(hsail::check({}).status(), hsail::Status::invalid_argument);
  EXPECT_EQ(program().add(bytes).status(), hsail::Status::invalid_module);
}

TEST(CppInterface, ProgramsFinalizeForEveryIsa) {
  hsail::Program p = program();
  ASSERT_TRUE(p.add(brig_of(good)));
  const std::vector<hsail::Isa> isas = hsail::isas();
  ASSERT_FALSE(isas.empty());
  for (const hsail::Isa& isa : isas) {
    EXPECT_GE(isa.wavefront_size, 1u);
    const auto code = p.finalize_agent(std::string(isa.name), {}, "-O0");
    ASSERT_TRUE(code) << isa.name << code.diagnostics();
    EXPECT_EQ(code->text().substr(1, 3), "ELF");
  }
  EXPECT_TRUE(p.finalize_program());
  EXPECT_TRUE(p.finalize_both("heddle:hsail:w1"));
  EXPECT_EQ(p.finalize_agent("nobody:nothing").status(), hsail::Status::invalid_isa);
}

TEST(CppInterface, ProgramsSayWhatDoesNotFit) {
  hsail::Program p = program();
  const hsail::Blob brig = brig_of(good);
  ASSERT_TRUE(p.add(brig));
  EXPECT_EQ(p.add(brig).status(), hsail::Status::module_already_included);
  EXPECT_EQ(p.add(brig_of("module &s:1:0:$full:$small:$default;\n")).status(),
            hsail::Status::incompatible_module);
  const auto other = p.add(brig_of("module &n:1:0:$full:$large:$default;\ndecl prog global_u64 &total;\n"));
  EXPECT_EQ(other.status(), hsail::Status::symbol_mismatch);
  EXPECT_NE(other.diagnostics().find("&total"), std::string::npos) << other.diagnostics();
  ASSERT_TRUE(
      p.add(brig_of("module &u:1:0:$full:$large:$default;\ndecl prog function &f()();\n"
                    "prog kernel &l() { { call &f()(); } ret; };\n")));
  const auto failed = p.finalize_both("heddle:hsail:w1");
  EXPECT_EQ(failed.status(), hsail::Status::finalization_failed);
  EXPECT_NE(failed.diagnostics().find("&f"), std::string::npos) << failed.diagnostics();
  EXPECT_EQ(hsail::Program::create(static_cast<hsail::MachineModel>(2)).status(),
            hsail::Status::invalid_argument);
}

TEST(CppInterface, ControlDirectives) {
  hsail::ControlDirectives all;
  all.enable_break_exceptions(1)
      .enable_detect_exceptions(2)
      .max_dynamic_group_size(3)
      .max_flat_grid_size(4)
      .max_flat_workgroup_size(5)
      .required_dim(3)
      .required_grid_size({7, 8, 9})
      .required_workgroup_size({10, 11, 12})
      .require_no_partial_workgroups();
  EXPECT_EQ(all.values().mask, 0x3feu);
  EXPECT_EQ(all.values().break_exceptions_mask, 1u);
  EXPECT_EQ(all.values().detect_exceptions_mask, 2u);
  EXPECT_EQ(all.values().max_dynamic_group_size, 3u);
  EXPECT_EQ(all.values().max_flat_grid_size, 4u);
  EXPECT_EQ(all.values().max_flat_workgroup_size, 5u);
  EXPECT_EQ(all.values().required_dim, 3u);
  EXPECT_EQ(all.values().required_grid_size[2], 9u);
  EXPECT_EQ(all.values().required_workgroup_size[1], 11u);

  hsail::Program p = program();
  ASSERT_TRUE(
      p.add(brig_of("module &m:1:0:$full:$large:$default;\nprog kernel &k() { requireddim 1; ret; };\n")));
  EXPECT_TRUE(p.finalize_agent("heddle:hsail:w1", hsail::ControlDirectives().required_dim(1)));
  EXPECT_EQ(p.finalize_agent("heddle:hsail:w1", hsail::ControlDirectives().required_dim(2)).status(),
            hsail::Status::directive_mismatch);
}

TEST(CppInterface, MovedObjects) {
  hsail::Blob first = brig_of(good);
  const void* bytes = first.data();
  hsail::Blob second = std::move(first);
  EXPECT_EQ(second.data(), bytes);
  first = brig_of(good);
  second = std::move(first);  // frees its old contents
  EXPECT_NE(second.data(), nullptr);

  hsail::Program p = program();
  hsail::Program q = std::move(p);
  ASSERT_TRUE(q.add(second));
  p = std::move(q);
  EXPECT_TRUE(p.finalize_program());
  // NOLINTNEXTLINE(bugprone-use-after-move): the interface documents the state of moved-from objects
  EXPECT_EQ(q.get(), nullptr);
  EXPECT_EQ(q.add(second).status(), hsail::Status::invalid_program);
  EXPECT_EQ(q.finalize_program().status(), hsail::Status::invalid_program);
}

TEST(CppInterface, EveryStatusHasAText) {
  for (int status = HSAIL_OK; status <= HSAIL_SYNTAX_ERROR; ++status)
    EXPECT_NE(hsail::to_string(static_cast<hsail::Status>(status)), "unknown status") << status;
  EXPECT_EQ(hsail::to_string(static_cast<hsail::Status>(HSAIL_SYNTAX_ERROR + 1)), "unknown status");
}

}  // namespace
