/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The HSAIL toolchain as a C library: text and binary form (HSAIL Programmer's Reference Manual 1.2, "PRM"
 * below), programs, finalization. libheddle-finalizer.so exports it; the HSA runtime opens that library when
 * it is first asked to finalize. <hsail/hsail.hpp> is the same for C++.
 *
 * Threads: every function may be called from any thread, several at once. A program is one object: one thread
 * at a time uses it. A callback runs on the thread of the call, before that returns.
 *
 * Errors: a status, and text through the callback that says what and where. Whatever bytes or text come in,
 * no call ends the process, and none lets a C++ exception out; callbacks must not throw either. Outputs are
 * written only when a call returns HSAIL_OK. Every function that returns a status may return
 * HSAIL_OUT_OF_RESOURCES (memory), so the comments below leave it out.
 *
 * Sizes are in bytes. Strings are UTF-8 and end in a NUL unless a length is given. Arguments are read during
 * the call only: nothing that a caller passes is kept.
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

/** Version of this interface; grows when a function or structure changes. */
#define HSAIL_API_VERSION 1

/** How a call ended. The runtime makes hsa_status_t of it (Runtime 3.2.1.1). */
typedef enum hsail_status {
  HSAIL_OK = 0,
  HSAIL_INVALID_ARGUMENT = 1,    /* a null that may not be one, a number out of range */
  HSAIL_INVALID_PROGRAM = 2,     /* a null instead of a program */
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

/**
 * Gets what a call has to say, errors and warnings, as printed text: at most once for each call, also for
 * calls that go well. A paragraph for each diagnostic: file:line:column, severity, id and message, the line
 * and a caret; for BRIG the section and the offset in it. `text` has `length` characters and a NUL, and is
 * valid during the callback only. `data` is what the call was given. Wherever a callback may be passed it may
 * be null.
 */
typedef void (*hsail_diagnostic_callback)(const char* text, size_t length, void* data);

/**
 * Bytes that a call made. They belong to the caller, who may change them and gives them back with
 * hsail_blob_free. Aligned as malloc aligns; never null after HSAIL_OK, even if `size` is 0.
 */
typedef struct hsail_blob {
  void* data;
  size_t size;
} hsail_blob;

/** Frees the bytes and sets both members to 0. Null, and a blob of zeros, are fine: nothing happens. */
HSAIL_API void hsail_blob_free(hsail_blob* blob);

/** HSAIL_API_VERSION of the library, for who opens it at run time. */
HSAIL_API uint32_t hsail_api_version(void);

/* ---- text and binary form ---- */

/**
 * Assembles one module (PRM 19). `text` has `length` characters and need not end in a NUL; `file_name` stands
 * in diagnostics only and may be null. `brig` gets the module in its binary form (PRM 18). Errors:
 * SYNTAX_ERROR (any error in the text, of grammar or of rules); INVALID_ARGUMENT (text or brig is null).
 */
HSAIL_API hsail_status hsail_assemble(const char* text, size_t length, const char* file_name,
                                      hsail_blob* brig, hsail_diagnostic_callback callback, void* data);

/**
 * The same with options: separated by blanks, may be null, unknown ones are ignored. "-g" adds loc directives
 * with `file_name` and the lines of the text, up to the first loc that the text has itself.
 */
HSAIL_API hsail_status hsail_assemble_with_options(const char* text, size_t length, const char* file_name,
                                                   const char* options, hsail_blob* brig,
                                                   hsail_diagnostic_callback callback, void* data);

/**
 * Prints a module as text that assembles to the same module. `brig` may have any alignment; `size` bounds it,
 * and SIZE_MAX means that the module's header tells (byte_count), which the caller then vouches for. `text`
 * gets characters without a NUL. Errors: INVALID_MODULE (as hsail_check); INVALID_ARGUMENT (brig or text is
 * null).
 */
HSAIL_API hsail_status hsail_disassemble(const void* brig, size_t size, hsail_blob* text,
                                         hsail_diagnostic_callback callback, void* data);

/**
 * Checks container, entries, operands and structure of a module (PRM 18). `brig` and `size` as for
 * hsail_disassemble. Errors: INVALID_MODULE; INVALID_ARGUMENT (brig is null).
 */
HSAIL_API hsail_status hsail_check(const void* brig, size_t size, hsail_diagnostic_callback callback,
                                   void* data);

/* ---- programs ---- */

/** Modules that are linked and finalized together (PRM 4.2; Runtime 3.2.1.11). */
typedef struct hsail_program_s* hsail_program_t;

/**
 * Makes a program without modules, which the caller destroys. The numbers are values of hsa_machine_model_t
 * (0 small, 1 large), hsa_profile_t (0 base, 1 full) and hsa_default_float_rounding_mode_t (0 default, 1
 * zero, 2 near). Errors: INVALID_ARGUMENT (another number; program is null).
 */
HSAIL_API hsail_status hsail_program_create(uint32_t machine_model, uint32_t profile,
                                            uint32_t default_float_rounding_mode, hsail_program_t* program);

/** Destroys a program; code objects made of it stay. Errors: INVALID_PROGRAM (null). */
HSAIL_API hsail_status hsail_program_destroy(hsail_program_t program);

/**
 * Adds a module, of which it keeps a copy. `brig` and `size` as for hsail_disassemble: the HSA interface
 * gives an address only, so the runtime passes SIZE_MAX. A module that is refused leaves the program as it
 * was. Errors: INVALID_MODULE; INCOMPATIBLE_MODULE; MODULE_ALREADY_INCLUDED (the same bytes); SYMBOL_MISMATCH
 * (also a second definition, and another module of the same name); INVALID_PROGRAM; INVALID_ARGUMENT (brig is
 * null).
 */
HSAIL_API hsail_status hsail_program_add_module(hsail_program_t program, const void* brig, size_t size,
                                                hsail_diagnostic_callback callback, void* data);

/** What a code object has in it. The values are bits. */
typedef enum hsail_code_object_kind {
  HSAIL_CODE_OBJECT_PROGRAM = 1, /* program-allocation variables */
  HSAIL_CODE_OBJECT_AGENT = 2,   /* code, agent-allocation and readonly variables */
  HSAIL_CODE_OBJECT_BOTH = 3     /* one object with both: the form of Runtime 1.0 */
} hsail_code_object_kind;

/**
 * Control directives given with the finalization (Runtime 3.2.1.20, hsa_ext_control_directives_t; PRM 13.4):
 * they hold for all kernels of the program, as if they stood in each. Fields of directives that are not in
 * the mask must be 0.
 */
typedef struct hsail_control_directives {
  uint64_t mask;                       /* bits 1 << HSA_BRIG_CONTROL_DIRECTIVE_* */
  uint16_t break_exceptions_mask;      /* HSA_BRIG_EXCEPTIONS_*; joined with the kernel's */
  uint16_t detect_exceptions_mask;     /* the same */
  uint32_t max_dynamic_group_size;     /* bytes of dynamic group memory */
  uint64_t max_flat_grid_size;         /* work-items of a grid */
  uint32_t max_flat_workgroup_size;    /* work-items of a work-group */
  uint64_t required_grid_size[3];      /* work-items in each dimension */
  uint32_t required_workgroup_size[3]; /* the same */
  uint8_t required_dim;                /* 1, 2 or 3 */
} hsail_control_directives;

/**
 * Finalizes all kernels and indirect functions of a program for the ISA of that name, and its variables, into
 * one code object: an ELF file. `isa` is ignored for
 * HSAIL_CODE_OBJECT_PROGRAM. `options` are separated by blanks and may be null; unknown ones are ignored;
 * "-O0" to "-O3" choose the effort, "-g" makes debug information for registers and arguments, and effort 0
 * unless another is asked for (HEDDLE_DEBUG=1 in the environment does the same), "-dump=FOLDER" writes the
 * intermediate forms. `directives` may be null. The program stays as it is and may be finalized again.
 * Errors: DIRECTIVE_MISMATCH; FINALIZATION_FAILED; INVALID_ISA (unknown, or null); INVALID_PROGRAM;
 * INVALID_ARGUMENT (code_object is null, kind is none, a field of a directive that is not in the mask is not
 * 0).
 */
HSAIL_API hsail_status hsail_program_finalize(hsail_program_t program, hsail_code_object_kind kind,
                                              const char* isa, const char* options,
                                              const hsail_control_directives* directives,
                                              hsail_blob* code_object, hsail_diagnostic_callback callback,
                                              void* data);

/* ---- ISAs ---- */

/** An instruction set architecture that the library makes code for. */
typedef struct hsail_isa_info {
  const char* name;        /* "heddle:x86-64-v4:w1", "heddle:hsail:w1", ...; lives as long as the library */
  uint32_t wavefront_size; /* work-items; a power of 2 */
} hsail_isa_info;

/**
 * The ISA with that number, from 0, always in the same order. Returns 1, or 0 past the end (or if info is
 * null): `info` is untouched then.
 */
HSAIL_API int hsail_isa_at(uint32_t index, hsail_isa_info* info);

#ifdef __cplusplus
}
#endif
#endif /* HSAIL_HSAIL_H_ */
