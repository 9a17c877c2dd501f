# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The page that shows traces, as bytes. The build gives PAGE, the path of the file.
    .section .rodata
    .global heddle_trace_page_begin
    .global heddle_trace_page_end
heddle_trace_page_begin:
    .incbin PAGE
heddle_trace_page_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
