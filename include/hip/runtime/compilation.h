/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Types of hipRTC, which compiles device code while a program runs.
 */
#ifndef HIP_RUNTIME_COMPILATION_H_
#define HIP_RUNTIME_COMPILATION_H_

#ifdef __cplusplus
extern "C" {
#endif

/** Results of the functions of hipRTC. */
typedef enum hiprtcResult {
  HIPRTC_SUCCESS = 0,
  HIPRTC_ERROR_OUT_OF_MEMORY = 1,
  HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  HIPRTC_ERROR_INVALID_INPUT = 3,
  HIPRTC_ERROR_INVALID_PROGRAM = 4,
  HIPRTC_ERROR_INVALID_OPTION = 5,
  HIPRTC_ERROR_COMPILATION = 6,
  HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  HIPRTC_ERROR_INTERNAL_ERROR = 11
} hiprtcResult;

/** A source with what was made of it. */
typedef struct ihiprtcProgram* hiprtcProgram;

#ifdef __cplusplus
}
#endif
#endif /* HIP_RUNTIME_COMPILATION_H_ */
