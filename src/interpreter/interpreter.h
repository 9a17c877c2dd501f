// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hsa/hsa_brig_modifiers.h>

#include "hsail/link/program.h"
#include "support/diagnostic.h"

/// The reference interpreter of HSAIL: it runs the code of a program directly from its BRIG, one instruction
/// after the other, written to be obviously right rather than fast. Everything else that executes HSAIL is
/// compared with it.
///
/// An Image holds the decoded code of a program; a Runner executes work-groups of one dispatch on the calling
/// thread. Work-items are explicit state machines: no HSAIL call, barrier or spin loop ever uses or blocks
/// the native stack. The lanes of a wavefront execute in lockstep; where they part they join again at the
/// immediate post-dominator, so that the active lanes of each instruction are those that PRM 2.12 defines.
namespace heddle::interpreter {

/// Lanes of a wavefront: a power of two up to this (PRM 2.6.2). Each Image has its own wave size.
inline constexpr uint32_t max_wave_size = 256;
constexpr bool is_wave_size(uint64_t lanes) {
  return lanes != 0 && lanes <= max_wave_size && (lanes & (lanes - 1)) == 0;
}

/// Null addresses of the segments whose address space is the interpreter's own. Group and private addresses
/// start at 0, so that the last value is free (PRM 4.8 of the agent's choice).
inline constexpr uint32_t null_group = 0xffffffffu;
inline constexpr uint32_t null_private = 0xffffffffu;

struct Function;

/// A kernel ready to run. Lives as long as its Image.
struct Kernel {
  const class Image* image = nullptr;
  const Function* entry = nullptr;
  std::string name;
  link::Reference definition;
  link::GroupLayout group;
  link::KernargLayout kernarg;
  std::vector<uint32_t> group_offsets;    ///< by symbol index; only those in `group` mean something
  std::vector<uint32_t> private_offsets;  ///< by symbol index: private variables of module scope
  uint32_t module_private_size = 0;       ///< bytes of those variables
  /// Bytes of private memory that a work-item needs: those variables, and the private, spill and arg
  /// variables of the kernel and of what it calls. Repeated activations, alloca and what is called by icall
  /// need more (dynamic_call_stack).
  uint32_t private_size = 0;
  bool dynamic_call_stack = false;
};

/// The code of a program, decoded. Immutable once all addresses are set; may then be used by many threads.
class Image {
 public:
  /// Decodes everything in `program`, on which resolve() has succeeded. `default_rounding` replaces the
  /// default rounding of a program that leaves it open: FLOAT_NEAR_EVEN or FLOAT_ZERO. `wave_size` is what
  /// WAVESIZE means, and how many work-items share a wavefront. Never fails: an instruction that the
  /// interpreter does not have faults when it is executed.
  static std::unique_ptr<Image> prepare(std::shared_ptr<const link::Program> program,
                                        hsa_brig_round_t default_rounding = HSA_BRIG_ROUND_FLOAT_NEAR_EVEN,
                                        uint32_t wave_size = 1);
  /// The same for a program that its owner keeps for as long as the image lives.
  static std::unique_ptr<Image> prepare(const link::Program& program);
  ~Image();

  const link::Program& program() const { return *program_; }
  uint32_t wave_size() const { return wave_size_; }

  /// Host address of a variable of the global or readonly segment, or the kernel object of a kernel: what
  /// lda, addr() and accesses of that symbol use. Indirect functions have theirs from the start.
  void set_address(int32_t symbol, uint64_t address) { addresses_[symbol] = address; }
  uint64_t address(int32_t symbol) const { return addresses_[symbol]; }

  /// The kernel with this symbol; null if the symbol is no defined kernel.
  const Kernel* kernel(int32_t symbol) const;
  /// What icall calls: the value of addr(&function); 0 if the symbol is no defined indirect function.
  uint64_t function_handle(int32_t symbol) const;

  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  Image() = default;
  std::shared_ptr<const link::Program> program_;
  std::vector<uint64_t> addresses_;
  std::unique_ptr<Parts> parts_;
  uint32_t wave_size_ = 1;
};

/// An instruction that the interpreter does not execute.
struct Unsupported {
  link::Reference executable;    ///< whose code block it stands in
  brig::Offset instruction = 0;  ///< in hsa_code of that module
};

/// All of those in what the kernels and indirect functions of a program reach, in the order of the code, by
/// the table that executes: an Image without any runs without INTERPRETER-unsupported-instruction.
std::vector<Unsupported> unsupported(const Image& image);

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
  /// Exceptions enabled for the policies (PRM 12.3) beside those that the kernel itself enables.
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

/// A signal wait that goes on while other work-items have their turns. It ends with the object.
class SignalWatch {
 public:
  virtual ~SignalWatch() = default;
  /// Whether a value that was sent since the wait began met its condition; then that value.
  virtual std::optional<uint64_t> met() const = 0;
};

/// What the interpreter needs from whoever runs it.
struct Services {
  void* context = nullptr;
  /// System timestamp (PRM 11.4: clock). Null: nanoseconds of the steady clock.
  uint64_t (*clock)(void* context) = nullptr;
  /// Performs any signal operation but the waits, for which it is asked to load. False if the signal is
  /// invalid. Null: signal instructions fault.
  bool (*signal)(void* context, SignalRequest& request) = nullptr;
  /// Begins a wait for a valid signal whose condition does not hold; `request` has the operation and the
  /// value to compare with. Null: waits look at the signal in turns and may miss what it is only for a
  /// moment.
  std::unique_ptr<SignalWatch> (*watch)(void* context, const SignalRequest& request) = nullptr;
  /// Where the write or read index of a user mode queue lies, by the address of the queue. Null result: no
  /// queue. Null: queue instructions fault.
  uint64_t* (*queue_index)(void* context, uint64_t queue, bool write_index) = nullptr;
  uint32_t compute_unit = 0;
  uint32_t max_compute_unit = 0;
};

struct Context;

/// Sees each instruction before it executes; for debuggers (machine.h has what it looks at).
class Observer {
 public:
  virtual ~Observer() = default;
  /// `context` is the work-item that executes next; in waves of several lanes called for each active one.
  /// False ends the dispatch.
  virtual bool before(Context& context) = 0;
};

struct RunnerOptions {
  /// May be null. Only its presence costs time.
  Observer* observer = nullptr;
  /// Bytes of private memory of one work-item: Kernel::private_size, and what a dynamic call stack takes
  /// beyond it.
  uint32_t private_size = 256 * 1024;
  /// Work-groups that advance together, so that they may wait for each other (PRM 2.13 promises less).
  uint32_t groups_in_flight = 4;
  /// So many if none of them ends for a while: they may wait for groups that have not started (more than PRM
  /// 2.13 promises, but programs are about that count on it).
  uint32_t groups_in_flight_max = 32;
  /// Instructions that one work-item, or wavefront of several lanes, executes before it is the turn of the
  /// next.
  uint32_t slice = 512;
  /// Largest work-group of the agent, in work-items: sets waves that are in flight together apart (waveid).
  uint32_t largest_group = 1024;
  /// Accesses to addresses without memory end the dispatch with a fault instead of the process with a signal.
  /// The runner then handles SIGSEGV and SIGBUS of its own accesses, and passes all others on.
  bool guard_memory = true;
  /// Activations of functions in one work-item.
  uint32_t call_depth = 1u << 16;
};

/// Why a dispatch stopped.
struct Fault {
  std::string id;       ///< "INTERPRETER-...": stable
  std::string message;  ///< with work-item, kernel or function, and instruction
  const brig::Module* module =
      nullptr;  ///< of the instruction; null: there is none. Lives as long as the Image
  brig::Offset instruction = 0;
};

/// Where a runner gets its work-groups from, and who may end it early.
class GroupSource {
 public:
  virtual ~GroupSource() = default;
  /// The next work-group, counted in flattened work-group order; false when there are none left for this
  /// thread.
  virtual bool take(uint64_t& group) = 0;
  virtual bool stopped() { return false; }
  /// All work-items wait for something outside; called each time that nothing has moved, `fruitless` times in
  /// a row.
  virtual void idle(uint32_t fruitless) { static_cast<void>(fruitless); }
  /// Called before a round of turns that may end in wait_for_signals(): what happens to the signals from now
  /// on ends that at once.
  virtual void watch_signals() {}
  /// The same as idle(), and all that can move any work-item is a signal that Services::watch watches, or the
  /// clock at `deadline` (~0: never).
  virtual void wait_for_signals(uint32_t fruitless, uint64_t deadline) {
    static_cast<void>(deadline);
    idle(fruitless);
  }
};

/// The groups [first, last), until `cancel` (may be null) becomes true.
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

  /// Runs groups from `source` until there are none. Work-groups start in the order in which they come; at
  /// most groups_in_flight_max of them advance in turns. After a fault the runner must not be used again.
  Outcome run(GroupSource& source);
  /// Why run() gave `faulted`.
  const Fault& fault() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::interpreter
