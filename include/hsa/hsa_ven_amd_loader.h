/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The loader extension of AMD (HSA_EXTENSION_AMD_LOADER): what executables have loaded, for debuggers,
 * profilers and runtimes of languages. hsa_system_get_major_extension_table gives the functions as a table.
 * What hsa.h says about errors, threads and iteration holds here too.
 */
#ifndef HSA_VEN_AMD_LOADER_H_
#define HSA_VEN_AMD_LOADER_H_

#include <stddef.h>

#include "hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gives the address at which the host reads what a loaded executable has at device_address: a variable, code,
 * or a kernel object. In heddle the two addresses are the same.
 * Errors: INVALID_ARGUMENT (also: no executable has loaded anything there).
 */
HSA_API hsa_status_t hsa_ven_amd_loader_query_host_address(const void* device_address,
                                                           const void** host_address);

/** Where the bytes of a code object are. */
typedef enum {
  HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_NONE = 0,
  HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE = 1,
  HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY = 2
} hsa_ven_amd_loader_code_object_storage_type_t;

/**
 * Memory that a frozen executable has loaded something into. The memory of code has the code object that it
 * comes from as its storage. The memory of variables has none, because it may hold those of several code
 * objects; its agent is 0 if all agents share the variables.
 */
typedef struct hsa_ven_amd_loader_segment_descriptor_s {
  hsa_agent_t agent;
  hsa_executable_t executable;
  hsa_ven_amd_loader_code_object_storage_type_t code_object_storage_type;
  const void* code_object_storage_base;
  size_t code_object_storage_size;
  size_t code_object_storage_offset;
  const void* segment_base;
  size_t segment_size;
} hsa_ven_amd_loader_segment_descriptor_t;

/**
 * Describes all segments of all executables. With segment_descriptors NULL and *num_segment_descriptors 0, it
 * stores their number; otherwise *num_segment_descriptors must be their number.
 * Errors: INVALID_ARGUMENT (also: only one of the two is 0 or NULL); INCOMPATIBLE_ARGUMENTS (there are more
 * or fewer segments).
 */
HSA_API hsa_status_t hsa_ven_amd_loader_query_segment_descriptors(
    hsa_ven_amd_loader_segment_descriptor_t* segment_descriptors, size_t* num_segment_descriptors);

/** Gives the executable that has loaded something at the address. Errors: INVALID_ARGUMENT (also: none). */
HSA_API hsa_status_t hsa_ven_amd_loader_query_executable(const void* device_address,
                                                         hsa_executable_t* executable);

/** Iterates over the code objects of an executable. Errors: INVALID_EXECUTABLE; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t executable, hsa_loaded_code_object_t loaded_code_object,
                             void* data),
    void* data);

/** What part of a code object has been loaded. */
typedef enum {
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_PROGRAM = 1,
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT = 2
} hsa_ven_amd_loader_loaded_code_object_kind_t;

/** Attributes of loaded code objects. */
typedef enum hsa_ven_amd_loader_loaded_code_object_info_e {
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE = 1, /**< hsa_executable_t */
  /** uint32_t: hsa_ven_amd_loader_loaded_code_object_kind_t */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND = 2,
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT = 3, /**< hsa_agent_t; only of kind AGENT */
  /** uint32_t: hsa_ven_amd_loader_code_object_storage_type_t; always MEMORY, a copy of the runtime */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE = 4,
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE = 5, /**< uint64_t */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE = 6, /**< uint64_t: bytes */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE = 7, /**< int; only of files: never */
  /** int64_t: what is added to the addresses in the ELF file to get those in memory; 0 like LOAD_BASE */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA = 8,
  /** uint64_t: address of the code; 0 before the executable is frozen and on agents that interpret it */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE = 9,
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE = 10,  /**< uint64_t: bytes */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH = 11, /**< uint32_t: characters of the URI */
  /** char[URI_LENGTH + 1]: "memory://PROCESS#offset=0xADDRESS&size=BYTES" and a NUL */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI = 12
} hsa_ven_amd_loader_loaded_code_object_info_t;

/**
 * Queries a loaded code object, which exists until its executable is destroyed.
 * Errors: INVALID_CODE_OBJECT (no such loaded code object); INVALID_ARGUMENT (also: the code object does not
 * have the attribute).
 */
HSA_API hsa_status_t hsa_ven_amd_loader_loaded_code_object_get_info(
    hsa_loaded_code_object_t loaded_code_object, hsa_ven_amd_loader_loaded_code_object_info_t attribute,
    void* value);

/**
 * Creates a reader like hsa_code_object_reader_create_from_file, of size bytes of the file from offset on.
 * Errors: INVALID_FILE; INVALID_CODE_OBJECT (size 0; bytes behind the end of the file); INVALID_ARGUMENT;
 * OUT_OF_RESOURCES.
 */
HSA_API hsa_status_t hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size(
    hsa_file_t file, size_t offset, size_t size, hsa_code_object_reader_t* code_object_reader);

/** Iterates over all executables. Errors: INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_ven_amd_loader_iterate_executables(
    hsa_status_t (*callback)(hsa_executable_t executable, void* data), void* data);

/** The version, 1.3, as MAJOR * 1000 + MINOR in octal digits; the name is not our choice. */
#define hsa_ven_amd_loader 001003

/** The functions of version 1.0. The structures of later versions begin with those of earlier ones. */
typedef struct hsa_ven_amd_loader_1_00_pfn_s {
  hsa_status_t (*hsa_ven_amd_loader_query_host_address)(const void* device_address,
                                                        const void** host_address);
  hsa_status_t (*hsa_ven_amd_loader_query_segment_descriptors)(
      hsa_ven_amd_loader_segment_descriptor_t* segment_descriptors, size_t* num_segment_descriptors);
  hsa_status_t (*hsa_ven_amd_loader_query_executable)(const void* device_address,
                                                      hsa_executable_t* executable);
} hsa_ven_amd_loader_1_00_pfn_t;

/** The functions of version 1.1. */
typedef struct hsa_ven_amd_loader_1_01_pfn_s {
  hsa_status_t (*hsa_ven_amd_loader_query_host_address)(const void* device_address,
                                                        const void** host_address);
  hsa_status_t (*hsa_ven_amd_loader_query_segment_descriptors)(
      hsa_ven_amd_loader_segment_descriptor_t* segment_descriptors, size_t* num_segment_descriptors);
  hsa_status_t (*hsa_ven_amd_loader_query_executable)(const void* device_address,
                                                      hsa_executable_t* executable);
  hsa_status_t (*hsa_ven_amd_loader_executable_iterate_loaded_code_objects)(
      hsa_executable_t executable,
      hsa_status_t (*callback)(hsa_executable_t executable, hsa_loaded_code_object_t loaded_code_object,
                               void* data),
      void* data);
  hsa_status_t (*hsa_ven_amd_loader_loaded_code_object_get_info)(
      hsa_loaded_code_object_t loaded_code_object, hsa_ven_amd_loader_loaded_code_object_info_t attribute,
      void* value);
} hsa_ven_amd_loader_1_01_pfn_t;

/** The functions of version 1.2. */
typedef struct hsa_ven_amd_loader_1_02_pfn_s {
  hsa_status_t (*hsa_ven_amd_loader_query_host_address)(const void* device_address,
                                                        const void** host_address);
  hsa_status_t (*hsa_ven_amd_loader_query_segment_descriptors)(
      hsa_ven_amd_loader_segment_descriptor_t* segment_descriptors, size_t* num_segment_descriptors);
  hsa_status_t (*hsa_ven_amd_loader_query_executable)(const void* device_address,
                                                      hsa_executable_t* executable);
  hsa_status_t (*hsa_ven_amd_loader_executable_iterate_loaded_code_objects)(
      hsa_executable_t executable,
      hsa_status_t (*callback)(hsa_executable_t executable, hsa_loaded_code_object_t loaded_code_object,
                               void* data),
      void* data);
  hsa_status_t (*hsa_ven_amd_loader_loaded_code_object_get_info)(
      hsa_loaded_code_object_t loaded_code_object, hsa_ven_amd_loader_loaded_code_object_info_t attribute,
      void* value);
  hsa_status_t (*hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size)(
      hsa_file_t file, size_t offset, size_t size, hsa_code_object_reader_t* code_object_reader);
} hsa_ven_amd_loader_1_02_pfn_t;

/** The functions of version 1.3. */
typedef struct hsa_ven_amd_loader_1_03_pfn_s {
  hsa_status_t (*hsa_ven_amd_loader_query_host_address)(const void* device_address,
                                                        const void** host_address);
  hsa_status_t (*hsa_ven_amd_loader_query_segment_descriptors)(
      hsa_ven_amd_loader_segment_descriptor_t* segment_descriptors, size_t* num_segment_descriptors);
  hsa_status_t (*hsa_ven_amd_loader_query_executable)(const void* device_address,
                                                      hsa_executable_t* executable);
  hsa_status_t (*hsa_ven_amd_loader_executable_iterate_loaded_code_objects)(
      hsa_executable_t executable,
      hsa_status_t (*callback)(hsa_executable_t executable, hsa_loaded_code_object_t loaded_code_object,
                               void* data),
      void* data);
  hsa_status_t (*hsa_ven_amd_loader_loaded_code_object_get_info)(
      hsa_loaded_code_object_t loaded_code_object, hsa_ven_amd_loader_loaded_code_object_info_t attribute,
      void* value);
  hsa_status_t (*hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size)(
      hsa_file_t file, size_t offset, size_t size, hsa_code_object_reader_t* code_object_reader);
  hsa_status_t (*hsa_ven_amd_loader_iterate_executables)(hsa_status_t (*callback)(hsa_executable_t executable,
                                                                                  void* data),
                                                         void* data);
} hsa_ven_amd_loader_1_03_pfn_t;

#ifdef __cplusplus
}
#endif
#endif
