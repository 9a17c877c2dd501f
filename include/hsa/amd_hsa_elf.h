/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Numbers in ELF files with code for AMD's devices. amd_hsa_common.h says what this is for. heddle refuses
 * such files: docs/status.md, "Code objects".
 */
#ifndef AMD_HSA_ELF_H_
#define AMD_HSA_ELF_H_

/** e_machine */
#define EM_AMDGPU 224

/** e_ident[EI_OSABI] */
#define ELFOSABI_AMDGPU_HSA 64
#define ELFOSABI_AMDGPU_PAL 65
#define ELFOSABI_AMDGPU_MESA3D 66

/** e_ident[EI_ABIVERSION] with ELFOSABI_AMDGPU_HSA: the version of the code object's format, minus 2. */
#define ELFABIVERSION_AMDGPU_HSA_V2 0
#define ELFABIVERSION_AMDGPU_HSA_V3 1
#define ELFABIVERSION_AMDGPU_HSA_V4 2
#define ELFABIVERSION_AMDGPU_HSA_V5 3
#define ELFABIVERSION_AMDGPU_HSA_V6 4

/** e_flags: which processor, and in format 3 whether it handles page faults and corrects errors of its
 * memory. */
#define EF_AMDGPU_MACH 0x0ff
#define EF_AMDGPU_FEATURE_XNACK_V3 0x100
#define EF_AMDGPU_FEATURE_SRAMECC_V3 0x200
/** The same in format 4 and later, where the code may not care either. */
#define EF_AMDGPU_FEATURE_XNACK_V4 0x300
#define EF_AMDGPU_FEATURE_XNACK_UNSUPPORTED_V4 0x000
#define EF_AMDGPU_FEATURE_XNACK_ANY_V4 0x100
#define EF_AMDGPU_FEATURE_XNACK_OFF_V4 0x200
#define EF_AMDGPU_FEATURE_XNACK_ON_V4 0x300
#define EF_AMDGPU_FEATURE_SRAMECC_V4 0xc00
#define EF_AMDGPU_FEATURE_SRAMECC_UNSUPPORTED_V4 0x000
#define EF_AMDGPU_FEATURE_SRAMECC_ANY_V4 0x400
#define EF_AMDGPU_FEATURE_SRAMECC_OFF_V4 0x800
#define EF_AMDGPU_FEATURE_SRAMECC_ON_V4 0xc00

/** Type of the note "AMDGPU" with the metadata of a code object as MessagePack, in format 3 and later. */
#define NT_AMDGPU_METADATA 32

/** Types of the notes "AMD" in format 2. */
#define NT_AMD_HSA_CODE_OBJECT_VERSION 1
#define NT_AMD_HSA_HSAIL 2
#define NT_AMD_HSA_ISA_VERSION 3
#define NT_AMD_HSA_METADATA 10
#define NT_AMD_HSA_ISA_NAME 11
#define NT_AMD_PAL_METADATA 12

/** Type of the symbol of a kernel in format 2. */
#define STT_AMDGPU_HSA_KERNEL 10

#endif
