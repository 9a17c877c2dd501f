// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes that are killed while they use shared signals or memory (AMD extension). The others go on, and
// nothing with a name is left behind.
#include <hsa/hsa_ext_amd.h>
#include <sys/mman.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <new>
#include <set>
#include <string>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

constexpr auto blocked = HSA_WAIT_STATE_BLOCKED;

/// What processes tell each other, in memory that they share without the runtime.
struct Board {
  hsa_amd_ipc_signal_t signal{};
  hsa_amd_ipc_memory_t memory{};
  std::atomic<int> stage{0};
};

/// A process with a runtime of its own. A failed check ends it with the number of its line.
class Process {
 public:
  explicit Process(const std::function<void()>& body) {
    child_ = fork();
    if (child_ != 0) return;
    alarm(120);
    if (hsa_init() != HSA_STATUS_SUCCESS) _exit(1);
    body();
    _exit(hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 2);
  }
  ~Process() { EXPECT_EQ(child_, -1) << "nobody has waited for the process"; }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void kill() {
    ::kill(child_, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(end()));
  }
  void expect_success() {
    const int status = end();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "in line " << WEXITSTATUS(status);
  }

 private:
  int end() {
    int status = 0;
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    child_ = -1;
    return status;
  }
  pid_t child_ = -1;
};

#define CHECK(condition) \
  if (!(condition)) _exit(__LINE__ % 251 + 3)

/// The names below /dev/shm, where shared memory with names lies.
std::set<std::string> names() {
  std::set<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", error))
    if (entry.path().filename().string().find("heddle") != std::string::npos) found.insert(entry.path());
  return found;
}

class IpcDeath : public Runtime {
 protected:
  void SetUp() override {
    void* shared = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    board_ = new (shared) Board;
    before_ = names();
    Runtime::SetUp();
  }
  void TearDown() override {
    Runtime::TearDown();
    EXPECT_EQ(names(), before_) << "names are left";
    munmap(board_, sizeof(Board));
  }
  void reaches(int stage) const {
    while (board_->stage.load() < stage) usleep(100);
  }
  hsa_signal_t attach() const {
    hsa_signal_t attached{};
    CHECK(hsa_amd_ipc_signal_attach(&board_->signal, &attached) == HSA_STATUS_SUCCESS);
    return attached;
  }
  hsa_signal_t create_shared(hsa_signal_value_t value) {
    hsa_signal_t made{};
    EXPECT_SUCCESS(hsa_amd_signal_create(value, 0, nullptr, HSA_AMD_SIGNAL_IPC, &made));
    EXPECT_SUCCESS(hsa_amd_ipc_signal_create(made, &board_->signal));
    return made;
  }
  /// Two processes still wait for each other on the signal.
  void expect_usable(hsa_signal_t signal) {
    hsa_signal_store_screlease(signal, 1);
    Process other([&] {
      const hsa_signal_t attached = attach();
      CHECK(hsa_signal_wait_scacquire(attached, HSA_SIGNAL_CONDITION_EQ, 2, UINT64_MAX, blocked) == 2);
      hsa_signal_store_screlease(attached, 3);
      CHECK(hsa_signal_destroy(attached) == HSA_STATUS_SUCCESS);
    });
    hsa_signal_store_screlease(signal, 2);
    EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 3, UINT64_MAX, blocked), 3);
    other.expect_success();
  }
  /// A pool of the host in this process: another one has handles of its own.
  static hsa_amd_memory_pool_t pool() {
    std::vector<hsa_agent_t> agents;
    EXPECT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
    std::vector<hsa_amd_memory_pool_t> pools;
    EXPECT_SUCCESS(hsa_amd_agent_iterate_memory_pools(agents.at(0), collect<hsa_amd_memory_pool_t>, &pools));
    return pools.at(0);
  }
  Board* board_ = nullptr;
  std::set<std::string> before_;
};

TEST_F(IpcDeath, AProcessIsKilledWhileItWaits) {
  const hsa_signal_t signal = create_shared(0);
  for (int round = 1; round <= 5; ++round) {
    Process waiting([&] {
      const hsa_signal_t attached = attach();
      board_->stage.store(round);
      hsa_signal_wait_scacquire(attached, HSA_SIGNAL_CONDITION_EQ, 1000, UINT64_MAX, blocked);
    });
    reaches(round);
    waiting.kill();
    expect_usable(signal);
  }
  EXPECT_SUCCESS(hsa_signal_destroy(signal));
}

TEST_F(IpcDeath, AProcessIsKilledWhileItSends) {
  const hsa_signal_t signal = create_shared(0);
  for (int round = 0; round < 5; ++round) {
    hsa_signal_store_screlease(signal, 0);
    Process sending([&] {
      const hsa_signal_t attached = attach();
      for (;;) hsa_signal_add_scacq_screl(attached, 1);
    });
    // While this thread waits, each send wakes it.
    EXPECT_GE(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_GTE, 5000, UINT64_MAX, blocked), 5000);
    sending.kill();
    expect_usable(signal);
  }
  EXPECT_SUCCESS(hsa_signal_destroy(signal));
}

TEST_F(IpcDeath, TheCreatorOfASignalIsKilled) {
  Process creator([&] {
    hsa_signal_t made{};
    CHECK(hsa_amd_signal_create(7, 0, nullptr, HSA_AMD_SIGNAL_IPC, &made) == HSA_STATUS_SUCCESS);
    CHECK(hsa_amd_ipc_signal_create(made, &board_->signal) == HSA_STATUS_SUCCESS);
    board_->stage.store(1);
    for (;;) hsa_signal_wait_scacquire(made, HSA_SIGNAL_CONDITION_EQ, -1, UINT64_MAX, blocked);
  });
  reaches(1);
  hsa_signal_t attached{};
  ASSERT_SUCCESS(hsa_amd_ipc_signal_attach(&board_->signal, &attached));
  creator.kill();
  EXPECT_EQ(hsa_signal_load_scacquire(attached), 7);
  hsa_signal_store_screlease(attached, 8);
  EXPECT_EQ(hsa_signal_wait_scacquire(attached, HSA_SIGNAL_CONDITION_EQ, 8, UINT64_MAX, blocked), 8);
  Process late([&] {
    hsa_signal_t none{};
    CHECK(hsa_amd_ipc_signal_attach(&board_->signal, &none) == HSA_STATUS_ERROR_INVALID_ARGUMENT);
  });
  late.expect_success();
  EXPECT_SUCCESS(hsa_signal_destroy(attached));
}

TEST_F(IpcDeath, AProcessIsKilledThatHasMemoryAttached) {
  constexpr size_t size = 4 << 20;
  void* memory = nullptr;
  ASSERT_SUCCESS(hsa_amd_memory_pool_allocate(pool(), size, 0, &memory));
  std::memset(memory, 1, size);
  ASSERT_SUCCESS(hsa_amd_ipc_memory_create(memory, size, &board_->memory));
  Process user([&] {
    void* mapped = nullptr;
    CHECK(hsa_amd_ipc_memory_attach(&board_->memory, size, 0, nullptr, &mapped) == HSA_STATUS_SUCCESS);
    board_->stage.store(1);
    for (volatile char* at = static_cast<char*>(mapped);;) *at = 2;
  });
  reaches(1);
  user.kill();
  // What it has not detached stays reserved; everything else goes on.
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  for (int round = 0; round < 20; ++round) {
    ASSERT_SUCCESS(hsa_amd_memory_pool_allocate(pool(), size, 0, &memory));
    std::memset(memory, 3, size);
    ASSERT_SUCCESS(hsa_amd_ipc_memory_create(memory, size, &board_->memory));
    Process other([&] {
      void* mapped = nullptr;
      CHECK(hsa_amd_ipc_memory_attach(&board_->memory, size, 0, nullptr, &mapped) == HSA_STATUS_SUCCESS);
      CHECK(static_cast<char*>(mapped)[size - 1] == 3);
      CHECK(hsa_amd_ipc_memory_detach(mapped) == HSA_STATUS_SUCCESS);
    });
    other.expect_success();
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  }
}

TEST_F(IpcDeath, TheOwnerOfMemoryIsKilled) {
  constexpr size_t size = 1 << 20;
  Process owner([&] {
    void* memory = nullptr;
    CHECK(hsa_amd_memory_pool_allocate(pool(), size, 0, &memory) == HSA_STATUS_SUCCESS);
    std::memset(memory, 5, size);
    CHECK(hsa_amd_ipc_memory_create(memory, size, &board_->memory) == HSA_STATUS_SUCCESS);
    board_->stage.store(1);
    for (;;) pause();
  });
  reaches(1);
  void* mapped = nullptr;
  ASSERT_SUCCESS(hsa_amd_ipc_memory_attach(&board_->memory, size, 0, nullptr, &mapped));
  owner.kill();
  EXPECT_EQ(static_cast<char*>(mapped)[size - 1], 5);
  static_cast<char*>(mapped)[0] = 6;
  void* again = nullptr;
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&board_->memory, size, 0, nullptr, &again),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_ipc_memory_detach(mapped));
}

/// Handles from anywhere: a place far behind the end of the file is none.
TEST_F(IpcDeath, HandlesWithImpossiblePlacesAreInvalid) {
  void* memory = nullptr;
  ASSERT_SUCCESS(hsa_amd_memory_pool_allocate(pool(), 4096, 0, &memory));
  ASSERT_SUCCESS(hsa_amd_ipc_memory_create(memory, 4096, &board_->memory));
  const hsa_amd_ipc_memory_t right = board_->memory;
  constexpr size_t words = sizeof(right) / sizeof(uint64_t);
  for (size_t word = 1; word < words; ++word)
    for (const uint64_t value : {UINT64_MAX - 4095, UINT64_MAX - 31, UINT64_MAX / 2 + 1}) {
      hsa_amd_ipc_memory_t wrong = right;
      std::memcpy(reinterpret_cast<char*>(&wrong) + word * sizeof value, &value, sizeof value);
      void* mapped = nullptr;
      const hsa_status_t status = hsa_amd_ipc_memory_attach(&wrong, 4096, 0, nullptr, &mapped);
      // The last word is a size, which nothing is taken from.
      if (status == HSA_STATUS_SUCCESS)
        EXPECT_SUCCESS(hsa_amd_ipc_memory_detach(mapped));
      else
        EXPECT_EQ(status, HSA_STATUS_ERROR_INVALID_ARGUMENT) << word << " " << std::hex << value;
    }
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

}  // namespace
}  // namespace heddle::runtime::test
