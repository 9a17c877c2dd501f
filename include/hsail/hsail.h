/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The HSAIL toolchain as a C library: programs, finalization, text and binary form. libheddle-finalizer.so
 * exports it; the HSA runtime opens that library when it is first asked to finalize. Thread safe; a program
 * is one object to be used by one thread at a time.
 */
#ifndef HSAIL_HSAIL_H_
#define HSAIL_HSAIL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HSAIL_API __attribute__((visibility("default")))
#else
#define HSAIL_API
#endif

#define HSAIL_API_VERSION 1

typedef enum hsail_status {
  HSAIL_OK = 0,
  HSAIL_INVALID_ARGUMENT = 1,
  HSAIL_INVALID_PROGRAM = 2,
  HSAIL_INVALID_MODULE = 3,      /* not BRIG, or malformed */
  HSAIL_INCOMPATIBLE_MODULE = 4, /* machine model, profile, rounding or version does not fit the program */
  HSAIL_MODULE_ALREADY_INCLUDED = 5,
  HSAIL_SYMBOL_MISMATCH = 6, /* declarations and definitions of one name differ */
  HSAIL_INVALID_ISA = 7,
  HSAIL_DIRECTIVE_MISMATCH = 8,  /* control directives of the call and of a kernel contradict each other */
  HSAIL_FINALIZATION_FAILED = 9, /* the diagnostics say what and where */
  HSAIL_OUT_OF_RESOURCES = 10,
  HSAIL_SYNTAX_ERROR = 11 /* text that does not assemble */
} hsail_status;

/* Gets diagnostics as printed text, once per call that has any. `text` is valid during the callback only. */
typedef void (*hsail_diagnostic_callback)(const char* text, size_t length, void* data);

/* Bytes owned by the library until hsail_blob_free. */
typedef struct hsail_blob {
  void* data;
  size_t size;
} hsail_blob;
/* Gives the bytes back and empties the blob; null and empty blobs are left alone. */
HSAIL_API void hsail_blob_free(hsail_blob* blob);

/* HSAIL_API_VERSION of the library. */
HSAIL_API uint32_t hsail_api_version(void);

/* ---- text and binary form ---- */
/* All three: INVALID_ARGUMENT for null pointers (but file_name, callback and data), OUT_OF_RESOURCES. What is
 * wrong goes to the callback, if there is one. A blob is written on success only, and is the caller's then.
 */

/* Assembles `length` bytes of HSAIL text to a BRIG module. `file_name` is for the diagnostics and may be
 * null. SYNTAX_ERROR. */
HSAIL_API hsail_status hsail_assemble(const char* text, size_t length, const char* file_name,
                                      hsail_blob* brig, hsail_diagnostic_callback callback, void* data);
/* The same with options: blank-separated, may be null, unknown ones are ignored. "-g" adds loc directives
 * with `file_name` and the lines of the text, up to the first loc that the text has itself. */
HSAIL_API hsail_status hsail_assemble_with_options(const char* text, size_t length, const char* file_name,
                                                   const char* options, hsail_blob* brig,
                                                   hsail_diagnostic_callback callback, void* data);
/* BRIG to HSAIL text, without final zero. INVALID_MODULE. */
HSAIL_API hsail_status hsail_disassemble(const void* brig, size_t size, hsail_blob* text,
                                         hsail_diagnostic_callback callback, void* data);
/* Checks the container and structure of a module (PRM 18). INVALID_MODULE. */
HSAIL_API hsail_status hsail_check(const void* brig, size_t size, hsail_diagnostic_callback callback,
                                   void* data);

/* ---- programs ---- */
typedef struct hsail_program_s* hsail_program_t;

/* Makes an empty program; *program is the caller's, for hsail_program_destroy. machine_model, profile,
 * default_float_rounding_mode: values of hsa_machine_model_t, hsa_profile_t,
 * hsa_default_float_rounding_mode_t; DEFAULT takes modules of any mode, the others those of theirs and those
 * that say $default. INVALID_ARGUMENT (null, other values), OUT_OF_RESOURCES. */
HSAIL_API hsail_status hsail_program_create(uint32_t machine_model, uint32_t profile,
                                            uint32_t default_float_rounding_mode, hsail_program_t* program);
/* Code objects and blobs that came from the program stay. INVALID_PROGRAM (null). */
HSAIL_API hsail_status hsail_program_destroy(hsail_program_t program);
/* `brig` may be unaligned; its size stands in its header and is bounded by `size` (SIZE_MAX: trust the
 * header, as the runtime's API must). Copied. */
HSAIL_API hsail_status hsail_program_add_module(hsail_program_t program, const void* brig, size_t size,
                                                hsail_diagnostic_callback callback, void* data);

typedef enum hsail_code_object_kind {
  HSAIL_CODE_OBJECT_PROGRAM = 1, /* program-allocation variables */
  HSAIL_CODE_OBJECT_AGENT = 2,   /* code, agent-allocation and readonly variables */
  HSAIL_CODE_OBJECT_BOTH = 3     /* one object with both: the form of Runtime 1.0 */
} hsail_code_object_kind;

/* Control directives given with the finalization (Runtime 3.2.1.20, hsa_ext_control_directives_t); mask bits
 * are 1 << HSA_BRIG_CONTROL_DIRECTIVE_*. Fields of directives that are not in the mask must be 0. */
typedef struct hsail_control_directives {
  uint64_t mask;
  uint16_t break_exceptions_mask;
  uint16_t detect_exceptions_mask;
  uint32_t max_dynamic_group_size;
  uint64_t max_flat_grid_size;
  uint32_t max_flat_workgroup_size;
  uint64_t required_grid_size[3];
  uint32_t required_workgroup_size[3];
  uint8_t required_dim;
} hsail_control_directives;

/* Finalizes the program for `isa` (ignored for HSAIL_CODE_OBJECT_PROGRAM). `options`: blank-separated, may be
 * null; unknown ones are ignored; "-O0" .. "-O3" choose the effort, "-g" makes debug information
 * for registers and arguments, and effort 0 unless another is asked for (HEDDLE_DEBUG=1 in the environment
 * does the same);
 * "-dump=FOLDER" writes the intermediate forms. `directives` may be null. */
HSAIL_API hsail_status hsail_program_finalize(hsail_program_t program, hsail_code_object_kind kind,
                                              const char* isa, const char* options,
                                              const hsail_control_directives* directives,
                                              hsail_blob* code_object, hsail_diagnostic_callback callback,
                                              void* data);

/* ---- ISAs ---- */
typedef struct hsail_isa_info {
  const char* name; /* "heddle:x86-64-v4:w1", "heddle:hsail:w1", ... */
  uint32_t wavefront_size;
} hsail_isa_info;
/* ISAs that this library can finalize for, in a fixed order. Returns false past the end. */
HSAIL_API int hsail_isa_at(uint32_t index, hsail_isa_info* info);

#ifdef __cplusplus
}
#endif
#endif /* HSAIL_HSAIL_H_ */
