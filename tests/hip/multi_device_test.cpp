// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two devices in one process: the CPU agent and the interpreter.
#include <dlfcn.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdlib>
#include <numeric>
#include <string_view>
#include <thread>

#include "hip_test.h"
#include "other_process.h"

namespace {
bool interpreter_is_unable = false;
}

/// Stands before HSA's function, and fails for the interpreter if a test says so.
extern "C" __attribute__((visibility("default"))) hsa_status_t
hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, size_t size, uint32_t count,
                          const hsa_agent_t* agents, void** address) {
  for (uint32_t i = 0; i < count && interpreter_is_unable; ++i) {
    char name[64] = {};
    hsa_agent_get_info(agents[i], HSA_AGENT_INFO_NAME, name);
    if (std::string_view(name).find("interpreter") != std::string_view::npos) return HSA_STATUS_ERROR;
  }
  const auto original =
      reinterpret_cast<decltype(&hsa_amd_ipc_memory_attach)>(dlsym(RTLD_NEXT, "hsa_amd_ipc_memory_attach"));
  return original(handle, size, count, agents, address);
}

namespace heddle::hip_tests {
namespace {

class TwoDevices : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    HIP_OK(hipGetDeviceCount(&count));
    ASSERT_GE(count, 2) << "HEDDLE_AGENTS has to name two agents";
    use(0);
  }
  void TearDown() override { use(0); }
  static void use(int device) { ASSERT_EQ(hipSetDevice(device), hipSuccess); }
};

/// Memory that kernels of both devices and the host access; a list that kernels append to.
class SharedList {
 public:
  SharedList() {
    EXPECT_EQ(hipHostMalloc(reinterpret_cast<void**>(&list_), 64 * sizeof(int), hipHostMallocPortable),
              hipSuccess);
    std::fill_n(list_, 64, 0);
  }
  ~SharedList() { EXPECT_EQ(hipHostFree(list_), hipSuccess); }
  SharedList(const SharedList&) = delete;
  SharedList& operator=(const SharedList&) = delete;
  int* address() const { return list_; }
  std::vector<int> values() const { return {list_ + 1, list_ + 1 + list_[0]}; }

 private:
  int* list_ = nullptr;
};

hipError_t append(hipStream_t stream, const SharedList& list, int value) {
  return launch(append_kernel, dim3(1), dim3(1), 0, stream, list.address(), value);
}

TEST_F(TwoDevices, AreTwoAgents) {
  hipDeviceProp_t first{}, second{};
  HIP_OK(hipGetDeviceProperties(&first, 0));
  HIP_OK(hipGetDeviceProperties(&second, 1));
  EXPECT_STRNE(first.name, second.name);
  EXPECT_EQ(hipSetDevice(1000), hipErrorInvalidDevice);
}

TEST_F(TwoDevices, AreCurrentForEachThread) {
  use(1);
  int other = -1, own = -1;
  std::thread thread([&] { EXPECT_EQ(hipGetDevice(&other), hipSuccess); });
  thread.join();
  HIP_OK(hipGetDevice(&own));
  EXPECT_EQ(other, 0) << "threads begin with the first device";
  EXPECT_EQ(own, 1);
}

TEST_F(TwoDevices, LetPeersAccessMemory) {
  int can = 0;
  HIP_OK(hipDeviceCanAccessPeer(&can, 1, 0));
  ASSERT_EQ(can, 1);
  HIP_OK(hipDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(can, 0);
  const DeviceMemory<int> before(16);
  use(1);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorInvalidDevice);
  EXPECT_EQ(hipDeviceEnablePeerAccess(0, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceDisablePeerAccess(0), hipErrorPeerAccessNotEnabled);
  HIP_OK(hipDeviceEnablePeerAccess(0, 0));
  EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorPeerAccessAlreadyEnabled);
  use(0);
  const DeviceMemory<int> behind(16);  // memory from before and after, device 0's
  use(1);
  for (const auto* memory : {&before, &behind}) {
    HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, memory->data(), 5));
    HIP_OK(hipDeviceSynchronize());
    EXPECT_EQ(memory->values()[1], 5);
  }
  HIP_OK(hipDeviceDisablePeerAccess(0));
  EXPECT_EQ(hipDeviceDisablePeerAccess(0), hipErrorPeerAccessNotEnabled);
}

TEST_F(TwoDevices, CopyToEachOther) {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 1);
  const size_t size = numbers.size() * sizeof(int);
  const DeviceMemory<int> first(numbers);
  use(1);
  const DeviceMemory<int> second(numbers.size()), third(numbers.size());
  HIP_OK(hipMemcpyPeer(second.data(), 1, first.data(), 0, size));
  EXPECT_EQ(second.values(), numbers);
  const OwnStream stream;
  HIP_OK(hipMemcpyAsync(third.data(), first.data(), size, hipMemcpyDefault, stream));
  HIP_OK(hipMemsetAsync(second.data(), 0, size, stream));
  HIP_OK(hipMemcpyPeerAsync(first.data(), 0, second.data(), 1, size, stream));
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(third.values(), numbers);
  EXPECT_EQ(first.values(), std::vector<int>(numbers.size()));
  EXPECT_EQ(hipMemcpyPeer(second.data(), 1, first.data(), 1000, size), hipErrorInvalidDevice);
  EXPECT_EQ(hipMemcpyPeer(second.data(), 1, first.data(), 0, size + 1), hipErrorInvalidValue);
  hipPointerAttribute_t attributes{};
  HIP_OK(hipPointerGetAttributes(&attributes, first.data()));
  EXPECT_EQ(attributes.device, 0);
  HIP_OK(hipPointerGetAttributes(&attributes, second.data()));
  EXPECT_EQ(attributes.device, 1);
}

TEST_F(TwoDevices, WaitForEventsOfEachOther) {
  const SharedList list;
  HostNumber flag;
  const OwnStream first;
  const OwnEvent done;
  use(1);
  const OwnStream second;
  const OwnEvent back;
  HIP_OK(hipStreamWaitEvent(second, done, 0)) << "an event that was never recorded is no obstacle";
  use(0);
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, first, flag.address()));
  HIP_OK(append(first, list, 1));
  HIP_OK(hipEventRecord(done, first));
  use(1);
  HIP_OK(hipStreamWaitEvent(second, done, 0));
  HIP_OK(append(second, list, 2));
  HIP_OK(hipEventRecord(back, second));
  use(0);
  HIP_OK(hipStreamWaitEvent(first, back, 0));
  HIP_OK(append(first, list, 3));
  EXPECT_EQ(hipStreamQuery(second), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipStreamSynchronize(first));
  EXPECT_EQ(list.values(), (std::vector{1, 2, 3}));
}

TEST_F(TwoDevices, HaveVariablesOfTheirOwn) {
  const int values[4] = {1, 2, 3, 4};
  int found[4] = {};
  use(1);
  HIP_OK(hipMemcpyToSymbol(table_symbol, values, sizeof values, 0, hipMemcpyHostToDevice));
  HIP_OK(hipMemcpyFromSymbol(found, table_symbol, sizeof found, 0, hipMemcpyDeviceToHost));
  EXPECT_EQ(found[3], 4);
  use(0);
  HIP_OK(hipMemcpyFromSymbol(found, table_symbol, sizeof found, 0, hipMemcpyDeviceToHost));
  EXPECT_EQ(found[3], 40);
}

/// Captures a stream of the first device from which one of the second branches off, and which it joins.
hipGraph_t captured(hipStream_t first, hipStream_t second, const SharedList& list) {
  const OwnEvent fork;
  EXPECT_EQ(hipStreamBeginCapture(first, hipStreamCaptureModeRelaxed), hipSuccess);
  EXPECT_EQ(append(first, list, 1), hipSuccess);
  EXPECT_EQ(hipEventRecord(fork, first), hipSuccess);
  EXPECT_EQ(hipSetDevice(1), hipSuccess);
  const OwnEvent join;
  EXPECT_EQ(hipStreamWaitEvent(second, fork, 0), hipSuccess);
  EXPECT_EQ(append(second, list, 2), hipSuccess);
  EXPECT_EQ(hipEventRecord(join, second), hipSuccess);
  EXPECT_EQ(hipSetDevice(0), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(first, join, 0), hipSuccess);
  EXPECT_EQ(append(first, list, 3), hipSuccess);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(first, &graph), hipSuccess);
  return graph;
}

TEST_F(TwoDevices, WorkInOneGraph) {
  const SharedList list;
  const OwnStream first;
  use(1);
  const OwnStream second;
  use(0);
  hipGraph_t graph = captured(first, second, list);
  EXPECT_TRUE(list.values().empty()) << "nothing has run yet";
  hipGraphExec_t executable = nullptr;
  HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  HIP_OK(hipGraphLaunch(executable, first));
  HIP_OK(hipGraphLaunch(executable, first));
  HIP_OK(hipStreamSynchronize(first));
  EXPECT_EQ(list.values(), (std::vector{1, 2, 3, 1, 2, 3}));
  HIP_OK(hipGraphLaunch(executable, second)) << "a stream of the other device";
  HIP_OK(hipStreamSynchronize(second));
  EXPECT_EQ(list.values(), (std::vector{1, 2, 3, 1, 2, 3, 1, 2, 3}));
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(graph));
}

TEST_F(TwoDevices, HaveHandlesOfFunctionsOfTheirOwn) {
  hipFunction_t first = nullptr, second = nullptr;
  use(0);
  HIP_OK(hipGetFuncBySymbol(&first, append_kernel));
  use(1);
  HIP_OK(hipGetFuncBySymbol(&second, append_kernel));
  const SharedList list;
  int* address = list.address();
  int value = 7;
  void* parameters[] = {static_cast<void*>(&address), &value};
  hipKernelNodeParams params{};
  params.func = first;
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = parameters;
  hipGraph_t graph = nullptr;
  HIP_OK(hipGraphCreate(&graph, 0));
  hipGraphNode_t node = nullptr;
  EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &params), hipErrorInvalidHandle);
  params.func = second;
  HIP_OK(hipGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  params.func = first;
  EXPECT_EQ(hipGraphKernelNodeSetParams(node, &params), hipErrorInvalidHandle);
  hipGraphExec_t executable = nullptr;
  HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  HIP_OK(hipGraphLaunch(executable, nullptr));
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(list.values(), std::vector{7});
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(graph));
  use(0);
}

TEST_F(TwoDevices, ShareMemoryOfPools) {
  hipMemPool_t pool = nullptr;
  HIP_OK(hipDeviceGetDefaultMemPool(&pool, 0));
  hipMemLocation other{hipMemLocationTypeDevice, 1};
  hipMemAccessDesc both{other, hipMemAccessFlagsProtReadWrite};
  HIP_OK(hipMemPoolSetAccess(pool, &both, 1));
  hipMemAccessFlags flags{};
  HIP_OK(hipMemPoolGetAccess(&flags, pool, &other));
  EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
  void* memory = nullptr;
  HIP_OK(hipMallocAsync(&memory, 64 * sizeof(int), nullptr));
  HIP_OK(hipMemset(memory, 0, 64 * sizeof(int)));
  use(1);
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, static_cast<int*>(memory), 6));
  HIP_OK(hipDeviceSynchronize());
  int values[2] = {};
  HIP_OK(hipMemcpy(values, memory, sizeof values, hipMemcpyDeviceToHost));
  EXPECT_EQ(values[1], 6);
  use(0);
  HIP_OK(hipFreeAsync(memory, nullptr));
  HIP_OK(hipDeviceSynchronize());
  both.flags = hipMemAccessFlagsProtNone;
  HIP_OK(hipMemPoolSetAccess(pool, &both, 1));
}

constexpr const char* variable = "HIP_TEST_IPC_HANDLE";

/// The other process: opens the memory for one device and then for the other.
TEST_F(TwoDevices, DISABLED_OpenMemoryOfAnotherProcess) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) GTEST_SKIP() << "the test ShareMemoryWithAnotherProcess runs this";
  void* opened[2] = {};
  for (int device = 0; device < 2; ++device) {
    use(device);
    HIP_OK(hipIpcOpenMemHandle(&opened[device], handle_in<hipIpcMemHandle_t>(text), 0));
    HIP_OK(
        launch(append_kernel, dim3(1), dim3(1), 0, nullptr, static_cast<int*>(opened[device]), 7 + device));
    HIP_OK(hipDeviceSynchronize());
  }
  EXPECT_EQ(opened[0], opened[1]);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  uint32_t count = 0;
  hsa_agent_t* agents = nullptr;
  ASSERT_EQ(hsa_amd_pointer_info(opened[1], &info, std::malloc, &count, &agents), HSA_STATUS_SUCCESS);
  std::free(agents);
  EXPECT_EQ(count, 3U) << "the host and both devices";
  for (void* const one : opened) HIP_OK(hipIpcCloseMemHandle(one));
}

TEST_F(TwoDevices, ShareMemoryWithAnotherProcess) {
  const DeviceMemory<int> memory(16);
  hipIpcMemHandle_t handle{};
  HIP_OK(hipIpcGetMemHandle(&handle, memory.data()));
  ASSERT_EQ(setenv(variable, text_of(handle).c_str(), 1), 0);
  EXPECT_EQ(run_in_other_process("TwoDevices.DISABLED_OpenMemoryOfAnotherProcess"), 0);
  unsetenv(variable);
  const auto values = memory.values();
  EXPECT_EQ(values[0] * 100 + values[1] * 10 + values[2], 278);
}

/// The other process, in which the interpreter cannot map memory.
TEST_F(TwoDevices, DISABLED_OpenMemoryForOneDevice) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) GTEST_SKIP() << "the test MayBeUnableToMapMemory runs this";
  interpreter_is_unable = true;
  const auto handle = handle_in<hipIpcMemHandle_t>(text);
  void* opened = nullptr;
  use(1);
  EXPECT_EQ(hipIpcOpenMemHandle(&opened, handle, 0), hipErrorMapFailed);
  use(0);
  HIP_OK(hipIpcOpenMemHandle(&opened, handle, 0));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, static_cast<int*>(opened), 9));
  HIP_OK(hipDeviceSynchronize());
  use(1);
  void* again = nullptr;
  EXPECT_EQ(hipIpcOpenMemHandle(&again, handle, 0), hipErrorMapFailed);
  HIP_OK(hipIpcCloseMemHandle(opened));
  EXPECT_EQ(hipIpcCloseMemHandle(opened), hipErrorInvalidValue);
  interpreter_is_unable = false;
  HIP_OK(hipIpcOpenMemHandle(&again, handle, 0));
  HIP_OK(hipIpcCloseMemHandle(again));
}

TEST_F(TwoDevices, MayBeUnableToMapMemory) {
  const DeviceMemory<int> memory(16);
  hipIpcMemHandle_t handle{};
  HIP_OK(hipIpcGetMemHandle(&handle, memory.data()));
  ASSERT_EQ(setenv(variable, text_of(handle).c_str(), 1), 0);
  EXPECT_EQ(run_in_other_process("TwoDevices.DISABLED_OpenMemoryForOneDevice"), 0);
  unsetenv(variable);
  const auto values = memory.values();
  EXPECT_EQ(values[0] * 10 + values[1], 19);
}

TEST_F(TwoDevices, ShareVirtualMemory) {
  hipMemAllocationProp wanted{};
  wanted.type = hipMemAllocationTypePinned;
  wanted.location = {hipMemLocationTypeDevice, 0};
  size_t size = 0;
  HIP_OK(hipMemGetAllocationGranularity(&size, &wanted, hipMemAllocationGranularityMinimum));
  void* address = nullptr;
  hipMemGenericAllocationHandle_t memory = nullptr;
  HIP_OK(hipMemAddressReserve(&address, size, 0, nullptr, 0));
  HIP_OK(hipMemCreate(&memory, size, &wanted, 0));
  HIP_OK(hipMemMap(address, size, 0, memory, 0));
  const hipMemAccessDesc both[] = {{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite},
                                   {{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite}};
  HIP_OK(hipMemSetAccess(address, size, both, 1));
  unsigned long long flags = 99;
  HIP_OK(hipMemGetAccess(&flags, &both[1].location, address));
  EXPECT_EQ(flags, hipMemAccessFlagsProtNone) << "the second device was not named";
  HIP_OK(hipMemSetAccess(address, size, both, 2));
  HIP_OK(hipMemGetAccess(&flags, &both[1].location, address));
  EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
  HIP_OK(hipMemset(address, 0, size));
  for (int device = 0; device < 2; ++device) {
    use(device);
    HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, static_cast<int*>(address), 7 + device));
    HIP_OK(hipDeviceSynchronize());
  }
  int values[3] = {};
  HIP_OK(hipMemcpy(values, address, sizeof values, hipMemcpyDeviceToHost));
  EXPECT_EQ(values[0] * 100 + values[1] * 10 + values[2], 278);
  HIP_OK(hipMemUnmap(address, size));
  HIP_OK(hipMemRelease(memory));
  HIP_OK(hipMemAddressFree(address, size));
}

TEST_F(TwoDevices, AreResetByThemselves) {
  const DeviceMemory<int> kept(std::vector<int>{1, 2, 3});
  use(1);
  void* gone = nullptr;
  HIP_OK(hipMalloc(&gone, 64));
  HIP_OK(hipDeviceReset());
  EXPECT_EQ(hipFree(gone), hipErrorInvalidValue);
  EXPECT_EQ(kept.values(), (std::vector{1, 2, 3}));
}

TEST_F(TwoDevices, FailByThemselves) {
  const SharedList list;
  use(1);
  HIP_OK(launch(write_kernel, dim3(1), dim3(1), 0, nullptr, reinterpret_cast<int*>(uintptr_t{64})));
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  use(0);
  HIP_OK(append(nullptr, list, 4));
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(list.values(), std::vector{4});
  use(1);
  HIP_OK(hipDeviceReset());
  HIP_OK(append(nullptr, list, 5));
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(list.values(), (std::vector{4, 5}));
}

}  // namespace
}  // namespace heddle::hip_tests
