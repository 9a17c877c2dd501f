// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Provides the agents of the whole test program: three mocks, the null plugin, and a folder with plugins that
// cannot be loaded. The first client of a process fixes the set of agents, so they are arranged here once.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "driver/registry.h"
#include "mock_agent.h"

namespace {

class Agents : public testing::Environment {
 public:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("heddle-driver-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "libheddle-agent-broken.so") << "no ELF file";
    setenv("HEDDLE_AGENT_PATH", (folder_.string() + ":" + HEDDLE_TEST_AGENTS).c_str(), 1);
    setenv("HEDDLE_AGENTS", "null,broken,missing", 1);
    heddle::driver::test::register_mocks();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

 private:
  std::filesystem::path folder_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(new Agents);
  return RUN_ALL_TESTS();
}
