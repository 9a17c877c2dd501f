/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The handle with which one process tells another of memory or of a signal (AMD extension).
 */
#ifndef HSA_AMD_IPC_HANDLE_H_
#define HSA_AMD_IPC_HANDLE_H_

#include "../hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A value of 32 bytes without pointers. Programs copy it to other processes by means of their own, such as a
 * pipe, and must not interpret it. */
typedef struct hsa_amd_ipc_memory_s {
  uint32_t handle[8];
} hsa_amd_ipc_memory_t;

/** The handle of a signal; see hsa_amd_ipc_signal_create. */
typedef hsa_amd_ipc_memory_t hsa_amd_ipc_signal_t;

#ifdef __cplusplus
}
#endif
#endif
