; -O0  every cast
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define i8 @extend_i1_i8(i1 %a, i1 %c) {
  %z = zext i1 %a to i8
  %s = sext i1 %a to i8
  %r = select i1 %c, i8 %z, i8 %s
  ret i8 %r
}

define i24 @extend_i1_i24(i1 %a, i1 %c) {
  %z = zext i1 %a to i24
  %s = sext i1 %a to i24
  %r = select i1 %c, i24 %z, i24 %s
  ret i24 %r
}

define i32 @extend_i1_i32(i1 %a, i1 %c) {
  %z = zext i1 %a to i32
  %s = sext i1 %a to i32
  %r = select i1 %c, i32 %z, i32 %s
  ret i32 %r
}

define i48 @extend_i1_i48(i1 %a, i1 %c) {
  %z = zext i1 %a to i48
  %s = sext i1 %a to i48
  %r = select i1 %c, i48 %z, i48 %s
  ret i48 %r
}

define i64 @extend_i1_i64(i1 %a, i1 %c) {
  %z = zext i1 %a to i64
  %s = sext i1 %a to i64
  %r = select i1 %c, i64 %z, i64 %s
  ret i64 %r
}

define i128 @extend_i1_i128(i1 %a, i1 %c) {
  %z = zext i1 %a to i128
  %s = sext i1 %a to i128
  %r = select i1 %c, i128 %z, i128 %s
  ret i128 %r
}

define i1 @trunc_i8_i1(i8 %a) {
  %z = trunc i8 %a to i1
  ret i1 %z
}

define i24 @extend_i8_i24(i8 %a, i1 %c) {
  %z = zext i8 %a to i24
  %s = sext i8 %a to i24
  %r = select i1 %c, i24 %z, i24 %s
  ret i24 %r
}

define i32 @extend_i8_i32(i8 %a, i1 %c) {
  %z = zext i8 %a to i32
  %s = sext i8 %a to i32
  %r = select i1 %c, i32 %z, i32 %s
  ret i32 %r
}

define i48 @extend_i8_i48(i8 %a, i1 %c) {
  %z = zext i8 %a to i48
  %s = sext i8 %a to i48
  %r = select i1 %c, i48 %z, i48 %s
  ret i48 %r
}

define i64 @extend_i8_i64(i8 %a, i1 %c) {
  %z = zext i8 %a to i64
  %s = sext i8 %a to i64
  %r = select i1 %c, i64 %z, i64 %s
  ret i64 %r
}

define i128 @extend_i8_i128(i8 %a, i1 %c) {
  %z = zext i8 %a to i128
  %s = sext i8 %a to i128
  %r = select i1 %c, i128 %z, i128 %s
  ret i128 %r
}

define i1 @trunc_i24_i1(i24 %a) {
  %z = trunc i24 %a to i1
  ret i1 %z
}

define i8 @trunc_i24_i8(i24 %a) {
  %z = trunc i24 %a to i8
  ret i8 %z
}

define i32 @extend_i24_i32(i24 %a, i1 %c) {
  %z = zext i24 %a to i32
  %s = sext i24 %a to i32
  %r = select i1 %c, i32 %z, i32 %s
  ret i32 %r
}

define i48 @extend_i24_i48(i24 %a, i1 %c) {
  %z = zext i24 %a to i48
  %s = sext i24 %a to i48
  %r = select i1 %c, i48 %z, i48 %s
  ret i48 %r
}

define i64 @extend_i24_i64(i24 %a, i1 %c) {
  %z = zext i24 %a to i64
  %s = sext i24 %a to i64
  %r = select i1 %c, i64 %z, i64 %s
  ret i64 %r
}

define i128 @extend_i24_i128(i24 %a, i1 %c) {
  %z = zext i24 %a to i128
  %s = sext i24 %a to i128
  %r = select i1 %c, i128 %z, i128 %s
  ret i128 %r
}

define i1 @trunc_i32_i1(i32 %a) {
  %z = trunc i32 %a to i1
  ret i1 %z
}

define i8 @trunc_i32_i8(i32 %a) {
  %z = trunc i32 %a to i8
  ret i8 %z
}

define i24 @trunc_i32_i24(i32 %a) {
  %z = trunc i32 %a to i24
  ret i24 %z
}

define i48 @extend_i32_i48(i32 %a, i1 %c) {
  %z = zext i32 %a to i48
  %s = sext i32 %a to i48
  %r = select i1 %c, i48 %z, i48 %s
  ret i48 %r
}

define i64 @extend_i32_i64(i32 %a, i1 %c) {
  %z = zext i32 %a to i64
  %s = sext i32 %a to i64
  %r = select i1 %c, i64 %z, i64 %s
  ret i64 %r
}

define i128 @extend_i32_i128(i32 %a, i1 %c) {
  %z = zext i32 %a to i128
  %s = sext i32 %a to i128
  %r = select i1 %c, i128 %z, i128 %s
  ret i128 %r
}

define i1 @trunc_i48_i1(i48 %a) {
  %z = trunc i48 %a to i1
  ret i1 %z
}

define i8 @trunc_i48_i8(i48 %a) {
  %z = trunc i48 %a to i8
  ret i8 %z
}

define i24 @trunc_i48_i24(i48 %a) {
  %z = trunc i48 %a to i24
  ret i24 %z
}

define i32 @trunc_i48_i32(i48 %a) {
  %z = trunc i48 %a to i32
  ret i32 %z
}

define i64 @extend_i48_i64(i48 %a, i1 %c) {
  %z = zext i48 %a to i64
  %s = sext i48 %a to i64
  %r = select i1 %c, i64 %z, i64 %s
  ret i64 %r
}

define i128 @extend_i48_i128(i48 %a, i1 %c) {
  %z = zext i48 %a to i128
  %s = sext i48 %a to i128
  %r = select i1 %c, i128 %z, i128 %s
  ret i128 %r
}

define i1 @trunc_i64_i1(i64 %a) {
  %z = trunc i64 %a to i1
  ret i1 %z
}

define i8 @trunc_i64_i8(i64 %a) {
  %z = trunc i64 %a to i8
  ret i8 %z
}

define i24 @trunc_i64_i24(i64 %a) {
  %z = trunc i64 %a to i24
  ret i24 %z
}

define i32 @trunc_i64_i32(i64 %a) {
  %z = trunc i64 %a to i32
  ret i32 %z
}

define i48 @trunc_i64_i48(i64 %a) {
  %z = trunc i64 %a to i48
  ret i48 %z
}

define i128 @extend_i64_i128(i64 %a, i1 %c) {
  %z = zext i64 %a to i128
  %s = sext i64 %a to i128
  %r = select i1 %c, i128 %z, i128 %s
  ret i128 %r
}

define i1 @trunc_i128_i1(i128 %a) {
  %z = trunc i128 %a to i1
  ret i1 %z
}

define i8 @trunc_i128_i8(i128 %a) {
  %z = trunc i128 %a to i8
  ret i8 %z
}

define i24 @trunc_i128_i24(i128 %a) {
  %z = trunc i128 %a to i24
  ret i24 %z
}

define i32 @trunc_i128_i32(i128 %a) {
  %z = trunc i128 %a to i32
  ret i32 %z
}

define i48 @trunc_i128_i48(i128 %a) {
  %z = trunc i128 %a to i48
  ret i48 %z
}

define i64 @trunc_i128_i64(i128 %a) {
  %z = trunc i128 %a to i64
  ret i64 %z
}

define float @fpext_half_float(half %a) {
  %r = fpext half %a to float
  ret float %r
}

define double @fpext_half_double(half %a) {
  %r = fpext half %a to double
  ret double %r
}

define i1 @integer_half_i1(half %a, i1 %c) {
  %s = fptosi half %a to i1
  %u = fptoui half %a to i1
  %r = select i1 %c, i1 %s, i1 %u
  ret i1 %r
}

define half @real_i1_half(i1 %a, i1 %c) {
  %s = sitofp i1 %a to half
  %u = uitofp i1 %a to half
  %r = select i1 %c, half %s, half %u
  ret half %r
}

define i8 @integer_half_i8(half %a, i1 %c) {
  %s = fptosi half %a to i8
  %u = fptoui half %a to i8
  %r = select i1 %c, i8 %s, i8 %u
  ret i8 %r
}

define half @real_i8_half(i8 %a, i1 %c) {
  %s = sitofp i8 %a to half
  %u = uitofp i8 %a to half
  %r = select i1 %c, half %s, half %u
  ret half %r
}

define i32 @integer_half_i32(half %a, i1 %c) {
  %s = fptosi half %a to i32
  %u = fptoui half %a to i32
  %r = select i1 %c, i32 %s, i32 %u
  ret i32 %r
}

define half @real_i32_half(i32 %a, i1 %c) {
  %s = sitofp i32 %a to half
  %u = uitofp i32 %a to half
  %r = select i1 %c, half %s, half %u
  ret half %r
}

define i64 @integer_half_i64(half %a, i1 %c) {
  %s = fptosi half %a to i64
  %u = fptoui half %a to i64
  %r = select i1 %c, i64 %s, i64 %u
  ret i64 %r
}

define half @real_i64_half(i64 %a, i1 %c) {
  %s = sitofp i64 %a to half
  %u = uitofp i64 %a to half
  %r = select i1 %c, half %s, half %u
  ret half %r
}

define float @fpext_bfloat_float(bfloat %a) {
  %r = fpext bfloat %a to float
  ret float %r
}

define double @fpext_bfloat_double(bfloat %a) {
  %r = fpext bfloat %a to double
  ret double %r
}

define i1 @integer_bfloat_i1(bfloat %a, i1 %c) {
  %s = fptosi bfloat %a to i1
  %u = fptoui bfloat %a to i1
  %r = select i1 %c, i1 %s, i1 %u
  ret i1 %r
}

define bfloat @real_i1_bfloat(i1 %a, i1 %c) {
  %s = sitofp i1 %a to bfloat
  %u = uitofp i1 %a to bfloat
  %r = select i1 %c, bfloat %s, bfloat %u
  ret bfloat %r
}

define i8 @integer_bfloat_i8(bfloat %a, i1 %c) {
  %s = fptosi bfloat %a to i8
  %u = fptoui bfloat %a to i8
  %r = select i1 %c, i8 %s, i8 %u
  ret i8 %r
}

define bfloat @real_i8_bfloat(i8 %a, i1 %c) {
  %s = sitofp i8 %a to bfloat
  %u = uitofp i8 %a to bfloat
  %r = select i1 %c, bfloat %s, bfloat %u
  ret bfloat %r
}

define i32 @integer_bfloat_i32(bfloat %a, i1 %c) {
  %s = fptosi bfloat %a to i32
  %u = fptoui bfloat %a to i32
  %r = select i1 %c, i32 %s, i32 %u
  ret i32 %r
}

define bfloat @real_i32_bfloat(i32 %a, i1 %c) {
  %s = sitofp i32 %a to bfloat
  %u = uitofp i32 %a to bfloat
  %r = select i1 %c, bfloat %s, bfloat %u
  ret bfloat %r
}

define i64 @integer_bfloat_i64(bfloat %a, i1 %c) {
  %s = fptosi bfloat %a to i64
  %u = fptoui bfloat %a to i64
  %r = select i1 %c, i64 %s, i64 %u
  ret i64 %r
}

define bfloat @real_i64_bfloat(i64 %a, i1 %c) {
  %s = sitofp i64 %a to bfloat
  %u = uitofp i64 %a to bfloat
  %r = select i1 %c, bfloat %s, bfloat %u
  ret bfloat %r
}

define half @fptrunc_float_half(float %a) {
  %r = fptrunc float %a to half
  ret half %r
}

define bfloat @fptrunc_float_bfloat(float %a) {
  %r = fptrunc float %a to bfloat
  ret bfloat %r
}

define double @fpext_float_double(float %a) {
  %r = fpext float %a to double
  ret double %r
}

define i1 @integer_float_i1(float %a, i1 %c) {
  %s = fptosi float %a to i1
  %u = fptoui float %a to i1
  %r = select i1 %c, i1 %s, i1 %u
  ret i1 %r
}

define float @real_i1_float(i1 %a, i1 %c) {
  %s = sitofp i1 %a to float
  %u = uitofp i1 %a to float
  %r = select i1 %c, float %s, float %u
  ret float %r
}

define i8 @integer_float_i8(float %a, i1 %c) {
  %s = fptosi float %a to i8
  %u = fptoui float %a to i8
  %r = select i1 %c, i8 %s, i8 %u
  ret i8 %r
}

define float @real_i8_float(i8 %a, i1 %c) {
  %s = sitofp i8 %a to float
  %u = uitofp i8 %a to float
  %r = select i1 %c, float %s, float %u
  ret float %r
}

define i32 @integer_float_i32(float %a, i1 %c) {
  %s = fptosi float %a to i32
  %u = fptoui float %a to i32
  %r = select i1 %c, i32 %s, i32 %u
  ret i32 %r
}

define float @real_i32_float(i32 %a, i1 %c) {
  %s = sitofp i32 %a to float
  %u = uitofp i32 %a to float
  %r = select i1 %c, float %s, float %u
  ret float %r
}

define i64 @integer_float_i64(float %a, i1 %c) {
  %s = fptosi float %a to i64
  %u = fptoui float %a to i64
  %r = select i1 %c, i64 %s, i64 %u
  ret i64 %r
}

define float @real_i64_float(i64 %a, i1 %c) {
  %s = sitofp i64 %a to float
  %u = uitofp i64 %a to float
  %r = select i1 %c, float %s, float %u
  ret float %r
}

define half @fptrunc_double_half(double %a) {
  %r = fptrunc double %a to half
  ret half %r
}

define bfloat @fptrunc_double_bfloat(double %a) {
  %r = fptrunc double %a to bfloat
  ret bfloat %r
}

define float @fptrunc_double_float(double %a) {
  %r = fptrunc double %a to float
  ret float %r
}

define i1 @integer_double_i1(double %a, i1 %c) {
  %s = fptosi double %a to i1
  %u = fptoui double %a to i1
  %r = select i1 %c, i1 %s, i1 %u
  ret i1 %r
}

define double @real_i1_double(i1 %a, i1 %c) {
  %s = sitofp i1 %a to double
  %u = uitofp i1 %a to double
  %r = select i1 %c, double %s, double %u
  ret double %r
}

define i8 @integer_double_i8(double %a, i1 %c) {
  %s = fptosi double %a to i8
  %u = fptoui double %a to i8
  %r = select i1 %c, i8 %s, i8 %u
  ret i8 %r
}

define double @real_i8_double(i8 %a, i1 %c) {
  %s = sitofp i8 %a to double
  %u = uitofp i8 %a to double
  %r = select i1 %c, double %s, double %u
  ret double %r
}

define i32 @integer_double_i32(double %a, i1 %c) {
  %s = fptosi double %a to i32
  %u = fptoui double %a to i32
  %r = select i1 %c, i32 %s, i32 %u
  ret i32 %r
}

define double @real_i32_double(i32 %a, i1 %c) {
  %s = sitofp i32 %a to double
  %u = uitofp i32 %a to double
  %r = select i1 %c, double %s, double %u
  ret double %r
}

define i64 @integer_double_i64(double %a, i1 %c) {
  %s = fptosi double %a to i64
  %u = fptoui double %a to i64
  %r = select i1 %c, i64 %s, i64 %u
  ret i64 %r
}

define double @real_i64_double(i64 %a, i1 %c) {
  %s = sitofp i64 %a to double
  %u = uitofp i64 %a to double
  %r = select i1 %c, double %s, double %u
  ret double %r
}

define float @bits_i32_float(i32 %a) {
  %r = bitcast i32 %a to float
  ret float %r
}

define i32 @bits__4_x_i8__i32(<4 x i8> %a) {
  %r = bitcast <4 x i8> %a to i32
  ret i32 %r
}

define <2 x float> @bits_i64__2_x_float_(i64 %a) {
  %r = bitcast i64 %a to <2 x float>
  ret <2 x float> %r
}

define i32 @bits__2_x_half__i32(<2 x half> %a) {
  %r = bitcast <2 x half> %a to i32
  ret i32 %r
}

define i128 @bits__16_x_i8__i128(<16 x i8> %a) {
  %r = bitcast <16 x i8> %a to i128
  ret i128 %r
}

define <4 x i32> @bits_i128__4_x_i32_(i128 %a) {
  %r = bitcast i128 %a to <4 x i32>
  ret <4 x i32> %r
}

define i16 @bits_half_i16(half %a) {
  %r = bitcast half %a to i16
  ret i16 %r
}

define i8 @bits__8_x_i1__i8(<8 x i1> %a) {
  %r = bitcast <8 x i1> %a to i8
  ret i8 %r
}

define <8 x i1> @bits_i8__8_x_i1_(i8 %a) {
  %r = bitcast i8 %a to <8 x i1>
  ret <8 x i1> %r
}

define i64 @pointers(ptr addrspace(1) %g, ptr addrspace(3) %l, ptr addrspace(5) %p, ptr %f) {
  %a = addrspacecast ptr addrspace(1) %g to ptr
  %b = addrspacecast ptr addrspace(3) %l to ptr
  %c = addrspacecast ptr addrspace(5) %p to ptr
  %d = addrspacecast ptr %f to ptr addrspace(3)
  %e = addrspacecast ptr %f to ptr addrspace(5)
  %ia = ptrtoint ptr %a to i64
  %ib = ptrtoint ptr %b to i64
  %ic = ptrtoint ptr %c to i64
  %id = ptrtoint ptr addrspace(3) %d to i64
  %ie = ptrtoint ptr addrspace(5) %e to i64
  %s = add i64 %ia, %ib
  %t = add i64 %s, %ic
  %u = add i64 %t, %id
  %v = add i64 %u, %ie
  %q = inttoptr i64 %v to ptr addrspace(1)
  store i8 1, ptr addrspace(1) %q
  ret i64 %v
}

