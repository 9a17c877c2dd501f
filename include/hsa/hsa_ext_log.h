// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Logging, the extension "hsa_ext_log" (Runtime 3.6).
 *
 * A log receives the messages of finalizations and loads that name it: errors, with the place in the module
 * that they are about, and warnings. They are the texts that the environment variable HEDDLE_LOG shows on
 * standard error (docs/environment.md), whatever its value is.
 *
 * The conventions of hsa.h apply; EXT_ at the beginning of the name of an error stands for
 * HSA_EXT_STATUS_ERROR_. Several threads may write to one log at the same time; the messages of one call
 * stay together.
 */
#ifndef HSA_EXT_LOG_H_
#define HSA_EXT_LOG_H_

#include "hsa.h"
#include "hsa_ext_finalize.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 3.1.1 Version of the extension that this header declares: three digits major, three digits minor. */
#define hsa_ext_log 001000

/** 3.6.2 A text to which calls append their messages. */
typedef struct hsa_ext_log_s {
  uint64_t handle;
} hsa_ext_log_t;

/** 3.6.3 Creates an empty log. Errors: INVALID_ARGUMENT; OUT_OF_RESOURCES. */
HSA_API hsa_status_t hsa_ext_log_create(hsa_ext_log_t* log);

/** 3.6.4 Destroys a log with the text in it. Errors: EXT_INVALID_LOG. */
HSA_API hsa_status_t hsa_ext_log_destroy(hsa_ext_log_t log);

/**
 * 3.6.5 Takes at most *size bytes from the beginning of a log, copies them to text, and sets *size to the
 * number of bytes that are left in the log. If the log had fewer bytes than that, a NUL follows them. With
 * *size 0 the call takes nothing and tells the length of the text. Errors: INVALID_ARGUMENT;
 * EXT_INVALID_LOG.
 */
HSA_API hsa_status_t hsa_ext_log_get(hsa_ext_log_t log, size_t* size, char* text);

/**
 * 3.6.6 Does what hsa_ext_program_code_object_finalize does and appends the messages to the log. Errors:
 * those of that function; EXT_INVALID_LOG, in which case nothing is finalized.
 */
HSA_API hsa_status_t
hsa_ext_log_program_code_object_finalize(hsa_ext_program_t program, const char* options,
                                         hsa_ext_code_object_writer_t* code_object_writer, hsa_ext_log_t log);

/**
 * 3.6.7 Does what hsa_ext_agent_code_object_finalize does and appends the messages to the log. Errors: those
 * of that function; EXT_INVALID_LOG, in which case nothing is finalized.
 */
HSA_API hsa_status_t hsa_ext_log_agent_code_object_finalize(hsa_ext_program_t program, hsa_isa_t isa,
                                                            const char* options,
                                                            hsa_ext_code_object_writer_t* code_object_writer,
                                                            hsa_ext_log_t log);

/**
 * 3.6.8 Does what hsa_executable_load_program_code_object does and appends the messages to the log. Errors:
 * those of that function; EXT_INVALID_LOG, in which case nothing is loaded.
 */
HSA_API hsa_status_t hsa_ext_log_load_program_code_object(hsa_executable_t executable,
                                                          hsa_code_object_reader_t code_object_reader,
                                                          const char* options,
                                                          hsa_loaded_code_object_t* loaded_code_object,
                                                          hsa_ext_log_t log);

/**
 * 3.6.9 Does what hsa_executable_load_agent_code_object does and appends the messages to the log. Errors:
 * those of that function; EXT_INVALID_LOG, in which case nothing is loaded.
 */
HSA_API hsa_status_t hsa_ext_log_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                        hsa_code_object_reader_t code_object_reader,
                                                        const char* options,
                                                        hsa_loaded_code_object_t* loaded_code_object,
                                                        hsa_ext_log_t log);

/**
 * 3.6.10 Functions of version 1: HSA_EXTENSION_LOG, major 1. The two functions that finalize are NULL if the
 * runtime has no finalizer.
 */
#define hsa_ext_log_1
typedef struct hsa_ext_log_1_pfn_s {
  hsa_status_t (*hsa_ext_log_create)(hsa_ext_log_t* log);
  hsa_status_t (*hsa_ext_log_destroy)(hsa_ext_log_t log);
  hsa_status_t (*hsa_ext_log_get)(hsa_ext_log_t log, size_t* size, char* text);
  hsa_status_t (*hsa_ext_log_program_code_object_finalize)(hsa_ext_program_t program, const char* options,
                                                           hsa_ext_code_object_writer_t* code_object_writer,
                                                           hsa_ext_log_t log);
  hsa_status_t (*hsa_ext_log_agent_code_object_finalize)(hsa_ext_program_t program, hsa_isa_t isa,
                                                         const char* options,
                                                         hsa_ext_code_object_writer_t* code_object_writer,
                                                         hsa_ext_log_t log);
  hsa_status_t (*hsa_ext_log_load_program_code_object)(hsa_executable_t executable,
                                                       hsa_code_object_reader_t code_object_reader,
                                                       const char* options,
                                                       hsa_loaded_code_object_t* loaded_code_object,
                                                       hsa_ext_log_t log);
  hsa_status_t (*hsa_ext_log_load_agent_code_object)(hsa_executable_t executable, hsa_agent_t agent,
                                                     hsa_code_object_reader_t code_object_reader,
                                                     const char* options,
                                                     hsa_loaded_code_object_t* loaded_code_object,
                                                     hsa_ext_log_t log);
} hsa_ext_log_1_pfn_t;

#ifdef __cplusplus
}
#endif
#endif /* HSA_EXT_LOG_H_ */
