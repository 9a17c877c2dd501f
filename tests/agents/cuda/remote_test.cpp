// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUs in processes of their own: what these do, and that their end is the end of nothing else.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <numeric>

#include "agents/common/host_agent.h"
#include "agents/cuda/copies.h"
#include "agents/cuda/gpu_agent.h"
#include "agents/cuda/remote/request.h"
#include "cache_folder.h"
#include "id_kernel.h"

namespace heddle::cuda::test {
namespace {

using std::chrono::steady_clock;

TEST(Remote, runs_kernels_in_another_process) {
  RemoteGpu gpu;
  EXPECT_NE(gpu.process(), getpid());
  EXPECT_TRUE(exists(gpu.process()));
  const auto code = gpu.load(code_of(ids, sizeof(Arguments)));
  Shared out(gpu);
  RemoteQueue queue(gpu);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(runs(queue, code->kernel_object(0), out, i % 2 ? 256 : 250));
}

TEST(Remote, ends_with_its_driver_object) {
  int64_t process = 0;
  {
    RemoteGpu gpu;
    process = gpu.process();
    EXPECT_TRUE(exists(process));
  }
  EXPECT_TRUE(becomes_true([&] { return !exists(process); }));
}

TEST(Remote, copies_memory_that_the_process_has_and_memory_that_it_has_not) {
  RemoteGpu gpu;
  Copies copies(gpu.device->context(), gpu.device->device_memory(), gpu.device->host_memory());
  constexpr size_t count = (9 << 20) / sizeof(uint32_t) + 5;  // more than two buffers
  std::vector<uint32_t> sent(count), got(count);
  std::iota(sent.begin(), sent.end(), 1u);
  const auto device = gpu.device->device_memory().allocate(count * sizeof(uint32_t), 4096);
  ASSERT_TRUE(device);
  void* const on_device = reinterpret_cast<void*>(*device);
  ASSERT_TRUE(copies.copy(on_device, sent.data(), count * sizeof(uint32_t)));
  ASSERT_TRUE(copies.copy(got.data(), on_device, count * sizeof(uint32_t)));
  EXPECT_EQ(got, sent);
  Shared shared(gpu, count * sizeof(uint32_t));
  ASSERT_TRUE(copies.copy(shared.words(), on_device, count * sizeof(uint32_t)));
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), shared.words()));
  std::reverse(shared.words(), shared.words() + count);
  ASSERT_TRUE(copies.copy(on_device, shared.words(), count * sizeof(uint32_t)));
  ASSERT_TRUE(copies.copy(got.data(), on_device, count * sizeof(uint32_t)));
  std::reverse(got.begin(), got.end());
  EXPECT_EQ(got, sent);
  ASSERT_TRUE(copies.copy(got.data(), shared.words(), sizeof(uint32_t)));
  EXPECT_EQ(got[0], static_cast<uint32_t>(count));
}

TEST(Remote, a_copy_beyond_the_memory_of_the_device_is_no_end_of_anything) {
  RemoteGpu gpu;
  auto done =
      gpu.device->context().call(gpu.device->context().api().memory_unmap, DeviceAddress{4096}, size_t{4096});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().status, Status::invalid_value);
  EXPECT_NE(done.error().message.find("fake: invalid argument (CUDA_ERROR_INVALID_VALUE, 1)"),
            std::string::npos)
      << done.error().message;
  EXPECT_EQ(gpu.driver->lost(), Status::success);
}

TEST(Remote, refuses_code_with_the_log_of_the_compiler) {
  RemoteGpu gpu;
  auto object = code_of(ids, sizeof(Arguments));
  object.text[0] = std::byte{'x'};
  auto loaded = gpu.device->load(codeobject::write(object), {});
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("does not begin with .version"), std::string::npos)
      << loaded.error().message;
}

/// Whether a new GPU, whose driver has no compiler, loads code and runs it.
bool runs_without_compiler(const codeobject::CodeObject& object, std::string* refusal = nullptr) {
  const FakeSetting no_compiler("HEDDLE_FAKE_COMPILER", "0");
  RemoteGpu gpu;
  auto code = gpu.device->load(codeobject::write(object), {});
  if (!code) {
    if (refusal) *refusal = code.error().message;
    return false;
  }
  Shared out(gpu);
  RemoteQueue queue(gpu);
  return runs(queue, (*code)->kernel_object(0), out);
}

TEST(Remote, compiles_code_for_the_cache_which_the_next_process_loads) {
  const CacheFolder folder;
  auto object = code_of(ids, sizeof(Arguments));
  // More than an answer of a channel can hold.
  const std::string comment = "// " + std::string(300'000, 'x') + '\n';
  object.text.insert(object.text.end() - 1, reinterpret_cast<const std::byte*>(comment.data()),
                     reinterpret_cast<const std::byte*>(comment.data() + comment.size()));
  {
    RemoteGpu gpu;
    const auto code = gpu.load(object);
    Shared out(gpu);
    RemoteQueue queue(gpu);
    EXPECT_TRUE(runs(queue, code->kernel_object(0), out));
  }
  ASSERT_EQ(folder.entries().size(), 1u);
  EXPECT_GT(std::filesystem::file_size(folder.entries()[0]), comment.size());
  EXPECT_TRUE(runs_without_compiler(object));
  std::string refusal;
  EXPECT_FALSE(runs_without_compiler(code_of(ids, sizeof(Arguments)), &refusal)) << "it was never compiled";
  EXPECT_NE(refusal.find("there is no compiler"), std::string::npos) << refusal;
  // A damaged entry is of no use, and no harm.
  const std::filesystem::path entry = folder.entries()[0];
  overwrite(entry, contents(entry).substr(0, 1000));
  EXPECT_FALSE(runs_without_compiler(object));
  RemoteGpu().load(object);
  EXPECT_TRUE(runs_without_compiler(object));
}

TEST(Remote, loads_code_without_the_cache_if_the_driver_does_not_link) {
  const CacheFolder folder;
  const FakeSetting no_linker("HEDDLE_FAKE_LINKER", "0");
  RemoteGpu gpu;
  const auto code = gpu.load(code_of(ids, sizeof(Arguments)));
  Shared out(gpu);
  RemoteQueue queue(gpu);
  EXPECT_TRUE(runs(queue, code->kernel_object(0), out));
  EXPECT_EQ(folder.entries().size(), 0u);
}

TEST(Remote, loads_code_from_the_cache_when_it_was_lost) {
  const CacheFolder folder;
  RemoteGpu gpu;
  const auto code = gpu.load(code_of(ids, sizeof(Arguments)));
  const FakeSetting no_compiler("HEDDLE_FAKE_COMPILER", "0");
  kill(static_cast<pid_t>(gpu.process()), SIGKILL);
  ASSERT_TRUE(becomes_true([&] {
    gpu.driver->look_after();
    return gpu.driver->lost() == Status::process_lost;
  }));
  const auto revived = gpu.device->revive();
  ASSERT_TRUE(revived) << revived.error().message;
  Shared out(gpu);
  RemoteQueue queue(gpu);
  EXPECT_TRUE(runs(queue, code->kernel_object(0), out));
}

TEST(Remote, a_fault_fails_the_queues_of_its_gpu_and_of_no_other) {
  const FakeSetting two("HEDDLE_FAKE_GPUS", "2");
  RemoteGpu healthy(0);
  std::optional<FakeSetting> fault(std::in_place, "HEDDLE_FAKE_FAULT_AFTER", "2");
  RemoteGpu gpu(1);
  fault.reset();
  EXPECT_STREQ(gpu.description->config().name, "Fake GPU 1");
  const auto code = gpu.load(code_of(ids, sizeof(Arguments)));
  const auto healthy_code = healthy.load(code_of(ids, sizeof(Arguments)));
  Shared out(gpu), healthy_out(healthy);
  RemoteQueue queue(gpu), idle(gpu), healthy_queue(healthy);
  const int64_t process = gpu.process(), healthy_process = healthy.process();
  ASSERT_TRUE(runs(queue, code->kernel_object(0), out));
  ASSERT_TRUE(runs(healthy_queue, healthy_code->kernel_object(0), healthy_out));
  ASSERT_TRUE(runs(queue, code->kernel_object(0), out));
  Arguments arguments{out.words()};
  submit(queue, code->kernel_object(0), arguments);
  const auto failed = queue.error();
  EXPECT_EQ(failed.status, HSA_STATUS_ERROR);
  EXPECT_NE(failed.message.find("kernel &k: cuStreamQuery: fake: an illegal address was accessed"),
            std::string::npos)
      << failed.message;
  // The other queue of this GPU learns it when it is used.
  submit(idle, code->kernel_object(0), arguments);
  EXPECT_EQ(idle.error().status, HSA_STATUS_ERROR);
  EXPECT_TRUE(becomes_true([&] { return !exists(process); }));
  EXPECT_TRUE(runs(healthy_queue, healthy_code->kernel_object(0), healthy_out));
  EXPECT_EQ(healthy.process(), healthy_process);
  // The same code and memory work in a new queue.
  const auto begin = steady_clock::now();
  RemoteQueue after(gpu);
  EXPECT_TRUE(runs(after, code->kernel_object(0), out));
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(5)) << "tests may run on busy machines";
  EXPECT_NE(gpu.process(), process);
}

TEST(Remote, memory_of_the_device_and_code_are_where_they_were_in_the_next_process) {
  RemoteGpu gpu;
  GpuDevice& device = *gpu.device;
  Copies copies(device.context(), device.device_memory(), device.host_memory());
  const auto small = device.device_memory().allocate(1000, 256);
  const auto large = device.device_memory().allocate(5 << 20, 4096);
  ASSERT_TRUE(small && large);
  uint32_t number = 42;
  ASSERT_TRUE(copies.copy(reinterpret_cast<void*>(*large), &number, sizeof number));
  const auto code = gpu.load(code_of(ids, sizeof(Arguments)));
  Shared out(gpu);
  {
    RemoteQueue queue(gpu);
    ASSERT_TRUE(runs(queue, code->kernel_object(0), out));
  }
  for (int times = 0; times < 3; ++times) {
    kill(static_cast<pid_t>(gpu.process()), SIGKILL);
    ASSERT_TRUE(becomes_true([&] {
      gpu.driver->look_after();
      return gpu.driver->lost() == Status::process_lost;
    }));
    const auto revived = device.revive();
    ASSERT_TRUE(revived) << revived.error().message;
    for (const DeviceAddress address : {*small, *large}) {
      number = 7;
      const auto copied = copies.copy(reinterpret_cast<void*>(address), &number, sizeof number);
      ASSERT_TRUE(copied) << copied.error().message;
      number = 0;
      ASSERT_TRUE(copies.copy(&number, reinterpret_cast<void*>(address), sizeof number));
      EXPECT_EQ(number, 7u);
    }
    RemoteQueue queue(gpu);
    EXPECT_TRUE(runs(queue, code->kernel_object(0), out));
  }
  EXPECT_TRUE(device.device_memory().free(*small));
  EXPECT_TRUE(device.device_memory().free(*large));
}

TEST(Remote, memory_that_is_added_while_the_process_is_lost_is_in_the_next) {
  RemoteGpu gpu;
  const auto code = gpu.load(code_of(ids, sizeof(Arguments)));
  kill(static_cast<pid_t>(gpu.process()), SIGKILL);
  ASSERT_TRUE(becomes_true([&] {
    gpu.driver->look_after();
    return gpu.driver->lost() == Status::process_lost;
  }));
  Shared late(gpu);
  uint32_t own[1024] = {};
  EXPECT_FALSE(gpu.device->host_memory().add(own, sizeof own)) << "no other process can have this memory";
  RemoteQueue queue(gpu);
  EXPECT_TRUE(runs(queue, code->kernel_object(0), late));
  Shared other(gpu);
  EXPECT_TRUE(runs(queue, code->kernel_object(0), other));
}

TEST(Remote, a_request_beyond_the_channel_is_refused_and_no_end_of_anything) {
  RemoteGpu gpu;
  const std::vector<std::byte> many(remote::Channel::largest_request + 1);
  remote::Request request(gpu.driver->remote(), remote::FunctionId::context_synchronize);
  request.put_bytes(many.data(), many.size());
  EXPECT_EQ(request.call([](remote::Reader&) { FAIL() << "nobody has answered"; }), Status::invalid_value);
  EXPECT_TRUE(gpu.device->context().call(gpu.device->context().api().context_synchronize));
}

TEST(Remote, its_death_under_a_kernel_is_the_error_of_the_queue) {
  std::optional<FakeSetting> deaf(std::in_place, "HEDDLE_FAKE_DEAF", "1");
  RemoteGpu gpu;
  deaf.reset();
  const auto code = gpu.load(code_of(ids, sizeof(Arguments)));
  Shared out(gpu);
  RemoteQueue queue(gpu);
  Arguments arguments{out.words()};
  submit(queue, code->kernel_object(0), arguments);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(static_cast<pid_t>(gpu.process()), SIGKILL);
  const auto failed = queue.error();
  EXPECT_EQ(failed.status, HSA_STATUS_ERROR);
  // It may have happened while the kernel was being launched.
  EXPECT_TRUE(failed.message.starts_with("kernel &k: ")) << failed.message;
  EXPECT_NE(failed.message.find("the process of the GPU has ended"), std::string::npos) << failed.message;
  RemoteQueue after(gpu);
  EXPECT_TRUE(runs(after, code->kernel_object(0), out));
}

TEST(Remote, is_ended_when_a_kernel_does_not_stop_for_the_end_of_its_queue) {
  std::optional<FakeSetting> deaf(std::in_place, "HEDDLE_FAKE_DEAF", "1");
  RemoteGpu gpu;
  deaf.reset();
  const int64_t process = gpu.process();
  const auto code = gpu.load(code_of(ids, sizeof(Arguments)));
  Shared out(gpu);
  auto queue = std::make_unique<RemoteQueue>(gpu);
  RemoteQueue other(gpu);
  Arguments arguments{out.words()};
  submit(*queue, code->kernel_object(0), arguments);
  submit(other, code->kernel_object(0), arguments);
  ASSERT_TRUE(becomes_true([&] { return queue->queue.read_index() + other.queue.read_index() == 2; }));
  queue->processor->inactivate();
  ASSERT_TRUE(becomes_true([&] { return !exists(process); }));
  const auto failed = other.error();
  EXPECT_NE(failed.message.find("because a kernel did not end"), std::string::npos) << failed.message;
  queue.reset();
  RemoteQueue after(gpu);
  EXPECT_TRUE(runs(after, code->kernel_object(0), out));
}

TEST(Remote, cannot_be_used_in_the_child_of_a_fork_and_is_not_harmed_by_it) {
  RemoteGpu gpu;
  const auto code = gpu.load(code_of(ids, sizeof(Arguments)));
  Shared out(gpu);
  RemoteQueue queue(gpu);
  ASSERT_TRUE(runs(queue, code->kernel_object(0), out));
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const auto revived = gpu.device->revive();
    const bool refused = !revived && revived.error().status == Status::not_initialized;
    _exit(refused && gpu.driver->lost() == Status::not_initialized ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(runs(queue, code->kernel_object(0), out));
}

TEST(Remote, ends_with_the_program_although_a_child_of_the_program_lives_on) {
  int numbers[2];
  ASSERT_EQ(pipe2(numbers, O_CLOEXEC), 0);
  const pid_t program = fork();
  if (program == 0) {
    auto* gpu = new RemoteGpu;
    const int64_t process = gpu->process();
    const pid_t child = fork();
    if (child == 0) {
      sleep(60);
      _exit(0);
    }
    const int64_t told[2] = {process, child};
    _exit(write(numbers[1], told, sizeof told) == sizeof told ? 0 : 1);
  }
  int64_t told[2] = {};
  ASSERT_EQ(read(numbers[0], told, sizeof told), static_cast<ssize_t>(sizeof told));
  int status = 0;
  ASSERT_EQ(waitpid(program, &status, 0), program);
  EXPECT_TRUE(becomes_true([&] { return !exists(told[0]); }));
  EXPECT_TRUE(exists(told[1]));
  kill(static_cast<pid_t>(told[1]), SIGKILL);
  close(numbers[0]);
  close(numbers[1]);
}

TEST(Remote, has_none_of_the_files_and_is_no_child_of_the_program) {
  const int file = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  ASSERT_GE(file, 0);
  RemoteGpu gpu;
  const std::string folder = fmt::format("/proc/{}/fd/{}", gpu.process(), file);
  char target[64] = "";
  const ssize_t length = readlink(folder.c_str(), target, sizeof target - 1);
  EXPECT_FALSE(file > remote::socket_file && length > 0 && std::string(target) == "/dev/null") << target;
  close(file);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "there is no child";
  EXPECT_EQ(errno, ECHILD);
  EXPECT_NE(getsid(static_cast<pid_t>(gpu.process())), getsid(0)) << "signals of the terminal";
}

TEST(RemoteStart, says_why_it_fails) {
  const auto reason = [](const char* program, const char* library) {
    remote::RemoteDriver driver({program, library, {}});
    const auto started = driver.start();
    EXPECT_FALSE(started);
    EXPECT_EQ(driver.lost(), Status::not_initialized);
    EXPECT_EQ(driver.api().context_synchronize(), Status::not_initialized);
    return started ? std::string() : started.error().message;
  };
  EXPECT_NE(reason("/no/such/program", HEDDLE_FAKE_CUDA).find("/no/such/program"), std::string::npos);
  EXPECT_NE(reason(HEDDLE_CUDA_HOST, "/no/such/libcuda.so").find("/no/such/libcuda.so"), std::string::npos);
  EXPECT_NE(reason("/bin/true", HEDDLE_FAKE_CUDA).find("has ended before"), std::string::npos);
}

TEST(RemoteStart, needs_no_standard_input_and_output) {
  constexpr int streams[] = {STDIN_FILENO, STDOUT_FILENO};
  int kept[2];
  for (const int stream : streams) {
    kept[stream] = fcntl(stream, F_DUPFD_CLOEXEC, 10);
    close(stream);
  }
  {
    remote::RemoteDriver driver({HEDDLE_CUDA_HOST, HEDDLE_FAKE_CUDA, {}});
    const auto started = driver.start();
    EXPECT_TRUE(started) << started.error().message;
  }
  for (const int stream : streams) {
    dup2(kept[stream], stream);
    close(kept[stream]);
  }
}

TEST(RemoteStart, shows_one_device_of_those_that_are_shown_here) {
  EXPECT_EQ(remote::visible_device(3), "3");
  const FakeSetting shown("CUDA_VISIBLE_DEVICES", "2,GPU-5,7");
  EXPECT_EQ(remote::visible_device(0), "2");
  EXPECT_EQ(remote::visible_device(1), "GPU-5");
  EXPECT_EQ(remote::visible_device(2), "7");
  EXPECT_EQ(remote::visible_device(3), "");
}

TEST(RemoteStart, the_program_refuses_to_be_started_by_hand) {
  const std::string command = std::string(HEDDLE_CUDA_HOST) + " libcuda.so.1 3</dev/null 2>/dev/null";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status;
}

}  // namespace
}  // namespace heddle::cuda::test
