// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of functions that the extension queries return (Runtime 3.2.1.24, 3.2.1.25).
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ven_amd_loader.h>

#include <algorithm>

#include "runtime/api/extension.h"
#include "runtime/api/isa_attributes.h"
#include "runtime/core/runtime.h"

namespace heddle::runtime {

namespace {

// Every table of major version 1 begins with the table of version 1.0.
static_assert(offsetof(hsa_ext_finalizer_1_pfn_t, hsa_ext_code_object_writer_create_from_file) ==
              sizeof(hsa_ext_finalizer_1_00_pfn_t));

constexpr hsa_ext_finalizer_1_pfn_t finalizer_table = {
    hsa_ext_program_create,
    hsa_ext_program_destroy,
    hsa_ext_program_add_module,
    hsa_ext_program_iterate_modules,
    hsa_ext_program_get_info,
    hsa_ext_program_finalize,
    hsa_ext_code_object_writer_create_from_file,
    hsa_ext_code_object_writer_create_from_memory,
    hsa_ext_code_object_writer_destroy,
    hsa_ext_program_code_object_finalize,
    hsa_ext_agent_code_object_finalize,
    hsa_ext_symbol_split_hsail_linker_name,
    hsa_ext_symbol_join_hsail_linker_name,
};

static_assert(offsetof(hsa_ext_images_1_pfn_t, hsa_ext_image_get_capability_with_layout) ==
              sizeof(hsa_ext_images_1_00_pfn_t));

constexpr hsa_ext_images_1_pfn_t images_table = {
    hsa_ext_image_get_capability,
    hsa_ext_image_data_get_info,
    hsa_ext_image_create,
    hsa_ext_image_destroy,
    hsa_ext_image_copy,
    hsa_ext_image_import,
    hsa_ext_image_export,
    hsa_ext_image_clear,
    hsa_ext_sampler_create,
    hsa_ext_sampler_destroy,
    hsa_ext_image_get_capability_with_layout,
    hsa_ext_image_data_get_info_with_layout,
    hsa_ext_image_create_with_layout,
};

// Each version of the loader's table begins with the version before it.
static_assert(offsetof(hsa_ven_amd_loader_1_03_pfn_t,
                       hsa_ven_amd_loader_executable_iterate_loaded_code_objects) ==
                  sizeof(hsa_ven_amd_loader_1_00_pfn_t) &&
              offsetof(hsa_ven_amd_loader_1_03_pfn_t,
                       hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size) ==
                  sizeof(hsa_ven_amd_loader_1_01_pfn_t) &&
              offsetof(hsa_ven_amd_loader_1_03_pfn_t, hsa_ven_amd_loader_iterate_executables) ==
                  sizeof(hsa_ven_amd_loader_1_02_pfn_t));

constexpr hsa_ven_amd_loader_1_03_pfn_t loader_table = {
    hsa_ven_amd_loader_query_host_address,
    hsa_ven_amd_loader_query_segment_descriptors,
    hsa_ven_amd_loader_query_executable,
    hsa_ven_amd_loader_executable_iterate_loaded_code_objects,
    hsa_ven_amd_loader_loaded_code_object_get_info,
    hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size,
    hsa_ven_amd_loader_iterate_executables,
};

constexpr size_t finalizer_sizes[] = {sizeof(hsa_ext_finalizer_1_00_pfn_t)};
constexpr size_t images_sizes[] = {sizeof(hsa_ext_images_1_00_pfn_t)};
constexpr size_t loader_sizes[] = {
    sizeof(hsa_ven_amd_loader_1_00_pfn_t), sizeof(hsa_ven_amd_loader_1_01_pfn_t),
    sizeof(hsa_ven_amd_loader_1_02_pfn_t), sizeof(hsa_ven_amd_loader_1_03_pfn_t)};

constexpr Extension extensions[] = {
    {HSA_EXTENSION_FINALIZER, "hsa_ext_finalizer", 1, 2, &finalizer_table, sizeof(finalizer_table),
     finalizer_sizes},
    {HSA_EXTENSION_IMAGES, "hsa_ext_images", 1, 2, &images_table, sizeof(images_table), images_sizes},
    {HSA_EXTENSION_PERFORMANCE_COUNTERS, "hsa_ext_perf_counter", 0, 0, nullptr, 0, {}},
    {HSA_EXTENSION_PROFILE_EVENTS, "hsa_ext_profile_event", 0, 0, nullptr, 0, {}},
    {HSA_EXTENSION_LOG, "hsa_ext_log", 0, 0, nullptr, 0, {}},
    {HSA_EXTENSION_AMD_LOADER, "hsa_ven_amd_loader", 1, 3, &loader_table, sizeof(loader_table), loader_sizes},
};

/// The vendor of the ISAs that heddle's own agents execute. The finalizer makes code for all of them, so that it
/// need not be opened for a question about these agents.
constexpr std::string_view own_isas = "heddle:";

/// Reports whether the finalizer makes code for the ISA. Opens the finalizer if the ISA is another vendor's.
bool is_finalized_for(Runtime& runtime, const Isa& isa) {
  return isa.name.starts_with(own_isas) || api::find_finalizer_isa(runtime, isa.name) != nullptr;
}

}  // namespace

bool Extension::supports(Runtime& runtime, uint16_t wanted_major) const {
  if (major == 0 || major != wanted_major) return false;
  if (number == HSA_EXTENSION_AMD_LOADER) return true;
  if (number == HSA_EXTENSION_FINALIZER) return runtime.finalizer().available();
  const Topology& topology = runtime.topology();
  for (size_t i = 0; i < topology.agent_count(); ++i)
    if (number == HSA_EXTENSION_IMAGES && topology.agent_at(i).has_images()) return true;
  return false;
}

bool Extension::supports(Runtime& runtime, const Agent& agent, uint16_t wanted_major) const {
  if (!supports(runtime, wanted_major)) return false;
  if (number == HSA_EXTENSION_IMAGES) return agent.has_images();
  return std::any_of(agent.isas.begin(), agent.isas.end(),
                     [&](const Isa* isa) { return is_finalized_for(runtime, *isa); });
}

const Extension* find_extension(uint16_t number) {
  for (const Extension& extension : extensions)
    if (extension.number == number) return &extension;
  return nullptr;
}

ExtensionMask extension_mask(Runtime& runtime) {
  ExtensionMask mask;
  for (const Extension& extension : extensions)
    if (extension.supports(runtime, extension.major)) mask.set(extension.number);
  return mask;
}

ExtensionMask extension_mask(Runtime& runtime, const Agent& agent) {
  ExtensionMask mask;
  for (const Extension& extension : extensions)
    if (extension.supports(runtime, agent, extension.major)) mask.set(extension.number);
  return mask;
}

}  // namespace heddle::runtime
