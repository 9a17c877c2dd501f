// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/host_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "agents/cuda/remote/connection.h"
#include "support/align.h"
#include "support/exception_safety.h"

namespace heddle::cuda {
namespace {

constexpr uint64_t page = 4096;
constexpr unsigned flags = host_register_portable | host_register_mapped;

uint64_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }
uint64_t align_down(uint64_t address) { return address / page * page; }

}  // namespace

/// It lives as long as the process, whose other threads may still use it at the exit.
HostMemory::Registered& HostMemory::of_the_process() {
  static Registered& made = *new Registered;
  return made;
}

void HostMemory::Registered::forget_parent() noexcept {
  abandon(mutex);
  abandon(pieces);
  abandon(contexts);
}

HostMemory::HostMemory(GpuContext& context, GpuDriver* driver)
    : context_(context),
      driver_(driver),
      files_(driver ? &driver->remote().files() : nullptr),
      own_(driver ? std::make_unique<Registered>() : nullptr),
      registered_(driver && !driver->is_here() ? own_.get() : &of_the_process()) {
  if (own_) own_->contexts.push_back(&context_);
  if (registered_ == own_.get()) return;
  const auto locked = lock();
  registered_.load()->contexts.push_back(&context_);
}

HostMemory::~HostMemory() {
  const auto locked = lock();
  end_all_uses(true);
}

/// Ends what this GPU uses of what is registered. Needs the lock.
void HostMemory::end_all_uses(bool unregisters) noexcept {
  for (auto& [base, added] : added_) {
    const uint64_t begin = align_down(base), end = align_up(base + added.size, page);
    if (added.state == Added::State::registered) count_uses(pieces(), begin, end, -1);
    added.state = Added::State::waiting;
    if (unregisters) drop_unused(begin, end);
  }
  auto& contexts = registered_.load()->contexts;
  const auto own = std::ranges::find(contexts, &context_);
  if (own != contexts.end()) contexts.erase(own);
}

/// Locks what the driver has registered, which becomes something else when the driver leaves this process.
std::unique_lock<std::mutex> HostMemory::lock() const {
  while (true) {
    Registered* const registered = registered_.load(std::memory_order_acquire);
    std::unique_lock locked(registered->mutex);
    if (registered_.load(std::memory_order_relaxed) == registered) return locked;
  }
}

/// Whether pages can be registered by restore(), because an error says that the driver is lost. Other
/// processes cannot map pages that lie in no file.
bool HostMemory::can_wait(const DriverError& error, uint64_t begin, uint64_t end) const {
  constexpr Status ends[] = {Status::process_lost, Status::process_ended, Status::not_initialized,
                             Status::invalid_context};
  const bool is_over =
      remote::is_sticky(error.status) || std::ranges::find(ends, error.status) != std::end(ends);
  return files_ && is_over && files_->find(begin, end - begin);
}

Driven<void> HostMemory::register_piece(Pieces& pieces, uint64_t begin, uint64_t end) {
  const auto entry = pieces.emplace(begin, Piece{end - begin, 0}).first;
  bool is_registered = false;
  const Finally settle([&] {
    if (!is_registered) pieces.erase(entry);
  });
  auto done = context_.call(context_.api().host_register, reinterpret_cast<void*>(begin), end - begin, flags);
  // What was added since a process started is there already when everything is registered anew. Nobody else
  // registers in a process of the GPU.
  const bool is_there =
      !done && done.error().status == Status::host_memory_already_registered && registered_ == own_.get();
  is_registered = done || is_there || can_wait(done.error(), begin, end);
  if (is_registered) return {};
  return done;
}

/// Any GPU can do it. Those whose contexts are lost do nothing any more.
bool HostMemory::unregister_piece(uint64_t begin) const noexcept {
  if (registered_.load()->keeps_all) return false;
  const auto tried = [begin](const GpuContext& context) {
    return context.status_of(context.api().host_unregister, reinterpret_cast<void*>(begin)) ==
           Status::success;
  };
  if (tried(context_)) return true;
  const bool done = std::ranges::any_of(registered_.load()->contexts, [&](const GpuContext* other) {
    return other != &context_ && tried(*other);
  });
  context_.try_to_use();
  return done;
}

/// The first piece that ends behind `address`.
HostMemory::Pieces::iterator HostMemory::first_behind(Pieces& pieces, uint64_t address) {
  auto piece = pieces.upper_bound(address);
  if (piece == pieces.begin()) return piece;
  const auto before = std::prev(piece);
  return before->first + before->second.size > address ? before : piece;
}

/// Registers the pages in [begin, end) that are not registered yet.
Driven<void> HostMemory::fill_holes(Pieces& pieces, uint64_t begin, uint64_t end) {
  while (begin < end) {
    const auto next = first_behind(pieces, begin);
    const bool covered = next != pieces.end() && next->first <= begin;
    const uint64_t until = next == pieces.end() ? end : std::min(end, next->first);
    if (!covered)
      if (auto done = register_piece(pieces, begin, until); !done) return done;
    begin = covered ? next->first + next->second.size : until;
  }
  return {};
}

/// Unregisters the pieces in [begin, end) that nothing uses. What cannot be unregistered stays known, because
/// the driver would refuse to register it again.
void HostMemory::drop_unused(uint64_t begin, uint64_t end) noexcept {
  auto piece = first_behind(pieces(), begin);
  while (piece != pieces().end() && piece->first < end) {
    if (piece->second.uses == 0 && unregister_piece(piece->first))
      piece = pieces().erase(piece);
    else
      ++piece;
  }
}

/// Begins or ends one use of the pages in [begin, end). When it ends, they are covered as they were when it
/// began, because a piece stays as long as anything uses it.
void HostMemory::count_uses(Pieces& pieces, uint64_t begin, uint64_t end, int64_t change) {
  for (auto piece = first_behind(pieces, begin); piece != pieces.end() && piece->first < end; ++piece) {
    assert(change > 0 || piece->second.uses != 0);
    piece->second.uses += static_cast<uint64_t>(change);
  }
}

/// Whether the driver is lost while it is still in this process, where other GPUs may use theirs: this one is
/// asked for nothing, and keeps away from what all have registered.
bool HostMemory::is_lost_here() const {
  const Status lost = driver_ && driver_->is_here() ? driver_->lost() : Status::success;
  return lost != Status::success;
}

Driven<void> HostMemory::add(const void* base, uint64_t size) {
  const uint64_t begin = align_down(number(base)), end = align_up(number(base) + size, page);
  const auto locked = lock();
  if (is_lost_here()) {
    if (!files_->find(begin, end - begin))
      return context_.api().error_of("cuMemHostRegister_v2", driver_->lost());
    added_.emplace(number(base), Added{size, Added::State::waiting});
    return {};
  }
  const auto entry = added_.emplace(number(base), Added{size});
  bool is_covered = false;
  const Finally settle([&] {
    if (is_covered) return;
    added_.erase(entry);
    drop_unused(begin, end);
  });
  drop_unused(begin, end);  // what could not be unregistered before, when other memory was there
  for (auto piece = first_behind(pieces(), begin); piece != pieces().end() && piece->first < end; ++piece)
    if (piece->second.uses == 0 && registered_.load()->keeps_all)
      return DriverError{
          Status::not_supported,
          "other memory was registered at these addresses, and stays because a kernel of a GPU "
          "does not end"};
  if (auto done = fill_holes(pieces(), begin, end); !done) return done;
  is_covered = true;
  count_uses(pieces(), begin, end, 1);
  return {};
}

bool HostMemory::remove(const void* base) {
  const auto locked = lock();
  const auto entry = added_.find(number(base));
  if (entry == added_.end()) return false;
  const uint64_t begin = align_down(number(base)), end = align_up(number(base) + entry->second.size, page);
  const bool is_registered = entry->second.state == Added::State::registered;
  added_.erase(entry);
  if (is_registered) count_uses(pieces(), begin, end, -1);
  if (!is_lost_here()) drop_unused(begin, end);
  return true;
}

/// Null if the system has no memory.
void* HostMemory::make_pages(uint64_t size) {
  if (!files_) {
    void* made = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return made == MAP_FAILED ? nullptr : made;
  }
  SharedPages pages = SharedPages::create(size);
  void* const made = pages.base();
  if (!made) return nullptr;
  files_->add(made, size, {pages.file(), 0});
  const auto locked = lock();
  own_pages_.emplace(made, std::move(pages));
  return made;
}

Driven<void*> HostMemory::allocate(uint64_t size) {
  void* const made = make_pages(size);
  if (!made) return DriverError{Status::out_of_memory, "no host memory for a queue"};
  if (auto added = add(made, size); !added) {
    release(made, size);
    return added.error();
  }
  return made;
}

void HostMemory::release(void* base, uint64_t size) {
  static_cast<void>(remove(base));
  if (!files_) {
    munmap(base, size);
    return;
  }
  files_->remove(base);
  const auto locked = lock();
  own_pages_.erase(base);
}

void HostMemory::keep_if_given_up() noexcept {
  if (driver_ && driver_->is_here() && driver_->lost() == Status::given_up) of_the_process().keeps_all = true;
}

/// The driver that is left keeps the pages registered, because kernels that go on may use them.
void HostMemory::leave_this_process() {
  assert(registered_ != own_.get());
  const auto locked = lock();
  driver_->leave();
  end_all_uses(false);
  registered_.store(own_.get(), std::memory_order_release);
}

/// What was registered in one piece need not be in one piece now, because some of it may have been freed.
Driven<std::vector<HostMemory::Range>> HostMemory::restore() {
  assert(registered_ == own_.get());
  std::vector<Range> left;
  const auto locked = lock();
  pieces().clear();
  for (auto& [base, added] : added_)
    if (added.state == Added::State::registered) added.state = Added::State::waiting;
  for (auto& [base, added] : added_) {
    if (added.state == Added::State::left) continue;
    const uint64_t begin = align_down(base), end = align_up(base + added.size, page);
    if (!files_->find(begin, end - begin)) {
      left.push_back({reinterpret_cast<const void*>(base), added.size});
      continue;
    }
    if (auto done = fill_holes(pieces(), begin, end); !done) return done.error();
    count_uses(pieces(), begin, end, 1);
    added.state = Added::State::registered;
  }
  for (auto& [base, added] : added_)
    if (added.state == Added::State::waiting) added.state = Added::State::left;
  return left;
}

HostMemory::Access HostMemory::access(const void* base, uint64_t size) const {
  const auto locked = lock();
  const uint64_t end = number(base) + size;
  uint64_t covered = number(base), found = 0;
  for (; covered < end; ++found) {
    const auto next = pieces().upper_bound(covered);
    if (next == pieces().begin()) return Access::not_everywhere;
    const auto [begin, piece] = *std::prev(next);
    if (begin + piece.size <= covered) return Access::not_everywhere;
    covered = begin + piece.size;
  }
  return found <= 1 ? Access::in_one_piece : Access::in_pieces;
}

uint64_t HostMemory::piece(const void* address, uint64_t size) const {
  const auto locked = lock();
  const auto next = pieces().upper_bound(number(address));
  if (next != pieces().begin()) {
    const auto [begin, piece] = *std::prev(next);
    if (begin + piece.size > number(address)) return std::min(size, begin + piece.size - number(address));
  }
  return next == pieces().end() ? size : std::min(size, next->first - number(address));
}

}  // namespace heddle::cuda
