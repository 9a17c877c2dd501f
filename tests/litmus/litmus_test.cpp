// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Litmus tests between work-groups of one kernel, between kernels on different queues, and between a kernel
// and the host. HEDDLE_LITMUS_ROUNDS sets the rounds of each (default 100,000 on the CPU agent); outcomes
// that the model only allows are not looked for.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "kernels.h"
#include "tools/session.h"
#include "tools/toolchain.h"

namespace heddle::testing {
namespace {

using namespace heddle::tools;

constexpr size_t line = 64;  ///< bytes between the locations of two rounds
constexpr uint32_t rounds_at_once = 10000;

uint32_t rounds_of(const std::string& agent) {
  const char* text = std::getenv("HEDDLE_LITMUS_ROUNDS");
  const auto rounds = text != nullptr ? std::strtoul(text, nullptr, 10) : 0;
  const uint32_t wanted = rounds != 0 ? static_cast<uint32_t>(rounds) : 100000;
  return agent == "cpu" ? wanted : wanted / 20;
}

struct Arguments {
  uint64_t x, y, results, start;
  uint32_t players, rounds, first, unused;
};

/// The code of one test on one agent, and memory for `rounds_at_once` rounds.
class Arena {
 public:
  Arena(const Litmus& test, const std::string& agent_name) : roles_(test.bodies.size()) {
    auto agent = find_kernel_agent(agent_name);
    if (!agent) throw std::runtime_error(agent.error().message);
    agent_ = *agent;
    load(litmus_kernel(test));
    x_ = allocate(rounds_at_once * line);
    y_ = allocate(rounds_at_once * line);
    results_ = allocate(roles_ * rounds_at_once * 8);
    start_ = allocate(line);
  }

  void reset() {
    for (Memory* memory : {&*x_, &*y_, &*results_, &*start_}) {
      std::memset(memory->address(), 0, memory->bytes().size());
    }
  }

  /// Plays roles [first, first + count), each as one work-group of one work-item, and waits for them.
  void play(uint32_t first, uint32_t count) {
    auto kernarg = Memory::allocate(agent_.kernarg, sizeof(Arguments));
    ASSERT_TRUE(kernarg);
    const Arguments arguments{address(*x_),
                              address(*y_),
                              address(*results_),
                              address(*start_),
                              static_cast<uint32_t>(roles_),
                              rounds_at_once,
                              first,
                              0};
    std::memcpy(kernarg->address(), &arguments, sizeof arguments);
    auto dispatcher = Dispatcher::create(agent_);
    ASSERT_TRUE(dispatcher);
    Extent grid, group;
    grid.size[0] = count;
    grid.dimensions = group.dimensions = 1;
    auto done = (*dispatcher)->run(*kernel_, grid, group, 0, 0, kernarg->address(), 120);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
  }

  /// The host's part of the start.
  void meet() {
    counter().fetch_add(1);
    while (counter().load() < roles_) std::this_thread::yield();
  }
  /// The host's part of what stands before each round.
  void meet(uint32_t round) {
    counter().fetch_add(1, std::memory_order_relaxed);
    const auto wanted = static_cast<uint32_t>(roles_) * (round + 2);
    for (int i = 0; i < 100 && counter().load(std::memory_order_relaxed) < wanted; ++i) {
    }
  }
  /// A word for the tests' own use.
  std::atomic<uint32_t>& word() { return *(reinterpret_cast<std::atomic<uint32_t>*>(start_->address()) + 1); }
  std::atomic<uint32_t>& x(uint32_t round) { return location(*x_, round); }
  std::atomic<uint32_t>& y(uint32_t round) { return location(*y_, round); }
  uint32_t (*results(uint32_t role))[2] {
    return reinterpret_cast<uint32_t (*)[2]>(results_->address()) + size_t{role} * rounds_at_once;
  }

  unsigned count_forbidden(const Litmus& test) {
    unsigned count = 0;
    for (uint32_t round = 0; round < rounds_at_once; ++round) {
      uint32_t outcome[4][2] = {};
      for (uint32_t role = 0; role < roles_; ++role) std::memcpy(outcome[role], results(role)[round], 8);
      count += test.forbidden(outcome);
    }
    return count;
  }

 private:
  std::atomic<uint32_t>& counter() { return *reinterpret_cast<std::atomic<uint32_t>*>(start_->address()); }
  static uint64_t address(const Memory& memory) { return reinterpret_cast<uint64_t>(memory.address()); }
  static std::atomic<uint32_t>& location(const Memory& memory, uint32_t round) {
    return *reinterpret_cast<std::atomic<uint32_t>*>(memory.bytes().data() + round * line);
  }

  void load(const std::string& text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    auto module = make_module("litmus.hsail", {bytes, bytes + text.size()});
    if (!module) throw std::runtime_error(module.error().message);
    auto program = Program::create({&*module, 1});
    auto shared = program->finalize(HSAIL_CODE_OBJECT_PROGRAM, agent_.isa_name, "");
    auto own = program->finalize(HSAIL_CODE_OBJECT_AGENT, agent_.isa_name, "");
    if (!shared || !own) throw std::runtime_error("the kernel does not finalize");
    program_code_ = std::move(*shared);
    agent_code_ = std::move(*own);
    auto loaded =
        LoadedProgram::load(agent_, program->header().profile, program_code_.bytes(), agent_code_.bytes());
    if (!loaded) throw std::runtime_error(loaded.error().message);
    loaded_ = std::move(*loaded);
    auto kernel = loaded_->kernel("&k");
    if (!kernel) throw std::runtime_error(kernel.error().message);
    kernel_ = *kernel;
  }
  std::optional<Memory> allocate(size_t size) {
    auto memory = Memory::allocate(agent_.memory, size);
    if (!memory) throw std::runtime_error(memory.error().message);
    return std::move(*memory);
  }

  size_t roles_;
  KernelAgent agent_;
  Blob program_code_, agent_code_;
  std::optional<LoadedProgram> loaded_;
  std::optional<KernelInfo> kernel_;
  std::optional<Memory> x_, y_, results_, start_;
};

class LitmusTest : public ::testing::TestWithParam<std::string> {};

TEST_P(LitmusTest, BetweenWorkGroups) {
  for (const Litmus& test : all_litmus_tests()) {
    Arena arena(test, GetParam());
    unsigned forbidden = 0;
    for (uint32_t done = 0; done < rounds_of(GetParam()); done += rounds_at_once) {
      arena.reset();
      arena.play(0, static_cast<uint32_t>(test.bodies.size()));
      if (HasFailure()) return;
      forbidden += arena.count_forbidden(test);
    }
    EXPECT_EQ(forbidden, 0u) << test.name;
  }
}

TEST_P(LitmusTest, BetweenKernelsOnTheirOwnQueues) {
  for (const Litmus& test : all_litmus_tests()) {
    Arena arena(test, GetParam());
    unsigned forbidden = 0;
    for (uint32_t done = 0; done < rounds_of(GetParam()); done += rounds_at_once) {
      arena.reset();
      std::vector<std::thread> players;
      for (uint32_t role = 0; role < test.bodies.size(); ++role) {
        players.emplace_back([&arena, role] { arena.play(role, 1); });
      }
      for (std::thread& player : players) player.join();
      if (HasFailure()) return;
      forbidden += arena.count_forbidden(test);
    }
    EXPECT_EQ(forbidden, 0u) << test.name;
  }
}

const Litmus& named(const std::vector<Litmus>& tests, const std::string& name) {
  for (const Litmus& test : tests) {
    if (test.name == name) return test;
  }
  throw std::runtime_error("no test " + name);
}

/// The kernel plays one role of the test, the host the other.
template <typename Host>
void with_host(const std::string& agent, const std::string& name, uint32_t kernel_role, Host host) {
  const std::vector<Litmus> tests = all_litmus_tests();
  const Litmus& test = named(tests, name);
  Arena arena(test, agent);
  unsigned forbidden = 0;
  for (uint32_t done = 0; done < rounds_of(agent); done += rounds_at_once) {
    arena.reset();
    std::thread player([&] { arena.play(kernel_role, 1); });
    arena.meet();
    for (uint32_t round = 0; round < rounds_at_once; ++round) {
      arena.meet(round);
      host(arena, round);
    }
    player.join();
    if (::testing::Test::HasFailure()) return;
    forbidden += arena.count_forbidden(test);
  }
  EXPECT_EQ(forbidden, 0u) << name << ", the kernel in role " << kernel_role;
}

TEST_P(LitmusTest, TheHostPublishes) {
  for (const char* name : {"message_passing_atomics_system", "message_passing_fences_system"}) {
    with_host(GetParam(), name, 1, [](Arena& arena, uint32_t round) {
      arena.x(round).store(1, std::memory_order_relaxed);
      arena.y(round).store(1, std::memory_order_release);
    });
  }
}

TEST_P(LitmusTest, TheHostObserves) {
  for (const char* name : {"message_passing_atomics_system", "message_passing_fences_system"}) {
    with_host(GetParam(), name, 0, [](Arena& arena, uint32_t round) {
      auto& results = arena.results(1)[round];
      results[0] = arena.y(round).load(std::memory_order_acquire);
      results[1] = arena.x(round).load(std::memory_order_relaxed);
    });
  }
}

TEST_P(LitmusTest, HostAndKernelSeeOneOfTheirStores) {
  for (const char* name : {"store_buffering_atomics_system", "store_buffering_fences_system"}) {
    with_host(GetParam(), name, 0, [](Arena& arena, uint32_t round) {
      arena.y(round).store(1, std::memory_order_seq_cst);
      arena.results(1)[round][0] = arena.x(round).load(std::memory_order_seq_cst);
    });
  }
}

/// Concurrent read-modify-writes of kernel and host lose nothing.
TEST_P(LitmusTest, HostAndKernelCountTogether) {
  const Litmus test{"count",
                    {"  atomicnoret_add_global_rlx_system_u32 [$d3+4], 1;\n"},
                    [](const uint32_t (*)[2]) { return false; }};
  Arena arena(Litmus{test.name, {test.bodies[0], test.bodies[0]}, test.forbidden}, GetParam());
  arena.reset();
  std::thread player([&] { arena.play(0, 1); });
  arena.meet();
  std::atomic<uint32_t>& counter = arena.word();
  for (uint32_t round = 0; round < rounds_at_once; ++round) counter.fetch_add(1, std::memory_order_relaxed);
  player.join();
  EXPECT_EQ(counter.load(), 2 * rounds_at_once);
}

INSTANTIATE_TEST_SUITE_P(Agents, LitmusTest, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace heddle::testing

int main(int argc, char** argv) {
  setenv("HEDDLE_AGENTS", "cpu,interpreter", 1);
  ::testing::InitGoogleTest(&argc, argv);
  auto session = heddle::tools::Session::open();
  if (!session) {
    std::fprintf(stderr, "%s\n", session.error().message.c_str());
    return 1;
  }
  return RUN_ALL_TESTS();
}
