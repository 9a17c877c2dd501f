// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime begins and ends very often, also in the children of forks.
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

namespace heddle::stress {
namespace {

std::string text(const Use& use) {
  return std::to_string(use.resident_kib) + " KiB resident, " + std::to_string(use.allocated) +
         " bytes allocated, " + std::to_string(use.files) + " files, " + std::to_string(use.threads) +
         " threads, " + std::to_string(use.mappings) + " mappings";
}

/// One life, in which a queue, signals and packets are used now and then.
void live(uint64_t number) {
  ASSERT_SUCCESS(hsa_init());
  if (number % 64 == 0) {
    const hsa_signal_t done = signal(1);
    hsa_queue_t* made = queue(agent(number % 128 == 0 ? Kind::cpu : Kind::null), 64);
    const auto packet = barrier({0}, done);
    submit(made, &packet);
    wait_for(done, 0);
    // Half of the lives leave this to hsa_shut_down.
    if (number % 256 == 0) {
      EXPECT_SUCCESS(hsa_queue_destroy(made));
      EXPECT_SUCCESS(hsa_signal_destroy(done));
    }
  }
  ASSERT_SUCCESS(hsa_shut_down());
}

TEST(Life, ManyLivesDoNotMakeTheProcessGrow) {
  const uint64_t lives = size(5000, 1'000'000), warm_up = lives / 5;
  Use before, after;
  const Clock clock;
  for (uint64_t i = 0; i < lives; ++i) {
    if (i == warm_up) {
      before = use_of_process();
      before = use_of_process();  // the first look allocates, too
    }
    live(i);
    if (HasFatalFailure()) return;
  }
  after = use_of_process();
  note(std::to_string(lives) + " lives in " + std::to_string(clock.seconds()) + " s");
  note("after the first fifth: " + text(before));
  note("after all:             " + text(after));
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_LE(after.mappings, before.mappings + 8);
  // Caches of the allocator may still grow. A leak of 16 bytes for each life would be far more.
  EXPECT_LE(after.allocated, before.allocated + lives / 2);
#ifndef HEDDLE_SANITIZED
  EXPECT_LE(after.resident_kib, before.resident_kib + 1024);
#endif
}

/// Uses the runtime in a child, and returns what the child returns. The child has no threads but its own.
int in_child(int (*body)()) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int use_runtime() {
  if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
  const hsa_signal_t done = signal(2);
  for (const Kind kind : {Kind::cpu, Kind::null}) {
    hsa_queue_t* made = queue(agent(kind), 64);
    if (made == nullptr) return 2;
    const auto packet = barrier({0}, done);
    submit(made, &packet);
  }
  wait_for(done, 0);
  return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 3;
}

TEST(Life, ForksBeforeAndAfterTheBeginning) {
  const uint64_t forks = size(20, 1000);
  for (uint64_t i = 0; i < forks; ++i) {
    ASSERT_EQ(in_child(use_runtime), 0) << "before";
    ASSERT_SUCCESS(hsa_init());
    const hsa_signal_t done = signal(1);
    hsa_queue_t* made = queue(agent(Kind::cpu), 64);
    ASSERT_EQ(in_child([] { return hsa_shut_down() == HSA_STATUS_ERROR_NOT_INITIALIZED ? 0 : 1; }), 0);
    ASSERT_EQ(in_child(use_runtime), 0) << "after";
    // The parent goes on as if nothing had happened.
    const auto packet = barrier({0}, done);
    submit(made, &packet);
    wait_for(done, 0);
    ASSERT_SUCCESS(hsa_shut_down());
  }
}

}  // namespace
}  // namespace heddle::stress
