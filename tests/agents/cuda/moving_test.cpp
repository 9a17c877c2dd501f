// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drivers that are in this process until a fault of a kernel, and then in processes of their own.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>

#include "agents/cuda/copies.h"
#include "agents/cuda/gpu_agent.h"
#include "fake_driver.h"
#include "id_kernel.h"

namespace heddle::cuda::test {
namespace {

/// The messages that the agent has logged.
std::vector<std::string>& logged() {
  static std::vector<std::string> messages;
  return messages;
}

bool has_logged(std::string_view part) {
  return std::ranges::any_of(
      logged(), [&](const std::string& message) { return message.find(part) != std::string::npos; });
}

/// GPUs whose driver is in this process at first.
class Moving : public FakeDriverTest {
 protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    logged().clear();
  }
  /// Opens a GPU. Its code is `ids`, and `out` is memory that it can access.
  struct Gpu : RemoteGpu {
    explicit Gpu(uint32_t number = 0) : RemoteGpu(number, DriverPlace::here_until_fault) { prepare(); }
    Gpu(uint32_t number, const Gpu& beside) : RemoteGpu(number, beside.lazy) { prepare(); }
    void prepare() {
      host.log = [](hsam_log_level, const char*, const char* message) { logged().emplace_back(message); };
      code = load(code_of(ids, sizeof(Arguments)));
      out = std::make_unique<Shared>(*this);
    }
    bool runs_kernels() {
      RemoteQueue queue(*this);
      return runs(queue, code->kernel_object(0), *out);
    }
    std::shared_ptr<agents::LoadedCode> code;
    std::unique_ptr<Shared> out;
  };
  /// Lets a kernel fault.
  static agents::test::QueueError fault(Gpu& gpu) {
    RemoteQueue queue(gpu);
    fake_control().kernels_until_fault = 0;
    Arguments arguments{gpu.out->words()};
    submit(queue, gpu.code->kernel_object(0), arguments);
    return queue.error();
  }
};

TEST_F(Moving, goes_to_a_process_after_a_fault_with_code_and_memory) {
  Gpu gpu;
  GpuDevice& device = *gpu.device;
  Copies copies(device.context(), device.device_memory(), device.host_memory());
  const auto small = device.device_memory().allocate(1000, 256);
  const auto large = device.device_memory().allocate(5 << 20, 4096);
  ASSERT_TRUE(small && large);
  RemoteQueue before(gpu), idle(gpu);
  ASSERT_TRUE(runs(before, gpu.code->kernel_object(0), *gpu.out));
  EXPECT_EQ(gpu.process(), 0);
  const auto failed = fault(gpu);
  EXPECT_EQ(failed.status, HSA_STATUS_ERROR);
  EXPECT_NE(failed.message.find("an illegal address was accessed"), std::string::npos) << failed.message;
  EXPECT_EQ(gpu.process(), 0) << "nobody has needed it since";
  // The other queue has lost what it had at the driver.
  Arguments arguments{gpu.out->words()};
  submit(idle, gpu.code->kernel_object(0), arguments);
  EXPECT_EQ(idle.error().status, HSA_STATUS_ERROR);
  EXPECT_TRUE(gpu.runs_kernels());
  EXPECT_TRUE(exists(gpu.process()));
  EXPECT_TRUE(has_logged("has been started in a process of its own"));
  EXPECT_EQ(fake_control().mapped_bytes, 0u) << "the process needs the memory of the GPU";
  for (const DeviceAddress address : {*small, *large}) {
    uint32_t number = 7;
    ASSERT_TRUE(copies.copy(reinterpret_cast<void*>(address), &number, sizeof number));
    number = 0;
    ASSERT_TRUE(copies.copy(&number, reinterpret_cast<void*>(address), sizeof number));
    EXPECT_EQ(number, 7u);
    EXPECT_TRUE(device.device_memory().free(address));
  }
  Shared late(gpu);
  RemoteQueue after(gpu);
  EXPECT_TRUE(runs(after, gpu.code->kernel_object(0), late));
  // The queues of before stay lost, and end without harm.
  submit(before, gpu.code->kernel_object(0), arguments);
  EXPECT_EQ(before.error().status, HSA_STATUS_ERROR);
}

TEST_F(Moving, goes_from_one_process_to_the_next_after_another_fault) {
  Gpu gpu;
  EXPECT_EQ(fault(gpu).status, HSA_STATUS_ERROR);
  std::optional<FakeSetting> again(std::in_place, "HEDDLE_FAKE_FAULT_AFTER", "1");
  EXPECT_TRUE(gpu.runs_kernels());
  again.reset();
  const int64_t process = gpu.process();
  RemoteQueue queue(gpu);
  Arguments arguments{gpu.out->words()};
  submit(queue, gpu.code->kernel_object(0), arguments);
  EXPECT_EQ(queue.error().status, HSA_STATUS_ERROR);
  EXPECT_TRUE(gpu.runs_kernels());
  EXPECT_NE(gpu.process(), process);
}

TEST_F(Moving, happens_to_all_gpus_of_the_process_which_are_no_peers_any_more) {
  fake_control().machine.gpus = 2;
  const FakeSetting two("HEDDLE_FAKE_GPUS", "2");
  Gpu gpu(1), other(0, gpu);
  EXPECT_NE(OpenMemories::instance().at(other.device->device_memory().window()), nullptr);
  const auto memory = other.device->device_memory().allocate(4096, 4096);
  ASSERT_TRUE(memory && other.device->device_memory().allow(1));
  EXPECT_EQ(fault(gpu).status, HSA_STATUS_ERROR);
  EXPECT_TRUE(other.runs_kernels());
  EXPECT_TRUE(gpu.runs_kernels());
  EXPECT_NE(gpu.process(), other.process());
  EXPECT_EQ(gpu.device->context().number(), 0) << "its process sees no other GPU";
  for (const Gpu* moved : {&gpu, &other})
    EXPECT_EQ(OpenMemories::instance().at(moved->device->device_memory().window()), nullptr);
}

TEST_F(Moving, keeps_memory_in_files_and_leaves_that_of_the_operating_system) {
  Gpu gpu;
  GpuDevice& device = *gpu.device;
  HostMemory& host = device.host_memory();
  alignas(4096) static uint32_t own[2048];
  ASSERT_TRUE(host.add(own, sizeof own)) << "the driver in this process takes all memory";
  device.accessible_memory().add(own, sizeof own);
  EXPECT_EQ(host.access(own, sizeof own), HostMemory::Access::in_one_piece);
  EXPECT_EQ(device.accessible_memory().ranges().size(), 1u);
  EXPECT_EQ(fault(gpu).status, HSA_STATUS_ERROR);
  Shared late(gpu);
  alignas(4096) static uint32_t later[1024];
  EXPECT_FALSE(host.add(later, sizeof later)) << "the driver is lost, and no process can have this";
  ASSERT_TRUE(gpu.runs_kernels());
  EXPECT_TRUE(has_logged(
      fmt::format("the {} bytes of registered memory at {}", sizeof own, static_cast<const void*>(own))));
  EXPECT_EQ(host.access(own, sizeof own), HostMemory::Access::not_everywhere);
  EXPECT_EQ(device.accessible_memory().ranges().size(), 0u);
  EXPECT_TRUE(host.contains(gpu.out->words(), 4096));
  RemoteQueue queue(gpu);
  EXPECT_TRUE(runs(queue, gpu.code->kernel_object(0), late));
  EXPECT_FALSE(host.add(later, sizeof later));
  // Copies reach it by way of buffers.
  Copies copies(device.context(), device.device_memory(), host);
  const auto memory = device.device_memory().allocate(sizeof own, 4096);
  ASSERT_TRUE(memory);
  std::iota(std::begin(own), std::end(own), 1u);
  ASSERT_TRUE(copies.copy(reinterpret_cast<void*>(*memory), own, sizeof own));
  std::ranges::fill(own, 0u);
  ASSERT_TRUE(copies.copy(own, reinterpret_cast<void*>(*memory), sizeof own));
  EXPECT_EQ(own[2047], 2048u);
  EXPECT_TRUE(host.remove(own));
}

TEST_F(Moving, waits_for_no_kernel_that_does_not_stop_for_the_end_of_its_queue) {
  EXPECT_EXIT(
      {
        alarm(60);
        auto* gpu = new Gpu;
        fake_control().deaf = true;
        auto* queue = new RemoteQueue(*gpu);
        auto* other = new RemoteQueue(*gpu);
        Arguments arguments{gpu->out->words()};
        submit(*queue, gpu->code->kernel_object(0), arguments);
        submit(*other, gpu->code->kernel_object(0), arguments);
        const bool begun =
            becomes_true([&] { return queue->queue.read_index() + other->queue.read_index() == 2; });
        queue->processor->inactivate();
        const auto failed = other->error();
        delete queue;
        const bool is_told = failed.message.find("because a kernel did not end") != std::string::npos;
        const bool goes_on = gpu->runs_kernels() && gpu->process() != 0;
        _exit(begun && is_told && goes_on ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(Moving, gives_back_memory_that_is_freed_between_the_fault_and_the_move) {
  Gpu gpu;
  const auto memory = gpu.device->device_memory().allocate(64 << 20, 4096);
  ASSERT_TRUE(memory);
  EXPECT_EQ(fault(gpu).status, HSA_STATUS_ERROR);
  EXPECT_TRUE(gpu.device->device_memory().free(*memory));
  EXPECT_TRUE(gpu.runs_kernels());
  EXPECT_EQ(fake_control().mapped_bytes, 0u);
}

TEST_F(Moving, of_a_gpu_that_is_given_up_leaves_the_other_its_memory) {
  fake_control().machine.gpus = 2;
  const FakeSetting two("HEDDLE_FAKE_GPUS", "2");
  Gpu gpu(0), other(1, gpu);
  gpu.device->end_kernels();
  EXPECT_EQ(gpu.driver->lost(), Status::given_up);
  alignas(4096) static uint32_t own[1024];
  const uint64_t before = fake_control().registered_bytes;
  fake_control().before = [](std::string_view function) {
    if (function == "cuMemHostUnregister") ADD_FAILURE() << "the driver would wait for the kernel";
    return Status::success;
  };
  EXPECT_FALSE(gpu.device->host_memory().add(own, sizeof own)) << "it lies in no file";
  Shared late(gpu);
  EXPECT_EQ(fake_control().registered_bytes, before) << "the driver is asked for nothing";
  EXPECT_TRUE(other.device->host_memory().add(late.words(), 4096));
  EXPECT_EQ(fake_control().registered_bytes, before + 4096);
  EXPECT_TRUE(other.device->host_memory().remove(late.words()));
  ASSERT_TRUE(other.device->host_memory().add(own, sizeof own));
  EXPECT_TRUE(gpu.runs_kernels());
  RemoteQueue queue(gpu);
  EXPECT_TRUE(runs(queue, gpu.code->kernel_object(0), late));
  EXPECT_FALSE(gpu.driver->is_here());
  EXPECT_TRUE(other.driver->is_here());
  EXPECT_TRUE(other.runs_kernels());
  EXPECT_TRUE(other.device->host_memory().contains(own, sizeof own));
  EXPECT_FALSE(gpu.device->host_memory().contains(own, sizeof own));
  EXPECT_TRUE(other.device->host_memory().remove(own));
}

TEST_F(Moving, of_a_gpu_that_is_given_up_lets_copies_end) {
  Gpu gpu;
  GpuDevice& device = *gpu.device;
  Copies copies(device.context(), device.device_memory(), device.host_memory());
  const auto memory = device.device_memory().allocate(4096, 4096);
  ASSERT_TRUE(memory);
  std::vector<uint32_t> sent(1024, 7), got(1024, 0);
  ASSERT_TRUE(copies.copy(reinterpret_cast<void*>(*memory), sent.data(), 4096));
  fake_control().copies_wait = true;
  std::atomic<bool> has_ended{false};
  const uint64_t before = fake_control().copies;
  std::jthread copying([&] {
    EXPECT_TRUE(copies.copy(got.data(), reinterpret_cast<void*>(*memory), 4096));
    has_ended = true;
  });
  EXPECT_TRUE(becomes_true([&] { return fake_control().copies > before; }));
  gpu.driver->give_up();
  EXPECT_TRUE(device.revive());
  gpu.driver->remote().end(Status::process_lost);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(has_ended) << "the copy goes on, and uses the memory of its caller";
  fake_control().copies_wait = false;
  copying.join();
  EXPECT_EQ(got, sent);
}

TEST_F(Moving, registers_what_is_left_of_memory_that_shared_pages) {
  Gpu gpu;
  HostMemory& host = gpu.device->host_memory();
  // Two blocks in pages of the file of another one: the first goes beyond the page where the second begins.
  SharedPages file = SharedPages::create(16384);
  auto* const base = static_cast<std::byte*>(file.base());
  remote::HostFiles& files = gpu.driver->remote().files();
  files.add(base, 6144, {file.file(), 0});
  files.add(base + 6144, 6144, {file.file(), 6144});
  ASSERT_TRUE(host.add(base, 6144));
  ASSERT_TRUE(host.add(base + 6144, 6144));
  for (int times = 0; times < 2; ++times) {
    if (times == 0) {
      EXPECT_EQ(fault(gpu).status, HSA_STATUS_ERROR);
    } else {
      EXPECT_TRUE(host.remove(base));
      files.remove(base);
      gpu.driver->remote().end(Status::process_lost);
    }
    const auto revived = gpu.device->revive();
    ASSERT_TRUE(revived) << revived.error().message;
    EXPECT_TRUE(host.contains(base + 6144, 6144));
  }
  EXPECT_FALSE(host.contains(base, 1));
  EXPECT_TRUE(host.remove(base + 6144));
}

TEST_F(Moving, that_fails_is_tried_again) {
  Gpu gpu;
  std::optional<FakeSetting> refusing(std::in_place, "HEDDLE_FAKE_GPUS", "0");
  EXPECT_EQ(fault(gpu).status, HSA_STATUS_ERROR);
  for (int times = 0; times < 2; ++times) {
    const auto revived = gpu.device->revive();
    ASSERT_FALSE(revived);
    EXPECT_EQ(revived.error().status, Status::no_device);
  }
  refusing.reset();
  EXPECT_TRUE(gpu.runs_kernels());
}

TEST_F(Moving, refuses_what_the_driver_in_this_process_gave_out) {
  Gpu gpu;
  GpuContext& context = gpu.device->context();
  const DriverApi& api = context.api();
  Stream stream = nullptr;
  Event event = nullptr;
  Graph graph = nullptr;
  ASSERT_TRUE(context.call(api.stream_create, &stream, 1u, 0));
  ASSERT_TRUE(context.call(api.event_create, &event, 2u));
  ASSERT_TRUE(context.call(api.graph_create, &graph, 0u));
  uint64_t object = 0;  // graphs need kernels to be instantiated; any address is a handle of this process
  const auto exec = reinterpret_cast<GraphExec>(&object);
  EXPECT_EQ(fault(gpu).status, HSA_STATUS_ERROR);
  EXPECT_EQ(api.stream_query(stream), Status::illegal_address);
  ASSERT_TRUE(gpu.device->revive());
  EXPECT_EQ(api.stream_query(stream), Status::process_lost);
  EXPECT_EQ(api.stream_write_value(stream, 0, 0, 0), Status::process_lost);
  EXPECT_EQ(api.event_record(event, nullptr), Status::process_lost);
  EXPECT_EQ(api.graph_launch(exec, stream), Status::process_lost);
  void* arguments[2] = {&object, &object};
  KernelNode kernel;
  kernel.arguments = arguments;
  EXPECT_EQ(api.graph_set_kernel(exec, nullptr, &kernel), Status::process_lost);
  EXPECT_EQ(api.graph_exec_destroy(exec), Status::process_lost);
  EXPECT_EQ(api.stream_destroy(stream), Status::process_lost);
  EXPECT_EQ(gpu.driver->lost(), Status::success) << "that is no harm to the process";
  EXPECT_TRUE(gpu.runs_kernels());
}

TEST_F(Moving, is_left_out_by_gpus_that_are_opened_after_the_fault) {
  fake_control().machine.gpus = 2;
  const FakeSetting two("HEDDLE_FAKE_GPUS", "2");
  Gpu gpu;
  EXPECT_EQ(fault(gpu).status, HSA_STATUS_ERROR);
  auto gpus = gpu.lazy->gpus();
  ASSERT_TRUE(gpus && gpus->size() == 2);
  auto made = gpu.lazy->make_driver((*gpus)[1]);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE((*made)->is_here());
  EXPECT_EQ((*made)->lost(), Status::success);
}

TEST_F(Moving, does_not_happen_in_the_child_of_a_fork) {
  Gpu gpu;
  ASSERT_TRUE(gpu.runs_kernels());
  EXPECT_EQ(fault(gpu).status, HSA_STATUS_ERROR);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const auto revived = gpu.device->revive();
    _exit(!revived && revived.error().status == Status::not_initialized ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(gpu.runs_kernels());
}

/// Memory of a file that is only noted, and never accessed.
class Files : public testing::Test {
 protected:
  static const void* at(uint64_t address) { return reinterpret_cast<const void*>(address); }
  remote::HostFiles files;
};

TEST_F(Files, have_pages_that_small_blocks_share) {
  constexpr uint64_t first = 0x10000, page = 4096;
  // Three blocks on the first page, of which the last one goes on to the second.
  files.add(at(first + 64), 64, {7, 0x5040});
  files.add(at(first + 1024), 512, {7, 0x5400});
  files.add(at(first + 3072), 2048, {7, 0x5c00});
  const auto both = files.find(first, 2 * page);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->file, 7);
  EXPECT_EQ(both->offset, 0x5000u);
  EXPECT_FALSE(files.find(first, 2 * page + 1));
  EXPECT_FALSE(files.find(first - 1, 1));
  files.remove(at(first + 3072));
  EXPECT_TRUE(files.find(first, page));
  EXPECT_FALSE(files.find(first, 2 * page));
  files.remove(at(first + 64));
  EXPECT_TRUE(files.find(first, page));
  files.remove(at(first + 1024));
  EXPECT_FALSE(files.find(first, 1));
}

TEST_F(Files, are_one_place_only_where_they_follow_each_other) {
  files.add(at(0x10000), 4096, {7, 0x5000});
  files.add(at(0x11000), 4096, {7, 0x6000});
  files.add(at(0x12000), 4096, {7, 0x8000});
  files.add(at(0x13000), 4096, {8, 0x9000});
  EXPECT_EQ(files.find(0x10000, 0x2000)->offset, 0x5000u);
  EXPECT_EQ(files.find(0x11800, 0x800)->offset, 0x6800u);
  EXPECT_FALSE(files.find(0x11000, 0x2000));
  EXPECT_FALSE(files.find(0x12000, 0x2000));
  EXPECT_EQ(files.find(0x13000, 0x1000)->file, 8);
}

}  // namespace
}  // namespace heddle::cuda::test
