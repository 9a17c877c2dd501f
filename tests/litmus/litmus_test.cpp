// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Litmus tests between work-groups of one kernel, between kernels on different queues, between waves of one
// work-group, between lanes of one wave, and between a kernel and the host. HEDDLE_LITMUS_ROUNDS sets the
// number of rounds of each test on the agent for compiled code; the interpreter runs a twentieth of it. That
// agent is the CPU agent, or the one that HEDDLE_TEST_AGENT names. The tests do not look for outcomes that
// the model allows.
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

/// The rounds of each test without HEDDLE_LITMUS_ROUNDS. If the release and acquire of a store buffering test
/// are left out, some in a hundred of its rounds between two queues have the forbidden outcome, so that
/// thousands are enough.
constexpr uint32_t between_groups = 4000, within_groups = 2000;

uint32_t rounds_of(const std::string& agent, uint32_t usual) {
  const char* text = std::getenv("HEDDLE_LITMUS_ROUNDS");
  const auto rounds = text != nullptr ? std::strtoul(text, nullptr, 10) : 0;
  const uint32_t wanted = rounds != 0 ? static_cast<uint32_t>(rounds) : usual;
  return agent != "interpreter" ? wanted : std::max(wanted / 20, 1u);
}

/// The agent that executes compiled code here.
std::string compiled_agent() {
  const char* name = std::getenv("HEDDLE_TEST_AGENT");
  return name != nullptr && *name != '\0' ? name : "cpu";
}

/// Returns one of the two agents that execute kernels. The interpreter is the one whose ISA is HSAIL.
KernelAgent agent_named(const std::string& name) {
  for (const KernelAgent& agent : kernel_agents()) {
    if (agent.isa_name.starts_with("heddle:hsail") == (name == "interpreter")) return agent;
  }
  throw std::runtime_error("no agent " + name);
}

uint32_t wave_size_of(const KernelAgent& agent) {
  hsa_wavefront_t wavefront = {};
  const auto take = [](hsa_wavefront_t found, void* to) {
    *static_cast<hsa_wavefront_t*>(to) = found;
    return HSA_STATUS_SUCCESS;
  };
  uint32_t size = 0;
  EXPECT_EQ(hsa_isa_iterate_wavefronts(agent.isa, take, &wavefront), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_wavefront_get_info(wavefront, HSA_WAVEFRONT_INFO_SIZE, &size), HSA_STATUS_SUCCESS);
  return size;
}

struct Arguments {
  uint64_t x, y, results, start;
  uint32_t players, rounds, first, unused;
};

/// The code of one test on one agent, and memory for the rounds of one dispatch.
class Arena {
 public:
  /// `rounds` is the total number of rounds; several dispatches share them if one cannot have so many.
  Arena(const Litmus& test, const std::string& agent_name, uint32_t rounds, const Setting& setting = {})
      : test_(test), players_(setting.players), roles_(test.bodies.size()) {
    agent_ = agent_named(agent_name);
    load(litmus_kernel(test, setting));
    times_ = (rounds + rounds_max - 1) / rounds_max;
    rounds_ = rounds / times_;
    x_ = allocate(rounds_ * line);
    y_ = allocate(rounds_ * line);
    results_ = allocate(roles_ * rounds_ * 8);
    start_ = allocate(line);
  }

  /// Runs all rounds; each call of `play_once` plays every role for the rounds of one dispatch.
  template <typename Play>
  void expect_no_forbidden_outcome(Play play_once) {
    unsigned forbidden = 0;
    for (uint32_t time = 0; time < times_; ++time) {
      reset();
      play_once();
      if (::testing::Test::HasFailure()) return;
      forbidden += count_forbidden();
    }
    EXPECT_EQ(forbidden, 0u) << test_.name << ", of " << uint64_t{times_} * rounds_;
  }
  uint32_t rounds() const { return rounds_; }

  void reset() {
    for (Memory* memory : {&*x_, &*y_, &*results_, &*start_}) {
      std::memset(memory->address(), 0, memory->bytes().size());
    }
  }

  /// Plays the roles [first, first + count) in a kernel and waits for their end.
  void play(uint32_t first, uint32_t count) {
    auto kernarg = Memory::allocate(agent_.kernarg, sizeof(Arguments));
    ASSERT_TRUE(kernarg);
    const Arguments arguments{address(*x_),
                              address(*y_),
                              address(*results_),
                              address(*start_),
                              static_cast<uint32_t>(roles_),
                              rounds_,
                              first,
                              0};
    std::memcpy(kernarg->address(), &arguments, sizeof arguments);
    auto dispatcher = Dispatcher::create(agent_);
    ASSERT_TRUE(dispatcher);
    Extent grid, group;
    grid.size[0] = players_ == Players::waves ? count * wave_size_of(agent_) : count;
    if (players_ != Players::work_groups) group.size[0] = grid.size[0];
    grid.dimensions = group.dimensions = 1;
    auto done = (*dispatcher)->run(*kernel_, grid, group, 0, 0, kernarg->address(), 3000);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
  }

  /// Waits for the roles of the kernel before the first round, on behalf of a role that the host plays.
  void meet() {
    counter().fetch_add(1);
    while (counter().load() < roles_) std::this_thread::yield();
  }
  /// Waits a little for the roles of the kernel before a round, on behalf of a role that the host plays.
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
    return reinterpret_cast<uint32_t (*)[2]>(results_->address()) + size_t{role} * rounds_;
  }

 private:
  unsigned count_forbidden() {
    unsigned count = 0;
    for (uint32_t round = 0; round < rounds_; ++round) {
      uint32_t outcome[4][2] = {};
      for (uint32_t role = 0; role < roles_; ++role) std::memcpy(outcome[role], results(role)[round], 8);
      count += test_.forbidden(outcome);
    }
    return count;
  }
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

  Litmus test_;
  Players players_;
  size_t roles_;
  uint32_t times_ = 1, rounds_ = 1;
  KernelAgent agent_;
  Blob program_code_, agent_code_;
  std::optional<LoadedProgram> loaded_;
  std::optional<KernelInfo> kernel_;
  std::optional<Memory> x_, y_, results_, start_;
};

class LitmusTest : public ::testing::TestWithParam<std::string> {};

TEST_P(LitmusTest, BetweenWorkGroups) {
  for (const Litmus& test : litmus_tests({})) {
    Arena arena(test, GetParam(), rounds_of(GetParam(), between_groups));
    arena.expect_no_forbidden_outcome([&] { arena.play(0, static_cast<uint32_t>(test.bodies.size())); });
    if (HasFailure()) return;
  }
}

TEST_P(LitmusTest, BetweenKernelsOnTheirOwnQueues) {
  for (const Litmus& test : litmus_tests({})) {
    Arena arena(test, GetParam(), rounds_of(GetParam(), between_groups));
    arena.expect_no_forbidden_outcome([&] {
      std::vector<std::thread> players;
      for (uint32_t role = 0; role < test.bodies.size(); ++role) {
        players.emplace_back([&arena, role] { arena.play(role, 1); });
      }
      for (std::thread& player : players) player.join();
    });
    if (HasFailure()) return;
  }
}

void within_a_work_group(const std::string& agent, Players players) {
  for (const Setting& setting : settings(players)) {
    SCOPED_TRACE(setting.name());
    for (const Litmus& test : litmus_tests(setting)) {
      Arena arena(test, agent, rounds_of(agent, within_groups), setting);
      arena.expect_no_forbidden_outcome([&] { arena.play(0, static_cast<uint32_t>(test.bodies.size())); });
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST_P(LitmusTest, BetweenWavesOfAWorkGroup) { within_a_work_group(GetParam(), Players::waves); }

TEST_P(LitmusTest, BetweenLanesOfAWave) {
  if (wave_size_of(agent_named(GetParam())) < 4) GTEST_SKIP() << "no test fits in a wave";
  within_a_work_group(GetParam(), Players::lanes);
}

const Litmus& named(const std::vector<Litmus>& tests, const std::string& name) {
  for (const Litmus& test : tests) {
    if (test.name == name) return test;
  }
  throw std::runtime_error("no test " + name);
}

/// Runs a test in which the kernel plays one role and the host the other.
template <typename Host>
void with_host(const std::string& agent, const std::string& name, uint32_t kernel_role, Host host) {
  const std::vector<Litmus> tests = litmus_tests({});
  Arena arena(named(tests, name), agent, rounds_of(agent, between_groups));
  SCOPED_TRACE(fmt::format("the kernel in role {}", kernel_role));
  arena.expect_no_forbidden_outcome([&] {
    std::thread player([&] { arena.play(kernel_role, 1); });
    arena.meet();
    for (uint32_t round = 0; round < arena.rounds(); ++round) {
      arena.meet(round);
      host(arena, round);
    }
    player.join();
  });
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
  const uint32_t rounds = std::min(rounds_of(GetParam(), between_groups), rounds_max);
  Arena arena(Litmus{test.name, {test.bodies[0], test.bodies[0]}, test.forbidden}, GetParam(), rounds);
  arena.reset();
  std::thread player([&] { arena.play(0, 1); });
  arena.meet();
  std::atomic<uint32_t>& counter = arena.word();
  for (uint32_t round = 0; round < rounds; ++round) counter.fetch_add(1, std::memory_order_relaxed);
  player.join();
  EXPECT_EQ(counter.load(), 2 * rounds);
}

INSTANTIATE_TEST_SUITE_P(Agents, LitmusTest, ::testing::Values(compiled_agent(), std::string("interpreter")),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace heddle::testing

int main(int argc, char** argv) {
  setenv("HEDDLE_AGENTS", (heddle::testing::compiled_agent() + ",interpreter").c_str(), 1);
  setenv("HEDDLE_TURN", "7", 0);  // the interpreter switches between waves within the roles
  ::testing::InitGoogleTest(&argc, argv);
  auto session = heddle::tools::Session::open();
  if (!session) {
    std::fprintf(stderr, "%s\n", session.error().message.c_str());
    return 1;
  }
  return RUN_ALL_TESTS();
}
