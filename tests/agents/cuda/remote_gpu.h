// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU of the fake driver in a process of its own, or that may move there, with a queue, without a runtime.
#pragma once

#include <csignal>
#include <cstdlib>
#include <thread>

#include "agents/common/packet_processor.h"
#include "agents/cuda/gpu_device.h"
#include "agents/cuda/lazy_driver.h"
#include "agents/cuda/queue_launcher.h"
#include "fake_ptx.h"
#include "fake_queue.h"

namespace heddle::cuda::test {

using agents::test::becomes_true;
using agents::test::dispatch;
using agents::test::FakeQueue;
using agents::test::Signal;

/// Whether a process exists and is no zombie.
inline bool exists(int64_t process) {
  const std::string path = fmt::format("/proc/{}/stat", process);
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (!file) return false;
  char state = 'Z';
  const bool read = std::fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
  std::fclose(file);
  return read && state != 'Z' && state != 'X';
}

/// A setting of the fake in processes that are started while this exists.
class FakeSetting {
 public:
  FakeSetting(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~FakeSetting() { unsetenv(name_); }
  FakeSetting(const FakeSetting&) = delete;
  FakeSetting& operator=(const FakeSetting&) = delete;

 private:
  const char* const name_;
};

/// One GPU, in a process of its own from the start or only after a fault.
struct RemoteGpu {
  explicit RemoteGpu(uint32_t number = 0, DriverPlace place = DriverPlace::elsewhere)
      : RemoteGpu(number,
                  std::make_shared<LazyDriver>(HEDDLE_FAKE_CUDA, std::nullopt, place, HEDDLE_CUDA_HOST)) {}
  RemoteGpu(uint32_t number, std::shared_ptr<LazyDriver> of_all) : lazy(std::move(of_all)) {
    auto gpus = lazy->gpus();
    EXPECT_TRUE(gpus && gpus->size() > number) << (gpus ? std::string("no such GPU") : gpus.error().message);
    auto made = lazy->make_driver((*gpus)[number]);
    EXPECT_TRUE(made) << made.error().message;
    driver = std::move(*made);
    description = std::make_unique<Description>((*gpus)[number], number, true);
    auto opened = GpuDevice::open(*driver, (*gpus)[number], *description, host);
    EXPECT_TRUE(opened) << opened.error().message;
    device = std::move(*opened);
  }
  std::shared_ptr<agents::LoadedCode> load(const codeobject::CodeObject& object) {
    auto loaded = device->load(codeobject::write(object), {});
    EXPECT_TRUE(loaded) << loaded.error().message;
    return loaded ? *loaded : nullptr;
  }

  /// The number of the process; 0 if there is none.
  int64_t process() const { return driver->remote().process_id(); }

  hsam_host host = {};
  std::shared_ptr<LazyDriver> lazy;
  std::unique_ptr<GpuDriver> driver;
  std::unique_ptr<Description> description;
  std::unique_ptr<GpuDevice> device;
};

/// A queue of a GPU.
struct RemoteQueue {
  explicit RemoteQueue(RemoteGpu& gpu) {
    agents::QueueSettings settings;
    settings.driver = agents::test::FakeDriver::get().interface();
    settings.limits = agents::limits_of(gpu.description->config().isas[0]);
    settings.queue = queue.id();
    settings.info = queue.info();
    settings.doorbell = queue.doorbell();
    auto launcher = gpu.device->make_launcher({settings.driver, settings.client});
    EXPECT_TRUE(launcher) << launcher.error().message;
    auto created = agents::PacketProcessor::create(settings, std::move(*launcher));
    EXPECT_TRUE(created) << created.error().message;
    processor = std::move(*created);
  }
  agents::test::QueueError error() { return agents::test::FakeDriver::get().error_of(queue.id()); }

  FakeQueue queue;
  std::unique_ptr<agents::PacketProcessor> processor;
};

}  // namespace heddle::cuda::test
