/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A client for ROCm that sends a buffer through all agents of the machine, with asynchronous copies that
 * depend on each other, and asks how long they took. It uses public headers only, as programs for ROCm do.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_AGENTS 16
#define SIZE (1u << 20)

static void check(hsa_status_t status, int line) {
  const char* text = "unknown";
  if (status == HSA_STATUS_SUCCESS) return;
  hsa_status_string(status, &text);
  fprintf(stderr, "line %d: %s\n", line, text);
  exit(1);
}
#define CHECK(call) check(call, __LINE__)

struct stage {
  hsa_agent_t agent;
  uint32_t* buffer;
  hsa_signal_t arrived;
};
static struct stage stages[MOST_AGENTS + 1];
static unsigned count;

static hsa_status_t find_memory(hsa_region_t region, void* found) {
  hsa_region_segment_t segment;
  bool allowed = false;
  CHECK(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
  CHECK(hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &allowed));
  if (segment != HSA_REGION_SEGMENT_GLOBAL || !allowed) return HSA_STATUS_SUCCESS;
  *(hsa_region_t*)found = region;
  return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t add_stage(hsa_agent_t agent, void* data) {
  hsa_region_t region = {0};
  struct stage* stage = &stages[count];
  (void)data;
  if (count == MOST_AGENTS || hsa_agent_iterate_regions(agent, find_memory, &region) != HSA_STATUS_INFO_BREAK)
    return HSA_STATUS_SUCCESS;
  stage->agent = agent;
  CHECK(hsa_memory_allocate(region, SIZE, (void**)&stage->buffer));
  CHECK(hsa_amd_signal_create(1, 0, NULL, 0, &stage->arrived));
  ++count;
  return HSA_STATUS_SUCCESS;
}

/* Counts the copies that have arrived. */
static bool on_arrival(hsa_signal_value_t value, void* arrivals) {
  (void)value;
  hsa_signal_add_screlease(*(hsa_signal_t*)arrivals, 1);
  return false;
}

static unsigned wrong_words(const uint32_t* words) {
  unsigned wrong = 0;
  unsigned i;
  for (i = 0; i < SIZE / sizeof *words; ++i) wrong += words[i] != i * 2654435761u;
  return wrong;
}

int main(void) {
  hsa_signal_t start, arrivals;
  hsa_signal_value_t satisfied = 1;
  hsa_signal_condition_t is = HSA_SIGNAL_CONDITION_EQ;
  hsa_signal_value_t zero = 0;
  uint64_t last_end = 0;
  unsigned i;
  unsigned late = 0;
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(add_stage, NULL));
  for (i = 0; i < SIZE / sizeof(uint32_t); ++i) stages[0].buffer[i] = i * 2654435761u;
  CHECK(hsa_amd_profiling_async_copy_enable(true));
  CHECK(hsa_signal_create(1, 0, NULL, &start));
  CHECK(hsa_signal_create(0, 0, NULL, &arrivals));
  /* The last copies are submitted first: only the signals bring them into order. */
  for (i = count - 1; i > 0; --i) {
    const hsa_signal_t before = i == 1 ? start : stages[i - 1].arrived;
    CHECK(hsa_amd_signal_async_handler(stages[i].arrived, HSA_SIGNAL_CONDITION_EQ, 0, on_arrival, &arrivals));
    CHECK(hsa_amd_memory_async_copy(stages[i].buffer, stages[i].agent, stages[i - 1].buffer,
                                    stages[i - 1].agent, SIZE, 1, &before, stages[i].arrived));
  }
  hsa_signal_store_screlease(start, 0);
  if (hsa_amd_signal_wait_any(1, &stages[count - 1].arrived, &is, &zero, UINT64_MAX, HSA_WAIT_STATE_BLOCKED,
                              &satisfied) != 0 ||
      satisfied != 0)
    return 1;
  hsa_signal_wait_scacquire(arrivals, HSA_SIGNAL_CONDITION_EQ, count - 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  for (i = 1; i < count; ++i) {
    hsa_amd_profiling_async_copy_time_t time;
    CHECK(hsa_amd_profiling_get_async_copy_time(stages[i].arrived, &time));
    late += time.start < last_end || time.end < time.start;
    last_end = time.end;
    printf("copy to agent %u: %" PRIu64 " ticks\n", i, time.end - time.start);
  }
  printf("%u agents: %u wrong, %u out of order\n", count, wrong_words(stages[count - 1].buffer), late);
  for (i = 0; i < count; ++i) {
    CHECK(hsa_memory_free(stages[i].buffer));
    CHECK(hsa_signal_destroy(stages[i].arrived));
  }
  CHECK(hsa_signal_destroy(start));
  CHECK(hsa_signal_destroy(arrivals));
  CHECK(hsa_shut_down());
  return 0;
}
