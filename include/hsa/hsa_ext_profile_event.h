// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Profile events, the extension "hsa_ext_profile_event" (Runtime 3.5).
 *
 * Producers produce events, which the runtime keeps in the order in which it learns of them until they are
 * retrieved. While the runtime is in the configuration state, producers are marked, and the events are
 * initialized; from then on the events of marked producers are collected, unless they are disabled.
 *
 * What takes time has two events, for its begin and its end. Both are produced when it has ended, one behind
 * the other, each with its own timestamp, so that timestamps do not always ascend. docs/profile-events.md
 * lists the events that the runtime and the agents produce, and their metadata.
 *
 * A producer is identified by its type and an id: the handle of an agent, region, cache or signal, or the id
 * of an application. For the type RUNTIME_API any id stands for the runtime. Calls of the functions below
 * produce no events.
 *
 * The conventions of hsa.h apply; EXT_ at the beginning of the name of an error stands for
 * HSA_EXT_STATUS_ERROR_.
 */
#ifndef HSA_EXT_PROFILE_EVENT_H_
#define HSA_EXT_PROFILE_EVENT_H_

#include "hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 3.1.1 Version of the extension that this header declares: three digits major, three digits minor. */
#define hsa_ext_profile_event 001000

/** 3.5.6.2 Types of producers; bits of masks. The names with PROFILING are deprecated. */
typedef enum {
  HSA_EXT_PROFILE_EVENT_PRODUCER_NONE = 0,
  HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT = 1,       /**< dispatches and packets */
  HSA_EXT_PROFILE_EVENT_PRODUCER_MEMORY = 2,      /**< allocations in a region, copies to it */
  HSA_EXT_PROFILE_EVENT_PRODUCER_CACHE = 4,       /**< no events */
  HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION = 8, /**< what applications and kernels register */
  HSA_EXT_PROFILE_EVENT_PRODUCER_SIGNAL = 16,     /**< creation, destruction, waits */
  HSA_EXT_PROFILE_EVENT_PRODUCER_RUNTIME_API = 32,
  HSA_EXT_PROFILE_EVENT_PRODUCER_ALL = 63,
  HSA_EXT_PROFILING_EVENT_PRODUCER_NONE = 0,
  HSA_EXT_PROFILING_EVENT_PRODUCER_AGENT = 1,
  HSA_EXT_PROFILING_EVENT_PRODUCER_MEMORY = 2,
  HSA_EXT_PROFILING_EVENT_PRODUCER_CACHE = 4,
  HSA_EXT_PROFILING_EVENT_PRODUCER_APPLICATION = 8,
  HSA_EXT_PROFILING_EVENT_PRODUCER_SIGNAL = 16,
  HSA_EXT_PROFILING_EVENT_PRODUCER_RUNTIME_API = 32,
  HSA_EXT_PROFILING_EVENT_PRODUCER_ALL = 63
} hsa_ext_profile_event_producer_t;

/** 3.5.6.3 */
typedef uint32_t hsa_ext_profile_event_producer32_t;

/** 3.5.6.4 Types of metadata fields. The names with PROFILING are deprecated. */
typedef enum {
  HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT32 = 0,
  HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT64 = 1,
  HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT32 = 2,
  HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT64 = 3,
  HSA_EXT_PROFILE_EVENT_METADATA_TYPE_FLOAT = 4,
  HSA_EXT_PROFILE_EVENT_METADATA_TYPE_DOUBLE = 5,
  HSA_EXT_PROFILE_EVENT_METADATA_TYPE_STRING = 6, /**< const char*, NUL-terminated */
  HSA_EXT_PROFILING_EVENT_METADATA_TYPE_UINT32 = 0,
  HSA_EXT_PROFILING_EVENT_METADATA_TYPE_UINT64 = 1,
  HSA_EXT_PROFILING_EVENT_METADATA_TYPE_INT32 = 2,
  HSA_EXT_PROFILING_EVENT_METADATA_TYPE_INT64 = 3,
  HSA_EXT_PROFILING_EVENT_METADATA_TYPE_FLOAT = 4,
  HSA_EXT_PROFILING_EVENT_METADATA_TYPE_DOUBLE = 5,
  HSA_EXT_PROFILING_EVENT_METADATA_TYPE_STRING = 6
} hsa_ext_profile_event_metadata_type_t;

/** 3.5.6.5 */
typedef uint32_t hsa_ext_profile_event_metadata_type32_t;

/** 3.5.6.6 An event. What it refers to lives until the event is destroyed. */
typedef struct hsa_ext_profile_event_s {
  hsa_ext_profile_event_producer32_t producer_type;
  uint64_t producer_id;
  uint64_t event_id;         /**< unique for the producer */
  const char* name;          /**< ends in NUL */
  size_t name_length;        /**< bytes, without the NUL */
  const char* description;   /**< ends in NUL */
  size_t description_length; /**< bytes, without the NUL */
  uint64_t timestamp;        /**< ticks of HSA_SYSTEM_INFO_TIMESTAMP at which it happened */
  void* metadata;            /**< NULL, or a C structure with a member for each field */
  size_t metadata_size;      /**< bytes */
} hsa_ext_profile_event_t;

/** 3.5.6.7 Describes a metadata field. */
typedef struct hsa_ext_profile_event_metadata_field_desc_s {
  const char* data_name; /**< ends in NUL */
  size_t name_length;    /**< bytes, without the NUL */
  hsa_ext_profile_event_metadata_type32_t metadata_type;
} hsa_ext_profile_event_metadata_field_desc_t;

/**
 * 3.5.6.8 Marks a producer whose events are to be collected. Errors: INVALID_RUNTIME_STATE (not in the
 * configuration state); EXT_ALREADY_INITIALIZED; EXT_CANNOT_USE_PRODUCERS (there is no such producer, or it
 * has no events).
 */
HSA_API hsa_status_t hsa_ext_profile_event_init_producer(hsa_ext_profile_event_producer_t producer_type,
                                                         uint64_t producer_id);

/**
 * 3.5.6.9 Marks all producers of a type, or of several types if producer_type is a mask, also those that
 * are created later. Errors: INVALID_RUNTIME_STATE; EXT_ALREADY_INITIALIZED; EXT_CANNOT_USE_PRODUCERS (the
 * producers of one of the types have no events; those of the others are marked).
 */
HSA_API hsa_status_t
hsa_ext_profile_event_init_all_of_producer_type(hsa_ext_profile_event_producer_t producer_type);

/**
 * 3.5.6.10 Begins to collect the events of the marked producers. Errors: OUT_OF_RESOURCES;
 * INVALID_RUNTIME_STATE; EXT_ALREADY_INITIALIZED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_init(void);

/**
 * 3.5.6.11 Ends the collection. The events that are left, application producers and what they have
 * registered are destroyed. Errors: OUT_OF_RESOURCES; EXT_EVENTS_NOT_INITIALIZED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_shut_down(void);

/**
 * 3.5.6.12 Registers an application as a producer. Both texts are copied; description may be NULL. The
 * events of applications are collected if the type APPLICATION was marked, and dropped otherwise. Errors:
 * INVALID_ARGUMENT; OUT_OF_RESOURCES; EXT_EVENTS_NOT_INITIALIZED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_register_application_event_producer(const char* name,
                                                                               const char* description,
                                                                               uint64_t* app_producer_id);

/**
 * 3.5.6.13 Deregisters a producer with all its events. Events that have been collected stay valid. Errors:
 * INVALID_ARGUMENT (no such producer, or 0); EXT_EVENTS_NOT_INITIALIZED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_deregister_application_event_producer(uint64_t app_producer_id);

/**
 * 3.5.6.14 Iterates over the producers that are registered. 0, which stands for HSAIL, is not among them.
 * Errors: INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_profile_event_iterate_application_event_producers(
    hsa_status_t (*callback)(uint64_t app_producer_id, void* data), void* data);

/**
 * 3.5.6.15 Gets the name of a producer. It lives until the events are shut down, and that of an application
 * until it is deregistered. Errors: INVALID_ARGUMENT; EXT_EVENTS_NOT_INITIALIZED; EXT_CANNOT_USE_PRODUCERS
 * (there is no such producer, or it has no events).
 */
HSA_API hsa_status_t hsa_ext_profile_event_producer_get_name(hsa_ext_profile_event_producer_t producer_type,
                                                             uint64_t producer_id, const char** name);

/**
 * 3.5.6.16 Gets the description of a producer, which lives as long as the name. Errors: those of
 * hsa_ext_profile_event_producer_get_name.
 */
HSA_API hsa_status_t hsa_ext_profile_event_producer_get_description(
    hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id, const char** description);

/**
 * 3.5.6.17 Gets whether there is such a producer, and it has events. Errors: INVALID_ARGUMENT;
 * EXT_EVENTS_NOT_INITIALIZED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_producer_supports_events(
    hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id, bool* result);

/**
 * 3.5.6.18 Collects the events of a producer again. Errors: EXT_EVENTS_NOT_INITIALIZED;
 * EXT_CANNOT_USE_PRODUCERS (it was not marked before the initialization).
 */
HSA_API hsa_status_t hsa_ext_profile_event_enable_for_producer(hsa_ext_profile_event_producer_t producer_type,
                                                               uint64_t producer_id);

/**
 * 3.5.6.19 Drops the events of a producer from now on. Errors: EXT_EVENTS_NOT_INITIALIZED; INVALID_ARGUMENT
 * (no producer type).
 */
HSA_API hsa_status_t hsa_ext_profile_event_disable_for_producer(
    hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id);

/**
 * 3.5.6.20 Collects the events of all marked producers of a type, or of a mask of types, again. Errors:
 * EXT_EVENTS_NOT_INITIALIZED; EXT_CANNOT_USE_PRODUCERS (no producer of one of the types was marked; those
 * of the others are enabled).
 */
HSA_API hsa_status_t
hsa_ext_profile_event_enable_all_for_producer_type(hsa_ext_profile_event_producer_t producer_type);

/**
 * 3.5.6.21 Drops the events of all producers of a type, or of a mask of types, from now on. Errors:
 * EXT_EVENTS_NOT_INITIALIZED; INVALID_ARGUMENT (no producer type).
 */
HSA_API hsa_status_t
hsa_ext_profile_event_disable_all_for_producer_type(hsa_ext_profile_event_producer_t producer_type);

/**
 * 3.5.6.22 Sets how many bytes the events that wait to be retrieved may occupy; 0 stands for the default,
 * 16 MiB. Events that do not fit are dropped, with a warning in the log. Errors:
 * EXT_EVENTS_NOT_INITIALIZED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_set_buffer_size_hint(size_t size_hint);

/**
 * 3.5.6.23 Registers an event of a producer, 0 for HSAIL. The texts and field descriptions are copied; all
 * pointers may be NULL. Errors: INVALID_ARGUMENT (no such producer, the event is registered, or a field
 * description has no name or type); OUT_OF_RESOURCES; EXT_EVENTS_NOT_INITIALIZED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_register_application_event(
    uint64_t app_producer_id, uint64_t event_id, const char* name, size_t name_length,
    const char* description, size_t description_length,
    hsa_ext_profile_event_metadata_field_desc_t* metadata_field_descriptions, size_t n_metadata_fields);

/**
 * 3.5.6.24 Deregisters an event. Events that have been collected stay valid. Errors:
 * EXT_EVENTS_NOT_INITIALIZED; EXT_EVENT_NOT_REGISTERED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_deregister_application_event(uint64_t app_producer_id,
                                                                        uint64_t event_id);

/**
 * 3.5.6.25 Produces an event. metadata is NULL or a C structure with a member for each field, in their
 * order; it is copied with the strings that it refers to. Errors: OUT_OF_RESOURCES;
 * EXT_EVENTS_NOT_INITIALIZED; EXT_EVENT_NOT_REGISTERED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_trigger_application_event(uint64_t app_producer_id,
                                                                     uint64_t event_id, void* metadata);

/**
 * 3.5.6.26 Gets the oldest event, which stays the head until it is destroyed. Errors: INVALID_ARGUMENT;
 * EXT_EVENTS_NOT_INITIALIZED; EXT_OUT_OF_EVENTS.
 */
HSA_API hsa_status_t hsa_ext_profile_event_get_head_event(hsa_ext_profile_event_t* event);

/**
 * 3.5.6.27 Destroys the head, which must be the event given, with all that it refers to. Errors:
 * INVALID_ARGUMENT (also: the event is not the head); EXT_EVENTS_NOT_INITIALIZED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_destroy_head_event(hsa_ext_profile_event_t* event);

/**
 * 3.5.6.28 Gets the fields of the metadata of an event, in their order. They live until the event is
 * deregistered or the events are shut down. Errors: INVALID_ARGUMENT; EXT_EVENTS_NOT_INITIALIZED;
 * EXT_EVENT_NOT_REGISTERED.
 */
HSA_API hsa_status_t hsa_ext_profile_event_get_metadata_field_descs(
    uint64_t producer_id, uint64_t event_id, hsa_ext_profile_event_metadata_field_desc_t** metadata_descs,
    size_t* n_descs);

/** 3.5.6.29 Functions of version 1: HSA_EXTENSION_PROFILE_EVENTS, major 1. */
#define hsa_ext_profile_event_1
typedef struct hsa_ext_profile_event_1_pfn_s {
  hsa_status_t (*hsa_ext_profile_event_init_producer)(hsa_ext_profile_event_producer_t producer_type,
                                                      uint64_t producer_id);
  hsa_status_t (*hsa_ext_profile_event_init_all_of_producer_type)(
      hsa_ext_profile_event_producer_t producer_type);
  hsa_status_t (*hsa_ext_profile_event_init)(void);
  hsa_status_t (*hsa_ext_profile_event_shut_down)(void);
  hsa_status_t (*hsa_ext_profile_event_register_application_event_producer)(const char* name,
                                                                            const char* description,
                                                                            uint64_t* app_producer_id);
  hsa_status_t (*hsa_ext_profile_event_deregister_application_event_producer)(uint64_t app_producer_id);
  hsa_status_t (*hsa_ext_profile_event_iterate_application_event_producers)(
      hsa_status_t (*callback)(uint64_t app_producer_id, void* data), void* data);
  hsa_status_t (*hsa_ext_profile_event_producer_get_name)(hsa_ext_profile_event_producer_t producer_type,
                                                          uint64_t producer_id, const char** name);
  hsa_status_t (*hsa_ext_profile_event_producer_get_description)(
      hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id, const char** description);
  hsa_status_t (*hsa_ext_profile_event_producer_supports_events)(
      hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id, bool* result);
  hsa_status_t (*hsa_ext_profile_event_enable_for_producer)(hsa_ext_profile_event_producer_t producer_type,
                                                            uint64_t producer_id);
  hsa_status_t (*hsa_ext_profile_event_disable_for_producer)(hsa_ext_profile_event_producer_t producer_type,
                                                             uint64_t producer_id);
  hsa_status_t (*hsa_ext_profile_event_enable_all_for_producer_type)(
      hsa_ext_profile_event_producer_t producer_type);
  hsa_status_t (*hsa_ext_profile_event_disable_all_for_producer_type)(
      hsa_ext_profile_event_producer_t producer_type);
  hsa_status_t (*hsa_ext_profile_event_set_buffer_size_hint)(size_t size_hint);
  hsa_status_t (*hsa_ext_profile_event_register_application_event)(
      uint64_t app_producer_id, uint64_t event_id, const char* name, size_t name_length,
      const char* description, size_t description_length,
      hsa_ext_profile_event_metadata_field_desc_t* metadata_field_descriptions, size_t n_metadata_fields);
  hsa_status_t (*hsa_ext_profile_event_deregister_application_event)(uint64_t app_producer_id,
                                                                     uint64_t event_id);
  hsa_status_t (*hsa_ext_profile_event_trigger_application_event)(uint64_t app_producer_id, uint64_t event_id,
                                                                  void* metadata);
  hsa_status_t (*hsa_ext_profile_event_get_head_event)(hsa_ext_profile_event_t* event);
  hsa_status_t (*hsa_ext_profile_event_destroy_head_event)(hsa_ext_profile_event_t* event);
  hsa_status_t (*hsa_ext_profile_event_get_metadata_field_descs)(
      uint64_t producer_id, uint64_t event_id, hsa_ext_profile_event_metadata_field_desc_t** metadata_descs,
      size_t* n_descs);
} hsa_ext_profile_event_1_pfn_t;

/* ---- Deprecated: the names of drafts of 1.1 (Runtime 3.5). They are the same functions and types. ---- */

#define hsa_ext_profiling_event 001000
#define hsa_ext_profiling_event_1
typedef hsa_ext_profile_event_producer_t hsa_ext_profiling_event_producer_t;
typedef hsa_ext_profile_event_producer32_t hsa_ext_profiling_event_producer32_t;
typedef hsa_ext_profile_event_metadata_type_t hsa_ext_profiling_event_metadata_type_t;
typedef hsa_ext_profile_event_metadata_type32_t hsa_ext_profiling_event_metadata_type32_t;
typedef hsa_ext_profile_event_t hsa_ext_profiling_event_t;
typedef hsa_ext_profile_event_metadata_field_desc_t hsa_ext_profiling_event_metadata_field_desc_t;

HSA_API hsa_status_t hsa_ext_profiling_event_init_producer(hsa_ext_profile_event_producer_t producer_type,
                                                           uint64_t producer_id);
HSA_API hsa_status_t
hsa_ext_profiling_event_init_all_of_producer_type(hsa_ext_profile_event_producer_t producer_type);
HSA_API hsa_status_t hsa_ext_profiling_event_init(void);
HSA_API hsa_status_t hsa_ext_profiling_event_shut_down(void);
HSA_API hsa_status_t hsa_ext_profiling_event_register_application_event_producer(const char* name,
                                                                                 const char* description,
                                                                                 uint64_t* app_producer_id);
HSA_API hsa_status_t hsa_ext_profiling_event_deregister_application_event_producer(uint64_t app_producer_id);
HSA_API hsa_status_t hsa_ext_profiling_event_iterate_application_event_producers(
    hsa_status_t (*callback)(uint64_t app_producer_id, void* data), void* data);
HSA_API hsa_status_t hsa_ext_profiling_event_producer_get_name(hsa_ext_profile_event_producer_t producer_type,
                                                               uint64_t producer_id, const char** name);
HSA_API hsa_status_t hsa_ext_profiling_event_producer_get_description(
    hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id, const char** description);
HSA_API hsa_status_t hsa_ext_profiling_event_producer_supports_events(
    hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id, bool* result);
HSA_API hsa_status_t hsa_ext_profiling_event_enable_for_producer(
    hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id);
HSA_API hsa_status_t hsa_ext_profiling_event_disable_for_producer(
    hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id);
HSA_API hsa_status_t
hsa_ext_profiling_event_enable_all_for_producer_type(hsa_ext_profile_event_producer_t producer_type);
HSA_API hsa_status_t
hsa_ext_profiling_event_disable_all_for_producer_type(hsa_ext_profile_event_producer_t producer_type);
HSA_API hsa_status_t hsa_ext_profiling_event_set_buffer_size_hint(size_t size_hint);
HSA_API hsa_status_t hsa_ext_profiling_event_register_application_event(
    uint64_t app_producer_id, uint64_t event_id, const char* name, size_t name_length,
    const char* description, size_t description_length,
    hsa_ext_profile_event_metadata_field_desc_t* metadata_field_descriptions, size_t n_metadata_fields);
HSA_API hsa_status_t hsa_ext_profiling_event_deregister_application_event(uint64_t app_producer_id,
                                                                          uint64_t event_id);
HSA_API hsa_status_t hsa_ext_profiling_event_trigger_application_event(uint64_t app_producer_id,
                                                                       uint64_t event_id, void* metadata);
HSA_API hsa_status_t hsa_ext_profiling_event_get_head_event(hsa_ext_profile_event_t* event);
HSA_API hsa_status_t hsa_ext_profiling_event_destroy_head_event(hsa_ext_profile_event_t* event);
HSA_API hsa_status_t hsa_ext_profiling_event_get_metadata_field_descs(
    uint64_t producer_id, uint64_t event_id, hsa_ext_profile_event_metadata_field_desc_t** metadata_descs,
    size_t* n_descs);

/** Equal to hsa_ext_profile_event_1_pfn_t, but for the names of its members. */
typedef struct hsa_ext_profiling_event_1_pfn_s {
  hsa_status_t (*hsa_ext_profiling_event_init_producer)(hsa_ext_profile_event_producer_t producer_type,
                                                        uint64_t producer_id);
  hsa_status_t (*hsa_ext_profiling_event_init_all_of_producer_type)(
      hsa_ext_profile_event_producer_t producer_type);
  hsa_status_t (*hsa_ext_profiling_event_init)(void);
  hsa_status_t (*hsa_ext_profiling_event_shut_down)(void);
  hsa_status_t (*hsa_ext_profiling_event_register_application_event_producer)(const char* name,
                                                                              const char* description,
                                                                              uint64_t* app_producer_id);
  hsa_status_t (*hsa_ext_profiling_event_deregister_application_event_producer)(uint64_t app_producer_id);
  hsa_status_t (*hsa_ext_profiling_event_iterate_application_event_producers)(
      hsa_status_t (*callback)(uint64_t app_producer_id, void* data), void* data);
  hsa_status_t (*hsa_ext_profiling_event_producer_get_name)(hsa_ext_profile_event_producer_t producer_type,
                                                            uint64_t producer_id, const char** name);
  hsa_status_t (*hsa_ext_profiling_event_producer_get_description)(
      hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id, const char** description);
  hsa_status_t (*hsa_ext_profiling_event_producer_supports_events)(
      hsa_ext_profile_event_producer_t producer_type, uint64_t producer_id, bool* result);
  hsa_status_t (*hsa_ext_profiling_event_enable_for_producer)(hsa_ext_profile_event_producer_t producer_type,
                                                              uint64_t producer_id);
  hsa_status_t (*hsa_ext_profiling_event_disable_for_producer)(hsa_ext_profile_event_producer_t producer_type,
                                                               uint64_t producer_id);
  hsa_status_t (*hsa_ext_profiling_event_enable_all_for_producer_type)(
      hsa_ext_profile_event_producer_t producer_type);
  hsa_status_t (*hsa_ext_profiling_event_disable_all_for_producer_type)(
      hsa_ext_profile_event_producer_t producer_type);
  hsa_status_t (*hsa_ext_profiling_event_set_buffer_size_hint)(size_t size_hint);
  hsa_status_t (*hsa_ext_profiling_event_register_application_event)(
      uint64_t app_producer_id, uint64_t event_id, const char* name, size_t name_length,
      const char* description, size_t description_length,
      hsa_ext_profile_event_metadata_field_desc_t* metadata_field_descriptions, size_t n_metadata_fields);
  hsa_status_t (*hsa_ext_profiling_event_deregister_application_event)(uint64_t app_producer_id,
                                                                       uint64_t event_id);
  hsa_status_t (*hsa_ext_profiling_event_trigger_application_event)(uint64_t app_producer_id,
                                                                    uint64_t event_id, void* metadata);
  hsa_status_t (*hsa_ext_profiling_event_get_head_event)(hsa_ext_profile_event_t* event);
  hsa_status_t (*hsa_ext_profiling_event_destroy_head_event)(hsa_ext_profile_event_t* event);
  hsa_status_t (*hsa_ext_profiling_event_get_metadata_field_descs)(
      uint64_t producer_id, uint64_t event_id, hsa_ext_profile_event_metadata_field_desc_t** metadata_descs,
      size_t* n_descs);
} hsa_ext_profiling_event_1_pfn_t;

#ifdef __cplusplus
}
#endif
#endif /* HSA_EXT_PROFILE_EVENT_H_ */
