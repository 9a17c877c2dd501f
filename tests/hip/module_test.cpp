// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

std::vector<char> file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OwnModule {
 public:
  explicit OwnModule(const char* path = MODULE_FILE) { EXPECT_EQ(hipModuleLoad(&module_, path), hipSuccess); }
  ~OwnModule() { EXPECT_EQ(hipModuleUnload(module_), hipSuccess); }
  OwnModule(const OwnModule&) = delete;
  OwnModule& operator=(const OwnModule&) = delete;
  operator hipModule_t() const { return module_; }
  hipFunction_t function(const char* name) const {
    hipFunction_t function = nullptr;
    EXPECT_EQ(hipModuleGetFunction(&function, module_, name), hipSuccess);
    return function;
  }

 private:
  hipModule_t module_ = nullptr;
};

TEST(Module, LaunchesItsFunctions) {
  const OwnModule module;
  const hipFunction_t append = module.function("_Z6appendPii");
  const DeviceMemory<int> memory(8);
  int* address = memory.data();
  int value = 11;
  void* parameters[] = {static_cast<void*>(&address), &value};
  HIP_OK(hipModuleLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  struct {
    int* address;
    int value;
  } packed{address, 12};
  size_t size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  HIP_OK(hipModuleLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(memory.values(), (std::vector<int>{2, 11, 12, 0, 0, 0, 0, 0}));
  size = 4;
  EXPECT_EQ(hipModuleLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra),
            hipErrorInvalidValue);
  EXPECT_EQ(hipModuleLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, extra),
            hipErrorInvalidValue);
  EXPECT_EQ(hipModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
            hipErrorInvalidHandle);
}

TEST(Module, SharesItsManagedVariablesWithTheHost) {
  const OwnModule module;
  hipDeviceptr_t variable = nullptr;
  size_t size = 0;
  HIP_OK(hipModuleGetGlobal(&variable, &size, module, "managed_number"));
  EXPECT_EQ(size, sizeof(int));
  EXPECT_EQ(*static_cast<int*>(variable), 7);
  *static_cast<int*>(variable) = 20;
  const DeviceMemory<int> memory(8);
  int* to = memory.data();
  void* arguments[] = {static_cast<void*>(&to)};
  HIP_OK(hipModuleLaunchKernel(module.function("_Z9variablesPi"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
                               nullptr));
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(memory.values()[4], 20);
  EXPECT_EQ(*static_cast<int*>(variable), 21);
  hipPointerAttribute_t attributes{};
  HIP_OK(hipPointerGetAttributes(&attributes, variable));
  EXPECT_EQ(attributes.isManaged, 1);
}

TEST(Module, ChecksNames) {
  const OwnModule module;
  hipModule_t none = nullptr;
  size_t size = 0;
  EXPECT_EQ(hipModuleLoad(&none, ""), hipErrorInvalidValue);
  EXPECT_EQ(hipModuleGetGlobal(nullptr, &size, module, ""), hipErrorInvalidValue);
  EXPECT_EQ(hipModuleGetGlobal(nullptr, nullptr, module, "managed_number"), hipErrorInvalidValue);
}

TEST(Module, TellsItsVariables) {
  const OwnModule module;
  void* address = nullptr;
  size_t size = 0;
  HIP_OK(hipModuleGetGlobal(&address, &size, module, "table"));
  EXPECT_EQ(size, 4 * sizeof(int));
  int values[4] = {};
  HIP_OK(hipMemcpyDtoH(values, address, sizeof values));
  EXPECT_EQ(values[3], 40);
  hipPointerAttribute_t attributes{};
  HIP_OK(hipPointerGetAttributes(&attributes, static_cast<int*>(address) + 2));
  EXPECT_EQ(attributes.memoryType, hipMemoryTypeDevice) << "the host may not reach it";
  EXPECT_EQ(attributes.devicePointer, static_cast<int*>(address) + 2);
  EXPECT_EQ(hipMemcpyDtoH(values, static_cast<int*>(address) + 2, sizeof values), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(address), hipErrorInvalidValue);
  EXPECT_EQ(hipModuleGetGlobal(&address, &size, module, "nothing"), hipErrorNotFound);
  hipFunction_t function = nullptr;
  EXPECT_EQ(hipModuleGetFunction(&function, module, "nothing"), hipErrorNotFound);
}

/// AMD's runtime takes a function of a module where a kernel node asks for a kernel of the program.
TEST(Module, ItsFunctionsAreKernelsOfGraphs) {
  const DeviceMemory<int> memory(8);
  int* address = memory.data();
  int value = 11;
  void* parameters[] = {static_cast<void*>(&address), &value};
  hipGraph_t graph = nullptr;
  HIP_OK(hipGraphCreate(&graph, 0));
  hipKernelNodeParams node{};
  hipGraphNode_t added = nullptr;
  {
    const OwnModule module;
    node.func = module.function("_Z6appendPii");
    node.gridDim = node.blockDim = dim3(1);
    node.kernelParams = parameters;
    HIP_OK(hipGraphAddKernelNode(&added, graph, nullptr, 0, &node));
    hipGraphExec_t executable = nullptr;
    HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    HIP_OK(hipGraphLaunch(executable, nullptr));
    HIP_OK(hipDeviceSynchronize());
    EXPECT_EQ(memory.values()[1], 11);
    HIP_OK(hipGraphExecDestroy(executable));
  }
  constexpr auto gone = hipErrorInvalidDeviceFunction;
  EXPECT_EQ(hipGraphKernelNodeSetParams(added, &node), gone) << "the module is no longer there";
  EXPECT_EQ(hipGraphAddKernelNode(&added, graph, nullptr, 0, &node), gone);
  HIP_OK(hipGraphDestroy(graph));
}

TEST(Module, TellsWhatItsFunctionsNeed) {
  const OwnModule module;
  int threads = 0, shared = -1;
  const hipFunction_t reverse = module.function("_Z7reversePii");
  HIP_OK(hipFuncGetAttribute(&threads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, reverse));
  EXPECT_GE(threads, 256);
  HIP_OK(hipFuncGetAttribute(&shared, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, reverse));
  EXPECT_GE(shared, 4);
  int groups = 0, group = 0;
  HIP_OK(hipModuleOccupancyMaxPotentialBlockSize(&groups, &group, reverse, 0, 128));
  EXPECT_GT(groups, 0);
  EXPECT_GT(group, 0);
  EXPECT_LE(group, 128);
  hipFuncAttributes attributes{};
  HIP_OK(hipFuncGetAttributes(&attributes, reverse_kernel));
  EXPECT_EQ(attributes.sharedSizeBytes, static_cast<size_t>(shared));
  EXPECT_EQ(hipFuncGetAttributes(&attributes, &attributes), hipErrorInvalidDeviceFunction);
  HIP_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&groups, reverse_kernel, 64, 0));
  EXPECT_GT(groups, 0);
}

TEST(Module, RefusesOtherFiles) {
  hipModule_t module = nullptr;
  EXPECT_EQ(hipModuleLoad(&module, "/nonexistent/file"), hipErrorFileNotFound);
  EXPECT_EQ(hipModuleLoad(&module, nullptr), hipErrorInvalidValue);
  const std::string amd = std::string("__CLANG_OFFLOAD_BUNDLE__") + std::string(100, '\0');
  EXPECT_EQ(hipModuleLoadData(&module, amd.data()), hipErrorNoBinaryForGpu);
  const std::string elf = "\177ELF\2\1\1" + std::string(100, '\0');
  EXPECT_EQ(hipModuleLoadData(&module, elf.data()), hipErrorNoBinaryForGpu);
  const std::string text(100, 'x');
  EXPECT_EQ(hipModuleLoadData(&module, text.data()), hipErrorInvalidImage);
  EXPECT_EQ(hipModuleUnload(reinterpret_cast<hipModule_t>(&module)), hipErrorInvalidHandle);
}

TEST(Module, SurvivesDamagedFiles) {
  const std::vector<char> good = file_bytes(MODULE_FILE);
  ASSERT_GT(good.size(), 100U);
  // Each byte of the headers in turn, with the size as it is: nothing may be read outside, and the result is
  // an error or a module.
  for (size_t at = 8; at < 72; ++at) {
    std::vector<char> bad = good;
    bad[at] = static_cast<char>(~bad[at]);
    uint64_t size = 0;
    std::memcpy(&size, bad.data() + 16, sizeof size);
    if (size > bad.size()) continue;  // the caller promises that so many bytes are there
    hipModule_t module = nullptr;
    const hipError_t result = hipModuleLoadData(&module, bad.data());
    if (result == hipSuccess)
      EXPECT_EQ(hipModuleUnload(module), hipSuccess);
    else
      EXPECT_TRUE(result == hipErrorInvalidImage || result == hipErrorNoBinaryForGpu) << at << ": " << result;
  }
}

}  // namespace
}  // namespace heddle::hip_tests
