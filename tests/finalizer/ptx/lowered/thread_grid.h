// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a GPU as fibers of one thread of the host: warps of 32, blocks with shared memory.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace heddle::cuda::fake {

inline constexpr unsigned warp_size = 32;

/// What the lanes of a warp do together.
enum class WarpOperation : uint8_t { barrier, ballot, match, shuffle };

class Block;

/// The stack of a thread, above a page that nobody can access.
class ThreadStack {
 public:
  ThreadStack() = default;
  /// Throws std::bad_alloc.
  explicit ThreadStack(size_t size);
  ~ThreadStack();
  ThreadStack(ThreadStack&& other) noexcept { swap(other); }
  ThreadStack& operator=(ThreadStack&& other) noexcept {
    swap(other);
    return *this;
  }
  std::byte* base() const { return base_; }
  size_t size() const { return size_; }

 private:
  void swap(ThreadStack& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(size_, other.size_);
  }
  std::byte* base_ = nullptr;
  size_t size_ = 0;
};

/// One thread of the GPU. It runs until it waits for others, pauses or ends.
struct GpuThread {
  enum class State : uint8_t { ready, paused, waiting, ended };

  Block* block = nullptr;
  unsigned number = 0;  ///< flattened, in its block
  unsigned id[3] = {};
  State state = State::ready;
  bool at_barrier = false;  ///< of the block, and waiting
  uint32_t result = 0;      ///< of the last operation of the warp
  ucontext_t context = {};
  ThreadStack stack;

  unsigned lane() const { return number % warp_size; }
};

/// A launch: which blocks there are, and what their threads run.
struct GridShape {
  unsigned grid[3], block[3];
  uint32_t shared_size = 0;  ///< bytes, static and dynamic
  size_t stack_size = 0;     ///< bytes of each thread
};

/// Runs the threads of a launch, each until it has to wait, in an order that a seed decides. A block starts
/// when one before it has ended, when all threads that there are wait for something, or after a while. For
/// one thread of the host. Shared memory begins with a pattern.
class ThreadGrid {
 public:
  ThreadGrid(const GridShape& shape, std::function<void()> entry, uint64_t seed);
  ~ThreadGrid();
  ThreadGrid(const ThreadGrid&) = delete;
  ThreadGrid& operator=(const ThreadGrid&) = delete;

  enum class Outcome : uint8_t { done, stopped, fault };
  /// Runs all blocks. `stopped` is asked now and then whether the launch is to end; threads that wait then do
  /// not go on. A wrong access of a thread is a fault, and so is what complaint() tells.
  Outcome run(const std::function<bool()>& stopped);
  /// What the threads have done that no GPU defines; empty if nothing.
  const std::string& complaint() const { return complaint_; }

  // ---- for threads of the grid

  /// The thread that runs; null outside of grids.
  static GpuThread* current();
  /// Lets other threads run.
  void pause();
  [[noreturn]] void end();
  [[noreturn]] void end_by_fault();
  /// Waits for the lanes of a mask that have not ended, which all have to ask for the same.
  uint32_t meet(WarpOperation operation, uint32_t lanes, uint32_t value, uint32_t source = 0);
  /// Waits for all threads of the block that have not ended.
  void wait_for_block();
  const GridShape& shape() const { return shape_; }
  /// Warps of a block, and of as many blocks as there can be at a time.
  unsigned block_warps() const;
  unsigned most_warps() const;

 private:
  friend class Block;
  void start_block();
  unsigned free_slot() const;
  bool run_once(Block& block);
  void resume(GpuThread& thread);
  void leave();
  void complain(std::string complaint);
  static void thread_main();

  const GridShape shape_;
  const std::function<void()> entry_;
  std::mt19937_64 random_;
  uint64_t next_block_ = 0, blocks_left_;
  std::vector<std::unique_ptr<Block>> blocks_;  ///< that have started and not ended
  std::vector<ThreadStack> stacks_;
  ucontext_t scheduler_ = {};
  bool faulted_ = false;
  std::string complaint_;
};

/// The threads that share memory and barriers.
class Block {
 public:
  Block(ThreadGrid& grid, uint64_t number);

  ThreadGrid& grid;
  unsigned id[3];
  unsigned slot = 0;  ///< that no other block has at the same time
  std::unique_ptr<std::byte[]> memory;
  std::byte* shared = nullptr;
  std::vector<GpuThread> threads;
  unsigned alive;

 private:
  friend class ThreadGrid;
  /// Lanes of a warp that have arrived at one operation.
  struct Meeting {
    unsigned warp;
    WarpOperation operation;
    uint32_t lanes, arrived = 0;
    uint32_t values[warp_size] = {}, sources[warp_size] = {};
  };

  uint32_t alive_lanes(unsigned warp) const;
  Meeting& meeting_of(const GpuThread& thread, WarpOperation operation, uint32_t lanes);
  void finish_meetings();
  void answer(const Meeting& meeting);
  void finish_barrier();

  std::vector<Meeting> meetings_;
  unsigned at_barrier_ = 0;
};

}  // namespace heddle::cuda::fake
