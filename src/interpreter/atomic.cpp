// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic memory instructions, fences, signals and user mode queues (PRM 6.5 to 6.9, 11.3).
//
// Every synchronizing operation is sequentially consistent, whatever order and scope it asks for. This is at
// least as strong as what it asks for, and lets the host take part in all of them.
#include <atomic>
#include <chrono>

#include <fmt/format.h>

#include "hsail/isa/names.h"
#include "hsail/isa/types.h"
#include "interpreter/families.h"
#include "interpreter/guard.h"

namespace heddle::interpreter {
namespace {

struct Numbers {
  Kind kind;
  unsigned bits;
  bool less(uint64_t a, uint64_t b) const {
    return kind == Kind::signed_integer ? sign_extend(a, bits) < sign_extend(b, bits) : a < b;
  }
};

/// The value in memory after a read-modify-write operation (PRM 6.6.2).
uint64_t modified(unsigned operation, Numbers type, uint64_t old, uint64_t value, uint64_t value2) {
  switch (operation) {
    case HSA_BRIG_ATOMIC_OPERATION_ADD:
      return old + value;
    case HSA_BRIG_ATOMIC_OPERATION_SUB:
      return old - value;
    case HSA_BRIG_ATOMIC_OPERATION_AND:
      return old & value;
    case HSA_BRIG_ATOMIC_OPERATION_OR:
      return old | value;
    case HSA_BRIG_ATOMIC_OPERATION_XOR:
      return old ^ value;
    case HSA_BRIG_ATOMIC_OPERATION_EXCH:
    case HSA_BRIG_ATOMIC_OPERATION_ST:
      return value;
    case HSA_BRIG_ATOMIC_OPERATION_MAX:
      return type.less(old, value) ? value : old;
    case HSA_BRIG_ATOMIC_OPERATION_MIN:
      return type.less(value, old) ? value : old;
    case HSA_BRIG_ATOMIC_OPERATION_WRAPINC:
      return old >= value ? 0 : old + 1;
    case HSA_BRIG_ATOMIC_OPERATION_WRAPDEC:
      return old == 0 || old > value ? value : old - 1;
    case HSA_BRIG_ATOMIC_OPERATION_CAS:
      return old == value ? value2 : old;
    default:
      return old;
  }
}

template <typename T>
uint64_t perform(std::byte* at, unsigned operation, Kind kind, uint64_t value, uint64_t value2) {
  const GuardedAccess access;
  std::atomic_ref<T> cell(*reinterpret_cast<T*>(at));
  if (operation == HSA_BRIG_ATOMIC_OPERATION_LD) return cell.load();
  if (operation == HSA_BRIG_ATOMIC_OPERATION_ST) {
    cell.store(static_cast<T>(value));
    return 0;
  }
  T old = cell.load();
  const Numbers type{kind, sizeof(T) * 8};
  while (!cell.compare_exchange_weak(old, static_cast<T>(modified(operation, type, old, value, value2)))) {
  }
  return old;
}

void run_atomic(Context& context, const Op& op) {
  const bool returns = op.opcode == HSA_BRIG_OPCODE_ATOMIC;
  const unsigned at = returns ? 1 : 0;  // the address operand; values follow
  const unsigned size = isa::byte_size(op.type);
  const Address& address = context.function->addresses[operand(context, op, at).index];
  std::byte* memory = locate(context, op.segment, address, size, size);
  if (memory == nullptr) return;
  const uint64_t value = op.operand_count > at + 1 ? read_scalar(context, op, at + 1) : 0;
  const uint64_t value2 = op.operand_count > at + 2 ? read_scalar(context, op, at + 2) : 0;
  const Kind kind = kind_of(op.type);
  const uint64_t old = size == 8 ? perform<uint64_t>(memory, op.atomic, kind, value, value2)
                                 : perform<uint32_t>(memory, op.atomic, kind, value, value2);
  if (returns) write_scalar(context, op, old);
}

void run_memfence(Context&, const Op&) { std::atomic_thread_fence(std::memory_order_seq_cst); }

// ---- signals ----
bool signal_operation(Context& context, SignalRequest& request) {
  const Services& services = *context.group.services;
  if (services.signal == nullptr) {
    fault(context, "INTERPRETER-no-signals", "whoever runs this kernel offers no signals");
    return false;
  }
  const GuardedAccess access;  // handles are addresses
  if (request.signal == 0 || !services.signal(services.context, request)) {
    fault(context, "INTERPRETER-invalid-signal", fmt::format("0x{:x} is not a signal", request.signal));
    return false;
  }
  return true;
}

bool condition_holds(unsigned operation, int64_t value, int64_t operand) {
  switch (operation) {
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_EQ:
      return value == operand;
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_NE:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_NE:
      return value != operand;
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_LT:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_LT:
      return value < operand;
    default:
      return value >= operand;
  }
}

uint64_t now(const Context& context) {
  const Services& services = *context.group.services;
  if (services.clock != nullptr) return services.clock(services.context);
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Looks at the signal once. If the condition does not hold now, and has not held since the last look, the
/// work-item gives its turn away and executes the wait again later.
void run_signal_wait(Context& context, const Op& op) {
  SignalRequest request;
  request.signal = read_scalar(context, op, 1);
  request.operation = HSA_BRIG_ATOMIC_OPERATION_LD;
  request.order = static_cast<hsa_brig_memory_order_t>(op.order);
  if (!signal_operation(context, request)) return;
  const unsigned bits = isa::bit_size(op.type);
  const int64_t operand_value = sign_extend(read_scalar(context, op, 2), bits);
  WorkItem& item = context.item;
  const bool has_timeout = op.atomic >= HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_EQ;
  bool give_up = false;
  if (has_timeout) {
    uint64_t& until = item.wait_until;
    if (until == 0) {
      const uint64_t start = now(context), timeout = read_scalar(context, op, 3);
      until = timeout > ~uint64_t{0} - start ? ~uint64_t{0} : start + timeout;
      if (until == 0) until = 1;
    }
    give_up = now(context) >= until;
  }
  bool holds = condition_holds(op.atomic, sign_extend(request.result, bits), operand_value);
  if (!holds && item.wait != nullptr) {
    if (const auto met = item.wait->met()) {
      holds = true;
      request.result = *met;
    }
  }
  if (!give_up && !holds) {
    const Services& services = *context.group.services;
    if (item.wait == nullptr && services.watch != nullptr && bits == 64) {
      request.operation = static_cast<hsa_brig_atomic_operation_t>(op.atomic);
      request.value = static_cast<uint64_t>(operand_value);
      item.wait = services.watch(services.context, request);
      // Looks again, because a value sent between the look and the start of the watch has gone unseen.
      if (item.wait != nullptr) return run_signal_wait(context, op);
    }
    item.state = WorkItem::State::waiting;
    context.stop = true;
    context.frame->next -= 1;
    return;
  }
  item.wait_until = 0;
  item.wait.reset();
  write_scalar(context, op, request.result);
}

void run_signal(Context& context, const Op& op) {
  if (op.atomic >= HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ &&
      op.atomic <= HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_GTE) {
    return run_signal_wait(context, op);
  }
  const bool returns = op.opcode == HSA_BRIG_OPCODE_SIGNAL;
  const unsigned at = returns ? 1 : 0;
  SignalRequest request;
  request.signal = read_scalar(context, op, at);
  request.operation = static_cast<hsa_brig_atomic_operation_t>(op.atomic);
  request.order = static_cast<hsa_brig_memory_order_t>(op.order);
  const bool is_signed = kind_of(op.type) == Kind::signed_integer;
  const auto value = [&](unsigned index) {
    const uint64_t bits = read_scalar(context, op, index);
    return is_signed ? static_cast<uint64_t>(sign_extend(bits, isa::bit_size(op.type))) : bits;
  };
  if (op.operand_count > at + 1) request.value = value(at + 1);
  if (op.operand_count > at + 2) request.value2 = value(at + 2);
  if (!signal_operation(context, request)) return;
  if (returns) write_scalar(context, op, request.result);
}

// ---- user mode queues (PRM 11.3): atomics on an index, whose address the services know ----
uint64_t* queue_index(Context& context, const Operand& address, bool write_index) {
  const Services& services = *context.group.services;
  const uint64_t queue = effective_address(context, context.function->addresses[address.index]);
  uint64_t* index = nullptr;
  if (services.queue_index != nullptr) {
    const GuardedAccess access;
    index = services.queue_index(services.context, queue, write_index);
  }
  if (index == nullptr) {
    fault(context, "INTERPRETER-invalid-queue", fmt::format("0x{:x} is not the address of a queue", queue));
  }
  return index;
}

template <bool write_index, hsa_brig_atomic_operation_t operation>
void run_queue(Context& context, const Op& op) {
  const unsigned at = operation == HSA_BRIG_ATOMIC_OPERATION_ST ? 0 : 1;  // the address; values follow
  uint64_t* index = queue_index(context, operand(context, op, at), write_index);
  if (index == nullptr) return;
  const uint64_t value = op.operand_count > at + 1 ? read_scalar(context, op, at + 1) : 0;
  const uint64_t value2 = op.operand_count > at + 2 ? read_scalar(context, op, at + 2) : 0;
  const uint64_t old = perform<uint64_t>(reinterpret_cast<std::byte*>(index), operation,
                                         Kind::unsigned_integer, value, value2);
  if (at == 1) write_scalar(context, op, old);
}

void run_clock(Context& context, const Op& op) { write_scalar(context, op, now(context)); }

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_ATOMIC, run_atomic},
    {HSA_BRIG_OPCODE_ATOMICNORET, run_atomic},
    {HSA_BRIG_OPCODE_MEMFENCE, run_memfence},
    {HSA_BRIG_OPCODE_SIGNAL, run_signal},
    {HSA_BRIG_OPCODE_SIGNALNORET, run_signal},
    {HSA_BRIG_OPCODE_CLOCK, run_clock},
    {HSA_BRIG_OPCODE_ADDQUEUEWRITEINDEX, run_queue<true, HSA_BRIG_ATOMIC_OPERATION_ADD>},
    {HSA_BRIG_OPCODE_CASQUEUEWRITEINDEX, run_queue<true, HSA_BRIG_ATOMIC_OPERATION_CAS>},
    {HSA_BRIG_OPCODE_LDQUEUEREADINDEX, run_queue<false, HSA_BRIG_ATOMIC_OPERATION_LD>},
    {HSA_BRIG_OPCODE_LDQUEUEWRITEINDEX, run_queue<true, HSA_BRIG_ATOMIC_OPERATION_LD>},
    {HSA_BRIG_OPCODE_STQUEUEREADINDEX, run_queue<false, HSA_BRIG_ATOMIC_OPERATION_ST>},
    {HSA_BRIG_OPCODE_STQUEUEWRITEINDEX, run_queue<true, HSA_BRIG_ATOMIC_OPERATION_ST>},
};

}  // namespace

std::span<const Row> atomic_rows() { return rows; }

}  // namespace heddle::interpreter
