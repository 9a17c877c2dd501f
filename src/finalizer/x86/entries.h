// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "finalizer/control_directives.h"
#include "finalizer/llvm.h"
#include "finalizer/spmd/parts.h"
#include "finalizer/x86/coroutine.h"

namespace heddle::finalizer::x86 {

/// The forms of entries (kernel_abi.h).
enum class EntryKind : uint8_t {
  groups,       ///< for groups whose waves run one after the other
  interleaved,  ///< for groups whose waves take turns at barriers
  wave,         ///< for one wave, which is a fiber
};

/// The bodies of a kernel whose waves have several work-items (spmd/widen.h).
struct WaveBodies {
  spmd::WaveShape wave;
  bool has_mask_registers = false;
  /// Whether the kernel can tell which work-items its waves have: those with consecutive flattened IDs.
  bool observes_waves = false;
  /// Whether the bodies for rows rely on that the lanes have consecutive workitemflatids (PRM 2.3), that of
  /// lane 0 being a multiple of the lanes.
  bool follows_slices = false;
  /// void(ptr context): for waves without inactive lanes whose work-items are consecutive in x, the first one
  /// being a multiple of `wave.lanes`. Null if there is none.
  llvm::Function* row = nullptr;
  /// void(ptr context, mask): for waves like these, in which not all lanes need to be active. Null if there
  /// is none.
  llvm::Function* partial_row = nullptr;
  /// Whether `row` or `partial_row` may do nothing but set Context::refused. The wave is then for the next
  /// one of `partial_row` and `general`.
  bool row_may_refuse = false;
  bool partial_row_may_refuse = false;
  /// The same as `row`, for waves of several times as many work-items. Null if there is none.
  llvm::Function* wide_row = nullptr;
  spmd::WaveShape wide_wave;
  bool wide_row_may_refuse = false;  ///< the wave is then for `row`, in parts
  /// void(ptr context, mask): for all waves. Never null.
  llvm::Function* general = nullptr;
};

/// Which groups that follow each other in x the entry of EntryKind::groups executes as one. The kernel must
/// not be able to tell (spmd::group_observers).
enum class GroupMerging : uint8_t {
  none,
  rows,  ///< groups with one work-item in y and z, whose work-items keep their order
  all,
};

/// Creates what a body for rows that may refuse waves does to refuse one.
void refuse_wave(llvm::IRBuilder<>& ir, llvm::Value* context);

struct EntryRequest {
  llvm::Function* body =
      nullptr;       ///< void(ptr context): for waves of one work-item; null if there are `waves`
  WaveBodies waves;  ///< not used if there is a `body`
  EntryKind kind = EntryKind::groups;
  std::string name;
  uint64_t kernarg_size = 0;
  uint32_t kernarg_align = 16;
  ControlDirectives directives;  ///< agents refuse dispatches that violate them
  bool loops_by_shape = false;   ///< special loops for groups of one work-item in x, or in x and y
  GroupMerging merging = GroupMerging::none;
  bool early_return = false;  ///< barriers do not wait for waves that have ended (codeobject::KernelFlag)
  /// Whether bodies have stores past the caches. Only kernels of EntryKind::groups have some.
  bool streams = false;

  /// Returns the bodies that there are.
  llvm::SmallVector<llvm::Function*, 4> bodies() const {
    llvm::SmallVector<llvm::Function*, 4> all = {body, waves.wide_row, waves.row, waves.partial_row,
                                                 waves.general};
    llvm::erase(all, nullptr);
    return all;
  }
  llvm::DISubprogram* subprogram() const { return (body ? body : waves.general)->getSubprogram(); }
};

/// Adds the entry of a kernel to the module. The entry calls the body or the bodies, which the optimiser may
/// inline. Returns the coroutine of a wave of an interleaved entry, into which the bodies have to be inlined.
std::optional<Coroutine> add_entry(llvm::Module& module, const EntryRequest& request);

}  // namespace heddle::finalizer::x86
