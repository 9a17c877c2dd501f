// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals that processes share (AMD extension). The other process is forked before or after the runtime
// starts, and gets the handle through a pipe or with its memory.
#include <hsa/hsa_ext_amd.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

constexpr auto eq = HSA_SIGNAL_CONDITION_EQ;
constexpr auto blocked = HSA_WAIT_STATE_BLOCKED;

hsa_signal_value_t wait_for(hsa_signal_t signal, hsa_signal_value_t value) {
  return hsa_signal_wait_scacquire(signal, eq, value, UINT64_MAX, blocked);
}

/// The body of another process, which initialises the runtime for itself. A failed check ends it with the
/// number of its line.
#define CHECK(condition) \
  if (!(condition)) _exit(__LINE__ % 251 + 1)

/// Another process. It gets handles through a pipe, so that it may begin before they exist.
class OtherProcess {
 public:
  explicit OtherProcess(const std::function<void(OtherProcess&)>& body) {
    EXPECT_EQ(pipe(pipe_), 0);
    child_ = fork();
    if (child_ != 0) return;
    alarm(120);
    CHECK(hsa_init() == HSA_STATUS_SUCCESS);
    body(*this);
    CHECK(hsa_shut_down() == HSA_STATUS_SUCCESS);
    _exit(0);
  }
  ~OtherProcess() {
    for (const int end : pipe_) close(end);
    int status = 0;
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "in line " << WEXITSTATUS(status) - 1;
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  void send(hsa_signal_t signal) const {
    hsa_amd_ipc_signal_t handle{};
    EXPECT_SUCCESS(hsa_amd_ipc_signal_create(signal, &handle));
    EXPECT_EQ(write(pipe_[1], &handle, sizeof handle), ssize_t{sizeof handle});
  }
  /// In the other process.
  hsa_signal_t attach() const {
    hsa_amd_ipc_signal_t handle{};
    CHECK(read(pipe_[0], &handle, sizeof handle) == sizeof handle);
    hsa_signal_t signal{};
    CHECK(hsa_amd_ipc_signal_attach(&handle, &signal) == HSA_STATUS_SUCCESS);
    return signal;
  }

 private:
  int pipe_[2] = {-1, -1};
  pid_t child_ = -1;
};

hsa_signal_t shared(hsa_signal_value_t value) {
  hsa_signal_t made{};
  EXPECT_SUCCESS(hsa_amd_signal_create(value, 0, nullptr, HSA_AMD_SIGNAL_IPC, &made));
  return made;
}

class AmdIpcSignals : public Runtime {};

/// Waits and stores work in both directions, whichever process sleeps first.
void play_ping_pong(hsa_signal_t ping, hsa_signal_t pong, int rounds, bool first) {
  for (int round = 1; round <= rounds; ++round) {
    if (first) hsa_signal_store_screlease(ping, round);
    CHECK(wait_for(first ? pong : ping, round) == round);
    if (!first) hsa_signal_store_screlease(pong, round);
  }
}

TEST(AmdIpc, WaitsAndStoresWorkBetweenProcesses) {
  constexpr int rounds = 500;
  OtherProcess other([](OtherProcess& self) {
    const hsa_signal_t ping = self.attach(), pong = self.attach();
    play_ping_pong(ping, pong, rounds, false);
    CHECK(hsa_signal_destroy(ping) == HSA_STATUS_SUCCESS);
    CHECK(hsa_signal_destroy(pong) == HSA_STATUS_SUCCESS);
    CHECK(hsa_signal_destroy(pong) == HSA_STATUS_ERROR_INVALID_SIGNAL);
  });
  ASSERT_SUCCESS(hsa_init());
  const hsa_signal_t ping = shared(0), pong = shared(0);
  other.send(ping);
  other.send(pong);
  play_ping_pong(ping, pong, rounds, true);
  EXPECT_SUCCESS(hsa_signal_destroy(ping));
  EXPECT_SUCCESS(hsa_signal_destroy(pong));
  EXPECT_SUCCESS(hsa_shut_down());
}

TEST_F(AmdIpcSignals, EachOperationIsAtomicBetweenProcesses) {
  constexpr int count = 20000;
  const hsa_signal_t sum = shared(0), ready = shared(2);
  {
    OtherProcess other([](OtherProcess& self) {
      const hsa_signal_t sum = self.attach(), ready = self.attach();
      hsa_signal_subtract_screlease(ready, 1);
      for (int i = 0; i < count; ++i) hsa_signal_add_relaxed(sum, 1);
    });
    other.send(sum);
    other.send(ready);
    EXPECT_EQ(wait_for(ready, 1), 1);
    for (int i = 0; i < count; ++i) hsa_signal_add_relaxed(sum, 1);
    EXPECT_EQ(wait_for(sum, 2 * count), 2 * count);
  }
  EXPECT_SUCCESS(hsa_signal_destroy(sum));
  EXPECT_SUCCESS(hsa_signal_destroy(ready));
}

/// All kinds of waiting see what the other process sends: a barrier packet, a copy, a handler, a wait for
/// several signals, and a group.
TEST_F(AmdIpcSignals, EveryKindOfWaitSeesTheOtherProcess) {
  const hsa_signal_t go = shared(1), go_back = shared(5);
  const hsa_signal_t barrier_done = signal(1), copy_done = signal(1), handled = signal(1);
  hsa_queue_t* q = queue();
  const uint64_t index = hsa_queue_add_write_index_relaxed(q, 1);
  auto* packet = static_cast<hsa_barrier_and_packet_t*>(q->base_address) + index;
  packet->dep_signal[0] = go;
  packet->completion_signal = barrier_done;
  __atomic_store_n(&packet->header,
                   static_cast<uint16_t>(HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE),
                   __ATOMIC_RELEASE);
  hsa_signal_store_screlease(q->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  int from = 7, to = 0;
  ASSERT_SUCCESS(hsa_amd_memory_async_copy(&to, host_, &from, host_, sizeof to, 1, &go, copy_done));
  const auto handler = [](hsa_signal_value_t, void* done) {
    hsa_signal_store_screlease(*static_cast<hsa_signal_t*>(done), 0);
    return false;
  };
  hsa_signal_t handled_argument = handled;
  ASSERT_SUCCESS(hsa_amd_signal_async_handler(go, eq, 0, handler, &handled_argument));
  std::atomic<int> waits_done{0};
  std::thread any([&] {
    hsa_signal_t both[] = {handled, go};
    hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_GTE, eq};
    hsa_signal_value_t values[] = {2, 0};
    EXPECT_EQ(hsa_amd_signal_wait_any(2, both, conditions, values, UINT64_MAX, blocked, nullptr), 1u);
    ++waits_done;
  });
  std::thread group([&] {
    hsa_signal_group_t signals{};
    EXPECT_SUCCESS(hsa_signal_group_create(1, &go, 1, &host_, &signals));
    const hsa_signal_condition_t condition = eq;
    const hsa_signal_value_t zero = 0;
    hsa_signal_t which{};
    hsa_signal_value_t value = 1;
    EXPECT_SUCCESS(hsa_signal_group_wait_any_scacquire(signals, &condition, &zero, blocked, &which, &value));
    EXPECT_EQ(which.handle, go.handle);
    EXPECT_SUCCESS(hsa_signal_group_destroy(signals));
    ++waits_done;
  });
  {
    OtherProcess other([](OtherProcess& self) {
      const hsa_signal_t go = self.attach(), go_back = self.attach();
      CHECK(wait_for(go_back, 6) == 6);
      hsa_signal_subtract_screlease(go, 1);
    });
    other.send(go);
    other.send(go_back);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until most of the waits have begun
    EXPECT_EQ(hsa_signal_load_scacquire(copy_done), 1);
    hsa_signal_add_screlease(go_back, 1);
    EXPECT_EQ(wait_for(barrier_done, 0), 0);
    EXPECT_EQ(wait_for(copy_done, 0), 0);
    EXPECT_EQ(wait_for(handled, 0), 0);
    any.join();
    group.join();
  }
  EXPECT_EQ(to, 7);
  EXPECT_EQ(waits_done, 2);
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  for (hsa_signal_t s : {go, go_back, barrier_done, copy_done, handled})
    EXPECT_SUCCESS(hsa_signal_destroy(s));
}

TEST_F(AmdIpcSignals, AHandlePassesThroughAThirdProcess) {
  const hsa_signal_t done = shared(2);
  hsa_amd_ipc_signal_t handle{};
  ASSERT_SUCCESS(hsa_amd_ipc_signal_create(done, &handle));
  const int code = in_child([&] {
    alarm(60);
    hsa_signal_t mine{};
    if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
    if (hsa_amd_ipc_signal_attach(&handle, &mine) != HSA_STATUS_SUCCESS) return 2;
    hsa_amd_ipc_signal_t again{};
    if (hsa_amd_ipc_signal_create(mine, &again) != HSA_STATUS_SUCCESS) return 3;
    const int third = in_child([&] {
      hsa_signal_t theirs{};
      if (hsa_init() != HSA_STATUS_SUCCESS) return 4;
      if (hsa_amd_ipc_signal_attach(&again, &theirs) != HSA_STATUS_SUCCESS) return 5;
      hsa_signal_subtract_screlease(theirs, 1);
      return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 6;
    });
    if (third != 0) return third;
    hsa_signal_subtract_screlease(mine, 1);
    return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 7;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(hsa_signal_load_scacquire(done), 0);
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

TEST_F(AmdIpcSignals, AttachingInTheSameProcess) {
  const hsa_signal_t s = shared(1);
  hsa_amd_ipc_signal_t handle{};
  ASSERT_SUCCESS(hsa_amd_ipc_signal_create(s, &handle));
  hsa_signal_t again{};
  ASSERT_SUCCESS(hsa_amd_ipc_signal_attach(&handle, &again));
  hsa_signal_store_screlease(again, 4);
  EXPECT_EQ(hsa_signal_load_scacquire(s), 4);
  EXPECT_SUCCESS(hsa_signal_destroy(s));
  EXPECT_EQ(hsa_signal_load_scacquire(again), 4);
  EXPECT_SUCCESS(hsa_signal_destroy(again));
  EXPECT_EQ(hsa_signal_destroy(again), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_amd_ipc_signal_attach(&handle, &again), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// A handler stays as long as the process uses the signal at all.
TEST_F(AmdIpcSignals, AHandlerOutlivesOneOfSeveralUses) {
  const hsa_signal_t s = shared(1);
  hsa_amd_ipc_signal_t handle{};
  ASSERT_SUCCESS(hsa_amd_ipc_signal_create(s, &handle));
  hsa_signal_t again{}, called{};
  ASSERT_SUCCESS(hsa_amd_ipc_signal_attach(&handle, &again));
  ASSERT_SUCCESS(hsa_signal_create(0, 0, nullptr, &called));
  const auto note = [](hsa_signal_value_t value, void* data) {
    hsa_signal_store_screlease(*static_cast<hsa_signal_t*>(data), value);
    return false;
  };
  ASSERT_SUCCESS(hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_EQ, 7, note, &called));
  EXPECT_SUCCESS(hsa_signal_destroy(s));
  hsa_signal_store_screlease(again, 7);
  constexpr uint64_t patience = uint64_t{60} * 100'000'000;  // ticks of 10 ns
  EXPECT_EQ(hsa_signal_wait_scacquire(called, HSA_SIGNAL_CONDITION_EQ, 7, patience, HSA_WAIT_STATE_BLOCKED),
            7);
  EXPECT_SUCCESS(hsa_signal_destroy(again));
  EXPECT_SUCCESS(hsa_signal_destroy(called));
}

TEST_F(AmdIpcSignals, WrongHandlesAreRefused) {
  hsa_signal_t made{};
  const hsa_signal_t s = shared(1), ordinary = signal(1);
  hsa_amd_ipc_signal_t handle{};
  EXPECT_EQ(hsa_amd_ipc_signal_create(ordinary, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_signal_create({0}, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_signal_create(s, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_signal_attach(nullptr, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_SUCCESS(hsa_amd_ipc_signal_create(s, &handle));
  EXPECT_EQ(hsa_amd_ipc_signal_attach(&handle, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_amd_ipc_signal_t good = handle;
  // Each word matters but for the process and the file of a segment that is mapped already, and the unused
  // one.
  for (const int word : {0, 3, 4, 6, 7})
    for (const uint32_t change : {1u, 0x80000000u, UINT32_MAX}) {
      handle = good;
      handle.handle[word] ^= change;
      EXPECT_EQ(hsa_amd_ipc_signal_attach(&handle, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT) << word;
    }
  // Files of other kinds are neither mapped nor read: what the process has open, and what does not exist.
  for (uint32_t file = 0; file < 64; ++file) {
    handle = good;
    handle.handle[2] = file;
    handle.handle[6] ^= 1;
    EXPECT_EQ(hsa_amd_ipc_signal_attach(&handle, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_SUCCESS(hsa_signal_destroy(s));
  EXPECT_SUCCESS(hsa_signal_destroy(ordinary));
}

/// Programs that only look what there is do not fill the standard error output.
TEST_F(AmdIpcSignals, CallsThatAreRefusedAreNoErrorsInTheLog) {
  if (std::getenv("HEDDLE_LOG") != nullptr) GTEST_SKIP() << "HEDDLE_LOG is set";
  const hsa_signal_t s = shared(1);
  hsa_amd_ipc_signal_t handle{};
  ASSERT_SUCCESS(hsa_amd_ipc_signal_create(s, &handle));
  EXPECT_SUCCESS(hsa_signal_destroy(s));
  testing::internal::CaptureStderr();
  for (size_t i = 0; i < sizeof handle; i += 4) {
    hsa_amd_ipc_signal_t wrong = handle;
    reinterpret_cast<unsigned char*>(&wrong)[i] ^= 0x40;
    hsa_signal_t attached{};
    EXPECT_NE(hsa_amd_ipc_signal_attach(&wrong, &attached), HSA_STATUS_SUCCESS);
  }
  hsa_queue_t* queue = nullptr;
  EXPECT_EQ(hsa_queue_create(host_, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
            HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  EXPECT_EQ(hsa_queue_create(kernel_agent_, 1u << 30, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_signal_t none{0};
  hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
  hsa_signal_value_t value = 0;
  EXPECT_EQ(hsa_amd_signal_wait_any(1, &none, &condition, &value, 0, HSA_WAIT_STATE_ACTIVE, nullptr),
            UINT32_MAX);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

/// A process that has no descriptor left can neither create nor attach signals; later it can.
TEST_F(AmdIpcSignals, WithoutDescriptors) {
  const hsa_signal_t s = shared(1);
  hsa_amd_ipc_signal_t handle{};
  ASSERT_SUCCESS(hsa_amd_ipc_signal_create(s, &handle));
  const int code = in_child([&] {
    alarm(60);
    hsa_signal_t made{};
    if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{0, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    const hsa_status_t exhausted = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_IPC, &made) != exhausted) return 2;
    if (hsa_amd_ipc_signal_attach(&handle, &made) != exhausted) return 3;
    setrlimit(RLIMIT_NOFILE, &before);
    if (hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_IPC, &made) != HSA_STATUS_SUCCESS) return 4;
    if (hsa_amd_ipc_signal_attach(&handle, &made) != HSA_STATUS_SUCCESS) return 5;
    return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 6;
  });
  EXPECT_EQ(code, 0);
  EXPECT_SUCCESS(hsa_signal_destroy(s));
}

/// More signals than a segment holds, created and destroyed in another order; their memory is used again.
TEST_F(AmdIpcSignals, ManySignals) {
  for (int round = 0; round < 3; ++round) {
    std::vector<hsa_signal_t> signals;
    for (int i = 0; i < 2500; ++i) signals.push_back(shared(i));
    for (int i = 0; i < 2500; ++i) EXPECT_EQ(hsa_signal_load_relaxed(signals[i]), i);
    for (int i = 0; i < 2500; i += 2) EXPECT_SUCCESS(hsa_signal_destroy(signals[i]));
    for (int i = 2499; i > 0; i -= 2) EXPECT_SUCCESS(hsa_signal_destroy(signals[i]));
  }
}

/// A process that attaches signals of many others, one after the other, does not run out of addresses.
TEST_F(AmdIpcSignals, ProcessesThatEndLeaveNothingBehind) {
  for (int round = 0; round < 20; ++round) {
    int to_parent[2];
    ASSERT_EQ(pipe(to_parent), 0);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      CHECK(hsa_init() == HSA_STATUS_SUCCESS);
      const hsa_signal_t s = shared(1);
      hsa_amd_ipc_signal_t handle{};
      CHECK(hsa_amd_ipc_signal_create(s, &handle) == HSA_STATUS_SUCCESS);
      CHECK(write(to_parent[1], &handle, sizeof handle) == sizeof handle);
      CHECK(wait_for(s, 2) == 2);
      _exit(0);  // without destroying anything
    }
    hsa_amd_ipc_signal_t handle{};
    ASSERT_EQ(read(to_parent[0], &handle, sizeof handle), ssize_t{sizeof handle});
    hsa_signal_t s{};
    ASSERT_SUCCESS(hsa_amd_ipc_signal_attach(&handle, &s));
    hsa_signal_store_screlease(s, 2);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(hsa_signal_load_scacquire(s), 2);  // outlives the process that created it
    EXPECT_SUCCESS(hsa_signal_destroy(s));
    for (const int end : to_parent) close(end);
  }
}

}  // namespace
}  // namespace heddle::runtime::test
