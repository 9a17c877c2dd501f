/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * hipRTC: device code is compiled while a program runs, in the process of the program; clang 22 is run as a
 * child process. libamdhip64.so.5 has the functions; the package heddle-compiler has to be installed when one
 * compiles.
 *
 * Threads: different programs may be used by several threads at once, and so may one program, whose calls
 * then follow each other. Strings and sizes: a size includes the NUL at the end of a string.
 *
 * Errors of all functions: HIPRTC_ERROR_INVALID_INPUT (a null pointer where none is allowed, or a negative
 * number), HIPRTC_ERROR_INVALID_PROGRAM (no program, or one that was destroyed), HIPRTC_ERROR_OUT_OF_MEMORY.
 */
#ifndef HIP_HIPRTC_H_
#define HIP_HIPRTC_H_

#include <stddef.h>

#include <hip/runtime/compilation.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the name of a result, as this header writes it; a string of the library, never NULL. */
const char* hiprtcGetErrorString(hiprtcResult result);

/** Tells the version of the interface, 9.0. */
hiprtcResult hiprtcVersion(int* major, int* minor);

/**
 * Makes a program of a source. `name` is what messages call it; NULL means a name of the library's choice.
 * The texts `headers` can be included as `includeNames`, which stay below the folder that they are relative
 * to. hip/hip_runtime.h need not be included.
 */
hiprtcResult hiprtcCreateProgram(hiprtcProgram* prog, const char* src, const char* name, int numHeaders,
                                 const char** headers, const char** includeNames);
hiprtcResult hiprtcDestroyProgram(hiprtcProgram* prog);

/**
 * Asks for the name that a kernel or variable has in the code, which an expression of C++ names:
 * "kernel<float>", "&variable". The instance of a template is thereby made. Error:
 * HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION.
 */
hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char* name_expression);

/**
 * Compiles the program, again if it was compiled before. Options are those of the command line of clang, with
 * --gpu-architecture= and its like, which have no effect. Errors: HIPRTC_ERROR_INVALID_OPTION;
 * HIPRTC_ERROR_COMPILATION, also if the compiler is not installed. The log tells more.
 */
hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char** options);

/** Tells what the compiler wrote in the last compilation: messages with places and lines of the source. */
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t* logSizeRet);
hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char* log);

/**
 * Gives the code, for hipModuleLoadData(). Error: HIPRTC_ERROR_INVALID_PROGRAM, also if the program has not
 * been compiled successfully.
 */
hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t* codeSizeRet);
hiprtcResult hiprtcGetCode(hiprtcProgram prog, char* code);

/**
 * Tells the name for an expression; it belongs to the program. Errors:
 * HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION; HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID (it was not added,
 * or names nothing that has a name in the code).
 */
hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char* name_expression, const char** lowered_name);

#ifdef __cplusplus
}
#endif
#endif /* HIP_HIPRTC_H_ */
