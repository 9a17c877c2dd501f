; -O0  segments, variables, addresses, loads and stores
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%pair = type { i8, i32, [2 x i16], double }
@table = addrspace(4) constant [4 x i32] [i32 1, i32 -2, i32 3, i32 4], align 16
@counter = addrspace(1) global i64 7, align 8
@buffer = internal addrspace(1) global [100 x i32] zeroinitializer, align 4
@mixed = addrspace(1) constant { i8, ptr, [3 x i16], float, i1, ptr addrspace(1) } { i8 -1, ptr @callee, [3 x i16] [i16 1, i16 0, i16 2], float 1.5, i1 true, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @buffer, i64 40) }
@.str.1 = private unnamed_addr addrspace(4) constant [6 x i8] c"hello\00"
@outside = external addrspace(1) global i32
@tile = internal addrspace(3) global [64 x float] poison, align 4
@dynamic = external addrspace(3) global [0 x float], align 16

define i32 @callee(i32 %x) {
  ret i32 %x
}

define amdgpu_kernel void @segments(ptr addrspace(1) align 8 %g, ptr addrspace(3) %l, ptr %f, ptr addrspace(4) byref(%pair) align 8 %s, <3 x float> %v, i8 %c, i1 %b, half %h, i64 %i) {
  %t = alloca [8 x i32], align 16, addrspace(5)
  %p1 = getelementptr [4 x i32], ptr addrspace(4) @table, i64 0, i64 %i
  %a = load i32, ptr addrspace(4) %p1, align 4
  %p2 = getelementptr %pair, ptr addrspace(4) %s, i64 0, i32 2, i64 1
  %d = load i16, ptr addrspace(4) %p2, align 2
  %p3 = getelementptr %pair, ptr addrspace(4) %s, i64 0, i32 3
  %e = load double, ptr addrspace(4) %p3, align 8
  %p4 = getelementptr i32, ptr addrspace(5) %t, i32 3
  store i32 %a, ptr addrspace(5) %p4, align 4
  %n = trunc i64 %i to i32
  %p5 = getelementptr i32, ptr addrspace(5) %t, i32 %n
  %x = load i32, ptr addrspace(5) %p5, align 4
  %p6 = getelementptr [64 x float], ptr addrspace(3) @tile, i32 0, i32 %n
  %v2 = extractelement <3 x float> %v, i32 2
  store float %v2, ptr addrspace(3) %p6, align 4
  %p7 = getelementptr float, ptr addrspace(3) @dynamic, i32 %n
  store float 2.0, ptr addrspace(3) %p7, align 4
  %old = load i64, ptr addrspace(1) @counter, align 8
  store i32 %x, ptr addrspace(1) @outside, align 4
  store double %e, ptr addrspace(1) %g, align 8
  %p8 = getelementptr i8, ptr addrspace(1) %g, i64 -16
  store i16 %d, ptr addrspace(1) %p8, align 1
  store i8 %c, ptr %f, align 1
  %p9 = getelementptr i8, ptr %f, i64 1
  store i1 %b, ptr %p9, align 1
  %p10 = getelementptr {i8, i1, half, [3 x <4 x i32>]}, ptr %f, i64 %old, i32 3, i64 1
  store half %h, ptr addrspace(3) %l, align 2
  store <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %p10, align 4
  ret void
}

; Nobody else changes variables of the work-item, so that these are no atomic loads.
define i8 @volatile_variable(i8 %value) {
  %variable = alloca i8, align 4, addrspace(5)
  store volatile i8 %value, ptr addrspace(5) %variable, align 4
  %generic = addrspacecast ptr addrspace(5) %variable to ptr
  %loaded = load volatile i8, ptr %generic, align 4
  ret i8 %loaded
}

define i128 @sizes(ptr addrspace(1) %p, ptr addrspace(3) %q, ptr addrspace(5) %r) {
  %a = load i24, ptr addrspace(1) %p, align 1
  store i24 %a, ptr addrspace(3) %q, align 4
  %b = load i48, ptr addrspace(1) %p, align 8, !nontemporal !0
  store i48 %b, ptr addrspace(3) %q, align 2, !nontemporal !0
  %c = load <8 x i16>, ptr addrspace(1) %p, align 16
  store <8 x i16> %c, ptr addrspace(5) %r, align 16
  %d = load i1, ptr addrspace(1) %p, align 1, !invariant.load !1
  store i1 %d, ptr addrspace(1) %p, align 1
  %e = load volatile i32, ptr addrspace(1) %p, align 4
  %volatile.byte = load volatile i8, ptr addrspace(1) %p
  store volatile i8 %volatile.byte, ptr addrspace(3) %q
  %volatile.half = load volatile half, ptr addrspace(3) %q, align 2
  store volatile half %volatile.half, ptr addrspace(1) %p, align 2
  %volatile.split = load volatile i16, ptr addrspace(1) %p, align 1
  store volatile i16 %volatile.split, ptr addrspace(5) %r, align 2
  store volatile i32 %e, ptr addrspace(3) %q, align 4
  store volatile i32 %e, ptr addrspace(5) %r, align 4
  %f = load { float, i128, [2 x i8] }, ptr addrspace(1) %p, align 16
  %g = extractvalue { float, i128, [2 x i8] } %f, 1
  %s = insertvalue { float, i128, [2 x i8] } %f, i8 3, 2, 1
  store { float, i128, [2 x i8] } %s, ptr addrspace(1) %p, align 16
  ret i128 %g
}

define ptr @addresses(ptr %f, i32 %n) {
  %a = alloca i32, i32 %n, align 8, addrspace(5)
  %b = addrspacecast ptr addrspace(5) %a to ptr
  %c = addrspacecast ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i32 12) to ptr
  %d = getelementptr { i32, [5 x i24] }, ptr %c, i32 %n, i32 1, i32 %n
  store ptr %b, ptr %d, align 8
  store ptr addrspacecast (ptr addrspace(4) @.str.1 to ptr), ptr %f, align 8
  %v = insertelement <2 x ptr> poison, ptr %f, i32 0
  %w = insertelement <2 x ptr> %v, ptr %d, i32 1
  %x = getelementptr i32, <2 x ptr> %w, <2 x i64> <i64 1, i64 2>
  %y = extractelement <2 x ptr> %x, i32 %n
  ret ptr %y
}

define void @copies(ptr addrspace(1) %a, ptr addrspace(3) %b, i64 %n, i8 %x) {
  call void @llvm.memcpy.p1.p3.i32(ptr addrspace(1) align 4 %a, ptr addrspace(3) align 8 %b, i32 23, i1 false)
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %a, ptr addrspace(1) align 2 %a, i64 %n, i1 false)
  call void @llvm.memset.p3.i32(ptr addrspace(3) align 4 %b, i8 %x, i32 13, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %a, i8 0, i64 %n, i1 false)
  ret void
}

!0 = !{i32 1}
!1 = !{}

; The upper part of an i65 is one byte in memory and 64 bits in a register.
define void @odd_widths(ptr addrspace(1) %p) {
  %narrow = load i65, ptr addrspace(1) %p
  %wide = sext i65 %narrow to i100
  store i100 %wide, ptr addrspace(1) %p
  ret void
}
