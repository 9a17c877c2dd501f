// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that belongs to an agent, and memory that it is told of (MVA 2.9).
#include <gtest/gtest.h>

#include <sys/mman.h>

#include <numeric>

#include "host.h"

namespace heddle::conformance {
namespace {

/// Addresses of the client that a generic driver has reserved for an allocation.
class Addresses {
 public:
  explicit Addresses(size_t size)
      : size_(size),
        base_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                   0)) {}
  ~Addresses() { munmap(base_, size_); }
  char* get() const { return static_cast<char*>(base_); }
  int32_t size() const { return static_cast<int32_t>(size_); }

 private:
  const size_t size_;
  void* const base_;
};

/// The messages of one client about memory.
struct Messages {
  explicit Messages(const RegisteredAgent& agent) : agent(agent), client(agent) {}

  HSAM_Error allocate(const Addresses& memory, hsam_segment segment, int flags) {
    void* base = memory.get();
    return Host::get().ask(agent.interface.memory_allocation, client.at_agent(), base, memory.size(), segment,
                           static_cast<int32_t>(flags));
  }
  /// Allocates memory in a region of the agent's own, at an address that the agent chooses if it wants to, or
  /// else has been reserved at `memory`. Null if the agent refuses.
  char* allocate_own(const hsam_region_description& region, const Addresses& memory) {
    const int flags = static_cast<int>(region.global_flags) | HSAM_GLOBAL_FLAG_OWN_REGION;
    if (agent.interface.region_allocate == nullptr)
      return allocate(memory, HSAM_SEGMENT_GLOBAL, flags) == HSAM_Done ? memory.get() : nullptr;
    void* chosen = nullptr;
    const HSAM_Error answer = Host::get().ask_for_handle(
        &chosen, agent.interface.region_allocate, client.at_agent(), region.memory_id,
        static_cast<uint64_t>(memory.size()), region.alloc_alignment);
    return answer == HSAM_Done ? static_cast<char*>(chosen) : nullptr;
  }
  HSAM_Error free_own(void* address) {
    if (agent.interface.region_free == nullptr) return free(address);
    return Host::get().ask(agent.interface.region_free, client.at_agent(), address);
  }
  HSAM_Error free(void* address) {
    return Host::get().ask(agent.interface.memory_free, client.at_agent(), address);
  }
  HSAM_Error copy(void* to, const void* from, size_t size) {
    return Host::get().ask(agent.interface.memory_copy, client.at_agent(), to, from,
                           static_cast<int32_t>(size));
  }
  HSAM_Error acquire(void* address, hsam_access_permission permission) {
    return Host::get().ask(agent.interface.memory_acquire, client.at_agent(), address, permission);
  }
  HSAM_Error release(void* address) {
    return Host::get().ask(agent.interface.memory_release, client.at_agent(), address);
  }

  const RegisteredAgent& agent;
  ConformanceClient client;
};

/// Returns the agent's own region that clients can allocate from, or null.
const hsam_region_description* own_region(const RegisteredAgent& agent) {
  for (uint32_t i = 0; i < agent.config.region_count; ++i) {
    const hsam_region_description& region = agent.config.regions[i];
    if (region.segment == HSAM_SEGMENT_GLOBAL && region.runtime_alloc_allowed &&
        region.memory_id >= HSAM_MEMORY_AGENT_FIRST)
      return &region;
  }
  return nullptr;
}

std::vector<char> pattern(size_t size) {
  std::vector<char> bytes(size);
  std::iota(bytes.begin(), bytes.end(), 1);
  return bytes;
}

TEST(Memory, that_an_agent_owns_keeps_what_is_copied_to_it) {
  for (const RegisteredAgent& agent : Host::get().agents()) {
    const hsam_region_description* region = own_region(agent);
    if (region == nullptr) continue;
    SCOPED_TRACE(agent.config.name);
    Messages messages(agent);
    const Addresses memory(1 << 20), other(64 << 10);
    char* const own = messages.allocate_own(*region, memory);
    char* const second = messages.allocate_own(*region, other);
    ASSERT_TRUE(own != nullptr && second != nullptr);
    EXPECT_EQ(messages.acquire(own, HSAM_ACCESS_PERMISSION_RW), HSAM_Done);
    const std::vector<char> sent = pattern(100'000);
    std::vector<char> got(sent.size());
    EXPECT_EQ(messages.copy(own + 12345, sent.data(), sent.size()), HSAM_Done);
    EXPECT_EQ(messages.copy(got.data(), own + 12345, got.size()), HSAM_Done);
    EXPECT_EQ(got, sent);
    // Within the agent's memory, and not whole words.
    EXPECT_EQ(messages.copy(second + 1, own + 12346, 999), HSAM_Done);
    EXPECT_EQ(messages.copy(got.data(), second + 1, 999), HSAM_Done);
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + 999, sent.begin() + 1));
    EXPECT_EQ(messages.release(own), HSAM_Done);
    EXPECT_EQ(messages.free_own(own), HSAM_Done);
    EXPECT_EQ(messages.free_own(second), HSAM_Done);
  }
}

TEST(Memory, that_agents_want_to_know_comes_and_goes) {
  for (const RegisteredAgent& agent : Host::get().agents()) {
    if (!agent.config.wants_memory_messages) continue;
    SCOPED_TRACE(agent.config.name);
    Messages messages(agent);
    for (int i = 0; i < 100; ++i) {
      const Addresses shared(4096), registered(4096 * 3);
      EXPECT_EQ(messages.allocate(shared, HSAM_SEGMENT_GLOBAL, HSAM_GLOBAL_FLAG_FINE_GRAINED), HSAM_Done);
      EXPECT_EQ(messages.allocate(registered, HSAM_SEGMENT_SYSTEM, HSAM_GLOBAL_FLAG_FINE_GRAINED), HSAM_Done);
      EXPECT_EQ(messages.free(registered.get()), HSAM_Done);
      if (i % 2 == 0) {  // the rest goes with the client
        EXPECT_EQ(messages.free(shared.get()), HSAM_Done);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::conformance
