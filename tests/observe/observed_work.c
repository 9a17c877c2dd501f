/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A client that does a little of everything that the log and traces show, except kernels:
 *
 *   observed_work [WAY] [ROUNDS]
 *
 * WAY says how it ends: `shut_down` (default), `exit` without hsa_shut_down, `again` (starts the runtime a
 * second time), `fork` (a child does the same work meanwhile), `in_flight` (shuts down while a packet waits
 * for ever), `named` (as by default, on a thread whose name is not UTF-8). ROUNDS repeats the packets.
 */
#define _GNU_SOURCE
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(hsa_status_t status, const char* what) {
  if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK) return;
  fprintf(stderr, "observed_work: %s: 0x%x\n", what, (unsigned)status);
  exit(1);
}

static hsa_status_t find_kernel_agent(hsa_agent_t agent, void* result) {
  uint32_t features = 0;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_FEATURE, &features);
  if (!(features & HSA_AGENT_FEATURE_KERNEL_DISPATCH)) return HSA_STATUS_SUCCESS;
  *(hsa_agent_t*)result = agent;
  return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t find_fine_region(hsa_region_t region, void* result) {
  hsa_region_segment_t segment;
  uint32_t flags = 0;
  hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
  if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
  if (!(flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED)) return HSA_STATUS_SUCCESS;
  *(hsa_region_t*)result = region;
  return HSA_STATUS_INFO_BREAK;
}

static void submit_barrier(hsa_queue_t* queue, hsa_signal_t dependency, hsa_signal_t completion) {
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  hsa_barrier_and_packet_t* packet = (hsa_barrier_and_packet_t*)queue->base_address + index % queue->size;
  const uint32_t header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
  }
  memset((char*)packet + 4, 0, sizeof *packet - 4);
  packet->dep_signal[0] = dependency;
  packet->completion_signal = completion;
  __atomic_store_n((uint32_t*)packet, header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

static hsa_signal_t new_signal(hsa_signal_value_t value) {
  hsa_signal_t signal;
  check(hsa_signal_create(value, 0, NULL, &signal), "creating a signal");
  return signal;
}

static void wait_for(hsa_signal_t signal) {
  while (hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) >=
         1) {
  }
}

static hsa_queue_t* new_queue(hsa_agent_t agent) {
  hsa_queue_t* queue = NULL;
  check(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &queue),
        "creating a queue");
  return queue;
}

/* The second queue waits for the first, and the host for both. */
static void do_packets(hsa_queue_t* first, hsa_queue_t* second) {
  const hsa_signal_t start = new_signal(1), middle = new_signal(1), end = new_signal(1);
  submit_barrier(second, middle, end);
  submit_barrier(first, start, middle);
  hsa_signal_subtract_screlease(start, 1);
  wait_for(end);
  check(hsa_signal_destroy(start), "destroying a signal");
  check(hsa_signal_destroy(middle), "destroying a signal");
  check(hsa_signal_destroy(end), "destroying a signal");
}

static void do_copies(hsa_agent_t agent, hsa_region_t region) {
  enum { size = 1 << 16 };
  static char ordinary[size];
  const hsa_signal_t copied = new_signal(1);
  char* memory = NULL;
  check(hsa_memory_allocate(region, size, (void**)&memory), "allocating");
  check(hsa_memory_register(ordinary, size), "registering");
  memset(ordinary, 42, size);
  check(hsa_memory_copy(memory, ordinary, size), "copying");
  check(hsa_amd_memory_async_copy(ordinary, agent, memory, agent, size, 0, NULL, copied), "copying later");
  wait_for(copied);
  check(hsa_memory_deregister(ordinary, size), "deregistering");
  check(hsa_memory_free(memory), "freeing");
  check(hsa_signal_destroy(copied), "destroying a signal");
}

static void do_work(const char* way, int rounds) {
  hsa_agent_t agent = {0};
  hsa_region_t region = {0};
  check(hsa_init(), "hsa_init");
  check(hsa_iterate_agents(find_kernel_agent, &agent), "looking for an agent");
  check(hsa_agent_iterate_regions(agent, find_fine_region, &region), "looking for memory");
  hsa_queue_t* first = new_queue(agent);
  hsa_queue_t* second = new_queue(agent);
  do_copies(agent, region);
  for (int i = 0; i < rounds; ++i) do_packets(first, second);
  if (strcmp(way, "exit") == 0) exit(0);
  if (strcmp(way, "in_flight") == 0) {
    submit_barrier(first, new_signal(1), new_signal(1));
  } else {
    check(hsa_queue_inactivate(first), "inactivating a queue");
    check(hsa_queue_destroy(first), "destroying a queue");
    check(hsa_queue_destroy(second), "destroying a queue");
  }
  check(hsa_shut_down(), "hsa_shut_down");
}

static void wait_for_child(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "observed_work: the child failed\n");
    exit(1);
  }
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "shut_down";
  const int rounds = argc > 2 ? atoi(argv[2]) : 1;
  if (strcmp(way, "fork") == 0) {
    check(hsa_init(), "hsa_init");
    fflush(NULL);
    const pid_t child = fork();
    do_work("shut_down", rounds);
    if (child == 0) return 0;
    check(hsa_shut_down(), "hsa_shut_down");
    wait_for_child(child);
    return 0;
  }
  if (strcmp(way, "named") == 0) pthread_setname_np(pthread_self(), "a\xff\"b\xc3\xa9\xe2\x82");
  do_work(way, rounds);
  if (strcmp(way, "again") == 0) do_work("shut_down", rounds);
  return 0;
}
