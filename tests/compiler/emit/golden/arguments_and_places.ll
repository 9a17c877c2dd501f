; -O0  a structure argument whose address escapes, and places in the source
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @escaping(ptr addrspace(1) %o, ptr addrspace(4) byref({ i32, [4 x i64] }) align 8 %s, i1 %c) {
  %p = getelementptr { i32, [4 x i64] }, ptr addrspace(4) %s, i32 0, i32 1, i32 2
  %q = select i1 %c, ptr addrspace(4) %s, ptr addrspace(4) %p
  %v = load i64, ptr addrspace(4) %q, align 4
  store i64 %v, ptr addrspace(1) %o
  ret void
}

define void @places(ptr addrspace(1) %o, i32 %n) !dbg !4 {
  %a = mul i32 %n, 3, !dbg !7
  %b = udiv i32 %a, %n, !dbg !8
  store i32 %b, ptr addrspace(1) %o, !dbg !8
  ret void, !dbg !9
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernel.cl", directory: "/")
!2 = !{}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "places", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !2)
!7 = !DILocation(line: 2, column: 5, scope: !4)
!8 = !DILocation(line: 3, column: 1, scope: !4)
!9 = !DILocation(line: 4, column: 9, scope: !4)
