/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The compiler for kernels as a C library: OpenCL C, HIP device code and LLVM IR become one HSAIL module, as
 * BRIG or as text. libheddle-compiler.so exports the functions. <hsail/hsail.h> describes what can be done
 * with the module.
 *
 * OpenCL C and HIP are read by clang 22, which is run as a program: the one that the environment variable
 * HEDDLE_CLANG names, else clang-22 in PATH, else the one of Debian's package clang-22. Builtin functions of
 * OpenCL C come from Debian's package libclc-22. What is missing is an error that names the package.
 *
 * Threads: every function may be called from any number of threads at once. A callback runs on the thread of
 * the call, before the call returns. Relative paths are relative to the working folder of the process, which
 * must not change during a call.
 *
 * Processes: hsail_compile() runs clang as a child and waits for this child alone. A program that ignores
 * SIGCHLD, or waits for children that are not its own, only keeps clang's exit code from being known. Open
 * files of the caller are not passed on.
 *
 * Errors: a function returns a status, and the callback gets messages that say what is wrong and where. No
 * call throws a C++ exception, and callbacks must not throw either. Outputs are written only if a call
 * returns HSAIL_COMPILE_OK. LLVM cannot recover if memory runs out inside it, and malformed bitcode that its
 * reader does not notice can end the process: bitcode from others deserves the caution that their programs
 * do.
 *
 * Sizes are in bytes. Strings are UTF-8 and end in a NUL unless a length is given. Arguments are only read
 * during the call: the library keeps no pointers to them.
 */
#ifndef HSAIL_COMPILER_H_
#define HSAIL_COMPILER_H_

#include <hsail/hsail.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface, which grows when a function or structure changes. */
#define HSAIL_COMPILER_API_VERSION 1

/** The result of a call. */
typedef enum hsail_compile_status {
  HSAIL_COMPILE_OK = 0,
  HSAIL_COMPILE_INVALID_ARGUMENT = 1, /* a null pointer where none is allowed, or a number out of range */
  HSAIL_COMPILE_INVALID_OPTION = 2,   /* an option that the compiler does not have, or that lacks its value */
  HSAIL_COMPILE_FAILED = 3,           /* the source is wrong, or asks for what HSAIL cannot express */
  HSAIL_COMPILE_NOT_INSTALLED = 4,    /* a program or library that the compiler needs is missing */
  HSAIL_COMPILE_OUT_OF_RESOURCES = 5  /* no memory, no process, or no room for files */
} hsail_compile_status;

/** The language of a source. */
typedef enum hsail_language {
  HSAIL_LANGUAGE_BY_NAME =
      0, /* by the end of the name: .cl, .clcpp (OpenCL C); .hip, .cu (HIP); .ll, .bc (IR) */
  HSAIL_LANGUAGE_OPENCL = 1, /* OpenCL C 1.0 to 3.0, or with -cl-std=clc++2021 C++ for OpenCL */
  HSAIL_LANGUAGE_HIP = 2,    /* the device functions of a HIP program */
  HSAIL_LANGUAGE_IR = 3      /* LLVM IR for amdgcn-amd-amdhsa, as text or bitcode */
} hsail_language;

/** One source. All sources of a call are linked to one module. */
typedef struct hsail_source {
  const char* name;        /* a file; with `data`, only how messages and debug information call the source */
  const void* data;        /* the source itself, or null if the file is to be read */
  size_t size;             /* of `data`; ignored without it */
  hsail_language language; /* HSAIL_LANGUAGE_BY_NAME needs a name with a known end */
} hsail_source;

/** The form of the module that a call makes. */
typedef enum hsail_module_form {
  HSAIL_MODULE_BRIG = 0,
  HSAIL_MODULE_TEXT = 1,
  HSAIL_MODULE_BITCODE = 2 /* LLVM bitcode, as clang writes it: a source of a later call (HSAIL_LANGUAGE_IR),
                              which may use functions and variables of its other sources */
} hsail_module_form;

typedef enum hsail_severity {
  HSAIL_SEVERITY_NOTE = 0, /* belongs to the message before, or is information that was asked for */
  HSAIL_SEVERITY_WARNING = 1,
  HSAIL_SEVERITY_ERROR = 2
} hsail_severity;

/** One message. Everything is valid during the callback only. */
typedef struct hsail_message {
  hsail_severity severity;
  const char* file; /* as the compiler was told its name; empty if the message has no place */
  uint32_t line;    /* counted from 1; 0 if unknown */
  uint32_t column;  /* in bytes, counted from 1; 0 if unknown */
  const char* text; /* what is wrong, without place and colours, in one line */
  const char*
      display; /* as compilers show it: place, severity, text, often with the source line and a caret,
                  and a newline at the end. Those of clang, one after the other, are what clang wrote. */
} hsail_message;

/** Receives one message. `data` is the argument of the call. A callback argument may always be null. */
typedef void (*hsail_message_callback)(const hsail_message* message, void* data);

/** Returns the HSAIL_COMPILER_API_VERSION of the library, for programs that open it at run time. */
HSAIL_API uint32_t hsail_compiler_api_version(void);

/**
 * Compiles sources to one HSAIL module with the kernels of all of them. `module` receives BRIG, text without
 * a NUL, or bitcode; hsail_blob_free frees it. `options` are words as on the command line of clang, and may
 * be null if `option_count` is 0:
 *
 *   -O0 -O1 -O2 -O3 -Os -Oz   how hard to optimise (default: -O2)
 *   -g, -gline-tables-only    loc directives with the lines of the sources, for debuggers and messages
 *   -D -U -I                  with their value, or with it as the next word
 *   -include -imacros         with their value as the next word; so are
 *   -isystem -iquote          further folders for included files, and
 *   -idirafter                those that come last
 *   -std= -cl-std= -cl-*      language and floating point, as clang knows them
 *   -W* -w -pedantic*         warnings, and
 *   -f* -m*                   features: passed to clang; -fcolor-diagnostics colours `display`
 *   -cuid=                    a number for a source of HIP, from which names of its static symbols are made;
 * the same for the host's half -Xclang -mllvm            with a word for clang as the next word
 *   --rocm-path=              where the headers of HIP are (include/hip); --hip-path= is passed, too
 *   -nogpuinc -nostdinc       there are no such headers
 *   -v                        a note with each command that is run
 *   -save-temps=STEM          writes STEM.bc (linked), STEM.opt.ll (optimised), STEM.hsail and
 *                             STEM.brig, as soon as each exists, also if the call fails later
 *
 * A source can ask how a kernel or variable is called in the module, for instance an instance of a template:
 * for each variable whose name begins with __hsail_symbol_ and whose initial value is an address, a note says
 * "VARIABLE is NAME", and the variable is no part of the module. HSAIL_MODULE_BITCODE keeps such variables.
 *
 * Kernels stay, and variables that the host can name or that are visible outside of the module; everything
 * else is removed where nothing needs it. Errors: INVALID_ARGUMENT (sources, a name, an option or module is
 * null; source_count is 0; a number that is no enumerator; a language that the name does not tell);
 * INVALID_OPTION; FAILED; NOT_INSTALLED; OUT_OF_RESOURCES.
 */
HSAIL_API hsail_compile_status hsail_compile(const hsail_source* sources, size_t source_count,
                                             const char* const* options, size_t option_count,
                                             hsail_module_form form, hsail_blob* module,
                                             hsail_message_callback callback, void* data);

#ifdef __cplusplus
}
#endif
#endif /* HSAIL_COMPILER_H_ */
