// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Provides the agents of the whole test program: four mocks, the null plugin, a plugin that registers no
// agent, and one that cannot be loaded. The first client of a process fixes the set of agents, so they are
// arranged here once.
#include <gtest/gtest.h>

#include <cstdlib>

#include "driver/registry.h"
#include "mock_agent.h"

namespace {

class Agents : public testing::Environment {
 public:
  void SetUp() override {
    setenv("HEDDLE_AGENT_PATH", HEDDLE_TEST_AGENTS, 1);
    setenv("HEDDLE_AGENTS", "null,broken,missing,silent", 1);
    setenv("HEDDLE_LOG", "warning", 1);  // tests read why calls were refused
    heddle::driver::test::register_mocks();
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(new Agents);
  return RUN_ALL_TESTS();
}
