/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An agent driver in C that sees nothing of heddle but include/hsam. It executes one image instruction for
 * each agent dispatch packet (Runtime 2.6.7), so that it needs neither code nor a compiler. Everything that
 * it knows of images and samplers comes from hsam/image.h.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <hsam/hsam.h>
#include <hsam/image.h>
#include <hsam/signal.h>

#include "image_agent.h"

/* The layout is part of the interface: vendors have compiled it into their drivers. */
#define CHECK(name, condition) typedef char check_##name[(condition) ? 1 : -1]
CHECK(image_size, sizeof(void*) != 8 || sizeof(hsam_image) == 80);
CHECK(image_format, sizeof(void*) != 8 || offsetof(hsam_image, format) == 24);
CHECK(image_width, sizeof(void*) != 8 || offsetof(hsam_image, width) == 32);
CHECK(image_element_size, sizeof(void*) != 8 || offsetof(hsam_image, element_size) == 48);
CHECK(image_row_pitch, sizeof(void*) != 8 || offsetof(hsam_image, row_pitch) == 56);
CHECK(image_data, sizeof(void*) != 8 || offsetof(hsam_image, data) == 72);
CHECK(sampler_size, sizeof(void*) != 8 || sizeof(hsam_sampler) == 32);
CHECK(sampler_address_mode, sizeof(void*) != 8 || offsetof(hsam_sampler, address_mode) == 24);

static const hsa_generic_driver_interface* driver;

/* ---- image instructions ---- */

struct channels {
  uint32_t order;
  int count;
  int access[4]; /* access component (r, g, b, a) of each component in memory */
};

/* A few orders suffice to show that the format describes the elements; a product supports all of them. */
static const struct channels* channels_of(uint32_t order) {
  static const struct channels known[] = {{HSA_EXT_IMAGE_CHANNEL_ORDER_R, 1, {0, 0, 0, 0}},
                                          {HSA_EXT_IMAGE_CHANNEL_ORDER_RG, 2, {0, 1, 0, 0}},
                                          {HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, 4, {0, 1, 2, 3}},
                                          {HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA, 4, {2, 1, 0, 3}}};
  size_t i;
  for (i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (known[i].order == order) return &known[i];
  return NULL;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Converts one component in memory to the bits of its access type. Returns 0 for unsupported types. */
static int decode(uint32_t type, const void* from, uint32_t* to) {
  uint8_t byte;
  uint16_t half;
  switch (type) {
    case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8:
      memcpy(&byte, from, sizeof byte);
      *to = bits_of((float)byte / 255.0f);
      return 1;
    case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16:
      memcpy(&half, from, sizeof half);
      *to = half;
      return 1;
    case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32:
    case HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT:
      memcpy(to, from, sizeof *to);
      return 1;
    default:
      return 0;
  }
}

static int encode(uint32_t type, uint32_t from, void* to) {
  const uint16_t half = (uint16_t)(from > 0xffff ? 0xffff : from);
  switch (type) {
    case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16:
      memcpy(to, &half, sizeof half);
      return 1;
    case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32:
    case HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT:
      memcpy(to, &from, sizeof from);
      return 1;
    default:
      return 0;
  }
}

/* Returns the element at the coordinates, or null outside. The last coordinate of an array is the layer. */
static void* element_at(const hsam_image* image, const uint32_t* at) {
  uint32_t x = at[0], y = 0, z = 0, slices = image->layers;
  switch (image->geometry) {
    case HSA_EXT_IMAGE_GEOMETRY_1DA:
      z = at[1];
      break;
    case HSA_EXT_IMAGE_GEOMETRY_3D:
      slices = image->depth;
      y = at[1];
      z = at[2];
      break;
    case HSA_EXT_IMAGE_GEOMETRY_2DA:
    case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH:
      y = at[1];
      z = at[2];
      break;
    case HSA_EXT_IMAGE_GEOMETRY_2D:
    case HSA_EXT_IMAGE_GEOMETRY_2DDEPTH:
      y = at[1];
      break;
    default:
      break;
  }
  if (x >= image->width || y >= image->height || z >= slices) return NULL;
  return hsam_image_element(image, x, y, z);
}

static const char* load(const hsam_image* image, const uint32_t* at, uint32_t* components) {
  const struct channels* channels = channels_of(image->format.channel_order);
  const char* element = element_at(image, at);
  const int is_float = image->format.channel_type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8 ||
                       image->format.channel_type == HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT;
  int i;
  if (channels == NULL) return "channel order";
  memset(components, 0, 4 * sizeof *components);
  if (channels->count < 4) components[3] = is_float ? bits_of(1) : 1;
  if (element == NULL) return NULL; /* the border colour */
  for (i = 0; i < channels->count; ++i)
    if (!decode(image->format.channel_type,
                element + (size_t)i * image->element_size / (size_t)channels->count,
                &components[channels->access[i]]))
      return "channel type";
  return NULL;
}

static const char* store(const hsam_image* image, const uint32_t* at, const uint32_t* components) {
  const struct channels* channels = channels_of(image->format.channel_order);
  char* element = element_at(image, at);
  int i;
  if (channels == NULL) return "channel order";
  if (image->access_permission == HSA_ACCESS_PERMISSION_RO) return "store to a read-only image";
  if (element == NULL) return NULL;
  for (i = 0; i < channels->count; ++i)
    if (!encode(image->format.channel_type, components[channels->access[i]],
                element + (size_t)i * image->element_size / (size_t)channels->count))
      return "channel type";
  return NULL;
}

/* Loads the nearest element of a 2D image. The coordinates are f32. */
static const char* sample(const hsam_image* image, const hsam_sampler* sampler, const uint32_t* coordinates,
                          uint32_t* components) {
  const float sizes[2] = {(float)image->width, (float)image->height};
  uint32_t at[3] = {0, 0, 0};
  int i;
  if (image->geometry != HSA_EXT_IMAGE_GEOMETRY_2D ||
      sampler->filter_mode != HSA_EXT_SAMPLER_FILTER_MODE_NEAREST)
    return "geometry or filter";
  for (i = 0; i < 2; ++i) {
    float value;
    memcpy(&value, &coordinates[i], sizeof value);
    if (sampler->coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED) value *= sizes[i];
    if (sampler->address_mode == HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE) {
      if (value < 0) value = 0;
      if (value > sizes[i] - 1) value = sizes[i] - 1;
    }
    at[i] = value >= 0 && value < sizes[i] ? (uint32_t)value : UINT32_MAX;
  }
  return load(image, at, components);
}

/* Executes an instruction. Returns null, or what the agent does not support. */
static const char* execute(const hsa_agent_dispatch_packet_t* packet) {
  const uint32_t at[3] = {(uint32_t)packet->arg[2], (uint32_t)(packet->arg[2] >> 32),
                          (uint32_t)packet->arg[3]};
  const hsam_image* image = hsam_image_of(packet->arg[0]);
  const hsam_sampler* sampler;
  uint32_t* components = packet->return_address;
  if (image == NULL) return "not an image";
  if (image->size < sizeof *image) return "an image of an older runtime";
  switch (packet->type) {
    case IMAGE_AGENT_LOAD:
      return load(image, at, components);
    case IMAGE_AGENT_STORE:
      return store(image, at, components);
    case IMAGE_AGENT_READ:
      sampler = hsam_sampler_of(packet->arg[1]);
      return sampler == NULL ? "not a sampler" : sample(image, sampler, at, components);
    default:
      return "unknown instruction";
  }
}

/* ---- queues ---- */

struct queue {
  HSAM_queue_info_str info;
  hsam_signal* doorbell;
  int64_t client, handle;
  pthread_t thread;
  int stop;
  int failed;
};

static void process(struct queue* queue, hsa_agent_dispatch_packet_t* slot, uint64_t id) {
  const hsa_agent_dispatch_packet_t packet = *slot;
  const int type = packet.header >> HSA_PACKET_HEADER_TYPE & 0xff;
  const char* problem = type == HSA_PACKET_TYPE_AGENT_DISPATCH ? execute(&packet) : "no agent dispatch";
  __atomic_store_n(&slot->header, (uint16_t)HSA_PACKET_TYPE_INVALID, __ATOMIC_RELEASE);
  __atomic_store_n(queue->info.read_index_ptr_kern_addr, id + 1, __ATOMIC_RELEASE);
  if (problem != NULL) {
    queue->failed = 1;
    driver->queue_error(queue->client, queue->handle, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, problem);
  } else if (packet.completion_signal.handle != 0) {
    hsam_signal_subtract_scacq_screl((hsam_signal*)(uintptr_t)packet.completion_signal.handle, 1);
  }
}

static void* run(void* argument) {
  struct queue* queue = argument;
  uint64_t id = 0;
  while (!__atomic_load_n(&queue->stop, __ATOMIC_ACQUIRE) && !queue->failed) {
    hsa_agent_dispatch_packet_t* slot =
        (hsa_agent_dispatch_packet_t*)queue->info.payload_user_addr + (id & (queue->info.size - 1));
    const int64_t rung = hsam_signal_load_scacquire(queue->doorbell);
    const uint16_t header = __atomic_load_n(&slot->header, __ATOMIC_ACQUIRE);
    if ((header >> HSA_PACKET_HEADER_TYPE & 0xff) != HSA_PACKET_TYPE_INVALID)
      process(queue, slot, id++);
    else /* wake without a ring now and then, to see whether the queue has to stop */
      hsam_signal_wait_scacquire(queue->doorbell, HSA_SIGNAL_CONDITION_NE, rung,
                                 HSAM_TIMESTAMP_FREQUENCY / 200, HSA_WAIT_STATE_BLOCKED);
  }
  return NULL;
}

static HSAM_Error queue_new(int64_t client, int64_t doorbell, int64_t handle, HSAM_queue_info_str info,
                            void* cookie, int64_t* queue_handle_at_agent) {
  struct queue* queue = calloc(1, sizeof *queue);
  (void)cookie;
  if (queue == NULL) return HSAM_OutOfResources;
  queue->info = info;
  queue->doorbell = (hsam_signal*)(uintptr_t)doorbell;
  queue->client = client;
  queue->handle = handle;
  if (pthread_create(&queue->thread, NULL, run, queue) != 0) {
    free(queue);
    return HSAM_OutOfResources;
  }
  *queue_handle_at_agent = (int64_t)(uintptr_t)queue;
  return HSAM_Done;
}

static HSAM_Error queue_inactivate(int64_t client, int64_t queue_handle_at_agent, void* cookie) {
  struct queue* queue = (struct queue*)(uintptr_t)queue_handle_at_agent;
  (void)client;
  (void)cookie;
  if (__atomic_exchange_n(&queue->stop, 1, __ATOMIC_ACQ_REL) == 0) pthread_join(queue->thread, NULL);
  return HSAM_Done;
}

static HSAM_Error queue_remove(int64_t client, int64_t queue_handle_at_agent, void* cookie) {
  queue_inactivate(client, queue_handle_at_agent, cookie);
  free((void*)(uintptr_t)queue_handle_at_agent);
  return HSAM_Done;
}

/* ---- registration ---- */

/* All clients share the agent, which keeps no state of them. Its handle of a client is the driver's. */
static HSAM_Error client_new(int64_t client, void* user_virtual_space, void* cookie, int64_t* at_agent) {
  (void)user_virtual_space;
  (void)cookie;
  *at_agent = client;
  return HSAM_Done;
}

static HSAM_Error client_remove(int64_t client, void* cookie) {
  (void)client;
  (void)cookie;
  return HSAM_Done;
}

__attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* host);

int hsam_agent_driver_main(const hsam_host* host) {
  static const hsam_region_description region = {.segment = HSAM_SEGMENT_GLOBAL,
                                                 .global_flags = HSAM_GLOBAL_FLAG_FINE_GRAINED,
                                                 .size = (uint64_t)1 << 32,
                                                 .alloc_max_size = (uint64_t)1 << 32,
                                                 .runtime_alloc_allowed = 1,
                                                 .alloc_granule = 4096,
                                                 .alloc_alignment = 4096,
                                                 .memory_id = HSAM_MEMORY_HOST_FINE};
  const hsa_agent_driver_interface interface = {.client_new = client_new,
                                                .client_remove = client_remove,
                                                .queue_new = queue_new,
                                                .queue_remove = queue_remove,
                                                .tail_size = sizeof interface,
                                                .queue_inactivate = queue_inactivate};
  const hsa_agent_driver_config config = {.major = HSAM_VERSION_MAJOR,
                                          .minor = HSAM_VERSION_MINOR,
                                          .agent_id = 1,
                                          .name = IMAGE_AGENT_NAME,
                                          .profile = HSA_PROFILE_FULL,
                                          .page_faults = 1,
                                          .tail_size = sizeof config,
                                          .vendor_name = "driver conformance",
                                          .device = HSA_DEVICE_TYPE_DSP,
                                          .features = HSA_AGENT_FEATURE_AGENT_DISPATCH,
                                          .default_float_rounding_mode = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                          .queues_max = 4,
                                          .queue_min_size = 16,
                                          .queue_max_size = 1024,
                                          .queue_type = HSA_QUEUE_TYPE_MULTI,
                                          .compute_unit_count = 1,
                                          .regions = &region,
                                          .region_count = 1,
                                          .host_images = 1};
  hsa_generic_driver_config generic;
  driver = host->register_agent(&interface, &config, &generic);
  return driver == NULL;
}
