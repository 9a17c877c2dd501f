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
//   linear_entry_name(i), and, if it has the flag kernel_has_single_entry, single_entry_name(i).
//   Kernel::groups_entry is the offset in the text at which the native one begins, and Kernel::wave_entry
//   that of the linear one; no_entry says that the kernel does not have it.
// - The handle of indirect function number i of CodeObject::functions is word i of the symbol
//   function_table_symbol, a constant array of the loaded module, which the agent reads back. There is no
//   such symbol if the program has no indirect functions. IndirectFunction::entry is where its PTX begins.
// - CodeObject::lines are the source lines at which work-items may trap. The offset of a row is no offset in
//   the text but the number by which a record names the line (ErrorRecord::place), from 1 on.
#pragma once

#include <cstdint>
#include <string>

#include "codeobject/code_object.h"
#include "codeobject/kernel_abi.h"
#include "codeobject/ptx_dispatch.h"
#include "support/align.h"

namespace heddle::codeobject {

// Kernel::flags of kernels for GPUs, beside those of KernelFlag.

/// The private segment is larger than Kernel::private_size by ptx_kernel::dynamic_private_size, for what is
/// allocated at run time and for the frames of functions that call themselves.
inline constexpr uint32_t kernel_dynamic_private = 1u << 16;
/// Work-groups are numbered in the order in which they begin, because they may wait for each other.
inline constexpr uint32_t kernel_takes_tickets = 1u << 17;
/// Work-items may ask the host to do something for them, so that somebody has to serve their mailbox.
inline constexpr uint32_t kernel_asks_host = 1u << 18;
/// The code has not been optimised, and the driver shall not optimise it either: its compiler ends with a
/// segmentation fault on some such code.
inline constexpr uint32_t kernel_not_optimised = 1u << 19;
/// Addresses are checked before each access. The second parameter is a ptx_kernel::CheckedHidden.
inline constexpr uint32_t kernel_checks_addresses = 1u << 20;
/// The kernel may read what differs between its dispatches: packet_id, completion_signal, clock_ticks,
/// clock_nanoseconds and error of ptx_kernel::Hidden. For other kernels they are 0.
inline constexpr uint32_t kernel_reads_dispatch = 1u << 21;
/// The kernel has the entry ptx_kernel::single_entry_name(). It may be ignored: the native entry does the
/// same.
inline constexpr uint32_t kernel_has_single_entry = 1u << 22;
/// Each entry begins with an instruction that waits until the kernel ahead of it in its stream has ended and
/// all that it has written is visible, so that the GPU may begin the entry before that. It may be ignored.
inline constexpr uint32_t kernel_waits_for_predecessor = 1u << 23;

}  // namespace heddle::codeobject

namespace heddle::ptx_kernel {

// kernel_abi::version, which is stored in code objects, also counts changes of this file, but not what agents
// may ignore.

/// What kernels with kernel_dynamic_private have beyond Kernel::private_size, in bytes, whatever a packet
/// says. It is part of their frames: the assembler of CUDA 13.0 loses what PTX's alloca does to the stack
/// pointer.
inline constexpr uint32_t dynamic_private_size = 16 * 1024;

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

/// The entry for those dispatches for the native entry that have only one work-group. It tells the host of
/// its end by itself (SingleHidden), and the kernarg segment is its first parameter.
inline std::string single_entry_name(size_t kernel) { return "hsail_single_" + std::to_string(kernel); }

enum class EntryForm : uint8_t { native, linear, single };
inline constexpr size_t entry_forms = 3;

inline std::string entry_name(EntryForm form, size_t kernel) {
  return form == EntryForm::native   ? native_entry_name(kernel)
         : form == EntryForm::linear ? linear_entry_name(kernel)
                                     : single_entry_name(kernel);
}

inline constexpr uint32_t max_native_group_z = 64;
inline constexpr uint32_t max_native_groups_yz = 65535;
inline constexpr uint32_t max_linear_groups = 0x7fffffff;
/// The largest work-group in work-items. A kernel may use so many registers that the GPU runs only smaller
/// ones; the agent then compiles it again with a limit.
inline constexpr uint32_t max_group_size = 1024;

static_assert(stray_access_reason == kernel_abi::trap_stray_access);

/// Array of 64-bit words in the .const state space: the relocated CodeObject::data.
inline constexpr char address_table_symbol[] = "hsail_addresses";
/// Array of 64-bit words in the .global state space, initialised with the addresses of indirect functions.
inline constexpr char function_table_symbol[] = "hsail_functions";

// ---- parameters

// Each entry has two parameters. The second is Hidden, by value; that of the single entry is SingleHidden,
// and kernels that check addresses, which have no such entry, have CheckedHidden. The first depends on the
// kernel:
// - If passes_kernarg_by_value(), it is the kernarg segment itself, by value: kernarg_parameter_size() bytes
// with
//   an alignment of 16, of which the last ones may be padding.
// - Otherwise it is a 64-bit word: the address of the kernarg segment in memory that the GPU can read. It has
//   the alignment Kernel::kernarg_align, and nobody writes to it during the dispatch.

inline constexpr uint32_t kernarg_parameter_align = 16;
/// Parameters may have 4096 bytes altogether in the oldest driver that runs the PTX.
inline constexpr uint64_t max_parameter_size = 4096;

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

inline bool checks_addresses(const codeobject::Kernel& kernel) {
  return (kernel.flags & codeobject::kernel_checks_addresses) != 0;
}

/// The size of the second parameter.
inline uint64_t hidden_size(const codeobject::Kernel& kernel, EntryForm form) {
  if (form == EntryForm::single) return sizeof(SingleHidden);
  return checks_addresses(kernel) ? sizeof(CheckedHidden) : sizeof(Hidden);
}

/// Reports whether the kernarg segment itself is the first parameter.
inline bool passes_kernarg_by_value(const codeobject::Kernel& kernel) {
  return kernel.kernarg_align <= kernarg_parameter_align &&
         kernel.kernarg_size <=
             max_parameter_size - hidden_size(kernel, EntryForm::native) - kernarg_parameter_align;
}

/// Kernels with a larger kernarg segment have no single entry.
inline constexpr uint64_t max_single_kernarg = 1024;
static_assert(max_single_kernarg + kernarg_parameter_align + sizeof(SingleHidden) <= max_parameter_size);

}  // namespace heddle::ptx_kernel
