; Blocks that only choose between ways that are never reached vanish, in whatever order they stand.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @chain(ptr addrspace(1) %p, i32 %n) {
  %some = icmp ne i32 %n, 0
  br i1 %some, label %first, label %live
first:
  %a = icmp eq i32 %n, 1
  br i1 %a, label %never, label %second
third:
  br label %never
second:
  %b = icmp eq i32 %n, 2
  br i1 %b, label %never, label %third
never:
  unreachable
live:
  store i32 %n, ptr addrspace(1) %p
  ret void
}
