// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "hsa.h"
#ifdef __cplusplus
extern "C" {
#endif

struct BrigModuleHeader;
typedef struct BrigModuleHeader *BrigModule_t;
typedef BrigModule_t hsa_ext_module_t;
#define hsa_ext_finalizer 001002
#define hsa_ext_finalizer_1_00
#define hsa_ext_finalizer_1

typedef struct hsa_ext_code_object_writer_s { uint64_t handle; } hsa_ext_code_object_writer_t;

typedef struct hsa_ext_program_s { uint64_t handle; } hsa_ext_program_t;

typedef enum {
  HSA_EXT_PROGRAM_INFO_MACHINE_MODEL = 0,
  HSA_EXT_PROGRAM_INFO_PROFILE = 1,
  HSA_EXT_PROGRAM_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 2
} hsa_ext_program_info_t;

typedef enum {
  HSA_EXT_FINALIZER_CALL_CONVENTION_AUTO = -1
} hsa_ext_finalizer_call_convention_t;

typedef struct hsa_ext_control_directives_s {
  uint64_t control_directives_mask;
  uint16_t break_exceptions_mask;
  uint16_t detect_exceptions_mask;
  uint32_t max_dynamic_group_size;
  uint64_t max_flat_grid_size;
  uint32_t max_flat_workgroup_size;
  uint32_t reserved1;
  uint64_t required_grid_size[3];
  hsa_dim3_t required_workgroup_size;
  uint8_t required_dim;
  uint8_t reserved2[75];
} hsa_ext_control_directives_t;

HSA_API hsa_status_t hsa_ext_finalizer_iterate_isa(hsa_status_t (*callback)(hsa_isa_t isa, void *data),
    void *data);
HSA_API hsa_status_t hsa_ext_isa_from_name(const char *name, hsa_isa_t *isa);
HSA_API hsa_status_t hsa_ext_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void
    *value);
HSA_API hsa_status_t hsa_ext_code_object_writer_create_from_file(hsa_file_t file,
    hsa_ext_code_object_writer_t *code_object_writer);
HSA_API hsa_status_t hsa_ext_code_object_writer_create_from_memory(hsa_status_t (*memory_allocate)(size_t
    size, size_t align, void **ptr, void *data), void *data, hsa_ext_code_object_writer_t
    *code_object_writer);
HSA_API hsa_status_t hsa_ext_code_object_writer_destroy(hsa_ext_code_object_writer_t code_object_writer);
HSA_API hsa_status_t hsa_ext_program_create(hsa_machine_model_t machine_model, hsa_profile_t profile,
    hsa_default_float_rounding_mode_t default_float_rounding_mode, const char *options, hsa_ext_program_t
    *program);
HSA_API hsa_status_t hsa_ext_program_destroy(hsa_ext_program_t program);
HSA_API hsa_status_t hsa_ext_program_add_module(hsa_ext_program_t program, hsa_ext_module_t module);
HSA_API hsa_status_t hsa_ext_program_iterate_modules(hsa_ext_program_t program, hsa_status_t
    (*callback)(hsa_ext_program_t program, hsa_ext_module_t module, void *data), void *data);
HSA_API hsa_status_t hsa_ext_program_get_info(hsa_ext_program_t program, hsa_ext_program_info_t attribute,
    void *value);
HSA_API hsa_status_t hsa_ext_program_code_object_finalize(hsa_ext_program_t program, const char *options,
    hsa_ext_code_object_writer_t code_object_writer);
HSA_API hsa_status_t hsa_ext_agent_code_object_finalize(hsa_ext_program_t program, hsa_isa_t isa, const
    char *options, hsa_ext_code_object_writer_t code_object_writer);
HSA_API hsa_status_t hsa_ext_program_finalize(hsa_ext_program_t program, hsa_isa_t isa, int32_t
    call_convention, hsa_ext_control_directives_t control_directives, const char *options,
    hsa_code_object_type_t code_object_type, hsa_code_object_t *code_object);
HSA_API hsa_status_t hsa_ext_symbol_split_hsail_linker_name(const char *linker_name, uint32_t
    linker_name_length, hsa_isa_t isa, char *symbol_name, uint32_t *symbol_name_length, char *module_name,
    uint32_t *module_name_length);
HSA_API hsa_status_t hsa_ext_symbol_join_hsail_linker_name(const char *symbol_name, uint32_t
    symbol_name_length, const char *module_name, uint32_t module_name_length, hsa_isa_t isa, char
    *linker_name, uint32_t *linker_name_length);
typedef struct hsa_ext_finalizer_1_00_pfn_s {
  hsa_status_t (*hsa_ext_program_create)(hsa_machine_model_t machine_model, hsa_profile_t profile,
      hsa_default_float_rounding_mode_t default_float_rounding_mode, const char *options, hsa_ext_program_t
      *program);
  hsa_status_t (*hsa_ext_program_destroy)(hsa_ext_program_t program);
  hsa_status_t (*hsa_ext_program_add_module)(hsa_ext_program_t program, hsa_ext_module_t module);
  hsa_status_t (*hsa_ext_program_iterate_modules)(hsa_ext_program_t program, hsa_status_t
      (*callback)(hsa_ext_program_t program, hsa_ext_module_t module, void *data), void *data);
  hsa_status_t (*hsa_ext_program_get_info)(hsa_ext_program_t program, hsa_ext_program_info_t attribute,
      void *value);
  hsa_status_t (*hsa_ext_program_finalize)(hsa_ext_program_t program, hsa_isa_t isa, int32_t
      call_convention, hsa_ext_control_directives_t control_directives, const char *options,
      hsa_code_object_type_t code_object_type, hsa_code_object_t *code_object);
} hsa_ext_finalizer_1_00_pfn_t;

typedef struct hsa_ext_finalizer_1_pfn_s {
  hsa_status_t (*hsa_ext_program_create)(hsa_machine_model_t machine_model, hsa_profile_t profile,
      hsa_default_float_rounding_mode_t default_float_rounding_mode, const char *options, hsa_ext_program_t
      *program);
  hsa_status_t (*hsa_ext_program_destroy)(hsa_ext_program_t program);
  hsa_status_t (*hsa_ext_program_add_module)(hsa_ext_program_t program, hsa_ext_module_t module);
  hsa_status_t (*hsa_ext_program_iterate_modules)(hsa_ext_program_t program, hsa_status_t
      (*callback)(hsa_ext_program_t program, hsa_ext_module_t module, void *data), void *data);
  hsa_status_t (*hsa_ext_program_get_info)(hsa_ext_program_t program, hsa_ext_program_info_t attribute,
      void *value);
  hsa_status_t (*hsa_ext_program_finalize)(hsa_ext_program_t program, hsa_isa_t isa, int32_t
      call_convention, hsa_ext_control_directives_t control_directives, const char *options,
      hsa_code_object_type_t code_object_type, hsa_code_object_t *code_object);
  hsa_status_t (*hsa_ext_code_object_writer_create_from_file)(hsa_file_t file,
      hsa_ext_code_object_writer_t *code_object_writer);
  hsa_status_t (*hsa_ext_code_object_writer_create_from_memory)(hsa_status_t (*memory_allocate)(size_t
      size, size_t align, void **ptr, void *data), void *data, hsa_ext_code_object_writer_t
      *code_object_writer);
  hsa_status_t (*hsa_ext_code_object_writer_destroy)(hsa_ext_code_object_writer_t code_object_writer);
  hsa_status_t (*hsa_ext_program_code_object_finalize)(hsa_ext_program_t program, const char *options,
      hsa_ext_code_object_writer_t code_object_writer);
  hsa_status_t (*hsa_ext_agent_code_object_finalize)(hsa_ext_program_t program, hsa_isa_t isa, const
      char *options, hsa_ext_code_object_writer_t code_object_writer);
  hsa_status_t (*hsa_ext_symbol_split_hsail_linker_name)(const char *linker_name, uint32_t
      linker_name_length, hsa_isa_t isa, char *symbol_name, uint32_t *symbol_name_length, char *module_name,
      uint32_t *module_name_length);
  hsa_status_t (*hsa_ext_symbol_join_hsail_linker_name)(const char *symbol_name, uint32_t
      symbol_name_length, const char *module_name, uint32_t module_name_length, hsa_isa_t isa, char
      *linker_name, uint32_t *linker_name_length);
} hsa_ext_finalizer_1_pfn_t;

#ifdef __cplusplus
}
#endif
