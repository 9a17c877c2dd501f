// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/driver_api.h"

#include <gtest/gtest.h>

#include "agents/cuda/gpu.h"
#include "fake_driver.h"

namespace heddle::cuda::test {
namespace {

TEST(DriverApi, that_is_not_there_is_an_error_with_the_name_of_the_file) {
  const auto api = DriverApi::open("libno-such-driver.so.1");
  ASSERT_FALSE(api);
  EXPECT_NE(api.error().message.find("libno-such-driver.so.1"), std::string::npos) << api.error().message;
}

TEST(DriverApi, of_a_library_without_the_functions_is_an_error_that_names_one) {
  const auto api = DriverApi::open("libm.so.6");
  ASSERT_FALSE(api);
  EXPECT_NE(api.error().message.find("libm.so.6 has no cu"), std::string::npos) << api.error().message;
}

class Gpus : public FakeDriverTest {};

TEST_F(Gpus, errors_have_the_function_its_reason_and_the_number) {
  fake_control().machine.start = Status::unknown;
  const auto gpus = find_gpus(fake_api());
  ASSERT_FALSE(gpus);
  EXPECT_EQ(gpus.error().status, Status::unknown);
  EXPECT_EQ(gpus.error().message, "cuInit: fake: unknown error (CUDA_ERROR_UNKNOWN, 999)");
  EXPECT_EQ(fake_api().error_of("cuX", static_cast<Status>(12345)).message,
            "cuX: no description (unknown error, 12345)");
}

TEST_F(Gpus, that_a_machine_does_not_have_are_no_error) {
  fake_control().machine.gpus = 0;
  const auto gpus = find_gpus(fake_api());
  ASSERT_TRUE(gpus) << gpus.error().message;
  EXPECT_TRUE(gpus->empty());
}

TEST_F(Gpus, have_the_properties_that_the_driver_says) {
  fake_control().machine.gpus = 3;
  const auto gpus = find_gpus(fake_api());
  ASSERT_TRUE(gpus) << gpus.error().message;
  ASSERT_EQ(gpus->size(), 3u);
  const GpuProperties& gpu = gpus->back();
  EXPECT_EQ(gpu.number, 2);
  EXPECT_EQ(gpu.name, "Fake GPU 2");
  EXPECT_EQ(gpu.capability, 90u);
  EXPECT_EQ(gpu.memory, uint64_t{1} << 30);
  EXPECT_EQ(gpu.clock_frequency, 1'980'000'000u);
  EXPECT_EQ(gpu.multiprocessors, 4u);
  EXPECT_EQ(gpu.warp_size, 32u);
  EXPECT_EQ(gpu.group_memory, 232448u);
  EXPECT_EQ(gpu.grid_max_blocks[0], 0x7fffffffu);
  EXPECT_EQ(gpu.group_max_dim[2], 64u);
}

TEST_F(Gpus, that_are_too_old_or_lack_virtual_memory_are_left_out) {
  fake_control().machine.capability = 61;
  EXPECT_TRUE(find_gpus(fake_api())->empty());
  fake_control().machine.capability = 70;
  EXPECT_EQ(find_gpus(fake_api())->size(), 1u);
  fake_control().machine.has_virtual_memory = false;
  EXPECT_TRUE(find_gpus(fake_api())->empty());
}

}  // namespace
}  // namespace heddle::cuda::test
