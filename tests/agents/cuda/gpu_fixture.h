// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU of the fake driver with a queue, without a runtime.
#pragma once

#include <fmt/format.h>

#include "agents/common/packet_processor.h"
#include "agents/cuda/gpu_device.h"
#include "agents/cuda/queue_launcher.h"
#include "fake_driver.h"
#include "fake_queue.h"
#include "hsail/assemble/assemble.h"

namespace heddle::cuda::test {

using agents::test::dispatch;
using agents::test::FakeQueue;
using agents::test::Signal;

/// Makes PTX of which the fake knows that it is this HSAIL.
inline std::vector<std::byte> fake_ptx(const std::string& hsail, const std::vector<std::string>& kernels,
                                       const std::vector<std::string>& addresses) {
  std::vector<std::byte> brig;
  Diagnostics diagnostics;
  EXPECT_TRUE(
      assemble::assemble("module &m:1:2:$full:$large:$near;\n" + hsail, "test.hsail", brig, diagnostics))
      << diagnostics.print();
  std::string text = ".version 7.7\n.target sm_70\n//fake brig ";
  for (const std::byte byte : brig) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  text += '\n';
  for (size_t i = 0; i < kernels.size(); ++i) text += fmt::format("//fake kernel {} {}\n", i, kernels[i]);
  for (size_t i = 0; i < addresses.size(); ++i)
    text += fmt::format("//fake address {} {}\n", i, addresses[i]);
  const auto* begin = reinterpret_cast<const std::byte*>(text.c_str());
  return {begin, begin + text.size() + 1};
}

/// Makes a code object of HSAIL with one kernel for every GPU.
inline codeobject::CodeObject code_of(const std::string& hsail, uint64_t kernarg_size) {
  codeobject::CodeObject object;
  object.has_agent_part = true;
  object.isa = "heddle:nvptx-sm_70";
  object.text = fake_ptx(hsail, {"&k"}, {});
  codeobject::Kernel& kernel = object.kernels.emplace_back();
  kernel.name = kernel.linker_name = "&k";
  kernel.module_name = "&m";
  kernel.kernarg_size = kernarg_size;
  return object;
}

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
  /// Opens the queue.
  void start() {
    agents::QueueSettings settings;
    settings.driver = agents::test::FakeDriver::get().interface();
    settings.limits = agents::limits_of(description->config().isas[0]);
    settings.queue = queue.id();
    settings.info = queue.info();
    settings.doorbell = queue.doorbell();
    auto launcher = device->make_launcher();
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
