// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface between kernels that are compiled to PTX and the agent of an NVIDIA GPU (docs/design.md,
// D29). All structures have C layout and lie at the same addresses for the GPU and for the process that
// serves it.
//
// A code object for an ISA "heddle:nvptx-sm_NN" has these parts:
// - CodeObject::text is the PTX of one module, which ends with a zero byte, so that it can be handed to the
//   driver as it is. It has no cubins; agents keep those that they make from it.
// - CodeObject::data is the table of addresses: 64-bit words, each filled by a relocation. The agent copies
// it to
//   the symbol address_table_symbol of the loaded module before the first dispatch. If it is empty, there is
//   no such symbol.
// - The code of kernel number i of CodeObject::kernels is the entries native_entry_name(i) and
//   linear_entry_name(i). Kernel::groups_entry is the offset in the text at which the native one begins, and
//   Kernel::wave_entry that of the linear one; no_entry says that the kernel does not have it.
// - The handle of indirect function number i of CodeObject::functions is word i of the symbol
//   function_table_symbol, a constant array of the loaded module, which the agent reads back. There is no
//   such symbol if the program has no indirect functions. IndirectFunction::entry is where its PTX begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "codeobject/code_object.h"

namespace heddle::ptx_kernel {

// kernel_abi::version, which is stored in code objects, also counts changes of this file.

/// The GPU executes this many work-items together: WAVESIZE.
inline constexpr uint32_t lanes = 32;

// ---- entries

/// The entry for dispatches whose grid can be one of the GPU's: no work-group is partial,
/// group_size[2] <= max_native_group_z, and the grid has at most max_native_groups_yz work-groups in y and in
/// z. Launched with gridDim = grid_groups and blockDim = group_size.
inline std::string native_entry_name(size_t kernel) { return "hsail_native_" + std::to_string(kernel); }
/// The entry for all dispatches. Launched with one-dimensional blocks of as many threads as the group_size of
/// the packet has work-items, one for each work-group in flattened order, beginning with Hidden::first_group.
/// A grid of more than max_linear_groups work-groups takes several launches.
inline std::string linear_entry_name(size_t kernel) { return "hsail_linear_" + std::to_string(kernel); }

inline constexpr uint32_t max_native_group_z = 64;
inline constexpr uint32_t max_native_groups_yz = 65535;
inline constexpr uint32_t max_linear_groups = 0x7fffffff;
/// The largest work-group in work-items. A kernel may use so many registers that the GPU runs only smaller
/// ones; the agent then compiles it again with a limit.
inline constexpr uint32_t max_group_size = 1024;

/// Array of 64-bit words in the .const state space: the relocated CodeObject::data.
inline constexpr char address_table_symbol[] = "hsail_addresses";
/// Array of 64-bit words in the .global state space, initialised with the addresses of indirect functions.
inline constexpr char function_table_symbol[] = "hsail_functions";

// ---- parameters

// Each entry has two parameters. The second is Hidden, by value. The first depends on the kernel:
// - If passes_kernarg_by_value(), it is the kernarg segment itself, by value: kernarg_parameter_size() bytes
// with
//   an alignment of 16, of which the last ones may be padding.
// - Otherwise it is a 64-bit word: the address of the kernarg segment in memory that the GPU can read. It has
//   the alignment Kernel::kernarg_align, and nobody writes to it during the dispatch.

inline constexpr uint32_t kernarg_parameter_align = 16;
/// Parameters may have 4096 bytes altogether in the oldest driver that runs the PTX.
inline constexpr uint64_t max_parameter_size = 4096;

// ---- what a dispatch tells its kernel

struct Mailbox;
struct ErrorRecord;

/// The second parameter of each entry. Addresses are 64-bit words, whoever dereferences them.
struct Hidden {
  uint32_t grid_size[3];       ///< work-items
  uint32_t group_size[3];      ///< work-group size of the packet
  uint32_t grid_groups[3];     ///< work-groups, partial ones included
  uint32_t dimensions;         ///< 1 to 3
  uint32_t group_static_size;  ///< groupstaticsize
  /// grouptotalsize: group_segment_size of the packet, at least the static size. The launch has as many bytes
  /// of dynamic shared memory; kernels have no other shared memory but that for Hidden::ticket, if they take
  /// tickets.
  uint32_t group_total_size;
  /// Bytes of the private segment of one work-item, a multiple of 16: private_segment_size of the packet, at
  /// least Kernel::private_size. Kernels without kernel_dynamic_private have Kernel::private_size whatever
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
  uint64_t mailbox;  ///< Mailbox*, in host memory
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
  uint32_t reserved;
};

// ---- what the GPU asks of its host

/// A request to the host, in host memory. A work-item takes the next ticket t from Mailbox::next and owns the
/// slot t mod Mailbox::slots once `state` is 3 * (t / slots) + free. It writes the request and stores posted.
/// The host carries it out, writes `result`, and stores answered; both stores have release semantics at
/// system scope. The work-item reads the result and stores 3 * (t / slots + 1) + free. Requests are answered
/// in any order: one that waits for a signal must not hold up the others.
struct MailboxSlot {
  enum State : uint32_t { free = 0, posted = 1, answered = 2 };
  enum Kind : uint32_t {
    /// An atomic operation at system scope on `size` bytes at `address`, sequentially consistent. For
    /// compare-and-swap, `value` is what is compared, and `second` what is stored.
    atomic = 1,
    /// An operation on the signal whose handle is `address`. A wait ends when its condition held at any time
    /// since the request, and `second` is its timeout in ticks. `result` is the old value, or the value that
    /// a
    /// wait has seen.
    signal = 2,
    /// `result` is the address of the write index (`value` 1) or read index (`value` 0) of the user mode
    /// queue
    /// whose hsa_queue_t is at `address`.
    queue_index = 3,
  };
  uint64_t state;      ///< 3 * (ticket / slots) + State
  uint32_t kind;       ///< Kind
  uint32_t operation;  ///< hsa_brig_atomic_operation_t
  uint32_t is_signed;  ///< 1 if min and max compare signed numbers
  uint32_t size;       ///< 4 or 8
  uint64_t address;
  uint64_t value;
  uint64_t second;
  uint64_t result;
  uint64_t reserved;
};

/// The mailbox of an agent; all dispatches may share it. The slots follow it in memory.
struct Mailbox {
  uint64_t
      next;  ///< address of the word of 64 bits, in memory of the GPU, with the number of the next ticket
  uint64_t slots;  ///< a power of two
  uint64_t reserved[6];
};

// ---- what is known of a kernel

/// Null addresses of the segments. Group and private offsets have 32 bits and start at 0.
inline constexpr uint32_t null_group = 0xffffffffu;
inline constexpr uint32_t null_private = 0xffffffffu;
inline constexpr uint64_t null_flat = 0;
inline constexpr uint64_t null_kernarg = 0;

inline uint64_t kernarg_parameter_size(const codeobject::Kernel& kernel) {
  const uint64_t size = kernel.kernarg_size == 0 ? 1 : kernel.kernarg_size;
  return align_up(size, kernarg_parameter_align);
}

/// Reports whether the kernarg segment itself is the first parameter.
inline bool passes_kernarg_by_value(const codeobject::Kernel& kernel) {
  return kernel.kernarg_align <= kernarg_parameter_align &&
         kernel.kernarg_size <= max_parameter_size - sizeof(Hidden) - kernarg_parameter_align;
}

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
static_assert(offsetof(ErrorRecord, workitem_id) == 12 && offsetof(ErrorRecord, group_id) == 24 &&
              sizeof(ErrorRecord) == 40);
static_assert(offsetof(MailboxSlot, kind) == 8 && offsetof(MailboxSlot, address) == 24 &&
              offsetof(MailboxSlot, result) == 48 && sizeof(MailboxSlot) == 64 && sizeof(Mailbox) == 64);

}  // namespace heddle::ptx_kernel
