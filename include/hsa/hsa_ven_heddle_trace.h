/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The table of those functions of heddle that the tables of ROCm (hsa_api_trace.h) do not have: all of
 * performance counters, profile events, logging and the loader of AMD, and what HSA 1.2 has added to the core
 * and the finalizer. Together, the tables have every function that the runtime exports.
 *
 * A tool (hsa_api_trace.h) that has a function HeddleOnLoad gets this table just before its OnLoad is called.
 * On other runtimes nobody calls the function, so that one library serves both:
 *
 *     void HeddleOnLoad(HeddleApiTable* table);
 *
 * All that hsa_api_trace.h says of tables holds for this one, too.
 */
#ifndef HSA_VEN_HEDDLE_TRACE_H_
#define HSA_VEN_HEDDLE_TRACE_H_

#include "hsa_api_trace.h"
#include "hsa_ext_log.h"
#include "hsa_ext_perf_counter.h"
#include "hsa_ext_profile_event.h"
#include "hsa_ven_amd_loader.h"

/** Tables of different major versions have nothing in common; each step adds entries at the end. */
#define HEDDLE_API_TABLE_MAJOR_VERSION 0x01
#define HEDDLE_API_TABLE_STEP_VERSION 0x00

/**
 * Expands F(name) for each function in the order of HeddleApiTable. Names are added at the end, and never
 * moved or removed. The names that profile events had before (hsa_ext_profiling_event_*) share the entries of
 * those they have now.
 */
#define HEDDLE_API_FUNCTIONS(F)                                              \
  F(hsa_memory_copy_multiple)                                                \
  F(hsa_amd_image_get_info_max_dim)                                          \
  F(hsa_ext_finalizer_iterate_isa)                                           \
  F(hsa_ext_isa_from_name)                                                   \
  F(hsa_ext_isa_get_info)                                                    \
  F(hsa_ext_code_object_writer_create_from_file)                             \
  F(hsa_ext_code_object_writer_create_from_memory)                           \
  F(hsa_ext_code_object_writer_destroy)                                      \
  F(hsa_ext_program_code_object_finalize)                                    \
  F(hsa_ext_agent_code_object_finalize)                                      \
  F(hsa_ext_symbol_split_hsail_linker_name)                                  \
  F(hsa_ext_symbol_join_hsail_linker_name)                                   \
  F(hsa_ext_perf_counter_init)                                               \
  F(hsa_ext_perf_counter_shut_down)                                          \
  F(hsa_ext_perf_counter_get_num)                                            \
  F(hsa_ext_perf_counter_get_info)                                           \
  F(hsa_ext_perf_counter_iterate_associations)                               \
  F(hsa_ext_perf_counter_session_context_create)                             \
  F(hsa_ext_perf_counter_session_context_destroy)                            \
  F(hsa_ext_perf_counter_enable)                                             \
  F(hsa_ext_perf_counter_disable)                                            \
  F(hsa_ext_perf_counter_is_enabled)                                         \
  F(hsa_ext_perf_counter_session_context_valid)                              \
  F(hsa_ext_perf_counter_session_context_set_valid)                          \
  F(hsa_ext_perf_counter_session_enable)                                     \
  F(hsa_ext_perf_counter_session_disable)                                    \
  F(hsa_ext_perf_counter_session_start)                                      \
  F(hsa_ext_perf_counter_session_stop)                                       \
  F(hsa_ext_perf_counter_read_uint32)                                        \
  F(hsa_ext_perf_counter_read_uint64)                                        \
  F(hsa_ext_perf_counter_read_float)                                         \
  F(hsa_ext_perf_counter_read_double)                                        \
  F(hsa_ext_profile_event_init_producer)                                     \
  F(hsa_ext_profile_event_init_all_of_producer_type)                         \
  F(hsa_ext_profile_event_init)                                              \
  F(hsa_ext_profile_event_shut_down)                                         \
  F(hsa_ext_profile_event_register_application_event_producer)               \
  F(hsa_ext_profile_event_deregister_application_event_producer)             \
  F(hsa_ext_profile_event_iterate_application_event_producers)               \
  F(hsa_ext_profile_event_producer_get_name)                                 \
  F(hsa_ext_profile_event_producer_get_description)                          \
  F(hsa_ext_profile_event_producer_supports_events)                          \
  F(hsa_ext_profile_event_enable_for_producer)                               \
  F(hsa_ext_profile_event_disable_for_producer)                              \
  F(hsa_ext_profile_event_enable_all_for_producer_type)                      \
  F(hsa_ext_profile_event_disable_all_for_producer_type)                     \
  F(hsa_ext_profile_event_set_buffer_size_hint)                              \
  F(hsa_ext_profile_event_register_application_event)                        \
  F(hsa_ext_profile_event_deregister_application_event)                      \
  F(hsa_ext_profile_event_trigger_application_event)                         \
  F(hsa_ext_profile_event_get_head_event)                                    \
  F(hsa_ext_profile_event_destroy_head_event)                                \
  F(hsa_ext_profile_event_get_metadata_field_descs)                          \
  F(hsa_ext_log_create)                                                      \
  F(hsa_ext_log_destroy)                                                     \
  F(hsa_ext_log_get)                                                         \
  F(hsa_ext_log_program_code_object_finalize)                                \
  F(hsa_ext_log_agent_code_object_finalize)                                  \
  F(hsa_ext_log_load_program_code_object)                                    \
  F(hsa_ext_log_load_agent_code_object)                                      \
  F(hsa_ven_amd_loader_query_host_address)                                   \
  F(hsa_ven_amd_loader_query_segment_descriptors)                            \
  F(hsa_ven_amd_loader_query_executable)                                     \
  F(hsa_ven_amd_loader_executable_iterate_loaded_code_objects)               \
  F(hsa_ven_amd_loader_loaded_code_object_get_info)                          \
  F(hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size) \
  F(hsa_ven_amd_loader_iterate_executables)

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HeddleApiTable {
  ApiTableVersion version;
  HEDDLE_API_FUNCTIONS(HSA_API_TABLE_ENTRY)
} HeddleApiTable;

#ifdef __cplusplus
}
#endif

#endif
