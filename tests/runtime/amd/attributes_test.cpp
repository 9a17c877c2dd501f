// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes that the AMD extension adds, as the programs of ROCm that describe a machine ask for them.
#include <cstring>
#include <string>

#include "pools.h"

namespace heddle::runtime::test {
namespace {

hsa_agent_info_t amd(hsa_amd_agent_info_t attribute) { return static_cast<hsa_agent_info_t>(attribute); }
hsa_region_info_t amd(hsa_amd_region_info_t attribute) { return static_cast<hsa_region_info_t>(attribute); }

template <typename T>
T system_info(hsa_system_info_t attribute) {
  T value{};
  EXPECT_SUCCESS(hsa_system_get_info(attribute, &value));
  return value;
}

/// Gets an attribute and expects that exactly `size` bytes are written.
void expect_size(hsa_agent_t agent, hsa_amd_agent_info_t attribute, size_t size) {
  unsigned char once[128], again[128];
  std::memset(once, 0x5a, sizeof once);
  std::memset(again, 0xa5, sizeof again);
  EXPECT_SUCCESS(hsa_agent_get_info(agent, amd(attribute), once));
  EXPECT_SUCCESS(hsa_agent_get_info(agent, amd(attribute), again));
  size_t written = 0;
  while (written < sizeof once && once[written] == again[written]) ++written;
  EXPECT_EQ(written, size) << std::hex << attribute;
}

TEST_F(Pools, AttributesHaveTheSizesOfTheirTypes) {
  const std::pair<hsa_amd_agent_info_t, size_t> others[] = {
      {HSA_AMD_AGENT_INFO_PRODUCT_NAME, 64},
      {HSA_AMD_AGENT_INFO_HDP_FLUSH, sizeof(hsa_amd_hdp_flush_t)},
      {HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES, sizeof(bool)},
      {HSA_AMD_AGENT_INFO_UUID, 21},
      {HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS, sizeof(bool)},
      {HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY, sizeof(uint64_t)},
      {HSA_AMD_AGENT_INFO_IOMMU_SUPPORT, sizeof(hsa_amd_iommu_version_t)},
      {HSA_AMD_AGENT_INFO_NEAREST_CPU, sizeof(hsa_agent_t)},
      {HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES, 8},
      {HSA_AMD_AGENT_INFO_AQL_EXTENSIONS, 8},
  };
  const hsa_amd_agent_info_t words[] = {
      HSA_AMD_AGENT_INFO_CHIP_ID,
      HSA_AMD_AGENT_INFO_CACHELINE_SIZE,
      HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT,
      HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY,
      HSA_AMD_AGENT_INFO_DRIVER_NODE_ID,
      HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS,
      HSA_AMD_AGENT_INFO_BDFID,
      HSA_AMD_AGENT_INFO_MEMORY_WIDTH,
      HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY,
      HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU,
      HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU,
      HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES,
      HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE,
      HSA_AMD_AGENT_INFO_DOMAIN,
      HSA_AMD_AGENT_INFO_ASIC_REVISION,
      HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT,
      HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID,
      HSA_AMD_AGENT_INFO_UCODE_VERSION,
      HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION,
      HSA_AMD_AGENT_INFO_NUM_SDMA_ENG,
      HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG,
      HSA_AMD_AGENT_INFO_NUM_XCC,
      HSA_AMD_AGENT_INFO_DRIVER_UID,
  };
  for (hsa_agent_t agent : agents_) {
    for (const auto& [attribute, size] : others) expect_size(agent, attribute, size);
    for (hsa_amd_agent_info_t attribute : words) expect_size(agent, attribute, sizeof(uint32_t));
  }
}

TEST_F(Pools, AttributesDescribeTheAgents) {
  for (hsa_agent_t agent : agents_) {
    EXPECT_EQ(agent_info<uint32_t>(agent, amd(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT)),
              agent_info<uint32_t>(agent, HSA_AGENT_INFO_COMPUTE_UNIT_COUNT));
    EXPECT_EQ(agent_info<uint32_t>(agent, amd(HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY)),
              agent_info<uint64_t>(agent, HSA_AGENT_INFO_MAX_CLOCK_FREQUENCY) / 1000000);
    EXPECT_EQ(agent_info<hsa_agent_t>(agent, amd(HSA_AMD_AGENT_INFO_NEAREST_CPU)).handle, host_.handle);
    EXPECT_EQ(agent_info<uint64_t>(agent, amd(HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY)),
              system_info<uint64_t>(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY));
    const auto available = agent_info<uint64_t>(agent, amd(HSA_AMD_AGENT_INFO_MEMORY_AVAIL));
    EXPECT_GT(available, 0u);
    EXPECT_LE(available, pool_info<size_t>(pools(agent).front(), HSA_AMD_MEMORY_POOL_INFO_SIZE));
    char uuid[21];
    EXPECT_SUCCESS(hsa_agent_get_info(agent, amd(HSA_AMD_AGENT_INFO_UUID), uuid));
    EXPECT_STREQ(uuid, "CPU-XX");
  }
  EXPECT_EQ(agent_info<uint32_t>(host_, amd(HSA_AMD_AGENT_INFO_DRIVER_NODE_ID)), 0u);
  EXPECT_EQ(agent_info<uint32_t>(kernel_agent_, amd(HSA_AMD_AGENT_INFO_DRIVER_NODE_ID)), 1u);
  EXPECT_EQ(agent_info<uint32_t>(host_, amd(HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU)), 0u);
  EXPECT_EQ(agent_info<uint32_t>(host_, amd(HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU)), 0u);
  // A compute unit holds at least the waves of one work-group.
  EXPECT_GE(agent_info<uint32_t>(kernel_agent_, amd(HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU)) *
                agent_info<uint32_t>(kernel_agent_, HSA_AGENT_INFO_WAVEFRONT_SIZE),
            agent_info<uint32_t>(kernel_agent_, HSA_AGENT_INFO_WORKGROUP_MAX_SIZE));
  EXPECT_EQ(agent_info<uint32_t>(kernel_agent_, amd(HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES)), 1u);
  EXPECT_EQ(agent_info<uint64_t>(host_, amd(HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES)), 0u);
}

TEST_F(Pools, SystemAttributes) {
  EXPECT_TRUE(
      std::string(system_info<const char*>(HSA_AMD_SYSTEM_INFO_BUILD_VERSION)).starts_with("heddle "));
  EXPECT_FALSE(system_info<bool>(HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED));
  EXPECT_TRUE(system_info<bool>(HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT));
  EXPECT_TRUE(system_info<bool>(HSA_AMD_SYSTEM_INFO_XNACK_ENABLED));
  EXPECT_EQ(system_info<uint16_t>(HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR), HSA_AMD_INTERFACE_VERSION_MAJOR);
  EXPECT_EQ(system_info<uint16_t>(HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR), HSA_AMD_INTERFACE_VERSION_MINOR);
}

TEST_F(Pools, RegionAttributes) {
  for (hsa_agent_t agent : agents_)
    for (hsa_region_t region : regions(agent)) {
      const bool global =
          region_info<hsa_region_segment_t>(region, HSA_REGION_INFO_SEGMENT) == HSA_REGION_SEGMENT_GLOBAL;
      EXPECT_EQ(region_info<bool>(region, amd(HSA_AMD_REGION_INFO_HOST_ACCESSIBLE)), global);
      EXPECT_EQ(region_info<void*>(region, amd(HSA_AMD_REGION_INFO_BASE)), nullptr);
      EXPECT_EQ(region_info<uint32_t>(region, amd(HSA_AMD_REGION_INFO_BUS_WIDTH)), 0u);
      EXPECT_EQ(region_info<uint32_t>(region, amd(HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY)), 0u);
    }
}

TEST_F(Pools, UnknownAttributesAreErrors) {
  uint64_t buffer[16];
  EXPECT_EQ(hsa_agent_get_info(host_, static_cast<hsa_agent_info_t>(0xA0FF), buffer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_get_info(host_, amd(HSA_AMD_AGENT_INFO_UUID), nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_get_info(static_cast<hsa_system_info_t>(0x2FF), buffer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_region_get_info(fine_region(), static_cast<hsa_region_info_t>(0xA0FF), buffer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Pools, Coherency) {
  hsa_amd_coherency_type_t type{};
  ASSERT_SUCCESS(hsa_amd_coherency_get_type(kernel_agent_, &type));
  EXPECT_EQ(type, HSA_AMD_COHERENCY_TYPE_COHERENT);
  ASSERT_SUCCESS(hsa_amd_coherency_set_type(kernel_agent_, HSA_AMD_COHERENCY_TYPE_NONCOHERENT));
  ASSERT_SUCCESS(hsa_amd_coherency_get_type(kernel_agent_, &type));
  EXPECT_EQ(type, HSA_AMD_COHERENCY_TYPE_NONCOHERENT);
  EXPECT_EQ(hsa_amd_coherency_get_type({0}, &type), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_coherency_get_type(host_, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_coherency_set_type({0}, type), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_coherency_set_type(host_, static_cast<hsa_amd_coherency_type_t>(2)),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// Runs in a process of its own, because the agents are fixed for a process.
TEST(CpuAsGpu, AgentsThatDispatchKernelsAreGpusInAllRespects) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto check = [] {
    setenv("HEDDLE_AGENTS", "cpu,interpreter", 1);
    setenv("HEDDLE_CPU_AS_GPU", "1", 1);
    std::vector<hsa_agent_t> agents;
    if (hsa_init() != HSA_STATUS_SUCCESS) std::_Exit(1);
    hsa_iterate_agents(collect<hsa_agent_t>, &agents);
    if (agents.size() != 3) std::_Exit(2);
    const hsa_device_type_t wanted[] = {HSA_DEVICE_TYPE_CPU, HSA_DEVICE_TYPE_GPU, HSA_DEVICE_TYPE_GPU};
    for (size_t i = 0; i < 3; ++i) {
      const bool gpu = wanted[i] == HSA_DEVICE_TYPE_GPU;
      if (agent_info<hsa_device_type_t>(agents[i], HSA_AGENT_INFO_DEVICE) != wanted[i]) std::_Exit(3);
      char uuid[21] = {};
      hsa_agent_get_info(agents[i], amd(HSA_AMD_AGENT_INFO_UUID), uuid);
      if (std::strcmp(uuid, gpu ? "GPU-XX" : "CPU-XX") != 0) std::_Exit(4);
      for (hsa_amd_memory_pool_t pool : pools(agents[i]))
        if (pool_info<hsa_amd_memory_pool_location_t>(pool, HSA_AMD_MEMORY_POOL_INFO_LOCATION) !=
            (gpu ? HSA_AMD_MEMORY_POOL_LOCATION_GPU : HSA_AMD_MEMORY_POOL_LOCATION_CPU))
          std::_Exit(5);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(check(), ::testing::ExitedWithCode(0), "");
}

std::string isa_name(hsa_isa_t isa) {
  uint32_t length = 0;
  if (hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length) != HSA_STATUS_SUCCESS) return {};
  std::string name(length, '\0');
  hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name.data());
  name.resize(length - 1);
  return name;
}

/// Returns 0 if the agent shows the one ISA of this name, and executes what it executed before.
int check_shown_isa(hsa_agent_t agent, const char* wanted, const char* executed) {
  std::vector<hsa_isa_t> isas;
  hsa_agent_iterate_isas(agent, collect<hsa_isa_t>, &isas);
  if (isas.size() != 1 || isa_name(isas[0]) != wanted) return 3;
  hsa_isa_t named{}, own{};
  if (hsa_isa_from_name(wanted, &named) != HSA_STATUS_SUCCESS || named.handle != isas[0].handle) return 4;
  if (agent_info<hsa_isa_t>(agent, HSA_AGENT_INFO_ISA).handle != named.handle) return 5;
  if (hsa_isa_from_name(executed, &own) != HSA_STATUS_SUCCESS || own.handle == named.handle) return 6;
  bool compatible = true;
  if (hsa_isa_compatible(own, named, &compatible) != HSA_STATUS_SUCCESS || compatible) return 7;
  bool finalizes = true;
  hsa_agent_extension_supported(HSA_EXTENSION_FINALIZER, agent, 1, 0, &finalizes);
  return finalizes ? 8 : 0;
}

/// Shows the agents with this value of the setting, and ends the process with what `check` returns for the
/// kernel agents.
template <typename Check>
[[noreturn]] void show_as(const char* setting, Check check) {
  setenv("HEDDLE_AGENTS", "cpu,interpreter", 1);
  setenv("HEDDLE_CPU_AS_GPU", setting, 1);
  setenv("HEDDLE_LOG", "warning", 1);
  std::vector<hsa_agent_t> agents;
  if (hsa_init() != HSA_STATUS_SUCCESS) std::_Exit(1);
  hsa_iterate_agents(collect<hsa_agent_t>, &agents);
  if (agents.size() != 3) std::_Exit(2);
  for (size_t i = 1; i < 3; ++i) {
    if (agent_info<hsa_device_type_t>(agents[i], HSA_AGENT_INFO_DEVICE) != HSA_DEVICE_TYPE_GPU) std::_Exit(9);
    if (const int result = check(agents[i])) std::_Exit(result);
  }
  std::_Exit(0);
}

TEST(CpuAsGpu, AgentsShowTheIsaThatTheSettingNames) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto check = [](hsa_agent_t agent) {
    return check_shown_isa(agent, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "heddle:hsail:w1");
  };
  EXPECT_EXIT(show_as("gfx90a:sramecc+:xnack-", check), ::testing::ExitedWithCode(0), "^$");
}

TEST(CpuAsGpu, ATargetThatIsNoneIsAWarning) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto check = [](hsa_agent_t agent) {
    std::vector<hsa_isa_t> isas;
    hsa_agent_iterate_isas(agent, collect<hsa_isa_t>, &isas);
    for (const hsa_isa_t isa : isas)
      if (!isa_name(isa).starts_with("heddle:")) return 3;
    return isas.size() > 1 ? 0 : 4;
  };
  EXPECT_EXIT(show_as("gfx90x", check), ::testing::ExitedWithCode(0), "HEDDLE_CPU_AS_GPU means 1: 'gfx90x'");
}

}  // namespace
}  // namespace heddle::runtime::test
