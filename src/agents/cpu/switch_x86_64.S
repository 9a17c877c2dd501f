// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System V calling convention. A frame, from its lowest address: MXCSR (4 bytes), x87 control word (4), r15, r14,
// r13, r12, rbx, rbp, return address. See switch.h.
  .text
  .p2align 4

.macro save_frame
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  pushq %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  pushq %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r13, 0
  pushq %r14
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r14, 0
  pushq %r15
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r15, 0
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
.endm

.macro restore_frame
  fldcw 4(%rsp)
  ldmxcsr (%rsp)
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %r15
  .cfi_adjust_cfa_offset -8
  popq %r14
  .cfi_adjust_cfa_offset -8
  popq %r13
  .cfi_adjust_cfa_offset -8
  popq %r12
  .cfi_adjust_cfa_offset -8
  popq %rbx
  .cfi_adjust_cfa_offset -8
  popq %rbp
  .cfi_adjust_cfa_offset -8
  retq
.endm

.macro function name
  .globl \name
  .hidden \name
  .type \name, @function
  .p2align 4
\name:
  .cfi_startproc
.endm

.macro end_function name
  .cfi_endproc
  .size \name, . - \name
.endm

// (%rdi save, %rsi to, %rdx value)
function heddle_cpu_switch
  save_frame
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  movq %rdx, %rax
  restore_frame
end_function heddle_cpu_switch

// (%rdi save, %rsi entry, %rdx a, %rcx b, %r8 c). The frame leaves the stack 16-byte aligned for the call.
function heddle_cpu_call
  save_frame
  movq %rsp, (%rdi)
  ldmxcsr kernel_environment(%rip)
  fldcw 4+kernel_environment(%rip)
  movq %rsi, %rax
  movq %rdx, %rdi
  movq %rcx, %rsi
  movq %r8, %rdx
  callq *%rax
  xorl %eax, %eax
  restore_frame
end_function heddle_cpu_call

// (%rdi to, %rsi value)
function heddle_cpu_leave
  movq %rdi, %rsp
  movq %rsi, %rax
  .cfi_def_cfa %rsp, 64
  restore_frame
end_function heddle_cpu_leave

// Kernel code may have been cut off anywhere, so the direction flag and the x87 stack may be in any state.
function heddle_cpu_recover
  cld
  emms
  jmp heddle_cpu_leave
end_function heddle_cpu_recover

// Entered by the return of a switch, with the stack 16-byte aligned.
function heddle_cpu_fiber_start
  .cfi_undefined %rip
  movq %r12, %rdi
  callq *%r13
  ud2
end_function heddle_cpu_fiber_start

  .section .rodata
  .p2align 3
kernel_environment:
  .long 0x1f80   // kernel_mxcsr
  .long 0x037f   // kernel_x87_control

  .section .note.GNU-stack,"",@progbits
