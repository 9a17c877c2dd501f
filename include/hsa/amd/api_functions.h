/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The functions of the AMD extension in the order of AmdExtTable (hsa_api_trace.h). The order is part of the
 * binary interface of ROCm: names are never moved or removed.
 */
#ifndef HSA_AMD_API_FUNCTIONS_H_
#define HSA_AMD_API_FUNCTIONS_H_

/** Expands F(name) for each function. */
#define HSA_AMD_EXT_API_FUNCTIONS(F)                 \
  F(hsa_amd_coherency_get_type)                      \
  F(hsa_amd_coherency_set_type)                      \
  F(hsa_amd_profiling_set_profiler_enabled)          \
  F(hsa_amd_profiling_async_copy_enable)             \
  F(hsa_amd_profiling_get_dispatch_time)             \
  F(hsa_amd_profiling_get_async_copy_time)           \
  F(hsa_amd_profiling_convert_tick_to_system_domain) \
  F(hsa_amd_signal_async_handler)                    \
  F(hsa_amd_async_function)                          \
  F(hsa_amd_signal_wait_any)                         \
  F(hsa_amd_queue_cu_set_mask)                       \
  F(hsa_amd_memory_pool_get_info)                    \
  F(hsa_amd_agent_iterate_memory_pools)              \
  F(hsa_amd_memory_pool_allocate)                    \
  F(hsa_amd_memory_pool_free)                        \
  F(hsa_amd_memory_async_copy)                       \
  F(hsa_amd_memory_async_copy_on_engine)             \
  F(hsa_amd_memory_copy_engine_status)               \
  F(hsa_amd_agent_memory_pool_get_info)              \
  F(hsa_amd_agents_allow_access)                     \
  F(hsa_amd_memory_pool_can_migrate)                 \
  F(hsa_amd_memory_migrate)                          \
  F(hsa_amd_memory_lock)                             \
  F(hsa_amd_memory_unlock)                           \
  F(hsa_amd_memory_fill)                             \
  F(hsa_amd_interop_map_buffer)                      \
  F(hsa_amd_interop_unmap_buffer)                    \
  F(hsa_amd_image_create)                            \
  F(hsa_amd_pointer_info)                            \
  F(hsa_amd_pointer_info_set_userdata)               \
  F(hsa_amd_ipc_memory_create)                       \
  F(hsa_amd_ipc_memory_attach)                       \
  F(hsa_amd_ipc_memory_detach)                       \
  F(hsa_amd_signal_create)                           \
  F(hsa_amd_ipc_signal_create)                       \
  F(hsa_amd_ipc_signal_attach)                       \
  F(hsa_amd_register_system_event_handler)           \
  F(hsa_amd_queue_intercept_create)                  \
  F(hsa_amd_queue_intercept_register)                \
  F(hsa_amd_queue_set_priority)                      \
  F(hsa_amd_memory_async_copy_rect)                  \
  F(hsa_amd_runtime_queue_create_register)           \
  F(hsa_amd_memory_lock_to_pool)                     \
  F(hsa_amd_register_deallocation_callback)          \
  F(hsa_amd_deregister_deallocation_callback)        \
  F(hsa_amd_signal_value_pointer)                    \
  F(hsa_amd_svm_attributes_set)                      \
  F(hsa_amd_svm_attributes_get)                      \
  F(hsa_amd_svm_prefetch_async)                      \
  F(hsa_amd_spm_acquire)                             \
  F(hsa_amd_spm_release)                             \
  F(hsa_amd_spm_set_dest_buffer)                     \
  F(hsa_amd_queue_cu_get_mask)                       \
  F(hsa_amd_portable_export_dmabuf)                  \
  F(hsa_amd_portable_close_dmabuf)                   \
  F(hsa_amd_vmem_address_reserve)                    \
  F(hsa_amd_vmem_address_free)                       \
  F(hsa_amd_vmem_handle_create)                      \
  F(hsa_amd_vmem_handle_release)                     \
  F(hsa_amd_vmem_map)                                \
  F(hsa_amd_vmem_unmap)                              \
  F(hsa_amd_vmem_set_access)                         \
  F(hsa_amd_vmem_get_access)                         \
  F(hsa_amd_vmem_export_shareable_handle)            \
  F(hsa_amd_vmem_import_shareable_handle)            \
  F(hsa_amd_vmem_retain_alloc_handle)                \
  F(hsa_amd_vmem_get_alloc_properties_from_handle)   \
  F(hsa_amd_agent_set_async_scratch_limit)           \
  F(hsa_amd_queue_get_info)                          \
  F(hsa_amd_vmem_address_reserve_align)              \
  F(hsa_amd_enable_logging)

#endif
