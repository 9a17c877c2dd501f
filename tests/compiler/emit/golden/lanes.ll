; -O0 --lockstep  what depends on the dispatch and on other work-items
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @lanes(ptr addrspace(1) %o, i32 %x, i64 %y) {
  %ix = call i32 @llvm.amdgcn.workitem.id.x()
  %iy = call i32 @llvm.amdgcn.workitem.id.y()
  %iz = call i32 @llvm.amdgcn.workitem.id.z()
  %gx = call i32 @llvm.amdgcn.workgroup.id.x()
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %hi = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %c = icmp ult i32 %ix, %iy
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 %c)
  %w = call i32 @llvm.amdgcn.ballot.i32(i1 %c)
  %i = call i64 @llvm.amdgcn.icmp.i64.i32(i32 %ix, i32 %iz, i32 33)
  %p = call i32 @llvm.amdgcn.ds.bpermute(i32 %x, i32 %gx)
  %f = call i64 @llvm.amdgcn.readfirstlane.i64(i64 %y)
  %l = call i32 @llvm.amdgcn.readlane.i32(i32 %hi, i32 3)
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  call void @llvm.amdgcn.wave.barrier()
  store <4 x i32> zeroinitializer, ptr addrspace(1) %o
  store i64 %b, ptr addrspace(1) %o
  store i32 %w, ptr addrspace(1) %o
  store i64 %i, ptr addrspace(1) %o
  store i32 %p, ptr addrspace(1) %o
  store i64 %f, ptr addrspace(1) %o
  store i32 %l, ptr addrspace(1) %o
  ret void
}

define amdgpu_kernel void @sizes(ptr addrspace(1) %o) {
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %p = getelementptr i8, ptr addrspace(4) %d, i64 6
  %a = load i16, ptr addrspace(4) %p, align 2
  %q = getelementptr i8, ptr addrspace(4) %d, i64 12
  %b = load i32, ptr addrspace(4) %q, align 4
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %c = load i32, ptr addrspace(4) %i, align 4
  %r = getelementptr i8, ptr addrspace(4) %i, i64 12
  %e = load i16, ptr addrspace(4) %r, align 2
  store i16 %a, ptr addrspace(1) %o
  store i32 %b, ptr addrspace(1) %o
  store i32 %c, ptr addrspace(1) %o
  store i16 %e, ptr addrspace(1) %o
  call void @llvm.trap()
  unreachable
}

define amdgpu_kernel void @generic(ptr addrspace(1) %o, i32 %x, ptr addrspace(4) %image, ptr addrspace(4) %sampler) !kernel_arg_base_type !0 !kernel_arg_access_qual !1 {
  %a = call i32 @__hsail_workitemabsid_u32(i32 1)
  %m = call <4 x i64> @__hsail_activelanemask_v4_b64_b1(i1 true)
  %l = call i32 @__hsail_activelanepermute_b32(i32 %x, i32 %a, i32 0, i1 false)
  %u = call i32 @__hsail_lerp_u8x4(i32 %x, i32 %a, i32 16843009)
  %w = call i32 @__hsail_WAVESIZE()
  %q = call i64 @__hsail_ldqueuewriteindex_global_rlx_u64(ptr addrspace(1) %o)
  %t = call <4 x float> @__hsail_rdimage_v4_2d_f32_roimg_f32(ptr addrspace(4) %image, ptr addrspace(4) %sampler, float 0.5, float 1.0)
  call void @__hsail_memfence_scacq_wg()
  call void @__hsail_barrier()
  %z = extractelement <4 x i64> %m, i32 0
  store i64 %z, ptr addrspace(1) %o
  store i64 %q, ptr addrspace(1) %o
  %s = add i32 %l, %u
  %v = add i32 %s, %w
  store i32 %v, ptr addrspace(1) %o
  store <4 x float> %t, ptr addrspace(1) %o
  ret void
}

declare i32 @__hsail_workitemabsid_u32(i32) memory(none)
declare <4 x i64> @__hsail_activelanemask_v4_b64_b1(i1) convergent
declare i32 @__hsail_activelanepermute_b32(i32, i32, i32, i1) convergent
declare i32 @__hsail_lerp_u8x4(i32, i32, i32) memory(none)
declare i32 @__hsail_WAVESIZE() memory(none)
declare i64 @__hsail_ldqueuewriteindex_global_rlx_u64(ptr addrspace(1))
declare <4 x float> @__hsail_rdimage_v4_2d_f32_roimg_f32(ptr addrspace(4), ptr addrspace(4), float, float)
declare void @__hsail_memfence_scacq_wg()
declare void @__hsail_barrier() convergent

!0 = !{!"int*", !"int", !"image2d_t", !"sampler_t"}
!1 = !{!"none", !"none", !"read_only", !"none"}
