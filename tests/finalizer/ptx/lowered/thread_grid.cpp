// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_grid.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>
#include <utility>

#include "support/align.h"

namespace heddle::cuda::fake {
namespace {

/// How many blocks there can be at a time, if those before them wait.
constexpr size_t most_blocks = 32;
constexpr size_t page = 4096, shared_alignment = page;
/// A further block may start, and the launch may end, after so many rounds at the latest: threads that ask
/// each other whether to go on waiting advance in each.
constexpr unsigned patience = 64;

thread_local GpuThread* running = nullptr;

// ---- wrong accesses

struct sigaction actions_before[NSIG];

/// Ends the thread of the GPU that has made a wrong access. Others are the business of whoever came before.
void handle_fault(int number, siginfo_t* info, void* context) {
  if (running) running->block->grid.end_by_fault();
  const struct sigaction& before = actions_before[number];
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(number, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(number);
  signal(number, SIG_DFL);
}

void catch_faults() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = handle_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    for (const int number : {SIGSEGV, SIGBUS}) sigaction(number, &action, &actions_before[number]);
  });
}

}  // namespace

// ---- stacks

ThreadStack::ThreadStack(size_t size) : size_(align_up(size, page)) {
  void* const made = mmap(nullptr, page + size_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (made == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(made) + page;
  mprotect(made, page, PROT_NONE);
}

ThreadStack::~ThreadStack() {
  if (base_) munmap(base_ - page, page + size_);
}

// ---- blocks

Block::Block(ThreadGrid& owner, uint64_t number) : grid(owner) {
  const GridShape& shape = owner.shape();
  id[0] = static_cast<unsigned>(number % shape.grid[0]);
  id[1] = static_cast<unsigned>(number / shape.grid[0] % shape.grid[1]);
  id[2] = static_cast<unsigned>(number / shape.grid[0] / shape.grid[1]);
  memory = std::make_unique_for_overwrite<std::byte[]>(shape.shared_size + shared_alignment);
  std::fill_n(memory.get(), shape.shared_size + shared_alignment, std::byte{0xA5});  // GPUs do not clear it
  shared =
      reinterpret_cast<std::byte*>(align_up(reinterpret_cast<uintptr_t>(memory.get()), shared_alignment));
  threads = std::vector<GpuThread>(size_t{shape.block[0]} * shape.block[1] * shape.block[2]);
  alive = static_cast<unsigned>(threads.size());
  for (unsigned i = 0; i < threads.size(); ++i) {
    threads[i].block = this;
    threads[i].number = i;
    threads[i].id[0] = i % shape.block[0];
    threads[i].id[1] = i / shape.block[0] % shape.block[1];
    threads[i].id[2] = i / shape.block[0] / shape.block[1];
  }
}

uint32_t Block::alive_lanes(unsigned warp) const {
  uint32_t lanes = 0;
  for (size_t i = size_t{warp} * warp_size; i < std::min<size_t>(threads.size(), (warp + 1) * warp_size); ++i)
    if (threads[i].state != GpuThread::State::ended) lanes |= 1u << (i % warp_size);
  return lanes;
}

Block::Meeting& Block::meeting_of(const GpuThread& thread, WarpOperation operation, uint32_t lanes) {
  const unsigned warp = thread.number / warp_size;
  // Others of these lanes may wait elsewhere, and come here later.
  for (Meeting& meeting : meetings_)
    if (meeting.warp == warp && meeting.lanes == lanes && meeting.operation == operation) return meeting;
  return meetings_.emplace_back(Meeting{warp, operation, lanes});
}

/// Gives each lane its result.
void Block::answer(const Meeting& meeting) {
  uint32_t ballot = 0;
  for (unsigned i = 0; i < warp_size; ++i)
    if ((meeting.arrived >> i & 1) != 0 && meeting.values[i] != 0) ballot |= 1u << i;
  for (unsigned i = 0; i < warp_size; ++i) {
    if ((meeting.arrived >> i & 1) == 0) continue;
    GpuThread& thread = threads[meeting.warp * warp_size + i];
    const unsigned source = meeting.sources[i] % warp_size;
    // A GPU says nothing of the value of a lane that does not take part.
    const bool has_source = (meeting.arrived >> source & 1) != 0;
    if (meeting.operation == WarpOperation::ballot) thread.result = ballot;
    if (meeting.operation == WarpOperation::shuffle)
      thread.result = has_source ? meeting.values[source] : ~meeting.values[i];
    if (meeting.operation == WarpOperation::match) {
      thread.result = 0;
      for (unsigned other = 0; other < warp_size; ++other)
        if ((meeting.arrived >> other & 1) != 0 && meeting.values[other] == meeting.values[i])
          thread.result |= 1u << other;
    }
    thread.state = GpuThread::State::ready;
  }
}

void Block::finish_meetings() {
  std::erase_if(meetings_, [&](const Meeting& meeting) {
    if ((meeting.lanes & alive_lanes(meeting.warp) & ~meeting.arrived) != 0) return false;
    answer(meeting);
    return true;
  });
}

void Block::finish_barrier() {
  if (at_barrier_ == 0 || at_barrier_ < alive) return;
  at_barrier_ = 0;
  for (GpuThread& thread : threads)
    if (std::exchange(thread.at_barrier, false)) thread.state = GpuThread::State::ready;
}

// ---- the grid

ThreadGrid::ThreadGrid(const GridShape& shape, std::function<void()> entry, uint64_t seed)
    : shape_(shape),
      entry_(std::move(entry)),
      random_(seed),
      blocks_left_(uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2]) {
  catch_faults();
}

ThreadGrid::~ThreadGrid() = default;

GpuThread* ThreadGrid::current() { return running; }

void ThreadGrid::complain(std::string complaint) {
  if (complaint_.empty()) complaint_ = std::move(complaint);
}

void ThreadGrid::thread_main() {
  ThreadGrid& grid = running->block->grid;
  grid.entry_();
  grid.end();
}

unsigned ThreadGrid::block_warps() const {
  return (shape_.block[0] * shape_.block[1] * shape_.block[2] + warp_size - 1) / warp_size;
}

unsigned ThreadGrid::most_warps() const { return block_warps() * static_cast<unsigned>(most_blocks); }

unsigned ThreadGrid::free_slot() const {
  unsigned slot = 0;
  while (std::ranges::any_of(blocks_, [slot](const auto& block) { return block->slot == slot; })) ++slot;
  return slot;
}

void ThreadGrid::start_block() {
  const unsigned slot = free_slot();
  Block& block = *blocks_.emplace_back(std::make_unique<Block>(*this, next_block_++));
  block.slot = slot;
  --blocks_left_;
  for (GpuThread& thread : block.threads) {
    if (stacks_.empty()) {
      thread.stack = ThreadStack(shape_.stack_size);
    } else {
      thread.stack = std::move(stacks_.back());
      stacks_.pop_back();
    }
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.base();
    thread.context.uc_stack.ss_size = thread.stack.size();
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, thread_main, 0);
  }
}

void ThreadGrid::resume(GpuThread& thread) {
  thread.state = GpuThread::State::ready;
  running = &thread;
  swapcontext(&scheduler_, &thread.context);
  running = nullptr;
}

/// Goes back to resume().
void ThreadGrid::leave() { swapcontext(&running->context, &scheduler_); }

/// Resumes each thread of a block that can go on. Returns false if none could do more than look again.
bool ThreadGrid::run_once(Block& block) {
  std::vector<unsigned> order(block.threads.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::shuffle(order, random_);
  bool progress = false;
  for (const unsigned number : order) {
    GpuThread& thread = block.threads[number];
    if (thread.state != GpuThread::State::ready && thread.state != GpuThread::State::paused) continue;
    resume(thread);
    if (faulted_) return false;
    progress = progress || thread.state != GpuThread::State::paused;
  }
  return progress;
}

ThreadGrid::Outcome ThreadGrid::run(const std::function<bool()>& stopped) {
  if (blocks_left_ != 0) start_block();
  for (unsigned round = 1; !blocks_.empty(); ++round) {
    bool progress = false, pausing = false;
    for (const auto& block : blocks_) {
      progress = run_once(*block) || progress;
      if (faulted_ || !complaint_.empty()) return Outcome::fault;
      for (const GpuThread& thread : block->threads)
        pausing = pausing || thread.state == GpuThread::State::paused;
    }
    std::erase_if(blocks_, [&](const auto& block) {
      if (block->alive != 0) return false;
      for (GpuThread& thread : block->threads) stacks_.push_back(std::move(thread.stack));
      return true;
    });
    const bool may_start = blocks_left_ != 0 && blocks_.size() < most_blocks;
    const bool is_time = round % patience == 0;
    if (may_start && (blocks_.empty() || !progress || is_time)) {
      start_block();
      continue;
    }
    if (progress && !is_time) continue;
    if (!progress && !pausing) {
      complain("all threads wait for each other");
      return Outcome::fault;
    }
    if (stopped()) return Outcome::stopped;
    std::this_thread::yield();
  }
  return Outcome::done;
}

void ThreadGrid::pause() {
  running->state = GpuThread::State::paused;
  leave();
}

void ThreadGrid::end() {
  Block& block = *running->block;
  running->state = GpuThread::State::ended;
  --block.alive;
  block.finish_meetings();
  block.finish_barrier();
  setcontext(&scheduler_);
  std::abort();  // setcontext() does not return
}

void ThreadGrid::end_by_fault() {
  faulted_ = true;
  setcontext(&scheduler_);
  std::abort();
}

uint32_t ThreadGrid::meet(WarpOperation operation, uint32_t lanes, uint32_t value, uint32_t source) {
  GpuThread& thread = *running;
  if ((lanes >> thread.lane() & 1) == 0)
    complain(fmt::format("lane {} is not among the lanes {:08x} that it names", thread.lane(), lanes));
  Block::Meeting& meeting = thread.block->meeting_of(thread, operation, lanes);
  meeting.arrived |= 1u << thread.lane();
  meeting.values[thread.lane()] = value;
  meeting.sources[thread.lane()] = source;
  thread.state = GpuThread::State::waiting;
  thread.block->finish_meetings();
  if (thread.state == GpuThread::State::waiting || !complaint_.empty()) leave();
  return thread.result;
}

void ThreadGrid::wait_for_block() {
  GpuThread& thread = *running;
  thread.state = GpuThread::State::waiting;
  thread.at_barrier = true;
  ++thread.block->at_barrier_;
  thread.block->finish_barrier();
  if (thread.state == GpuThread::State::waiting) leave();
}

}  // namespace heddle::cuda::fake
