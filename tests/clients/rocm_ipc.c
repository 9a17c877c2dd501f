/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A client for ROCm in two processes: the first one shares memory of a pool and a signal, the second one
 * attaches them, changes the memory with a copy, and tells the first one with the signal.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS (1u << 18)
#define SIZE (WORDS * sizeof(uint32_t))

static void check(hsa_status_t status, int line) {
  const char* text = "unknown";
  if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK) return;
  hsa_status_string(status, &text);
  fprintf(stderr, "%d, line %d: %s\n", (int)getpid(), line, text);
  exit(1);
}
#define CHECK(call) check(call, __LINE__)

/* What the first process sends to the second one. */
struct handles {
  hsa_amd_ipc_memory_t memory;
  hsa_amd_ipc_signal_t signal;
};

static hsa_status_t first_agent(hsa_agent_t agent, void* found) {
  *(hsa_agent_t*)found = agent;
  return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t first_pool(hsa_amd_memory_pool_t pool, void* found) {
  bool allowed = false;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed));
  if (!allowed) return HSA_STATUS_SUCCESS;
  *(hsa_amd_memory_pool_t*)found = pool;
  return HSA_STATUS_INFO_BREAK;
}

static uint32_t* allocate(hsa_agent_t agent) {
  hsa_amd_memory_pool_t pool = {0};
  void* memory;
  CHECK(hsa_amd_agent_iterate_memory_pools(agent, first_pool, &pool));
  CHECK(hsa_amd_memory_pool_allocate(pool, SIZE, 0, &memory));
  return memory;
}

static unsigned words_other_than(const uint32_t* words, uint32_t factor) {
  unsigned wrong = 0;
  uint32_t i;
  for (i = 0; i < WORDS; ++i) wrong += words[i] != i * factor;
  return wrong;
}

static int second_process(int from_first) {
  struct handles handles;
  hsa_agent_t agent = {0};
  hsa_signal_t done;
  void* shared;
  uint32_t *own, i;
  unsigned wrong;
  if (read(from_first, &handles, sizeof handles) != sizeof handles) return 1;
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(first_agent, &agent));
  CHECK(hsa_amd_ipc_memory_attach(&handles.memory, SIZE, 1, &agent, &shared));
  CHECK(hsa_amd_ipc_signal_attach(&handles.signal, &done));
  wrong = words_other_than(shared, 3);
  own = allocate(agent);
  for (i = 0; i < WORDS; ++i) own[i] = i * 5;
  /* The copy decrements the signal, for which the first process waits. */
  CHECK(hsa_amd_memory_async_copy(shared, agent, own, agent, SIZE, 0, NULL, done));
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  CHECK(hsa_amd_memory_pool_free(own));
  CHECK(hsa_amd_ipc_memory_detach(shared));
  CHECK(hsa_signal_destroy(done));
  CHECK(hsa_shut_down());
  return wrong != 0;
}

static int first_process(int to_second, pid_t second) {
  struct handles handles;
  hsa_agent_t agent = {0};
  hsa_signal_t done;
  uint32_t *words, i;
  unsigned wrong;
  int status = 1;
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(first_agent, &agent));
  words = allocate(agent);
  for (i = 0; i < WORDS; ++i) words[i] = i * 3;
  CHECK(hsa_amd_signal_create(1, 0, NULL, HSA_AMD_SIGNAL_IPC, &done));
  CHECK(hsa_amd_ipc_memory_create(words, SIZE, &handles.memory));
  CHECK(hsa_amd_ipc_signal_create(done, &handles.signal));
  if (write(to_second, &handles, sizeof handles) != sizeof handles) return 1;
  while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, 100 * 1000 * 1000,
                                   HSA_WAIT_STATE_BLOCKED) != 0)
    if (waitpid(second, &status, WNOHANG) != 0) return 1;
  wrong = words_other_than(words, 5);
  if (waitpid(second, &status, 0) != second) return 1;
  printf("%u wrong, the second process returned %d\n", wrong, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  CHECK(hsa_amd_memory_pool_free(words));
  CHECK(hsa_signal_destroy(done));
  CHECK(hsa_shut_down());
  return 0;
}

int main(void) {
  int ends[2];
  pid_t second;
  if (pipe(ends) != 0 || (second = fork()) < 0) return 1;
  if (second == 0) return second_process(ends[0]);
  return first_process(ends[1], second);
}
