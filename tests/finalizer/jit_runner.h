// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads a code object for this CPU into the process and runs its kernels directly, without runtime and agent.
// For tests.
#pragma once

#include <sys/mman.h>
#include <xmmintrin.h>

#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "codeobject/code_object.h"
#include "codeobject/kernel_abi.h"
#include "support/float_exceptions.h"

namespace heddle::testing {

/// For functions that call loaded code. UndefinedBehaviorSanitizer looks for a type signature in front of
/// each function that is called through a pointer, and loaded code has none.
#if defined(__clang__)
#define HEDDLE_TEST_CALLS_LOADED_CODE __attribute__((no_sanitize("function")))
#else
#define HEDDLE_TEST_CALLS_LOADED_CODE
#endif

/// Sizes of a dispatch; unused dimensions are 1.
struct Shape {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t group[3] = {1, 1, 1};
  uint32_t dimensions = 1;
};

/// Why a dispatch ended early: the reason that the kernel passed to support_trap, or a private segment that
/// is too small.
struct Trap {
  bool taken = false;
  uint32_t reason = 0;
  uint32_t detail = 0;
};

/// One loaded code object. Not thread safe.
class LoadedCode {
 public:
  /// `external` defines variables that the code object only declares, by linker name.
  explicit LoadedCode(codeobject::CodeObject object, const std::map<std::string, void*>& external = {})
      : object_(std::move(object)) {
    place_variables(external);
    map_code();
    for (const codeobject::Relocation& relocation : object_.relocations) relocate(relocation);
    if (::mprotect(base_, text_pages_, PROT_READ | PROT_EXEC) != 0)
      throw std::runtime_error("mprotect of text");
    if (mapped_ != text_pages_ && ::mprotect(base_ + text_pages_, mapped_ - text_pages_, PROT_READ) != 0)
      throw std::runtime_error("mprotect of data");
  }
  LoadedCode(const LoadedCode&) = delete;
  ~LoadedCode() {
    if (base_) ::munmap(base_ - page, page + mapped_);
  }

  const codeobject::CodeObject& object() const { return object_; }
  void* variable(const std::string& linker_name) const {
    for (size_t i = 0; i < object_.variables.size(); ++i)
      if (object_.variables[i].linker_name == linker_name) return variables_[i];
    throw std::runtime_error("no variable " + linker_name);
  }
  const codeobject::Kernel& kernel(const std::string& name) const {
    for (const auto& kernel : object_.kernels)
      if (kernel.name == name) return kernel;
    throw std::runtime_error("no kernel " + name);
  }

  struct RunOptions {
    uint32_t dynamic_group_size = 0;
    uint32_t extra_private_size = 4096;  ///< beyond the static size: for alloca and recursion
    std::function<void()> barrier;       ///< called at barriers; without it a barrier does nothing
    uint64_t packet_id = 7;
    uint64_t completion_signal = 0x5160;
  };

  /// Runs all work-items of a dispatch one after the other on this thread. Kernels whose work-items wait for
  /// each other cannot run this way.
  HEDDLE_TEST_CALLS_LOADED_CODE Trap run(const std::string& kernel_name, const void* kernarg,
                                         const Shape& shape, const RunOptions& options) {
    const codeobject::Kernel& k = kernel(kernel_name);
    Session session(k, kernarg, shape, options);
    const unsigned environment = _mm_getcsr();
    current() = &session;
    if (setjmp(session.escape) == 0) {
      if (k.groups_entry != codeobject::no_entry) {
        code<kernel_abi::GroupsEntry>(k.groups_entry)(&session.worker, 0, session.groups());
      } else {
        run_waves(session, code<kernel_abi::WaveEntry>(k.wave_entry), k.lanes);
      }
    }
    _mm_setcsr(environment);  // a trap has left the kernel's
    current() = nullptr;
    return session.trap;
  }
  Trap run(const std::string& kernel_name, const void* kernarg, const Shape& shape) {
    return run(kernel_name, kernarg, shape, RunOptions{});
  }

  /// Returns the address of an offset in the text.
  template <typename Entry>
  Entry code(uint64_t offset) const {
    return reinterpret_cast<Entry>(base_ + offset);
  }

  /// The worker of one dispatch and all that it refers to. Tests may also call entries with it directly.
  struct Session {
    Session(const codeobject::Kernel& k, const void* kernarg, const Shape& shape, const RunOptions& options)
        : barrier(options.barrier) {
      dispatch.kernarg = reinterpret_cast<uint64_t>(kernarg);
      for (int d = 0; d < 3; ++d) {
        dispatch.grid_size[d] = shape.grid[d];
        dispatch.group_size[d] = shape.group[d];
        dispatch.grid_groups[d] = (shape.grid[d] + shape.group[d] - 1) / shape.group[d];
      }
      dispatch.dimensions = shape.dimensions;
      dispatch.packet_id = options.packet_id;
      dispatch.completion_signal = options.completion_signal;
      dispatch.group_static_size = k.group_size;
      dispatch.group_total_size = k.group_size + options.dynamic_group_size;
      dispatch.private_size = k.private_size + options.extra_private_size;
      dispatch.private_stride = (dispatch.private_size + 63) / 64 * 64;
      group_memory.reset(
          static_cast<char*>(std::aligned_alloc(256, (dispatch.group_total_size + 512) / 256 * 256)));
      // Waves with frames exist all at the same time, others one after the other.
      const uint32_t items = shape.group[0] * shape.group[1] * shape.group[2];
      const uint32_t waves = k.frame_size == 0 ? 1 : (items + k.lanes - 1) / k.lanes;
      private_memory.reset(static_cast<char*>(
          std::aligned_alloc(256, (size_t{waves} * k.lanes * dispatch.private_stride + 512) / 256 * 256)));
      frames.reset(
          static_cast<char*>(std::aligned_alloc(256, (size_t{waves} * k.frame_size + 512) / 256 * 256)));
      worker.dispatch = &dispatch;
      worker.group_base = reinterpret_cast<uint64_t>(group_memory.get());
      worker.private_base = reinterpret_cast<uint64_t>(private_memory.get());
      worker.frames = reinterpret_cast<uint64_t>(frames.get());
      worker.frame_size = k.frame_size;
      worker.compute_unit = 2;
      worker.max_compute_unit = 5;
      worker.support = support_table();
    }
    uint64_t groups() const {
      return uint64_t{dispatch.grid_groups[0]} * dispatch.grid_groups[1] * dispatch.grid_groups[2];
    }
    struct Free {
      void operator()(char* memory) const { std::free(memory); }
    };
    kernel_abi::Dispatch dispatch = {};
    kernel_abi::Worker worker = {};
    std::unique_ptr<char, Free> group_memory, private_memory, frames;
    std::function<void()> barrier;
    std::jmp_buf escape;
    Trap trap;
    uint64_t clock = 1000;
    uint64_t yields = 0;
  };

 private:
  static Session*& current() {
    static thread_local Session* session = nullptr;
    return session;
  }

  static void support_barrier(kernel_abi::Worker*) {
    if (current()->barrier) current()->barrier();
  }
  static void support_yield(kernel_abi::Worker*) {
    // No other work-item runs, so a kernel that still waits would wait for ever.
    if (++current()->yields > 1000000) support_trap(nullptr, 0xffff, 0);
  }
  [[noreturn]] static void support_trap(kernel_abi::Worker*, uint32_t reason, uint32_t detail) {
    Session* session = current();
    session->trap = {true, reason, detail};
    std::longjmp(session->escape, 1);
  }
  static uint64_t support_clock(kernel_abi::Worker*) { return ++current()->clock; }
  static void support_stack_check(kernel_abi::Worker* worker, uint32_t used) {
    if (used > worker->dispatch->private_size) support_trap(worker, kernel_abi::trap_private_exhausted, used);
  }
  /// Ends kernels that need an agent or further waves.
  static void support_missing(kernel_abi::Worker* worker) { support_trap(worker, 0xfffe, 0); }
  static uint32_t support_exceptions(kernel_abi::Worker*, uint32_t operation, uint64_t a, uint64_t b,
                                     uint64_t c) {
    return exact::exceptions_of(exact::Description::decode(operation), a, b, c);
  }
  static const void* const* support_table() {
    static const void* const table[kernel_abi::support_count] = {
        reinterpret_cast<const void*>(&support_barrier),     reinterpret_cast<const void*>(&support_yield),
        reinterpret_cast<const void*>(&support_trap),        reinterpret_cast<const void*>(&support_clock),
        reinterpret_cast<const void*>(&support_stack_check), reinterpret_cast<const void*>(&support_missing),
        reinterpret_cast<const void*>(&support_missing),     reinterpret_cast<const void*>(&support_missing),
        reinterpret_cast<const void*>(&support_exceptions)};
    return table;
  }

  HEDDLE_TEST_CALLS_LOADED_CODE static void run_waves(Session& session, kernel_abi::WaveEntry entry,
                                                      uint32_t lanes) {
    auto& w = session.worker;
    const auto& d = session.dispatch;
    for (uint64_t g = 0; g < session.groups(); ++g) {
      const uint64_t ids[3] = {g % d.grid_groups[0], g / d.grid_groups[0] % d.grid_groups[1],
                               g / d.grid_groups[0] / d.grid_groups[1]};
      uint32_t items = 1;
      for (int i = 0; i < 3; ++i) {
        w.group_id[i] = static_cast<uint32_t>(ids[i]);
        w.current_group_size[i] = std::min(d.group_size[i], d.grid_size[i] - w.group_id[i] * d.group_size[i]);
        items *= w.current_group_size[i];
      }
      for (uint32_t item = 0; item < items; item += lanes) entry(&w, item);
    }
  }

  void place_variables(const std::map<std::string, void*>& external) {
    for (const codeobject::Variable& variable : object_.variables) {
      if (!variable.defined) {
        const auto found = external.find(variable.linker_name);
        variables_.push_back(found == external.end() ? nullptr : found->second);
        continue;
      }
      const size_t size = (variable.size + 255) / 256 * 256 + 256;
      storage_.emplace_back(static_cast<char*>(std::aligned_alloc(256, size)));
      std::memset(storage_.back().get(), 0, size);
      if (!variable.init.empty())
        std::memcpy(storage_.back().get(), variable.init.data(), variable.init.size());
      variables_.push_back(storage_.back().get());
    }
  }

  static constexpr size_t page = 4096;

  void map_code() {
    text_pages_ = codeobject::data_offset(object_);
    mapped_ = text_pages_ + (object_.data.size() + page - 1) / page * page;
    if (mapped_ == 0) return;
    void* memory =
        ::mmap(nullptr, page + mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    base_ = static_cast<char*>(memory) + page;
    // The page in front of the code is inaccessible, so that every read in front of the code faults.
    if (::mprotect(memory, page, PROT_NONE) != 0) throw std::runtime_error("mprotect of the guard");
    std::memcpy(base_, object_.text.data(), object_.text.size());
    if (!object_.data.empty()) std::memcpy(base_ + text_pages_, object_.data.data(), object_.data.size());
  }

  uint64_t value_of(const codeobject::Relocation& r) const {
    using What = codeobject::Relocation::What;
    const auto address = [](const void* p) { return reinterpret_cast<uint64_t>(p); };
    switch (r.what) {
      case What::text_base:
        return address(base_);
      case What::data_base:
        return address(base_ + text_pages_);
      case What::variable:
        return address(variables_.at(r.symbol));
      case What::kernel:
        return 0x4b00 + r.symbol;  // handles belong to the agent; these only tell kernels apart
      case What::function:
        return address(base_) + object_.functions.at(r.symbol).entry;
      case What::null_group:
        return kernel_abi::null_group;
      case What::null_private:
        return kernel_abi::null_private;
      case What::null_kernarg:
        return kernel_abi::null_kernarg;
      default:
        return kernel_abi::null_flat;
    }
  }

  void relocate(const codeobject::Relocation& r) {
    const uint64_t value = value_of(r) + static_cast<uint64_t>(r.addend);
    char* place = r.where == codeobject::Relocation::Where::data
                      ? base_ + text_pages_
                      : static_cast<char*>(variables_.at(r.holder));
    std::memcpy(place + r.offset, &value, r.size);
  }

  codeobject::CodeObject object_;
  std::vector<void*> variables_;
  std::vector<std::unique_ptr<char, Session::Free>> storage_;
  char* base_ = nullptr;
  size_t text_pages_ = 0;
  size_t mapped_ = 0;
};

}  // namespace heddle::testing
