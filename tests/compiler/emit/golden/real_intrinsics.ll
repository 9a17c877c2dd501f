; -O0  intrinsics on floating-point numbers
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define void @reals_f16(half %a, half %b, i32 %i, ptr %o) {
  %r0 = call half @llvm.fabs.f16(half %a)
  store half %r0, ptr %o
  %r1 = call half @llvm.floor.f16(half %a)
  store half %r1, ptr %o
  %r2 = call half @llvm.ceil.f16(half %a)
  store half %r2, ptr %o
  %r3 = call half @llvm.trunc.f16(half %a)
  store half %r3, ptr %o
  %r4 = call half @llvm.rint.f16(half %a)
  store half %r4, ptr %o
  %r5 = call half @llvm.nearbyint.f16(half %a)
  store half %r5, ptr %o
  %r6 = call half @llvm.roundeven.f16(half %a)
  store half %r6, ptr %o
  %r7 = call half @llvm.round.f16(half %a)
  store half %r7, ptr %o
  %r8 = call half @llvm.sqrt.f16(half %a)
  store half %r8, ptr %o
  %r9 = call half @llvm.canonicalize.f16(half %a)
  store half %r9, ptr %o
  %r10 = call half @llvm.copysign.f16(half %a, half %b)
  store half %r10, ptr %o
  %r11 = call half @llvm.minnum.f16(half %a, half %b)
  store half %r11, ptr %o
  %r12 = call half @llvm.maxnum.f16(half %a, half %b)
  store half %r12, ptr %o
  %r13 = call half @llvm.minimum.f16(half %a, half %b)
  store half %r13, ptr %o
  %r14 = call half @llvm.maximum.f16(half %a, half %b)
  store half %r14, ptr %o
  %r15 = call half @llvm.minimumnum.f16(half %a, half %b)
  store half %r15, ptr %o
  %r16 = call half @llvm.maximumnum.f16(half %a, half %b)
  store half %r16, ptr %o
  %r17 = call half @llvm.fma.f16(half %a, half %b, half %a)
  store half %r17, ptr %o
  %r18 = call half @llvm.fmuladd.f16(half %a, half %b, half %a)
  store half %r18, ptr %o
  %r19 = call half @llvm.ldexp.f16.i32(half %a, i32 %i)
  store half %r19, ptr %o
  %r20 = call {half, i32} @llvm.frexp.f16.i32(half %a)
  store {half, i32} %r20, ptr %o
  %r21 = call {half, half} @llvm.modf.f16(half %a)
  store {half, half} %r21, ptr %o
  %c = call i1 @llvm.is.fpclass.f16(half %a, i32 519)
  store i1 %c, ptr %o
  %r22 = call i8 @llvm.fptosi.sat.i8.f16(half %a)
  store i8 %r22, ptr %o
  %r23 = call i8 @llvm.fptoui.sat.i8.f16(half %a)
  store i8 %r23, ptr %o
  %r24 = call i32 @llvm.fptosi.sat.i32.f16(half %a)
  store i32 %r24, ptr %o
  %r25 = call i32 @llvm.fptoui.sat.i32.f16(half %a)
  store i32 %r25, ptr %o
  %r26 = call i64 @llvm.fptosi.sat.i64.f16(half %a)
  store i64 %r26, ptr %o
  %r27 = call i64 @llvm.fptoui.sat.i64.f16(half %a)
  store i64 %r27, ptr %o
  ret void
}

define void @reals_bf16(bfloat %a, bfloat %b, i32 %i, ptr %o) {
  %r0 = call bfloat @llvm.fabs.bf16(bfloat %a)
  store bfloat %r0, ptr %o
  %r1 = call bfloat @llvm.floor.bf16(bfloat %a)
  store bfloat %r1, ptr %o
  %r2 = call bfloat @llvm.ceil.bf16(bfloat %a)
  store bfloat %r2, ptr %o
  %r3 = call bfloat @llvm.trunc.bf16(bfloat %a)
  store bfloat %r3, ptr %o
  %r4 = call bfloat @llvm.rint.bf16(bfloat %a)
  store bfloat %r4, ptr %o
  %r5 = call bfloat @llvm.nearbyint.bf16(bfloat %a)
  store bfloat %r5, ptr %o
  %r6 = call bfloat @llvm.roundeven.bf16(bfloat %a)
  store bfloat %r6, ptr %o
  %r7 = call bfloat @llvm.round.bf16(bfloat %a)
  store bfloat %r7, ptr %o
  %r8 = call bfloat @llvm.sqrt.bf16(bfloat %a)
  store bfloat %r8, ptr %o
  %r9 = call bfloat @llvm.canonicalize.bf16(bfloat %a)
  store bfloat %r9, ptr %o
  %r10 = call bfloat @llvm.copysign.bf16(bfloat %a, bfloat %b)
  store bfloat %r10, ptr %o
  %r11 = call bfloat @llvm.minnum.bf16(bfloat %a, bfloat %b)
  store bfloat %r11, ptr %o
  %r12 = call bfloat @llvm.maxnum.bf16(bfloat %a, bfloat %b)
  store bfloat %r12, ptr %o
  %r13 = call bfloat @llvm.minimum.bf16(bfloat %a, bfloat %b)
  store bfloat %r13, ptr %o
  %r14 = call bfloat @llvm.maximum.bf16(bfloat %a, bfloat %b)
  store bfloat %r14, ptr %o
  %r15 = call bfloat @llvm.minimumnum.bf16(bfloat %a, bfloat %b)
  store bfloat %r15, ptr %o
  %r16 = call bfloat @llvm.maximumnum.bf16(bfloat %a, bfloat %b)
  store bfloat %r16, ptr %o
  %r17 = call bfloat @llvm.fma.bf16(bfloat %a, bfloat %b, bfloat %a)
  store bfloat %r17, ptr %o
  %r18 = call bfloat @llvm.fmuladd.bf16(bfloat %a, bfloat %b, bfloat %a)
  store bfloat %r18, ptr %o
  %r19 = call bfloat @llvm.ldexp.bf16.i32(bfloat %a, i32 %i)
  store bfloat %r19, ptr %o
  %r20 = call {bfloat, i32} @llvm.frexp.bf16.i32(bfloat %a)
  store {bfloat, i32} %r20, ptr %o
  %r21 = call {bfloat, bfloat} @llvm.modf.bf16(bfloat %a)
  store {bfloat, bfloat} %r21, ptr %o
  %c = call i1 @llvm.is.fpclass.bf16(bfloat %a, i32 519)
  store i1 %c, ptr %o
  %r22 = call i8 @llvm.fptosi.sat.i8.bf16(bfloat %a)
  store i8 %r22, ptr %o
  %r23 = call i8 @llvm.fptoui.sat.i8.bf16(bfloat %a)
  store i8 %r23, ptr %o
  %r24 = call i32 @llvm.fptosi.sat.i32.bf16(bfloat %a)
  store i32 %r24, ptr %o
  %r25 = call i32 @llvm.fptoui.sat.i32.bf16(bfloat %a)
  store i32 %r25, ptr %o
  %r26 = call i64 @llvm.fptosi.sat.i64.bf16(bfloat %a)
  store i64 %r26, ptr %o
  %r27 = call i64 @llvm.fptoui.sat.i64.bf16(bfloat %a)
  store i64 %r27, ptr %o
  ret void
}

define void @reals_f32(float %a, float %b, i32 %i, ptr %o) {
  %r0 = call float @llvm.fabs.f32(float %a)
  store float %r0, ptr %o
  %r1 = call float @llvm.floor.f32(float %a)
  store float %r1, ptr %o
  %r2 = call float @llvm.ceil.f32(float %a)
  store float %r2, ptr %o
  %r3 = call float @llvm.trunc.f32(float %a)
  store float %r3, ptr %o
  %r4 = call float @llvm.rint.f32(float %a)
  store float %r4, ptr %o
  %r5 = call float @llvm.nearbyint.f32(float %a)
  store float %r5, ptr %o
  %r6 = call float @llvm.roundeven.f32(float %a)
  store float %r6, ptr %o
  %r7 = call float @llvm.round.f32(float %a)
  store float %r7, ptr %o
  %r8 = call float @llvm.sqrt.f32(float %a)
  store float %r8, ptr %o
  %r9 = call float @llvm.canonicalize.f32(float %a)
  store float %r9, ptr %o
  %r10 = call float @llvm.copysign.f32(float %a, float %b)
  store float %r10, ptr %o
  %r11 = call float @llvm.minnum.f32(float %a, float %b)
  store float %r11, ptr %o
  %r12 = call float @llvm.maxnum.f32(float %a, float %b)
  store float %r12, ptr %o
  %r13 = call float @llvm.minimum.f32(float %a, float %b)
  store float %r13, ptr %o
  %r14 = call float @llvm.maximum.f32(float %a, float %b)
  store float %r14, ptr %o
  %r15 = call float @llvm.minimumnum.f32(float %a, float %b)
  store float %r15, ptr %o
  %r16 = call float @llvm.maximumnum.f32(float %a, float %b)
  store float %r16, ptr %o
  %r17 = call float @llvm.fma.f32(float %a, float %b, float %a)
  store float %r17, ptr %o
  %r18 = call float @llvm.fmuladd.f32(float %a, float %b, float %a)
  store float %r18, ptr %o
  %r19 = call float @llvm.ldexp.f32.i32(float %a, i32 %i)
  store float %r19, ptr %o
  %r20 = call {float, i32} @llvm.frexp.f32.i32(float %a)
  store {float, i32} %r20, ptr %o
  %r21 = call {float, float} @llvm.modf.f32(float %a)
  store {float, float} %r21, ptr %o
  %c = call i1 @llvm.is.fpclass.f32(float %a, i32 519)
  store i1 %c, ptr %o
  %r22 = call i8 @llvm.fptosi.sat.i8.f32(float %a)
  store i8 %r22, ptr %o
  %r23 = call i8 @llvm.fptoui.sat.i8.f32(float %a)
  store i8 %r23, ptr %o
  %r24 = call i32 @llvm.fptosi.sat.i32.f32(float %a)
  store i32 %r24, ptr %o
  %r25 = call i32 @llvm.fptoui.sat.i32.f32(float %a)
  store i32 %r25, ptr %o
  %r26 = call i64 @llvm.fptosi.sat.i64.f32(float %a)
  store i64 %r26, ptr %o
  %r27 = call i64 @llvm.fptoui.sat.i64.f32(float %a)
  store i64 %r27, ptr %o
  %r28 = call i64 @llvm.lrint.i64.f32(float %a)
  store i64 %r28, ptr %o
  %r29 = call i64 @llvm.lround.i64.f32(float %a)
  store i64 %r29, ptr %o
  ret void
}

define void @reals_f64(double %a, double %b, i32 %i, ptr %o) {
  %r0 = call double @llvm.fabs.f64(double %a)
  store double %r0, ptr %o
  %r1 = call double @llvm.floor.f64(double %a)
  store double %r1, ptr %o
  %r2 = call double @llvm.ceil.f64(double %a)
  store double %r2, ptr %o
  %r3 = call double @llvm.trunc.f64(double %a)
  store double %r3, ptr %o
  %r4 = call double @llvm.rint.f64(double %a)
  store double %r4, ptr %o
  %r5 = call double @llvm.nearbyint.f64(double %a)
  store double %r5, ptr %o
  %r6 = call double @llvm.roundeven.f64(double %a)
  store double %r6, ptr %o
  %r7 = call double @llvm.round.f64(double %a)
  store double %r7, ptr %o
  %r8 = call double @llvm.sqrt.f64(double %a)
  store double %r8, ptr %o
  %r9 = call double @llvm.canonicalize.f64(double %a)
  store double %r9, ptr %o
  %r10 = call double @llvm.copysign.f64(double %a, double %b)
  store double %r10, ptr %o
  %r11 = call double @llvm.minnum.f64(double %a, double %b)
  store double %r11, ptr %o
  %r12 = call double @llvm.maxnum.f64(double %a, double %b)
  store double %r12, ptr %o
  %r13 = call double @llvm.minimum.f64(double %a, double %b)
  store double %r13, ptr %o
  %r14 = call double @llvm.maximum.f64(double %a, double %b)
  store double %r14, ptr %o
  %r15 = call double @llvm.minimumnum.f64(double %a, double %b)
  store double %r15, ptr %o
  %r16 = call double @llvm.maximumnum.f64(double %a, double %b)
  store double %r16, ptr %o
  %r17 = call double @llvm.fma.f64(double %a, double %b, double %a)
  store double %r17, ptr %o
  %r18 = call double @llvm.fmuladd.f64(double %a, double %b, double %a)
  store double %r18, ptr %o
  %r19 = call double @llvm.ldexp.f64.i32(double %a, i32 %i)
  store double %r19, ptr %o
  %n = load i48, ptr %o
  %wide = call double @llvm.ldexp.f64.i48(double %a, i48 %n)
  store double %wide, ptr %o
  %r20 = call {double, i32} @llvm.frexp.f64.i32(double %a)
  store {double, i32} %r20, ptr %o
  %r21 = call {double, double} @llvm.modf.f64(double %a)
  store {double, double} %r21, ptr %o
  %c = call i1 @llvm.is.fpclass.f64(double %a, i32 519)
  store i1 %c, ptr %o
  %r22 = call i8 @llvm.fptosi.sat.i8.f64(double %a)
  store i8 %r22, ptr %o
  %r23 = call i8 @llvm.fptoui.sat.i8.f64(double %a)
  store i8 %r23, ptr %o
  %r24 = call i32 @llvm.fptosi.sat.i32.f64(double %a)
  store i32 %r24, ptr %o
  %r25 = call i32 @llvm.fptoui.sat.i32.f64(double %a)
  store i32 %r25, ptr %o
  %r26 = call i64 @llvm.fptosi.sat.i64.f64(double %a)
  store i64 %r26, ptr %o
  %r27 = call i64 @llvm.fptoui.sat.i64.f64(double %a)
  store i64 %r27, ptr %o
  %r28 = call i64 @llvm.lrint.i64.f64(double %a)
  store i64 %r28, ptr %o
  %r29 = call i64 @llvm.lround.i64.f64(double %a)
  store i64 %r29, ptr %o
  ret void
}

define void @reals_v2f32(<2 x float> %a, <2 x float> %b, <2 x i32> %i, ptr %o) {
  %r0 = call <2 x float> @llvm.fabs.v2f32(<2 x float> %a)
  store <2 x float> %r0, ptr %o
  %r1 = call <2 x float> @llvm.floor.v2f32(<2 x float> %a)
  store <2 x float> %r1, ptr %o
  %r2 = call <2 x float> @llvm.ceil.v2f32(<2 x float> %a)
  store <2 x float> %r2, ptr %o
  %r3 = call <2 x float> @llvm.trunc.v2f32(<2 x float> %a)
  store <2 x float> %r3, ptr %o
  %r4 = call <2 x float> @llvm.rint.v2f32(<2 x float> %a)
  store <2 x float> %r4, ptr %o
  %r5 = call <2 x float> @llvm.nearbyint.v2f32(<2 x float> %a)
  store <2 x float> %r5, ptr %o
  %r6 = call <2 x float> @llvm.roundeven.v2f32(<2 x float> %a)
  store <2 x float> %r6, ptr %o
  %r7 = call <2 x float> @llvm.round.v2f32(<2 x float> %a)
  store <2 x float> %r7, ptr %o
  %r8 = call <2 x float> @llvm.sqrt.v2f32(<2 x float> %a)
  store <2 x float> %r8, ptr %o
  %r9 = call <2 x float> @llvm.canonicalize.v2f32(<2 x float> %a)
  store <2 x float> %r9, ptr %o
  %r10 = call <2 x float> @llvm.copysign.v2f32(<2 x float> %a, <2 x float> %b)
  store <2 x float> %r10, ptr %o
  %r11 = call <2 x float> @llvm.minnum.v2f32(<2 x float> %a, <2 x float> %b)
  store <2 x float> %r11, ptr %o
  %r12 = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %a, <2 x float> %b)
  store <2 x float> %r12, ptr %o
  %r13 = call <2 x float> @llvm.minimum.v2f32(<2 x float> %a, <2 x float> %b)
  store <2 x float> %r13, ptr %o
  %r14 = call <2 x float> @llvm.maximum.v2f32(<2 x float> %a, <2 x float> %b)
  store <2 x float> %r14, ptr %o
  %r15 = call <2 x float> @llvm.minimumnum.v2f32(<2 x float> %a, <2 x float> %b)
  store <2 x float> %r15, ptr %o
  %r16 = call <2 x float> @llvm.maximumnum.v2f32(<2 x float> %a, <2 x float> %b)
  store <2 x float> %r16, ptr %o
  %r17 = call <2 x float> @llvm.fma.v2f32(<2 x float> %a, <2 x float> %b, <2 x float> %a)
  store <2 x float> %r17, ptr %o
  %r18 = call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %a, <2 x float> %b, <2 x float> %a)
  store <2 x float> %r18, ptr %o
  %r19 = call <2 x float> @llvm.ldexp.v2f32.v2i32(<2 x float> %a, <2 x i32> %i)
  store <2 x float> %r19, ptr %o
  %r20 = call {<2 x float>, <2 x i32>} @llvm.frexp.v2f32.v2i32(<2 x float> %a)
  store {<2 x float>, <2 x i32>} %r20, ptr %o
  %r21 = call {<2 x float>, <2 x float>} @llvm.modf.v2f32(<2 x float> %a)
  store {<2 x float>, <2 x float>} %r21, ptr %o
  %c = call <2 x i1> @llvm.is.fpclass.v2f32(<2 x float> %a, i32 519)
  ret void
}

define void @native(float %a, float %b, <2 x float> %v, ptr %o) {
  %r0 = call afn float @llvm.sin.f32(float %a)
  store float %r0, ptr %o
  %r1 = call afn float @llvm.cos.f32(float %a)
  store float %r1, ptr %o
  %r2 = call afn float @llvm.exp2.f32(float %a)
  store float %r2, ptr %o
  %r3 = call afn float @llvm.log2.f32(float %a)
  store float %r3, ptr %o
  %r4 = call float @llvm.amdgcn.rcp.f32(float %a)
  store float %r4, ptr %o
  %r5 = call float @llvm.amdgcn.rsq.f32(float %a)
  store float %r5, ptr %o
  %r6 = call float @llvm.amdgcn.sqrt.f32(float %a)
  store float %r6, ptr %o
  %r7 = call float @llvm.amdgcn.fract.f32(float %a)
  store float %r7, ptr %o
  %r8 = call float @llvm.amdgcn.exp2.f32(float %a)
  store float %r8, ptr %o
  %r9 = call float @llvm.amdgcn.log.f32(float %a)
  store float %r9, ptr %o
  %r10 = call float @llvm.amdgcn.sin.f32(float %a)
  store float %r10, ptr %o
  %r11 = call float @llvm.amdgcn.cos.f32(float %a)
  store float %r11, ptr %o
  %r12 = call float @llvm.amdgcn.frexp.mant.f32(float %a)
  store float %r12, ptr %o
  %r13 = call float @llvm.amdgcn.fmed3.f32(float %a, float %b, float 1.0)
  store float %r13, ptr %o
  %r14 = call float @llvm.vector.reduce.fadd.v2f32(float %a, <2 x float> %v)
  store float %r14, ptr %o
  %r15 = call float @llvm.vector.reduce.fmax.v2f32(<2 x float> %v)
  store float %r15, ptr %o
  ret void
}

declare <2 x float> @llvm.canonicalize.v2f32(<2 x float>)
declare <2 x float> @llvm.ceil.v2f32(<2 x float>)
declare <2 x float> @llvm.copysign.v2f32(<2 x float>, <2 x float>)
declare <2 x float> @llvm.fabs.v2f32(<2 x float>)
declare <2 x float> @llvm.floor.v2f32(<2 x float>)
declare <2 x float> @llvm.fma.v2f32(<2 x float>, <2 x float>, <2 x float>)
declare <2 x float> @llvm.fmuladd.v2f32(<2 x float>, <2 x float>, <2 x float>)
declare <2 x float> @llvm.ldexp.v2f32.v2i32(<2 x float>, <2 x i32>)
declare <2 x float> @llvm.maximum.v2f32(<2 x float>, <2 x float>)
declare <2 x float> @llvm.maximumnum.v2f32(<2 x float>, <2 x float>)
declare <2 x float> @llvm.maxnum.v2f32(<2 x float>, <2 x float>)
declare <2 x float> @llvm.minimum.v2f32(<2 x float>, <2 x float>)
declare <2 x float> @llvm.minimumnum.v2f32(<2 x float>, <2 x float>)
declare <2 x float> @llvm.minnum.v2f32(<2 x float>, <2 x float>)
declare <2 x float> @llvm.nearbyint.v2f32(<2 x float>)
declare <2 x float> @llvm.rint.v2f32(<2 x float>)
declare <2 x float> @llvm.round.v2f32(<2 x float>)
declare <2 x float> @llvm.roundeven.v2f32(<2 x float>)
declare <2 x float> @llvm.sqrt.v2f32(<2 x float>)
declare <2 x float> @llvm.trunc.v2f32(<2 x float>)
declare <2 x i1> @llvm.is.fpclass.v2f32(<2 x float>, i32 immarg)
declare bfloat @llvm.canonicalize.bf16(bfloat)
declare bfloat @llvm.ceil.bf16(bfloat)
declare bfloat @llvm.copysign.bf16(bfloat, bfloat)
declare bfloat @llvm.fabs.bf16(bfloat)
declare bfloat @llvm.floor.bf16(bfloat)
declare bfloat @llvm.fma.bf16(bfloat, bfloat, bfloat)
declare bfloat @llvm.fmuladd.bf16(bfloat, bfloat, bfloat)
declare bfloat @llvm.ldexp.bf16.i32(bfloat, i32)
declare bfloat @llvm.maximum.bf16(bfloat, bfloat)
declare bfloat @llvm.maximumnum.bf16(bfloat, bfloat)
declare bfloat @llvm.maxnum.bf16(bfloat, bfloat)
declare bfloat @llvm.minimum.bf16(bfloat, bfloat)
declare bfloat @llvm.minimumnum.bf16(bfloat, bfloat)
declare bfloat @llvm.minnum.bf16(bfloat, bfloat)
declare bfloat @llvm.nearbyint.bf16(bfloat)
declare bfloat @llvm.rint.bf16(bfloat)
declare bfloat @llvm.round.bf16(bfloat)
declare bfloat @llvm.roundeven.bf16(bfloat)
declare bfloat @llvm.sqrt.bf16(bfloat)
declare bfloat @llvm.trunc.bf16(bfloat)
declare double @llvm.canonicalize.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.ldexp.f64.i32(double, i32)
declare double @llvm.ldexp.f64.i48(double, i48)
declare double @llvm.maximum.f64(double, double)
declare double @llvm.maximumnum.f64(double, double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.minimum.f64(double, double)
declare double @llvm.minimumnum.f64(double, double)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.nearbyint.f64(double)
declare double @llvm.rint.f64(double)
declare double @llvm.round.f64(double)
declare double @llvm.roundeven.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.trunc.f64(double)
declare float @llvm.amdgcn.cos.f32(float)
declare float @llvm.amdgcn.exp2.f32(float)
declare float @llvm.amdgcn.fmed3.f32(float, float, float)
declare float @llvm.amdgcn.fract.f32(float)
declare float @llvm.amdgcn.frexp.mant.f32(float)
declare float @llvm.amdgcn.log.f32(float)
declare float @llvm.amdgcn.rcp.f32(float)
declare float @llvm.amdgcn.rsq.f32(float)
declare float @llvm.amdgcn.sin.f32(float)
declare float @llvm.amdgcn.sqrt.f32(float)
declare float @llvm.canonicalize.f32(float)
declare float @llvm.ceil.f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.cos.f32(float)
declare float @llvm.exp2.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.floor.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.fmuladd.f32(float, float, float)
declare float @llvm.ldexp.f32.i32(float, i32)
declare float @llvm.log2.f32(float)
declare float @llvm.maximum.f32(float, float)
declare float @llvm.maximumnum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minimum.f32(float, float)
declare float @llvm.minimumnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.nearbyint.f32(float)
declare float @llvm.rint.f32(float)
declare float @llvm.round.f32(float)
declare float @llvm.roundeven.f32(float)
declare float @llvm.sin.f32(float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.trunc.f32(float)
declare float @llvm.vector.reduce.fadd.v2f32(float, <2 x float>)
declare float @llvm.vector.reduce.fmax.v2f32(<2 x float>)
declare half @llvm.canonicalize.f16(half)
declare half @llvm.ceil.f16(half)
declare half @llvm.copysign.f16(half, half)
declare half @llvm.fabs.f16(half)
declare half @llvm.floor.f16(half)
declare half @llvm.fma.f16(half, half, half)
declare half @llvm.fmuladd.f16(half, half, half)
declare half @llvm.ldexp.f16.i32(half, i32)
declare half @llvm.maximum.f16(half, half)
declare half @llvm.maximumnum.f16(half, half)
declare half @llvm.maxnum.f16(half, half)
declare half @llvm.minimum.f16(half, half)
declare half @llvm.minimumnum.f16(half, half)
declare half @llvm.minnum.f16(half, half)
declare half @llvm.nearbyint.f16(half)
declare half @llvm.rint.f16(half)
declare half @llvm.round.f16(half)
declare half @llvm.roundeven.f16(half)
declare half @llvm.sqrt.f16(half)
declare half @llvm.trunc.f16(half)
declare i1 @llvm.is.fpclass.bf16(bfloat, i32 immarg)
declare i1 @llvm.is.fpclass.f16(half, i32 immarg)
declare i1 @llvm.is.fpclass.f32(float, i32 immarg)
declare i1 @llvm.is.fpclass.f64(double, i32 immarg)
declare i32 @llvm.fptosi.sat.i32.bf16(bfloat)
declare i32 @llvm.fptosi.sat.i32.f16(half)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare i32 @llvm.fptosi.sat.i32.f64(double)
declare i32 @llvm.fptoui.sat.i32.bf16(bfloat)
declare i32 @llvm.fptoui.sat.i32.f16(half)
declare i32 @llvm.fptoui.sat.i32.f32(float)
declare i32 @llvm.fptoui.sat.i32.f64(double)
declare i64 @llvm.fptosi.sat.i64.bf16(bfloat)
declare i64 @llvm.fptosi.sat.i64.f16(half)
declare i64 @llvm.fptosi.sat.i64.f32(float)
declare i64 @llvm.fptosi.sat.i64.f64(double)
declare i64 @llvm.fptoui.sat.i64.bf16(bfloat)
declare i64 @llvm.fptoui.sat.i64.f16(half)
declare i64 @llvm.fptoui.sat.i64.f32(float)
declare i64 @llvm.fptoui.sat.i64.f64(double)
declare i64 @llvm.lrint.i64.f32(float)
declare i64 @llvm.lrint.i64.f64(double)
declare i64 @llvm.lround.i64.f32(float)
declare i64 @llvm.lround.i64.f64(double)
declare i8 @llvm.fptosi.sat.i8.bf16(bfloat)
declare i8 @llvm.fptosi.sat.i8.f16(half)
declare i8 @llvm.fptosi.sat.i8.f32(float)
declare i8 @llvm.fptosi.sat.i8.f64(double)
declare i8 @llvm.fptoui.sat.i8.bf16(bfloat)
declare i8 @llvm.fptoui.sat.i8.f16(half)
declare i8 @llvm.fptoui.sat.i8.f32(float)
declare i8 @llvm.fptoui.sat.i8.f64(double)
declare {<2 x float>, <2 x float>} @llvm.modf.v2f32(<2 x float>)
declare {<2 x float>, <2 x i32>} @llvm.frexp.v2f32.v2i32(<2 x float>)
declare {bfloat, bfloat} @llvm.modf.bf16(bfloat)
declare {bfloat, i32} @llvm.frexp.bf16.i32(bfloat)
declare {double, double} @llvm.modf.f64(double)
declare {double, i32} @llvm.frexp.f64.i32(double)
declare {float, float} @llvm.modf.f32(float)
declare {float, i32} @llvm.frexp.f32.i32(float)
declare {half, half} @llvm.modf.f16(half)
declare {half, i32} @llvm.frexp.f16.i32(half)
