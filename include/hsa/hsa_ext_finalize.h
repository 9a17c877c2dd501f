// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * HSAIL finalization, the extension "hsa_ext_finalizer" (Runtime 3.2).
 *
 * An HSAIL program is a group of modules in BRIG form. Finalizing it produces one program code object, with
 * the variables with program allocation, and for each ISA an agent code object, with kernels, functions and
 * the variables with agent allocation. A code object writer receives the bytes; a code object reader (hsa.h)
 * loads them.
 *
 * The runtime library exports the functions; they are also in the tables of
 * hsa_system_get_major_extension_table. The conventions of hsa.h apply; EXT_ at the beginning of the name of
 * an error stands for HSA_EXT_STATUS_ERROR_.
 */
#ifndef HSA_EXT_FINALIZE_H_
#define HSA_EXT_FINALIZE_H_

#include "hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 3.1.1 Version of the extension that this header declares: three digits major, three digits minor. */
#define hsa_ext_finalizer 001002

/** 3.2.1.24, 3.2.1.25 Defined if the table of that version is declared. */
#define hsa_ext_finalizer_1_00
#define hsa_ext_finalizer_1

/* ---- 3.2.1.2 .. 3.2.1.4 Instruction set architectures of the finalizer ---- */

/**
 * 3.2.1.2 Iterates over the ISAs that the finalizer can produce code for, whether or not an agent of the
 * system executes them. Errors: INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_finalizer_iterate_isa(hsa_status_t (*callback)(hsa_isa_t isa, void* data),
                                                   void* data);

/**
 * 3.2.1.3 Finds an ISA of the finalizer by its name. Errors: INVALID_ISA_NAME; OUT_OF_RESOURCES;
 * INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_isa_from_name(const char* name, hsa_isa_t* isa);

/**
 * 3.2.1.4 Deprecated: use hsa_isa_get_info_alt. Queries an ISA of the finalizer. index selects the call
 * convention for attributes of call conventions and is otherwise ignored. Errors: INVALID_ISA; INVALID_INDEX;
 * INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index,
                                          void* value);

/* ---- 3.2.1.5 .. 3.2.1.8 Code object writers ---- */

/** 3.2.1.5 A destination of one code object. */
typedef struct hsa_ext_code_object_writer_s {
  uint64_t handle;
} hsa_ext_code_object_writer_t;

/**
 * 3.2.1.6 Creates a writer for a file that is open for writing. The previous contents of the file are
 * discarded. The caller still owns the descriptor and must keep it open as long as the writer lives. Errors:
 * INVALID_FILE; OUT_OF_RESOURCES; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_code_object_writer_create_from_file(
    hsa_file_t file, hsa_ext_code_object_writer_t* code_object_writer);

/**
 * 3.2.1.7 Creates a writer for memory that memory_allocate provides. It is called once for each finalization
 * with the required size and alignment, and stores an address in *ptr. If it returns something other than
 * SUCCESS, the finalization returns that. The caller owns the memory, even if the finalization fails, and
 * must keep it as long as the writer lives. Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_code_object_writer_create_from_memory(
    hsa_status_t (*memory_allocate)(size_t size, size_t align, void** ptr, void* data), void* data,
    hsa_ext_code_object_writer_t* code_object_writer);

/** 3.2.1.8 Destroys a writer, but not its file or memory. Errors: EXT_INVALID_CODE_OBJECT_WRITER. */
HSA_API hsa_status_t hsa_ext_code_object_writer_destroy(hsa_ext_code_object_writer_t code_object_writer);

/* ---- 3.2.1.9 .. 3.2.1.16 Programs ---- */

struct BrigModuleHeader;

/**
 * 3.2.1.9 The address of a BRIG module in memory. hsa_brig_module_t of hsa_brig.h is the same type.
 */
typedef struct BrigModuleHeader* BrigModule_t;
typedef BrigModule_t hsa_ext_module_t;

/** 3.2.1.10 An HSAIL program. */
typedef struct hsa_ext_program_s {
  uint64_t handle;
} hsa_ext_program_t;

/**
 * 3.2.1.11 Creates a program without modules. Modules with the rounding mode DEFAULT get that of the program.
 * Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_program_create(hsa_machine_model_t machine_model, hsa_profile_t profile,
                                            hsa_default_float_rounding_mode_t default_float_rounding_mode,
                                            const char* options, hsa_ext_program_t* program);

/** 3.2.1.12 Destroys a program, not the code objects made from it. Errors: EXT_INVALID_PROGRAM. */
HSA_API hsa_status_t hsa_ext_program_destroy(hsa_ext_program_t program);

/**
 * 3.2.1.13 Adds a module by reference: it must stay unchanged as long as the program lives. It must have the
 * machine model and profile of the program, and should have its rounding mode or DEFAULT. A module of another
 * rounding mode keeps its own; the log has a warning (docs/spec-decisions.md).
 * Errors: OUT_OF_RESOURCES; EXT_INVALID_PROGRAM; EXT_INVALID_MODULE; EXT_INCOMPATIBLE_MODULE (model, profile
 * or BRIG version); EXT_MODULE_ALREADY_INCLUDED; EXT_SYMBOL_MISMATCH.
 */
HSA_API hsa_status_t hsa_ext_program_add_module(hsa_ext_program_t program, hsa_ext_module_t module);

/** 3.2.1.14 Iterates over the modules of a program. Errors: EXT_INVALID_PROGRAM; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_ext_program_iterate_modules(
    hsa_ext_program_t program,
    hsa_status_t (*callback)(hsa_ext_program_t program, hsa_ext_module_t module, void* data), void* data);

/** 3.2.1.15 Attributes of a program; the comment gives the type of the value. */
typedef enum {
  HSA_EXT_PROGRAM_INFO_MACHINE_MODEL = 0,              /**< hsa_machine_model_t */
  HSA_EXT_PROGRAM_INFO_PROFILE = 1,                    /**< hsa_profile_t */
  HSA_EXT_PROGRAM_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 2 /**< hsa_default_float_rounding_mode_t */
} hsa_ext_program_info_t;

/** 3.2.1.16 Queries a program. Errors: EXT_INVALID_PROGRAM; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_ext_program_get_info(hsa_ext_program_t program, hsa_ext_program_info_t attribute,
                                              void* value);

/* ---- 3.2.1.17, 3.2.1.18 Finalization ---- */

/**
 * 3.2.1.17 Writes the program code object of a program.
 * Errors: EXT_INVALID_PROGRAM; EXT_INVALID_CODE_OBJECT_WRITER; OUT_OF_RESOURCES; EXT_FINALIZATION_FAILED; any
 * status that memory_allocate of the writer returns.
 */
HSA_API hsa_status_t hsa_ext_program_code_object_finalize(hsa_ext_program_t program, const char* options,
                                                          hsa_ext_code_object_writer_t code_object_writer);

/**
 * 3.2.1.18 Writes the agent code object of a program for an ISA. Errors: EXT_INVALID_PROGRAM; INVALID_ISA;
 * EXT_DIRECTIVE_MISMATCH (options contradict control directives of the modules);
 * EXT_INVALID_CODE_OBJECT_WRITER; OUT_OF_RESOURCES; EXT_FINALIZATION_FAILED; any status that memory_allocate
 * of the writer returns.
 */
HSA_API hsa_status_t hsa_ext_agent_code_object_finalize(hsa_ext_program_t program, hsa_isa_t isa,
                                                        const char* options,
                                                        hsa_ext_code_object_writer_t code_object_writer);

/* ---- 3.2.1.19 .. 3.2.1.21 Finalization as HSA 1.0 had it ---- */

/** 3.2.1.19 Deprecated. */
typedef enum {
  HSA_EXT_FINALIZER_CALL_CONVENTION_AUTO = -1 /**< the finalizer decides */
} hsa_ext_finalizer_call_convention_t;

/**
 * 3.2.1.20 Deprecated. Control directives that apply to all kernels, with the meaning that they have in
 * HSAIL. Bit i of control_directives_mask enables the directive with the value i in BrigControlDirective; the
 * field of a directive that is not enabled must be 0. The structure has 144 bytes and is passed by value.
 */
typedef struct hsa_ext_control_directives_s {
  uint64_t control_directives_mask;
  uint16_t break_exceptions_mask;     /**< bits of BrigExceptionsMask; added to the kernel's */
  uint16_t detect_exceptions_mask;    /**< bits of BrigExceptionsMask; added to the kernel's */
  uint32_t max_dynamic_group_size;    /**< bytes; must equal the kernel's */
  uint64_t max_flat_grid_size;        /**< work-items; at most the kernel's */
  uint32_t max_flat_workgroup_size;   /**< work-items; at most the kernel's */
  uint32_t reserved1;                 /**< 0 */
  uint64_t required_grid_size[3];     /**< work-items; must equal the kernel's */
  hsa_dim3_t required_workgroup_size; /**< work-items; must equal the kernel's */
  uint8_t required_dim;               /**< 1, 2 or 3; must equal the kernel's */
  uint8_t reserved2[75];              /**< 0 */
} hsa_ext_control_directives_t;

/**
 * 3.2.1.21 Deprecated: use hsa_ext_program_code_object_finalize and hsa_ext_agent_code_object_finalize.
 * Finalizes all kernels and indirect functions of a program into one code object, which the caller must
 * destroy and which may outlive the program and its modules. call_convention is AUTO or less than
 * HSA_ISA_INFO_CALL_CONVENTION_COUNT.
 * Errors: OUT_OF_RESOURCES; EXT_INVALID_PROGRAM; INVALID_ISA; EXT_DIRECTIVE_MISMATCH;
 * EXT_FINALIZATION_FAILED.
 */
HSA_API hsa_status_t hsa_ext_program_finalize(hsa_ext_program_t program, hsa_isa_t isa,
                                              int32_t call_convention,
                                              hsa_ext_control_directives_t control_directives,
                                              const char* options, hsa_code_object_type_t code_object_type,
                                              hsa_code_object_t* code_object);

/* ---- 3.2.1.22, 3.2.1.23 Linker names ---- */

/**
 * 3.2.1.22 Splits a linker name into the names of symbol and module; the module name is empty for program
 * linkage. A buffer may be NULL to get the length only. Names are written with a NUL, which lengths do not
 * count.
 * Errors: INVALID_EXECUTABLE_SYMBOL (not a linker name); INVALID_ISA; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_symbol_split_hsail_linker_name(const char* linker_name,
                                                            uint32_t linker_name_length, hsa_isa_t isa,
                                                            char* symbol_name, uint32_t* symbol_name_length,
                                                            char* module_name, uint32_t* module_name_length);

/**
 * 3.2.1.23 Joins the names of a symbol and a module to a linker name; the module name is empty for program
 * linkage. linker_name may be NULL to get the length only. Names are written with a NUL, which lengths do not
 * count.
 * Errors: INVALID_EXECUTABLE_SYMBOL (not a symbol name); INVALID_ISA; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_symbol_join_hsail_linker_name(const char* symbol_name,
                                                           uint32_t symbol_name_length,
                                                           const char* module_name,
                                                           uint32_t module_name_length, hsa_isa_t isa,
                                                           char* linker_name, uint32_t* linker_name_length);

/* ---- 3.2.1.24, 3.2.1.25 Function tables ---- */

/**
 * 3.2.1.24 Functions of version 1.0, as hsa_system_get_extension_table(HSA_EXTENSION_FINALIZER, 1, 0) writes
 * them. The manual appends five later functions; programs built for 1.0 provide space for these six only, and
 * the next table continues differently.
 */
typedef struct hsa_ext_finalizer_1_00_pfn_s {
  hsa_status_t (*hsa_ext_program_create)(hsa_machine_model_t machine_model, hsa_profile_t profile,
                                         hsa_default_float_rounding_mode_t default_float_rounding_mode,
                                         const char* options, hsa_ext_program_t* program);
  hsa_status_t (*hsa_ext_program_destroy)(hsa_ext_program_t program);
  hsa_status_t (*hsa_ext_program_add_module)(hsa_ext_program_t program, hsa_ext_module_t module);
  hsa_status_t (*hsa_ext_program_iterate_modules)(
      hsa_ext_program_t program,
      hsa_status_t (*callback)(hsa_ext_program_t program, hsa_ext_module_t module, void* data), void* data);
  hsa_status_t (*hsa_ext_program_get_info)(hsa_ext_program_t program, hsa_ext_program_info_t attribute,
                                           void* value);
  hsa_status_t (*hsa_ext_program_finalize)(hsa_ext_program_t program, hsa_isa_t isa, int32_t call_convention,
                                           hsa_ext_control_directives_t control_directives,
                                           const char* options, hsa_code_object_type_t code_object_type,
                                           hsa_code_object_t* code_object);
} hsa_ext_finalizer_1_00_pfn_t;

/** 3.2.1.25 Functions of version 1, all minor versions so far: HSA_EXTENSION_FINALIZER, major 1. */
typedef struct hsa_ext_finalizer_1_pfn_s {
  hsa_status_t (*hsa_ext_program_create)(hsa_machine_model_t machine_model, hsa_profile_t profile,
                                         hsa_default_float_rounding_mode_t default_float_rounding_mode,
                                         const char* options, hsa_ext_program_t* program);
  hsa_status_t (*hsa_ext_program_destroy)(hsa_ext_program_t program);
  hsa_status_t (*hsa_ext_program_add_module)(hsa_ext_program_t program, hsa_ext_module_t module);
  hsa_status_t (*hsa_ext_program_iterate_modules)(
      hsa_ext_program_t program,
      hsa_status_t (*callback)(hsa_ext_program_t program, hsa_ext_module_t module, void* data), void* data);
  hsa_status_t (*hsa_ext_program_get_info)(hsa_ext_program_t program, hsa_ext_program_info_t attribute,
                                           void* value);
  hsa_status_t (*hsa_ext_program_finalize)(hsa_ext_program_t program, hsa_isa_t isa, int32_t call_convention,
                                           hsa_ext_control_directives_t control_directives,
                                           const char* options, hsa_code_object_type_t code_object_type,
                                           hsa_code_object_t* code_object);
  hsa_status_t (*hsa_ext_code_object_writer_create_from_file)(
      hsa_file_t file, hsa_ext_code_object_writer_t* code_object_writer);
  hsa_status_t (*hsa_ext_code_object_writer_create_from_memory)(
      hsa_status_t (*memory_allocate)(size_t size, size_t align, void** ptr, void* data), void* data,
      hsa_ext_code_object_writer_t* code_object_writer);
  hsa_status_t (*hsa_ext_code_object_writer_destroy)(hsa_ext_code_object_writer_t code_object_writer);
  hsa_status_t (*hsa_ext_program_code_object_finalize)(hsa_ext_program_t program, const char* options,
                                                       hsa_ext_code_object_writer_t code_object_writer);
  hsa_status_t (*hsa_ext_agent_code_object_finalize)(hsa_ext_program_t program, hsa_isa_t isa,
                                                     const char* options,
                                                     hsa_ext_code_object_writer_t code_object_writer);
  hsa_status_t (*hsa_ext_symbol_split_hsail_linker_name)(const char* linker_name, uint32_t linker_name_length,
                                                         hsa_isa_t isa, char* symbol_name,
                                                         uint32_t* symbol_name_length, char* module_name,
                                                         uint32_t* module_name_length);
  hsa_status_t (*hsa_ext_symbol_join_hsail_linker_name)(const char* symbol_name, uint32_t symbol_name_length,
                                                        const char* module_name, uint32_t module_name_length,
                                                        hsa_isa_t isa, char* linker_name,
                                                        uint32_t* linker_name_length);
} hsa_ext_finalizer_1_pfn_t;

#ifdef __cplusplus
}
#endif

#endif
