// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The check layer together with a tool and a trace, in both orders (docs/checking.md, "Tools and traces").
// The tool destroys each signal twice, which the layer reports if it stands behind the tool. The trace stands
// behind both. A program of its own, because a process has one trace.
#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "fixture.h"

namespace heddle::check::test {
namespace {

const std::string tool = HEDDLE_DOUBLING_TOOL, layer = HEDDLE_CHECK_LAYER;

class Layering : public ::testing::Test {
 protected:
  /// A life of the runtime with these tools, in which a signal is made and destroyed. Returns what the layer
  /// says.
  static std::string live(const std::string& tools, bool checked) {
    setenv("HSA_TOOLS_LIB", tools.c_str(), 1);
    setenv("HEDDLE_CHECK", checked ? "1" : "0", 1);
    return said([] {
      EXPECT_SUCCESS(hsa_init());
      hsa_signal_t signal{};
      EXPECT_SUCCESS(hsa_signal_create(1, 0, nullptr, &signal));
      EXPECT_SUCCESS(hsa_signal_destroy(signal));
      EXPECT_SUCCESS(hsa_shut_down());
    });
  }
  /// Returns how many calls of a function are in the trace so far.
  static size_t traced(const std::string& function) {
    std::ifstream file(trace());
    std::stringstream text;
    text << file.rdbuf();
    const std::string content = text.str(), wanted = "\"" + function + "\"";
    size_t count = 0;
    for (size_t at = content.find(wanted); at != std::string::npos; at = content.find(wanted, at + 1))
      ++count;
    return count;
  }
  static std::string trace() {
    return ::testing::TempDir() + "layering." + std::to_string(getpid()) + ".json";
  }
  static void SetUpTestSuite() { setenv("HEDDLE_TRACE", trace().c_str(), 1); }
  static void TearDownTestSuite() { std::remove(trace().c_str()); }
};

TEST_F(Layering, TheLayerChecksWhatTheProgramCalls) {
  EXPECT_EQ(live(tool, true), "");
  EXPECT_EQ(traced("hsa_signal_create"), 1u);
  EXPECT_EQ(traced("hsa_signal_destroy"), 2u) << "the trace sees what the tool makes of it";
}

TEST_F(Layering, ALayerThatIsNamedBeforeAToolChecksTheTool) {
  const size_t before = traced("hsa_signal_destroy");
  const std::string text = live(layer + " " + tool, true);
  EXPECT_THAT(text, HasSubstr(rule("destroyed-twice")));
  EXPECT_THAT(text, HasSubstr("doubling_tool")) << "the place of the mistake is in the tool";
  EXPECT_EQ(traced("hsa_signal_destroy") - before, 2u);
}

TEST_F(Layering, ALayerThatIsNamedAfterAToolStandsInFrontOfIt) {
  EXPECT_EQ(live(tool + " " + layer, true), "");
  EXPECT_EQ(live(tool + " " + layer, false), "") << "the layer need not be asked for twice";
}

/// What the layer asks the runtime goes through the tools behind it, and their calls come back to the layer.
TEST_F(Layering, ToolsMayCallByNameWhileTheLayerLooks) {
  const auto body = [] {
    alarm(120);
    setenv("HSA_TOOLS_LIB", HEDDLE_ASKING_TOOL, 1);
    setenv("HEDDLE_CHECK", "abort", 1);
    std::vector<hsa_agent_t> agents;
    std::vector<hsa_region_t> regions;
    if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
    hsa_iterate_agents(collect<hsa_agent_t>, &agents);
    hsa_agent_iterate_regions(agents[0], collect<hsa_region_t>, &regions);
    void* memory = nullptr;
    if (hsa_memory_allocate(regions[0], 4096, &memory) != HSA_STATUS_SUCCESS) return 2;
    hsa_signal_t start{}, done{};
    hsa_signal_create(1, 0, nullptr, &start);
    hsa_signal_create(1, 0, nullptr, &done);
    char mine[16] = {};
    hsa_amd_memory_async_copy(memory, agents[0], mine, agents[0], sizeof mine, 1, &start, done);
    hsa_signal_store_screlease(start, 0);
    hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    hsa_signal_destroy(start);
    hsa_signal_destroy(done);
    hsa_memory_free(memory);
    void* tool = dlopen(HEDDLE_ASKING_TOOL, RTLD_NOW | RTLD_NOLOAD);
    const auto* calls = tool != nullptr ? static_cast<uint64_t*>(dlsym(tool, "asking_tool_calls")) : nullptr;
    if (calls == nullptr || *calls == 0) return 3;
    return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 4;
  };
  EXPECT_EQ(in_child(body), 0);
}

TEST_F(Layering, WithoutTheLayerNothingIsSaid) { EXPECT_EQ(live(tool, false), ""); }

}  // namespace
}  // namespace heddle::check::test
