// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structures in memory that kernels compiled to PTX share with their agent (codeobject/ptx_kernel.h).
// They have C layout and lie at the same addresses for the GPU and for the process that serves it. This
// header needs no library: code for the GPU includes it too.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace heddle::ptx_kernel {

/// The size, in words of 64 bits, of what barriers that count waves know of a work-group.
inline constexpr uint32_t group_waves_words = 1 + 32 / 2;

// ---- what a dispatch tells its kernel

struct Mailbox;
struct ErrorRecord;

/// The second parameter of each entry, or the beginning of it (SingleHidden, CheckedHidden). Addresses are
/// 64-bit words, whoever dereferences them.
struct Hidden {
  uint32_t grid_size[3];       ///< work-items
  uint32_t group_size[3];      ///< work-group size of the packet
  uint32_t grid_groups[3];     ///< work-groups, partial ones included
  uint32_t dimensions;         ///< 1 to 3
  uint32_t group_static_size;  ///< groupstaticsize
  /// grouptotalsize: group_segment_size of the packet, at least the static size. The launch has as many bytes
  /// of dynamic shared memory; kernels have no other shared memory but that for Hidden::ticket, if they take
  /// tickets, and group_waves_words, if their barriers count waves.
  uint32_t group_total_size;
  /// Bytes of the private segment of one work-item that the packet asks for, a multiple of 16, at least
  /// Kernel::private_size. Kernels have as much as they were compiled for (kernel_dynamic_private), whatever
  /// this says.
  uint32_t private_size;
  uint32_t first_group_low;  ///< flattened ID of the work-group of block 0, if the entry is the linear one
  uint32_t first_group_high;
  uint32_t max_compute_unit;  ///< maxcuid
  uint64_t packet_id;
  uint64_t completion_signal;  ///< handle
  uint64_t queue;              ///< address of the hsa_queue_t, in the client
  /// Word of 64 bits in memory of the GPU from which kernels with kernel_takes_tickets number their
  /// work-groups in the order in which these begin. It is 0 before a launch, and again when all its
  /// work-groups have begun.
  uint64_t ticket;
  /// clock: clock_ticks + ((globaltimer - clock_nanoseconds) * clock_factor >> 64), in ticks of the system
  /// timestamp (hsam/signal.h). clock_factor is thus the ticks of a nanosecond, times 2^64.
  uint64_t clock_ticks;
  uint64_t clock_nanoseconds;
  uint64_t clock_factor;
  uint64_t mailbox;  ///< Mailbox*, in host memory; 0 for kernels without kernel_asks_host
  uint64_t error;    ///< ErrorRecord*, in host memory
  /// Word of 32 bits, preferably in memory of the GPU: if it is not 0, work-items that wait for others end.
  /// It is written by the agent, to stop a dispatch, and by the kernel, when a work-item traps.
  uint64_t stop;
  /// The memory that atomic operations of system scope may reach directly: addresses with
  /// address - device_begin < device_size, which no processor but this GPU accesses during the dispatch, or
  /// whose accesses by other processors are atomic with the GPU's. All other such operations go through the
  /// mailbox.
  uint64_t device_begin;
  uint64_t device_size;
};

/// The second parameter of the entry for a single work-group.
struct SingleHidden {
  Hidden hidden;
  /// Word of 64 bits in host memory. When all work-items have ended, the kernel stores `progress_value`
  /// there, with release at system scope, so that nothing has to be added to the stream behind it. If a
  /// work-item has trapped, the store may be missing.
  uint64_t progress;
  uint64_t progress_value;
};

// ---- what a dispatch may access

/// kernel_abi::trap_stray_access, for code that cannot include it.
inline constexpr uint32_t stray_access_reason = 7;

/// Memory that a kernel may access, in bytes.
struct MemoryRange {
  uint64_t begin;
  uint64_t size;
};

/// What kernels that check their addresses (codeobject::kernel_checks_addresses) are told besides.
struct AddressChecks {
  /// MemoryRange*, in memory of the GPU: what the client was given for the GPU, device memory and host
  /// memory, in ascending order and apart from each other. It is as it was when the dispatch was launched.
  uint64_t ranges;
  uint32_t range_count;
  uint32_t kernarg_size;  ///< bytes of the kernarg segment
};

/// The second parameter of the entries of these kernels.
struct CheckedHidden {
  Hidden hidden;
  AddressChecks checks;
};

/// Describes an access to memory. word_of() packs it into one word, which is ErrorRecord::detail if the
/// reason is kernel_abi::trap_stray_access, and an argument of the functions of the device library that check
/// addresses.
struct Access {
  enum Kind : uint32_t { load = 0, store = 1, atomic = 2, fbarrier = 3 };
  /// What ErrorRecord::address counts from: an address is flat or global, the others are offsets. `variable`
  /// is a variable of the private, spill or arg segment that lies in no frame.
  enum Segment : uint32_t { flat = 0, global = 1, group = 2, private_ = 3, kernarg = 4, variable = 5 };
  uint32_t kind;
  uint32_t segment;
  uint32_t align;  ///< bytes; a power of two, at most 128
  uint32_t size;   ///< bytes, at most largest
  static constexpr uint32_t largest = 0xffff;
};

constexpr uint32_t word_of(const Access& access) {
  uint32_t log = 0;
  while (1u << log < access.align) ++log;
  return access.size | access.kind << 16 | access.segment << 20 | log << 24;
}
constexpr Access access_of(uint32_t word) {
  return {word >> 16 & 15, word >> 20 & 15, 1u << (word >> 24 & 7), word & Access::largest};
}

// ---- why a dispatch failed

/// Reasons are those of kernel_abi::TrapReason. The first work-item that traps fills the record. Work-items
/// that trap end; the others go on until they end or wait for something.
struct ErrorRecord {
  enum State : uint32_t { empty = 0, claimed = 1, complete = 2 };
  uint32_t state;  ///< complete is stored last, with release at system scope
  uint32_t reason;
  uint32_t detail;
  uint32_t workitem_id[3];
  uint32_t group_id[3];
  uint32_t place;    ///< offset of a row in CodeObject::lines (ptx_kernel.h); 0: the line is not known
  uint64_t address;  ///< of a stray access
};

// ---- what the GPU asks of its host

/// A request to the host, in host memory. A work-item takes a ticket from the words of the mailbox (Mailbox),
/// and owns slot (ticket mod Mailbox::slots) if it changes the claim of the slot from 0 to 1; otherwise it
/// takes another ticket. It writes the request and stores posted. The host carries it out, writes `result`
/// and `wait`, and stores answered; both stores have release semantics at system scope. The work-item reads
/// the answer and sets the claim to 0. A slot whose request takes long thus holds up no other request.
struct MailboxSlot {
  enum State : uint64_t { free = 0, posted = 1, answered = 2 };
  enum Kind : uint32_t {
    /// An atomic operation at system scope on `size` bytes at `address`, sequentially consistent. For
    /// compare-and-swap, `value` is what is compared, and `second` what is stored. `result` is the old value.
    atomic = 1,
    /// An operation on the signal whose handle is `address`. A wait ends when its condition held at any time
    /// since the request, and `second` is its timeout in ticks, if it has one. `result` is the old value, or
    /// the value that a wait has seen.
    signal = 2,
    /// An atomic operation, as above, on the read index or write index of the user mode queue whose
    /// hsa_queue_t is at `address`.
    queue_read_index = 3,
    queue_write_index = 4,
    /// Goes on with a wait, whose number is `address`.
    wait_again = 5,
  };
  uint64_t state;      ///< State
  uint32_t kind;       ///< Kind
  uint32_t operation;  ///< hsa_brig_atomic_operation_t
  uint32_t is_signed;  ///< 1 if min and max compare signed numbers
  uint32_t size;       ///< 4 or 8
  uint64_t address;
  uint64_t value;
  uint64_t second;
  uint64_t result;
  /// Not 0: there is no result yet, because too many slots are taken by waits. The host watches the signal
  /// under this number, and the work-item asks again after a while (wait_again).
  uint64_t wait;
};

/// The mailbox of a queue. The slots follow it in memory.
struct Mailbox {
  /// Address of words of 64 bits in memory of the GPU: the next ticket, and for each slot its claim. All are
  /// 0 at first.
  uint64_t words;
  uint64_t slots;  ///< a power of two
  uint64_t reserved[6];
};

static_assert(offsetof(Hidden, group_size) == 12 && offsetof(Hidden, grid_groups) == 24 &&
              offsetof(Hidden, dimensions) == 36 && offsetof(Hidden, group_static_size) == 40 &&
              offsetof(Hidden, group_total_size) == 44 && offsetof(Hidden, private_size) == 48 &&
              offsetof(Hidden, first_group_low) == 52 && offsetof(Hidden, first_group_high) == 56 &&
              offsetof(Hidden, max_compute_unit) == 60 && offsetof(Hidden, packet_id) == 64 &&
              offsetof(Hidden, completion_signal) == 72 && offsetof(Hidden, queue) == 80 &&
              offsetof(Hidden, ticket) == 88 && offsetof(Hidden, clock_ticks) == 96 &&
              offsetof(Hidden, clock_nanoseconds) == 104 && offsetof(Hidden, clock_factor) == 112 &&
              offsetof(Hidden, mailbox) == 120 && offsetof(Hidden, error) == 128 &&
              offsetof(Hidden, stop) == 136 && offsetof(Hidden, device_begin) == 144 &&
              offsetof(Hidden, device_size) == 152 && sizeof(Hidden) == 160);
static_assert(offsetof(SingleHidden, progress) == 160 && offsetof(SingleHidden, progress_value) == 168 &&
              sizeof(SingleHidden) == 176);
static_assert(offsetof(MemoryRange, size) == 8 && sizeof(MemoryRange) == 16 &&
              offsetof(AddressChecks, range_count) == 8 && offsetof(AddressChecks, kernarg_size) == 12 &&
              offsetof(CheckedHidden, checks) == 160 && sizeof(CheckedHidden) == 176);
static_assert(offsetof(ErrorRecord, workitem_id) == 12 && offsetof(ErrorRecord, group_id) == 24 &&
              offsetof(ErrorRecord, place) == 36 && offsetof(ErrorRecord, address) == 40 &&
              sizeof(ErrorRecord) == 48);
static_assert(offsetof(MailboxSlot, kind) == 8 && offsetof(MailboxSlot, address) == 24 &&
              offsetof(MailboxSlot, result) == 48 && offsetof(MailboxSlot, wait) == 56 &&
              sizeof(MailboxSlot) == 64 && sizeof(Mailbox) == 64);

}  // namespace heddle::ptx_kernel
