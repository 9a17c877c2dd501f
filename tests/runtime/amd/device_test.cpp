// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions for parts of AMD's GPUs, which no agent of heddle has.
#include <hsa/hsa_ven_amd_pc_sampling.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "pools.h"

namespace heddle::runtime::test {
namespace {

TEST_F(Pools, NoAgentHasAStreamingMonitor) {
  uint32_t timeout = 0, copied = 0;
  bool lost = false;
  for (hsa_agent_t agent : agents_) {
    EXPECT_EQ(hsa_amd_spm_acquire(agent), HSA_STATUS_ERROR);
    EXPECT_EQ(hsa_amd_spm_release(agent), HSA_STATUS_ERROR);
    EXPECT_EQ(hsa_amd_spm_set_dest_buffer(agent, 0, &timeout, &copied, nullptr, &lost), HSA_STATUS_ERROR);
    EXPECT_EQ(hsa_amd_agent_set_async_scratch_limit(agent, 4096), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_EQ(hsa_amd_spm_acquire({0}), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_spm_release({0}), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_spm_set_dest_buffer({0}, 0, &timeout, &copied, nullptr, &lost),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_agent_set_async_scratch_limit({0}, 4096), HSA_STATUS_ERROR_INVALID_AGENT);
}

hsa_status_t no_configuration(const hsa_ven_amd_pcs_configuration_t*, void*) {
  ADD_FAILURE() << "an agent can be sampled";
  return HSA_STATUS_SUCCESS;
}
void no_data(void*, size_t, size_t, hsa_ven_amd_pcs_data_copy_callback_t, void*) {}

constexpr auto trap = HSA_VEN_AMD_PCS_METHOD_HOSTTRAP_V1;
constexpr auto cycles = HSA_VEN_AMD_PCS_INTERVAL_UNITS_CLOCK_CYCLES;

TEST_F(Pools, NoAgentIsSampled) {
  hsa_ven_amd_pcs_t session{};
  for (const hsa_agent_t agent : {host_, kernel_agent_, hsa_agent_t{0}}) {
    EXPECT_EQ(hsa_ven_amd_pcs_iterate_configuration(agent, no_configuration, nullptr),
              HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(hsa_ven_amd_pcs_create(agent, trap, cycles, 1, 1, 64, no_data, nullptr, &session),
              HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(hsa_ven_amd_pcs_create_from_id(0, agent, trap, cycles, 1, 1, 64, no_data, nullptr, &session),
              HSA_STATUS_ERROR_INVALID_AGENT);
  }
  for (const auto function :
       {hsa_ven_amd_pcs_start, hsa_ven_amd_pcs_stop, hsa_ven_amd_pcs_flush, hsa_ven_amd_pcs_destroy})
    EXPECT_EQ(function({1}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// GPUs that have no hardware for it.
TEST(CpuAsGpu, GpusAreNotSampled) {
  const auto body = [] {
    setenv("HEDDLE_CPU_AS_GPU", "1", 1);
    std::vector<hsa_agent_t> agents;
    if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
    hsa_iterate_agents(collect<hsa_agent_t>, &agents);
    const hsa_agent_t gpu = agents.back();
    hsa_ven_amd_pcs_t session{};
    const auto no_method = static_cast<hsa_ven_amd_pcs_method_kind_t>(2);
    const auto no_unit = static_cast<hsa_ven_amd_pcs_units_t>(3);
    constexpr auto error = HSA_STATUS_ERROR, invalid = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const bool right =
        hsa_ven_amd_pcs_iterate_configuration(gpu, no_configuration, nullptr) == error &&
        hsa_ven_amd_pcs_iterate_configuration(gpu, nullptr, nullptr) == invalid &&
        hsa_ven_amd_pcs_create(gpu, trap, cycles, 1, 1, 64, no_data, nullptr, &session) == error &&
        hsa_ven_amd_pcs_create(gpu, no_method, cycles, 1, 1, 64, no_data, nullptr, &session) == invalid &&
        hsa_ven_amd_pcs_create(gpu, trap, no_unit, 1, 1, 64, no_data, nullptr, &session) == invalid &&
        hsa_ven_amd_pcs_create(gpu, trap, cycles, 1, 1, 64, nullptr, nullptr, &session) == invalid &&
        hsa_ven_amd_pcs_create_from_id(7, gpu, trap, cycles, 1, 1, 64, no_data, nullptr, nullptr) == invalid;
    return right && hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 2;
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the runtime reads the setting once
  EXPECT_EXIT(_exit(body()), ::testing::ExitedWithCode(0), "");
}

TEST_F(Pools, LoggingIsAccepted) {
  uint8_t flags[8] = {1};
  EXPECT_SUCCESS(hsa_amd_enable_logging(flags, stderr));
}

TEST_F(Pools, LimitsOfImagesAreThoseOfTheAgent) {
  for (int attribute = HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS;
       attribute <= HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS; ++attribute) {
    const auto number = static_cast<hsa_agent_info_t>(attribute);
    uint32_t limits[3] = {}, others[3] = {};
    EXPECT_SUCCESS(hsa_amd_image_get_info_max_dim(kernel_agent_, number, limits));
    EXPECT_SUCCESS(hsa_agent_get_info(kernel_agent_, number, others));
    EXPECT_NE(limits[0], 0u) << attribute;
    EXPECT_TRUE(std::equal(limits, limits + 3, others)) << attribute;
  }
  uint32_t limit = 0;
  EXPECT_EQ(hsa_amd_image_get_info_max_dim({0}, HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS, &limit),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_image_get_info_max_dim(host_, HSA_AGENT_INFO_NODE, &limit),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_image_get_info_max_dim(host_, HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS, &limit),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_image_get_info_max_dim(host_, HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Pools, NoAgentHasImageLayoutsOfAnotherDevice) {
  hsa_ext_image_descriptor_t descriptor{};
  descriptor.geometry = HSA_EXT_IMAGE_GEOMETRY_2D;
  descriptor.width = descriptor.height = 16;
  descriptor.format = {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32, HSA_EXT_IMAGE_CHANNEL_ORDER_R};
  const hsa_amd_image_descriptor_t layout{1, 0x1002738c, {0}};
  char* data = allocate(agent_pool(), 4096);
  hsa_ext_image_t image{};
  EXPECT_EQ(hsa_amd_image_create(kernel_agent_, &descriptor, &layout, data, HSA_ACCESS_PERMISSION_RO, &image),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_image_create(kernel_agent_, nullptr, &layout, data, HSA_ACCESS_PERMISSION_RO, &image),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_image_create({0}, &descriptor, &layout, data, HSA_ACCESS_PERMISSION_RO, &image),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(data));
}

TEST(DeviceWithoutRuntime, NotInitialized) {
  uint32_t word = 0;
  bool lost = false;
  hsa_ext_image_t image{};
  const hsa_status_t statuses[] = {
      hsa_amd_spm_acquire({0}),
      hsa_amd_spm_release({0}),
      hsa_amd_spm_set_dest_buffer({0}, 0, &word, &word, nullptr, &lost),
      hsa_amd_agent_set_async_scratch_limit({0}, 0),
      hsa_amd_enable_logging(nullptr, nullptr),
      hsa_ven_amd_pcs_iterate_configuration({0}, nullptr, nullptr),
      hsa_ven_amd_pcs_create({0}, trap, cycles, 0, 0, 0, nullptr, nullptr, nullptr),
      hsa_ven_amd_pcs_start({0}),
      hsa_amd_image_create({0}, nullptr, nullptr, nullptr, HSA_ACCESS_PERMISSION_RO, &image),
      hsa_amd_image_get_info_max_dim({0}, HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS, &word),
  };
  for (hsa_status_t status : statuses) EXPECT_EQ(status, HSA_STATUS_ERROR_NOT_INITIALIZED);
}

}  // namespace
}  // namespace heddle::runtime::test
