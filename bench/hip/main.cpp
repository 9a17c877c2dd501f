// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares HIP with what a program does by hand over HSA: launches of a kernel that does nothing, graphs,
// copies, and five kernels. Both meet the same state of the machine in turns; printed are the medians of the
// times and of the quotient of each pair. Below 1, HIP is faster.
//
//     bench-hip [ROUNDS]
//
// BENCH_KERNELS is the BRIG of kernels.hip. The kernels run on the first kernel agent; HEDDLE_AGENTS chooses.
#include <fmt/format.h>
#include <hip_functions.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "common/hsa_session.h"

namespace {

using namespace examples;
using Clock = std::chrono::steady_clock;

void check_hip(hipError_t result, const char* what) {
  if (result != hipSuccess) throw Error(std::string(what) + ": " + hipGetErrorString(result));
}
#define HIP(call) check_hip((call), #call)

double microseconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Measures both in turns, `count` operations each time, and prints a line.
void compare(const char* name, int rounds, double count, const std::function<void()>& own,
             const std::function<void()>& base) {
  own();
  base();
  std::vector<double> own_times, base_times, quotients;
  for (int round = 0; round < rounds; ++round) {
    // Who begins alternates, because the second meets warmer caches.
    double first = microseconds_of(round % 2 == 0 ? own : base),
           second = microseconds_of(round % 2 == 0 ? base : own);
    if (round % 2 != 0) std::swap(first, second);
    own_times.push_back(first / count);
    base_times.push_back(second / count);
    quotients.push_back(first / second);
  }
  fmt::print("| {} | {:.3f} | {:.3f} | {:.2f} |\n", name, median(own_times), median(base_times),
             median(quotients));
  std::fflush(stdout);
}

/// Returns the ISA for which HIP finalizes, so that both run the same code.
hsa_isa_t isa_of_hip() {
  hipDeviceProp_t properties{};
  HIP(hipGetDeviceProperties(&properties, 0));
  hsa_isa_t isa{};
  check(hsa_isa_from_name(static_cast<const char*>(properties.gcnArchName), &isa), "hsa_isa_from_name");
  return isa;
}

/// The arguments of all kernels but the empty one.
struct Values {
  const float *to, *a, *b;
  unsigned count;
};

struct Shape {
  uint32_t groups_x, groups_y, group;
};

/// A queue as a program uses it by hand.
class HandQueue {
 public:
  explicit HandQueue(const Agent& agent) {
    check(hsa_queue_create(agent.handle, 1024, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, UINT32_MAX,
                           UINT32_MAX, &queue_),
          "hsa_queue_create");
    check(hsa_signal_create(0, 0, nullptr, &done_), "hsa_signal_create");
    check(hsa_memory_allocate(agent.kernarg, sizeof(Values), &values_), "hsa_memory_allocate");
  }
  ~HandQueue() {
    hsa_queue_destroy(queue_);
    hsa_signal_destroy(done_);
    hsa_memory_free(values_);
  }
  HandQueue(const HandQueue&) = delete;
  HandQueue& operator=(const HandQueue&) = delete;

  /// Submits packets with the barrier bit, and waits for the last.
  void run(const Kernel& kernel, const Shape& shape, const Values& values, uint32_t count) {
    std::memcpy(values_, &values, sizeof values);
    hsa_signal_store_relaxed(done_, 1);
    for (uint32_t i = 0; i < count; ++i) submit(kernel, shape, i + 1 == count);
    while (hsa_signal_wait_scacquire(done_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) !=
           0) {
    }
  }

 private:
  void submit(const Kernel& kernel, const Shape& shape, bool last) {
    const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
    while (index - hsa_queue_load_read_index_scacquire(queue_) >= queue_->size) std::this_thread::yield();
    auto* const packet =
        static_cast<hsa_kernel_dispatch_packet_t*>(queue_->base_address) + index % queue_->size;
    std::memset(reinterpret_cast<char*>(packet) + 4, 0, sizeof *packet - 4);
    packet->workgroup_size_x = static_cast<uint16_t>(shape.group);
    packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->grid_size_x = shape.groups_x * shape.group;
    packet->grid_size_y = shape.groups_y;
    packet->grid_size_z = 1;
    packet->private_segment_size = kernel.private_size;
    packet->group_segment_size = kernel.group_size;
    packet->kernel_object = kernel.object;
    packet->kernarg_address = values_;
    if (last) packet->completion_signal = done_;
    constexpr uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                                1 << HSA_PACKET_HEADER_BARRIER |
                                HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    const uint32_t setup = (shape.groups_y > 1 ? 2 : 1) << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    __atomic_store_n(reinterpret_cast<uint32_t*>(packet), header | setup << 16, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  }

  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t done_{};
  void* values_ = nullptr;
};

/// Everything that stays the same over all measurements.
struct Setup {
  Runtime runtime;
  Agent agent;
  std::unique_ptr<Executable> executable;
  std::unique_ptr<HandQueue> queue;
  hipModule_t module = nullptr;
  hipStream_t stream = nullptr;
  Values values{};
  static constexpr size_t memory_size = size_t{64} << 20;

  Setup() {
    auto agents = kernel_agents();
    if (agents.empty()) throw Error("there is no kernel agent");
    agent = agents.front();
    agent.isa = isa_of_hip();
    executable = std::make_unique<Executable>(agent, BENCH_KERNELS);
    queue = std::make_unique<HandQueue>(agent);
    HIP(hipModuleLoad(&module, BENCH_KERNELS));
    HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (const float** memory : {&values.to, &values.a, &values.b}) {
      void* address = nullptr;
      HIP(hipMalloc(&address, memory_size));
      HIP(hipMemset(address, 0, memory_size));
      *memory = static_cast<const float*>(address);
    }
  }

  hipFunction_t function(const char* name) const {
    hipFunction_t found = nullptr;
    HIP(hipModuleGetFunction(&found, module, name));
    return found;
  }

  static void launch(hipFunction_t function, const Shape& shape, Values values, hipStream_t to) {
    void* list[] = {static_cast<void*>(&values.to), static_cast<void*>(&values.a),
                    static_cast<void*>(&values.b), static_cast<void*>(&values.count)};
    HIP(hipModuleLaunchKernel(function, shape.groups_x, shape.groups_y, 1, shape.group, 1, 1, 0, to, list,
                              nullptr));
  }
};

void launches(const Setup& setup, int rounds) {
  hipFunction_t function = setup.function("empty");
  const Kernel kernel = setup.executable->kernel("&empty");
  const Shape shape{1, 1, 1};
  const auto hip = [&](int waits, int count) {
    for (int i = 0; i < waits; ++i) {
      for (int k = 0; k < count; ++k) Setup::launch(function, shape, setup.values, setup.stream);
      HIP(hipStreamSynchronize(setup.stream));
    }
  };
  const auto hand = [&](int waits, uint32_t count) {
    for (int i = 0; i < waits; ++i) setup.queue->run(kernel, shape, setup.values, count);
  };
  compare("launch and wait, us", rounds, 200, [&] { hip(200, 1); }, [&] { hand(200, 1); });
  compare("launch, us", rounds, 10000, [&] { hip(1, 10000); }, [&] { hand(1, 10000); });

  constexpr int threads = 2, streams = 2, count = 5000;
  const auto many = [&] {
    std::vector<std::thread> running;
    running.reserve(threads);
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&] {
        std::array<hipStream_t, streams> own{};
        for (hipStream_t& stream : own) HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
        for (int i = 0; i < count; ++i)
          for (hipStream_t stream : own) Setup::launch(function, shape, setup.values, stream);
        for (hipStream_t stream : own) HIP(hipStreamDestroy(stream));
      });
    for (std::thread& thread : running) thread.join();
  };
  compare("launch by two threads in two streams each, us; beside one queue by hand", rounds,
          threads * streams * count, many, [&] { hand(1, threads * streams * count); });
}

void graphs(const Setup& setup, int rounds) {
  constexpr int kernels = 1000;
  hipFunction_t function = setup.function("empty");
  const Kernel kernel = setup.executable->kernel("&empty");
  const Shape shape{1, 1, 1};
  const auto capture = [&] {
    hipGraph_t graph = nullptr;
    hipGraphExec_t executable = nullptr;
    HIP(hipStreamBeginCapture(setup.stream, hipStreamCaptureModeRelaxed));
    for (int i = 0; i < kernels; ++i) Setup::launch(function, shape, setup.values, setup.stream);
    HIP(hipStreamEndCapture(setup.stream, &graph));
    HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    HIP(hipGraphDestroy(graph));
    return executable;
  };
  hipGraphExec_t executable = capture();
  const auto launch_graph = [&] {
    HIP(hipGraphLaunch(executable, setup.stream));
    HIP(hipStreamSynchronize(setup.stream));
  };
  compare("kernel of a graph of 1,000, us; beside 1,000 launches", rounds, kernels, launch_graph, [&] {
    for (int i = 0; i < kernels; ++i) Setup::launch(function, shape, setup.values, setup.stream);
    HIP(hipStreamSynchronize(setup.stream));
  });
  compare("kernel of a graph of 1,000, us; beside 1,000 packets by hand", rounds, kernels, launch_graph,
          [&] { setup.queue->run(kernel, shape, setup.values, kernels); });
  HIP(hipGraphExecDestroy(executable));
}

void copies(const Setup& setup, int rounds) {
  std::vector<char> host(Setup::memory_size, 1);
  auto* const device = const_cast<float*>(setup.values.to);
  for (const size_t size : {size_t{64} << 10, size_t{1} << 20, Setup::memory_size}) {
    const size_t count = std::max<size_t>((size_t{64} << 20) / size / 4, 1);
    const std::string name = fmt::format("copy of {} KiB, us; beside memcpy", size >> 10);
    compare(
        name.c_str(), rounds, static_cast<double>(count),
        [&] {
          for (size_t i = 0; i < count; ++i) HIP(hipMemcpy(device, host.data(), size, hipMemcpyHostToDevice));
        },
        [&] {
          for (size_t i = 0; i < count; ++i) {
            std::memcpy(device, host.data(), size);
            __asm__ volatile("" ::: "memory");
          }
        });
  }
}

void kernels(const Setup& setup, int rounds) {
  struct Row {
    const char* name;
    unsigned count;
    Shape shape;
  };
  const Row rows[] = {{"vector_add", 1 << 22, {(1 << 22) / 256, 1, 256}},
                      {"stencil", 2048, {2048 / 256, 2046, 256}},
                      {"sgemm", 256, {1, 256, 256}},
                      {"nbody", 4096, {16, 1, 256}},
                      {"reduction", 1 << 22, {64, 1, 256}}};
  for (const Row& row : rows) {
    hipFunction_t function = setup.function(row.name);
    const Kernel kernel = setup.executable->kernel((std::string("&") + row.name).c_str());
    Values values = setup.values;
    values.count = row.count;
    compare((std::string(row.name) + ", us").c_str(), rounds, 1,
            [&] {
              Setup::launch(function, row.shape, values, setup.stream);
              HIP(hipStreamSynchronize(setup.stream));
            },
            [&] { setup.queue->run(kernel, row.shape, values, 1); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const long rounds_wanted = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 41;
    if (rounds_wanted < 1 || rounds_wanted > 10000) throw Error("usage: bench-hip [ROUNDS], 1 to 10000");
    const int rounds = static_cast<int>(rounds_wanted);
    const Setup setup;
    fmt::print("| what | HIP | by hand | quotient |\n|---|---|---|---|\n");
    launches(setup, rounds);
    graphs(setup, rounds);
    copies(setup, rounds);
    kernels(setup, rounds);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-hip: {}\n", error.what());
    return 1;
  }
}
