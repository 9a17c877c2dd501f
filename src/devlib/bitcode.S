# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The bitcode of the device library for one target, as bytes. The build gives BITCODE, the path of the file, and BEGIN and
# END, the names of the symbols around its contents.
    .section .rodata
    .global BEGIN
    .global END
    .hidden BEGIN
    .hidden END
    .balign 16
BEGIN:
    .incbin BITCODE
END:
    .byte 0
    .section .note.GNU-stack,"",@progbits
