/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Bit fields of the structures of AMD's devices, for the headers amd_hsa_*.h.
 *
 * These headers describe what the queues, signals and code objects of AMD's GPUs look like in memory, because
 * programs for ROCm include them. Objects of heddle's own agents have other layouts, and no function of
 * heddle takes or returns one of these structures. Source: the layouts that the user guide of LLVM's AMDGPU
 * back end and ROCm document.
 */
#ifndef AMD_HSA_COMMON_H_
#define AMD_HSA_COMMON_H_

#include <stddef.h>
#include <stdint.h>

#ifndef AMD_HSA_BITS_CREATE_ENUM_ENTRIES
/** The enumerators of a bit field: NAME_SHIFT is its lowest bit, NAME_WIDTH its bits, NAME their mask. */
#define AMD_HSA_BITS_CREATE_ENUM_ENTRIES(name, shift, width) \
  name##_SHIFT = (shift), name##_WIDTH = (width), name = (int)(((UINT64_C(1) << (width)) - 1) << (shift))
#endif

#ifndef AMD_HSA_BITS_GET
/** The value of a bit field of src. */
#define AMD_HSA_BITS_GET(src, name) (((src) & (name)) >> name##_SHIFT)
#endif

#ifndef AMD_HSA_BITS_SET
/** Sets a bit field of dst. Bits of the value that the field has no room for are ignored. */
#define AMD_HSA_BITS_SET(dst, name, value) \
  ((dst) = (uint32_t)(((dst) & ~(uint32_t)(name)) | (((uint32_t)(value) << name##_SHIFT) & (uint32_t)(name))))
#endif

/** Lets compilers accept unions without a name in C99. */
#if defined(__GNUC__)
#define AMD_HSA_EXTENSION __extension__
#else
#define AMD_HSA_EXTENSION
#endif

/** Alignment of a type, in bytes. */
#if defined(_MSC_VER) && !defined(__clang__)
#define AMD_HSA_ALIGNED(bytes) __declspec(align(bytes))
#else
#define AMD_HSA_ALIGNED(bytes) __attribute__((aligned(bytes)))
#endif

#endif
