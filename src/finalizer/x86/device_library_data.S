# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The bitcode of the device library, as bytes. DEVICE_LIBRARY is its path, given by the build.
    .section .rodata
    .global heddle_device_library_begin
    .global heddle_device_library_end
    .hidden heddle_device_library_begin
    .hidden heddle_device_library_end
    .balign 16
heddle_device_library_begin:
    .incbin DEVICE_LIBRARY
heddle_device_library_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
