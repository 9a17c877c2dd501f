// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Code objects of HSA 1.0 (Runtime 2.8.1.50 to 2.8.1.64). Everything here is deprecated: new programs use a
 * code object writer (hsa_ext_finalize.h) and a code object reader (executable.h), and query the symbols of
 * an executable.
 */
#ifndef HSA_CORE_CODE_OBJECT_H_
#define HSA_CORE_CODE_OBJECT_H_

#include "executable.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * 2.8.1.50 A code object: the result of a finalization, with the kernels and variables of all modules of a
 * program.
 */
typedef struct hsa_code_object_s {
  uint64_t handle;
} hsa_code_object_t;

/** 2.8.1.51 A value that the application chooses freely and that is passed to its callback. */
typedef struct hsa_callback_data_s {
  uint64_t handle;
} hsa_callback_data_t;

/**
 * 2.8.1.52 Writes a code object to memory that alloc_callback, which is called once, provides. The caller
 * owns the memory. Errors: any other status that alloc_callback returns; OUT_OF_RESOURCES;
 * INVALID_CODE_OBJECT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_code_object_serialize(
    hsa_code_object_t code_object,
    hsa_status_t (*alloc_callback)(size_t size, hsa_callback_data_t data, void** address),
    hsa_callback_data_t callback_data, const char* options, void** serialized_code_object,
    size_t* serialized_code_object_size);

/**
 * 2.8.1.53 Creates a code object from a copy of its serialized form.
 * Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (also: size 0).
 */
HSA_API hsa_status_t hsa_code_object_deserialize(void* serialized_code_object,
                                                 size_t serialized_code_object_size, const char* options,
                                                 hsa_code_object_t* code_object);

/**
 * 2.8.1.54 Destroys a code object. The executables that loaded it must have been destroyed. Errors:
 * INVALID_CODE_OBJECT.
 */
HSA_API hsa_status_t hsa_code_object_destroy(hsa_code_object_t code_object);

/** 2.8.1.55 */
typedef enum { HSA_CODE_OBJECT_TYPE_PROGRAM = 0 } hsa_code_object_type_t;

/** 2.8.1.56 Attributes of a code object; the comment gives the type of the value. */
typedef enum {
  HSA_CODE_OBJECT_INFO_VERSION = 0,                    /**< char[64], NUL to its end */
  HSA_CODE_OBJECT_INFO_TYPE = 1,                       /**< hsa_code_object_type_t */
  HSA_CODE_OBJECT_INFO_ISA = 2,                        /**< hsa_isa_t */
  HSA_CODE_OBJECT_INFO_MACHINE_MODEL = 3,              /**< hsa_machine_model_t */
  HSA_CODE_OBJECT_INFO_PROFILE = 4,                    /**< hsa_profile_t */
  HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 5 /**< hsa_default_float_rounding_mode_t */
} hsa_code_object_info_t;

/** 2.8.1.57 Queries a code object. Errors: INVALID_CODE_OBJECT; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_code_object_get_info(hsa_code_object_t code_object, hsa_code_object_info_t attribute,
                                              void* value);

/**
 * 2.8.1.58 Loads a code object into an executable for an agent that supports its ISA.
 * Errors: OUT_OF_RESOURCES; INVALID_EXECUTABLE; FROZEN_EXECUTABLE; INVALID_AGENT; INVALID_CODE_OBJECT;
 * INCOMPATIBLE_ARGUMENTS (with the agent, the executable or this runtime).
 */
HSA_API hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                     hsa_code_object_t code_object, const char* options);

/** 2.8.1.59 A symbol of a code object. It lives as long as the code object. */
typedef struct hsa_code_symbol_s {
  uint64_t handle;
} hsa_code_symbol_t;

/**
 * 2.8.1.60 Finds a symbol by its name. Errors: INVALID_CODE_OBJECT; INVALID_SYMBOL_NAME; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t code_object, const char* symbol_name,
                                                hsa_code_symbol_t* symbol);

/**
 * 2.8.1.61 Finds a symbol by its name and the name of its module, which is NULL for program linkage.
 * Errors: INVALID_CODE_OBJECT; INVALID_SYMBOL_NAME; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t code_object,
                                                          const char* module_name, const char* symbol_name,
                                                          hsa_code_symbol_t* symbol);

/**
 * 2.8.1.62 Attributes of a code symbol. Values, types and rules are those of the attributes of the same name
 * in hsa_executable_symbol_info_t.
 */
typedef enum {
  HSA_CODE_SYMBOL_INFO_TYPE = 0,
  HSA_CODE_SYMBOL_INFO_NAME_LENGTH = 1,
  HSA_CODE_SYMBOL_INFO_NAME = 2,
  HSA_CODE_SYMBOL_INFO_MODULE_NAME_LENGTH = 3,
  HSA_CODE_SYMBOL_INFO_MODULE_NAME = 4,
  HSA_CODE_SYMBOL_INFO_LINKAGE = 5,
  HSA_CODE_SYMBOL_INFO_VARIABLE_ALLOCATION = 6,
  HSA_CODE_SYMBOL_INFO_VARIABLE_SEGMENT = 7,
  HSA_CODE_SYMBOL_INFO_VARIABLE_ALIGNMENT = 8,
  HSA_CODE_SYMBOL_INFO_VARIABLE_SIZE = 9,
  HSA_CODE_SYMBOL_INFO_VARIABLE_IS_CONST = 10,
  HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE = 11,
  HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT = 12,
  HSA_CODE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE = 13,
  HSA_CODE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE = 14,
  HSA_CODE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK = 15,
  HSA_CODE_SYMBOL_INFO_INDIRECT_FUNCTION_CALL_CONVENTION = 16,
  HSA_CODE_SYMBOL_INFO_IS_DEFINITION = 17,
  HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION = 18
} hsa_code_symbol_info_t;

/** 2.8.1.63 Queries a code symbol. Errors: INVALID_CODE_SYMBOL; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t code_symbol, hsa_code_symbol_info_t attribute,
                                              void* value);

/** 2.8.1.64 Iterates over the symbols of a code object. Errors: INVALID_CODE_OBJECT; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_code_object_iterate_symbols(hsa_code_object_t code_object,
                                                     hsa_status_t (*callback)(hsa_code_object_t code_object,
                                                                              hsa_code_symbol_t symbol,
                                                                              void* data),
                                                     void* data);

#ifdef __cplusplus
}
#endif

#endif
