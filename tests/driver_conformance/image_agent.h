/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interface between the image agent and its clients. */
#ifndef IMAGE_AGENT_H_
#define IMAGE_AGENT_H_

#define IMAGE_AGENT_NAME "image agent in C"

/*
 * Types of the agent's dispatch packets. arg[0] is the image, arg[1] the sampler, arg[2] the first coordinate
 * in its low half and the second one in its high half, arg[3] the third. return_address points to the four
 * components r, g, b, a as bits of the format's access type: the result, or the source of a store.
 */
#define IMAGE_AGENT_LOAD 0x8000  /* ldimage; u32 coordinates */
#define IMAGE_AGENT_STORE 0x8001 /* stimage; u32 coordinates */
#define IMAGE_AGENT_READ 0x8002  /* rdimage; f32 coordinates */

#endif /* IMAGE_AGENT_H_ */
