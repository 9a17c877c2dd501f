/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A client of the tiny DSP that sees it through hsa.h only: it finds the agent, copies data to its memory,
 * runs a kernel on them, has the DSP add up the result, and copies it back.
 *
 *     tiny_dsp_client              runs all that
 *     tiny_dsp_client --code FILE  writes a code object with a kernel that does nothing, for
 * driver_conformance
 */
#include <hsa/hsa.h>
#include <hsam/code_object.h>

#include <stdio.h>

#include "tiny_dsp.h"

enum { count = 1000 };

/* y[i] = a * x[i] + y[i]. The arguments are the addresses of x and y, and a. */
static const dsp_instruction saxpy[] = {
    {DSP_LOAD, 5, 2, 0, 0},         {DSP_LOAD, 6, 2, 0, 8},     {DSP_LOAD_32, 7, 2, 0, 16},
    {DSP_SET, 8, 0, 0, 4},          {DSP_MULTIPLY, 8, 8, 1, 0},                             /* 4 * ID */
    {DSP_ADD, 5, 5, 8, 0},          {DSP_LOAD_32, 9, 5, 0, 0},                              /* x[i] */
    {DSP_MULTIPLY_F32, 9, 9, 7, 0}, {DSP_ADD, 6, 6, 8, 0},      {DSP_LOAD_32, 10, 6, 0, 0}, /* y[i] */
    {DSP_ADD_F32, 9, 9, 10, 0},     {DSP_STORE_32, 0, 6, 9, 0}, {DSP_END, 0, 0, 0, 0}};

struct arguments {
  void *x, *y;
  float a;
};

static void check(hsa_status_t status, const char* call) {
  const char* text = "an unknown error";
  if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK) return;
  hsa_status_string(status, &text);
  fprintf(stderr, "%s: %s\n", call, text);
  exit(1);
}
#define CHECK(call) check((call), #call)

/* Returns a code object with one kernel, for the caller to free. */
static void* make_code(const char* name, const dsp_instruction* text, size_t text_size, size_t* size) {
  const hsam_code_kernel kernel = {.name = name,
                                   .name_size = (uint32_t)strlen(name),
                                   .kernarg_size = sizeof(struct arguments),
                                   .kernarg_align = 16,
                                   .group_align = 1};
  const hsam_code_source source = {.isa = TINY_DSP_ISA,
                                   .profile = HSA_PROFILE_BASE,
                                   .rounding_mode = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                   .text = text,
                                   .text_size = text_size,
                                   .kernels = &kernel,
                                   .kernel_count = 1};
  return hsam_code_object_write(&source, size);
}

static int write_empty_kernel(const char* path) {
  const dsp_instruction end = {DSP_END, 0, 0, 0, 0};
  size_t size = 0;
  void* code = make_code("&empty", &end, sizeof end, &size);
  FILE* file = fopen(path, "wb");
  const int written = file != NULL && code != NULL && fwrite(code, size, 1, file) == 1;
  free(code);
  return file != NULL && fclose(file) == 0 && written ? 0 : 1;
}

static hsa_status_t find_agent(hsa_agent_t agent, void* result) {
  char name[64] = "";
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name));
  if (strcmp(name, TINY_DSP_NAME) != 0) return HSA_STATUS_SUCCESS;
  *(hsa_agent_t*)result = agent;
  return HSA_STATUS_INFO_BREAK;
}

/* The global regions by what they are for: [0] kernel arguments, [1] sharing with the host, [2] the DSP. */
static hsa_status_t find_regions(hsa_region_t region, void* result) {
  uint32_t flags = 0;
  CHECK(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
  if (flags & HSA_REGION_GLOBAL_FLAG_KERNARG)
    ((hsa_region_t*)result)[0] = region;
  else
    ((hsa_region_t*)result)[flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED ? 1 : 2] = region;
  return HSA_STATUS_SUCCESS;
}

/* Loads the kernel and returns its kernel object. */
static uint64_t load_saxpy(hsa_agent_t agent, hsa_executable_t* executable) {
  size_t size = 0;
  uint64_t kernel = 0;
  void* code = make_code("&saxpy", saxpy, sizeof saxpy, &size);
  hsa_code_object_reader_t reader;
  hsa_executable_symbol_t symbol;
  CHECK(hsa_code_object_reader_create_from_memory(code, size, &reader));
  CHECK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, executable));
  CHECK(hsa_executable_load_agent_code_object(*executable, agent, reader, NULL, NULL));
  CHECK(hsa_executable_freeze(*executable, NULL));
  CHECK(hsa_code_object_reader_destroy(reader));
  free(code);
  CHECK(hsa_executable_get_symbol_by_name(*executable, "&saxpy", &agent, &symbol));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel));
  return kernel;
}

/* Has the queue process a packet, whose header and setup are in `head`, and waits until it is complete. */
static void submit(hsa_queue_t* queue, const void* packet, uint32_t head, hsa_signal_t done) {
  const uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
  char* slot = (char*)queue->base_address + index % queue->size * 64;
  memcpy(slot + 4, (const char*)packet + 4, 60);
  head |= HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  hsa_signal_store_relaxed(done, 1);
  __atomic_store_n((uint32_t*)(void*)slot, head, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
}

static void on_error(hsa_status_t status, hsa_queue_t* queue, void* data) {
  (void)queue, (void)data;
  check(status, "a packet");
}

/* Runs saxpy on the DSP's own memory, and has the DSP sum up `plain`. Returns whether all is as it should be.
 */
static int run(hsa_agent_t agent, const hsa_region_t* regions) {
  hsa_executable_t executable;
  hsa_queue_t* queue;
  hsa_signal_t done;
  struct arguments* arguments;
  float x[count], y[count];
  uint32_t* numbers;
  uint64_t *sum, i, wrong = 0;
  const uint64_t kernel = load_saxpy(agent, &executable);
  CHECK(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_SINGLE, on_error, NULL, 0, 0, &queue));
  CHECK(hsa_signal_create(0, 0, NULL, &done));
  CHECK(hsa_memory_allocate(regions[0], sizeof *arguments, (void**)&arguments));
  CHECK(hsa_memory_allocate(regions[1], sizeof *numbers * count + sizeof *sum, (void**)&sum));
  CHECK(hsa_memory_allocate(regions[2], sizeof x, &arguments->x));
  CHECK(hsa_memory_allocate(regions[2], sizeof y, &arguments->y));
  numbers = (uint32_t*)(sum + 1);
  for (i = 0; i < count; ++i) {
    x[i] = (float)i;
    y[i] = 1;
    numbers[i] = (uint32_t)i;
  }
  CHECK(hsa_memory_copy(arguments->x, x, sizeof x));
  CHECK(hsa_memory_copy(arguments->y, y, sizeof y));
  arguments->a = 2;
  {
    const hsa_kernel_dispatch_packet_t packet = {.workgroup_size_x = 64,
                                                 .workgroup_size_y = 1,
                                                 .workgroup_size_z = 1,
                                                 .grid_size_x = count,
                                                 .grid_size_y = 1,
                                                 .grid_size_z = 1,
                                                 .kernel_object = kernel,
                                                 .kernarg_address = arguments,
                                                 .completion_signal = done};
    submit(queue, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH | 1u << 16, done);
  }
  {
    const hsa_agent_dispatch_packet_t packet = {.type = DSP_SUM,
                                                .return_address = sum,
                                                .arg = {(uint64_t)(uintptr_t)numbers, count},
                                                .completion_signal = done};
    submit(queue, &packet, HSA_PACKET_TYPE_AGENT_DISPATCH | (uint32_t)DSP_SUM << 16, done);
  }
  CHECK(hsa_memory_copy(y, arguments->y, sizeof y));
  for (i = 0; i < count; ++i) wrong += y[i] != 2 * x[i] + 1;
  printf("saxpy: %u of %u wrong; sum: %u\n", (unsigned)wrong, (unsigned)count, (unsigned)*sum);
  wrong += *sum != (uint64_t)count * (count - 1) / 2;
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_signal_destroy(done));
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_memory_free(arguments->x));
  CHECK(hsa_memory_free(arguments->y));
  CHECK(hsa_memory_free(sum));
  CHECK(hsa_memory_free(arguments));
  return wrong == 0;
}

int main(int argc, char** argv) {
  hsa_agent_t agent = {0};
  hsa_region_t regions[3] = {{0}, {0}, {0}};
  int good;
  if (argc == 3 && strcmp(argv[1], "--code") == 0) return write_empty_kernel(argv[2]);
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(find_agent, &agent));
  if (agent.handle == 0) {
    fprintf(stderr, "there is no agent '%s': are HEDDLE_AGENTS and HEDDLE_AGENT_PATH set?\n", TINY_DSP_NAME);
    return 1;
  }
  CHECK(hsa_agent_iterate_regions(agent, find_regions, regions));
  good = run(agent, regions);
  CHECK(hsa_shut_down());
  return good ? 0 : 1;
}
