// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU of the fake driver with a queue, without a runtime.
#pragma once

#include "agents/common/host_agent.h"
#include "agents/common/packet_processor.h"
#include "agents/cuda/gpu_device.h"
#include "agents/cuda/queue_launcher.h"
#include "fake_driver.h"
#include "fake_ptx.h"
#include "fake_queue.h"

namespace heddle::cuda::test {

using agents::test::becomes_true;
using agents::test::dispatch;
using agents::test::FakeQueue;
using agents::test::Signal;

class GpuTest : public FakeDriverTest {
 protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    auto gpus = find_gpus(fake_api());
    ASSERT_TRUE(gpus && gpus->size() == 1);
    description = std::make_unique<Description>(gpus->front(), 0);
    auto opened = GpuDevice::open(fake_api(), gpus->front(), *description, host);
    ASSERT_TRUE(opened) << opened.error().message;
    device = std::move(*opened);
  }
  /// Opens the queue, or another one.
  void start() { start(queue); }
  void start(FakeQueue& queue) {
    agents::QueueSettings settings;
    settings.driver = agents::test::FakeDriver::get().interface();
    settings.limits = agents::limits_of(description->config().isas[0]);
    settings.queue = queue.id();
    settings.info = queue.info();
    settings.doorbell = queue.doorbell();
    auto launcher = device->make_launcher({settings.driver, settings.client});
    ASSERT_TRUE(launcher) << launcher.error().message;
    auto created = agents::PacketProcessor::create(settings, std::move(*launcher));
    ASSERT_TRUE(created) << created.error().message;
    processor = std::move(*created);
  }
  std::shared_ptr<agents::LoadedCode> load(const codeobject::CodeObject& object) {
    auto loaded = device->load(codeobject::write(object), {});
    EXPECT_TRUE(loaded) << loaded.error().message;
    return loaded ? *loaded : nullptr;
  }
  agents::test::QueueError error() { return agents::test::FakeDriver::get().error_of(queue.id()); }

  hsam_host host = {};
  std::unique_ptr<Description> description;
  std::unique_ptr<GpuDevice> device;
  FakeQueue queue;
  std::unique_ptr<agents::PacketProcessor> processor;
};

}  // namespace heddle::cuda::test
