; -O0  binary operations on every kind of number
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define i1 @integers_i1(i1 %a, i1 %b) {
  %r0 = add i1 %a, %b
  %r1 = sub i1 %r0, %b
  %r2 = mul i1 %r1, %b
  %r3 = and i1 %r2, %b
  %r4 = or i1 %r3, %b
  %r5 = xor i1 %r4, %b
  %r6 = shl i1 %r5, %b
  %r7 = lshr i1 %r6, %b
  %r8 = ashr i1 %r7, %b
  %r9 = udiv i1 %r8, %b
  %r10 = sdiv i1 %r9, %b
  %r11 = urem i1 %r10, %b
  %r12 = srem i1 %r11, %b
  ret i1 %r12
}

define i8 @integers_i8(i8 %a, i8 %b) {
  %r0 = add i8 %a, %b
  %r1 = sub i8 %r0, %b
  %r2 = mul i8 %r1, %b
  %r3 = and i8 %r2, %b
  %r4 = or i8 %r3, %b
  %r5 = xor i8 %r4, %b
  %r6 = shl i8 %r5, %b
  %r7 = lshr i8 %r6, %b
  %r8 = ashr i8 %r7, %b
  %r9 = udiv i8 %r8, %b
  %r10 = sdiv i8 %r9, %b
  %r11 = urem i8 %r10, %b
  %r12 = srem i8 %r11, %b
  ret i8 %r12
}

define i16 @integers_i16(i16 %a, i16 %b) {
  %r0 = add i16 %a, %b
  %r1 = sub i16 %r0, %b
  %r2 = mul i16 %r1, %b
  %r3 = and i16 %r2, %b
  %r4 = or i16 %r3, %b
  %r5 = xor i16 %r4, %b
  %r6 = shl i16 %r5, %b
  %r7 = lshr i16 %r6, %b
  %r8 = ashr i16 %r7, %b
  %r9 = udiv i16 %r8, %b
  %r10 = sdiv i16 %r9, %b
  %r11 = urem i16 %r10, %b
  %r12 = srem i16 %r11, %b
  ret i16 %r12
}

define i24 @integers_i24(i24 %a, i24 %b) {
  %r0 = add i24 %a, %b
  %r1 = sub i24 %r0, %b
  %r2 = mul i24 %r1, %b
  %r3 = and i24 %r2, %b
  %r4 = or i24 %r3, %b
  %r5 = xor i24 %r4, %b
  %r6 = shl i24 %r5, %b
  %r7 = lshr i24 %r6, %b
  %r8 = ashr i24 %r7, %b
  %r9 = udiv i24 %r8, %b
  %r10 = sdiv i24 %r9, %b
  %r11 = urem i24 %r10, %b
  %r12 = srem i24 %r11, %b
  ret i24 %r12
}

define i32 @integers_i32(i32 %a, i32 %b) {
  %r0 = add i32 %a, %b
  %r1 = sub i32 %r0, %b
  %r2 = mul i32 %r1, %b
  %r3 = and i32 %r2, %b
  %r4 = or i32 %r3, %b
  %r5 = xor i32 %r4, %b
  %r6 = shl i32 %r5, %b
  %r7 = lshr i32 %r6, %b
  %r8 = ashr i32 %r7, %b
  %r9 = udiv i32 %r8, %b
  %r10 = sdiv i32 %r9, %b
  %r11 = urem i32 %r10, %b
  %r12 = srem i32 %r11, %b
  ret i32 %r12
}

define i48 @integers_i48(i48 %a, i48 %b) {
  %r0 = add i48 %a, %b
  %r1 = sub i48 %r0, %b
  %r2 = mul i48 %r1, %b
  %r3 = and i48 %r2, %b
  %r4 = or i48 %r3, %b
  %r5 = xor i48 %r4, %b
  %r6 = shl i48 %r5, %b
  %r7 = lshr i48 %r6, %b
  %r8 = ashr i48 %r7, %b
  %r9 = udiv i48 %r8, %b
  %r10 = sdiv i48 %r9, %b
  %r11 = urem i48 %r10, %b
  %r12 = srem i48 %r11, %b
  ret i48 %r12
}

define i64 @integers_i64(i64 %a, i64 %b) {
  %r0 = add i64 %a, %b
  %r1 = sub i64 %r0, %b
  %r2 = mul i64 %r1, %b
  %r3 = and i64 %r2, %b
  %r4 = or i64 %r3, %b
  %r5 = xor i64 %r4, %b
  %r6 = shl i64 %r5, %b
  %r7 = lshr i64 %r6, %b
  %r8 = ashr i64 %r7, %b
  %r9 = udiv i64 %r8, %b
  %r10 = sdiv i64 %r9, %b
  %r11 = urem i64 %r10, %b
  %r12 = srem i64 %r11, %b
  ret i64 %r12
}

define i128 @integers_i128(i128 %a, i128 %b) {
  %r0 = add i128 %a, %b
  %r1 = sub i128 %r0, %b
  %r2 = mul i128 %r1, %b
  %r3 = and i128 %r2, %b
  %r4 = or i128 %r3, %b
  %r5 = xor i128 %r4, %b
  %r6 = shl i128 %r5, %b
  %r7 = lshr i128 %r6, %b
  %r8 = ashr i128 %r7, %b
  ret i128 %r8
}

define half @reals_half(half %a, half %b) {
  %r0 = fadd half %a, %b
  %r1 = fsub half %r0, %b
  %r2 = fmul half %r1, %b
  %r3 = fdiv half %r2, %b
  %n = fneg half %r3
  ret half %n
}

define bfloat @reals_bfloat(bfloat %a, bfloat %b) {
  %r0 = fadd bfloat %a, %b
  %r1 = fsub bfloat %r0, %b
  %r2 = fmul bfloat %r1, %b
  %r3 = fdiv bfloat %r2, %b
  %n = fneg bfloat %r3
  ret bfloat %n
}

define float @reals_float(float %a, float %b) {
  %r0 = fadd float %a, %b
  %r1 = fsub float %r0, %b
  %r2 = fmul float %r1, %b
  %r3 = fdiv float %r2, %b
  %n = fneg float %r3
  ret float %n
}

define double @reals_double(double %a, double %b) {
  %r0 = fadd double %a, %b
  %r1 = fsub double %r0, %b
  %r2 = fmul double %r1, %b
  %r3 = fdiv double %r2, %b
  %n = fneg double %r3
  ret double %n
}

define <3 x i16> @vectors(<3 x i16> %a, <3 x i16> %b) {
  %r = add <3 x i16> %a, %b
  %s = mul <3 x i16> %r, <i16 1, i16 -2, i16 3>
  ret <3 x i16> %s
}

