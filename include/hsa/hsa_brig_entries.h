// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * BRIG 1.2: the kinds and layouts of entries. See the HSA Programmer's Reference Manual 1.2 (PRM),
 * chapter 18.
 *
 * A module is one block of memory: a module header, an index of sections, and at least the three standard
 * sections data, code and operand (18.2). All values are little-endian. An entry of the code or operand
 * section begins with hsa_brig_base_t and is a multiple of 4 bytes long; nothing in an entry needs more than
 * 4-byte alignment. An offset refers to the start of an entry, counted from the start of its section; 0
 * refers to nothing. Fields named reserved are 0. Clause numbers are those of the PRM.
 */
#ifndef HSA_BRIG_ENTRIES_H_
#define HSA_BRIG_ENTRIES_H_

#include <stdint.h>

#include "hsa_brig_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 18.3 Types of the fields that hold values of the enumerations hsa_brig_x_t in the other headers. */
typedef uint8_t hsa_brig_allocation8_t;
typedef uint8_t hsa_brig_alu_modifier8_t;
typedef uint8_t hsa_brig_atomic_operation8_t;
typedef uint8_t hsa_brig_compare_operation8_t;
typedef uint16_t hsa_brig_control_directive16_t;
typedef uint32_t hsa_brig_exceptions32_t;
typedef uint8_t hsa_brig_executable_modifier8_t;
typedef uint16_t hsa_brig_expression_operation16_t;
typedef uint8_t hsa_brig_linkage8_t;
typedef uint8_t hsa_brig_memory_modifier8_t;
typedef uint8_t hsa_brig_memory_order8_t;
typedef uint8_t hsa_brig_memory_scope8_t;
typedef uint16_t hsa_brig_opcode16_t;
typedef uint8_t hsa_brig_pack8_t;
typedef uint8_t hsa_brig_round8_t;
typedef uint32_t hsa_brig_section_index32_t;
typedef uint8_t hsa_brig_seg_cvt_modifier8_t;
typedef uint8_t hsa_brig_variable_modifier8_t;
typedef uint8_t hsa_brig_width8_t;
typedef uint8_t hsa_ext_brig_image_channel_order8_t;
typedef uint8_t hsa_ext_brig_image_channel_type8_t;
typedef uint8_t hsa_ext_brig_image_geometry8_t;
typedef uint8_t hsa_ext_brig_image_query8_t;
typedef uint8_t hsa_ext_brig_sampler_addressing8_t;
typedef uint8_t hsa_ext_brig_sampler_coord_normalization8_t;
typedef uint8_t hsa_ext_brig_sampler_filter8_t;
typedef uint8_t hsa_ext_brig_sampler_query8_t;

/**
 * 18.3.12 Kind of an entry of the code and operand sections. *_BEGIN and *_END bound the three ranges, END
 * excluded.
 */
typedef uint16_t hsa_brig_kind16_t;
typedef enum {
  HSA_BRIG_KIND_NONE = 0x0000,
  HSA_BRIG_KIND_DIRECTIVE_BEGIN = 0x1000,
  HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_END = 0x1000,
  HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START = 0x1001,
  HSA_BRIG_KIND_DIRECTIVE_COMMENT = 0x1002,
  HSA_BRIG_KIND_DIRECTIVE_CONTROL = 0x1003,
  HSA_BRIG_KIND_DIRECTIVE_EXTENSION = 0x1004,
  HSA_BRIG_KIND_DIRECTIVE_FBARRIER = 0x1005,
  HSA_BRIG_KIND_DIRECTIVE_FUNCTION = 0x1006,
  HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION = 0x1007,
  HSA_BRIG_KIND_DIRECTIVE_KERNEL = 0x1008,
  HSA_BRIG_KIND_DIRECTIVE_LABEL = 0x1009,
  HSA_BRIG_KIND_DIRECTIVE_LOC = 0x100a,
  HSA_BRIG_KIND_DIRECTIVE_MODULE = 0x100b,
  HSA_BRIG_KIND_DIRECTIVE_PRAGMA = 0x100c,
  HSA_BRIG_KIND_DIRECTIVE_SIGNATURE = 0x100d,
  HSA_BRIG_KIND_DIRECTIVE_VARIABLE = 0x100e,
  HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION = 0x100f,
  HSA_BRIG_KIND_DIRECTIVE_END = 0x1010,
  HSA_BRIG_KIND_INST_BEGIN = 0x2000,
  HSA_BRIG_KIND_INST_ADDR = 0x2000,
  HSA_BRIG_KIND_INST_ATOMIC = 0x2001,
  HSA_BRIG_KIND_INST_BASIC = 0x2002,
  HSA_BRIG_KIND_INST_BR = 0x2003,
  HSA_BRIG_KIND_INST_CMP = 0x2004,
  HSA_BRIG_KIND_INST_CVT = 0x2005,
  HSA_BRIG_KIND_INST_IMAGE = 0x2006,
  HSA_BRIG_KIND_INST_LANE = 0x2007,
  HSA_BRIG_KIND_INST_MEM = 0x2008,
  HSA_BRIG_KIND_INST_MEM_FENCE = 0x2009,
  HSA_BRIG_KIND_INST_MOD = 0x200a,
  HSA_BRIG_KIND_INST_QUERY_IMAGE = 0x200b,
  HSA_BRIG_KIND_INST_QUERY_SAMPLER = 0x200c,
  HSA_BRIG_KIND_INST_QUEUE = 0x200d,
  HSA_BRIG_KIND_INST_SEG = 0x200e,
  HSA_BRIG_KIND_INST_SEG_CVT = 0x200f,
  HSA_BRIG_KIND_INST_SIGNAL = 0x2010,
  HSA_BRIG_KIND_INST_SOURCE_TYPE = 0x2011,
  HSA_BRIG_KIND_INST_END = 0x2012,
  HSA_BRIG_KIND_OPERAND_BEGIN = 0x3000,
  HSA_BRIG_KIND_OPERAND_ADDRESS = 0x3000,
  HSA_BRIG_KIND_OPERAND_ALIGN = 0x3001,
  HSA_BRIG_KIND_OPERAND_CODE_LIST = 0x3002,
  HSA_BRIG_KIND_OPERAND_CODE_REF = 0x3003,
  HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES = 0x3004,
  HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION = 0x3005,
  HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE = 0x3006,
  HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST = 0x3007,
  HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER = 0x3008,
  HSA_BRIG_KIND_OPERAND_OPERAND_LIST = 0x3009,
  HSA_BRIG_KIND_OPERAND_REGISTER = 0x300a,
  HSA_BRIG_KIND_OPERAND_STRING = 0x300b,
  HSA_BRIG_KIND_OPERAND_WAVESIZE = 0x300c,
  HSA_BRIG_KIND_OPERAND_ZERO = 0x300d,
  HSA_BRIG_KIND_OPERAND_END = 0x300e
} hsa_brig_kind_t;

/** 18.3.1 Offset in bytes into the named section. */
typedef uint32_t hsa_brig_data_offset32_t;
typedef uint32_t hsa_brig_code_offset32_t;
typedef uint32_t hsa_brig_operand_offset32_t;

/** 18.3.1 Offset of a data entry that holds text or bytes, code offsets, or operand offsets. */
typedef hsa_brig_data_offset32_t hsa_brig_data_offset_string32_t;
typedef hsa_brig_data_offset32_t hsa_brig_data_offset_code_list32_t;
typedef hsa_brig_data_offset32_t hsa_brig_data_offset_operand_list32_t;

/** 18.3.6 Head of every entry of the code and operand sections. */
typedef struct hsa_brig_base_s {
  /** size of the entry in bytes, including this head; a multiple of 4. Readers must use it to find the next
   *  entry, because an entry may be longer than its struct */
  uint16_t byte_count;
  hsa_brig_kind16_t kind;
} hsa_brig_base_t;

/**
 * 18.3.18 Head of a module; 16-byte aligned. The struct has the tag of HSA 1.0, which hsa_ext_finalize.h
 * uses, so that hsa_brig_module_t and hsa_ext_module_t are the same type.
 */
typedef struct BrigModuleHeader {
  char identification[8]; /**< "HSA BRIG", no terminator */
  hsa_brig_version32_t brig_major;
  hsa_brig_version32_t brig_minor;
  uint64_t byte_count; /**< size of the whole module in bytes; a multiple of 16 */
  uint8_t hash[64];    /**< free use by the producer; zero if unused */
  uint32_t reserved;
  uint32_t section_count; /**< at least 3 */
  /** offset in bytes of an array of section_count uint64_t section offsets; a multiple of 8 */
  uint64_t section_index;
} hsa_brig_module_header_t;

/** 18.2 The address of the header of a module, which stands for the module. The caller owns the memory. */
typedef hsa_brig_module_header_t* hsa_brig_module_t;

/**
 * 18.3.25 First entry of every section; 16-byte aligned. Always use header_byte_count instead of sizeof,
 * which includes compiler padding.
 */
typedef struct hsa_brig_section_header_s {
  uint64_t byte_count;        /**< size of the section in bytes, header included; a multiple of 4 */
  uint32_t header_byte_count; /**< offset in bytes of the first entry; a multiple of 4 */
  uint32_t name_length;       /**< length of name in bytes */
  /** name_length bytes: "hsa_data", "hsa_code" or "hsa_operand" in the standard sections */
  uint8_t name[1];
} hsa_brig_section_header_t;

/**
 * 18.3.29 The 64-bit value hi * 2^32 + lo inside an entry, in two halves because entries are 4-byte aligned.
 */
typedef struct hsa_brig_uint64_s {
  uint32_t lo;
  uint32_t hi;
} hsa_brig_uint64_t;

/** 18.4 An entry of the data section: byte_count bytes, then zeros up to a multiple of 4. */
typedef struct hsa_brig_data_s {
  uint32_t byte_count; /**< number of bytes, without this field and the padding */
  uint8_t bytes[1];    /**< byte_count bytes */
} hsa_brig_data_t;

/** 18.5.1.2 Start or end of an arg block. */
typedef struct hsa_brig_directive_arg_block_s {
  hsa_brig_base_t base;
} hsa_brig_directive_arg_block_t;

/** 18.5.1.3 A comment. */
typedef struct hsa_brig_directive_comment_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_string32_t name; /**< the text, with its // */
} hsa_brig_directive_comment_t;

/** 18.5.1.4 A control directive (13.5). */
typedef struct hsa_brig_directive_control_s {
  hsa_brig_base_t base;
  hsa_brig_control_directive16_t control;
  uint16_t reserved;
  hsa_brig_data_offset_operand_list32_t operands; /**< constant_bytes or wavesize operands */
} hsa_brig_directive_control_t;

/**
 * 18.5.1.5 A kernel, function, indirect function or signature. Its formal arguments follow immediately:
 * outputs, then inputs.
 */
typedef struct hsa_brig_directive_executable_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_string32_t name;
  uint16_t out_arg_count;
  uint16_t in_arg_count;
  hsa_brig_code_offset32_t first_in_arg; /**< first_code_block_entry if there is no input argument */
  /** next_module_entry if there is no code block or it is empty */
  hsa_brig_code_offset32_t first_code_block_entry;
  hsa_brig_code_offset32_t next_module_entry; /**< the size of the section if nothing follows */
  hsa_brig_executable_modifier8_t modifier;
  hsa_brig_linkage8_t linkage; /**< NONE for a signature */
  uint16_t reserved;
} hsa_brig_directive_executable_t;

/** 18.5.1.6 An extension without version, as "CORE" must be; it has the version of the module. */
typedef struct hsa_brig_directive_extension_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_string32_t name;
} hsa_brig_directive_extension_t;

/** 18.5.1.7 An extension with a version. */
typedef struct hsa_brig_directive_extension_version_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_string32_t name;
  hsa_brig_version32_t extension_major;
  hsa_brig_version32_t extension_minor;
} hsa_brig_directive_extension_version_t;

/** 18.5.1.8 Declaration or definition of an fbarrier. */
typedef struct hsa_brig_directive_fbarrier_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_string32_t name;
  hsa_brig_variable_modifier8_t modifier;
  hsa_brig_linkage8_t linkage;
  uint16_t reserved;
} hsa_brig_directive_fbarrier_t;

/** 18.5.1.9 A label; only in code blocks. */
typedef struct hsa_brig_directive_label_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_string32_t name;
} hsa_brig_directive_label_t;

/** 18.5.1.10 Source position of the entries up to the next loc directive. */
typedef struct hsa_brig_directive_loc_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_string32_t filename; /**< the last file name given, or the empty string; never 0 */
  uint32_t line;                            /**< from 1 */
  uint32_t column;                          /**< from 1 */
} hsa_brig_directive_loc_t;

/** 18.5.1.11 The module header. Exactly one; only annotations may stand before it. */
typedef struct hsa_brig_directive_module_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_string32_t name;
  hsa_brig_version32_t hsail_major;
  hsa_brig_version32_t hsail_minor;
  hsa_brig_profile8_t profile;
  hsa_brig_machine_model8_t machine_model;
  hsa_brig_round8_t default_float_round; /**< FLOAT_DEFAULT, FLOAT_NEAR_EVEN or FLOAT_ZERO */
  uint8_t reserved;
} hsa_brig_directive_module_t;

/** 18.5.1.12 Padding of any size: `pad n` has (n + 1) * 4 bytes. All bytes after the head are 0. */
typedef struct hsa_brig_directive_none_s {
  hsa_brig_base_t base;
} hsa_brig_directive_none_t;

/** 18.5.1.13 A pragma (13.4). */
typedef struct hsa_brig_directive_pragma_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_operand_list32_t operands;
} hsa_brig_directive_pragma_t;

/** 18.5.1.14 A variable or a formal argument. */
typedef struct hsa_brig_directive_variable_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_string32_t name; /**< 0 only for a nameless formal argument */
  hsa_brig_operand_offset32_t init;     /**< a constant operand, or 0 */
  hsa_brig_type16_t type;
  hsa_brig_segment8_t segment;
  hsa_brig_alignment8_t align; /**< at least the natural alignment of type */
  hsa_brig_uint64_t dim;       /**< number of elements; 0 if not an array, or an array without size */
  hsa_brig_variable_modifier8_t modifier;
  hsa_brig_linkage8_t linkage;
  hsa_brig_allocation8_t allocation;
  uint8_t reserved;
} hsa_brig_directive_variable_t;

/** 18.5.2.1 Head of every instruction. */
typedef struct hsa_brig_inst_base_s {
  hsa_brig_base_t base;
  hsa_brig_opcode16_t opcode;
  /** type of the destination, and of the sources unless another field gives their type; NONE if no operand
   *  has a type */
  hsa_brig_type16_t type;
  hsa_brig_data_offset_operand_list32_t operands; /**< destinations first */
} hsa_brig_inst_base_t;

/** 18.5.2.2 lda. */
typedef struct hsa_brig_inst_addr_s {
  hsa_brig_inst_base_t base;
  hsa_brig_segment8_t segment; /**< FLAT if not written */
  uint8_t reserved[3];
} hsa_brig_inst_addr_t;

/** 18.5.2.3 atomic, atomicnoret. */
typedef struct hsa_brig_inst_atomic_s {
  hsa_brig_inst_base_t base;
  hsa_brig_segment8_t segment; /**< FLAT if not written */
  hsa_brig_memory_order8_t memory_order;
  hsa_brig_memory_scope8_t memory_scope;
  hsa_brig_atomic_operation8_t atomic_operation;
  uint8_t equiv_class;
  uint8_t reserved[3];
} hsa_brig_inst_atomic_t;

/** 18.5.2.4 Instructions without modifiers. */
typedef struct hsa_brig_inst_basic_s {
  hsa_brig_inst_base_t base;
} hsa_brig_inst_basic_t;

/** 18.5.2.5 Branches, calls, barrier, wavebarrier, and the fbarrier operations with a width. */
typedef struct hsa_brig_inst_br_s {
  hsa_brig_inst_base_t base;
  hsa_brig_width8_t width;
  uint8_t reserved[3];
} hsa_brig_inst_br_t;

/** 18.5.2.6 cmp. */
typedef struct hsa_brig_inst_cmp_s {
  hsa_brig_inst_base_t base;
  hsa_brig_type16_t source_type;
  hsa_brig_alu_modifier8_t modifier;
  hsa_brig_compare_operation8_t compare;
  hsa_brig_pack8_t pack;
  uint8_t reserved[3];
} hsa_brig_inst_cmp_t;

/** 18.5.2.7 cvt. There is no pack field: the types say that a conversion is packed. */
typedef struct hsa_brig_inst_cvt_s {
  hsa_brig_inst_base_t base;
  hsa_brig_type16_t source_type;
  hsa_brig_alu_modifier8_t modifier;
  hsa_brig_round8_t round;
} hsa_brig_inst_cvt_t;

/** 18.5.2.8 Cross-lane instructions. */
typedef struct hsa_brig_inst_lane_s {
  hsa_brig_inst_base_t base;
  hsa_brig_type16_t source_type; /**< NONE where the text has no source type */
  hsa_brig_width8_t width;
  uint8_t reserved;
} hsa_brig_inst_lane_t;

/** 18.5.2.9 ld, st, alloca. */
typedef struct hsa_brig_inst_mem_s {
  hsa_brig_inst_base_t base;
  hsa_brig_segment8_t segment; /**< FLAT if not written, NONE for alloca */
  hsa_brig_alignment8_t align; /**< 1 if not written */
  uint8_t equiv_class;
  hsa_brig_width8_t width; /**< NONE for st and alloca */
  hsa_brig_memory_modifier8_t modifier;
  uint8_t reserved[3];
} hsa_brig_inst_mem_t;

/** 18.5.2.10 memfence. Both scopes are equal. */
typedef struct hsa_brig_inst_mem_fence_s {
  hsa_brig_inst_base_t base;
  hsa_brig_memory_order8_t memory_order;
  hsa_brig_memory_scope8_t global_segment_memory_scope;
  hsa_brig_memory_scope8_t group_segment_memory_scope;
  uint8_t reserved;
} hsa_brig_inst_mem_fence_t;

/** 18.5.2.11 Arithmetic with modifiers; BASIC may be used when all of them have their default. */
typedef struct hsa_brig_inst_mod_s {
  hsa_brig_inst_base_t base;
  hsa_brig_alu_modifier8_t modifier;
  hsa_brig_round8_t round;
  hsa_brig_pack8_t pack;
  uint8_t reserved;
} hsa_brig_inst_mod_t;

/** 18.5.2.12 User mode queue instructions. */
typedef struct hsa_brig_inst_queue_s {
  hsa_brig_inst_base_t base;
  hsa_brig_segment8_t segment; /**< FLAT if not written */
  hsa_brig_memory_order8_t memory_order;
  uint16_t reserved;
} hsa_brig_inst_queue_t;

/** 18.5.2.13 nullptr. */
typedef struct hsa_brig_inst_seg_s {
  hsa_brig_inst_base_t base;
  hsa_brig_segment8_t segment; /**< FLAT if not written */
  uint8_t reserved[3];
} hsa_brig_inst_seg_t;

/** 18.5.2.14 segmentp, ftos, stof. */
typedef struct hsa_brig_inst_seg_cvt_s {
  hsa_brig_inst_base_t base;
  hsa_brig_type16_t source_type;
  hsa_brig_segment8_t segment;
  hsa_brig_seg_cvt_modifier8_t modifier;
} hsa_brig_inst_seg_cvt_t;

/** 18.5.2.15 signal, signalnoret. */
typedef struct hsa_brig_inst_signal_s {
  hsa_brig_inst_base_t base;
  hsa_brig_type16_t signal_type;
  hsa_brig_memory_order8_t memory_order;
  hsa_brig_atomic_operation8_t signal_operation;
} hsa_brig_inst_signal_t;

/** 18.5.2.16 Instructions with two types. */
typedef struct hsa_brig_inst_source_type_s {
  hsa_brig_inst_base_t base;
  hsa_brig_type16_t source_type;
  uint16_t reserved;
} hsa_brig_inst_source_type_t;

/** 18.5.2.17 rdimage, ldimage, stimage. */
typedef struct hsa_ext_brig_inst_image_s {
  hsa_brig_inst_base_t base;
  hsa_brig_type16_t image_type;
  hsa_brig_type16_t coord_type;
  hsa_ext_brig_image_geometry8_t geometry;
  uint8_t equiv_class;
  uint16_t reserved;
} hsa_ext_brig_inst_image_t;

/** 18.5.2.18 queryimage. */
typedef struct hsa_ext_brig_inst_query_image_s {
  hsa_brig_inst_base_t base;
  hsa_brig_type16_t image_type;
  hsa_ext_brig_image_geometry8_t geometry;
  hsa_ext_brig_image_query8_t query;
} hsa_ext_brig_inst_query_image_t;

/** 18.5.2.19 querysampler. */
typedef struct hsa_ext_brig_inst_query_sampler_s {
  hsa_brig_inst_base_t base;
  hsa_ext_brig_sampler_query8_t query;
  uint8_t reserved[3];
} hsa_ext_brig_inst_query_sampler_t;

/** 18.6.2 Address expression: [symbol][reg + offset]. */
typedef struct hsa_brig_operand_address_s {
  hsa_brig_base_t base;
  hsa_brig_code_offset32_t symbol; /**< a variable, or 0 */
  hsa_brig_operand_offset32_t reg; /**< a register operand, or 0 */
  hsa_brig_uint64_t offset;
} hsa_brig_operand_address_t;

/** 18.6.3 align(n) inside an aggregate constant. */
typedef struct hsa_brig_operand_align_s {
  hsa_brig_base_t base;
  hsa_brig_alignment8_t align;
  uint8_t reserved[3];
} hsa_brig_operand_align_t;

/** 18.6.4 Actual arguments of a call, targets of scall, or labels of sbr. */
typedef struct hsa_brig_operand_code_list_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_code_list32_t elements;
} hsa_brig_operand_code_list_t;

/** 18.6.5 One kernel, function, signature, variable, fbarrier, label or module directive. */
typedef struct hsa_brig_operand_code_ref_s {
  hsa_brig_base_t base;
  hsa_brig_code_offset32_t ref;
} hsa_brig_operand_code_ref_t;

/**
 * 18.6.6 Constant given by its little-endian bytes; the elements of a packed constant are in reverse order.
 * type is never a bit type.
 */
typedef struct hsa_brig_operand_constant_bytes_s {
  hsa_brig_base_t base;
  hsa_brig_type16_t type;
  uint16_t reserved;
  hsa_brig_data_offset_string32_t bytes;
} hsa_brig_operand_constant_bytes_t;

/** 18.6.7 Constant known only at load time: addr(...) or nullptr*. */
typedef struct hsa_brig_operand_constant_expression_s {
  hsa_brig_base_t base;
  hsa_brig_type16_t type;
  hsa_brig_expression_operation16_t expression_operation;
  /** ADDR: a code_ref, then at most one u64 constant_bytes; others: none */
  hsa_brig_data_offset_operand_list32_t operands;
} hsa_brig_operand_constant_expression_t;

/** 18.6.8 Constant made of operands: array, packed (reverse order), or aggregate (type NONE). */
typedef struct hsa_brig_operand_constant_operand_list_s {
  hsa_brig_base_t base;
  hsa_brig_type16_t type;
  uint16_t reserved;
  hsa_brig_data_offset_operand_list32_t elements;
} hsa_brig_operand_constant_operand_list_t;

/** 18.6.9 Vector operand. */
typedef struct hsa_brig_operand_operand_list_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_operand_list32_t elements;
} hsa_brig_operand_operand_list_t;

/** 18.6.10 A register. */
typedef struct hsa_brig_operand_register_s {
  hsa_brig_base_t base;
  hsa_brig_register_kind16_t reg_kind;
  uint16_t reg_num;
} hsa_brig_operand_register_t;

/** 18.6.11 A string, escapes already replaced. */
typedef struct hsa_brig_operand_string_s {
  hsa_brig_base_t base;
  hsa_brig_data_offset_string32_t string;
} hsa_brig_operand_string_t;

/** 18.6.12 WAVESIZE. */
typedef struct hsa_brig_operand_wavesize_s {
  hsa_brig_base_t base;
} hsa_brig_operand_wavesize_t;

/** 18.6.13 zero(n) inside an aggregate constant. */
typedef struct hsa_brig_operand_zero_s {
  hsa_brig_base_t base;
  hsa_brig_uint64_t zero_byte_count;
} hsa_brig_operand_zero_t;

/** 18.6.14 Image initializer. Sizes are in elements; a size that the geometry does not have is 0. */
typedef struct hsa_ext_brig_operand_constant_image_s {
  hsa_brig_base_t base;
  hsa_brig_type16_t type;
  hsa_ext_brig_image_geometry8_t geometry;
  hsa_ext_brig_image_channel_order8_t channel_order;
  hsa_ext_brig_image_channel_type8_t channel_type;
  uint8_t reserved[3];
  hsa_brig_uint64_t width;
  hsa_brig_uint64_t height;
  hsa_brig_uint64_t depth;
  hsa_brig_uint64_t array;
} hsa_ext_brig_operand_constant_image_t;

/** 18.6.15 Sampler initializer. */
typedef struct hsa_ext_brig_operand_constant_sampler_s {
  hsa_brig_base_t base;
  hsa_brig_type16_t type;
  hsa_ext_brig_sampler_coord_normalization8_t coord;
  hsa_ext_brig_sampler_filter8_t filter;
  hsa_ext_brig_sampler_addressing8_t addressing;
  uint8_t reserved[3];
} hsa_ext_brig_operand_constant_sampler_t;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // HSA_BRIG_ENTRIES_H_
