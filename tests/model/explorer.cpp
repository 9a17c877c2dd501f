// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explorer.h"

#include <linux/futex.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unordered_set>
#include <vector>

// Saves the callee-saved registers of the running stack, stores its pointer to *from, and goes on with the
// stack `to`.
extern "C" void heddle_model_switch(std::byte** from, std::byte* to);
asm(R"(
.text
.type heddle_model_switch, @function
heddle_model_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size heddle_model_switch, . - heddle_model_switch
)");

namespace heddle::model {
namespace {

constexpr size_t stack_size = 8192;
constexpr size_t buffer_size = 4;

struct BufferedStore {
  std::byte* address;
  uint64_t value;
  uint64_t size;
};

/// What a thread is about to do, or why it does not go on.
enum class Status : uint64_t { ready, choosing, awaiting, sleeping, sleeping_with_deadline, ended };

struct Control {
  std::byte* stack_pointer;
  Status status;
  const void* word;   ///< that it sleeps on or awaits
  uint64_t argument;  ///< the awaited value; the number of choices
  uint64_t answer;    ///< the chosen number; for sleepers 1 = timed out
  uint64_t buffered;
  std::array<BufferedStore, buffer_size> buffer;
};

struct World {
  alignas(1024) std::byte shared[arena_size];
  Control threads[most_threads];
  uint64_t count;
};

World world;
alignas(64) std::byte stacks[most_threads][stack_size];
std::byte* explorer_stack = nullptr;
constexpr size_t nobody = SIZE_MAX;
size_t running = nobody;  ///< the thread that runs; nobody in set_up and at_end
const char* violation = nullptr;
void (*bodies[most_threads])();
/// The last operation of a step, for traces. It is not printed at once, because that needs much stack.
struct Operation {
  const char* what = "";
  const void* address = nullptr;
  uint64_t value = 0;
} last_operation;

std::byte* top_of(size_t thread) { return stacks[thread] + stack_size; }
Control& self() { return world.threads[running]; }

/// Gives the control back to the explorer.
void stop() { heddle_model_switch(&self().stack_pointer, explorer_stack); }

void enter() {
  bodies[running]();
  self().status = Status::ended;
  stop();
  std::abort();  // a thread that has ended is not resumed
}

void commit_first(Control& thread) {
  std::memcpy(thread.buffer[0].address, &thread.buffer[0].value, thread.buffer[0].size);
  std::move(thread.buffer.begin() + 1, thread.buffer.end(), thread.buffer.begin());
  thread.buffer.back() = {};
  --thread.buffered;
}

void commit_all(Control& thread) {
  while (thread.buffered != 0) commit_first(thread);
}

uint64_t read(const void* address, size_t size) {
  uint64_t value = 0;
  std::memcpy(&value, address, size);
  const Control& thread = self();
  for (size_t i = 0; i < thread.buffered; ++i)
    if (thread.buffer[i].address == address) value = thread.buffer[i].value;
  return value;
}

/// Another thread's stack frames that have been left must not be touched any more.
void require_alive(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  for (size_t i = 0; i < world.count; ++i)
    if (i != running && at >= stacks[i] && at < top_of(i))
      require(at >= world.threads[i].stack_pointer && world.threads[i].status != Status::ended,
              "an operation on memory that its thread has left");
}

void note(const char* what, const void* address, uint64_t value) { last_operation = {what, address, value}; }

std::string text_of(const Operation& operation) {
  const auto* at = static_cast<const std::byte*>(operation.address);
  const bool shared = at >= world.shared && at < world.shared + arena_size;
  char text[128];
  std::snprintf(
      text, sizeof text, "%s %s+%zu: %lld", operation.what, shared ? "shared" : "stack",
      shared ? static_cast<size_t>(at - world.shared) : reinterpret_cast<uintptr_t>(at) % stack_size,
      static_cast<long long>(operation.value));
  return text;
}

constexpr const char* names[] = {"load", "store", "exchange",         "add",  "and",
                                 "or",   "xor",   "compare_exchange", "fence"};

uint64_t result_of(Kind kind, uint64_t before, uint64_t operand, uint64_t expected) {
  switch (kind) {
    case Kind::add:
      return before + operand;
    case Kind::bit_and:
      return before & operand;
    case Kind::bit_or:
      return before | operand;
    case Kind::bit_xor:
      return before ^ operand;
    case Kind::compare_exchange:
      return before == expected ? operand : before;
    default:
      return operand;
  }
}

/// For the code of set_up and at_end, beside which nothing runs.
uint64_t operate_at_once(Kind kind, void* address, size_t size, uint64_t operand, uint64_t expected) {
  uint64_t before = 0;
  if (kind == Kind::fence) return before;
  std::memcpy(&before, address, size);
  const uint64_t after = kind == Kind::load ? before : result_of(kind, before, operand, expected);
  std::memcpy(address, &after, size);
  return before;
}

// ---- states ----

using Snapshot = std::vector<std::byte>;

/// Copies the state. Each thread's part begins with its stack pointer, which tells how long its stack is.
void save(Snapshot& to) {
  to.clear();
  const auto append = [&](const void* from, size_t size) {
    const auto* bytes = static_cast<const std::byte*>(from);
    to.insert(to.end(), bytes, bytes + size);
  };
  append(&world, sizeof world);
  for (size_t i = 0; i < world.count; ++i)
    if (world.threads[i].status != Status::ended)
      append(world.threads[i].stack_pointer, static_cast<size_t>(top_of(i) - world.threads[i].stack_pointer));
}

/// What lies below the live part of a stack is set to 0, so that what variables have before they are set does
/// not distinguish states.
void restore(const Snapshot& from) {
  std::memcpy(&world, from.data(), sizeof world);
  size_t at = sizeof world;
  for (size_t i = 0; i < world.count; ++i) {
    if (world.threads[i].status == Status::ended) continue;
    const size_t live = static_cast<size_t>(top_of(i) - world.threads[i].stack_pointer);
    std::memset(stacks[i], 0, stack_size - live);
    std::memcpy(world.threads[i].stack_pointer, from.data() + at, live);
    at += live;
  }
}

struct Hash {
  uint64_t a, b;
  bool operator==(const Hash&) const = default;
};
struct HashOfHash {
  size_t operator()(const Hash& hash) const { return hash.a; }
};

Hash hash_of(const Snapshot& state) {
  Hash hash{0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu};
  const auto mix = [&](uint64_t word) {
    hash.a = (hash.a ^ word) * 0xff51afd7ed558ccdu;
    hash.a ^= hash.a >> 32;
    hash.b = (hash.b + word) * 0xc4ceb9fe1a85ec53u;
    hash.b ^= hash.b >> 29;
  };
  size_t i = 0;
  for (; i + 8 <= state.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, state.data() + i, 8);
    mix(word);
  }
  for (; i < state.size(); ++i) mix(static_cast<uint64_t>(state[i]));
  return hash;
}

// ---- steps ----

struct Step {
  enum class What : uint8_t { run, commit, time_out };
  What what;
  uint8_t thread;
  uint32_t answer;
};

/// Everything that can happen next.
std::vector<Step> possible_steps() {
  std::vector<Step> steps;
  for (uint8_t i = 0; i < world.count; ++i) {
    const Control& thread = world.threads[i];
    if (thread.buffered != 0) steps.push_back({Step::What::commit, i, 0});
    switch (thread.status) {
      case Status::ready:
        steps.push_back({Step::What::run, i, 0});
        break;
      case Status::choosing:
        for (uint32_t answer = 0; answer < thread.argument; ++answer)
          steps.push_back({Step::What::run, i, answer});
        break;
      case Status::awaiting: {
        uint32_t value;
        std::memcpy(&value, thread.word, sizeof value);
        if (value == thread.argument) steps.push_back({Step::What::run, i, 0});
        break;
      }
      case Status::sleeping_with_deadline:
        steps.push_back({Step::What::time_out, i, 1});
        break;
      case Status::sleeping:
      case Status::ended:
        break;
    }
  }
  return steps;
}

void take(const Step& step) {
  Control& thread = world.threads[step.thread];
  last_operation = {};
  if (step.what == Step::What::commit) {
    note("the buffered store to", thread.buffer[0].address, thread.buffer[0].value);
    return commit_first(thread);
  }
  thread.answer = step.answer;
  thread.status = Status::ready;
  running = step.thread;
  heddle_model_switch(&explorer_stack, thread.stack_pointer);
  running = nobody;
}

/// A way back to the first state.
struct Node {
  uint32_t parent;
  Step step;
};

std::string trace(const std::vector<Node>& nodes, uint32_t last, const Snapshot& first) {
  std::vector<Step> steps;
  for (uint32_t i = last; i != 0; i = nodes[i].parent) steps.push_back(nodes[i].step);
  std::reverse(steps.begin(), steps.end());
  std::string text;
  restore(first);
  for (const Step& step : steps) {
    take(step);
    text += "\n  thread " + std::to_string(step.thread) + ": " + text_of(last_operation);
  }
  return text;
}

/// Why the present state is wrong although no assertion has failed; null if it is not.
const char* wrong_end(const Model& model, bool stuck) {
  if (!stuck) return nullptr;
  for (size_t i = 0; i < world.count; ++i)
    if (world.threads[i].status != Status::ended) return "threads wait for each other for ever";
  model.at_end();
  return violation;
}

void begin(const Model& model) {
  std::memset(&world, 0, sizeof world);
  std::memset(stacks, 0, sizeof stacks);
  violation = nullptr;
  model.set_up();
}

}  // namespace

Result explore(const Model& model, uint64_t most_states) {
  Result result;
  begin(model);
  Snapshot first, next;
  save(first);
  std::unordered_set<Hash, HashOfHash> visited{hash_of(first)};
  std::vector<Node> nodes{{0, {}}};
  std::vector<std::pair<Snapshot, uint32_t>> open{{first, 0}};
  while (!open.empty()) {
    auto [state, node] = std::move(open.back());
    open.pop_back();
    restore(state);
    const std::vector<Step> steps = possible_steps();
    const char* wrong = wrong_end(model, steps.empty());
    for (const Step& step : steps) {
      if (wrong != nullptr) break;
      restore(state);
      take(step);
      ++result.steps;
      save(next);
      const bool is_new = visited.insert(hash_of(next)).second;
      if (violation == nullptr && !is_new) continue;
      nodes.push_back({node, step});
      if (violation != nullptr) {
        wrong = violation;
        node = static_cast<uint32_t>(nodes.size() - 1);
      } else {
        open.emplace_back(next, static_cast<uint32_t>(nodes.size() - 1));
      }
    }
    if (wrong != nullptr) {
      violation = nullptr;
      result.violation = wrong + trace(nodes, node, first);
      break;
    }
    if (visited.size() > most_states) throw std::runtime_error("the model has too many states");
  }
  result.states = visited.size();
  return result;
}

void spawn(void (*body)()) {
  const size_t number = world.count++;
  if (number >= most_threads) std::abort();
  bodies[number] = body;
  // The first switch pops six registers and returns to enter(), for which the stack is as after a call.
  auto** slots = reinterpret_cast<void (**)()>(top_of(number)) - 2;
  slots[0] = enter;
  world.threads[number].stack_pointer = reinterpret_cast<std::byte*>(slots - 6);
}

std::byte* arena() { return world.shared; }

void require(bool condition, const char* what) {
  if (!condition && violation == nullptr) violation = what;
}

void await(const uint32_t* word, uint32_t value) {
  Control& thread = self();
  commit_all(thread);
  thread.word = word;
  thread.argument = value;
  thread.status = Status::awaiting;
  stop();
  thread.word = nullptr;
  thread.argument = 0;
  note("has awaited", word, value);
}

uint32_t choose(uint32_t count) {
  Control& thread = self();
  thread.status = Status::choosing;
  thread.argument = count;
  stop();
  thread.argument = 0;
  const auto answer = static_cast<uint32_t>(thread.answer);
  thread.answer = 0;
  note("chooses", nullptr, answer);
  return answer;
}

uint64_t operate(Kind kind, void* address, size_t size, uint64_t operand, uint64_t expected, int order) {
  if (running == nobody) return operate_at_once(kind, address, size, operand, expected);
  stop();
  Control& thread = self();
  if (kind == Kind::fence) {
    commit_all(thread);
    note("fence", nullptr, 0);
    return 0;
  }
  require_alive(address);
  if (kind == Kind::load) {
    const uint64_t value = read(address, size);
    note("load", address, value);
    return value;
  }
  note(names[static_cast<size_t>(kind)], address, operand);
  if (kind == Kind::store && order != __ATOMIC_SEQ_CST) {
    if (thread.buffered == buffer_size) commit_first(thread);
    thread.buffer[thread.buffered++] = {static_cast<std::byte*>(address), operand, size};
    return 0;
  }
  commit_all(thread);
  const uint64_t before = read(address, size);
  const uint64_t after = result_of(kind, before, operand, expected);
  std::memcpy(address, &after, size);
  return before;
}

long futex(long, void* word, int operation, uint32_t argument, const void* timeout) {
  stop();
  Control& thread = self();
  commit_all(thread);
  const int command = operation & FUTEX_CMD_MASK;
  if (command == FUTEX_WAKE) {
    note("futex_wake", word, argument);
    for (size_t i = 0, woken = 0; i < world.count && woken < argument; ++i) {
      Control& other = world.threads[i];
      const bool sleeps = other.status == Status::sleeping || other.status == Status::sleeping_with_deadline;
      if (!sleeps || other.word != word) continue;
      other.status = Status::ready;
      other.word = nullptr;
      ++woken;
    }
    return 0;
  }
  note("futex_wait", word, argument);
  uint32_t value;
  std::memcpy(&value, word, sizeof value);
  if (value != argument) {
    errno = EAGAIN;
    return -1;
  }
  thread.word = word;
  thread.answer = 0;
  thread.status = timeout == nullptr ? Status::sleeping : Status::sleeping_with_deadline;
  stop();
  thread.word = nullptr;
  const bool timed_out = thread.answer != 0;
  thread.answer = 0;
  note(timed_out ? "timed out at" : "woken at", word, 0);
  errno = ETIMEDOUT;
  return timed_out ? -1 : 0;
}

}  // namespace heddle::model
