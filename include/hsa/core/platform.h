// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Definitions that the other parts of hsa.h share: the export macro, the machine model, and the common
 * definitions of Runtime 2.9.
 */
#ifndef HSA_CORE_PLATFORM_H_
#define HSA_CORE_PLATFORM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Marks the functions of the runtime library. A library that implements them defines HSA_EXPORT_SYMBOLS. */
#ifndef HSA_API
#if defined(_WIN32) && defined(HSA_EXPORT_SYMBOLS)
#define HSA_API __declspec(dllexport)
#elif defined(_WIN32)
#define HSA_API __declspec(dllimport)
#elif defined(__GNUC__)
#define HSA_API __attribute__((visibility("default")))
#else
#define HSA_API
#endif
#endif

/**
 * Defined if addresses have 64 bits (HSA_MACHINE_MODEL_LARGE). In the small model an address field of a
 * public structure is 4 bytes wide and padded to 8, so that all structures keep their offsets.
 */
#if !defined(HSA_LARGE_MODEL) && UINTPTR_MAX > 0xffffffffu
#define HSA_LARGE_MODEL 1
#endif

/**
 * Defined if the host is little-endian, which determines on which side of a 4-byte address its padding is.
 */
#if !defined(HSA_LITTLE_ENDIAN)
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HSA_LITTLE_ENDIAN 1
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** 2.9.1.1 Three-dimensional coordinate or extent. */
typedef struct hsa_dim3_s {
  uint32_t x;
  uint32_t y;
  uint32_t z;
} hsa_dim3_t;

/** 2.9.1.2 How an agent may access memory. */
typedef enum {
  HSA_ACCESS_PERMISSION_NONE = 0, /**< not at all; only functions of the AMD extension take it */
  HSA_ACCESS_PERMISSION_RO = 1,   /**< read only */
  HSA_ACCESS_PERMISSION_WO = 2,   /**< write only */
  HSA_ACCESS_PERMISSION_RW = 3    /**< read and write */
} hsa_access_permission_t;

/** 2.9.1.3 POSIX file descriptor. The caller owns it; the runtime never closes it. */
typedef int hsa_file_t;

#ifdef __cplusplus
}
#endif

#endif
