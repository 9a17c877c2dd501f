/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The HSAIL toolchain as a C library: text and binary form of modules, programs and finalization ("PRM" below
 * is the HSA Programmer's Reference Manual 1.2). libheddle-finalizer.so exports the functions; the HSA
 * runtime opens this library when it is first asked to finalize. <hsail/hsail.hpp> is the interface for C++.
 *
 * Threads: every function may be called from any number of threads at once, but only one thread may use a
 * program at a time. A callback runs on the thread of the call, before the call returns.
 *
 * Errors: a function returns a status, and the callback gets text that says what is wrong and where. Whatever
 * bytes or text are passed, no call ends the process or throws a C++ exception; callbacks must not throw
 * either. Outputs are written only if a call returns HSAIL_OK. Every function that returns a status may
 * return HSAIL_OUT_OF_RESOURCES if memory runs out, so the comments below do not list it.
 *
 * Sizes are in bytes. Strings are UTF-8 and end in a NUL unless a length is given. Arguments are only read
 * during the call: the library keeps no pointers to them.
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

/** Version of this interface, which grows when a function or structure changes. */
#define HSAIL_API_VERSION 2

/** The result of a call. The runtime translates it to an hsa_status_t (Runtime 3.2.1.1). */
typedef enum hsail_status {
  HSAIL_OK = 0,
  HSAIL_INVALID_ARGUMENT = 1,    /* a null pointer where none is allowed, or a number out of range */
  HSAIL_INVALID_PROGRAM = 2,     /* a null instead of a program */
  HSAIL_INVALID_MODULE = 3,      /* not BRIG, or malformed */
  HSAIL_INCOMPATIBLE_MODULE = 4, /* machine model, profile or version does not fit the program */
  HSAIL_MODULE_ALREADY_INCLUDED = 5,
  HSAIL_SYMBOL_MISMATCH = 6, /* declarations and definitions of one name differ */
  HSAIL_INVALID_ISA = 7,
  HSAIL_DIRECTIVE_MISMATCH = 8,  /* control directives of the call and of a kernel contradict each other */
  HSAIL_FINALIZATION_FAILED = 9, /* the diagnostics say what and where */
  HSAIL_OUT_OF_RESOURCES = 10,
  HSAIL_SYNTAX_ERROR = 11 /* text that does not assemble */
} hsail_status;

/**
 * Receives the errors and warnings of a call as text. Called at most once for each call, also if the call
 * succeeds. Each diagnostic is a paragraph: file:line:column, severity, id and message, then the source line
 * and a caret; for BRIG it has section and offset instead. `text` has `length` characters, is followed by a
 * NUL, and is valid during the callback only. `data` is the argument of the call. A callback argument may
 * always be null.
 */
typedef void (*hsail_diagnostic_callback)(const char* text, size_t length, void* data);

/**
 * Bytes that a call has made. They belong to the caller, who may change them and must free them with
 * hsail_blob_free. They are aligned as malloc() aligns. `data` is not null after HSAIL_OK, even if `size` is
 * 0.
 */
typedef struct hsail_blob {
  void* data;
  size_t size;
} hsail_blob;

/** Frees the bytes and sets both members to 0. Does nothing if `blob` is null or both members are 0. */
HSAIL_API void hsail_blob_free(hsail_blob* blob);

/** Returns the HSAIL_API_VERSION of the library, for programs that open it at run time. */
HSAIL_API uint32_t hsail_api_version(void);

/* ---- text and binary form ---- */

/**
 * Assembles one module (PRM 19). `text` has `length` characters and need not end in a NUL; `file_name` is
 * used in diagnostics only and may be null. `brig` receives the module in its binary form (PRM 18). Errors:
 * SYNTAX_ERROR (the text violates the grammar or another rule of the language); INVALID_ARGUMENT (text or
 * brig is null).
 */
HSAIL_API hsail_status hsail_assemble(const char* text, size_t length, const char* file_name,
                                      hsail_blob* brig, hsail_diagnostic_callback callback, void* data);

/**
 * Assembles one module as hsail_assemble does, with options. `options` are separated by blanks and may be
 * null; unknown ones are ignored. "-g" adds loc directives with `file_name` and the lines of the text, up to
 * the first loc in the text itself. "-brig=VERSION" writes BRIG 1.0, 1.1 or 1.2; what this version cannot
 * express is an error, and the module directive names no later version of HSAIL. Without it, the version is
 * that of the module directive, or a later one if the module uses something later, which is a warning.
 * Errors: as for hsail_assemble; INVALID_ARGUMENT (also another VERSION).
 */
HSAIL_API hsail_status hsail_assemble_with_options(const char* text, size_t length, const char* file_name,
                                                   const char* options, hsail_blob* brig,
                                                   hsail_diagnostic_callback callback, void* data);

/**
 * Prints a module as text that assembles to the same module. `brig` may have any alignment. `size` limits
 * what is read; with SIZE_MAX, the caller guarantees that as many bytes are readable as the header of the
 * module says (byte_count). `text` receives characters without a NUL. Errors: INVALID_MODULE (see
 * hsail_check); INVALID_ARGUMENT (brig or text is null).
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
 * Makes a program without modules, which the caller must destroy. The numbers are values of
 * hsa_machine_model_t (0 small, 1 large), hsa_profile_t (0 base, 1 full) and
 * hsa_default_float_rounding_mode_t (0 default, 1 zero, 2 near). The mode is that of the modules that name
 * none. HEDDLE_STRICT_ROUNDING=1 in the environment makes a program that refuses modules of another mode.
 * Errors: INVALID_ARGUMENT (another number, or program is null).
 */
HSAIL_API hsail_status hsail_program_create(uint32_t machine_model, uint32_t profile,
                                            uint32_t default_float_rounding_mode, hsail_program_t* program);

/** Destroys a program, but not the code objects made from it. Errors: INVALID_PROGRAM (null). */
HSAIL_API hsail_status hsail_program_destroy(hsail_program_t program);

/**
 * Adds a copy of a module. `brig` and `size` are as for hsail_disassemble; the runtime passes SIZE_MAX,
 * because its own interface has only an address. If this fails, the program is unchanged. A module that names
 * another default rounding mode than the program keeps its own, which is reported as a warning; a strict
 * program refuses it. Errors: INVALID_MODULE; INCOMPATIBLE_MODULE; MODULE_ALREADY_INCLUDED (a module with the
 * same bytes); SYMBOL_MISMATCH (also a second definition, or another module with the same name);
 * INVALID_PROGRAM;
 * INVALID_ARGUMENT (brig is null).
 */
HSAIL_API hsail_status hsail_program_add_module(hsail_program_t program, const void* brig, size_t size,
                                                hsail_diagnostic_callback callback, void* data);

/** The contents of a code object. The values are bits. */
typedef enum hsail_code_object_kind {
  HSAIL_CODE_OBJECT_PROGRAM = 1, /* variables with program allocation */
  HSAIL_CODE_OBJECT_AGENT = 2,   /* code, and variables with agent allocation, including readonly ones */
  HSAIL_CODE_OBJECT_BOTH = 3     /* one object with both, as in HSA 1.0 */
} hsail_code_object_kind;

/**
 * Control directives for a finalization (Runtime 3.2.1.20, hsa_ext_control_directives_t; PRM 13.5). They hold
 * for all kernels of the program, as if each kernel contained them. Fields of directives that are not in the
 * mask must be 0.
 */
typedef struct hsail_control_directives {
  uint64_t mask;                       /* bits 1 << HSA_BRIG_CONTROL_DIRECTIVE_* */
  uint16_t break_exceptions_mask;      /* HSA_BRIG_EXCEPTIONS_*, in addition to those of the kernel */
  uint16_t detect_exceptions_mask;     /* HSA_BRIG_EXCEPTIONS_*, in addition to those of the kernel */
  uint32_t max_dynamic_group_size;     /* bytes of dynamic group memory */
  uint64_t max_flat_grid_size;         /* work-items of a grid */
  uint32_t max_flat_workgroup_size;    /* work-items of a work-group */
  uint64_t required_grid_size[3];      /* work-items in each dimension */
  uint32_t required_workgroup_size[3]; /* work-items in each dimension */
  uint8_t required_dim;                /* 1, 2 or 3 */
} hsail_control_directives;

/**
 * Finalizes all kernels, indirect functions and variables of a program for the ISA with the name `isa` into
 * one code object, an ELF file. `isa` is ignored for HSAIL_CODE_OBJECT_PROGRAM. `options` are separated by
 * blanks and may be null; unknown ones are ignored. "-O0" to "-O3" select the optimization level. "-g"
 * produces debug information for registers and arguments and makes level 0 the default (HEDDLE_DEBUG=1 in the
 * environment does the same). "-v" reports of each kernel how it was compiled. "-no-row-bodies" makes no
 * special code for waves in rows of work-items, so that tests execute the code for all other waves.
 * "-check-addresses" lets code for NVIDIA GPUs check each address before it accesses memory, so that a stray
 * one fails the queue with a message that names the work-item and the source line (HEDDLE_CHECK_ADDRESSES=1
 * in the environment does the same); other ISAs ignore it. "-dump=FOLDER" writes the intermediate forms.
 * "-lazy" makes a code object whose kernels have no code yet: the runtime finalizes a kernel when it is first
 * asked for its object or its private memory. It has no effect if the program has indirect functions or holds
 * addresses of kernels, with control directives or
 * "-dump", and for ISAs that finalize as fast as a file is read. "-kernel=NAME" makes code of the kernel with
 * this linker name (and of what it reaches) alone; the variables are then those of a code object of the whole
 * program. `directives` may be null. The program does not change and may be finalized again. If the cache on
 * disk (see hsail_cache_describe) has the code object, it comes from there, with the diagnostics of the
 * finalization that made it. Errors: DIRECTIVE_MISMATCH; FINALIZATION_FAILED; INVALID_ISA (unknown, or null);
 * INVALID_PROGRAM; INVALID_ARGUMENT (code_object is null, kind is not an enumerator, or a field of a
 * directive that is not in the mask is not 0).
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
 * Gets the ISA with the number `index`, counted from 0. The order is always the same. Returns 1, or 0, with
 * `info` unchanged, if there is no such ISA or `info` is null.
 */
HSAIL_API int hsail_isa_at(uint32_t index, hsail_isa_info* info);

/* ---- the cache of code objects ---- */

/**
 * The cache on disk that hsail_program_finalize and agents use. It is chosen by the environment of the
 * process, which every call reads anew: HEDDLE_CACHE, HEDDLE_CACHE_DIR and HEDDLE_CACHE_SIZE
 * (docs/environment.md).
 */
typedef struct hsail_cache_info {
  int enabled;      /* 1, or 0 if there is no cache; the other members are then 0 */
  uint64_t entries; /* code objects, and machine code that agents have made of them */
  uint64_t bytes;   /* of their files */
  uint64_t limit;   /* of `bytes` */
} hsail_cache_info;

/**
 * Describes the cache. `where` receives characters without a NUL: the path of the cache's folder, which need
 * not exist yet, or if there is no cache the reason, as an English sentence without a full stop. Errors:
 * INVALID_ARGUMENT (info or where is null).
 */
HSAIL_API hsail_status hsail_cache_describe(hsail_cache_info* info, hsail_blob* where,
                                            hsail_diagnostic_callback callback, void* data);

/**
 * Removes all entries from the cache. `removed` says how many there were. Does nothing without a cache.
 * Errors: OUT_OF_RESOURCES (also if the folder cannot be written, or other processes keep it locked; nothing
 * was removed); INVALID_ARGUMENT (removed is null).
 */
HSAIL_API hsail_status hsail_cache_clear(hsail_cache_info* removed, hsail_diagnostic_callback callback,
                                         void* data);

#ifdef __cplusplus
}
#endif
#endif /* HSAIL_HSAIL_H_ */
