// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control directives at finalization (PRM 13.5): directives of the kernel, of functions that it reaches, and
// of the call of the finalizer.
#include <functional>

#include <hsa/hsa_brig_directives.h>

#include "compile.h"

namespace heddle::testing {
namespace {

using Ids = std::vector<std::string>;
using Call = hsail_control_directives;

enum class Control : unsigned {
  dynamic = HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE,
  flat_grid = HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE,
  flat_group = HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE,
  dim = HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM,
  grid = HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE,
  group = HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE,
  whole_groups = HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS,
  whole_waves = HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWAVEFRONTS,
};

/// Returns a call that enables this directive and sets its field.
Call call(Control control, const std::function<void(Call&)>& set = [](Call&) {}) {
  Call made = {};
  made.mask = uint64_t{1} << static_cast<unsigned>(control);
  set(made);
  return made;
}
Call call_sizes(Control control, uint32_t x, uint32_t y, uint32_t z) {
  return call(control, [&](Call& c) {
    const uint32_t sizes[3] = {x, y, z};
    for (int i = 0; i < 3; ++i) {
      if (control == Control::grid) c.required_grid_size[i] = sizes[i];
      if (control == Control::group) c.required_workgroup_size[i] = sizes[i];
    }
  });
}

Compiled finalize(const std::string& kernel, const std::string& function, const Call& call, const char* isa) {
  CompileRequest request;
  request.modules = {module_header + "function &f()()\n{\n  " + function + "\n};\nprog kernel &k()\n{\n  " +
                     kernel + "\n  { call &f()(); }\n};\n"};
  request.isa = isa;
  request.directives = &call;
  return compile(request);
}

struct Row {
  const char* kernel;
  const char* function;
  Call call;
  bool agrees;
};

class DirectivesAtFinalization : public ::testing::TestWithParam<Row> {};

/// Several directives share one rule: their value must be the same wherever they occur.
const Call none = {};
const Row rows[] = {
    // In the kernel, twice in it, and in a function that it calls.
    {"maxdynamicgroupsize 64; maxdynamicgroupsize 64;", "maxdynamicgroupsize 64;", none, true},
    {"maxdynamicgroupsize 64; maxdynamicgroupsize 32;", "", none, false},
    {"maxdynamicgroupsize 64;", "maxdynamicgroupsize 32;", none, false},
    {"maxflatgridsize 64; maxflatgridsize 64;", "maxflatgridsize 64;", none, true},
    {"maxflatgridsize 64;", "maxflatgridsize 32;", none, false},
    {"maxflatworkgroupsize 64;", "maxflatworkgroupsize 64;", none, true},
    {"maxflatworkgroupsize 64; maxflatworkgroupsize 65;", "", none, false},
    {"maxflatworkgroupsize WAVESIZE;", "maxflatworkgroupsize 1;", none, true},
    {"requireddim 2; requireddim 2;", "requireddim 2;", none, true},
    {"requireddim 2;", "requireddim 1;", none, false},
    {"requiredgridsize 8, 4, 2;", "requiredgridsize 8, 4, 2;", none, true},
    {"requiredgridsize 8, 4, 2;", "requiredgridsize 8, 4, 1;", none, false},
    {"requiredworkgroupsize 8, 4, 2;", "requiredworkgroupsize 8, 4, 2;", none, true},
    {"requiredworkgroupsize 8, 4, 2; requiredworkgroupsize 8, 4, 1;", "", none, false},
    {"requiredgroupbaseptralign 64;", "requiredgroupbaseptralign 64;", none, true},
    {"requiredgroupbaseptralign 64;", "requiredgroupbaseptralign 128;", none, false},
    {"", "requiredgroupbaseptralign 128;", none, true},
    // If a function requires whole groups or waves, its callers or the call must require them, too.
    {"requirenopartialworkgroups; requirenopartialworkgroups;", "requirenopartialworkgroups;", none, true},
    {"", "requirenopartialworkgroups;", none, false},
    {"", "requirenopartialworkgroups;", call(Control::whole_groups), true},
    {"requirenopartialwavefronts;", "requirenopartialwavefronts;", none, true},
    {"requirenopartialworkgroups;", "requirenopartialwavefronts;", none, false},
    {"", "requirenopartialwavefronts;", call(Control::whole_waves), true},
    // With the call: the values must be the same.
    {"maxdynamicgroupsize 64;", "", call(Control::dynamic, [](Call& c) { c.max_dynamic_group_size = 64; }),
     true},
    {"maxdynamicgroupsize 64;", "", call(Control::dynamic, [](Call& c) { c.max_dynamic_group_size = 32; }),
     false},
    {"requireddim 2;", "", call(Control::dim, [](Call& c) { c.required_dim = 2; }), true},
    {"requireddim 2;", "", call(Control::dim, [](Call& c) { c.required_dim = 3; }), false},
    {"", "requireddim 2;", call(Control::dim, [](Call& c) { c.required_dim = 3; }), false},
    {"requiredgridsize 8, 4, 2;", "", call_sizes(Control::grid, 8, 4, 2), true},
    {"requiredgridsize 8, 4, 2;", "", call_sizes(Control::grid, 8, 2, 4), false},
    {"requiredworkgroupsize 8, 1, 1;", "", call_sizes(Control::group, 8, 1, 1), true},
    {"requiredworkgroupsize 8, 1, 1;", "", call_sizes(Control::group, 4, 1, 1), false},
    // The call may lower the two flat limits that the code sets, but not raise them.
    {"maxflatgridsize 64;", "", call(Control::flat_grid, [](Call& c) { c.max_flat_grid_size = 32; }), true},
    {"maxflatgridsize 64;", "", call(Control::flat_grid, [](Call& c) { c.max_flat_grid_size = 65; }), false},
    {"maxflatworkgroupsize 64;", "",
     call(Control::flat_group, [](Call& c) { c.max_flat_workgroup_size = 64; }), true},
    {"maxflatworkgroupsize 64;", "",
     call(Control::flat_group, [](Call& c) { c.max_flat_workgroup_size = 65; }), false},
    // Requirements must agree with each other, wherever they occur.
    {"requireddim 2; requiredworkgroupsize 8, 4, 1;", "", call_sizes(Control::grid, 64, 64, 1), true},
    {"requireddim 2; requiredworkgroupsize 8, 4, 2;", "", none, false},
    {"requireddim 1;", "", call_sizes(Control::grid, 64, 2, 1), false},
    {"requiredgridsize 8, 4, 2;", "maxflatgridsize 64;", none, true},
    {"requiredgridsize 8, 4, 2;", "maxflatgridsize 63;", none, false},
    {"requiredworkgroupsize 8, 4, 2;", "",
     call(Control::flat_group, [](Call& c) { c.max_flat_workgroup_size = 64; }), true},
    {"requiredworkgroupsize 8, 4, 2;", "",
     call(Control::flat_group, [](Call& c) { c.max_flat_workgroup_size = 63; }), false},
    {"requirenopartialworkgroups; requiredgridsize 64, 6, 1; requiredworkgroupsize 8, 3, 1;", "", none, true},
    {"requirenopartialworkgroups; requiredgridsize 64, 7, 1; requiredworkgroupsize 8, 3, 1;", "", none,
     false},
};
INSTANTIATE_TEST_SUITE_P(All, DirectivesAtFinalization, ::testing::ValuesIn(rows));

TEST_P(DirectivesAtFinalization, AgreeOrAreRefused) {
  const Row& row = GetParam();
  for (const char* isa : {"heddle:x86-64-v2:w1", "heddle:hsail:w1"}) {
    const Compiled compiled = finalize(row.kernel, row.function, row.call, isa);
    EXPECT_EQ(compiled.result,
              row.agrees ? finalizer::FinalizeResult::ok : finalizer::FinalizeResult::directive_mismatch)
        << row.kernel << " | " << row.function << "\n"
        << compiled.diagnostics;
    EXPECT_EQ(compiled.ids, row.agrees ? Ids{} : Ids{"FINALIZER-directive-mismatch"});
    if (row.agrees) continue;
    EXPECT_NE(compiled.diagnostics.find("hsa_code"), std::string::npos) << compiled.diagnostics;
  }
}

TEST(DirectivesAtFinalization, ValuesOfTheCallAreLooked) {
  const Call bad[] = {call(Control::flat_grid),
                      call(Control::flat_group),
                      call(Control::dim),
                      call(Control::dim, [](Call& c) { c.required_dim = 4; }),
                      call_sizes(Control::grid, 8, 0, 1),
                      call_sizes(Control::group, 0, 1, 1)};
  for (const Call& directives : bad) {
    const Compiled compiled = finalize("", "", directives, "heddle:x86-64-v2:w1");
    EXPECT_EQ(compiled.result, finalizer::FinalizeResult::directive_mismatch) << "case " << &directives - bad;
    ASSERT_FALSE(compiled.ids.empty());
    EXPECT_EQ(compiled.ids[0], "FINALIZER-directive-value") << compiled.diagnostics;
  }
}

/// The code object holds the directives that agents must enforce at dispatch.
TEST(DirectivesAtFinalization, StandInTheCodeObject) {
  for (const char* isa : {"heddle:x86-64-v2:w1", "heddle:hsail:w1"}) {
    Compiled compiled = finalize("requirenopartialworkgroups; maxflatgridsize 64;", "requireddim 2;",
                                 call(Control::flat_grid, [](Call& c) { c.max_flat_grid_size = 32; }), isa);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_TRUE(compiled.object.kernels[0].no_partial_groups());
    EXPECT_FALSE(compiled.object.kernels[0].no_partial_waves());
    EXPECT_EQ(compiled.object.kernels[0].max_flat_grid_size, 32u) << "the call's, which is smaller";
    EXPECT_EQ(compiled.object.kernels[0].required_dim, 2u);
    compiled = finalize("", "", call(Control::whole_waves), isa);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_FALSE(compiled.object.kernels[0].no_partial_groups());
    EXPECT_TRUE(compiled.object.kernels[0].no_partial_waves());
  }
}

}  // namespace
}  // namespace heddle::testing
