// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a fault of a kernel does to the process, whose context is lost. This program has no other tests,
// because nothing works after it.
#include <gtest/gtest.h>

#include "agents/common/host_agent.h"
#include "agents/cuda/gpu_agent.h"
#include "gpu_fixture.h"

namespace heddle::cuda::test {
namespace {

class Fault : public GpuTest {};

TEST_F(Fault, fails_its_queue_and_every_new_one_but_refuses_no_host_memory) {
  start();
  LazyDriver driver(HEDDLE_FAKE_CUDA, std::nullopt);
  GpuAgent opened(host, driver, device->context().gpu(), 0);
  GpuAgent unopened(host, driver, device->context().gpu(), 1);
  ASSERT_EQ(opened.open(), HSAM_Done);
  const auto code = load(code_of("prog kernel &k() { ret; };", 0));
  fake_control().kernels_until_fault = 2;
  Signal first, second, third, fourth;
  for (Signal* done : {&first, &second, &third, &fourth})
    queue.submit(dispatch(code->kernel_object(0), 64, 64, done));
  const auto failed = error();
  EXPECT_EQ(failed.status, HSA_STATUS_ERROR_FATAL);
  // The driver tells it to whichever function is called next.
  EXPECT_TRUE(failed.message.starts_with("kernel &k: cu")) << failed.message;
  const size_t cause =
      failed.message.find(": fake: an illegal address was accessed (CUDA_ERROR_ILLEGAL_ADDRESS, 700)");
  EXPECT_NE(cause, std::string::npos) << failed.message;
  EXPECT_NE(failed.message.find("; code that is finalized with -check-addresses", cause), std::string::npos)
      << failed.message;
  EXPECT_TRUE(first.becomes(0));
  EXPECT_TRUE(second.becomes(0));
  EXPECT_EQ(third.load(), 1);
  EXPECT_EQ(fourth.load(), 1);
  processor.reset();
  // Memory for others is still to be had.
  for (GpuAgent* agent : {&opened, &unopened}) {
    EXPECT_EQ(agent->memory_allocation(0, &first, sizeof first, false), HSAM_Done);
    EXPECT_EQ(agent->open(), agent == &opened ? HSAM_Done : HSAM_OutOfResources);
    EXPECT_EQ(agent->memory_allocation(0, &second, sizeof second, false), HSAM_Done);
    agent->memory_free(&second);
    agent->memory_free(&first);
  }
  const auto launcher = device->make_launcher({});
  ASSERT_FALSE(launcher) << "the context is lost";
  EXPECT_NE(launcher.error().message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
}

}  // namespace
}  // namespace heddle::cuda::test
