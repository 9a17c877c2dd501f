// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative launches: how large they may be, how grids are synchronized, and how they fit into streams.
#include "cooperative.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

template <typename... Arguments>
hipError_t launch_cooperative(const void* kernel, dim3 groups, dim3 group, unsigned dynamic,
                              hipStream_t stream, Arguments... arguments) {
  void* list[] = {static_cast<void*>(&arguments)..., nullptr};
  return hipLaunchCooperativeKernel(kernel, groups, group, list, dynamic, stream);
}

int attribute(hipDeviceAttribute_t which, int device = 0) {
  int value = 0;
  EXPECT_EQ(hipDeviceGetAttribute(&value, which, device), hipSuccess);
  return value;
}

/// How many work-groups of this size a cooperative launch may have, as programs calculate it.
unsigned most_groups(const void* kernel, unsigned group, size_t dynamic = 0) {
  int of_unit = 0;
  EXPECT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&of_unit, kernel, static_cast<int>(group), dynamic),
            hipSuccess);
  return static_cast<unsigned>(of_unit * attribute(hipDeviceAttributeMultiprocessorCount));
}

constexpr unsigned rounds = 5;

/// What mix_kernel makes of zeros; `distance` is that to the work-item whose value is taken.
std::vector<unsigned> mixed_on_host(unsigned items, unsigned distance, unsigned group, unsigned ending) {
  std::vector<unsigned> a(items), b(items);
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned i = 0; i < items; ++i)
      if (ending == 0 || i % group % ending != 0) b[i] = mixed(a[(i + distance) % items], i, round);
    a.swap(b);
  }
  return a;
}

void expect_mixed(unsigned groups, unsigned group) {
  const unsigned items = groups * group;
  const DeviceMemory<unsigned> a(items), b(items);
  HIP_OK(launch_cooperative(mix_kernel, dim3(groups), dim3(group), 0, nullptr, a.data(), b.data(), rounds));
  HIP_OK(hipDeviceSynchronize());
  const auto results = rounds % 2 == 0 ? a.values() : b.values();
  EXPECT_EQ(results, mixed_on_host(items, group + 1, group, 0)) << groups << " groups of " << group;
}

TEST(Cooperative, DevicesSayWhatTheyCan) {
  EXPECT_EQ(attribute(hipDeviceAttributeCooperativeLaunch), 1);
  EXPECT_EQ(attribute(hipDeviceAttributeCooperativeMultiDeviceLaunch), 1);
  EXPECT_EQ(attribute(hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc), 0);
  hipDeviceProp_t properties{};
  HIP_OK(hipGetDeviceProperties(&properties, 0));
  EXPECT_EQ(properties.cooperativeLaunch, 1);
  EXPECT_EQ(properties.cooperativeMultiDeviceLaunch, 1);
}

TEST(Cooperative, LargestGridsAreSynchronized) {
  for (const unsigned group : {32U, 64U, 100U, 256U, 1024U}) {
    expect_mixed(1, group);
    expect_mixed(2, group);
    expect_mixed(most_groups(mix_kernel, group), group);
    ASSERT_FALSE(HasFailure()) << group;
  }
}

TEST(Cooperative, WorkItemsThatHaveEndedAreNotWaitedFor) {
  for (const unsigned ending : {2U, 3U, 33U}) {
    constexpr unsigned group = 96, groups = 4;
    const DeviceMemory<unsigned> a(groups * group), b(groups * group);
    HIP_OK(launch_cooperative(mix_some_kernel, dim3(groups), dim3(group), 0, nullptr, a.data(), b.data(),
                              rounds, ending));
    HIP_OK(hipDeviceSynchronize());
    const auto results = rounds % 2 == 0 ? a.values() : b.values();
    EXPECT_EQ(results, mixed_on_host(groups * group, group, group, ending)) << ending;
  }
}

TEST(Cooperative, LaunchesThatAreTooLargeAreRefused) {
  const DeviceMemory<unsigned> memory(8);
  const auto expect = [&](dim3 groups, dim3 group, unsigned dynamic, hipError_t error) {
    EXPECT_EQ(launch_cooperative(describe_kernel, groups, group, dynamic, nullptr, memory.data()), error)
        << groups.x << " groups of " << group.x;
  };
  const unsigned most = most_groups(describe_kernel, 64);
  expect(dim3(most), dim3(64), 0, hipSuccess);
  expect(dim3(most + 1), dim3(64), 0, hipErrorCooperativeLaunchTooLarge);
  expect(dim3(1), dim3(64), 1U << 30, hipErrorCooperativeLaunchTooLarge);
  const auto memory_of_group =
      static_cast<unsigned>(attribute(hipDeviceAttributeMaxSharedMemoryPerBlock)) / 2;
  const unsigned with_memory = most_groups(describe_kernel, 64, memory_of_group);
  EXPECT_LT(with_memory, most);
  expect(dim3(with_memory), dim3(64), memory_of_group, hipSuccess);
  expect(dim3(with_memory + 1), dim3(64), memory_of_group, hipErrorCooperativeLaunchTooLarge);
  for (const dim3 wrong : {dim3(0), dim3(1, 0), dim3(1, 1, 0)}) {
    expect(wrong, dim3(1), 0, hipErrorInvalidConfiguration);
    expect(dim3(1), wrong, 0, hipErrorInvalidConfiguration);
  }
  expect(dim3(1), dim3(1 << 20), 0, hipErrorInvalidConfiguration);
  EXPECT_EQ(launch_cooperative(nullptr, dim3(1), dim3(1), 0, nullptr), hipErrorInvalidDeviceFunction);
  HIP_OK(hipDeviceSynchronize());
}

TEST(Cooperative, KernelsKnowHowTheyWereLaunched) {
  const DeviceMemory<unsigned> memory(8);
  HIP_OK(launch(describe_kernel, dim3(2, 3), dim3(16, 2), 0, nullptr, memory.data()));
  EXPECT_EQ(memory.values(), (std::vector<unsigned>{0, 192, 6, 0, 1, 0, 192, 0}));
  HIP_OK(launch_cooperative(describe_kernel, dim3(2, 3), dim3(16, 2), 0, nullptr, memory.data()));
  EXPECT_EQ(memory.values(), (std::vector<unsigned>{1, 192, 6, 0, 1, 0, 192, 0}));
  // After more launches than a queue has slots for arguments.
  for (int i = 0; i < 1100; ++i)
    HIP_OK(launch(describe_kernel, dim3(1), dim3(32), 0, nullptr, memory.data()));
  EXPECT_EQ(memory.values()[0], 0U);
}

/// Each of three streams makes values in several launches; each launch needs those of the one before.
TEST(Cooperative, LaunchesKeepTheOrderOfStreams) {
  constexpr unsigned group = 64, groups = 3, items = group * groups, launches = 20;
  const auto work = [&](hipStream_t stream, const DeviceMemory<unsigned>& a,
                        const DeviceMemory<unsigned>& b) {
    for (unsigned i = 0; i < launches; ++i) {
      HIP_OK(
          launch_cooperative(mix_kernel, dim3(groups), dim3(group), 0, stream, a.data(), b.data(), rounds));
      HIP_OK(hipMemcpyAsync(a.data(), b.data(), items * sizeof(unsigned), hipMemcpyDeviceToDevice, stream));
    }
  };
  constexpr size_t streams = 3;
  std::vector<std::unique_ptr<DeviceMemory<unsigned>>> memory;
  for (size_t i = 0; i < 2 * streams; ++i) memory.push_back(std::make_unique<DeviceMemory<unsigned>>(items));
  {
    std::vector<std::unique_ptr<OwnStream>> own;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < streams; ++i) {
      own.push_back(std::make_unique<OwnStream>());
      threads.emplace_back([&, i] { work(*own[i], *memory[2 * i], *memory[2 * i + 1]); });
    }
    for (auto& thread : threads) thread.join();
    for (const auto& stream : own) HIP_OK(hipStreamSynchronize(*stream));
  }
  const auto first = memory[0]->values();
  EXPECT_NE(first, std::vector<unsigned>(items));
  for (size_t i = 1; i < streams; ++i) EXPECT_EQ(memory[2 * i]->values(), first);
  // One after the other, in the default stream, with ordinary kernels between.
  const DeviceMemory<unsigned> a(items), b(items);
  work(nullptr, a, b);
  EXPECT_EQ(a.values(), first);
}

TEST(Cooperative, CapturesTakeThem) {
  const DeviceMemory<unsigned> memory(8);
  const OwnStream stream;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  HIP_OK(launch_cooperative(describe_kernel, dim3(2), dim3(32), 0, stream, memory.data()));
  hipGraph_t graph = nullptr;
  HIP_OK(hipStreamEndCapture(stream, &graph));
  hipGraphNode_t node = nullptr;
  size_t count = 1;
  HIP_OK(hipGraphGetNodes(graph, &node, &count));
  ASSERT_EQ(count, 1U);
  hipKernelNodeAttrValue value{};
  HIP_OK(hipGraphKernelNodeGetAttribute(node, hipKernelNodeAttributeCooperative, &value));
  EXPECT_EQ(value.cooperative, 1);
  hipGraphExec_t executable = nullptr;
  HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  EXPECT_EQ(memory.values()[0], 0U);
  HIP_OK(hipGraphLaunch(executable, stream));
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(memory.values()[0], 1U);
  EXPECT_EQ(memory.values()[1], 64U);
  HIP_OK(hipGraphExecDestroy(executable));
  // Without the attribute, the same kernel is launched otherwise.
  value.cooperative = 0;
  HIP_OK(hipGraphKernelNodeSetAttribute(node, hipKernelNodeAttributeCooperative, &value));
  HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  HIP_OK(hipGraphLaunch(executable, stream));
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(memory.values()[0], 0U);
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(graph));
}

TEST(Cooperative, AnOrdinaryGridIsNotSynchronized) {
  unsigned* words = nullptr;  // which the reset frees
  HIP_OK(hipMalloc(reinterpret_cast<void**>(&words), 128 * sizeof *words));
  HIP_OK(launch(mix_kernel, dim3(1), dim3(64), 0, nullptr, words, words + 64, rounds));
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
  HIP_OK(hipDeviceReset());
  expect_mixed(2, 64);
}

TEST(Cooperative, ReductionsCountLiveWorkItems) {
  for (const unsigned group : {16U, 31U, 64U, 100U, 1024U}) {
    for (const unsigned ending : {2U, 3U, 7U, 32U}) {
      const DeviceMemory<unsigned> memory(size_t{5} * group);
      HIP_OK(launch(reduce_live_kernel, dim3(1), dim3(group), 0, nullptr, memory.data(), ending));
      const auto results = memory.values();
      const auto lives = [&](unsigned i) { return i < group && i % ending != 0 && i / 32 != 1; };
      unsigned odd = 0;
      for (unsigned i = 0; i < group; ++i) odd += lives(i) && i % 2 == 1 ? 1U : 0U;
      const unsigned has_next = lives(ending + 1) ? 1 : 0;
      for (unsigned i = 0; i < group; ++i) {
        const unsigned* own = &results[size_t{5} * i];
        const std::vector<unsigned> found(own, own + 5);
        const std::vector<unsigned> expected =
            lives(i) ? std::vector<unsigned>{odd, 1, 1 - has_next, 0, has_next} : std::vector<unsigned>(5);
        ASSERT_EQ(found, expected) << i << " of " << group << ", every " << ending << " ends";
      }
    }
  }
}

TEST(Cooperative, TilesOfTilesHaveRanks) {
  const DeviceMemory<unsigned> memory(4 * 64);
  HIP_OK(launch(tiles_kernel, dim3(1), dim3(64), 0, nullptr, memory.data()));
  const auto results = memory.values();
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned* own = &results[size_t{4} * i];
    EXPECT_EQ(own[0], 8 + 100 * (i % 8)) << i;
    EXPECT_EQ(own[1], 0U);
    EXPECT_EQ(own[2], i % 2 == 1 ? 4 + 100 * (i / 2 % 4) : 0U) << i;
    EXPECT_EQ(own[3], i % 2 == 1 ? i / 8 * 8 + 3 : 0U) << i;
  }
}

class CooperativeModule : public ::testing::Test {
 protected:
  void SetUp() override {
    HIP_OK(hipModuleLoad(&module_, MODULE_FILE));
    HIP_OK(hipModuleGetFunction(&reverse_, module_, "_Z7reversePii"));
  }
  void TearDown() override { EXPECT_EQ(hipModuleUnload(module_), hipSuccess); }
  hipModule_t module_ = nullptr;
  hipFunction_t reverse_ = nullptr;
};

TEST_F(CooperativeModule, FunctionsAreLaunched) {
  const DeviceMemory<int> memory(std::vector<int>{1, 2, 3, 4});
  int* to = memory.data();
  int count = 4;
  void* arguments[] = {&to, &count};
  HIP_OK(hipModuleLaunchCooperativeKernel(reverse_, 1, 1, 1, 4, 1, 1, 16, nullptr, arguments));
  EXPECT_EQ(memory.values(), (std::vector<int>{4, 3, 2, 1}));
  const auto with = [&](unsigned groups, unsigned group, unsigned dynamic) {
    return hipModuleLaunchCooperativeKernel(reverse_, groups, 1, 1, group, 1, 1, dynamic, nullptr, arguments);
  };
  EXPECT_EQ(with(0, 1, 16), hipErrorInvalidValue);
  EXPECT_EQ(with(1, 0, 16), hipErrorInvalidValue);
  EXPECT_EQ(with(1, 1 << 20, 16), hipErrorInvalidValue);
  EXPECT_EQ(with(1, 4, 1U << 30), hipErrorInvalidValue);
  EXPECT_EQ(with(1U << 20, 4, 16), hipErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(hipModuleLaunchCooperativeKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr),
            hipErrorInvalidHandle);
}

/// Launches on several devices. HEDDLE_AGENTS says which there are; one is enough for most.
class Devices : public ::testing::Test {
 protected:
  void SetUp() override {
    HIP_OK(hipGetDeviceCount(&count_));
    for (int i = 0; i < count_; ++i) {
      HIP_OK(hipSetDevice(i));
      streams_.push_back(std::make_unique<OwnStream>());
    }
    HIP_OK(hipSetDevice(0));
  }
  void TearDown() override { HIP_OK(hipSetDevice(0)); }

  /// A launch of meet_kernel on each device.
  std::vector<hipLaunchParams> launches(void** arguments, dim3 groups, dim3 group) {
    std::vector<hipLaunchParams> list;
    for (const auto& stream : streams_)
      list.push_back({const_cast<void*>(meet_kernel), groups, group, arguments, 0, *stream});
    return list;
  }

  int count_ = 0;
  std::vector<std::unique_ptr<OwnStream>> streams_;
};

/// Memory of the host for all devices.
struct SharedWords {
  explicit SharedWords(size_t count) {
    EXPECT_EQ(hipHostMalloc(reinterpret_cast<void**>(&words), count * sizeof *words, hipHostMallocPortable),
              hipSuccess);
    std::fill_n(words, count, 0U);
  }
  ~SharedWords() { EXPECT_EQ(hipHostFree(words), hipSuccess); }
  SharedWords(const SharedWords&) = delete;
  SharedWords& operator=(const SharedWords&) = delete;
  unsigned* words = nullptr;
};

TEST_F(Devices, AllGridsMeet) {
  constexpr unsigned groups = 3, group = 64;
  const unsigned items = static_cast<unsigned>(count_) * groups * group;
  const SharedWords counter(1), out(size_t{items} * (rounds + 1));
  unsigned number = rounds;
  void* arguments[] = {const_cast<unsigned**>(&counter.words), const_cast<unsigned**>(&out.words), &number};
  auto list = launches(arguments, dim3(groups), dim3(group));
  for (unsigned repetition = 0; repetition < 3; ++repetition) {
    HIP_OK(hipLaunchCooperativeKernelMultiDevice(list.data(), count_, repetition));
    for (const auto& stream : streams_) HIP_OK(hipStreamSynchronize(*stream));
    for (unsigned i = 0; i < items; ++i) {
      const unsigned* own = &out.words[size_t{i} * (rounds + 1)];
      ASSERT_EQ(own[0], i);
      for (unsigned round = 0; round < rounds; ++round)
        ASSERT_EQ(own[1 + round], items * (repetition * rounds + round + 1)) << i;
    }
  }
}

TEST_F(Devices, KernelsWithoutMeetingAreLaunchedTogether) {
  const SharedWords out(8 * static_cast<size_t>(count_));
  std::vector<unsigned*> own;
  std::vector<void*> arguments;
  for (int i = 0; i < count_; ++i) own.push_back(out.words + 8 * static_cast<ptrdiff_t>(i));
  for (auto& address : own) arguments.push_back(static_cast<void*>(&address));
  std::vector<hipLaunchParams> list;
  for (size_t i = 0; i < streams_.size(); ++i)
    list.push_back({const_cast<void*>(describe_kernel), dim3(2), dim3(static_cast<unsigned>(32 + i)),
                    &arguments[i], 0, *streams_[i]});
  HIP_OK(hipExtLaunchMultiKernelMultiDevice(list.data(), count_, 0));
  for (const auto& stream : streams_) HIP_OK(hipStreamSynchronize(*stream));
  for (unsigned i = 0; i < streams_.size(); ++i) {
    EXPECT_EQ(own[i][0], 0U);
    EXPECT_EQ(own[i][1], 2 * (32 + i));
  }
}

TEST_F(Devices, ListsAreChecked) {
  const SharedWords out(1000);
  unsigned number = 1;
  void* arguments[] = {const_cast<unsigned**>(&out.words), const_cast<unsigned**>(&out.words), &number};
  const auto list = launches(arguments, dim3(1), dim3(32));
  const auto start = [&](std::vector<hipLaunchParams> changed, int count, unsigned flags = 0) {
    return hipLaunchCooperativeKernelMultiDevice(changed.data(), count, flags);
  };
  EXPECT_EQ(hipLaunchCooperativeKernelMultiDevice(nullptr, 1, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipExtLaunchMultiKernelMultiDevice(nullptr, 1, 0), hipErrorInvalidValue);
  EXPECT_EQ(start(list, 0), hipErrorInvalidValue);
  EXPECT_EQ(start(list, -1), hipErrorInvalidValue);
  EXPECT_EQ(start(list, count_ + 1), hipErrorInvalidValue);
  EXPECT_EQ(start(list, count_, 4), hipErrorInvalidValue);
  auto changed = list;
  changed[0].stream = nullptr;
  EXPECT_EQ(start(changed, count_), hipErrorInvalidHandle);
  changed = list;
  changed[0].func = nullptr;
  EXPECT_EQ(start(changed, count_), hipErrorInvalidDeviceFunction);
  changed = list;
  for (auto& one : changed) one.gridDim = dim3(1U << 20);
  EXPECT_EQ(start(changed, count_), hipErrorCooperativeLaunchTooLarge);
}

TEST_F(Devices, CooperativeKernelsAreAlike) {
  if (count_ < 2) GTEST_SKIP() << "the test hip.devices runs this with two devices";
  const SharedWords out(1000);
  unsigned number = 1;
  void* arguments[] = {const_cast<unsigned**>(&out.words), const_cast<unsigned**>(&out.words), &number};
  const auto list = launches(arguments, dim3(1), dim3(32));
  const auto expect_refused = [&](auto change) {
    auto changed = list;
    change(changed[1]);
    EXPECT_EQ(hipLaunchCooperativeKernelMultiDevice(changed.data(), 2, 0), hipErrorInvalidValue);
  };
  expect_refused([](hipLaunchParams& one) { one.func = const_cast<void*>(mix_kernel); });
  expect_refused([](hipLaunchParams& one) { one.gridDim = dim3(2); });
  expect_refused([](hipLaunchParams& one) { one.blockDim = dim3(64); });
  expect_refused([](hipLaunchParams& one) { one.sharedMem = 1024; });
  const OwnStream other;
  expect_refused([&](hipLaunchParams& one) { one.stream = other; });
}

/// Launches of several threads, in different orders of devices, do not wait for each other for ever.
TEST_F(Devices, LaunchesOfThreadsHaveOneOrder) {
  if (count_ < 2) GTEST_SKIP() << "the test hip.devices runs this with two devices";
  constexpr unsigned groups = 2, group = 32, repetitions = 20;
  const auto work = [&](bool reversed) {
    std::vector<std::unique_ptr<OwnStream>> streams;
    std::vector<hipLaunchParams> list;
    const unsigned items = 2 * groups * group;
    const SharedWords counter(1), out(size_t{items} * 2);
    unsigned number = 1;
    void* arguments[] = {const_cast<unsigned**>(&counter.words), const_cast<unsigned**>(&out.words), &number};
    for (const int device : {0, 1}) {
      HIP_OK(hipSetDevice(reversed ? 1 - device : device));
      streams.push_back(std::make_unique<OwnStream>());
      list.push_back(
          {const_cast<void*>(meet_kernel), dim3(groups), dim3(group), arguments, 0, *streams.back()});
    }
    for (unsigned i = 0; i < repetitions; ++i)
      HIP_OK(hipLaunchCooperativeKernelMultiDevice(list.data(), 2, 3));
    for (const auto& stream : streams) HIP_OK(hipStreamSynchronize(*stream));
    EXPECT_EQ(*counter.words, items * repetitions);
  };
  std::thread first(work, false), second(work, true);
  first.join();
  second.join();
}

/// A kernel that waits for that of a device which fails ends, too. The test hip.devices runs this with two.
TEST(DevicesThatFail, LetOthersEnd) {
  int count = 0;
  HIP_OK(hipGetDeviceCount(&count));
  if (count < 2) GTEST_SKIP() << "the test hip.devices runs this with two devices";
  for (unsigned failing = 0; failing < 2; ++failing) {
    void* arguments[] = {&failing};
    std::vector<hipLaunchParams> list;
    for (const int device : {0, 1}) {
      HIP_OK(hipSetDevice(device));
      hipStream_t stream = nullptr;  // which the reset destroys
      HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
      list.push_back({const_cast<void*>(meet_or_fail_kernel), dim3(2), dim3(64), arguments, 0, stream});
    }
    HIP_OK(hipLaunchCooperativeKernelMultiDevice(list.data(), 2, hipCooperativeLaunchMultiDeviceNoPostSync));
    for (const hipLaunchParams& one : list)
      EXPECT_EQ(hipStreamSynchronize(one.stream), hipErrorLaunchFailure);
    for (const int device : {0, 1}) {
      HIP_OK(hipSetDevice(device));
      HIP_OK(hipDeviceReset());
    }
  }
  HIP_OK(hipSetDevice(0));
}

}  // namespace
}  // namespace heddle::hip_tests
