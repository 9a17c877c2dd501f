// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stress.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

namespace heddle::stress {
namespace {

size_t entries(const char* folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

}  // namespace

bool full = false;

Use use_of_process() {
  Use use;
  std::ifstream statm("/proc/self/statm");
  size_t pages = 0;
  statm >> pages >> pages;
  use.resident_kib = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) / 1024;
#ifndef HEDDLE_SANITIZED
  const struct mallinfo2 info = mallinfo2();
  use.allocated = info.uordblks + info.hblkhd;
#endif
  use.files = entries("/proc/self/fd");
  use.threads = entries("/proc/self/task");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++use.mappings;
  return use;
}

void note(const std::string& text) {
  std::printf("[   NOTE   ] %s\n", text.c_str());
  std::fflush(stdout);
}

hsa_agent_t agent(Kind kind) {
  std::vector<hsa_agent_t> agents;
  const auto keep = [](hsa_agent_t found, void* data) {
    static_cast<std::vector<hsa_agent_t>*>(data)->push_back(found);
    return HSA_STATUS_SUCCESS;
  };
  EXPECT_SUCCESS(hsa_iterate_agents(keep, &agents));
  EXPECT_EQ(agents.size(), 3u);
  const auto number = static_cast<size_t>(kind);
  return number < agents.size() ? agents[number] : hsa_agent_t{};
}

void submit(hsa_queue_t* queue, const void* packet) {
  const uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) std::this_thread::yield();
  auto* slot = static_cast<std::byte*>(queue->base_address) + index % queue->size * 64;
  std::memcpy(slot + 4, static_cast<const std::byte*>(packet) + 4, 60);
  uint32_t first = 0;
  std::memcpy(&first, packet, sizeof first);
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), first, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

hsa_barrier_and_packet_t barrier(hsa_signal_t dependency, hsa_signal_t completion) {
  hsa_barrier_and_packet_t packet{};
  packet.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE;
  packet.dep_signal[0] = dependency;
  packet.completion_signal = completion;
  return packet;
}

hsa_signal_t signal(hsa_signal_value_t value) {
  hsa_signal_t made{};
  EXPECT_SUCCESS(hsa_signal_create(value, 0, nullptr, &made));
  return made;
}

hsa_queue_t* queue(hsa_agent_t agent, uint32_t packets, void (*callback)(hsa_status_t, hsa_queue_t*, void*),
                   void* data) {
  hsa_queue_t* made = nullptr;
  EXPECT_SUCCESS(
      hsa_queue_create(agent, packets, HSA_QUEUE_TYPE_MULTI, callback, data, UINT32_MAX, UINT32_MAX, &made));
  return made;
}

void wait_for(hsa_signal_t signal, hsa_signal_value_t value) {
  while (hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, value, UINT64_MAX,
                                   HSA_WAIT_STATE_BLOCKED) != value) {
  }
}

}  // namespace heddle::stress

int main(int argc, char** argv) {
  setenv("HEDDLE_AGENTS", "cpu,null", 1);
  ::testing::InitGoogleTest(&argc, argv);
  heddle::stress::full =
      std::any_of(argv + 1, argv + argc, [](const char* a) { return std::strcmp(a, "--full") == 0; });
  return RUN_ALL_TESTS();
}
