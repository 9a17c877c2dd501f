// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/op.h"

/// The state of work-items, wavefronts and work-groups in execution, and what handlers do with it.
namespace heddle::interpreter {

/// The memory of the caller to which a formal argument refers. Arguments are passed by value (PRM 10.2);
/// since callees only load inputs and only store outputs, referring to the caller's copy is the same thing.
struct Binding {
  uint32_t offset = 0;  ///< in private memory
  uint32_t size = 0;
};

/// One activation of a kernel or function.
struct Frame {
  const Function* function = nullptr;
  uint32_t next = 0;          ///< index of the op to execute next
  uint32_t registers = 0;     ///< first word in WorkItem::registers
  uint32_t memory = 0;        ///< start of its variables in private memory
  uint32_t bindings = 0;      ///< first in WorkItem::bindings
  uint32_t previous_top = 0;  ///< WorkItem::top before the call
};

struct WorkItem {
  enum class State : uint8_t {
    ready,
    at_barrier,
    at_fbarrier,
    waiting,  ///< for a signal: the instruction is executed again in the next turn
    finished,
  };
  State state = State::ready;
  uint32_t flat_id = 0;        ///< current work-item flattened ID
  uint32_t id[3] = {0, 0, 0};  ///< workitemid
  std::vector<Frame> frames;
  std::vector<uint64_t> registers;
  std::vector<Binding> bindings;
  std::byte* memory = nullptr;  ///< private memory
  uint32_t memory_size = 0;
  uint32_t top = 0;                   ///< end of the private memory in use, bytes
  uint64_t wait_until = 0;            ///< end of a signal wait in progress, ticks; 0: none
  std::unique_ptr<SignalWatch> wait;  ///< a signal wait in progress, if the services watch it
  const Op* barrier = nullptr;        ///< the barrier or waitfbar at which the work-item waits
  uint32_t fbarrier = 0;              ///< handle of the fbarrier at which the work-item waits
};

/// Reports whether a work-item needs others to go on, or has ended.
inline bool is_blocked(const WorkItem& item) {
  return item.state == WorkItem::State::at_barrier || item.state == WorkItem::State::at_fbarrier ||
         item.state == WorkItem::State::finished;
}

/// The lanes of a wavefront that execute together after a divergence, and the place where they wait for the
/// lanes that took other paths.
struct Path {
  std::vector<uint32_t> items;  ///< indices in the group, ascending
  uint32_t depth = 0;           ///< activation in which they join the path below, from 1; 0: never
  uint32_t join = 0;            ///< they join when this op is next in that activation
};

/// WAVESIZE work-items of consecutive current flattened IDs (PRM 2.6).
struct Wave {
  uint32_t first = 0;     ///< index of the first work-item in the group
  uint32_t lanes = 0;     ///< fewer in the last wave of a group
  uint32_t detected = 0;  ///< exceptions detected so far (PRM 11.2.3)
  /// The paths of divergent control flow, innermost last. The last one executes and the others wait. Empty in
  /// waves of one lane.
  std::vector<Path> paths;
};

/// An initialized fbarrier (PRM 9.2.1). Wavefronts are identified by their number in the group.
struct Fbarrier {
  std::set<uint32_t> members;
  std::set<uint32_t> arrived;
};

/// One work-group in execution.
struct Group {
  const Dispatch* dispatch = nullptr;
  const Services* services = nullptr;
  const RunnerOptions* options = nullptr;
  uint64_t flat_id = 0;
  uint32_t slot = 0;  ///< index among the groups in flight
  uint32_t id[3] = {0, 0, 0};
  uint32_t current_size[3] = {1, 1, 1};
  uint32_t wave_size = 1;
  std::vector<WorkItem> items;
  std::vector<Wave> waves;
  std::byte* memory = nullptr;  ///< group segment
  uint32_t memory_size = 0;
  std::map<uint32_t, Fbarrier> fbarriers;  ///< initialized ones, by handle: the offset in the group segment
  uint32_t detect_exceptions = 0;
  uint32_t break_exceptions = 0;
  uint32_t unfinished = 0;
  std::optional<Fault> fault;

  const Kernel& kernel() const { return *dispatch->kernel; }
};

/// What a handler works on: the current work-item and its current activation. The handler of a collective op
/// is called once, with the context of the first active lane.
struct Context {
  Group& group;
  WorkItem& item;
  const Function* function = nullptr;
  Frame* frame = nullptr;
  uint64_t* registers = nullptr;
  bool stop = false;  ///< the turn of this work-item ends after this instruction
  const Op* op = nullptr;
  /// The lanes of the wavefront that execute a collective op, in lane order.
  std::span<Context* const> active;

  /// Must be called after frames were pushed or popped.
  void load_frame() {
    frame = &item.frames.back();
    function = frame->function;
    registers = item.registers.data() + frame->registers;
  }
  uint32_t wave_size() const { return group.wave_size; }
  uint32_t wave_id() const { return item.flat_id / group.wave_size; }  ///< within the group
  uint32_t lane() const { return item.flat_id % group.wave_size; }
  Wave& wave() { return group.waves[wave_id()]; }
};

/// workitemabsid (PRM 2.3.3).
inline uint32_t absolute_id(const Context& context, unsigned dimension) {
  return context.group.id[dimension] * context.group.dispatch->group_size[dimension] +
         context.item.id[dimension];
}
/// The work-item flattened absolute ID (PRM 2.3).
inline uint64_t flat_absolute_id(const Context& context) {
  const auto& size = context.group.dispatch->grid_size;
  return absolute_id(context, 0) + uint64_t{absolute_id(context, 1)} * size[0] +
         uint64_t{absolute_id(context, 2)} * size[0] * size[1];
}

/// Ends the dispatch. The position of the current instruction is added to the message.
void fault(Context& context, std::string id, std::string message);
/// The same for an access of memory that does not exist.
void memory_fault(Context& context, uint64_t address, std::string message);
/// The message of the fault INTERPRETER-stack-exhausted when `who` needs `needed` bytes of private memory in
/// all.
std::string need_of_private_memory(std::string_view who, uint64_t needed, const WorkItem& item);

// ---- operands ----
inline const Operand& operand(const Context& context, const Op& op, unsigned index) {
  return context.function->operands[op.operands + index];
}
/// The elements of a vector operand; for other operands, the operand alone.
inline std::span<const Operand> elements(const Context& context, const Operand& operand) {
  if (operand.kind != Operand::Kind::vector) return {&operand, 1};
  return std::span<const Operand>(context.function->operands).subspan(operand.index, operand.count);
}
/// The value of a register or immediate. Bits above its size are zero.
Value read(const Context& context, const Operand& operand);
/// The low 64 bits of an operand, truncated to the type that the instruction expects.
uint64_t read_scalar(const Context& context, const Operand& operand);
inline uint64_t read_scalar(const Context& context, const Op& op, unsigned index) {
  return read_scalar(context, operand(context, op, index));
}
/// Writes a register. A value whose type is smaller than the register is sign-extended if the type is signed,
/// and otherwise zero-extended (PRM 4.16.2).
void write(Context& context, const Operand& operand, isa::Type type, Value value);
inline void write_scalar(Context& context, const Op& op, uint64_t value) {
  write(context, operand(context, op, 0), op.type, {value, 0});
}

// ---- memory ----
/// The value of an address expression within its segment.
uint64_t effective_address(const Context& context, const Address& address);
/// Host address of `size` bytes at the address expression, or null after a fault because the address is
/// outside the segment, in the null page, or not a multiple of `align`.
std::byte* locate(Context& context, unsigned segment, const Address& address, uint64_t size,
                  uint32_t align = 1);
std::byte* locate_flat(Context& context, uint64_t address, uint64_t size, uint32_t align);

/// Pushes an activation; faults if private memory or call depth are exhausted.
bool enter(Context& context, const Function& function, const CallSite* site);

}  // namespace heddle::interpreter
