// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the plugin is to programs on machines without a GPU: nothing.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hsa/hsa.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace {

bool has_driver_of_gpus() {
  return access("/proc/driver/nvidia/gpus", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

TEST(Absence, of_gpus_is_not_worth_a_warning_and_loads_no_driver) {
  if (has_driver_of_gpus()) GTEST_SKIP() << "this machine has the driver of a GPU";
  setenv("HEDDLE_AGENTS", "all", 1);
  setenv("HEDDLE_LOG", "warning", 1);
  testing::internal::CaptureStderr();
  ASSERT_EQ(hsa_init(), HSA_STATUS_SUCCESS);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("cuda"), std::string::npos) << said;
  EXPECT_NE(dlopen(HEDDLE_CUDA_PLUGIN, RTLD_NOW | RTLD_NOLOAD), nullptr) << "the plugin has been opened";
  EXPECT_EQ(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr);
  int gpus = 0;
  hsa_iterate_agents(
      [](hsa_agent_t agent, void* count) {
        char vendor[64] = "";
        hsa_agent_get_info(agent, HSA_AGENT_INFO_VENDOR_NAME, vendor);
        *static_cast<int*>(count) += std::string(vendor) == "NVIDIA";
        return HSA_STATUS_SUCCESS;
      },
      &gpus);
  EXPECT_EQ(gpus, 0);
  EXPECT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS);
}

}  // namespace
