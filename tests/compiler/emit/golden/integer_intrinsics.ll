; -O0  intrinsics on integers
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define void @integers_i1(i1 %a, i1 %b, ptr %o) {
  %r0 = call i1 @llvm.smin.i1(i1 %a, i1 %b)
  store i1 %r0, ptr %o
  %r1 = call i1 @llvm.smax.i1(i1 %a, i1 %b)
  store i1 %r1, ptr %o
  %r2 = call i1 @llvm.umin.i1(i1 %a, i1 %b)
  store i1 %r2, ptr %o
  %r3 = call i1 @llvm.umax.i1(i1 %a, i1 %b)
  store i1 %r3, ptr %o
  %r4 = call i1 @llvm.uadd.sat.i1(i1 %a, i1 %b)
  store i1 %r4, ptr %o
  %r5 = call i1 @llvm.sadd.sat.i1(i1 %a, i1 %b)
  store i1 %r5, ptr %o
  %r6 = call i1 @llvm.usub.sat.i1(i1 %a, i1 %b)
  store i1 %r6, ptr %o
  %r7 = call i1 @llvm.ssub.sat.i1(i1 %a, i1 %b)
  store i1 %r7, ptr %o
  %r8 = call i1 @llvm.ctpop.i1(i1 %a)
  store i1 %r8, ptr %o
  %r9 = call i1 @llvm.ctlz.i1(i1 %a, i1 false)
  store i1 %r9, ptr %o
  %r10 = call i1 @llvm.cttz.i1(i1 %a, i1 false)
  store i1 %r10, ptr %o
  %r11 = call i1 @llvm.abs.i1(i1 %a, i1 false)
  store i1 %r11, ptr %o
  %r12 = call i1 @llvm.bitreverse.i1(i1 %a)
  store i1 %r12, ptr %o
  %r13 = call i1 @llvm.fshl.i1(i1 %a, i1 %b, i1 %a)
  store i1 %r13, ptr %o
  %r14 = call i1 @llvm.fshr.i1(i1 %a, i1 %b, i1 %a)
  store i1 %r14, ptr %o
  %r15 = call {i1, i1} @llvm.sadd.with.overflow.i1(i1 %a, i1 %b)
  store {i1, i1} %r15, ptr %o
  %r16 = call {i1, i1} @llvm.uadd.with.overflow.i1(i1 %a, i1 %b)
  store {i1, i1} %r16, ptr %o
  %r17 = call {i1, i1} @llvm.ssub.with.overflow.i1(i1 %a, i1 %b)
  store {i1, i1} %r17, ptr %o
  %r18 = call {i1, i1} @llvm.usub.with.overflow.i1(i1 %a, i1 %b)
  store {i1, i1} %r18, ptr %o
  %r19 = call {i1, i1} @llvm.smul.with.overflow.i1(i1 %a, i1 %b)
  store {i1, i1} %r19, ptr %o
  %r20 = call {i1, i1} @llvm.umul.with.overflow.i1(i1 %a, i1 %b)
  store {i1, i1} %r20, ptr %o
  %r21 = call i8 @llvm.scmp.i8.i1(i1 %a, i1 %b)
  store i8 %r21, ptr %o
  %r22 = call i8 @llvm.ucmp.i8.i1(i1 %a, i1 %b)
  store i8 %r22, ptr %o
  ret void
}

define void @integers_i8(i8 %a, i8 %b, ptr %o) {
  %r0 = call i8 @llvm.smin.i8(i8 %a, i8 %b)
  store i8 %r0, ptr %o
  %r1 = call i8 @llvm.smax.i8(i8 %a, i8 %b)
  store i8 %r1, ptr %o
  %r2 = call i8 @llvm.umin.i8(i8 %a, i8 %b)
  store i8 %r2, ptr %o
  %r3 = call i8 @llvm.umax.i8(i8 %a, i8 %b)
  store i8 %r3, ptr %o
  %r4 = call i8 @llvm.uadd.sat.i8(i8 %a, i8 %b)
  store i8 %r4, ptr %o
  %r5 = call i8 @llvm.sadd.sat.i8(i8 %a, i8 %b)
  store i8 %r5, ptr %o
  %r6 = call i8 @llvm.usub.sat.i8(i8 %a, i8 %b)
  store i8 %r6, ptr %o
  %r7 = call i8 @llvm.ssub.sat.i8(i8 %a, i8 %b)
  store i8 %r7, ptr %o
  %r8 = call i8 @llvm.ctpop.i8(i8 %a)
  store i8 %r8, ptr %o
  %r9 = call i8 @llvm.ctlz.i8(i8 %a, i1 false)
  store i8 %r9, ptr %o
  %r10 = call i8 @llvm.cttz.i8(i8 %a, i1 false)
  store i8 %r10, ptr %o
  %r11 = call i8 @llvm.abs.i8(i8 %a, i1 false)
  store i8 %r11, ptr %o
  %r12 = call i8 @llvm.bitreverse.i8(i8 %a)
  store i8 %r12, ptr %o
  %r13 = call i8 @llvm.fshl.i8(i8 %a, i8 %b, i8 %a)
  store i8 %r13, ptr %o
  %r14 = call i8 @llvm.fshr.i8(i8 %a, i8 %b, i8 %a)
  store i8 %r14, ptr %o
  %r15 = call {i8, i1} @llvm.sadd.with.overflow.i8(i8 %a, i8 %b)
  store {i8, i1} %r15, ptr %o
  %r16 = call {i8, i1} @llvm.uadd.with.overflow.i8(i8 %a, i8 %b)
  store {i8, i1} %r16, ptr %o
  %r17 = call {i8, i1} @llvm.ssub.with.overflow.i8(i8 %a, i8 %b)
  store {i8, i1} %r17, ptr %o
  %r18 = call {i8, i1} @llvm.usub.with.overflow.i8(i8 %a, i8 %b)
  store {i8, i1} %r18, ptr %o
  %r19 = call {i8, i1} @llvm.smul.with.overflow.i8(i8 %a, i8 %b)
  store {i8, i1} %r19, ptr %o
  %r20 = call {i8, i1} @llvm.umul.with.overflow.i8(i8 %a, i8 %b)
  store {i8, i1} %r20, ptr %o
  %r21 = call i8 @llvm.scmp.i8.i8(i8 %a, i8 %b)
  store i8 %r21, ptr %o
  %r22 = call i8 @llvm.ucmp.i8.i8(i8 %a, i8 %b)
  store i8 %r22, ptr %o
  ret void
}

define void @integers_i16(i16 %a, i16 %b, ptr %o) {
  %r0 = call i16 @llvm.smin.i16(i16 %a, i16 %b)
  store i16 %r0, ptr %o
  %r1 = call i16 @llvm.smax.i16(i16 %a, i16 %b)
  store i16 %r1, ptr %o
  %r2 = call i16 @llvm.umin.i16(i16 %a, i16 %b)
  store i16 %r2, ptr %o
  %r3 = call i16 @llvm.umax.i16(i16 %a, i16 %b)
  store i16 %r3, ptr %o
  %r4 = call i16 @llvm.uadd.sat.i16(i16 %a, i16 %b)
  store i16 %r4, ptr %o
  %r5 = call i16 @llvm.sadd.sat.i16(i16 %a, i16 %b)
  store i16 %r5, ptr %o
  %r6 = call i16 @llvm.usub.sat.i16(i16 %a, i16 %b)
  store i16 %r6, ptr %o
  %r7 = call i16 @llvm.ssub.sat.i16(i16 %a, i16 %b)
  store i16 %r7, ptr %o
  %r8 = call i16 @llvm.ctpop.i16(i16 %a)
  store i16 %r8, ptr %o
  %r9 = call i16 @llvm.ctlz.i16(i16 %a, i1 false)
  store i16 %r9, ptr %o
  %r10 = call i16 @llvm.cttz.i16(i16 %a, i1 false)
  store i16 %r10, ptr %o
  %r11 = call i16 @llvm.abs.i16(i16 %a, i1 false)
  store i16 %r11, ptr %o
  %r12 = call i16 @llvm.bitreverse.i16(i16 %a)
  store i16 %r12, ptr %o
  %r13 = call i16 @llvm.bswap.i16(i16 %a)
  store i16 %r13, ptr %o
  %r14 = call i16 @llvm.fshl.i16(i16 %a, i16 %b, i16 %a)
  store i16 %r14, ptr %o
  %r15 = call i16 @llvm.fshr.i16(i16 %a, i16 %b, i16 %a)
  store i16 %r15, ptr %o
  %r16 = call {i16, i1} @llvm.sadd.with.overflow.i16(i16 %a, i16 %b)
  store {i16, i1} %r16, ptr %o
  %r17 = call {i16, i1} @llvm.uadd.with.overflow.i16(i16 %a, i16 %b)
  store {i16, i1} %r17, ptr %o
  %r18 = call {i16, i1} @llvm.ssub.with.overflow.i16(i16 %a, i16 %b)
  store {i16, i1} %r18, ptr %o
  %r19 = call {i16, i1} @llvm.usub.with.overflow.i16(i16 %a, i16 %b)
  store {i16, i1} %r19, ptr %o
  %r20 = call {i16, i1} @llvm.smul.with.overflow.i16(i16 %a, i16 %b)
  store {i16, i1} %r20, ptr %o
  %r21 = call {i16, i1} @llvm.umul.with.overflow.i16(i16 %a, i16 %b)
  store {i16, i1} %r21, ptr %o
  %r22 = call i8 @llvm.scmp.i8.i16(i16 %a, i16 %b)
  store i8 %r22, ptr %o
  %r23 = call i8 @llvm.ucmp.i8.i16(i16 %a, i16 %b)
  store i8 %r23, ptr %o
  ret void
}

define void @integers_i24(i24 %a, i24 %b, ptr %o) {
  %r0 = call i24 @llvm.smin.i24(i24 %a, i24 %b)
  store i24 %r0, ptr %o
  %r1 = call i24 @llvm.smax.i24(i24 %a, i24 %b)
  store i24 %r1, ptr %o
  %r2 = call i24 @llvm.umin.i24(i24 %a, i24 %b)
  store i24 %r2, ptr %o
  %r3 = call i24 @llvm.umax.i24(i24 %a, i24 %b)
  store i24 %r3, ptr %o
  %r4 = call i24 @llvm.uadd.sat.i24(i24 %a, i24 %b)
  store i24 %r4, ptr %o
  %r5 = call i24 @llvm.sadd.sat.i24(i24 %a, i24 %b)
  store i24 %r5, ptr %o
  %r6 = call i24 @llvm.usub.sat.i24(i24 %a, i24 %b)
  store i24 %r6, ptr %o
  %r7 = call i24 @llvm.ssub.sat.i24(i24 %a, i24 %b)
  store i24 %r7, ptr %o
  %r8 = call i24 @llvm.ctpop.i24(i24 %a)
  store i24 %r8, ptr %o
  %r9 = call i24 @llvm.ctlz.i24(i24 %a, i1 false)
  store i24 %r9, ptr %o
  %r10 = call i24 @llvm.cttz.i24(i24 %a, i1 false)
  store i24 %r10, ptr %o
  %r11 = call i24 @llvm.abs.i24(i24 %a, i1 false)
  store i24 %r11, ptr %o
  %r12 = call i24 @llvm.bitreverse.i24(i24 %a)
  store i24 %r12, ptr %o
  %r13 = call i24 @llvm.fshl.i24(i24 %a, i24 %b, i24 %a)
  store i24 %r13, ptr %o
  %r14 = call i24 @llvm.fshr.i24(i24 %a, i24 %b, i24 %a)
  store i24 %r14, ptr %o
  %r15 = call {i24, i1} @llvm.sadd.with.overflow.i24(i24 %a, i24 %b)
  store {i24, i1} %r15, ptr %o
  %r16 = call {i24, i1} @llvm.uadd.with.overflow.i24(i24 %a, i24 %b)
  store {i24, i1} %r16, ptr %o
  %r17 = call {i24, i1} @llvm.ssub.with.overflow.i24(i24 %a, i24 %b)
  store {i24, i1} %r17, ptr %o
  %r18 = call {i24, i1} @llvm.usub.with.overflow.i24(i24 %a, i24 %b)
  store {i24, i1} %r18, ptr %o
  %r19 = call {i24, i1} @llvm.smul.with.overflow.i24(i24 %a, i24 %b)
  store {i24, i1} %r19, ptr %o
  %r20 = call {i24, i1} @llvm.umul.with.overflow.i24(i24 %a, i24 %b)
  store {i24, i1} %r20, ptr %o
  %r21 = call i8 @llvm.scmp.i8.i24(i24 %a, i24 %b)
  store i8 %r21, ptr %o
  %r22 = call i8 @llvm.ucmp.i8.i24(i24 %a, i24 %b)
  store i8 %r22, ptr %o
  ret void
}

define void @integers_i32(i32 %a, i32 %b, ptr %o) {
  %r0 = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  store i32 %r0, ptr %o
  %r1 = call i32 @llvm.smax.i32(i32 %a, i32 %b)
  store i32 %r1, ptr %o
  %r2 = call i32 @llvm.umin.i32(i32 %a, i32 %b)
  store i32 %r2, ptr %o
  %r3 = call i32 @llvm.umax.i32(i32 %a, i32 %b)
  store i32 %r3, ptr %o
  %r4 = call i32 @llvm.uadd.sat.i32(i32 %a, i32 %b)
  store i32 %r4, ptr %o
  %r5 = call i32 @llvm.sadd.sat.i32(i32 %a, i32 %b)
  store i32 %r5, ptr %o
  %r6 = call i32 @llvm.usub.sat.i32(i32 %a, i32 %b)
  store i32 %r6, ptr %o
  %r7 = call i32 @llvm.ssub.sat.i32(i32 %a, i32 %b)
  store i32 %r7, ptr %o
  %r8 = call i32 @llvm.ctpop.i32(i32 %a)
  store i32 %r8, ptr %o
  %r9 = call i32 @llvm.ctlz.i32(i32 %a, i1 false)
  store i32 %r9, ptr %o
  %r10 = call i32 @llvm.cttz.i32(i32 %a, i1 false)
  store i32 %r10, ptr %o
  %r11 = call i32 @llvm.abs.i32(i32 %a, i1 false)
  store i32 %r11, ptr %o
  %r12 = call i32 @llvm.bitreverse.i32(i32 %a)
  store i32 %r12, ptr %o
  %r13 = call i32 @llvm.bswap.i32(i32 %a)
  store i32 %r13, ptr %o
  %r14 = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 %a)
  store i32 %r14, ptr %o
  %r15 = call i32 @llvm.fshr.i32(i32 %a, i32 %b, i32 %a)
  store i32 %r15, ptr %o
  %r16 = call {i32, i1} @llvm.sadd.with.overflow.i32(i32 %a, i32 %b)
  store {i32, i1} %r16, ptr %o
  %r17 = call {i32, i1} @llvm.uadd.with.overflow.i32(i32 %a, i32 %b)
  store {i32, i1} %r17, ptr %o
  %r18 = call {i32, i1} @llvm.ssub.with.overflow.i32(i32 %a, i32 %b)
  store {i32, i1} %r18, ptr %o
  %r19 = call {i32, i1} @llvm.usub.with.overflow.i32(i32 %a, i32 %b)
  store {i32, i1} %r19, ptr %o
  %r20 = call {i32, i1} @llvm.smul.with.overflow.i32(i32 %a, i32 %b)
  store {i32, i1} %r20, ptr %o
  %r21 = call {i32, i1} @llvm.umul.with.overflow.i32(i32 %a, i32 %b)
  store {i32, i1} %r21, ptr %o
  %r22 = call i8 @llvm.scmp.i8.i32(i32 %a, i32 %b)
  store i8 %r22, ptr %o
  %r23 = call i8 @llvm.ucmp.i8.i32(i32 %a, i32 %b)
  store i8 %r23, ptr %o
  ret void
}

define void @integers_i48(i48 %a, i48 %b, ptr %o) {
  %r0 = call i48 @llvm.smin.i48(i48 %a, i48 %b)
  store i48 %r0, ptr %o
  %r1 = call i48 @llvm.smax.i48(i48 %a, i48 %b)
  store i48 %r1, ptr %o
  %r2 = call i48 @llvm.umin.i48(i48 %a, i48 %b)
  store i48 %r2, ptr %o
  %r3 = call i48 @llvm.umax.i48(i48 %a, i48 %b)
  store i48 %r3, ptr %o
  %r4 = call i48 @llvm.uadd.sat.i48(i48 %a, i48 %b)
  store i48 %r4, ptr %o
  %r5 = call i48 @llvm.sadd.sat.i48(i48 %a, i48 %b)
  store i48 %r5, ptr %o
  %r6 = call i48 @llvm.usub.sat.i48(i48 %a, i48 %b)
  store i48 %r6, ptr %o
  %r7 = call i48 @llvm.ssub.sat.i48(i48 %a, i48 %b)
  store i48 %r7, ptr %o
  %r8 = call i48 @llvm.ctpop.i48(i48 %a)
  store i48 %r8, ptr %o
  %r9 = call i48 @llvm.ctlz.i48(i48 %a, i1 false)
  store i48 %r9, ptr %o
  %r10 = call i48 @llvm.cttz.i48(i48 %a, i1 false)
  store i48 %r10, ptr %o
  %r11 = call i48 @llvm.abs.i48(i48 %a, i1 false)
  store i48 %r11, ptr %o
  %r12 = call i48 @llvm.bitreverse.i48(i48 %a)
  store i48 %r12, ptr %o
  %r13 = call i48 @llvm.bswap.i48(i48 %a)
  store i48 %r13, ptr %o
  %r14 = call i48 @llvm.fshl.i48(i48 %a, i48 %b, i48 %a)
  store i48 %r14, ptr %o
  %r15 = call i48 @llvm.fshr.i48(i48 %a, i48 %b, i48 %a)
  store i48 %r15, ptr %o
  %r16 = call {i48, i1} @llvm.sadd.with.overflow.i48(i48 %a, i48 %b)
  store {i48, i1} %r16, ptr %o
  %r17 = call {i48, i1} @llvm.uadd.with.overflow.i48(i48 %a, i48 %b)
  store {i48, i1} %r17, ptr %o
  %r18 = call {i48, i1} @llvm.ssub.with.overflow.i48(i48 %a, i48 %b)
  store {i48, i1} %r18, ptr %o
  %r19 = call {i48, i1} @llvm.usub.with.overflow.i48(i48 %a, i48 %b)
  store {i48, i1} %r19, ptr %o
  %r20 = call {i48, i1} @llvm.smul.with.overflow.i48(i48 %a, i48 %b)
  store {i48, i1} %r20, ptr %o
  %r21 = call {i48, i1} @llvm.umul.with.overflow.i48(i48 %a, i48 %b)
  store {i48, i1} %r21, ptr %o
  %r22 = call i8 @llvm.scmp.i8.i48(i48 %a, i48 %b)
  store i8 %r22, ptr %o
  %r23 = call i8 @llvm.ucmp.i8.i48(i48 %a, i48 %b)
  store i8 %r23, ptr %o
  ret void
}

define void @integers_i64(i64 %a, i64 %b, ptr %o) {
  %r0 = call i64 @llvm.smin.i64(i64 %a, i64 %b)
  store i64 %r0, ptr %o
  %r1 = call i64 @llvm.smax.i64(i64 %a, i64 %b)
  store i64 %r1, ptr %o
  %r2 = call i64 @llvm.umin.i64(i64 %a, i64 %b)
  store i64 %r2, ptr %o
  %r3 = call i64 @llvm.umax.i64(i64 %a, i64 %b)
  store i64 %r3, ptr %o
  %r4 = call i64 @llvm.uadd.sat.i64(i64 %a, i64 %b)
  store i64 %r4, ptr %o
  %r5 = call i64 @llvm.sadd.sat.i64(i64 %a, i64 %b)
  store i64 %r5, ptr %o
  %r6 = call i64 @llvm.usub.sat.i64(i64 %a, i64 %b)
  store i64 %r6, ptr %o
  %r7 = call i64 @llvm.ssub.sat.i64(i64 %a, i64 %b)
  store i64 %r7, ptr %o
  %r8 = call i64 @llvm.ctpop.i64(i64 %a)
  store i64 %r8, ptr %o
  %r9 = call i64 @llvm.ctlz.i64(i64 %a, i1 false)
  store i64 %r9, ptr %o
  %r10 = call i64 @llvm.cttz.i64(i64 %a, i1 false)
  store i64 %r10, ptr %o
  %r11 = call i64 @llvm.abs.i64(i64 %a, i1 false)
  store i64 %r11, ptr %o
  %r12 = call i64 @llvm.bitreverse.i64(i64 %a)
  store i64 %r12, ptr %o
  %r13 = call i64 @llvm.bswap.i64(i64 %a)
  store i64 %r13, ptr %o
  %r14 = call i64 @llvm.fshl.i64(i64 %a, i64 %b, i64 %a)
  store i64 %r14, ptr %o
  %r15 = call i64 @llvm.fshr.i64(i64 %a, i64 %b, i64 %a)
  store i64 %r15, ptr %o
  %r16 = call {i64, i1} @llvm.sadd.with.overflow.i64(i64 %a, i64 %b)
  store {i64, i1} %r16, ptr %o
  %r17 = call {i64, i1} @llvm.uadd.with.overflow.i64(i64 %a, i64 %b)
  store {i64, i1} %r17, ptr %o
  %r18 = call {i64, i1} @llvm.ssub.with.overflow.i64(i64 %a, i64 %b)
  store {i64, i1} %r18, ptr %o
  %r19 = call {i64, i1} @llvm.usub.with.overflow.i64(i64 %a, i64 %b)
  store {i64, i1} %r19, ptr %o
  %r20 = call {i64, i1} @llvm.smul.with.overflow.i64(i64 %a, i64 %b)
  store {i64, i1} %r20, ptr %o
  %r21 = call {i64, i1} @llvm.umul.with.overflow.i64(i64 %a, i64 %b)
  store {i64, i1} %r21, ptr %o
  %r22 = call i8 @llvm.scmp.i8.i64(i64 %a, i64 %b)
  store i8 %r22, ptr %o
  %r23 = call i8 @llvm.ucmp.i8.i64(i64 %a, i64 %b)
  store i8 %r23, ptr %o
  ret void
}

define void @integers_i128(i128 %a, i128 %b, ptr %o) {
  %r0 = call i128 @llvm.smin.i128(i128 %a, i128 %b)
  store i128 %r0, ptr %o
  %r1 = call i128 @llvm.smax.i128(i128 %a, i128 %b)
  store i128 %r1, ptr %o
  %r2 = call i128 @llvm.umin.i128(i128 %a, i128 %b)
  store i128 %r2, ptr %o
  %r3 = call i128 @llvm.umax.i128(i128 %a, i128 %b)
  store i128 %r3, ptr %o
  %r4 = call i128 @llvm.uadd.sat.i128(i128 %a, i128 %b)
  store i128 %r4, ptr %o
  %r5 = call i128 @llvm.sadd.sat.i128(i128 %a, i128 %b)
  store i128 %r5, ptr %o
  %r6 = call i128 @llvm.usub.sat.i128(i128 %a, i128 %b)
  store i128 %r6, ptr %o
  %r7 = call i128 @llvm.ssub.sat.i128(i128 %a, i128 %b)
  store i128 %r7, ptr %o
  %r8 = call i128 @llvm.ctpop.i128(i128 %a)
  store i128 %r8, ptr %o
  %r9 = call i128 @llvm.ctlz.i128(i128 %a, i1 false)
  store i128 %r9, ptr %o
  %r10 = call i128 @llvm.cttz.i128(i128 %a, i1 false)
  store i128 %r10, ptr %o
  %r11 = call i128 @llvm.abs.i128(i128 %a, i1 false)
  store i128 %r11, ptr %o
  %r12 = call i128 @llvm.bitreverse.i128(i128 %a)
  store i128 %r12, ptr %o
  %r13 = call i128 @llvm.bswap.i128(i128 %a)
  store i128 %r13, ptr %o
  %r14 = call i128 @llvm.fshl.i128(i128 %a, i128 %b, i128 5)
  store i128 %r14, ptr %o
  %r15 = call i128 @llvm.fshr.i128(i128 %a, i128 %b, i128 5)
  store i128 %r15, ptr %o
  %r16 = call {i128, i1} @llvm.sadd.with.overflow.i128(i128 %a, i128 %b)
  store {i128, i1} %r16, ptr %o
  %r17 = call {i128, i1} @llvm.uadd.with.overflow.i128(i128 %a, i128 %b)
  store {i128, i1} %r17, ptr %o
  %r18 = call {i128, i1} @llvm.ssub.with.overflow.i128(i128 %a, i128 %b)
  store {i128, i1} %r18, ptr %o
  %r19 = call {i128, i1} @llvm.usub.with.overflow.i128(i128 %a, i128 %b)
  store {i128, i1} %r19, ptr %o
  %r20 = call i8 @llvm.scmp.i8.i128(i128 %a, i128 %b)
  store i8 %r20, ptr %o
  %r21 = call i8 @llvm.ucmp.i8.i128(i128 %a, i128 %b)
  store i8 %r21, ptr %o
  ret void
}

define void @reductions(<4 x i32> %a, ptr %o) {
  %r0 = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %a)
  store i32 %r0, ptr %o
  %r1 = call i32 @llvm.vector.reduce.mul.v4i32(<4 x i32> %a)
  store i32 %r1, ptr %o
  %r2 = call i32 @llvm.vector.reduce.and.v4i32(<4 x i32> %a)
  store i32 %r2, ptr %o
  %r3 = call i32 @llvm.vector.reduce.or.v4i32(<4 x i32> %a)
  store i32 %r3, ptr %o
  %r4 = call i32 @llvm.vector.reduce.xor.v4i32(<4 x i32> %a)
  store i32 %r4, ptr %o
  %r5 = call i32 @llvm.vector.reduce.smin.v4i32(<4 x i32> %a)
  store i32 %r5, ptr %o
  %r6 = call i32 @llvm.vector.reduce.smax.v4i32(<4 x i32> %a)
  store i32 %r6, ptr %o
  %r7 = call i32 @llvm.vector.reduce.umin.v4i32(<4 x i32> %a)
  store i32 %r7, ptr %o
  %r8 = call i32 @llvm.vector.reduce.umax.v4i32(<4 x i32> %a)
  store i32 %r8, ptr %o
  ret void
}

declare i1 @llvm.abs.i1(i1, i1)
declare i1 @llvm.bitreverse.i1(i1)
declare i1 @llvm.ctlz.i1(i1, i1)
declare i1 @llvm.ctpop.i1(i1)
declare i1 @llvm.cttz.i1(i1, i1)
declare i1 @llvm.fshl.i1(i1, i1, i1)
declare i1 @llvm.fshr.i1(i1, i1, i1)
declare i1 @llvm.sadd.sat.i1(i1, i1)
declare i1 @llvm.smax.i1(i1, i1)
declare i1 @llvm.smin.i1(i1, i1)
declare i1 @llvm.ssub.sat.i1(i1, i1)
declare i1 @llvm.uadd.sat.i1(i1, i1)
declare i1 @llvm.umax.i1(i1, i1)
declare i1 @llvm.umin.i1(i1, i1)
declare i1 @llvm.usub.sat.i1(i1, i1)
declare i128 @llvm.abs.i128(i128, i1)
declare i128 @llvm.bitreverse.i128(i128)
declare i128 @llvm.bswap.i128(i128)
declare i128 @llvm.ctlz.i128(i128, i1)
declare i128 @llvm.ctpop.i128(i128)
declare i128 @llvm.cttz.i128(i128, i1)
declare i128 @llvm.fshl.i128(i128, i128, i128)
declare i128 @llvm.fshr.i128(i128, i128, i128)
declare i128 @llvm.sadd.sat.i128(i128, i128)
declare i128 @llvm.smax.i128(i128, i128)
declare i128 @llvm.smin.i128(i128, i128)
declare i128 @llvm.ssub.sat.i128(i128, i128)
declare i128 @llvm.uadd.sat.i128(i128, i128)
declare i128 @llvm.umax.i128(i128, i128)
declare i128 @llvm.umin.i128(i128, i128)
declare i128 @llvm.usub.sat.i128(i128, i128)
declare i16 @llvm.abs.i16(i16, i1)
declare i16 @llvm.bitreverse.i16(i16)
declare i16 @llvm.bswap.i16(i16)
declare i16 @llvm.ctlz.i16(i16, i1)
declare i16 @llvm.ctpop.i16(i16)
declare i16 @llvm.cttz.i16(i16, i1)
declare i16 @llvm.fshl.i16(i16, i16, i16)
declare i16 @llvm.fshr.i16(i16, i16, i16)
declare i16 @llvm.sadd.sat.i16(i16, i16)
declare i16 @llvm.smax.i16(i16, i16)
declare i16 @llvm.smin.i16(i16, i16)
declare i16 @llvm.ssub.sat.i16(i16, i16)
declare i16 @llvm.uadd.sat.i16(i16, i16)
declare i16 @llvm.umax.i16(i16, i16)
declare i16 @llvm.umin.i16(i16, i16)
declare i16 @llvm.usub.sat.i16(i16, i16)
declare i24 @llvm.abs.i24(i24, i1)
declare i24 @llvm.bitreverse.i24(i24)
declare i24 @llvm.ctlz.i24(i24, i1)
declare i24 @llvm.ctpop.i24(i24)
declare i24 @llvm.cttz.i24(i24, i1)
declare i24 @llvm.fshl.i24(i24, i24, i24)
declare i24 @llvm.fshr.i24(i24, i24, i24)
declare i24 @llvm.sadd.sat.i24(i24, i24)
declare i24 @llvm.smax.i24(i24, i24)
declare i24 @llvm.smin.i24(i24, i24)
declare i24 @llvm.ssub.sat.i24(i24, i24)
declare i24 @llvm.uadd.sat.i24(i24, i24)
declare i24 @llvm.umax.i24(i24, i24)
declare i24 @llvm.umin.i24(i24, i24)
declare i24 @llvm.usub.sat.i24(i24, i24)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.fshr.i32(i32, i32, i32)
declare i32 @llvm.sadd.sat.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.ssub.sat.i32(i32, i32)
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.usub.sat.i32(i32, i32)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.and.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.mul.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.or.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.smax.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.smin.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.umax.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.umin.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.xor.v4i32(<4 x i32>)
declare i48 @llvm.abs.i48(i48, i1)
declare i48 @llvm.bitreverse.i48(i48)
declare i48 @llvm.bswap.i48(i48)
declare i48 @llvm.ctlz.i48(i48, i1)
declare i48 @llvm.ctpop.i48(i48)
declare i48 @llvm.cttz.i48(i48, i1)
declare i48 @llvm.fshl.i48(i48, i48, i48)
declare i48 @llvm.fshr.i48(i48, i48, i48)
declare i48 @llvm.sadd.sat.i48(i48, i48)
declare i48 @llvm.smax.i48(i48, i48)
declare i48 @llvm.smin.i48(i48, i48)
declare i48 @llvm.ssub.sat.i48(i48, i48)
declare i48 @llvm.uadd.sat.i48(i48, i48)
declare i48 @llvm.umax.i48(i48, i48)
declare i48 @llvm.umin.i48(i48, i48)
declare i48 @llvm.usub.sat.i48(i48, i48)
declare i64 @llvm.abs.i64(i64, i1)
declare i64 @llvm.bitreverse.i64(i64)
declare i64 @llvm.bswap.i64(i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.fshr.i64(i64, i64, i64)
declare i64 @llvm.sadd.sat.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.ssub.sat.i64(i64, i64)
declare i64 @llvm.uadd.sat.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.usub.sat.i64(i64, i64)
declare i8 @llvm.abs.i8(i8, i1)
declare i8 @llvm.bitreverse.i8(i8)
declare i8 @llvm.ctlz.i8(i8, i1)
declare i8 @llvm.ctpop.i8(i8)
declare i8 @llvm.cttz.i8(i8, i1)
declare i8 @llvm.fshl.i8(i8, i8, i8)
declare i8 @llvm.fshr.i8(i8, i8, i8)
declare i8 @llvm.sadd.sat.i8(i8, i8)
declare i8 @llvm.scmp.i8.i1(i1, i1)
declare i8 @llvm.scmp.i8.i128(i128, i128)
declare i8 @llvm.scmp.i8.i16(i16, i16)
declare i8 @llvm.scmp.i8.i24(i24, i24)
declare i8 @llvm.scmp.i8.i32(i32, i32)
declare i8 @llvm.scmp.i8.i48(i48, i48)
declare i8 @llvm.scmp.i8.i64(i64, i64)
declare i8 @llvm.scmp.i8.i8(i8, i8)
declare i8 @llvm.smax.i8(i8, i8)
declare i8 @llvm.smin.i8(i8, i8)
declare i8 @llvm.ssub.sat.i8(i8, i8)
declare i8 @llvm.uadd.sat.i8(i8, i8)
declare i8 @llvm.ucmp.i8.i1(i1, i1)
declare i8 @llvm.ucmp.i8.i128(i128, i128)
declare i8 @llvm.ucmp.i8.i16(i16, i16)
declare i8 @llvm.ucmp.i8.i24(i24, i24)
declare i8 @llvm.ucmp.i8.i32(i32, i32)
declare i8 @llvm.ucmp.i8.i48(i48, i48)
declare i8 @llvm.ucmp.i8.i64(i64, i64)
declare i8 @llvm.ucmp.i8.i8(i8, i8)
declare i8 @llvm.umax.i8(i8, i8)
declare i8 @llvm.umin.i8(i8, i8)
declare i8 @llvm.usub.sat.i8(i8, i8)
declare {i1, i1} @llvm.sadd.with.overflow.i1(i1, i1)
declare {i1, i1} @llvm.smul.with.overflow.i1(i1, i1)
declare {i1, i1} @llvm.ssub.with.overflow.i1(i1, i1)
declare {i1, i1} @llvm.uadd.with.overflow.i1(i1, i1)
declare {i1, i1} @llvm.umul.with.overflow.i1(i1, i1)
declare {i1, i1} @llvm.usub.with.overflow.i1(i1, i1)
declare {i128, i1} @llvm.sadd.with.overflow.i128(i128, i128)
declare {i128, i1} @llvm.ssub.with.overflow.i128(i128, i128)
declare {i128, i1} @llvm.uadd.with.overflow.i128(i128, i128)
declare {i128, i1} @llvm.usub.with.overflow.i128(i128, i128)
declare {i16, i1} @llvm.sadd.with.overflow.i16(i16, i16)
declare {i16, i1} @llvm.smul.with.overflow.i16(i16, i16)
declare {i16, i1} @llvm.ssub.with.overflow.i16(i16, i16)
declare {i16, i1} @llvm.uadd.with.overflow.i16(i16, i16)
declare {i16, i1} @llvm.umul.with.overflow.i16(i16, i16)
declare {i16, i1} @llvm.usub.with.overflow.i16(i16, i16)
declare {i24, i1} @llvm.sadd.with.overflow.i24(i24, i24)
declare {i24, i1} @llvm.smul.with.overflow.i24(i24, i24)
declare {i24, i1} @llvm.ssub.with.overflow.i24(i24, i24)
declare {i24, i1} @llvm.uadd.with.overflow.i24(i24, i24)
declare {i24, i1} @llvm.umul.with.overflow.i24(i24, i24)
declare {i24, i1} @llvm.usub.with.overflow.i24(i24, i24)
declare {i32, i1} @llvm.sadd.with.overflow.i32(i32, i32)
declare {i32, i1} @llvm.smul.with.overflow.i32(i32, i32)
declare {i32, i1} @llvm.ssub.with.overflow.i32(i32, i32)
declare {i32, i1} @llvm.uadd.with.overflow.i32(i32, i32)
declare {i32, i1} @llvm.umul.with.overflow.i32(i32, i32)
declare {i32, i1} @llvm.usub.with.overflow.i32(i32, i32)
declare {i48, i1} @llvm.sadd.with.overflow.i48(i48, i48)
declare {i48, i1} @llvm.smul.with.overflow.i48(i48, i48)
declare {i48, i1} @llvm.ssub.with.overflow.i48(i48, i48)
declare {i48, i1} @llvm.uadd.with.overflow.i48(i48, i48)
declare {i48, i1} @llvm.umul.with.overflow.i48(i48, i48)
declare {i48, i1} @llvm.usub.with.overflow.i48(i48, i48)
declare {i64, i1} @llvm.sadd.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.smul.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.ssub.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.uadd.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.umul.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.usub.with.overflow.i64(i64, i64)
declare {i8, i1} @llvm.sadd.with.overflow.i8(i8, i8)
declare {i8, i1} @llvm.smul.with.overflow.i8(i8, i8)
declare {i8, i1} @llvm.ssub.with.overflow.i8(i8, i8)
declare {i8, i1} @llvm.uadd.with.overflow.i8(i8, i8)
declare {i8, i1} @llvm.umul.with.overflow.i8(i8, i8)
declare {i8, i1} @llvm.usub.with.overflow.i8(i8, i8)
