// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The check layer together with a tool and a trace, in both orders (docs/checking.md, "Tools and traces").
// The tool destroys each signal twice, which the layer reports if it stands behind the tool. The trace stands
// behind both. A program of its own, because a process has one trace.
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

TEST_F(Layering, WithoutTheLayerNothingIsSaid) { EXPECT_EQ(live(tool, false), ""); }

}  // namespace
}  // namespace heddle::check::test
