/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The smallest whole HSA program: finds a kernel agent, finalizes a BRIG module for it, copies a vector with
 * one dispatch. It needs only the installed headers and library:
 *
 *   heddle as vector_copy.hsail -o vector_copy.brig
 *   cc vector_copy.c $(pkg-config --cflags --libs hsa-runtime64) -o vector_copy
 *   ./vector_copy vector_copy.brig
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_finalize.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT (1u << 20)

static void check(hsa_status_t status, const char* what) {
  const char* text = "unknown status";
  if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK) return;
  hsa_status_string(status, &text);
  fprintf(stderr, "vector_copy: %s: %s\n", what, text);
  exit(1);
}

/* ---- looking for objects: each callback takes the first that fits and ends the iteration ---- */

static hsa_status_t find_kernel_agent(hsa_agent_t agent, void* result) {
  uint32_t features = 0;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_FEATURE, &features);
  if (!(features & HSA_AGENT_FEATURE_KERNEL_DISPATCH)) return HSA_STATUS_SUCCESS;
  *(hsa_agent_t*)result = agent;
  return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t find_isa(hsa_isa_t isa, void* result) {
  *(hsa_isa_t*)result = isa;
  return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t find_region(hsa_region_t region, uint32_t wanted, void* result) {
  hsa_region_segment_t segment;
  uint32_t flags = 0;
  hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
  if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
  if (!(flags & wanted)) return HSA_STATUS_SUCCESS;
  *(hsa_region_t*)result = region;
  return HSA_STATUS_INFO_BREAK;
}
static hsa_status_t find_kernarg_region(hsa_region_t region, void* result) {
  return find_region(region, HSA_REGION_GLOBAL_FLAG_KERNARG, result);
}
static hsa_status_t find_shared_region(hsa_region_t region, void* result) {
  return find_region(region, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED, result);
}

/* ---- from a BRIG file to a kernel ---- */

static hsa_ext_module_t read_module(const char* path) {
  FILE* file = fopen(path, "rb");
  char* bytes = NULL;
  long size = 0;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0) {
    rewind(file);
    bytes = malloc((size_t)size);
    if (bytes != NULL && fread(bytes, 1, (size_t)size, file) != (size_t)size) size = 0;
  }
  if (file != NULL) fclose(file);
  if (bytes == NULL || size <= 0) {
    fprintf(stderr, "vector_copy: cannot read %s\n", path);
    exit(1);
  }
  return (hsa_ext_module_t)bytes;
}

typedef struct blob {
  void* bytes;
  size_t size;
} blob;

/* The finalizer asks here for the memory of the code object. */
static hsa_status_t allocate(size_t size, size_t align, void** address, void* data) {
  blob* result = data;
  (void)align; /* malloc aligns well enough */
  result->bytes = malloc(size);
  result->size = size;
  *address = result->bytes;
  return result->bytes != NULL ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

static blob finalize(hsa_ext_module_t module, hsa_isa_t isa) {
  hsa_ext_program_t program;
  hsa_ext_code_object_writer_t writer;
  blob code = {NULL, 0};
  check(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                               HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &program),
        "creating a program");
  check(hsa_ext_program_add_module(program, module), "adding the module");
  check(hsa_ext_code_object_writer_create_from_memory(allocate, &code, &writer), "creating a writer");
  check(hsa_ext_agent_code_object_finalize(program, isa, NULL, writer), "finalizing");
  check(hsa_ext_code_object_writer_destroy(writer), "destroying the writer");
  check(hsa_ext_program_destroy(program), "destroying the program");
  return code;
}

static hsa_executable_t load(hsa_agent_t agent, hsa_code_object_reader_t reader) {
  hsa_executable_t executable;
  check(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &executable),
        "creating an executable");
  check(hsa_executable_load_agent_code_object(executable, agent, reader, NULL, NULL), "loading the code");
  check(hsa_executable_freeze(executable, NULL), "freezing the executable");
  return executable;
}

/* ---- dispatching ---- */

static void dispatch(hsa_queue_t* queue, hsa_executable_symbol_t kernel, void* kernarg,
                     hsa_signal_t completion) {
  uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  hsa_kernel_dispatch_packet_t* packet =
      (hsa_kernel_dispatch_packet_t*)queue->base_address + index % queue->size;
  uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  uint16_t setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  memset((char*)packet + 4, 0, sizeof *packet - 4); /* all but header and setup, which come last */
  packet->workgroup_size_x = 256;
  packet->workgroup_size_y = packet->workgroup_size_z = 1;
  packet->grid_size_x = COUNT;
  packet->grid_size_y = packet->grid_size_z = 1;
  packet->kernarg_address = kernarg;
  packet->completion_signal = completion;
  hsa_executable_symbol_get_info(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet->kernel_object);
  hsa_executable_symbol_get_info(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                 &packet->group_segment_size);
  hsa_executable_symbol_get_info(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                 &packet->private_segment_size);
  __atomic_store_n((uint32_t*)packet, header | (uint32_t)setup << 16, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

int main(int argc, char** argv) {
  hsa_agent_t agent = {0};
  hsa_isa_t isa = {0};
  hsa_region_t kernarg_region = {0}, shared_region = {0};
  hsa_ext_module_t module;
  blob code;
  hsa_code_object_reader_t reader;
  hsa_executable_t executable;
  hsa_executable_symbol_t kernel;
  hsa_queue_t* queue = NULL;
  hsa_signal_t completion;
  uint32_t *in = NULL, *out = NULL, **kernarg = NULL, i, wrong = 0;

  if (argc != 2) {
    fprintf(stderr, "usage: vector_copy vector_copy.brig\n");
    return 2;
  }
  check(hsa_init(), "initializing");
  check(hsa_iterate_agents(find_kernel_agent, &agent), "looking for agents");
  if (agent.handle == 0) {
    fprintf(stderr, "vector_copy: no agent executes kernels\n");
    return 1;
  }
  check(hsa_agent_iterate_isas(agent, find_isa, &isa), "looking for an ISA");
  check(hsa_agent_iterate_regions(agent, find_kernarg_region, &kernarg_region), "looking for kernarg memory");
  check(hsa_agent_iterate_regions(agent, find_shared_region, &shared_region), "looking for shared memory");

  module = read_module(argv[1]);
  code = finalize(module, isa);
  check(hsa_code_object_reader_create_from_memory(code.bytes, code.size, &reader), "reading the code object");
  executable = load(agent, reader);
  check(hsa_executable_get_symbol_by_linker_name(executable, "&vector_copy", &agent, &kernel),
        "looking for the kernel");

  check(hsa_memory_allocate(shared_region, COUNT * sizeof *in, (void**)&in), "allocating the input");
  check(hsa_memory_allocate(shared_region, COUNT * sizeof *out, (void**)&out), "allocating the output");
  check(hsa_memory_allocate(kernarg_region, 2 * sizeof *kernarg, (void**)&kernarg),
        "allocating the arguments");
  for (i = 0; i < COUNT; ++i) {
    in[i] = i * 2654435761u;
    out[i] = 0;
  }
  kernarg[0] = out;
  kernarg[1] = in;

  check(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX, &queue),
        "creating a queue");
  check(hsa_signal_create(1, 0, NULL, &completion), "creating a signal");
  dispatch(queue, kernel, kernarg, completion);
  while (hsa_signal_wait_scacquire(completion, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                   HSA_WAIT_STATE_BLOCKED) >= 1) {
  }
  for (i = 0; i < COUNT; ++i) wrong += out[i] != in[i];
  printf("%u elements copied, %u wrong\n", COUNT, wrong);

  check(hsa_signal_destroy(completion), "destroying the signal");
  check(hsa_queue_destroy(queue), "destroying the queue");
  check(hsa_memory_free(kernarg), "freeing memory");
  check(hsa_memory_free(out), "freeing memory");
  check(hsa_memory_free(in), "freeing memory");
  check(hsa_executable_destroy(executable), "destroying the executable");
  check(hsa_code_object_reader_destroy(reader), "destroying the reader");
  free(code.bytes);
  free(module);
  check(hsa_shut_down(), "shutting down");
  return wrong != 0;
}
