// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls all functions of the API in random order, with valid and invalid arguments. Whatever it does, the
// process must live. A seed always makes the same calls, apart from addresses, and from what threads do to
// each other.
#include <CLI/CLI.hpp>

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <tuple>

#include "arguments.h"
#include "samples.h"

namespace heddle::api_fuzz {
namespace {

/// Appends an argument to a line of the history.
template <typename T>
void describe(char* line, const T& value) {
  const size_t length = std::strlen(line);
  const size_t left = State::line_size - length;
  if constexpr (Handle<T>)
    std::snprintf(line + length, left, " {0x%llx}", static_cast<unsigned long long>(value.handle));
  else if constexpr (std::is_pointer_v<T>)
    std::snprintf(line + length, left, " %p", reinterpret_cast<const void*>(value));
  else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
    std::snprintf(line + length, left, " 0x%llx", static_cast<unsigned long long>(value));
  else
    std::snprintf(line + length, left, " {...}");
}

/// Splits the names of the parameters.
std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    found.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

template <typename R, typename... P>
hsa_status_t perform(State& state, const char* name, R (*function)(P...), const char* parameters) {
  const std::vector<std::string_view> names = words(parameters);
  constexpr bool reports_errors = std::is_same_v<R, hsa_status_t>;
  Call call(state, name, reports_errors);
  size_t next = 0;
  auto arguments = std::tuple<P...>{call.template make<P>(next < names.size() ? names[next++] : "")...};
  if (call.is_impossible()) return HSA_STATUS_SUCCESS;
  char* line = state.new_line();
  std::snprintf(line, State::line_size, "  [%llu] %s", static_cast<unsigned long long>(state.calls), name);
  std::apply([&](const auto&... argument) { (describe(line, argument), ...); }, arguments);
  if constexpr (reports_errors) {
    const hsa_status_t status = std::apply(function, arguments);
    if (status == HSA_STATUS_SUCCESS) {
      std::apply([&](const auto&... argument) { (call.keep(argument), ...); }, arguments);
      if constexpr (sizeof...(P) == 1 && (... && std::is_same_v<P, hsa_queue_t*>))
        if (std::string_view(name) == "hsa_queue_destroy") {
          std::erase(state.queues, std::get<0>(arguments));
          state.stale_queues.push_back(std::get<0>(arguments));
        }
    }
    return status;
  } else {
    std::apply(function, arguments);
    return HSA_STATUS_SUCCESS;
  }
}

struct Function {
  std::string_view name;
  hsa_status_t (*call)(State&);
};

constexpr Function functions[] = {
#define FUNCTION(name, parameters) \
  {#name, [](State& state) { return perform(state, #name, &::name, parameters); }},
#include "functions.inc"
#undef FUNCTION
};

/// Writes a packet of any kind to a queue and rings.
void submit(State& state) {
  if (state.queues.empty()) return;
  Random& random = state.random;
  hsa_queue_t* queue = random.one_of(state.queues);
  std::snprintf(state.new_line(), State::line_size, "  [%llu] a packet for the queue %p",
                static_cast<unsigned long long>(state.calls), static_cast<void*>(queue));
  uint64_t words[8] = {};
  const bool barrier = random.once_in(2);
  if (barrier) {
    words[0] =
        (random.once_in(2) ? HSA_PACKET_TYPE_BARRIER_AND : HSA_PACKET_TYPE_BARRIER_OR) | random.below(2) << 8;
    for (size_t i = 1; i < 8; ++i)
      if (const Recent& known = state.handles[typeid(hsa_signal_t)];
          i != 6 && !known.empty() && random.once_in(3))
        words[i] = random.once_in(16) ? random.integer() : known.pick(random);
  } else {
    words[0] =
        random.once_in(4) ? random.next() : HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << 16 | uint64_t{1} << 32;
    for (size_t i = 1; i < 8; ++i) words[i] = random.once_in(2) ? random.integer() : 0;
    words[5] = 0;  // no kernel argument segment
  }
  const uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
  if (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size)
    return;  // full, or the indices are nonsense
  auto* slot = static_cast<std::byte*>(queue->base_address) + index % queue->size * 64;
  std::memcpy(slot + 4, reinterpret_cast<std::byte*>(words) + 4, 60);
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), static_cast<uint32_t>(words[0]), __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

hsa_status_t keep_agent(hsa_agent_t agent, void* data) {
  static_cast<State*>(data)->handles[typeid(hsa_agent_t)].add(agent.handle);
  return HSA_STATUS_SUCCESS;
}

/// Starts the runtime, sometimes with profile events, which the first call that is none of theirs rules out.
void start(State& state) {
  if (hsa_init() != HSA_STATUS_SUCCESS) return;
  ++state.references;
  if (state.random.once_in(2)) {
    for (const int type : {1, 2, 4, 8, 16, 32})
      hsa_ext_profile_event_init_all_of_producer_type(static_cast<hsa_ext_profile_event_producer_t>(type));
    hsa_ext_profile_event_init();
    uint64_t producer = 0;
    if (hsa_ext_profile_event_register_application_event_producer("producer", "of the fuzzer", &producer) ==
        HSA_STATUS_SUCCESS)
      state.ids.add(producer);
  }
  hsa_iterate_agents(keep_agent, &state);
}

/// Forgets what lives in memory that is gone. Sometimes handles stay, as invalid ones.
void forget(State& state) {
  for (auto& [type, handles] : state.handles)
    if (!state.random.once_in(8)) handles.clear();
  state.stale_queues.insert(state.stale_queues.end(), state.queues.begin(), state.queues.end());
  state.queues.clear();
  if (state.stale_queues.size() > 64)
    state.stale_queues.erase(state.stale_queues.begin(), state.stale_queues.end() - 16);
}

/// Functions that end something are called less often, so that there is something to work with.
bool is_chosen(State& state, std::string_view name) {
  if (name == "hsa_shut_down") return state.references > 1 || (state.alone && state.random.once_in(8));
  if (name == "hsa_init") return state.references < 4;
  for (const std::string_view part : {"destroy", "free", "release", "shut_down", "unmap", "inactivate"})
    if (name.find(part) != std::string_view::npos) return state.random.once_in(4);
  return true;
}

/// How often each function was called, and how often it succeeded.
struct Count {
  std::atomic<uint64_t> calls{0}, successes{0};
};
Count counts[std::size(functions)];

void step(State& state, std::string_view only) {
  if (state.references == 0 && !state.random.once_in(8)) start(state);
  if (state.random.once_in(12)) return submit(state);
  const Function& function = state.random.one_of(functions);
  if (!is_chosen(state, function.name) || function.name.find(only) == std::string_view::npos) return;
  const hsa_status_t status = function.call(state);
  Count& count = counts[&function - functions];
  ++count.calls;
  count.successes += status == HSA_STATUS_SUCCESS;
  if (status != HSA_STATUS_SUCCESS) return;
  if (function.name == "hsa_init") ++state.references;
  if (function.name == "hsa_shut_down" && --state.references == 0) forget(state);
}

std::atomic<State*> all_states[64];

/// Says what was called before a crash, and how to repeat it.
void report(int signal) {
  static std::atomic<bool> once{false};
  if (!once.exchange(true)) {
    for (const auto& entry : all_states) {
      const State* state = entry.load();
      if (state == nullptr) continue;
      char line[128];
      const int length =
          std::snprintf(line, sizeof line, "api_fuzz: signal %d; the last calls of seed %llu:\n", signal,
                        static_cast<unsigned long long>(state->seed));
      (void)!write(STDERR_FILENO, line, static_cast<size_t>(length));
      state->print_history();
    }
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void run(State& state, uint64_t calls, std::string_view only) {
  State::current() = &state;
  start(state);
  while (state.calls < calls) step(state, only);
  while (state.references-- > 0) hsa_shut_down();
  State::current() = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Calls all functions of the HSA API with random arguments."};
  uint64_t seed = 1, calls = 20000;
  unsigned threads = 1;
  std::string only;
  bool statistics = false;
  app.add_option("--seed", seed, "the first seed; each thread has its own");
  app.add_option("--calls", calls, "calls of each thread");
  app.add_option("--threads", threads, "threads that call at the same time")->check(CLI::Range(1, 64));
  app.add_option("--only", only, "only functions whose names contain this");
  app.add_flag("--statistics", statistics,
               "print how often each function was called, and how often it succeeded");
  CLI11_PARSE(app, argc, argv);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGALRM})
    signal(number, report);
  setenv("HEDDLE_AGENTS", "cpu,interpreter,null", 0);
  std::vector<std::unique_ptr<State>> states;
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) {
    states.push_back(std::make_unique<State>(seed + i, threads == 1));
    add_samples(*states.back());
    all_states[i] = states.back().get();
  }
  if (threads == 1)
    run(*states[0], calls, only);
  else
    for (auto& state : states) running.emplace_back([&] { run(*state, calls, only); });
  for (std::thread& thread : running) thread.join();
  if (statistics)
    for (size_t i = 0; i < std::size(functions); ++i)
      std::printf("%8llu %8llu %s\n", static_cast<unsigned long long>(counts[i].calls.load()),
                  static_cast<unsigned long long>(counts[i].successes.load()), functions[i].name.data());
  std::printf("%u x %llu calls of %zu functions, seeds from %llu\n", threads,
              static_cast<unsigned long long>(calls), std::size(functions),
              static_cast<unsigned long long>(seed));
  return 0;
}

}  // namespace heddle::api_fuzz

int main(int argc, char** argv) { return heddle::api_fuzz::main(argc, argv); }
