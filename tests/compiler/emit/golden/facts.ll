; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; What sources promise: pointers that do not overlap, sizes of work-groups; and names.
target triple = "amdgcn-amd-amdhsa"

; Values of variables may be addresses of kernels.
@kernels = addrspace(1) constant [1 x ptr] [ptr @restricted], align 8

define amdgpu_kernel void @restricted(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) %any, i1 %which) #0 {
  %a = load i32, ptr addrspace(1) %in, align 4
  %next = getelementptr i32, ptr addrspace(1) %in, i64 5
  %b = load i32, ptr addrspace(1) %next, align 4
  %c = load i32, ptr addrspace(1) %any, align 4
  %choice = select i1 %which, ptr addrspace(1) %in, ptr addrspace(1) %out
  %d = load i32, ptr addrspace(1) %choice, align 4
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  %sum = add i32 %ab, %cd
  store i32 %sum, ptr addrspace(1) %out, align 4
  ret void
}

; One such pointer is apart from nothing. The sizes are those that clang writes where the source says nothing.
define amdgpu_kernel void @of_opencl(ptr addrspace(1) noalias %out) #1 !kernel_arg_addr_space !0 {
  store i32 1, ptr addrspace(1) %out, align 4
  ret void
}
define amdgpu_kernel void @of_hip(ptr addrspace(1) %out) #2 {
  store i32 1, ptr addrspace(1) %out, align 4
  ret void
}
define amdgpu_kernel void @of_one_size(ptr addrspace(1) %out) #0 !reqd_work_group_size !1 {
  store i32 1, ptr addrspace(1) %out, align 4
  ret void
}

; The name that can be said stays, though the other one comes first.
define amdgpu_kernel void @"k\C3\A9"() {
  ret void
}
define amdgpu_kernel void @k_c3_a9() {
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,64" }
attributes #1 = { "amdgpu-flat-work-group-size"="1,256" }
attributes #2 = { "amdgpu-flat-work-group-size"="1,1024" }
!0 = !{i32 1}
!1 = !{i32 64, i32 1, i32 1}
