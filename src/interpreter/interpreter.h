// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hsa/hsa_brig_modifiers.h>

#include "hsail/link/program.h"
#include "support/diagnostic.h"

/// The reference interpreter of HSAIL: it runs the code of a program directly from its BRIG, one instruction
/// after the other, written to be obviously right rather than fast. Everything else that executes HSAIL is
/// compared with it.
///
/// A DecodedProgram holds the decoded code of a program; a Runner executes work-groups of one dispatch on
/// the calling thread. Work-items are explicit state machines: no HSAIL call, barrier or spin loop ever uses
/// or blocks the native stack. The lanes of a wavefront execute in lockstep; where they diverge, they join
/// again at the immediate post-dominator, so that the active lanes of each instruction are those that
/// PRM 2.12 defines.
namespace heddle::interpreter {

/// Lanes of a wavefront: a power of two up to this (PRM 2.6.2). Each DecodedProgram has its own wave size.
inline constexpr uint32_t max_wave_size = 256;
constexpr bool is_wave_size(uint64_t lanes) {
  return lanes != 0 && lanes <= max_wave_size && (lanes & (lanes - 1)) == 0;
}

/// The null addresses of the segments whose address space the interpreter defines itself. Group and private
/// addresses start at 0, so the last value is free. PRM 4.8 leaves the choice to the agent.
inline constexpr uint32_t null_group = 0xffffffffu;
inline constexpr uint32_t null_private = 0xffffffffu;

struct Function;

/// A kernel ready to run. Lives as long as its DecodedProgram.
struct Kernel {
  const class DecodedProgram* program = nullptr;
  const Function* entry = nullptr;
  std::string name;
  link::Reference definition;
  link::GroupLayout group;
  link::KernargLayout kernarg;
  std::vector<uint32_t> group_offsets;    ///< by symbol index; valid only for symbols in `group`
  std::vector<uint32_t> private_offsets;  ///< by symbol index: private variables of module scope
  uint32_t module_private_size = 0;       ///< bytes of those variables
  /// Bytes of private memory that a work-item needs for the variables of module scope and for the private,
  /// spill and arg variables of the kernel and the functions it calls. Recursion, alloca and functions called
  /// by icall need more (dynamic_call_stack).
  uint32_t private_size = 0;
  bool dynamic_call_stack = false;
  bool early_return = false;  ///< barriers do not wait for work-items that have ended (docs/hsail.md)
};

/// The code of a program, decoded. Immutable, and usable by many threads, once all addresses are set.
class DecodedProgram {
 public:
  /// Decodes everything in `program`, on which resolve() has succeeded. `wave_size` is the value of WAVESIZE,
  /// the number of work-items in a wavefront. Never fails: an instruction that the interpreter does not have
  /// faults when it is executed.
  static std::unique_ptr<DecodedProgram> prepare(std::shared_ptr<const link::Program> program,
                                                 uint32_t wave_size = 1);
  /// The same for a program that the caller keeps for as long as the decoded program exists.
  static std::unique_ptr<DecodedProgram> prepare(const link::Program& program);
  ~DecodedProgram();

  const link::Program& program() const { return *program_; }
  uint32_t wave_size() const { return wave_size_; }

  /// Host address of a variable of the global or readonly segment, or the kernel object of a kernel: what
  /// lda, addr() and accesses of that symbol use. Indirect functions have their address from the start.
  void set_address(int32_t symbol, uint64_t address) { addresses_[symbol] = address; }
  uint64_t address(int32_t symbol) const { return addresses_[symbol]; }

  /// The kernel with this symbol; null if the symbol is not a defined kernel.
  const Kernel* kernel(int32_t symbol) const;
  /// The handle that icall calls, which is the value of addr(&function); 0 if the symbol is not a defined
  /// indirect function.
  uint64_t function_handle(int32_t symbol) const;

  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  DecodedProgram() = default;
  std::shared_ptr<const link::Program> program_;
  std::vector<uint64_t> addresses_;
  std::unique_ptr<Parts> parts_;
  uint32_t wave_size_ = 1;
};

/// An instruction that the interpreter does not execute.
struct Unsupported {
  link::Reference executable;    ///< the kernel or function that contains it
  brig::Offset instruction = 0;  ///< in hsa_code of that module
};

/// Finds all such instructions in the code that the kernels and indirect functions of a program reach, in the
/// order of the code. It uses the table that executes instructions, so a DecodedProgram for which nothing is
/// found runs without the fault INTERPRETER-unsupported-instruction.
std::vector<Unsupported> unsupported(const DecodedProgram& decoded);

/// One dispatch, as its packet describes it. Constant while it runs.
struct Dispatch {
  const Kernel* kernel = nullptr;
  const void* kernarg = nullptr;
  std::array<uint32_t, 3> grid_size{1, 1, 1};   ///< work-items
  std::array<uint32_t, 3> group_size{1, 1, 1};  ///< work-items
  uint32_t dimensions = 1;
  uint32_t dynamic_group_size = 0;  ///< bytes of group memory beyond the static size
  uint64_t packet_id = 0;
  uint64_t completion_signal = 0;
  /// Exceptions for which the policies are enabled (PRM 12.3) in addition to those that the kernel itself
  /// enables.
  uint32_t detect_exceptions = 0;
  uint32_t break_exceptions = 0;

  /// Work-groups in each dimension, partial ones included.
  std::array<uint32_t, 3> grid_groups() const;
  uint64_t group_count() const;
};

/// A signal operation of a kernel (PRM 6.8).
struct SignalRequest {
  uint64_t signal = 0;
  hsa_brig_atomic_operation_t operation = HSA_BRIG_ATOMIC_OPERATION_LD;
  hsa_brig_memory_order_t order = HSA_BRIG_MEMORY_ORDER_RELAXED;
  uint64_t value = 0;   ///< src0: operand, or the value to compare with
  uint64_t value2 = 0;  ///< src1 of cas
  uint64_t result = 0;  ///< out: value of the signal before the operation
};

/// A value of an event that a kernel triggers (PRM 13.4.2.1.1).
struct EventValue {
  enum class Kind : uint8_t { number32, number64, string, queue_id };
  Kind kind = Kind::number64;
  uint64_t bits = 0;  ///< string: its address; queue_id: 0, because only the agent knows it
};

/// A wait for a signal that continues while other work-items have their turns. The destructor ends it.
class SignalWatch {
 public:
  virtual ~SignalWatch() = default;
  /// The value that met the condition since the wait began, or nothing if none has met it.
  virtual std::optional<uint64_t> met() const = 0;
};

/// What the interpreter needs from its user. `context` is passed to each function.
struct Services {
  void* context = nullptr;
  /// System timestamp (PRM 11.4: clock). If null, the clock counts nanoseconds of the steady clock.
  uint64_t (*clock)(void* context) = nullptr;
  /// Performs any signal operation except waits, for which the interpreter requests loads. False if the
  /// signal is invalid. If null, signal instructions fault.
  bool (*signal)(void* context, SignalRequest& request) = nullptr;
  /// Begins a wait for a valid signal whose condition does not hold; `request` has the operation and the
  /// value to compare with. If null, waits look at the signal once in each turn and may miss a value that it
  /// has only for a moment.
  std::unique_ptr<SignalWatch> (*watch)(void* context, const SignalRequest& request) = nullptr;
  /// Returns the address of the write or read index of the user mode queue at `queue`, or null if there is no
  /// queue. If the function is null, queue instructions fault.
  uint64_t* (*queue_index)(void* context, uint64_t queue, bool write_index) = nullptr;
  /// Is told of each event that a work-item triggers, with what is known of the values. Strings live for the
  /// call. If null, events are ignored.
  void (*event)(void* context, uint64_t event, std::span<const EventValue> values) = nullptr;
  uint32_t compute_unit = 0;
  uint32_t max_compute_unit = 0;
};

struct Context;

/// Is called before each instruction, for debuggers. machine.h declares the state that it may look at.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `context` is the work-item that executes next; in waves of several lanes this is called for each active
  /// lane. False ends the dispatch.
  virtual bool before(Context& context) = 0;
};

struct RunnerOptions {
  /// May be null. Execution is slower only if there is one.
  Observer* observer = nullptr;
  /// Bytes of private memory of one work-item: Kernel::private_size and whatever a dynamic call stack needs
  /// beyond it.
  uint32_t private_size = 256 * 1024;
  /// The number of work-groups that advance together and may therefore wait for each other, which is more
  /// than PRM 2.13 promises.
  uint32_t groups_in_flight = 4;
  /// The number of work-groups in flight grows up to this while none of them ends, because they may wait for
  /// groups that have not started. PRM 2.13 does not promise this, but existing programs rely on it.
  uint32_t groups_in_flight_max = 32;
  /// If true, groups wait for all others: no memory for one of groups_in_flight_max is a fault.
  bool needs_all_groups = false;
  /// Instructions that one work-item, or wavefront of several lanes, executes before it is the turn of the
  /// next.
  uint32_t slice = 512;
  /// The agent's largest work-group in work-items, from which waveid is computed so that it differs between
  /// waves that are in flight together.
  uint32_t largest_group = 1024;
  /// If true, an access to an address without memory ends the dispatch with a fault, instead of the process
  /// with a signal. The runner then handles SIGSEGV and SIGBUS of its own accesses and passes all others on.
  bool guard_memory = true;
  /// The largest number of activations of functions in one work-item.
  uint32_t call_depth = 1u << 16;
};

/// Why a dispatch stopped.
struct Fault {
  std::string id;       ///< "INTERPRETER-...": stable
  std::string message;  ///< names work-item, kernel or function, and instruction
  const brig::Module* module =
      nullptr;  ///< module of the instruction, or null if there is none; lives as long as the DecodedProgram
  brig::Offset instruction = 0;
  std::optional<uint64_t> address = std::nullopt;  ///< of a memory fault: what was accessed
};

/// The source of a runner's work-groups, which may also end the run early.
class GroupSource {
 public:
  virtual ~GroupSource() = default;
  /// Gives the next work-group by its flattened ID; false when none are left for this thread.
  virtual bool take(uint64_t& group) = 0;
  virtual bool stopped() { return false; }
  /// Called when all work-items wait for something outside the runner and none has advanced. `fruitless`
  /// counts these calls in a row.
  virtual void idle(uint32_t fruitless) { static_cast<void>(fruitless); }
  /// Called before a round of turns that may end in wait_for_signals(): a change of the signals from now on
  /// makes that call return at once.
  virtual void watch_signals() {}
  /// The same as idle(), but called when the work-items wait only for signals that Services::watch watches,
  /// or for the clock to reach `deadline` (~0 means never).
  virtual void wait_for_signals(uint32_t fruitless, uint64_t deadline) {
    static_cast<void>(deadline);
    idle(fruitless);
  }
};

/// Gives the groups [first, last) until `cancel`, which may be null, becomes true.
class GroupRange final : public GroupSource {
 public:
  GroupRange(uint64_t first, uint64_t last, const std::atomic<bool>* cancel = nullptr)
      : next_(first), last_(last), cancel_(cancel) {}
  bool take(uint64_t& group) override {
    if (next_ >= last_) return false;
    group = next_++;
    return true;
  }
  bool stopped() override { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }

 private:
  uint64_t next_;
  uint64_t last_;
  const std::atomic<bool>* cancel_;
};

/// Executes work-groups of one dispatch on the calling thread. Several runners may share a dispatch.
class Runner {
 public:
  enum class Outcome : uint8_t { done, faulted, stopped };

  explicit Runner(const Dispatch& dispatch, const Services& services = {}, const RunnerOptions& options = {});
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Runs groups from `source` until none are left. Groups start in the order in which they are given, and at
  /// most groups_in_flight_max of them advance in turns. After a fault the runner must not be used again.
  Outcome run(GroupSource& source);
  /// Why run() returned `faulted`.
  const Fault& fault() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::interpreter
