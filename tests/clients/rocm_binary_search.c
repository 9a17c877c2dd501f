/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A client for ROCm that keeps its data in memory pools: it copies a sorted array and numbers to look for
 * into the pool of a kernel agent, dispatches rocm_binary_search.hsail there, and copies the result back. The
 * argument is a code object of `heddle finalize`.
 */
#include <fcntl.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 100003u /* numbers of the array */
#define WANTED 4096u

static void check(hsa_status_t status, int line) {
  const char* text = "unknown";
  if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK) return;
  hsa_status_string(status, &text);
  fprintf(stderr, "line %d: %s\n", line, text);
  exit(1);
}
#define CHECK(call) check(call, __LINE__)

/* ---- agents and pools ---- */

static hsa_agent_t host, device;

static hsa_status_t find_agents(hsa_agent_t agent, void* unused) {
  hsa_agent_feature_t features;
  (void)unused;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_FEATURE, &features));
  if (features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) {
    if (device.handle == 0) device = agent;
  } else if (host.handle == 0) {
    host = agent;
  }
  return HSA_STATUS_SUCCESS;
}

struct search {
  uint32_t flag; /* of the pool that is wanted */
  hsa_amd_memory_pool_t pool;
};

static hsa_status_t look_at_pool(hsa_amd_memory_pool_t pool, void* data) {
  struct search* search = data;
  hsa_amd_segment_t segment;
  uint32_t flags = 0;
  bool allowed = false;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed));
  if (segment != HSA_AMD_SEGMENT_GLOBAL || !(flags & search->flag) || !allowed) return HSA_STATUS_SUCCESS;
  search->pool = pool;
  return HSA_STATUS_INFO_BREAK;
}

static hsa_amd_memory_pool_t pool_of(hsa_agent_t agent, uint32_t flag) {
  struct search search = {0, {0}};
  search.flag = flag;
  CHECK(hsa_amd_agent_iterate_memory_pools(agent, look_at_pool, &search));
  if (search.pool.handle == 0) {
    fprintf(stderr, "an agent has no pool with flag %u\n", flag);
    exit(1);
  }
  return search.pool;
}

/* Memory of a pool that both agents may access. */
static void* allocate(hsa_amd_memory_pool_t pool, size_t size) {
  void* memory = NULL;
  const hsa_agent_t both[2] = {host, device};
  CHECK(hsa_amd_memory_pool_allocate(pool, size, 0, &memory));
  CHECK(hsa_amd_agents_allow_access(2, both, NULL, memory));
  return memory;
}

static void copy(void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent, size_t size) {
  hsa_signal_t copied;
  CHECK(hsa_signal_create(1, 0, NULL, &copied));
  CHECK(hsa_amd_memory_async_copy(to, to_agent, from, from_agent, size, 0, NULL, copied));
  if (hsa_signal_wait_scacquire(copied, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) != 0)
    exit(1);
  CHECK(hsa_signal_destroy(copied));
}

/* ---- the kernel ---- */

static hsa_executable_t load(const char* path) {
  hsa_executable_t executable;
  hsa_code_object_reader_t reader;
  const int file = open(path, O_RDONLY);
  if (file < 0) {
    perror(path);
    exit(1);
  }
  CHECK(hsa_code_object_reader_create_from_file(file, &reader));
  CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &executable));
  CHECK(hsa_executable_load_agent_code_object(executable, device, reader, NULL, NULL));
  CHECK(hsa_executable_freeze(executable, NULL));
  CHECK(hsa_code_object_reader_destroy(reader));
  return executable;
}

struct arguments {
  uint32_t *found, *wanted, *sorted;
  uint32_t count;
};

static void dispatch(hsa_queue_t* queue, hsa_executable_symbol_t kernel, void* arguments, hsa_signal_t done) {
  const uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
  hsa_kernel_dispatch_packet_t* packet =
      (hsa_kernel_dispatch_packet_t*)queue->base_address + index % queue->size;
  const uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  memset((char*)packet + 4, 0, sizeof *packet - 4);
  packet->workgroup_size_x = 64;
  packet->workgroup_size_y = packet->workgroup_size_z = 1;
  packet->grid_size_x = WANTED;
  packet->grid_size_y = packet->grid_size_z = 1;
  packet->kernarg_address = arguments;
  packet->completion_signal = done;
  CHECK(hsa_executable_symbol_get_info(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                       &packet->kernel_object));
  CHECK(hsa_executable_symbol_get_info(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                       &packet->private_segment_size));
  __atomic_store_n((uint32_t*)packet, header | 1u << 16 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS,
                   __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

/* Runs the kernel and returns how many ticks of the system's clock it took. */
static uint64_t run(const char* path, const struct arguments* values) {
  hsa_executable_t executable = load(path);
  hsa_executable_symbol_t kernel;
  hsa_queue_t* queue;
  hsa_signal_t done;
  hsa_amd_profiling_dispatch_time_t time;
  void* arguments = allocate(pool_of(host, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT), sizeof *values);
  memcpy(arguments, values, sizeof *values);
  CHECK(hsa_executable_get_symbol_by_name(executable, "&binary_search", &device, &kernel));
  CHECK(hsa_queue_create(device, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &queue));
  CHECK(hsa_amd_profiling_set_profiler_enabled(queue, 1));
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  dispatch(queue, kernel, arguments, done);
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  CHECK(hsa_amd_profiling_get_dispatch_time(device, done, &time));
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_signal_destroy(done));
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_amd_memory_pool_free(arguments));
  return time.end - time.start;
}

/* ---- data ---- */

/* The array has every third number; every second of the numbers to look for is one of them. */
static uint32_t wanted_number(uint32_t i) { return i % 2 == 0 ? i * 71 % COUNT * 3 : i * 71 % COUNT * 3 + 1; }

static unsigned wrong_indices(const uint32_t* found) {
  unsigned wrong = 0;
  uint32_t i;
  for (i = 0; i < WANTED; ++i) wrong += found[i] != (i % 2 == 0 ? i * 71 % COUNT : UINT32_MAX);
  return wrong;
}

int main(int argc, char** argv) {
  uint32_t *sorted, *wanted, i;
  struct arguments values;
  uint64_t ticks;
  if (argc != 2) return 2;
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(find_agents, NULL));
  {
    const hsa_amd_memory_pool_t near_host = pool_of(host, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
    const hsa_amd_memory_pool_t near_device = pool_of(device, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
    sorted = allocate(near_host, COUNT * sizeof *sorted);
    wanted = allocate(near_host, WANTED * sizeof *wanted);
    values.sorted = allocate(near_device, COUNT * sizeof *sorted);
    values.wanted = allocate(near_device, WANTED * sizeof *wanted);
    values.found = allocate(near_device, WANTED * sizeof *wanted);
  }
  values.count = COUNT;
  for (i = 0; i < COUNT; ++i) sorted[i] = 3 * i;
  for (i = 0; i < WANTED; ++i) wanted[i] = wanted_number(i);
  copy(values.sorted, device, sorted, host, COUNT * sizeof *sorted);
  copy(values.wanted, device, wanted, host, WANTED * sizeof *wanted);
  CHECK(hsa_amd_memory_fill(values.found, 0x5a5a5a5a, WANTED));
  ticks = run(argv[1], &values);
  copy(wanted, host, values.found, device, WANTED * sizeof *wanted);
  printf("%u wrong, %" PRIu64 " ticks\n", wrong_indices(wanted), ticks);
  CHECK(hsa_amd_memory_pool_free(sorted));
  CHECK(hsa_amd_memory_pool_free(wanted));
  CHECK(hsa_amd_memory_pool_free(values.sorted));
  CHECK(hsa_amd_memory_pool_free(values.wanted));
  CHECK(hsa_amd_memory_pool_free(values.found));
  CHECK(hsa_shut_down());
  return ticks == 0;
}
