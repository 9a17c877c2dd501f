// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system, its extensions, agents, caches, ISAs and wavefronts (Runtime 2.3, 2.8.1.1 to 2.8.1.16).
#include <hsa/hsa_ext_finalize.h>

#include <cstring>
#include <map>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

template <typename T>
T system_info(hsa_system_info_t attribute) {
  T value{};
  EXPECT_SUCCESS(hsa_system_get_info(attribute, &value));
  return value;
}

TEST_F(Runtime, SystemAttributes) {
  EXPECT_EQ(system_info<uint16_t>(HSA_SYSTEM_INFO_VERSION_MAJOR), 1);
  EXPECT_EQ(system_info<uint16_t>(HSA_SYSTEM_INFO_VERSION_MINOR), 2);
  EXPECT_EQ(system_info<hsa_endianness_t>(HSA_SYSTEM_INFO_ENDIANNESS), HSA_ENDIANNESS_LITTLE);
  EXPECT_EQ(system_info<hsa_machine_model_t>(HSA_SYSTEM_INFO_MACHINE_MODEL), HSA_MACHINE_MODEL_LARGE);
  const auto frequency = system_info<uint64_t>(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY);
  EXPECT_GE(frequency, 1000000u);
  EXPECT_LE(frequency, 400000000u);
  EXPECT_GT(system_info<uint64_t>(HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT), frequency);
  const auto before = system_info<uint64_t>(HSA_SYSTEM_INFO_TIMESTAMP);
  EXPECT_GE(system_info<uint64_t>(HSA_SYSTEM_INFO_TIMESTAMP), before);
  EXPECT_EQ(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  uint64_t buffer[16];
  EXPECT_EQ(hsa_system_get_info(static_cast<hsa_system_info_t>(8), buffer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Runtime, ExtensionNames) {
  const std::map<uint16_t, std::string> names = {{HSA_EXTENSION_FINALIZER, "hsa_ext_finalizer"},
                                                 {HSA_EXTENSION_IMAGES, "hsa_ext_images"},
                                                 {HSA_EXTENSION_PERFORMANCE_COUNTERS, "hsa_ext_perf_counter"},
                                                 {HSA_EXTENSION_PROFILE_EVENTS, "hsa_ext_profile_event"},
                                                 {HSA_EXTENSION_LOG, "hsa_ext_log"}};
  for (const auto& [number, expected] : names) {
    const char* name = nullptr;
    ASSERT_SUCCESS(hsa_extension_get_name(number, &name));
    EXPECT_EQ(name, expected);
  }
  const char* name = nullptr;
  EXPECT_EQ(hsa_extension_get_name(5, &name), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_extension_get_name(0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// The four queries of support agree with each other and with the masks.
TEST_F(Runtime, ExtensionQueriesAgree) {
  uint8_t system_mask[128], agent_mask[128];
  ASSERT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_EXTENSIONS, system_mask));
  for (hsa_agent_t agent : agents_) {
    ASSERT_SUCCESS(hsa_agent_get_info(agent, HSA_AGENT_INFO_EXTENSIONS, agent_mask));
    for (uint16_t extension = 0; extension <= HSA_EXTENSION_LOG; ++extension) {
      const bool in_system = (system_mask[extension / 8] >> (extension % 8) & 1) != 0;
      const bool in_agent = (agent_mask[extension / 8] >> (extension % 8) & 1) != 0;
      EXPECT_TRUE(in_system || !in_agent);
      bool supported = !in_system;
      uint16_t minor = 99;
      EXPECT_SUCCESS(hsa_system_major_extension_supported(extension, 1, &minor, &supported));
      EXPECT_EQ(supported, in_system);
      for (uint16_t wanted = 0; wanted < 4; ++wanted) {
        EXPECT_SUCCESS(hsa_system_extension_supported(extension, 1, wanted, &supported));
        EXPECT_EQ(supported, in_system && wanted <= minor);
        EXPECT_SUCCESS(hsa_agent_extension_supported(extension, agent, 1, wanted, &supported));
        EXPECT_EQ(supported, in_agent && wanted <= minor);
      }
      EXPECT_SUCCESS(hsa_agent_major_extension_supported(extension, agent, 1, &minor, &supported));
      EXPECT_EQ(supported, in_agent);
      EXPECT_SUCCESS(hsa_system_extension_supported(extension, 2, 0, &supported));
      EXPECT_FALSE(supported);
    }
    constexpr size_t loader = HSA_EXTENSION_AMD_LOADER / 8;  // amd_loader_test.cpp
    for (size_t byte = 1; byte < sizeof(system_mask); ++byte)
      EXPECT_TRUE(byte == loader || system_mask[byte] == 0);
  }
  bool supported;
  uint16_t minor;
  EXPECT_EQ(hsa_system_extension_supported(5, 1, 0, &supported), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_extension_supported(0, 1, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_major_extension_supported(0, 1, nullptr, &supported),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_major_extension_supported(0, 1, &minor, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_extension_supported(5, host_, 1, 0, &supported), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_extension_supported(0, {0}, 1, 0, &supported), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_agent_major_extension_supported(0, {0}, 1, &minor, &supported),
            HSA_STATUS_ERROR_INVALID_AGENT);
}

/// Programs for HSA 1.0 provide 48 bytes, and not one byte more may be written.
TEST_F(Runtime, FinalizerTableOfVersion1_0Has48Bytes) {
  bool supported = false;
  ASSERT_SUCCESS(hsa_system_extension_supported(HSA_EXTENSION_FINALIZER, 1, 0, &supported));
  ASSERT_TRUE(supported) << "no finalizer library beside the runtime";
  struct {
    hsa_ext_finalizer_1_00_pfn_t table;
    uint8_t canary[64];
  } space;
  static_assert(sizeof(space.table) == 48);
  for (uint16_t minor = 0; minor <= 2; ++minor) {
    std::memset(&space, 0xa5, sizeof(space));
    ASSERT_SUCCESS(hsa_system_get_extension_table(HSA_EXTENSION_FINALIZER, 1, minor, &space.table));
    EXPECT_EQ(space.table.hsa_ext_program_create, hsa_ext_program_create);
    EXPECT_EQ(space.table.hsa_ext_program_finalize, hsa_ext_program_finalize);
    for (uint8_t byte : space.canary) ASSERT_EQ(byte, 0xa5);
  }
  EXPECT_EQ(hsa_system_get_extension_table(HSA_EXTENSION_FINALIZER, 1, 3, &space),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_get_extension_table(HSA_EXTENSION_FINALIZER, 1, 0, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Runtime, MajorTableIsCutToTheLengthAsked) {
  struct {
    hsa_ext_finalizer_1_pfn_t table;
    uint8_t canary[64];
  } space;
  for (size_t length = 0; length <= sizeof(space); length += 8) {
    std::memset(&space, 0xa5, sizeof(space));
    ASSERT_SUCCESS(hsa_system_get_major_extension_table(HSA_EXTENSION_FINALIZER, 1, length, &space));
    const size_t written = std::min(length, sizeof(space.table));
    for (size_t i = written; i < sizeof(space); ++i) ASSERT_EQ(reinterpret_cast<uint8_t*>(&space)[i], 0xa5);
  }
  EXPECT_EQ(space.table.hsa_ext_program_add_module, hsa_ext_program_add_module);
  EXPECT_EQ(space.table.hsa_ext_code_object_writer_create_from_file,
            hsa_ext_code_object_writer_create_from_file);
  EXPECT_EQ(space.table.hsa_ext_symbol_join_hsail_linker_name, hsa_ext_symbol_join_hsail_linker_name);
  EXPECT_EQ(hsa_system_get_major_extension_table(HSA_EXTENSION_FINALIZER, 2, 8, &space),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_get_major_extension_table(HSA_EXTENSION_FINALIZER, 1, 8, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Runtime, TheHostComesFirstAndRunsNoKernels) {
  EXPECT_EQ(agent_info<hsa_device_type_t>(host_, HSA_AGENT_INFO_DEVICE), HSA_DEVICE_TYPE_CPU);
  EXPECT_EQ(agent_info<uint32_t>(host_, HSA_AGENT_INFO_FEATURE) & HSA_AGENT_FEATURE_KERNEL_DISPATCH, 0u);
  EXPECT_EQ(agent_info<hsa_isa_t>(host_, HSA_AGENT_INFO_ISA).handle, 0u);
  EXPECT_NE(fine_region().handle, 0u);
  EXPECT_NE(global_region(host_, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED | HSA_REGION_GLOBAL_FLAG_KERNARG).handle,
            0u);
}

TEST_F(Runtime, AgentAttributesAreAsWideAsTheirTypes) {
  const std::map<hsa_agent_info_t, size_t> sizes = {
      {HSA_AGENT_INFO_NAME, 64},
      {HSA_AGENT_INFO_VENDOR_NAME, 64},
      {HSA_AGENT_INFO_FEATURE, 4},
      {HSA_AGENT_INFO_MACHINE_MODEL, 4},
      {HSA_AGENT_INFO_PROFILE, 4},
      {HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE, 4},
      {HSA_AGENT_INFO_WAVEFRONT_SIZE, 4},
      {HSA_AGENT_INFO_WORKGROUP_MAX_DIM, 6},
      {HSA_AGENT_INFO_WORKGROUP_MAX_SIZE, 4},
      {HSA_AGENT_INFO_GRID_MAX_DIM, 12},
      {HSA_AGENT_INFO_GRID_MAX_SIZE, 4},
      {HSA_AGENT_INFO_FBARRIER_MAX_SIZE, 4},
      {HSA_AGENT_INFO_QUEUES_MAX, 4},
      {HSA_AGENT_INFO_QUEUE_MIN_SIZE, 4},
      {HSA_AGENT_INFO_QUEUE_MAX_SIZE, 4},
      {HSA_AGENT_INFO_QUEUE_TYPE, 4},
      {HSA_AGENT_INFO_NODE, 4},
      {HSA_AGENT_INFO_DEVICE, 4},
      {HSA_AGENT_INFO_CACHE_SIZE, 16},
      {HSA_AGENT_INFO_ISA, 8},
      {HSA_AGENT_INFO_EXTENSIONS, 128},
      {HSA_AGENT_INFO_VERSION_MAJOR, 2},
      {HSA_AGENT_INFO_VERSION_MINOR, 2},
      {HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES, 4},
      {HSA_AGENT_INFO_FAST_F16_OPERATION, 1},
      {HSA_AGENT_INFO_GROUP_SEGMENT_TYPE, 4},
      {HSA_AGENT_INFO_COMPUTE_UNIT_COUNT, 4},
      {HSA_AGENT_INFO_MAX_CLOCK_FREQUENCY, 8}};
  for (hsa_agent_t agent : agents_)
    for (const auto& [attribute, size] : sizes) {
      // With two different fillings the test sees that every byte of the value is written, and none behind
      // it.
      uint8_t a[256], b[256];
      std::memset(a, 0x5a, sizeof(a));
      std::memset(b, 0xa5, sizeof(b));
      ASSERT_SUCCESS(hsa_agent_get_info(agent, attribute, a)) << attribute;
      ASSERT_SUCCESS(hsa_agent_get_info(agent, attribute, b)) << attribute;
      EXPECT_EQ(std::memcmp(a, b, size), 0) << attribute;
      for (size_t i = size; i < sizeof(a); ++i)
        ASSERT_TRUE(a[i] == 0x5a && b[i] == 0xa5) << attribute << " byte " << i;
    }
}

TEST_F(Runtime, KernelAgentAttributes) {
  EXPECT_EQ(agent_info<uint32_t>(kernel_agent_, HSA_AGENT_INFO_FEATURE), HSA_AGENT_FEATURE_KERNEL_DISPATCH);
  EXPECT_EQ(agent_info<uint16_t>(kernel_agent_, HSA_AGENT_INFO_VERSION_MINOR), 2);
  const auto wave = agent_info<uint32_t>(kernel_agent_, HSA_AGENT_INFO_WAVEFRONT_SIZE);
  EXPECT_TRUE(wave >= 1 && wave <= 256 && (wave & (wave - 1)) == 0);
  EXPECT_GE(agent_info<uint32_t>(kernel_agent_, HSA_AGENT_INFO_FBARRIER_MAX_SIZE), 32u);
  const auto smallest = agent_info<uint32_t>(kernel_agent_, HSA_AGENT_INFO_QUEUE_MIN_SIZE);
  const auto largest = agent_info<uint32_t>(kernel_agent_, HSA_AGENT_INFO_QUEUE_MAX_SIZE);
  EXPECT_LE(smallest, largest);
  EXPECT_NE(agent_info<hsa_default_float_rounding_mode_t>(kernel_agent_,
                                                          HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE),
            HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT);
  std::vector<hsa_isa_t> isas;
  ASSERT_SUCCESS(hsa_agent_iterate_isas(kernel_agent_, collect<hsa_isa_t>, &isas));
  ASSERT_FALSE(isas.empty());
  EXPECT_EQ(agent_info<hsa_isa_t>(kernel_agent_, HSA_AGENT_INFO_ISA).handle, isas[0].handle);
}

TEST_F(Runtime, AgentErrors) {
  uint64_t buffer[32];
  uint16_t mask;
  for (uint64_t handle : garbage_handles) {
    const hsa_agent_t agent{handle};
    EXPECT_EQ(hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, buffer), HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(hsa_agent_get_exception_policies(agent, HSA_PROFILE_FULL, &mask),
              HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(hsa_agent_iterate_caches(agent, collect<hsa_cache_t>, nullptr), HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(hsa_agent_iterate_regions(agent, collect<hsa_region_t>, nullptr),
              HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(hsa_agent_iterate_isas(agent, collect<hsa_isa_t>, nullptr), HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(hsa_cache_get_info({handle}, HSA_CACHE_INFO_SIZE, buffer), HSA_STATUS_ERROR_INVALID_CACHE);
    EXPECT_EQ(hsa_isa_get_info_alt({handle}, HSA_ISA_INFO_NAME, buffer), HSA_STATUS_ERROR_INVALID_ISA);
    EXPECT_EQ(hsa_isa_iterate_wavefronts({handle}, collect<hsa_wavefront_t>, nullptr),
              HSA_STATUS_ERROR_INVALID_ISA);
    EXPECT_EQ(hsa_wavefront_get_info({handle}, HSA_WAVEFRONT_INFO_SIZE, buffer),
              HSA_STATUS_ERROR_INVALID_WAVEFRONT);
  }
  // A handle of another type is invalid, too.
  EXPECT_EQ(hsa_agent_get_info({regions(host_)[0].handle}, HSA_AGENT_INFO_NAME, buffer),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_agent_get_info(host_, HSA_AGENT_INFO_NAME, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_get_info(host_, static_cast<hsa_agent_info_t>(28), buffer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_iterate_agents(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_iterate_caches(host_, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_iterate_isas(host_, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_get_exception_policies(kernel_agent_, static_cast<hsa_profile_t>(2), &mask),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_get_exception_policies(kernel_agent_, HSA_PROFILE_FULL, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Runtime, IterationsStopWhenTheCallbackSaysSo) {
  int calls = 0;
  const auto stop = [](hsa_agent_t, void* data) {
    ++*static_cast<int*>(data);
    return HSA_STATUS_INFO_BREAK;
  };
  EXPECT_EQ(hsa_iterate_agents(stop, &calls), HSA_STATUS_INFO_BREAK);
  EXPECT_EQ(calls, 1);
}

TEST_F(Runtime, CachesAscend) {
  std::vector<hsa_cache_t> caches;
  ASSERT_SUCCESS(hsa_agent_iterate_caches(host_, collect<hsa_cache_t>, &caches));
  uint8_t last = 0;
  for (hsa_cache_t cache : caches) {
    uint8_t level = 0;
    uint32_t length = 0, size = 0, line = 0;
    EXPECT_SUCCESS(hsa_cache_get_info(cache, HSA_CACHE_INFO_LEVEL, &level));
    EXPECT_SUCCESS(hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, &size));
    EXPECT_SUCCESS(hsa_cache_get_info(cache, HSA_CACHE_INFO_CACHE_LINE_SIZE, &line));
    EXPECT_SUCCESS(hsa_cache_get_info(cache, HSA_CACHE_INFO_NAME_LENGTH, &length));
    std::string name(length, 'x');
    EXPECT_SUCCESS(hsa_cache_get_info(cache, HSA_CACHE_INFO_NAME, name.data()));
    EXPECT_EQ(std::strlen(name.data()) + 1, length);
    EXPECT_GE(level, last);
    EXPECT_GT(size, line);
    last = level;
    EXPECT_EQ(hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_cache_get_info(cache, static_cast<hsa_cache_info_t>(5), &size),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
}

TEST_F(Runtime, IsasAreFoundByName) {
  std::vector<hsa_isa_t> isas;
  ASSERT_SUCCESS(hsa_agent_iterate_isas(kernel_agent_, collect<hsa_isa_t>, &isas));
  for (hsa_isa_t isa : isas) {
    uint32_t length = 0;
    ASSERT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length));
    std::string name(length, 'x');
    ASSERT_SUCCESS(hsa_isa_get_info(isa, HSA_ISA_INFO_NAME, 0, name.data()));
    EXPECT_EQ(std::strlen(name.c_str()) + 1, length);
    hsa_isa_t found{};
    EXPECT_SUCCESS(hsa_isa_from_name(name.c_str(), &found));
    EXPECT_EQ(found.handle, isa.handle);
  }
  hsa_isa_t found{};
  EXPECT_EQ(hsa_isa_from_name("nobody:nothing", &found), HSA_STATUS_ERROR_INVALID_ISA_NAME);
  EXPECT_EQ(hsa_isa_from_name(nullptr, &found), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_from_name("nobody:nothing", nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (const char* bad :
       {"", ":", "heddle", "heddle:", "heddle:hsail", "heddle:hsail:w1 ", "HEDDLE:HSAIL:W1"})
    EXPECT_EQ(hsa_isa_from_name(bad, &found), HSA_STATUS_ERROR_INVALID_ISA_NAME) << bad;
}

TEST_F(Runtime, AnIsaThatNoAgentExecutesHasAName) {
  std::vector<hsa_isa_t> isas;
  ASSERT_SUCCESS(hsa_agent_iterate_isas(kernel_agent_, collect<hsa_isa_t>, &isas));
  hsa_isa_t found{}, again{};
  ASSERT_SUCCESS(hsa_isa_from_name("heddle:hsail:w64", &found));
  for (hsa_isa_t isa : isas) EXPECT_NE(isa.handle, found.handle) << "the null agent has only w1";
  uint32_t wave = 0;
  EXPECT_SUCCESS(hsa_isa_get_info_alt(found, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE, &wave));
  EXPECT_EQ(wave, 64u);
  EXPECT_SUCCESS(hsa_isa_from_name("heddle:hsail:w64", &again));
  EXPECT_EQ(again.handle, found.handle);
}

TEST_F(Runtime, CodeOfOlderProcessorsRunsOnNewerOnes) {
  const char* names[] = {"heddle:x86-64-v4:w1", "heddle:x86-64-v3:w1", "heddle:x86-64-v2:w1",
                         "heddle:hsail:w1", "heddle:hsail:w64"};
  constexpr size_t count = std::size(names);
  hsa_isa_t isas[count];
  for (size_t i = 0; i < count; ++i) ASSERT_SUCCESS(hsa_isa_from_name(names[i], &isas[i]));
  for (size_t code = 0; code < count; ++code) {
    for (size_t agent = 0; agent < count; ++agent) {
      bool compatible = false;
      EXPECT_SUCCESS(hsa_isa_compatible(isas[code], isas[agent], &compatible));
      // The first three are levels of one family, the newest first.
      EXPECT_EQ(compatible, code == agent || (code < 3 && agent < 3 && code > agent))
          << names[code] << " on " << names[agent];
    }
  }
}

TEST_F(Runtime, IsaAttributes) {
  const hsa_isa_t isa = agent_info<hsa_isa_t>(kernel_agent_, HSA_AGENT_INFO_ISA);
  uint32_t count = 0, wave = 0, size = 0;
  EXPECT_SUCCESS(hsa_isa_get_info(isa, HSA_ISA_INFO_CALL_CONVENTION_COUNT, 0, &count));
  ASSERT_GE(count, 1u);
  EXPECT_SUCCESS(hsa_isa_get_info(isa, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE, count - 1, &wave));
  EXPECT_EQ(hsa_isa_get_info(isa, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE, count, &wave),
            HSA_STATUS_ERROR_INVALID_INDEX);
  bool models[2], profiles[2], modes[3], base_modes[3], fast;
  EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_MACHINE_MODELS, models));
  EXPECT_TRUE(models[HSA_MACHINE_MODEL_LARGE]);
  EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_PROFILES, profiles));
  EXPECT_TRUE(profiles[HSA_PROFILE_BASE] || profiles[HSA_PROFILE_FULL]);
  EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES, modes));
  EXPECT_TRUE(modes[0] || modes[1] || modes[2]);
  EXPECT_SUCCESS(
      hsa_isa_get_info_alt(isa, HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES, base_modes));
  EXPECT_FALSE(base_modes[HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT]);
  EXPECT_TRUE(base_modes[1] || base_modes[2]);
  EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_FAST_F16_OPERATION, &fast));
  EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_WORKGROUP_MAX_SIZE, &size));
  uint16_t group[3];
  EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_WORKGROUP_MAX_DIM, group));
  hsa_dim3_t grid;
  EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_GRID_MAX_DIM, &grid));
  uint64_t grid_size = 0;
  EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_GRID_MAX_SIZE, &grid_size));
  EXPECT_TRUE(group[0] > 0 && group[0] <= size && grid.x >= group[0] && grid.x <= grid_size);
  std::vector<hsa_wavefront_t> waves;
  ASSERT_SUCCESS(hsa_isa_iterate_wavefronts(isa, collect<hsa_wavefront_t>, &waves));
  ASSERT_EQ(waves.size(), 1u);
  uint32_t wave_size = 0;
  EXPECT_SUCCESS(hsa_wavefront_get_info(waves[0], HSA_WAVEFRONT_INFO_SIZE, &wave_size));
  EXPECT_EQ(wave_size, wave);
  EXPECT_EQ(hsa_wavefront_get_info(waves[0], static_cast<hsa_wavefront_info_t>(1), &wave_size),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Runtime, IsaErrors) {
  const hsa_isa_t isa = agent_info<hsa_isa_t>(kernel_agent_, HSA_AGENT_INFO_ISA);
  hsa_round_method_t method;
  uint64_t buffer[8];
  uint16_t mask;
  bool flag;
  EXPECT_EQ(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_get_info_alt(isa, static_cast<hsa_isa_info_t>(18), buffer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_isa_get_round_method(isa, HSA_FP_TYPE_64, HSA_FLUSH_MODE_NON_FTZ, &method));
  EXPECT_EQ(hsa_isa_get_round_method(isa, static_cast<hsa_fp_type_t>(3), HSA_FLUSH_MODE_FTZ, &method),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_get_round_method(isa, HSA_FP_TYPE_16, static_cast<hsa_flush_mode_t>(3), &method),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_get_round_method(isa, HSA_FP_TYPE_16, HSA_FLUSH_MODE_FTZ, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_get_round_method({9}, HSA_FP_TYPE_16, HSA_FLUSH_MODE_FTZ, &method),
            HSA_STATUS_ERROR_INVALID_ISA);
  EXPECT_SUCCESS(hsa_isa_get_exception_policies(isa, HSA_PROFILE_BASE, &mask));
  EXPECT_EQ(hsa_isa_get_exception_policies(isa, static_cast<hsa_profile_t>(2), &mask),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_compatible(isa, {0}, &flag), HSA_STATUS_ERROR_INVALID_ISA);
  EXPECT_EQ(hsa_isa_compatible(isa, isa, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// Two ISAs do not become compatible because one agent takes code for both. This runs in a process of its
/// own, because the agents are fixed for a process.
TEST(Isa, AnAgentWithBothIsasDoesNotMakeThemCompatible) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto compare = [] {
    setenv("HEDDLE_AGENTS", "null,interpreter", 1);
    hsa_isa_t x86{}, hsail{};
    bool runs[3] = {};
    const bool done = hsa_init() == HSA_STATUS_SUCCESS &&
                      hsa_isa_from_name("heddle:x86-64-v4:w1", &x86) == HSA_STATUS_SUCCESS &&
                      hsa_isa_from_name("heddle:hsail:w1", &hsail) == HSA_STATUS_SUCCESS &&
                      hsa_isa_compatible(hsail, x86, &runs[0]) == HSA_STATUS_SUCCESS &&
                      hsa_isa_compatible(x86, hsail, &runs[1]) == HSA_STATUS_SUCCESS &&
                      hsa_isa_compatible(x86, x86, &runs[2]) == HSA_STATUS_SUCCESS;
    std::_Exit(done && !runs[0] && !runs[1] && runs[2] ? 0 : 1);
  };
  EXPECT_EXIT(compare(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace heddle::runtime::test
