// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "agents/cuda/gpu_context.h"
#include "agents/cuda/gpu_driver.h"
#include "agents/cuda/remote/shared_pages.h"
#include "support/fork_handler.h"

namespace heddle::cuda {

/// The host memory that the GPU can access, at its addresses on the host. The driver registers whole pages,
/// each once in a process, for all of its GPUs. Allocations may share pages and come and go one by one, and
/// several GPUs may use them, so their uses are counted for each page. Thread safe. The child of a fork
/// starts without any, because the driver does not work there. A process of the GPU registers for its GPU
/// only, and only memory that lies in files.
class HostMemory {
 public:
  /// Without `driver`, which outlives it, the driver never leaves this process. Throws std::bad_alloc.
  explicit HostMemory(GpuContext& context, GpuDriver* driver = nullptr);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Lets the GPU access [base, base + size). If the process with the driver is lost, the GPU can do so from
  /// restore() on. Throws std::bad_alloc.
  Driven<void> add(const void* base, uint64_t size);
  /// Ends what add() began for memory that begins at `base`; false if there is none.
  bool remove(const void* base);

  /// Makes zeroed pages of the agent's own that the GPU can access, because what lies on such a page should
  /// not come and go. Throws std::bad_alloc.
  Driven<void*> allocate(uint64_t size);
  void release(void* base, uint64_t size);

  /// To be called when the driver has been given up: nothing that GPUs in this process share is unregistered
  /// any more, because the driver could wait for a kernel that does not end.
  void keep_if_given_up() noexcept;
  /// Lets the driver leave this process (GpuDriver::leave), which has nothing registered for the GPU from
  /// then on. restore() has to follow.
  void leave_this_process();
  struct Range {
    const void* base;
    uint64_t size;
  };
  /// Registers everything anew with the driver of a new process. Returns what the GPU cannot access any more
  /// because it lies in no file, once. Throws std::bad_alloc.
  Driven<std::vector<Range>> restore();

  /// What a copy of the driver, to or from [base, base + size), has to expect.
  enum class Access : uint8_t { not_everywhere, in_pieces, in_one_piece };
  Access access(const void* base, uint64_t size) const;
  /// Whether the GPU can access all of [base, base + size).
  bool contains(const void* base, uint64_t size) const {
    return access(base, size) != Access::not_everywhere;
  }

  /// How many bytes from `address` on, `size` at most, are registered in one piece, or not registered. A copy
  /// of the driver must not go beyond them.
  uint64_t piece(const void* address, uint64_t size) const;

 private:
  /// Pages that were registered together. Without uses they are still registered because no GPU could
  /// unregister them.
  struct Piece {
    uint64_t size;
    uint64_t uses;
  };

  using Pieces = std::map<uint64_t, Piece>;
  /// What the process has registered, by whichever GPU.
  struct Registered {
    std::mutex mutex;
    Pieces pieces;
    std::vector<const GpuContext*> contexts;  ///< of all GPUs
    /// A GPU was given up: to unregister anything, the driver would wait for its kernel.
    std::atomic<bool> keeps_all{false};

    void forget_parent() noexcept;
    const ForkHandler fork_handler{
        [](void* registered) noexcept { static_cast<Registered*>(registered)->forget_parent(); }, this};
  };
  static Registered& of_the_process();
  void* make_pages(uint64_t size);

  std::unique_lock<std::mutex> lock() const;
  static Pieces::iterator first_behind(Pieces& pieces, uint64_t address);
  static void count_uses(Pieces& pieces, uint64_t begin, uint64_t end, int64_t change);
  // These need the lock.
  Pieces& pieces() const { return registered_.load(std::memory_order_relaxed)->pieces; }
  bool can_wait(const DriverError& error, uint64_t begin, uint64_t end) const;
  Driven<void> register_piece(Pieces& pieces, uint64_t begin, uint64_t end);
  bool unregister_piece(uint64_t begin) const noexcept;
  Driven<void> fill_holes(Pieces& pieces, uint64_t begin, uint64_t end);
  void drop_unused(uint64_t begin, uint64_t end) noexcept;
  void end_all_uses(bool unregisters) noexcept;
  bool is_lost_here() const;

  GpuContext& context_;
  GpuDriver* const driver_;                 ///< null if the driver never leaves this process
  remote::HostFiles* const files_;          ///< likewise
  const std::unique_ptr<Registered> own_;   ///< of the process of the GPU; null if there never is one
  std::atomic<Registered*> registered_;     ///< that, or what all GPUs share while the driver is here
  std::map<void*, SharedPages> own_pages_;  ///< with files: what allocate() has made
  /// What this GPU has, by base.
  struct Added {
    uint64_t size;
    enum class State : uint8_t {
      registered,
      waiting,  ///< for restore()
      left,     ///< behind in this process: the GPU cannot access it
    } state = State::registered;
  };
  std::multimap<uint64_t, Added> added_;
  const ForkHandler fork_handler_{[](void* memory) noexcept {
                                    abandon(static_cast<HostMemory*>(memory)->added_);
                                    abandon(static_cast<HostMemory*>(memory)->own_pages_);
                                  },
                                  this};
};

}  // namespace heddle::cuda
