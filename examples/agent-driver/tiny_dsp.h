/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the tiny DSP, its tools and its clients agree on: instructions, and types of agent dispatch packets.
 */
#ifndef TINY_DSP_H_
#define TINY_DSP_H_

#include <stdint.h>

#define TINY_DSP_NAME "tiny DSP"
#define TINY_DSP_ISA "example:tiny-dsp:1"
#define DSP_REGISTERS 16

/* Registers have 64 bits. A work-item starts with its absolute ID in r1 and the address of the
 * kernel arguments in r2. */
typedef struct dsp_instruction {
  uint8_t operation, d, a, b;
  int32_t immediate;
} dsp_instruction;

enum dsp_operation {
  DSP_END,          /* the work-item has ended */
  DSP_SET,          /* d = immediate */
  DSP_ADD,          /* d = a + b + immediate */
  DSP_MULTIPLY,     /* d = a * b */
  DSP_ADD_F32,      /* d = a + b, of the floats in the low halves */
  DSP_MULTIPLY_F32, /* d = a * b, likewise */
  DSP_JUMP_LESS,    /* if a < b, signed, skip `immediate` instructions; it may be negative */
  DSP_LOAD,         /* d = 8 bytes at a + immediate */
  DSP_LOAD_32,      /* d = 4 bytes at a + immediate */
  DSP_STORE_32,     /* 4 bytes at a + immediate = b */
  DSP_OPERATIONS
};

/* Type of agent dispatch packets: *return_address (8 bytes) = sum of the arg[1] values of 4 bytes at arg[0].
 */
#define DSP_SUM 0x8000

#endif /* TINY_DSP_H_ */
