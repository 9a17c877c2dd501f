// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HSAIL instructions as functions, for the parts of the OpenCL device library, which are compiled as OpenCL
// C. The name of a function is
// `__hsail_` and the mnemonic of the instruction. The compiler turns each call into the instruction: the
// result is the destination, the arguments are the sources in the order of the PRM, and a vector is a vector
// operand.
#pragma once

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define OVERLOAD __attribute__((overloadable))

// The result depends on the arguments and the work-item alone: calls may be moved and merged.
#define CONSTANT_IN_WORK_ITEM __attribute__((const))
// All active work-items of a wave or group take part: the call must stay under the same control flow
// (PRM 2.12, 17.6). The library is compiled with -fno-convergent-functions, so that each function that calls
// such a function has to say so, too.
#define COLLECTIVE __attribute__((convergent))

// Kernel dispatch packet instructions (PRM 11.1). Dimensions have to be constants, so that calls for several
// must not become one.
#define FOR_CONSTANTS __attribute__((const, nomerge))
FOR_CONSTANTS uint __hsail_workitemabsid_u32(uint);
FOR_CONSTANTS uint __hsail_workitemid_u32(uint);
FOR_CONSTANTS uint __hsail_workgroupid_u32(uint);
FOR_CONSTANTS uint __hsail_workgroupsize_u32(uint);
FOR_CONSTANTS uint __hsail_currentworkgroupsize_u32(uint);
FOR_CONSTANTS uint __hsail_gridsize_u32(uint);
FOR_CONSTANTS uint __hsail_gridgroups_u32(uint);
CONSTANT_IN_WORK_ITEM uint __hsail_dim_u32(void);
CONSTANT_IN_WORK_ITEM uint __hsail_currentworkitemflatid_u32(void);
CONSTANT_IN_WORK_ITEM ulong __hsail_workitemflatabsid_u64(void);
CONSTANT_IN_WORK_ITEM ulong __hsail_kernargbaseptr_u64(void);

// Not an instruction but the constant of this name (PRM 2.6.2).
CONSTANT_IN_WORK_ITEM uint __hsail_WAVESIZE(void);
CONSTANT_IN_WORK_ITEM uint __hsail_laneid_u32(void);

// Barriers and fences (PRM 6.9, 7.6, 9.1).
COLLECTIVE void __hsail_barrier(void);
COLLECTIVE void __hsail_wavebarrier(void);
void __hsail_imagefence(void);
void __hsail_memfence_scacq_wave(void);
void __hsail_memfence_scacq_wg(void);
void __hsail_memfence_scacq_agent(void);
void __hsail_memfence_scacq_system(void);
void __hsail_memfence_screl_wave(void);
void __hsail_memfence_screl_wg(void);
void __hsail_memfence_screl_agent(void);
void __hsail_memfence_screl_system(void);
void __hsail_memfence_scar_wave(void);
void __hsail_memfence_scar_wg(void);
void __hsail_memfence_scar_agent(void);
void __hsail_memfence_scar_system(void);

// Cross-lane instructions (PRM 9.4).
COLLECTIVE uint __hsail_activelanecount_u32_b1(bool);
COLLECTIVE uint __hsail_activelaneid_u32(void);
COLLECTIVE ulong4 __hsail_activelanemask_v4_b64_b1(bool);
COLLECTIVE uint __hsail_activelanepermute_b32(uint value, uint lane, uint identity, bool use_identity);
COLLECTIVE ulong __hsail_activelanepermute_b64(ulong value, uint lane, ulong identity, bool use_identity);

// Bits (PRM 5.7) and multimedia (PRM 5.15).
CONSTANT_IN_WORK_ITEM uint __hsail_bitrev_b32(uint);
CONSTANT_IN_WORK_ITEM ulong __hsail_bitrev_b64(ulong);
CONSTANT_IN_WORK_ITEM uint __hsail_bitalign_b32(uint, uint, uint);
CONSTANT_IN_WORK_ITEM uint __hsail_bytealign_b32(uint, uint, uint);
CONSTANT_IN_WORK_ITEM uint __hsail_lerp_u8x4(uint, uint, uint);
CONSTANT_IN_WORK_ITEM uint __hsail_packcvt_u8x4_f32(float, float, float, float);
CONSTANT_IN_WORK_ITEM uint __hsail_sad_u32_u32(uint, uint, uint);
CONSTANT_IN_WORK_ITEM uint __hsail_sad_u32_u16x2(uint, uint, uint);
CONSTANT_IN_WORK_ITEM uint __hsail_sad_u32_u8x4(uint, uint, uint);
CONSTANT_IN_WORK_ITEM uint __hsail_sadhi_u16x2_u8x4(uint, uint, uint);

// Conversions with rounding (PRM 5.19).
CONSTANT_IN_WORK_ITEM half __hsail_cvt_zero_f16_f32(float);
CONSTANT_IN_WORK_ITEM half __hsail_cvt_up_f16_f32(float);
CONSTANT_IN_WORK_ITEM half __hsail_cvt_down_f16_f32(float);
CONSTANT_IN_WORK_ITEM half __hsail_cvt_zero_f16_f64(double);
CONSTANT_IN_WORK_ITEM half __hsail_cvt_up_f16_f64(double);
CONSTANT_IN_WORK_ITEM half __hsail_cvt_down_f16_f64(double);

// Native floating point (PRM 5.14) and correctly rounded square roots (PRM 5.11).
CONSTANT_IN_WORK_ITEM float __hsail_ncos_f32(float);
CONSTANT_IN_WORK_ITEM float __hsail_nsin_f32(float);
CONSTANT_IN_WORK_ITEM float __hsail_nexp2_f32(float);
CONSTANT_IN_WORK_ITEM float __hsail_nlog2_f32(float);
CONSTANT_IN_WORK_ITEM float __hsail_nrcp_f32(float);
CONSTANT_IN_WORK_ITEM float __hsail_nrsqrt_f32(float);
CONSTANT_IN_WORK_ITEM float __hsail_nsqrt_f32(float);
CONSTANT_IN_WORK_ITEM double __hsail_sqrt_f64(double);

// Time (PRM 11.4).
ulong __hsail_clock_u64(void);
