// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/discovery.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle::cuda::test {
namespace {

namespace fs = std::filesystem;

class Discovery : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "heddle-cuda-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { fs::remove_all(root); }

  fs::path root;
};

TEST_F(Discovery, finds_the_folders_of_gpus) {
  EXPECT_FALSE(kernel_driver_shows_gpu(root));
  fs::create_directories(root / "proc/driver/nvidia/gpus");
  EXPECT_FALSE(kernel_driver_shows_gpu(root)) << "the kernel driver is there, but no GPU";
  fs::create_directories(root / "proc/driver/nvidia/gpus/0000:03:00.0");
  EXPECT_TRUE(kernel_driver_shows_gpu(root));
}

TEST_F(Discovery, finds_the_device_of_windows) {
  fs::create_directories(root / "dev");
  std::ofstream(root / "dev/dxg") << "";
  EXPECT_TRUE(kernel_driver_shows_gpu(root));
}

}  // namespace
}  // namespace heddle::cuda::test
