; Values of variables in group memory are stored by the first work-item.
target triple = "amdgcn-amd-amdhsa"

@zeros = internal addrspace(3) global [4 x i32] zeroinitializer
@numbers = internal addrspace(3) global [2 x i32] [i32 5, i32 6]
@anything = internal addrspace(3) global i32 undef

define amdgpu_kernel void @both(ptr addrspace(1) %p) {
  %v = load i32, ptr addrspace(3) @zeros
  %w = call i32 @number()
  %s = add i32 %v, %w
  store i32 %s, ptr addrspace(1) %p
  ret void
}

define internal i32 @number() noinline {
  %w = load i32, ptr addrspace(3) @numbers
  ret i32 %w
}

define amdgpu_kernel void @neither(ptr addrspace(1) %p) {
  %v = load i32, ptr addrspace(3) @anything
  store i32 %v, ptr addrspace(1) %p
  ret void
}
