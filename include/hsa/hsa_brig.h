// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * BRIG 1.2, the binary form of HSAIL modules: HSA Programmer's Reference Manual 1.2 (PRM), chapter 18.
 *
 * This header includes all parts of BRIG. A program that reads or writes modules includes this header; a
 * source file that should be recompiled only if one of the parts changes includes that part.
 */
#ifndef HSA_BRIG_H_
#define HSA_BRIG_H_

#include "hsa_brig_directives.h"
#include "hsa_brig_entries.h"
#include "hsa_brig_images.h"
#include "hsa_brig_modifiers.h"
#include "hsa_brig_opcodes.h"
#include "hsa_brig_types.h"

#endif  // HSA_BRIG_H_
