// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of functions that the extension queries return (Runtime 3.2.1.24, 3.2.1.25, 3.3.1.36, 3.3.1.37,
// 3.4.1.29, 3.5.6.29, 3.6.10).
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ext_log.h>
#include <hsa/hsa_ext_perf_counter.h>
#include <hsa/hsa_ext_profile_event.h>
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

constexpr hsa_ext_perf_counter_1_pfn_t counters_table = {
    hsa_ext_perf_counter_init,
    hsa_ext_perf_counter_shut_down,
    hsa_ext_perf_counter_get_num,
    hsa_ext_perf_counter_get_info,
    hsa_ext_perf_counter_iterate_associations,
    hsa_ext_perf_counter_session_context_create,
    hsa_ext_perf_counter_session_context_destroy,
    hsa_ext_perf_counter_enable,
    hsa_ext_perf_counter_disable,
    hsa_ext_perf_counter_is_enabled,
    hsa_ext_perf_counter_session_context_valid,
    hsa_ext_perf_counter_session_context_set_valid,
    hsa_ext_perf_counter_session_enable,
    hsa_ext_perf_counter_session_disable,
    hsa_ext_perf_counter_session_start,
    hsa_ext_perf_counter_session_stop,
    hsa_ext_perf_counter_read_uint32,
    hsa_ext_perf_counter_read_uint64,
    hsa_ext_perf_counter_read_float,
    hsa_ext_perf_counter_read_double,
};

constexpr hsa_ext_profile_event_1_pfn_t events_table = {
    hsa_ext_profile_event_init_producer,
    hsa_ext_profile_event_init_all_of_producer_type,
    hsa_ext_profile_event_init,
    hsa_ext_profile_event_shut_down,
    hsa_ext_profile_event_register_application_event_producer,
    hsa_ext_profile_event_deregister_application_event_producer,
    hsa_ext_profile_event_iterate_application_event_producers,
    hsa_ext_profile_event_producer_get_name,
    hsa_ext_profile_event_producer_get_description,
    hsa_ext_profile_event_producer_supports_events,
    hsa_ext_profile_event_enable_for_producer,
    hsa_ext_profile_event_disable_for_producer,
    hsa_ext_profile_event_enable_all_for_producer_type,
    hsa_ext_profile_event_disable_all_for_producer_type,
    hsa_ext_profile_event_set_buffer_size_hint,
    hsa_ext_profile_event_register_application_event,
    hsa_ext_profile_event_deregister_application_event,
    hsa_ext_profile_event_trigger_application_event,
    hsa_ext_profile_event_get_head_event,
    hsa_ext_profile_event_destroy_head_event,
    hsa_ext_profile_event_get_metadata_field_descs,
};

constexpr hsa_ext_log_1_pfn_t log_table = {
    hsa_ext_log_create,
    hsa_ext_log_destroy,
    hsa_ext_log_get,
    hsa_ext_log_program_code_object_finalize,
    hsa_ext_log_agent_code_object_finalize,
    hsa_ext_log_load_program_code_object,
    hsa_ext_log_load_agent_code_object,
};

/// The table of a runtime without a finalizer (Runtime 3.6.6, 3.6.7).
constexpr hsa_ext_log_1_pfn_t log_table_of_loads = [] {
  hsa_ext_log_1_pfn_t table = log_table;
  table.hsa_ext_log_program_code_object_finalize = nullptr;
  table.hsa_ext_log_agent_code_object_finalize = nullptr;
  return table;
}();

/// Returns the same table in every state of the runtime.
template <const auto& fixed>
const void* table_of(Runtime&) {
  return &fixed;
}

const void* table_of_logs(Runtime& runtime) {
  return runtime.finalizer().available() ? &log_table : &log_table_of_loads;
}

constexpr size_t finalizer_sizes[] = {sizeof(hsa_ext_finalizer_1_00_pfn_t)};
constexpr size_t images_sizes[] = {sizeof(hsa_ext_images_1_00_pfn_t)};
constexpr size_t counters_sizes[] = {sizeof(hsa_ext_perf_counter_1_pfn_t)};
constexpr size_t events_sizes[] = {sizeof(hsa_ext_profile_event_1_pfn_t)};
constexpr size_t log_sizes[] = {sizeof(hsa_ext_log_1_pfn_t)};
constexpr size_t loader_sizes[] = {
    sizeof(hsa_ven_amd_loader_1_00_pfn_t), sizeof(hsa_ven_amd_loader_1_01_pfn_t),
    sizeof(hsa_ven_amd_loader_1_02_pfn_t), sizeof(hsa_ven_amd_loader_1_03_pfn_t)};

constexpr Extension extensions[] = {
    {HSA_EXTENSION_FINALIZER, "hsa_ext_finalizer", 1, 2, table_of<finalizer_table>, sizeof(finalizer_table),
     finalizer_sizes},
    {HSA_EXTENSION_IMAGES, "hsa_ext_images", 1, 2, table_of<images_table>, sizeof(images_table),
     images_sizes},
    {HSA_EXTENSION_PERFORMANCE_COUNTERS, "hsa_ext_perf_counter", 1, 0, table_of<counters_table>,
     sizeof(counters_table), counters_sizes},
    {HSA_EXTENSION_PROFILE_EVENTS, "hsa_ext_profile_event", 1, 0, table_of<events_table>,
     sizeof(events_table), events_sizes},
    {HSA_EXTENSION_LOG, "hsa_ext_log", 1, 0, table_of_logs, sizeof(log_table), log_sizes},
    {HSA_EXTENSION_AMD_LOADER, "hsa_ven_amd_loader", 1, 3, table_of<loader_table>, sizeof(loader_table),
     loader_sizes},
};

/// The vendor of the ISAs that heddle's own agents execute. The finalizer makes code for all of them, so that
/// it need not be opened for a question about these agents.
constexpr std::string_view own_isas = "heddle:";

/// Reports whether the finalizer makes code for the ISA. Opens the finalizer if the ISA is another vendor's.
bool is_finalized_for(Runtime& runtime, const Isa& isa) {
  return isa.name.starts_with(own_isas) || api::find_finalizer_isa(runtime, isa.name) != nullptr;
}

bool has_counters(Runtime& runtime, const Agent& agent) {
  return std::ranges::any_of(runtime.counters().counters(),
                             [&](const PerformanceCounter& counter) { return counter.agent == &agent; });
}

}  // namespace

bool Extension::supports(Runtime& runtime, uint16_t wanted_major) const {
  if (major == 0 || major != wanted_major) return false;
  if (number == HSA_EXTENSION_AMD_LOADER || number == HSA_EXTENSION_LOG ||
      number == HSA_EXTENSION_PERFORMANCE_COUNTERS || number == HSA_EXTENSION_PROFILE_EVENTS)
    return true;
  if (number == HSA_EXTENSION_FINALIZER) return runtime.finalizer().available();
  const Topology& topology = runtime.topology();
  for (size_t i = 0; i < topology.agent_count(); ++i)
    if (number == HSA_EXTENSION_IMAGES && topology.agent_at(i).has_images()) return true;
  return false;
}

bool Extension::supports(Runtime& runtime, const Agent& agent, uint16_t wanted_major) const {
  if (!supports(runtime, wanted_major)) return false;
  if (number == HSA_EXTENSION_IMAGES) return agent.has_images();
  if (number == HSA_EXTENSION_PROFILE_EVENTS) return agent.config().activities != 0;
  if (number == HSA_EXTENSION_PERFORMANCE_COUNTERS) return has_counters(runtime, agent);
  if (number == HSA_EXTENSION_LOG) return !agent.isas.empty();  // agents without one load no code
  return std::any_of(agent.shown_isas.begin(), agent.shown_isas.end(),
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
