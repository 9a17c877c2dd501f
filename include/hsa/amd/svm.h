/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Attributes of ranges of the process's memory (AMD extension). What hsa.h says about errors and threads
 * holds here too. Ranges are extended to whole pages.
 *
 * On heddle, agents of the full profile access all memory of the process where it is, so that nothing moves.
 * Attributes are kept for queries and have no other effect.
 */
#ifndef HSA_AMD_SVM_H_
#define HSA_AMD_SVM_H_

#include "../hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Values of HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG. */
typedef enum hsa_amd_svm_model_s {
  HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED = 0,
  HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED = 1,
  HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE = 2 /**< the pages of the range differ; queries only */
} hsa_amd_svm_model_t;

/** Attributes; the comment says what the value is. Queries of a range whose pages differ give the value in
 * parentheses. */
typedef enum hsa_amd_svm_attribute_s {
  HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG = 0,           /**< hsa_amd_svm_model_t (INDETERMINATE) */
  HSA_AMD_SVM_ATTRIB_READ_ONLY = 1,             /**< bool: agents only read (false) */
  HSA_AMD_SVM_ATTRIB_HIVE_LOCAL = 2,            /**< bool: agents that are linked may share a copy (false) */
  HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY = 3, /**< log2 of pages that move at once (the least) */
  HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION = 4,    /**< hsa_agent_t.handle; 0: none (0) */
  HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION = 5,     /**< the agent of the last prefetch; queries only (0) */
  HSA_AMD_SVM_ATTRIB_READ_MOSTLY = 6,           /**< bool: copies are worthwhile (false) */
  HSA_AMD_SVM_ATTRIB_GPU_EXEC = 7,              /**< bool: the range holds code of agents (false) */
  HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE = 0x200,  /**< hsa_agent_t.handle of an agent that accesses it */
  HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE = 0x201, /**< the same, without moving it */
  HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS = 0x202,           /**< of an agent that does not */
  /** Queries only: the value is the handle of an agent. The attribute becomes one of the three before. */
  HSA_AMD_SVM_ATTRIB_ACCESS_QUERY = 0x203
} hsa_amd_svm_attribute_t;

/** An attribute and its value. */
typedef struct hsa_amd_svm_attribute_pair_s {
  uint64_t attribute;
  uint64_t value;
} hsa_amd_svm_attribute_pair_t;

/**
 * Sets attributes of a range; others stay as they are. Either all are set or none.
 * Errors: OUT_OF_RESOURCES; INVALID_AGENT (the value is not the handle of an agent); INVALID_ARGUMENT (also:
 * ptr is NULL; size is 0; an attribute or a value that cannot be set); HSA_STATUS_ERROR
 * (HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED is false).
 */
HSA_API hsa_status_t hsa_amd_svm_attributes_set(void* ptr, size_t size,
                                                hsa_amd_svm_attribute_pair_t* attribute_list,
                                                size_t attribute_count);

/** Gets attributes of a range. Errors: those of hsa_amd_svm_attributes_set. */
HSA_API hsa_status_t hsa_amd_svm_attributes_get(void* ptr, size_t size,
                                                hsa_amd_svm_attribute_pair_t* attribute_list,
                                                size_t attribute_count);

/**
 * Asks for a range to be moved to an agent when each of num_dep_signals signals has had the value 0, and then
 * subtracts 1 from completion_signal, unless its handle is 0. Nothing moves on heddle; the agent becomes the
 * prefetch location of the range at once.
 * Errors: OUT_OF_RESOURCES; INVALID_AGENT; INVALID_SIGNAL; INVALID_ARGUMENT (also: dep_signals is NULL
 * although num_dep_signals is not 0); HSA_STATUS_ERROR (HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED is false).
 */
HSA_API hsa_status_t hsa_amd_svm_prefetch_async(void* ptr, size_t size, hsa_agent_t agent,
                                                uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
                                                hsa_signal_t completion_signal);

#ifdef __cplusplus
}
#endif
#endif
