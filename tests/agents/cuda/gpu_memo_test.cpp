// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/gpu_memo.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "agents/cuda/lazy_driver.h"
#include "cache_folder.h"
#include "fake_driver.h"

namespace heddle::cuda::test {
namespace {

namespace fs = std::filesystem;

GpuProperties some_gpu() {
  GpuProperties gpu;
  gpu.number = 1;
  gpu.name = "A GPU of 2026";
  gpu.capability = 90;
  gpu.memory = uint64_t{80} << 30;
  gpu.group_max_dim[2] = 64;
  gpu.grid_max_blocks[0] = 0x7FFFFFFF;
  gpu.pci_domain = 3;
  gpu.peers = 6;
  gpu.atomic_peers = 2;
  return gpu;
}

class Memo : public FakeDriverTest {
 protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    std::string pattern = (fs::temp_directory_path() / "heddle-memo-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override {
    unsetenv("CUDA_VISIBLE_DEVICES");
    fs::remove_all(root);
    FakeDriverTest::TearDown();
  }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  std::string folder() const { return root / "cache/heddle"; }
  GpuMemo memo(const std::string& machine = "machine\n") const { return {folder(), machine}; }

  fs::path root;
};

using GpuMemoTest = Memo;
using LazyDriverTest = Memo;

TEST_F(GpuMemoTest, remembers_every_member) {
  GpuProperties other = some_gpu();
  other.name.clear();
  const std::vector<GpuProperties> gpus = {some_gpu(), other};
  EXPECT_FALSE(memo().read());
  memo().write(gpus);
  EXPECT_EQ(memo().read(), gpus);
  memo().write({});
  EXPECT_EQ(memo().read(), std::vector<GpuProperties>());
  memo().forget();
  EXPECT_FALSE(memo().read());
}

TEST_F(GpuMemoTest, is_of_one_machine) {
  memo().write({some_gpu()});
  EXPECT_FALSE(memo("machine").read());
  EXPECT_FALSE(memo("machine\nmore").read());
  EXPECT_FALSE(memo("another\n").read());
}

TEST_F(GpuMemoTest, is_not_read_if_it_is_damaged) {
  memo().write({some_gpu()});
  std::stringstream whole;
  whole << std::ifstream(folder() + "/gpus").rdbuf();
  const std::string bytes = whole.str();
  ASSERT_GT(bytes.size(), 60u);
  for (size_t size = 0; size < bytes.size(); ++size) {
    put("cache/heddle/gpus", bytes.substr(0, size));
    EXPECT_FALSE(memo().read()) << "of " << size << " bytes";
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] ^= 1;
    put("cache/heddle/gpus", changed);
    EXPECT_FALSE(memo().read()) << "with another byte " << at;
  }
  put("cache/heddle/gpus", bytes);
  EXPECT_TRUE(memo().read());
}

TEST_F(GpuMemoTest, is_not_read_if_others_could_have_written_it) {
  memo().write({some_gpu()});
  ASSERT_EQ(chmod((folder() + "/gpus").c_str(), 0620), 0);
  EXPECT_FALSE(memo().read());
}

TEST_F(GpuMemoTest, does_without_a_folder_that_cannot_be_made) {
  put("cache", "a file");
  memo().write({some_gpu()});
  EXPECT_FALSE(memo().read());
  memo().forget();
}

TEST_F(GpuMemoTest, lies_in_the_folder_of_the_cache) {
  const CacheFolder folder;
  EXPECT_EQ(memo_folder(), folder.path());
  setenv("HEDDLE_CACHE_DIR", "not/absolute", 1);
  EXPECT_EQ(memo_folder(), "");
  unsetenv("HEDDLE_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/x/caches", 1);
  EXPECT_EQ(memo_folder(), "/x/caches/heddle");
  unsetenv("XDG_CACHE_HOME");
  setenv("HEDDLE_CACHE_SIZE", "0", 1);
  EXPECT_EQ(memo_folder(), "") << "there is no cache";
  unsetenv("HEDDLE_CACHE_SIZE");
  setenv("HEDDLE_CACHE", "0", 1);
  EXPECT_EQ(memo_folder(), "");
}

TEST_F(GpuMemoTest, describes_what_decides_which_gpus_there_are) {
  EXPECT_EQ(describe_machine(root), "") << "no driver";
  EXPECT_EQ(driver_build(root), "");
  put("proc/driver/nvidia/version", "NVRM version: 580\n");
  std::string last = describe_machine(root);
  EXPECT_NE(last, "");
  const auto changes = [&] {
    const std::string now = describe_machine(root);
    return std::exchange(last, now) != now;
  };
  EXPECT_FALSE(changes());
  put("proc/driver/nvidia/gpus/0000:03:00.0/information", "GPU UUID: GPU-1\n");
  EXPECT_TRUE(changes());
  put("proc/driver/nvidia/gpus/0000:03:00.0/information", "GPU UUID: GPU-2\n");
  EXPECT_TRUE(changes());
  put("dev/nvidia0", "");
  EXPECT_TRUE(changes());
  put("proc/self/cgroup", "0::/task_0\n");
  EXPECT_TRUE(changes());
  put("proc/driver/nvidia/version", "NVRM version: 590\n");
  EXPECT_TRUE(changes());
  EXPECT_EQ(driver_build(root), "NVRM version: 590\n");
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  EXPECT_TRUE(changes());
}

TEST_F(LazyDriverTest, opens_no_library_for_gpus_that_it_remembers) {
  memo().write({some_gpu()});
  LazyDriver driver("/no/such/libcuda.so", memo());
  const auto gpus = driver.gpus();
  ASSERT_TRUE(gpus);
  EXPECT_EQ(*gpus, std::vector<GpuProperties>{some_gpu()});
  EXPECT_FALSE(driver.is_open());
  const auto started = driver.started();
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("/no/such/libcuda.so"), std::string::npos);
}

TEST_F(LazyDriverTest, remembers_what_the_driver_shows) {
  LazyDriver first(HEDDLE_FAKE_CUDA, memo());
  const auto gpus = first.gpus();
  ASSERT_TRUE(gpus);
  EXPECT_TRUE(first.is_open());
  LazyDriver second(HEDDLE_FAKE_CUDA, memo());
  EXPECT_EQ(*second.gpus(), *gpus);
  EXPECT_FALSE(second.is_open());
  EXPECT_TRUE(second.started());
  EXPECT_TRUE(second.is_open());
}

TEST_F(LazyDriverTest, forgets_what_is_no_longer_true) {
  memo().write({some_gpu()});
  LazyDriver driver(HEDDLE_FAKE_CUDA, memo());
  ASSERT_TRUE(driver.gpus());
  const auto started = driver.started();
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("does not show the GPUs"), std::string::npos);
  EXPECT_FALSE(memo().read());
}

TEST_F(LazyDriverTest, asks_again_after_a_failure) {
  fake_control().machine.start = Status::unknown;
  LazyDriver driver(HEDDLE_FAKE_CUDA, memo());
  EXPECT_FALSE(driver.gpus());
  EXPECT_FALSE(memo().read());
  fake_control().machine.start = Status::success;
  EXPECT_TRUE(driver.gpus());
}

}  // namespace
}  // namespace heddle::cuda::test
