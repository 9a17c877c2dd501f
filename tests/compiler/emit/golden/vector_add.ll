; -O2  what clang makes of the smallest useful kernel
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @__hsail_workitemabsid_u32(i32) memory(none)

define amdgpu_kernel void @vector_add(ptr addrspace(1) %sum, ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
entry:
  %i = call i32 @__hsail_workitemabsid_u32(i32 0)
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %add, label %done

add:
  %index = zext i32 %i to i64
  %pa = getelementptr inbounds float, ptr addrspace(1) %a, i64 %index
  %pb = getelementptr inbounds float, ptr addrspace(1) %b, i64 %index
  %ps = getelementptr inbounds float, ptr addrspace(1) %sum, i64 %index
  %x = load float, ptr addrspace(1) %pa, align 4
  %y = load float, ptr addrspace(1) %pb, align 4
  %z = fadd float %x, %y
  store float %z, ptr addrspace(1) %ps, align 4
  br label %done

done:
  ret void
}
