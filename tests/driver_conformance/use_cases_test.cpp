// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The use cases of memory management in MVA 5.4, each under its number: what a client does through hsa.h,
// which messages follow, and what two agents see of it. One is the tiny DSP of examples/agent-driver, which
// has a shadow page table and memory of its own. The other one records messages, requires locked memory, and
// calls the services of the generic driver.
#include <gtest/gtest.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsam/hsam.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "../runtime/failing_calls.h"
#include "tiny_dsp.h"

namespace heddle::conformance {
namespace {

constexpr size_t page = 4096;

// ---- the recording agent ----

struct Message {
  std::string name;
  const void* address = nullptr;
  uint64_t size = 0;
  int64_t detail = 0;   // segment, permission, or kind of change
  int64_t detail2 = 0;  // flags
};

/// An agent without queues, whose memory is a copy of its own for each allocation in its region.
class Recorder {
 public:
  static constexpr const char* name = "recorder";
  static Recorder& get() {
    static Recorder& recorder = *new Recorder;
    return recorder;
  }

  void add(Message message) {
    std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
  }
  void forget() {
    std::lock_guard lock(mutex_);
    messages_.clear();
  }
  std::vector<Message> all(const std::string& wanted = "") const {
    std::lock_guard lock(mutex_);
    std::vector<Message> found;
    for (const Message& message : messages_)
      if (wanted.empty() || message.name == wanted) found.push_back(message);
    return found;
  }
  /// Waits until there is a message that fits: some come on another thread.
  template <typename Fits>
  bool waits_for(Fits fits) const {
    constexpr int patience = 600'000;  // milliseconds: more than any machine takes
    for (int i = 0; i < patience; ++i) {
      for (const Message& message : all())
        if (fits(message)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  /// The memory of the agent behind an address.
  std::map<const char*, std::vector<char>> memory;
  char* frame(const void* address) {
    const auto* at = static_cast<const char*>(address);
    auto after = memory.upper_bound(at);
    if (after == memory.begin()) return nullptr;
    auto& [base, bytes] = *std::prev(after);
    return at < base + bytes.size() ? bytes.data() + (at - base) : nullptr;
  }

  const hsa_generic_driver_interface* driver = nullptr;
  uint16_t id = 0;
  int64_t client = 0;  // the generic driver's handle

 private:
  mutable std::mutex mutex_;
  std::vector<Message> messages_;
};

hsa_agent_driver_interface recorder_messages() {
  hsa_agent_driver_interface m = {};
  m.client_new = [](int64_t client, void*, void*, int64_t* handle) {
    Recorder::get().client = *handle = client;
    Recorder::get().add({"client_new"});
    return HSAM_Done;
  };
  m.client_remove = [](int64_t, void*) {
    Recorder::get().memory.clear();
    Recorder::get().add({"client_remove"});
    return HSAM_Done;
  };
  m.signal_new = [](int64_t, int64_t, hsa_signal_object*, hsa_root_dest_node*, void*, int64_t* handle) {
    *handle = 0;
    Recorder::get().add({"signal_new"});
    return HSAM_Done;
  };
  m.signal_remove = [](int64_t, int64_t, void*) { return HSAM_Done; };
  m.memory_allocation = [](int64_t, void* va, int32_t size, hsam_segment segment, int32_t flags, void*) {
    const auto bytes = static_cast<uint64_t>(size);
    if ((flags & HSAM_GLOBAL_FLAG_OWN_REGION) != 0)
      Recorder::get().memory[static_cast<char*>(va)].resize(bytes);
    Recorder::get().add({"memory_allocation", va, bytes, segment, flags});
    return HSAM_Done;
  };
  m.memory_free = [](int64_t, void* va, void*) {
    Recorder::get().memory.erase(static_cast<char*>(va));
    Recorder::get().add({"memory_free", va});
    return HSAM_Done;
  };
  m.memory_acquire = [](int64_t, void* va, hsam_access_permission permission, void*) {
    Recorder::get().add({"memory_acquire", va, 0, permission});
    return HSAM_Done;
  };
  m.memory_release = [](int64_t, void* va, void*) {
    Recorder::get().add({"memory_release", va});
    return HSAM_Done;
  };
  m.memory_copy = [](int64_t, void* to, const void* from, int32_t size, void*) {
    char* inside = Recorder::get().frame(to);
    const char* source = Recorder::get().frame(from);
    std::memcpy(inside != nullptr ? inside : to, source != nullptr ? source : from,
                static_cast<size_t>(size));
    Recorder::get().add({"memory_copy", to, static_cast<uint64_t>(size)});
    return HSAM_Done;
  };
  m.tail_size = sizeof m;
  m.update_range_on_agent = [](int64_t, void* va, uint64_t size, hsam_range_change change) {
    Recorder::get().add({"update_range_on_agent", va, size, change});
  };
  return m;
}

hsam_region_description region(uint32_t flags, uint64_t memory_id) {
  hsam_region_description r = {};
  r.segment = HSAM_SEGMENT_GLOBAL;
  r.global_flags = flags;
  r.size = r.alloc_max_size = uint64_t{8} << 30;
  r.runtime_alloc_allowed = 1;
  r.alloc_granule = r.alloc_alignment = page;
  r.memory_id = memory_id;
  return r;
}

void register_recorder() {
  static const hsa_agent_driver_interface messages = recorder_messages();
  static const hsam_region_description regions[] = {
      region(HSAM_GLOBAL_FLAG_FINE_GRAINED, HSAM_MEMORY_HOST_FINE),
      region(HSAM_GLOBAL_FLAG_COARSE_GRAINED, HSAM_MEMORY_HOST_COARSE),
      region(HSAM_GLOBAL_FLAG_COARSE_GRAINED, HSAM_MEMORY_AGENT_FIRST)};
  hsa_agent_driver_config c = {};
  c.major = HSAM_VERSION_MAJOR;
  c.minor = HSAM_VERSION_MINOR;
  c.name = Recorder::name;
  c.vendor_name = "test";
  c.tail_size = sizeof c;
  c.device = HSA_DEVICE_TYPE_DSP;
  c.default_float_rounding_mode = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  c.regions = regions;
  c.region_count = 3;
  c.safe_all_memory = 1;
  c.wants_signal_messages = 1;
  c.wants_memory_messages = 1;
  hsa_generic_driver_config generic = {};
  Recorder::get().driver = hsa_register_agent(&messages, &c, &generic);
  Recorder::get().id = generic.device_driver_id;
}

// ---- what the system says of pages ----

// In programs with sanitizers, mlock does nothing.
#ifdef HEDDLE_SANITIZED
constexpr bool locks = false;
#else
constexpr bool locks = true;
#endif

bool is_resident(const void* address) {
  unsigned char resident = 0;
  auto* begin = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(address) / page * page);
  return mincore(begin, 1, &resident) == 0 && (resident & 1) != 0;
}

/// Reports whether the page of the address is locked, from the flags of its mapping.
bool is_locked(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> begin >> dash >> end && dash == '-')
      here = begin <= reinterpret_cast<uintptr_t>(address) && reinterpret_cast<uintptr_t>(address) < end;
    if (here && line.starts_with("VmFlags:")) return line.find(" lo") != std::string::npos;
  }
  return false;
}

/// Pages of the client that no HSA function knows.
class Pages {
 public:
  explicit Pages(size_t count)
      : size(count * page),
        base(static_cast<char*>(
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Pages() { munmap(base, size); }
  const size_t size;
  char* const base;
};

// ---- the client ----

struct Outcome {
  hsa_status_t error = HSA_STATUS_SUCCESS;  // of the queue
  hsa_status_t destroyed = HSA_STATUS_SUCCESS;
  uint64_t sum = 0;
};

class UseCase : public testing::Test {
 protected:
  void SetUp() override {
    Recorder::get().forget();
    start();
  }
  void TearDown() override { stop(); }

  void start() {
    ASSERT_EQ(hsa_init(), HSA_STATUS_SUCCESS);
    host_ = agent(nullptr);
    dsp_ = agent(TINY_DSP_NAME);
    recorder_ = agent(Recorder::name);
    ASSERT_NE(dsp_.handle, 0u);
    ASSERT_NE(recorder_.handle, 0u);
  }
  void stop() { ASSERT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS); }

  /// Returns the agent of a name, or the first one.
  static hsa_agent_t agent(const char* name) {
    std::pair<const char*, hsa_agent_t> wanted = {name, {}};
    const auto find = [](hsa_agent_t agent, void* data) {
      auto& [wanted_name, found] = *static_cast<std::pair<const char*, hsa_agent_t>*>(data);
      char name[64] = {};
      hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
      if (wanted_name != nullptr && std::strcmp(name, wanted_name) != 0) return HSA_STATUS_SUCCESS;
      found = agent;
      return HSA_STATUS_INFO_BREAK;
    };
    hsa_iterate_agents(find, &wanted);
    return wanted.second;
  }

  /// Returns the last global region of an agent with exactly these flags.
  static hsa_region_t region_of(hsa_agent_t agent, uint32_t flags) {
    std::pair<uint32_t, hsa_region_t> wanted = {flags, {}};
    const auto find = [](hsa_region_t region, void* data) {
      auto& [wanted_flags, found] = *static_cast<std::pair<uint32_t, hsa_region_t>*>(data);
      hsa_region_segment_t segment;
      uint32_t flags = 0;
      hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
      if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
      hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
      if (flags == wanted_flags) found = region;
      return HSA_STATUS_SUCCESS;
    };
    hsa_agent_iterate_regions(agent, find, &wanted);
    return wanted.second;
  }
  static hsa_region_t fine(hsa_agent_t agent) {
    return region_of(agent, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED);
  }
  /// The agent's own memory is its last coarse-grained region.
  static hsa_region_t local(hsa_agent_t agent) {
    return region_of(agent, HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
  }

  static char* allocate(hsa_region_t region, size_t size) {
    void* memory = nullptr;
    EXPECT_EQ(hsa_memory_allocate(region, size, &memory), HSA_STATUS_SUCCESS);
    return static_cast<char*>(memory);
  }

  /// Returns the host's first pool.
  static hsa_amd_memory_pool_t pool() {
    hsa_amd_memory_pool_t pool = {};
    const auto find = [](hsa_amd_memory_pool_t found, void* data) {
      *static_cast<hsa_amd_memory_pool_t*>(data) = found;
      return HSA_STATUS_INFO_BREAK;
    };
    EXPECT_EQ(hsa_amd_agent_iterate_memory_pools(agent(nullptr), find, &pool), HSA_STATUS_INFO_BREAK);
    return pool;
  }
  static char* allocate(hsa_amd_memory_pool_t pool, size_t size) {
    void* memory = nullptr;
    EXPECT_EQ(hsa_amd_memory_pool_allocate(pool, size, 0, &memory), HSA_STATUS_SUCCESS);
    return static_cast<char*>(memory);
  }

  /// For a process of its own. Returns 0, or the number of the step that failed.
  static int use_pools_with_4_mib_to_lock() {
    const rlimit limit = {4 << 20, 4 << 20};
    constexpr uid_t nobody = 65534;
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || (geteuid() == 0 && setresuid(nobody, nobody, nobody) != 0))
      return 1;
    if (hsa_init() != HSA_STATUS_SUCCESS) return 2;
    void* memory[2] = {};
    if (hsa_amd_memory_pool_allocate(pool(), size_t{5} << 20, 0, memory) != HSA_STATUS_ERROR_OUT_OF_RESOURCES)
      return 3;
    // Two blocks, which are kept when they are free, and then a range that is locked in their stead.
    for (void*& block : memory)
      if (hsa_amd_memory_pool_allocate(pool(), size_t{3} << 19, 0, &block) != HSA_STATUS_SUCCESS) return 4;
    for (void* block : memory)
      if (hsa_amd_memory_pool_free(block) != HSA_STATUS_SUCCESS) return 5;
    if (hsa_amd_memory_pool_allocate(pool(), size_t{3} << 20, 0, memory) != HSA_STATUS_SUCCESS) return 6;
    if (hsa_amd_memory_pool_free(memory[0]) != HSA_STATUS_SUCCESS) return 7;
    return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 8;
  }

  /// Has the DSP add up `count` words at an address, with a queue of its own.
  Outcome sum(const void* words, uint64_t count) {
    Outcome outcome;
    std::atomic<hsa_status_t> error = HSA_STATUS_SUCCESS;
    const auto on_error = [](hsa_status_t status, hsa_queue_t*, void* data) {
      static_cast<std::atomic<hsa_status_t>*>(data)->store(status);
    };
    hsa_queue_t* queue = nullptr;
    hsa_signal_t done = {};
    auto* result = reinterpret_cast<uint64_t*>(allocate(fine(dsp_), sizeof(uint64_t)));
    EXPECT_EQ(hsa_queue_create(dsp_, 8, HSA_QUEUE_TYPE_SINGLE, on_error, &error, 0, 0, &queue),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_signal_create(1, 0, nullptr, &done), HSA_STATUS_SUCCESS);
    auto& packet = *static_cast<hsa_agent_dispatch_packet_t*>(queue->base_address);
    hsa_queue_add_write_index_relaxed(queue, 1);
    packet.type = DSP_SUM;
    packet.return_address = result;
    packet.arg[0] = reinterpret_cast<uint64_t>(words);
    packet.arg[1] = count;
    packet.completion_signal = done;
    __atomic_store_n(&packet.header, HSA_PACKET_TYPE_AGENT_DISPATCH, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, 0);
    while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, 1'000'000, HSA_WAIT_STATE_BLOCKED) !=
           0)
      if (error != HSA_STATUS_SUCCESS) break;
    outcome.error = error;
    outcome.destroyed = hsa_queue_destroy(queue);
    outcome.sum = *result;
    EXPECT_EQ(hsa_signal_destroy(done), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_memory_free(result), HSA_STATUS_SUCCESS);
    return outcome;
  }
  bool dsp_sees(const void* address) { return sum(address, 1).error == HSA_STATUS_SUCCESS; }

  hsa_agent_t host_ = {}, dsp_ = {}, recorder_ = {};
};

TEST_F(UseCase, mva_5_4_1_an_agent_hears_of_a_client_when_it_is_first_needed) {
  EXPECT_TRUE(Recorder::get().all().empty()) << "hsa_init alone needs no agent";
  hsa_signal_t signal = {};
  ASSERT_EQ(hsa_signal_create(0, 1, &recorder_, &signal), HSA_STATUS_SUCCESS);
  ASSERT_EQ(Recorder::get().all().size(), 2u);
  EXPECT_EQ(Recorder::get().all()[0].name, "client_new");
  EXPECT_EQ(Recorder::get().all()[1].name, "signal_new");
  char* memory = allocate(fine(host_), page);
  EXPECT_EQ(Recorder::get().all("client_new").size(), 1u);
  EXPECT_EQ(hsa_memory_free(memory), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_signal_destroy(signal), HSA_STATUS_SUCCESS);
}

TEST_F(UseCase, mva_5_4_2_the_shadow_page_table_goes_with_the_client) {
  const Pages pages(1);
  ASSERT_EQ(hsa_memory_register(pages.base, pages.size), HSA_STATUS_SUCCESS);
  EXPECT_TRUE(dsp_sees(pages.base));
  stop();
  EXPECT_EQ(Recorder::get().all("memory_free").size(), Recorder::get().all("memory_allocation").size());
  EXPECT_EQ(Recorder::get().all().back().name, "client_remove");
  start();
  EXPECT_FALSE(dsp_sees(pages.base)) << "the next client has not registered it";
}

TEST_F(UseCase, mva_5_4_3_fine_grained_memory_is_told_to_all_agents_and_locked_for_one_that_needs_it) {
  auto* memory = reinterpret_cast<uint32_t*>(allocate(fine(host_), page));
  const auto told = Recorder::get().all("memory_allocation");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].address, memory);
  EXPECT_EQ(told[0].size, page);
  EXPECT_EQ(told[0].detail, HSAM_SEGMENT_GLOBAL);
  EXPECT_EQ(told[0].detail2, HSAM_GLOBAL_FLAG_FINE_GRAINED);
  EXPECT_TRUE(!locks || (is_resident(memory) && is_locked(memory)));
  memory[0] = 40;
  memory[1] = 2;
  EXPECT_EQ(sum(memory, 2).sum, 42u) << "the DSP's page table shows the same memory";
  EXPECT_EQ(hsa_memory_free(memory), HSA_STATUS_SUCCESS);
  EXPECT_EQ(Recorder::get().all("memory_free").back().address, memory);
  // Other memory of the client is at the address now.
  void* const other = mmap(memory, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(other, memory);
  EXPECT_FALSE(dsp_sees(memory));
  munmap(other, page);
}

TEST_F(UseCase, mva_5_4_3_memory_of_pools_is_locked_as_long_as_it_is_allocated) {
  // A fragment of a block, and an allocation that has its memory for itself.
  for (const size_t size : {3 * page, size_t{3} << 20}) {
    for (int round = 0; round < 2; ++round) {
      char* memory = allocate(pool(), size);
      ASSERT_NE(memory, nullptr);
      EXPECT_EQ(Recorder::get().all("memory_allocation").back().address, memory);
      for (size_t at = 0; at < size; at += page)
        ASSERT_TRUE(!locks || (is_resident(memory + at) && is_locked(memory + at))) << at;
      if (size < 2 << 20) {
        EXPECT_FALSE(is_locked(memory + size)) << "nobody has allocated the page behind it";
      }
      EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_SUCCESS);
      EXPECT_FALSE(is_locked(memory)) << "the block is kept, but not locked";
    }
  }
}

TEST_F(UseCase, mva_5_4_3_what_the_process_may_not_lock_is_refused) {
  if (!locks) GTEST_SKIP() << "sanitizers replace mlock";
  const pid_t child = fork();
  if (child == 0) _exit(use_pools_with_4_mib_to_lock());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(UseCase, mva_5_4_4_coarse_grained_memory_is_acquired_by_its_first_owner) {
  char* memory = allocate(local(recorder_), 3 * page);
  const auto told = Recorder::get().all("memory_allocation");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].detail2, HSAM_GLOBAL_FLAG_COARSE_GRAINED | HSAM_GLOBAL_FLAG_OWN_REGION);
  EXPECT_EQ(hsa_memory_assign_agent(memory, recorder_, HSA_ACCESS_PERMISSION_RW), HSA_STATUS_SUCCESS);
  const auto acquired = Recorder::get().all("memory_acquire");
  ASSERT_EQ(acquired.size(), 1u);
  EXPECT_EQ(acquired[0].address, memory);
  EXPECT_EQ(acquired[0].detail, HSAM_ACCESS_PERMISSION_RW);
  EXPECT_EQ(hsa_memory_free(memory), HSA_STATUS_SUCCESS);
}

TEST_F(UseCase, mva_5_4_5_the_old_owner_releases_before_the_new_one_acquires) {
  char* memory = allocate(region_of(host_, HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED), page);
  EXPECT_EQ(hsa_memory_assign_agent(memory, host_, HSA_ACCESS_PERMISSION_RW), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_memory_assign_agent(memory, recorder_, HSA_ACCESS_PERMISSION_RO), HSA_STATUS_SUCCESS);
  EXPECT_EQ(Recorder::get().all("memory_acquire").at(0).detail, HSAM_ACCESS_PERMISSION_RO);
  EXPECT_TRUE(Recorder::get().all("memory_release").empty());
  EXPECT_EQ(hsa_memory_assign_agent(memory, host_, HSA_ACCESS_PERMISSION_RW), HSA_STATUS_SUCCESS);
  EXPECT_EQ(Recorder::get().all("memory_release").at(0).address, memory);
  EXPECT_EQ(hsa_memory_free(memory), HSA_STATUS_SUCCESS);
}

TEST_F(UseCase, mva_5_4_6_registered_memory_is_told_to_all_agents_and_locked) {
  const Pages pages(3);
  auto* words = reinterpret_cast<uint32_t*>(pages.base + 100);
  EXPECT_FALSE(dsp_sees(words));
  EXPECT_FALSE(is_resident(words));
  ASSERT_EQ(hsa_memory_register(words, page), HSA_STATUS_SUCCESS);
  EXPECT_EQ(Recorder::get().all("memory_allocation").back().detail, HSAM_SEGMENT_SYSTEM);
  EXPECT_TRUE(!locks || (is_resident(words) && is_locked(words)));
  words[0] = 42;
  EXPECT_EQ(sum(words, 1).sum, 42u);
  // Two registrations share the second page.
  ASSERT_EQ(hsa_memory_register(pages.base + page + 200, page), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_memory_deregister(words, page), HSA_STATUS_SUCCESS);
  EXPECT_FALSE(is_locked(pages.base));
  EXPECT_TRUE(!locks || is_locked(pages.base + page));
  EXPECT_FALSE(dsp_sees(words));
  EXPECT_EQ(hsa_memory_deregister(pages.base + page + 200, page), HSA_STATUS_SUCCESS);
  EXPECT_FALSE(is_locked(pages.base + page));
}

TEST_F(UseCase, mva_5_4_7_copies_are_made_by_the_owners) {
  constexpr size_t size = (size_t{18} << 20) + 4;  // more than one buffer between owners
  std::vector<uint32_t> sent(size / 4), got(size / 4);
  std::iota(sent.begin(), sent.end(), 1);
  char* in_dsp = allocate(local(dsp_), size);
  char* in_recorder = allocate(local(recorder_), size);
  const auto copies = [] { return Recorder::get().all("memory_copy").size(); };
  const auto copy = [&](void* to, const void* from) {
    const size_t before = copies();
    EXPECT_EQ(hsa_memory_copy(to, from, size), HSA_STATUS_SUCCESS);
    return copies() - before;
  };
  EXPECT_EQ(copy(got.data(), sent.data()), 0u) << "nobody owns either: the host copies";
  EXPECT_EQ(copy(in_dsp, sent.data()), 0u) << "the DSP owns one: it copies";
  EXPECT_EQ(copy(in_recorder, in_dsp), 2u) << "two owners: both copy, through a buffer, piece by piece";
  std::fill(got.begin(), got.end(), 0);
  EXPECT_EQ(copy(got.data(), in_recorder), 1u);
  EXPECT_EQ(got, sent);
  // What the host sees at the DSP's addresses is not the DSP's memory.
  EXPECT_NE(std::memcmp(in_dsp, sent.data(), size), 0);
  EXPECT_EQ(sum(in_dsp, 1000).sum, 500500u);
  // A part of an allocation, and the owner's copy within its memory.
  EXPECT_EQ(hsa_memory_copy(in_dsp + 4, in_dsp + 400, 8), HSA_STATUS_SUCCESS);
  EXPECT_EQ(sum(in_dsp, 3).sum, 1u + 101u + 102u);
  EXPECT_EQ(hsa_memory_free(in_dsp), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_memory_free(in_recorder), HSA_STATUS_SUCCESS);
}

TEST_F(UseCase, mva_5_4_7_areas_of_more_than_2_GiB_are_copied) {
  constexpr size_t size = (size_t{2} << 30) + 2 * page;
  char* memory = allocate(local(dsp_), size);
  const std::vector<uint32_t> sent(page / 2, 1);
  // Around the ends of the pieces of 1 GiB in which the agent was told of the memory.
  for (size_t end : {size_t{1} << 30, size_t{2} << 30}) {
    EXPECT_EQ(hsa_memory_copy(memory + end - page, sent.data(), 2 * page), HSA_STATUS_SUCCESS);
    EXPECT_EQ(sum(memory + end - page, page / 2).sum, page / 2);
  }
  EXPECT_EQ(hsa_memory_free(memory), HSA_STATUS_SUCCESS);
}

TEST_F(UseCase, mva_5_4_8_page_faults_of_agents_are_resolved_or_end_the_queue) {
  Recorder& recorder = Recorder::get();
  char* known = allocate(fine(host_), page);  // the recorder hears of the client
  const Pages pages(4);
  EXPECT_FALSE(is_resident(pages.base + page));
  EXPECT_EQ(recorder.driver->report_page_fault(recorder.client, recorder.id, pages.base + page + 8, 4, 1),
            HSAM_Done);
  const auto updates = recorder.all("update_range_on_agent");
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].address, pages.base + page);
  EXPECT_EQ(updates[0].size, page);
  EXPECT_EQ(updates[0].detail, HSAM_RANGE_COMMITTED);
  EXPECT_TRUE(is_resident(pages.base + page));
  EXPECT_FALSE(is_resident(pages.base + 2 * page));

  // Pages that are not there, and pages that may not be written.
  char* gone = pages.base + 3 * page;
  ASSERT_EQ(munmap(gone, page), 0);
  EXPECT_EQ(recorder.driver->report_page_fault(recorder.client, recorder.id, gone, 4, 0), HSAM_Invalid);
  ASSERT_EQ(mprotect(pages.base, page, PROT_READ), 0);
  EXPECT_EQ(recorder.driver->report_page_fault(recorder.client, recorder.id, pages.base, 4, 1), HSAM_Invalid);
  EXPECT_EQ(recorder.driver->report_page_fault(recorder.client, recorder.id, pages.base, 4, 0), HSAM_Done);
  EXPECT_EQ(recorder.driver->report_page_fault(recorder.client, recorder.id, pages.base, 0, 0), HSAM_Invalid);
  EXPECT_EQ(recorder.driver->report_page_fault(recorder.client, recorder.id, pages.base, UINT64_MAX, 0),
            HSAM_Invalid);
  EXPECT_EQ(recorder.all("update_range_on_agent").size(), 2u);

  // The DSP sends client_error for what it cannot resolve.
  const Outcome outcome = sum(pages.base, 1);
  EXPECT_EQ(outcome.error, HSA_STATUS_ERROR);
  EXPECT_EQ(outcome.destroyed, HSA_STATUS_ERROR_FATAL);
  EXPECT_EQ(hsa_memory_free(known), HSA_STATUS_SUCCESS);
}

/// The five ways to get memory for group and private segments.
TEST_F(UseCase, mva_5_4_9_segments_in_local_global_demand_paged_and_locked_memory) {
  Recorder& recorder = Recorder::get();
  const hsa_generic_driver_interface& driver = *recorder.driver;
  char* known = allocate(fine(host_), page);
  void *physical = nullptr, *shadow = nullptr, *shared = nullptr, *global = nullptr, *paged = nullptr,
       *locked = nullptr;
  // Local memory behind shadow page tables, and behind shared ones: two mappings of the same memory.
  ASSERT_EQ(driver.agent_memory_allocate_physical(recorder.client, page, &physical), HSAM_Done);
  ASSERT_EQ(driver.agent_memory_map(recorder.client, page, physical, &shadow), HSAM_Done);
  ASSERT_EQ(driver.agent_memory_map(recorder.client, page, physical, &shared), HSAM_Done);
  *static_cast<int*>(shadow) = 42;
  EXPECT_EQ(*static_cast<int*>(shared), 42);
  // Global memory.
  ASSERT_EQ(driver.agent_memory_allocate(recorder.client, page, &global), HSAM_Done);
  EXPECT_FALSE(is_resident(global));
  *static_cast<int*>(global) = 1;
  // Memory that is committed at the first access.
  ASSERT_EQ(driver.agent_memory_reserve(recorder.client, 2 * page, &paged), HSAM_Done);
  EXPECT_EQ(driver.report_page_fault(recorder.client, recorder.id, paged, 1, 1), HSAM_Done);
  EXPECT_TRUE(is_resident(paged));
  *static_cast<int*>(paged) = 1;
  EXPECT_FALSE(is_resident(static_cast<char*>(paged) + page));
  // Locked memory.
  ASSERT_EQ(driver.agent_memory_allocate_safe_to_access(recorder.client, page, &locked), HSAM_Done);
  EXPECT_TRUE(!locks || is_locked(locked));
  EXPECT_EQ(driver.agent_memory_unmap(recorder.client, shadow, page), HSAM_Done);
  EXPECT_EQ(driver.agent_memory_unmap(recorder.client, shared, page), HSAM_Done);
  EXPECT_EQ(driver.agent_memory_free_physical(recorder.client, physical, page), HSAM_Done);
  EXPECT_EQ(driver.agent_memory_free(recorder.client, global), HSAM_Done);
  EXPECT_EQ(driver.agent_memory_unreserve(recorder.client, paged, 2 * page), HSAM_Done);
  EXPECT_EQ(driver.agent_memory_free(recorder.client, locked), HSAM_Done);
  EXPECT_EQ(hsa_memory_free(known), HSA_STATUS_SUCCESS);
}

/// Agents live in the process that the system ends, so that there is nobody to tell.
TEST_F(UseCase, mva_5_4_10_a_page_fault_of_the_host_ends_the_client) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Pages pages(1);
  ASSERT_EQ(mprotect(pages.base, page, PROT_NONE), 0);
  EXPECT_DEATH(*static_cast<volatile char*>(pages.base) = 1, "");
}

TEST_F(UseCase, mva_5_4_11_agents_hear_of_changes_of_the_pages_that_they_watch) {
  Recorder& recorder = Recorder::get();
  char* known = allocate(fine(host_), page);
  const Pages pages(8);
  std::memset(pages.base, 1, pages.size);
  const HSAM_Error answer =
      recorder.driver->watch_range(recorder.client, recorder.id, pages.base + 1, 6 * page - 1);
  EXPECT_EQ(hsa_memory_free(known), HSA_STATUS_SUCCESS);
  if (answer == HSAM_Not_Supported) GTEST_SKIP() << "the system has no userfaultfd for this process";
  ASSERT_EQ(answer, HSAM_Done);
  const auto hears = [&](size_t first, size_t count, hsam_range_change change) {
    return recorder.waits_for([&](const Message& message) {
      return message.name == "update_range_on_agent" && message.address == pages.base + first * page &&
             message.size == count * page && message.detail == change;
    });
  };
  ASSERT_EQ(madvise(pages.base + page, page, MADV_DONTNEED), 0);
  EXPECT_TRUE(hears(1, 1, HSAM_RANGE_DISCARDED));
  ASSERT_EQ(munmap(pages.base + 2 * page, page), 0);
  EXPECT_TRUE(hears(2, 1, HSAM_RANGE_UNMAPPED));
  void* moved =
      mremap(pages.base + 3 * page, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, pages.base + 2 * page);
  ASSERT_EQ(moved, pages.base + 2 * page);
  EXPECT_TRUE(hears(3, 1, HSAM_RANGE_MOVED));
  // Only a part of what changes is watched.
  ASSERT_EQ(madvise(pages.base + 5 * page, 2 * page, MADV_DONTNEED), 0);
  EXPECT_TRUE(hears(5, 1, HSAM_RANGE_DISCARDED));
  // Nobody watches these any more.
  EXPECT_EQ(recorder.driver->unwatch_range(recorder.client, recorder.id, pages.base, 6 * page), HSAM_Done);
  EXPECT_EQ(recorder.driver->unwatch_range(recorder.client, recorder.id, pages.base, 6 * page), HSAM_Invalid);
  const size_t heard = recorder.all("update_range_on_agent").size();
  ASSERT_EQ(madvise(pages.base, page, MADV_DONTNEED), 0);
  ASSERT_EQ(madvise(pages.base + 7 * page, page, MADV_DONTNEED), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(recorder.all("update_range_on_agent").size(), heard);
}

TEST_F(UseCase, mva_5_4_11_only_memory_that_is_there_is_watched) {
  Recorder& recorder = Recorder::get();
  char* known = allocate(fine(host_), page);
  const Pages pages(1);
  munmap(pages.base, pages.size);
  const HSAM_Error answer = recorder.driver->watch_range(recorder.client, recorder.id, pages.base, page);
  EXPECT_TRUE(answer == HSAM_Invalid || answer == HSAM_Not_Supported) << answer;
  EXPECT_EQ(recorder.driver->watch_range(recorder.client, recorder.id, pages.base, 0), HSAM_Invalid);
  EXPECT_EQ(recorder.driver->watch_range(987654, recorder.id, known, page), HSAM_Invalid);
  EXPECT_EQ(hsa_memory_free(known), HSA_STATUS_SUCCESS);
}

/// A process asks for userfaultfd once, so that this needs one of its own.
TEST_F(UseCase, mva_5_4_11_a_lack_of_files_is_no_lack_of_support) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto body = [] {
    using heddle::runtime::test::FailingCalls;
    Recorder& recorder = Recorder::get();
    const Pages pages(1);
    const auto watch = [&] {
      return recorder.driver->watch_range(recorder.client, recorder.id, pages.base, page);
    };
    const struct {
      int error;
      HSAM_Error answer;
    } cases[] = {{EMFILE, HSAM_OutOfResources},
                 {ENOMEM, HSAM_OutOfResources},
                 {ENOSYS, HSAM_Not_Supported},
                 {EPERM, HSAM_Not_Supported}};
    for (const auto& c : cases) {
      const FailingCalls failing(SYS_userfaultfd, c.error);
      if (watch() != c.answer || FailingCalls::count() != 1) _exit(c.error);
    }
    // It works as soon as the system allows it, if it ever does.
    const HSAM_Error answer = watch();
    _exit(answer == HSAM_Done || answer == HSAM_Not_Supported ? 0 : 255);
  };
  char* known = allocate(fine(host_), page);  // the agent gets to know the client
  EXPECT_EXIT(body(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(hsa_memory_free(known), HSA_STATUS_SUCCESS);
}

TEST_F(UseCase, the_finalizer_is_not_offered_for_an_isa_that_it_does_not_know) {
  bool offered = false;
  ASSERT_EQ(hsa_system_extension_supported(HSA_EXTENSION_FINALIZER, 1, 0, &offered), HSA_STATUS_SUCCESS);
  ASSERT_TRUE(offered) << "the finalizer library is not beside the runtime";
  ASSERT_EQ(hsa_agent_extension_supported(HSA_EXTENSION_FINALIZER, dsp_, 1, 0, &offered), HSA_STATUS_SUCCESS);
  EXPECT_FALSE(offered);
  uint8_t extensions[128] = {};
  ASSERT_EQ(hsa_agent_get_info(dsp_, HSA_AGENT_INFO_EXTENSIONS, extensions), HSA_STATUS_SUCCESS);
  EXPECT_EQ(extensions[0] >> HSA_EXTENSION_FINALIZER & 1, 0);
}

}  // namespace
}  // namespace heddle::conformance

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("HEDDLE_AGENT_PATH", HEDDLE_AGENT_FOLDER, 1);
  setenv("HEDDLE_AGENTS", "cpu,tiny_dsp", 1);
  heddle::conformance::register_recorder();
  return RUN_ALL_TESTS();
}
