; -O0  atomic operations in all segments, orders and scopes
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define i1 @global(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r0 = atomicrmw xchg ptr addrspace(1) %p, i32 %v monotonic
  store i32 %r0, ptr %o
  %r1 = atomicrmw add ptr addrspace(1) %p, i32 %v syncscope("agent") acquire
  %r2 = atomicrmw sub ptr addrspace(1) %p, i32 %v syncscope("workgroup") release
  store i32 %r2, ptr %o
  %r3 = atomicrmw and ptr addrspace(1) %p, i32 %v syncscope("wavefront") acq_rel
  %r4 = atomicrmw or ptr addrspace(1) %p, i32 %v syncscope("agent-one-as") seq_cst
  store i32 %r4, ptr %o
  %r5 = atomicrmw xor ptr addrspace(1) %p, i32 %v syncscope("singlethread") monotonic
  %r6 = atomicrmw max ptr addrspace(1) %p, i32 %v monotonic
  store i32 %r6, ptr %o
  %r7 = atomicrmw min ptr addrspace(1) %p, i32 %v monotonic
  %r8 = atomicrmw umax ptr addrspace(1) %p, i32 %v monotonic
  store i32 %r8, ptr %o
  %r9 = atomicrmw umin ptr addrspace(1) %p, i32 %v monotonic
  %r10 = atomicrmw uinc_wrap ptr addrspace(1) %p, i32 %v monotonic
  store i32 %r10, ptr %o
  %r11 = atomicrmw udec_wrap ptr addrspace(1) %p, i32 %v monotonic
  %x = cmpxchg ptr addrspace(1) %p, i32 %v, i32 7 acq_rel acquire
  %y = extractvalue {i32, i1} %x, 1
  %l = load atomic i32, ptr addrspace(1) %p acquire, align 4
  store atomic i32 %l, ptr addrspace(1) %p syncscope("workgroup") release, align 4
  fence syncscope("agent") acq_rel
  fence acquire
  fence syncscope("workgroup") release
  ret i1 %y
}

define i1 @group(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r0 = atomicrmw xchg ptr addrspace(3) %p, i32 %v monotonic
  store i32 %r0, ptr %o
  %r1 = atomicrmw add ptr addrspace(3) %p, i32 %v syncscope("agent") acquire
  %r2 = atomicrmw sub ptr addrspace(3) %p, i32 %v syncscope("workgroup") release
  store i32 %r2, ptr %o
  %r3 = atomicrmw and ptr addrspace(3) %p, i32 %v syncscope("wavefront") acq_rel
  %r4 = atomicrmw or ptr addrspace(3) %p, i32 %v syncscope("agent-one-as") seq_cst
  store i32 %r4, ptr %o
  %r5 = atomicrmw xor ptr addrspace(3) %p, i32 %v syncscope("singlethread") monotonic
  %r6 = atomicrmw max ptr addrspace(3) %p, i32 %v monotonic
  store i32 %r6, ptr %o
  %r7 = atomicrmw min ptr addrspace(3) %p, i32 %v monotonic
  %r8 = atomicrmw umax ptr addrspace(3) %p, i32 %v monotonic
  store i32 %r8, ptr %o
  %r9 = atomicrmw umin ptr addrspace(3) %p, i32 %v monotonic
  %r10 = atomicrmw uinc_wrap ptr addrspace(3) %p, i32 %v monotonic
  store i32 %r10, ptr %o
  %r11 = atomicrmw udec_wrap ptr addrspace(3) %p, i32 %v monotonic
  %x = cmpxchg ptr addrspace(3) %p, i32 %v, i32 7 acq_rel acquire
  %y = extractvalue {i32, i1} %x, 1
  %l = load atomic i32, ptr addrspace(3) %p acquire, align 4
  store atomic i32 %l, ptr addrspace(3) %p syncscope("workgroup") release, align 4
  fence syncscope("agent") acq_rel
  fence acquire
  fence syncscope("workgroup") release
  ret i1 %y
}

define i1 @flat(ptr addrspace(0) %p, i32 %v, ptr %o) {
  %r0 = atomicrmw xchg ptr addrspace(0) %p, i32 %v monotonic
  store i32 %r0, ptr %o
  %r1 = atomicrmw add ptr addrspace(0) %p, i32 %v syncscope("agent") acquire
  %r2 = atomicrmw sub ptr addrspace(0) %p, i32 %v syncscope("workgroup") release
  store i32 %r2, ptr %o
  %r3 = atomicrmw and ptr addrspace(0) %p, i32 %v syncscope("wavefront") acq_rel
  %r4 = atomicrmw or ptr addrspace(0) %p, i32 %v syncscope("agent-one-as") seq_cst
  store i32 %r4, ptr %o
  %r5 = atomicrmw xor ptr addrspace(0) %p, i32 %v syncscope("singlethread") monotonic
  %r6 = atomicrmw max ptr addrspace(0) %p, i32 %v monotonic
  store i32 %r6, ptr %o
  %r7 = atomicrmw min ptr addrspace(0) %p, i32 %v monotonic
  %r8 = atomicrmw umax ptr addrspace(0) %p, i32 %v monotonic
  store i32 %r8, ptr %o
  %r9 = atomicrmw umin ptr addrspace(0) %p, i32 %v monotonic
  %r10 = atomicrmw uinc_wrap ptr addrspace(0) %p, i32 %v monotonic
  store i32 %r10, ptr %o
  %r11 = atomicrmw udec_wrap ptr addrspace(0) %p, i32 %v monotonic
  %x = cmpxchg ptr addrspace(0) %p, i32 %v, i32 7 acq_rel acquire
  %y = extractvalue {i32, i1} %x, 1
  %l = load atomic i32, ptr addrspace(0) %p acquire, align 4
  store atomic i32 %l, ptr addrspace(0) %p syncscope("workgroup") release, align 4
  fence syncscope("agent") acq_rel
  fence acquire
  fence syncscope("workgroup") release
  ret i1 %y
}

define i64 @wide(ptr addrspace(1) %p, i64 %v) {
  %a = atomicrmw add ptr addrspace(1) %p, i64 %v seq_cst
  %b = cmpxchg ptr addrspace(1) %p, i64 %a, i64 %v monotonic monotonic
  %c = extractvalue {i64, i1} %b, 0
  ret i64 %c
}

define float @floats(ptr addrspace(1) %p, ptr addrspace(3) %q, float %v, double %w) {
  %a = atomicrmw fadd ptr addrspace(1) %p, float %v syncscope("agent") monotonic
  %b = atomicrmw fmax ptr addrspace(3) %q, double %w monotonic
  ret float %a
}

define i8 @small(ptr addrspace(1) %p, ptr addrspace(3) %q, i8 %v, i16 %w) {
  %a = atomicrmw add ptr addrspace(1) %p, i8 %v monotonic
  %b = cmpxchg ptr addrspace(3) %q, i16 %w, i16 3 seq_cst monotonic
  %c = load atomic i8, ptr addrspace(1) %p acquire, align 1
  store atomic i16 %w, ptr addrspace(3) %q release, align 2
  %d = add i8 %a, %c
  ret i8 %d
}

define i32 @private(ptr addrspace(5) %p, i32 %v) {
  %a = atomicrmw add ptr addrspace(5) %p, i32 %v seq_cst
  %b = load atomic i32, ptr addrspace(5) %p seq_cst, align 4
  %c = add i32 %a, %b
  ret i32 %c
}

