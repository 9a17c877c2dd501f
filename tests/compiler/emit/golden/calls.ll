; -O0  direct, recursive and indirect calls, structures by value
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @elsewhere(i32, double)
@functions = addrspace(1) constant [2 x ptr] [ptr @first, ptr @second]

define internal i32 @first(i32 %x) {
  ret i32 %x
}

define internal i32 @second(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}

define { i64, <2 x float> } @structures({ i8, i16 } %a, i128 %b, <2 x float> %v, i1 %c, half %h) {
  %s = extractvalue { i8, i16 } %a, 1
  %t = zext i16 %s to i64
  %r = insertvalue { i64, <2 x float> } poison, i64 %t, 0
  %q = insertvalue { i64, <2 x float> } %r, <2 x float> %v, 1
  ret { i64, <2 x float> } %q
}

define void @by_value(ptr addrspace(5) byval({ i32, i64 }) align 8 %p, ptr addrspace(5) sret({ i32, i64 }) align 8 %r) {
  %x = load i64, ptr addrspace(5) %p
  store i64 %x, ptr addrspace(5) %r
  ret void
}

define i32 @recursive(i32 %n) {
entry:
  %small = icmp ult i32 %n, 2
  br i1 %small, label %done, label %more

more:
  %m = sub i32 %n, 1
  %r = call i32 @recursive(i32 %m)
  %s = call i32 @elsewhere(i32 %r, double 2.0)
  br label %done

done:
  %v = phi i32 [ 1, %entry ], [ %s, %more ]
  ret i32 %v
}

define amdgpu_kernel void @calls(ptr addrspace(1) %o, i64 %i, ptr %f) !reqd_work_group_size !0 {
  %a = alloca { i32, i64 }, align 8, addrspace(5)
  %b = alloca { i32, i64 }, align 8, addrspace(5)
  call void @by_value(ptr addrspace(5) byval({ i32, i64 }) align 8 %a, ptr addrspace(5) sret({ i32, i64 }) align 8 %b)
  %p = getelementptr [2 x ptr], ptr addrspace(1) @functions, i64 0, i64 %i
  %q = load ptr, ptr addrspace(1) %p
  %x = call i32 %q(i32 5)
  %w = zext i32 %x to i128
  %r = call { i64, <2 x float> } @structures({ i8, i16 } { i8 1, i16 2 }, i128 %w, <2 x float> <float 1.0, float 2.0>, i1 true, half 1.0)
  %y = extractvalue { i64, <2 x float> } %r, 0
  call void %f()
  store i64 %y, ptr addrspace(1) %o
  ret void
}

!0 = !{i32 64, i32 2, i32 1}
