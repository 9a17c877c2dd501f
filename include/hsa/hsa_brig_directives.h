// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * BRIG 1.2: the properties of directives and constant expressions. See the HSA Programmer's Reference Manual
 * 1.2 (PRM), clause 18.3. The types of the fields that hold these values are in hsa_brig_entries.h.
 */
#ifndef HSA_BRIG_DIRECTIVES_H_
#define HSA_BRIG_DIRECTIVES_H_

#ifdef __cplusplus
extern "C" {
#endif

/** 18.3.3 Allocation of a variable: one copy for the program, one for each agent, or automatic. */
typedef enum {
  HSA_BRIG_ALLOCATION_NONE = 0,
  HSA_BRIG_ALLOCATION_PROGRAM = 1,
  HSA_BRIG_ALLOCATION_AGENT = 2,
  HSA_BRIG_ALLOCATION_AUTOMATIC = 3
} hsa_brig_allocation_t;

/** 18.3.8 Control directives (13.5). 12..32767 reserved, 32768..65535 vendor. */
typedef enum {
  HSA_BRIG_CONTROL_DIRECTIVE_NONE = 0,
  HSA_BRIG_CONTROL_DIRECTIVE_ENABLEBREAKEXCEPTIONS = 1,
  HSA_BRIG_CONTROL_DIRECTIVE_ENABLEDETECTEXCEPTIONS = 2,
  HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE = 3,
  HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE = 4,
  HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE = 5,
  HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM = 6,
  HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE = 7,
  HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE = 8,
  HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS = 9,
  HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWAVEFRONTS = 10,
  HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGROUPBASEPTRALIGN = 11,
  HSA_BRIG_CONTROL_DIRECTIVE_FIRST_USER_DEFINED = 32768
} hsa_brig_control_directive_t;

/** 18.3.9 Set of hardware exceptions as a bit mask. Bits 5..15 reserved, 16..31 vendor. */
typedef enum {
  HSA_BRIG_EXCEPTIONS_INVALID_OPERATION = 1 << 0,
  HSA_BRIG_EXCEPTIONS_DIVIDE_BY_ZERO = 1 << 1,
  HSA_BRIG_EXCEPTIONS_OVERFLOW = 1 << 2,
  HSA_BRIG_EXCEPTIONS_UNDERFLOW = 1 << 3,
  HSA_BRIG_EXCEPTIONS_INEXACT = 1 << 4,
  HSA_BRIG_EXCEPTIONS_FIRST_USER_DEFINED = 1 << 16
} hsa_brig_exceptions_t;

/** 18.3.10 Bit mask: set for a definition (always for a signature), clear for a declaration. */
typedef enum { HSA_BRIG_EXECUTABLE_MODIFIER_DEFINITION = 1 } hsa_brig_executable_modifier_t;

/** 18.3.11 Operation of a constant expression: address of a symbol, or the null address of a segment. */
typedef enum {
  HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_FLAT = 0,
  HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_GROUP = 1,
  HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_PRIVATE = 2,
  HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_KERNARG = 3,
  HSA_BRIG_EXPRESSION_OPERATION_ADDR = 4,
  HSA_BRIG_EXPRESSION_OPERATION_FIRST_USER_DEFINED = 32768
} hsa_brig_expression_operation_t;

/** 18.3.13 Linkage of a symbol (4.12). NONE: formal arguments of signatures and of declarations. */
typedef enum {
  HSA_BRIG_LINKAGE_NONE = 0,
  HSA_BRIG_LINKAGE_PROGRAM = 1,
  HSA_BRIG_LINKAGE_MODULE = 2,
  HSA_BRIG_LINKAGE_FUNCTION = 3,
  HSA_BRIG_LINKAGE_ARG = 4
} hsa_brig_linkage_t;

/** 18.3.24 Position of the standard sections in the section index. */
typedef enum {
  HSA_BRIG_SECTION_INDEX_DATA = 0,
  HSA_BRIG_SECTION_INDEX_CODE = 1,
  HSA_BRIG_SECTION_INDEX_OPERAND = 2,
  HSA_BRIG_SECTION_INDEX_FIRST_USER_DEFINED = 3
} hsa_brig_section_index_t;

/**
 * 18.3.30 Bit masks of variables (fbarriers use DEFINITION only). CONST: global and readonly segment only.
 */
typedef enum {
  HSA_BRIG_VARIABLE_MODIFIER_DEFINITION = 1,
  HSA_BRIG_VARIABLE_MODIFIER_CONST = 2
} hsa_brig_variable_modifier_t;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // HSA_BRIG_DIRECTIVES_H_
