; -O0  every predicate, and selects
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define i1 @integers_i1(i1 %a, i1 %b) {
  %c0 = icmp eq i1 %a, %b
  %c1 = icmp ne i1 %a, %b
  %x1 = xor i1 %c0, %c1
  %c2 = icmp ugt i1 %a, %b
  %x2 = xor i1 %x1, %c2
  %c3 = icmp uge i1 %a, %b
  %x3 = xor i1 %x2, %c3
  %c4 = icmp ult i1 %a, %b
  %x4 = xor i1 %x3, %c4
  %c5 = icmp ule i1 %a, %b
  %x5 = xor i1 %x4, %c5
  %c6 = icmp sgt i1 %a, %b
  %x6 = xor i1 %x5, %c6
  %c7 = icmp sge i1 %a, %b
  %x7 = xor i1 %x6, %c7
  %c8 = icmp slt i1 %a, %b
  %x8 = xor i1 %x7, %c8
  %c9 = icmp sle i1 %a, %b
  %x9 = xor i1 %x8, %c9
  ret i1 %x9
}

define i1 @integers_i8(i8 %a, i8 %b) {
  %c0 = icmp eq i8 %a, %b
  %c1 = icmp ne i8 %a, %b
  %x1 = xor i1 %c0, %c1
  %c2 = icmp ugt i8 %a, %b
  %x2 = xor i1 %x1, %c2
  %c3 = icmp uge i8 %a, %b
  %x3 = xor i1 %x2, %c3
  %c4 = icmp ult i8 %a, %b
  %x4 = xor i1 %x3, %c4
  %c5 = icmp ule i8 %a, %b
  %x5 = xor i1 %x4, %c5
  %c6 = icmp sgt i8 %a, %b
  %x6 = xor i1 %x5, %c6
  %c7 = icmp sge i8 %a, %b
  %x7 = xor i1 %x6, %c7
  %c8 = icmp slt i8 %a, %b
  %x8 = xor i1 %x7, %c8
  %c9 = icmp sle i8 %a, %b
  %x9 = xor i1 %x8, %c9
  ret i1 %x9
}

define i1 @integers_i32(i32 %a, i32 %b) {
  %c0 = icmp eq i32 %a, %b
  %c1 = icmp ne i32 %a, %b
  %x1 = xor i1 %c0, %c1
  %c2 = icmp ugt i32 %a, %b
  %x2 = xor i1 %x1, %c2
  %c3 = icmp uge i32 %a, %b
  %x3 = xor i1 %x2, %c3
  %c4 = icmp ult i32 %a, %b
  %x4 = xor i1 %x3, %c4
  %c5 = icmp ule i32 %a, %b
  %x5 = xor i1 %x4, %c5
  %c6 = icmp sgt i32 %a, %b
  %x6 = xor i1 %x5, %c6
  %c7 = icmp sge i32 %a, %b
  %x7 = xor i1 %x6, %c7
  %c8 = icmp slt i32 %a, %b
  %x8 = xor i1 %x7, %c8
  %c9 = icmp sle i32 %a, %b
  %x9 = xor i1 %x8, %c9
  ret i1 %x9
}

define i1 @integers_i64(i64 %a, i64 %b) {
  %c0 = icmp eq i64 %a, %b
  %c1 = icmp ne i64 %a, %b
  %x1 = xor i1 %c0, %c1
  %c2 = icmp ugt i64 %a, %b
  %x2 = xor i1 %x1, %c2
  %c3 = icmp uge i64 %a, %b
  %x3 = xor i1 %x2, %c3
  %c4 = icmp ult i64 %a, %b
  %x4 = xor i1 %x3, %c4
  %c5 = icmp ule i64 %a, %b
  %x5 = xor i1 %x4, %c5
  %c6 = icmp sgt i64 %a, %b
  %x6 = xor i1 %x5, %c6
  %c7 = icmp sge i64 %a, %b
  %x7 = xor i1 %x6, %c7
  %c8 = icmp slt i64 %a, %b
  %x8 = xor i1 %x7, %c8
  %c9 = icmp sle i64 %a, %b
  %x9 = xor i1 %x8, %c9
  ret i1 %x9
}

define i1 @integers_i128(i128 %a, i128 %b) {
  %c0 = icmp eq i128 %a, %b
  %c1 = icmp ne i128 %a, %b
  %x1 = xor i1 %c0, %c1
  %c2 = icmp ugt i128 %a, %b
  %x2 = xor i1 %x1, %c2
  %c3 = icmp uge i128 %a, %b
  %x3 = xor i1 %x2, %c3
  %c4 = icmp ult i128 %a, %b
  %x4 = xor i1 %x3, %c4
  %c5 = icmp ule i128 %a, %b
  %x5 = xor i1 %x4, %c5
  %c6 = icmp sgt i128 %a, %b
  %x6 = xor i1 %x5, %c6
  %c7 = icmp sge i128 %a, %b
  %x7 = xor i1 %x6, %c7
  %c8 = icmp slt i128 %a, %b
  %x8 = xor i1 %x7, %c8
  %c9 = icmp sle i128 %a, %b
  %x9 = xor i1 %x8, %c9
  ret i1 %x9
}

define i1 @reals_half(half %a, half %b) {
  %c0 = fcmp false half %a, %b
  %c1 = fcmp oeq half %a, %b
  %x1 = xor i1 %c0, %c1
  %c2 = fcmp ogt half %a, %b
  %x2 = xor i1 %x1, %c2
  %c3 = fcmp oge half %a, %b
  %x3 = xor i1 %x2, %c3
  %c4 = fcmp olt half %a, %b
  %x4 = xor i1 %x3, %c4
  %c5 = fcmp ole half %a, %b
  %x5 = xor i1 %x4, %c5
  %c6 = fcmp one half %a, %b
  %x6 = xor i1 %x5, %c6
  %c7 = fcmp ord half %a, %b
  %x7 = xor i1 %x6, %c7
  %c8 = fcmp ueq half %a, %b
  %x8 = xor i1 %x7, %c8
  %c9 = fcmp ugt half %a, %b
  %x9 = xor i1 %x8, %c9
  %c10 = fcmp uge half %a, %b
  %x10 = xor i1 %x9, %c10
  %c11 = fcmp ult half %a, %b
  %x11 = xor i1 %x10, %c11
  %c12 = fcmp ule half %a, %b
  %x12 = xor i1 %x11, %c12
  %c13 = fcmp une half %a, %b
  %x13 = xor i1 %x12, %c13
  %c14 = fcmp uno half %a, %b
  %x14 = xor i1 %x13, %c14
  %c15 = fcmp true half %a, %b
  %x15 = xor i1 %x14, %c15
  ret i1 %x15
}

define i1 @reals_bfloat(bfloat %a, bfloat %b) {
  %c0 = fcmp false bfloat %a, %b
  %c1 = fcmp oeq bfloat %a, %b
  %x1 = xor i1 %c0, %c1
  %c2 = fcmp ogt bfloat %a, %b
  %x2 = xor i1 %x1, %c2
  %c3 = fcmp oge bfloat %a, %b
  %x3 = xor i1 %x2, %c3
  %c4 = fcmp olt bfloat %a, %b
  %x4 = xor i1 %x3, %c4
  %c5 = fcmp ole bfloat %a, %b
  %x5 = xor i1 %x4, %c5
  %c6 = fcmp one bfloat %a, %b
  %x6 = xor i1 %x5, %c6
  %c7 = fcmp ord bfloat %a, %b
  %x7 = xor i1 %x6, %c7
  %c8 = fcmp ueq bfloat %a, %b
  %x8 = xor i1 %x7, %c8
  %c9 = fcmp ugt bfloat %a, %b
  %x9 = xor i1 %x8, %c9
  %c10 = fcmp uge bfloat %a, %b
  %x10 = xor i1 %x9, %c10
  %c11 = fcmp ult bfloat %a, %b
  %x11 = xor i1 %x10, %c11
  %c12 = fcmp ule bfloat %a, %b
  %x12 = xor i1 %x11, %c12
  %c13 = fcmp une bfloat %a, %b
  %x13 = xor i1 %x12, %c13
  %c14 = fcmp uno bfloat %a, %b
  %x14 = xor i1 %x13, %c14
  %c15 = fcmp true bfloat %a, %b
  %x15 = xor i1 %x14, %c15
  ret i1 %x15
}

define i1 @reals_float(float %a, float %b) {
  %c0 = fcmp false float %a, %b
  %c1 = fcmp oeq float %a, %b
  %x1 = xor i1 %c0, %c1
  %c2 = fcmp ogt float %a, %b
  %x2 = xor i1 %x1, %c2
  %c3 = fcmp oge float %a, %b
  %x3 = xor i1 %x2, %c3
  %c4 = fcmp olt float %a, %b
  %x4 = xor i1 %x3, %c4
  %c5 = fcmp ole float %a, %b
  %x5 = xor i1 %x4, %c5
  %c6 = fcmp one float %a, %b
  %x6 = xor i1 %x5, %c6
  %c7 = fcmp ord float %a, %b
  %x7 = xor i1 %x6, %c7
  %c8 = fcmp ueq float %a, %b
  %x8 = xor i1 %x7, %c8
  %c9 = fcmp ugt float %a, %b
  %x9 = xor i1 %x8, %c9
  %c10 = fcmp uge float %a, %b
  %x10 = xor i1 %x9, %c10
  %c11 = fcmp ult float %a, %b
  %x11 = xor i1 %x10, %c11
  %c12 = fcmp ule float %a, %b
  %x12 = xor i1 %x11, %c12
  %c13 = fcmp une float %a, %b
  %x13 = xor i1 %x12, %c13
  %c14 = fcmp uno float %a, %b
  %x14 = xor i1 %x13, %c14
  %c15 = fcmp true float %a, %b
  %x15 = xor i1 %x14, %c15
  ret i1 %x15
}

define i1 @reals_double(double %a, double %b) {
  %c0 = fcmp false double %a, %b
  %c1 = fcmp oeq double %a, %b
  %x1 = xor i1 %c0, %c1
  %c2 = fcmp ogt double %a, %b
  %x2 = xor i1 %x1, %c2
  %c3 = fcmp oge double %a, %b
  %x3 = xor i1 %x2, %c3
  %c4 = fcmp olt double %a, %b
  %x4 = xor i1 %x3, %c4
  %c5 = fcmp ole double %a, %b
  %x5 = xor i1 %x4, %c5
  %c6 = fcmp one double %a, %b
  %x6 = xor i1 %x5, %c6
  %c7 = fcmp ord double %a, %b
  %x7 = xor i1 %x6, %c7
  %c8 = fcmp ueq double %a, %b
  %x8 = xor i1 %x7, %c8
  %c9 = fcmp ugt double %a, %b
  %x9 = xor i1 %x8, %c9
  %c10 = fcmp uge double %a, %b
  %x10 = xor i1 %x9, %c10
  %c11 = fcmp ult double %a, %b
  %x11 = xor i1 %x10, %c11
  %c12 = fcmp ule double %a, %b
  %x12 = xor i1 %x11, %c12
  %c13 = fcmp une double %a, %b
  %x13 = xor i1 %x12, %c13
  %c14 = fcmp uno double %a, %b
  %x14 = xor i1 %x13, %c14
  %c15 = fcmp true double %a, %b
  %x15 = xor i1 %x14, %c15
  ret i1 %x15
}

define i1 @pointers(ptr %a, ptr addrspace(3) %b) {
  %c = icmp eq ptr %a, null
  %d = icmp ne ptr addrspace(3) %b, addrspacecast (ptr null to ptr addrspace(3))
  %e = and i1 %c, %d
  ret i1 %e
}

define <2 x i32> @selects(<2 x i1> %c, <2 x i32> %a, <2 x i32> %b, i1 %d, i128 %e, ptr addrspace(1) %o) {
  %s = select i1 %d, i128 %e, i128 5
  store i128 %s, ptr addrspace(1) %o
  %r = select <2 x i1> %c, <2 x i32> %a, <2 x i32> %b
  ret <2 x i32> %r
}

