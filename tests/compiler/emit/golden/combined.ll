; -O0  what several instructions of IR become together: multiply-add, words of small elements, branches back
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define i32 @multiply_add(i32 %a, i32 %b, i32 %c, i16 %d, i64 %e) {
  %p = mul i32 %a, %b
  %s = add i32 %p, %c
  %q = mul i16 %d, 77
  %t = add i16 %d, %q
  %r = mul i64 %e, 24
  %u = add i64 %r, %e
  %kept = mul i32 %s, 5
  %v = add i32 %kept, 1
  %w = zext i16 %t to i32
  %x = trunc i64 %u to i32
  %y = sub i32 %w, %x
  %z = xor i32 %v, %y
  %both = and i32 %z, %kept
  ret i32 %both
}

define <4 x i8> @words(ptr addrspace(1) %p, ptr addrspace(3) %q, <4 x i8> %argument) {
  %bytes = load <4 x i8>, ptr addrspace(1) %p, align 4
  %red = extractelement <4 x i8> %bytes, i32 0
  %blue = extractelement <4 x i8> %bytes, i32 2
  %sum = add i8 %red, %blue
  %changed = insertelement <4 x i8> %bytes, i8 %sum, i32 1
  store <4 x i8> %changed, ptr addrspace(3) %q, align 4
  %bits = bitcast <4 x i8> %bytes to i32
  %place = getelementptr i8, ptr addrspace(3) %q, i32 4
  store i32 %bits, ptr addrspace(3) %place, align 4
  %unaligned = load <4 x i8>, ptr addrspace(1) %p, align 2
  store <4 x i8> %unaligned, ptr addrspace(3) %q, align 1
  %many = load <16 x i8>, ptr addrspace(1) %p, align 16
  store <16 x i8> %many, ptr addrspace(3) %q, align 16
  %halves = load <3 x half>, ptr addrspace(1) %p, align 8
  %first = extractelement <3 x half> %halves, i32 0
  %doubled = fadd half %first, %first
  %mixed = insertelement <3 x half> %halves, half %doubled, i32 0
  store <3 x half> %mixed, ptr addrspace(3) %q, align 8
  store <4 x i8> <i8 1, i8 2, i8 3, i8 4>, ptr addrspace(3) %q, align 4
  ret <4 x i8> %argument
}

define i32 @branch_back(i32 %n, float %limit) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 3
  %at_end = icmp uge i32 %next, %n
  br i1 %at_end, label %second, label %loop
second:
  %x = phi float [ 0.0, %loop ], [ %y, %second ]
  %y = fadd float %x, 1.0
  %above = fcmp ogt float %y, %limit
  br i1 %above, label %done, label %second
done:
  %same = icmp eq i32 %next, %n
  %small = icmp ult i32 %n, 100
  %both = select i1 %same, i1 %small, i1 false
  %either = select i1 %both, i1 true, i1 %small
  %result = select i1 %either, i32 1, i32 %next
  ret i32 %result
}
