// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Code object readers, executables and their symbols (Runtime 2.8.1.17 to 2.8.1.49).
 *
 * An executable holds kernels that are ready to run. Create it, define its external variables, load code
 * objects into it and freeze it; then its symbols provide kernel objects and addresses.
 *
 * The linker name of a symbol with program linkage is its HSAIL name, as in "&kernel". Names without "&" are
 * understood as well.
 */
#ifndef HSA_CORE_EXECUTABLE_H_
#define HSA_CORE_EXECUTABLE_H_

#include "isa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 2.8.1.17 .. 2.8.1.20 Code object readers ---- */

/** 2.8.1.17 A source of one code object. */
typedef struct hsa_code_object_reader_s {
  uint64_t handle;
} hsa_code_object_reader_t;

/**
 * 2.8.1.18 Creates a reader for a file that is open for reading. The caller still owns the descriptor and
 * must keep it open as long as the reader lives. Errors: INVALID_FILE; OUT_OF_RESOURCES; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file,
                                                             hsa_code_object_reader_t* code_object_reader);

/**
 * 2.8.1.19 Creates a reader for size bytes of memory, which must stay unchanged as long as the reader lives.
 * Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (also: size 0).
 */
HSA_API hsa_status_t hsa_code_object_reader_create_from_memory(const void* code_object, size_t size,
                                                               hsa_code_object_reader_t* code_object_reader);

/**
 * 2.8.1.20 Destroys a reader, but not its file or memory. The executables that loaded from it must have been
 * destroyed. Errors: INVALID_CODE_OBJECT_READER.
 */
HSA_API hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t code_object_reader);

/* ---- 2.8.1.21 .. 2.8.1.31 Executables ---- */

/** 2.8.1.21 An executable: loaded code and variables. */
typedef struct hsa_executable_s {
  uint64_t handle;
} hsa_executable_t;

/** 2.8.1.22 */
typedef enum {
  HSA_EXECUTABLE_STATE_UNFROZEN = 0, /**< code objects can be loaded; nothing in it has an address yet */
  HSA_EXECUTABLE_STATE_FROZEN = 1    /**< ready to run; cannot change any more */
} hsa_executable_state_t;

/**
 * 2.8.1.23 Deprecated: use hsa_executable_create_alt. Creates an empty executable with a rounding mode that
 * the runtime chooses, in the given state; if that is FROZEN, it stays empty. Errors: OUT_OF_RESOURCES;
 * INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t executable_state,
                                           const char* options, hsa_executable_t* executable);

/**
 * 2.8.1.24 Creates an empty executable that is not frozen. Code objects with the rounding mode DEFAULT get
 * the mode of the executable, ZERO or NEAR. Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (also: mode DEFAULT).
 */
HSA_API hsa_status_t hsa_executable_create_alt(hsa_profile_t profile,
                                               hsa_default_float_rounding_mode_t default_float_rounding_mode,
                                               const char* options, hsa_executable_t* executable);

/**
 * 2.8.1.25 Destroys an executable with its code and symbols. None of its kernels may be running or waiting in
 * a queue. Errors: INVALID_EXECUTABLE.
 */
HSA_API hsa_status_t hsa_executable_destroy(hsa_executable_t executable);

/** 2.8.1.26 One code object within an executable. */
typedef struct hsa_loaded_code_object_s {
  uint64_t handle;
} hsa_loaded_code_object_t;

/**
 * 2.8.1.27 Loads a program code object, with the variables with program allocation. An executable has at most
 * one. loaded_code_object may be NULL. Errors: OUT_OF_RESOURCES; INVALID_EXECUTABLE; FROZEN_EXECUTABLE;
 * INVALID_CODE_OBJECT_READER; INCOMPATIBLE_ARGUMENTS (with the executable or this runtime).
 */
HSA_API hsa_status_t hsa_executable_load_program_code_object(hsa_executable_t executable,
                                                             hsa_code_object_reader_t code_object_reader,
                                                             const char* options,
                                                             hsa_loaded_code_object_t* loaded_code_object);

/**
 * 2.8.1.28 Loads an agent code object, with kernels, functions, and variables with agent allocation. An
 * executable has at most one for each agent. The agent must support the ISA and extensions of the code
 * object, and its rounding mode must be that of the executable or DEFAULT. loaded_code_object may be NULL.
 * Errors: OUT_OF_RESOURCES; INVALID_EXECUTABLE; FROZEN_EXECUTABLE; INVALID_AGENT; INVALID_CODE_OBJECT_READER;
 * INCOMPATIBLE_ARGUMENTS (with the agent, the executable or this runtime).
 */
HSA_API hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                           hsa_code_object_reader_t code_object_reader,
                                                           const char* options,
                                                           hsa_loaded_code_object_t* loaded_code_object);

/**
 * 2.8.1.29 Allocates and initializes the variables and resolves all references. Afterwards kernels of the
 * executable can run.
 * Errors: INVALID_EXECUTABLE; VARIABLE_UNDEFINED; FROZEN_EXECUTABLE (already).
 */
HSA_API hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char* options);

/** 2.8.1.30 Attributes of an executable; the comment gives the type of the value. */
typedef enum {
  HSA_EXECUTABLE_INFO_PROFILE = 1,                    /**< hsa_profile_t */
  HSA_EXECUTABLE_INFO_STATE = 2,                      /**< hsa_executable_state_t */
  HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 3 /**< hsa_default_float_rounding_mode_t */
} hsa_executable_info_t;

/** 2.8.1.31 Queries an executable. Errors: INVALID_EXECUTABLE; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_executable_get_info(hsa_executable_t executable, hsa_executable_info_t attribute,
                                             void* value);

/* ---- 2.8.1.32 .. 2.8.1.36 External variables, validation ---- */

/*
 * The three define functions provide the memory of a variable that code objects declare but do not define.
 * They must be called before the code objects that use the variable are loaded. The caller still owns the
 * memory, which must outlive the executable. Errors: OUT_OF_RESOURCES; INVALID_EXECUTABLE; FROZEN_EXECUTABLE;
 * VARIABLE_ALREADY_DEFINED; INVALID_SYMBOL_NAME; INVALID_ARGUMENT; and INVALID_AGENT if there is an agent
 * argument.
 */

/**
 * 2.8.1.32 Defines a global variable with program allocation. All agents must be able to read and write its
 * memory.
 */
HSA_API hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable,
                                                           const char* variable_name, void* address);

/** 2.8.1.33 Defines a global variable of one agent, at an address in a global region of only that agent. */
HSA_API hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable,
                                                                 hsa_agent_t agent, const char* variable_name,
                                                                 void* address);

/** 2.8.1.34 Defines a readonly variable of one agent, at an address in a readonly region of the agent. */
HSA_API hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                             const char* variable_name, void* address);

/** 2.8.1.35 Does the same as hsa_executable_validate_alt without options. */
HSA_API hsa_status_t hsa_executable_validate(hsa_executable_t executable, uint32_t* result);

/**
 * 2.8.1.36 Checks that all code objects of a frozen executable have the same machine model, profile and
 * rounding mode, and that every declaration has a matching definition. result is 0 if that is so. Errors:
 * INVALID_EXECUTABLE; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable, const char* options,
                                                 uint32_t* result);

/* ---- 2.8.1.37 .. 2.8.1.49 Symbols ---- */

/** 2.8.1.37 A variable, kernel or indirect function of an executable. It lives as long as the executable. */
typedef struct hsa_executable_symbol_s {
  uint64_t handle;
} hsa_executable_symbol_t;

/**
 * 2.8.1.38 Deprecated: use hsa_executable_get_symbol_by_linker_name. Finds a symbol by its name. module_name
 * is NULL for program linkage. agent is ignored for program allocation, and call_convention is ignored except
 * for indirect functions.
 * Errors: INVALID_EXECUTABLE; INVALID_SYMBOL_NAME; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char* module_name,
                                               const char* symbol_name, hsa_agent_t agent,
                                               int32_t call_convention, hsa_executable_symbol_t* symbol);

/** 2.8.1.39 Deprecated: use hsa_executable_get_symbol_by_linker_name, which does the same. */
HSA_API hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char* symbol_name,
                                                       const hsa_agent_t* agent,
                                                       hsa_executable_symbol_t* symbol);

/**
 * 2.8.1.40 Finds a symbol by its linker name. agent points to the agent of the symbol, or is NULL for program
 * allocation. Errors: INVALID_EXECUTABLE; INVALID_SYMBOL_NAME; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_executable_get_symbol_by_linker_name(hsa_executable_t executable,
                                                              const char* linker_name,
                                                              const hsa_agent_t* agent,
                                                              hsa_executable_symbol_t* symbol);

/** 2.8.1.41 */
typedef enum {
  HSA_SYMBOL_KIND_VARIABLE = 0,
  HSA_SYMBOL_KIND_KERNEL = 1,
  HSA_SYMBOL_KIND_INDIRECT_FUNCTION = 2
} hsa_symbol_kind_t;

/** 2.8.1.42 Linkage of a symbol, with the names of the manual and those of HSA 1.0. */
typedef enum {
  HSA_SYMBOL_KIND_LINKAGE_MODULE = 0,
  HSA_SYMBOL_KIND_LINKAGE_PROGRAM = 1,
  HSA_SYMBOL_LINKAGE_MODULE = 0,
  HSA_SYMBOL_LINKAGE_PROGRAM = 1
} hsa_symbol_kind_linkage_t;
typedef hsa_symbol_kind_linkage_t hsa_symbol_linkage_t;

/** 2.8.1.43 Whether a variable exists once for each agent, or once for the program. */
typedef enum {
  HSA_VARIABLE_ALLOCATION_AGENT = 0,
  HSA_VARIABLE_ALLOCATION_PROGRAM = 1
} hsa_variable_allocation_t;

/** 2.8.1.44 */
typedef enum { HSA_VARIABLE_SEGMENT_GLOBAL = 0, HSA_VARIABLE_SEGMENT_READONLY = 1 } hsa_variable_segment_t;

/**
 * 2.8.1.45 Attributes of an executable symbol; the comment gives the type of the value. Sizes and alignments
 * are in bytes. Attributes of variables, kernels and indirect functions are defined for symbols of that kind
 * only. Names are written without a NUL, and lengths do not count one. Addresses and objects are 0 until the
 * executable is frozen.
 */
typedef enum {
  HSA_EXECUTABLE_SYMBOL_INFO_TYPE = 0,                /**< hsa_symbol_kind_t */
  HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH = 1,         /**< uint32_t; deprecated: LINKER_NAME_LENGTH */
  HSA_EXECUTABLE_SYMBOL_INFO_NAME = 2,                /**< char[NAME_LENGTH]; deprecated: LINKER_NAME */
  HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH = 3,  /**< uint32_t: 0 for program linkage; deprecated */
  HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME = 4,         /**< char[MODULE_NAME_LENGTH]; deprecated */
  HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE = 5,             /**< hsa_symbol_kind_linkage_t */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION = 6, /**< hsa_variable_allocation_t; deprecated */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT = 7,    /**< hsa_variable_segment_t; deprecated */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT = 8,  /**< uint32_t; deprecated */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE = 9,       /**< uint32_t; deprecated */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST = 10,  /**< bool; deprecated */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE = 11,      /**< uint32_t: a multiple of 16 */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT = 12, /**< uint32_t: at least 16 */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE = 13,        /**< uint32_t: static, per work-group */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE = 14,      /**< uint32_t: static, per work-item */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK = 15, /**< bool: add stack to the private size */
  HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_CALL_CONVENTION = 16, /**< uint32_t; deprecated */
  HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION = 17,                     /**< bool */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION = 18,            /**< uint32_t; deprecated */
  HSA_EXECUTABLE_SYMBOL_INFO_AGENT = 20,                    /**< hsa_agent_t: unless program allocation */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS = 21,         /**< uint64_t */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT = 22,            /**< uint64_t: for the dispatch packet */
  HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_OBJECT = 23, /**< uint64_t; small model: uint32_t */
  HSA_EXECUTABLE_SYMBOL_INFO_LINKER_NAME_LENGTH = 24,       /**< uint32_t */
  HSA_EXECUTABLE_SYMBOL_INFO_LINKER_NAME = 25               /**< char[LINKER_NAME_LENGTH] */
} hsa_executable_symbol_info_t;

/** 2.8.1.46 Queries a symbol. Errors: INVALID_EXECUTABLE_SYMBOL; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t executable_symbol,
                                                    hsa_executable_symbol_info_t attribute, void* value);

/**
 * 2.8.1.47 Iterates over the kernels, indirect functions and variables that an executable has for an agent.
 * Errors: INVALID_EXECUTABLE; INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t
hsa_executable_iterate_agent_symbols(hsa_executable_t executable, hsa_agent_t agent,
                                     hsa_status_t (*callback)(hsa_executable_t exec, hsa_agent_t agent,
                                                              hsa_executable_symbol_t symbol, void* data),
                                     void* data);

/**
 * 2.8.1.48 Iterates over the variables with program allocation of an executable.
 * Errors: INVALID_EXECUTABLE; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t exec, hsa_executable_symbol_t symbol, void* data), void* data);

/**
 * 2.8.1.49 Deprecated: use hsa_executable_iterate_agent_symbols and hsa_executable_iterate_program_symbols.
 * Iterates over all symbols. Errors: INVALID_EXECUTABLE; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_executable_iterate_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t exec, hsa_executable_symbol_t symbol, void* data), void* data);

#ifdef __cplusplus
}
#endif

#endif
