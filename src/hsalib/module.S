# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A module in BRIG as a shared library, in the form in which offload plugins look for modules to link: the module lies between
# two symbols. The build gives BRIG, the path of the file.
    .section .rodata
    .global __brig_start
    .global __brig_end
    .type __brig_start, @object
    .type __brig_end, @object
    .balign 16
__brig_start:
    .incbin BRIG
__brig_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
